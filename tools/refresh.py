"""Re-executes the lessons, each from a clean kernel, and stores them in one normal form.

    python -m tools.refresh [LESSON.ipynb ...]

Run twice, the second run changes nothing. Outputs are only stored in the reference environment
(`tests/reference.txt`), in which the tests compare the pictures pixel for pixel.
"""

import asyncio
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tools.lessons import Lesson, lessons, reference_pins

AT_ONCE = 2
CELL_TIMEOUT = 60  # seconds
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class LessonFailed(Exception):
    """A cell of a lesson raised an error; the message names both."""


async def execute(lesson: Lesson) -> None:
    """Run all the cells of a lesson's notebook in place, in a new kernel.

    Raises
    ------
    LessonFailed
        At the first cell that raises, takes more than `CELL_TIMEOUT` seconds or ends the kernel.
    """
    for cell in lesson.code:
        cell.outputs, cell.execution_count = [], None
    resources = {"metadata": {"path": str(lesson.path.parent)}}
    options = {"timeout": CELL_TIMEOUT, "record_timing": False, "kernel_name": "python3"}
    client = NotebookClient(lesson.notebook, resources=resources, **options)
    async with client.async_setup_kernel(stderr=subprocess.DEVNULL):  # the kernel's own; cells' is an output
        for index, cell in enumerate(lesson.notebook.cells):
            try:
                await client.async_execute_cell(cell, index)
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                where = f"{lesson.path.name}, cell {index} ({cell.get('id')})"
                raise LessonFailed(f"{where}:\n{error}") from error


def normal_form(notebook: NotebookNode) -> str:
    """A notebook as the course stores it, as the text of its file.

    Kept are sources, outputs, counts, valid cell ids and tags. Widget views go, for without a state they show
    an error; so does all that tells of the machine, the program or the time of the run.
    """
    normal = nbformat.from_dict({"cells": notebook.cells, "metadata": METADATA})
    normal.nbformat, normal.nbformat_minor = 4, 5
    names = _cell_ids([cell.get("id", "") for cell in normal.cells])
    for cell, name in zip(normal.cells, names):
        cell.id = name
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
        if cell.cell_type == "code":
            cell.outputs = _normal_outputs(cell.outputs)
    return nbformat.writes(normal, version=nbformat.NO_CONVERT).rstrip("\n") + "\n"


def _cell_ids(ids: list[str]) -> list[str]:
    """The ids with each one that is invalid, missing or a repetition replaced by the next free `cell-N`."""
    fresh = (name for name in (f"cell-{number}" for number in count(1)) if name not in ids)
    good = [VALID_ID.fullmatch(name) and name not in ids[:place] for place, name in enumerate(ids)]
    return [name if fine else next(fresh) for name, fine in zip(ids, good)]


def _normal_outputs(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs without widget views, and with neighbouring pieces of one stream joined."""
    kept: list[NotebookNode] = []
    for output in map(nbformat.from_dict, outputs):
        if output.get("data", {}).pop(WIDGET_VIEW, None) and not output.data:
            continue
        if kept and output.output_type == "stream" == kept[-1].output_type and output.name == kept[-1].name:
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept


async def refresh(chosen: list[Lesson]) -> None:
    """Execute lessons, two at a time, and write each into its file."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(lesson: Lesson) -> None:
        async with places:
            await execute(lesson)
        lesson.path.write_bytes(normal_form(lesson.notebook).encode())
        print(f"refreshed {lesson.path.name}")

    await asyncio.gather(*map(one, chosen))


def unlike_reference() -> list[str]:
    """What is not as in the reference environment, a line a package."""
    return [
        f"{package}: {here or 'missing'}, the reference has {pin}"
        for package, pin in reference_pins().items()
        if (here := _installed(package)) != pin
    ]


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def main(arguments: list[str]) -> None:
    """Refresh the lessons named by their paths, or all."""
    if differences := unlike_reference():
        sys.exit("Outputs are stored in the reference environment only. Here:\n" + "\n".join(differences))
    try:
        asyncio.run(refresh([Lesson(Path(path)) for path in arguments] or lessons()))
    except LessonFailed as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
