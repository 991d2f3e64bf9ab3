"""All measurements of speed, one after the other: `make bench`.

    python -m tools.bench [part ...]

The parts are start, lessons, figures, maths, sliders and class. Machines differ and are shared, so read the ratios; the
milliseconds and seconds are those of this run.
"""

import os
import runpy
import statistics
import subprocess
import sys
import time

import nbformat
from nbclient import NotebookClient

from tools.lessons import NOTEBOOKS, lessons

LIBRARIES = "import numpy, matplotlib.figure, matplotlib.backends.backend_agg, ipywidgets, IPython.display"
OURS = "import helpers.story, helpers.attention, helpers.figures, helpers.sliders, helpers.checks"


def start() -> None:
    """What importing our own modules costs over the libraries that they stand on, once Python has compiled them."""
    print("\n## Importing helpers\n")
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    code = f"import time\n{LIBRARIES}\nbegan = time.perf_counter()\n{OURS}\nprint(time.perf_counter() - began)"
    runs = [float(subprocess.check_output([sys.executable, "-c", code], env=settings)) for _ in range(6)]
    print(f"median of 5: {1000 * statistics.median(runs[1:]):.0f} ms over the libraries (to reach: 50)")


def run_lessons() -> None:
    """How long each lesson takes from a fresh kernel, the kernel's own start not counted."""
    print("\n## Lessons, Run All\n")
    print("lesson                     seconds")
    for lesson in lessons():
        notebook = nbformat.read(lesson.path, as_version=4)
        client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": NOTEBOOKS}})
        with client.setup_kernel(stderr=subprocess.DEVNULL):  # the kernel's own; a cell's is an output
            began = time.perf_counter()
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
            print(f"{lesson.name:26} {time.perf_counter() - began:7.1f}")


def other(module: str):
    """A part with a module of its own, run as from the command line."""

    def run() -> None:
        sys.argv = [module]
        runpy.run_module(f"tools.{module}", run_name="__main__")

    return run


PARTS = {
    "start": start,
    "lessons": run_lessons,
    "figures": other("bench_figures"),
    "maths": other("bench_maths"),
    "sliders": other("bench_sliders"),
    "class": other("bench_class"),
}

if __name__ == "__main__":
    chosen = sys.argv[1:] or list(PARTS)
    unknown = [part for part in chosen if part not in PARTS]
    if unknown:
        sys.exit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    for part in chosen:
        PARTS[part]()
