"""Where the lessons are, and what the tools and the tests read out of them."""

import base64
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode, reader
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"


@dataclass(frozen=True)
class Lesson:
    """One notebook, read from its file as it is: nothing is repaired or converted.

    Parameters
    ----------
    path : pathlib.Path
    """

    path: Path

    @property
    def name(self) -> str:
        """The file's name without `.ipynb`: `01_tokens`."""
        return self.path.stem

    @cached_property
    def notebook(self) -> NotebookNode:
        return reader.reads(self.path.read_text(encoding="utf-8"))

    @property
    def code(self) -> list[NotebookNode]:
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    @property
    def prose(self) -> list[NotebookNode]:
        return [cell for cell in self.notebook.cells if cell.cell_type == "markdown"]

    @property
    def python(self) -> list[str]:
        """The code cells as plain Python: IPython's magics are turned into the calls they stand for."""
        return [TransformerManager().transform_cell(cell.source) for cell in self.code]


def lessons() -> list[Lesson]:
    """All lessons, in the course's order."""
    return [Lesson(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]


def texts(output: NotebookNode) -> list[str]:
    """All that one output says in words or markup, whatever its type: everything but its pictures."""
    data = output.get("data", {})
    shown = [json.dumps(value) if isinstance(value, dict) else value for value in data.values()]
    said = [text for mime, text in zip(data, shown) if not mime.startswith("image/")]
    return said + [output[key] for key in ("text", "ename", "evalue") if key in output]


def pictures(outputs: list[NotebookNode]) -> list[bytes]:
    """The PNG pictures among outputs, in order."""
    shown = [output.get("data", {}) for output in outputs]
    return [base64.b64decode(data["image/png"]) for data in shown if "image/png" in data]


def reference_pins() -> dict[str, str]:
    """The versions of the reference environment (`tests/reference.txt`), by package."""
    lines = (ROOT / "tests" / "reference.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {pin.name: next(iter(pin.specifier)).version for pin in pins}
