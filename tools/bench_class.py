"""A class on one machine: 30 kernels run lesson 07 at once.

    python -m tools.bench_class

All must finish, and each must show what is stored in the lesson. Memory is what the system counts for a kernel: after
Run All what is its alone, and with the pages that it shares with the others; at its peak with those.
"""

import asyncio
import os
import subprocess
import sys
import time
from copy import deepcopy
from dataclasses import dataclass
from statistics import median

import nbformat
import psutil
from nbclient import NotebookClient
from nbformat import NotebookNode

from tools.lessons import NOTEBOOKS, lessons, texts
from tools.refresh import normal_form

STUDENTS = 30
PATIENCE = 900  # seconds that a cell, its outputs or a kernel's start may take in the throng
MB = 1_000_000
PEAK = """
import resource, sys
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


@dataclass(frozen=True)
class Seat:
    """How one student fared: megabytes after Run All and at the peak, seconds, and whether all was as stored."""

    alone: float
    after: float
    peak: float
    seconds: float
    right: bool


def shown(notebook: NotebookNode) -> list[list[str]]:
    """What each code cell shows in words, in the form in which lessons are stored."""
    stored = nbformat.reads(normal_form(notebook), as_version=4)
    return [[text for output in cell.get("outputs", []) for text in texts(output)] for cell in stored.cells]


async def attend(stored: NotebookNode, began: float) -> Seat:
    """Run all of the lesson in a kernel of its own."""
    notebook = deepcopy(stored)
    patience = dict.fromkeys(("timeout", "iopub_timeout", "startup_timeout"), PATIENCE)
    client = NotebookClient(notebook, **patience, resources={"metadata": {"path": str(NOTEBOOKS)}})
    async with client.async_setup_kernel(stderr=subprocess.DEVNULL):
        for index, cell in enumerate(notebook.cells):
            await client.async_execute_cell(cell, index)
        seconds = time.perf_counter() - began
        memory = psutil.Process(client.km.provisioner.pid).memory_full_info()
        right = shown(notebook) == shown(stored)
        asked = await client.async_execute_cell(nbformat.v4.new_code_cell(PEAK), 0)  # in the first cell's place
    return Seat(memory.uss / MB, memory.rss / MB, int(asked.outputs[0].text) / MB, seconds, right)


async def hold_class(stored: NotebookNode) -> list[Seat]:
    """All students at once."""
    began = time.perf_counter()
    return await asyncio.gather(*(attend(stored, began) for _ in range(STUDENTS)))


def main() -> int:
    """Print how the class went; non-zero if anything that a student saw was wrong."""
    (lesson,) = (lesson for lesson in lessons() if lesson.name.startswith("07"))
    seats = asyncio.run(hold_class(lesson.notebook))
    wrong = sum(not seat.right for seat in seats)
    print(f"\n## A class: {STUDENTS} kernels run {lesson.name} at once on {os.cpu_count()} cores\n")
    print(f"all done after {max(seat.seconds for seat in seats):.0f} s, {wrong} of {len(seats)} wrong")
    for name, limit in (("alone", 150), ("after", 150), ("peak", 350)):
        sizes = [getattr(seat, name) for seat in seats]
        print(f"memory a kernel, {name:5}: median {median(sizes):.0f} MB, most {max(sizes):.0f} MB (to reach: {limit})")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
