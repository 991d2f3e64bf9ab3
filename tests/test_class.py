"""A class pulls the course by nbgitpuller: students keep their work, and get what is new."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import nbformat
import pytest
from copies import PUBLISHED, git, publish, published_at
from nbclient import NotebookClient

from tools.lessons import ROOT
from tools.links import address

LESSON = "notebooks/04_softmax.ipynb"
MINE = "# My own notes\nprint('mine')"


@pytest.fixture
def upstream(tmp_path):
    """A repository that stands in for the published one."""
    return publish(tmp_path / "upstream")


def link() -> dict[str, str]:
    """What the README's link for a class asks nbgitpuller for."""
    query = re.search(r"/git-pull\?(\S+)", (ROOT / "README.md").read_text(encoding="utf-8"))[1]
    return {key: value for key, (value,) in parse_qs(query).items()}


@pytest.fixture
def pull(tmp_path, upstream, site_python) -> Callable[[], Path]:
    """A function that does what a click on the link does on a hub, and returns the folder of the course."""
    home = tmp_path / "home"
    home.mkdir()
    branch = git(upstream, "branch", "--show-current").strip()
    command = [site_python, "-m", "nbgitpuller.pull", PUBLISHED, branch, "paying-attention"]
    settings = {**os.environ, **published_at(upstream)}

    def click() -> Path:
        ran = subprocess.run(command, cwd=home, env=settings, capture_output=True, encoding="utf-8", check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return home / "paying-attention"

    return click


def edit(path: Path, change) -> None:
    """Change a notebook as an editor does: read it, change it, write all of it."""
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)


def exercise(notebook):
    return next(cell for cell in notebook.cells if "return ..." in cell.source)


def as_a_student(notebook) -> None:
    """Solve an exercise, insert cells of one's own at three places, and run all."""
    cell = exercise(notebook)
    cell.source = cell.source.replace("return ...", "return 'my answer'", 1)
    for place in (len(notebook.cells), 20, 3):
        notebook.cells.insert(place, nbformat.v4.new_code_cell(MINE))
    resources = {"metadata": {"path": str(ROOT / "notebooks")}}
    NotebookClient(notebook, timeout=120, resources=resources, allow_errors=True).execute()


def as_the_author(notebook) -> None:
    """Change the first cell, the very exercise that students edit, an output, and add a cell at the end."""
    notebook.cells[0].source += "\n\nNews from upstream."
    exercise(notebook).source += "\n# a new remark"
    printed = next(cell for cell in notebook.cells if cell.get("outputs"))
    printed.outputs = [nbformat.v4.new_output("stream", text="another output\n")]
    notebook.cells.append(nbformat.v4.new_markdown_cell("A new last cell."))


def test_the_link_names_the_course_and_opens_the_first_lesson():
    asked = link()
    assert asked["repo"] == PUBLISHED
    assert asked.get("branch", address().ref) == address().ref
    folder = asked.get("targetPath", PUBLISHED.rsplit("/", 1)[1])  # by default the repository's name
    assert asked["urlpath"].startswith(f"lab/tree/{folder}/")
    assert (ROOT / asked["urlpath"].removeprefix(f"lab/tree/{folder}/")).is_file()


@pytest.mark.long
def test_students_keep_their_work_and_get_what_is_new(upstream, pull):
    course = pull()
    edit(course / LESSON, as_a_student)
    edit(upstream / LESSON, as_the_author)
    (upstream / "helpers" / "new.py").write_text("NEW = True\n", encoding="utf-8")
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "--message=Next week's update")
    pull()

    merged = nbformat.read(course / LESSON, as_version=4)
    nbformat.validate(merged)
    sources = [cell.source for cell in merged.cells]
    assert sources.count(MINE) == 3
    assert any("return 'my answer'" in source for source in sources)
    assert sources[0].endswith("News from upstream.")
    assert len({cell.id for cell in merged.cells}) == len(merged.cells)
    assert (course / "helpers" / "new.py").exists()


@pytest.mark.long
def test_a_lesson_that_was_deleted_comes_back(upstream, pull):
    course = pull()
    (course / LESSON).unlink()
    pull()
    assert (course / LESSON).read_bytes() == (upstream / LESSON).read_bytes()
