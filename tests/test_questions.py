"""The pages beside the lessons: every question and every term leads to a heading under which something runs."""

import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from tools.lessons import ROOT, Lesson

NOTEBOOKS = ROOT / "notebooks"
LINK = re.compile(r"\]\((\w+\.ipynb)#([^)]+)\)")


def links(page: str) -> list[tuple[str, str]]:
    """The lessons and headings that a page links to."""
    return [(file, unquote(anchor)) for file, anchor in LINK.findall((NOTEBOOKS / page).read_text(encoding="utf-8"))]


def cells_under(path: Path, anchor: str) -> list:
    """The cells from a heading to the next one of the same or a higher level."""
    found, level = [], 0
    for cell in Lesson(path).notebook.cells:
        for marks, title in re.findall(r"^(#+) (.+)$", cell.source if cell.cell_type == "markdown" else "", re.M):
            if level and len(marks) <= level:
                return found
            level = len(marks) if title.replace(" ", "-") == anchor else level
        if level:
            found.append(cell)
    return found


def test_there_are_forty_questions():
    page = (NOTEBOOKS / "questions.md").read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"^(\d+)\. .+\?.* → \[", page, re.M)] == list(range(1, 41))
    assert len(links("questions.md")) == 40


@pytest.mark.parametrize("page", ["questions.md", "glossary.md"])
def test_every_link_leads_to_something_that_ran(page):
    dead = [
        f"{file}#{anchor}"
        for file, anchor in links(page)
        if not any(cell.get("execution_count") for cell in cells_under(NOTEBOOKS / file, anchor))
    ]
    assert links(page) and not dead


def test_a_heading_without_a_run_cell_is_told(tmp_path):
    path = tmp_path / "lesson.ipynb"
    heading, run = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell("1", execution_count=1)
    nbformat.write(nbformat.v4.new_notebook(cells=[heading("## A b"), heading("## C"), run]), path)
    assert [cell.cell_type for cell in cells_under(path, "A-b")] == ["markdown"]
    assert [cell.cell_type for cell in cells_under(path, "C")] == ["markdown", "code"]
