"""The lessons as they are met on Colab: its packages, an empty folder, one notebook, and the course to be cloned.

The clone comes from a local repository that stands in for the published one.
"""

import re
from copy import deepcopy

import nbformat
import pytest
from copies import colab_stub, publish, published_at

from tools.environments import Missing, environments, python_of, run_lessons
from tools.lessons import lessons

pytestmark = pytest.mark.long

COLAB = environments()["Colab"]


@pytest.fixture(scope="module")
def settings(tmp_path_factory, lack):
    """What makes the machine look like Colab."""
    try:
        python_of(COLAB)
    except Missing as missing:
        lack(str(missing))
    folder = tmp_path_factory.mktemp("colab")
    return colab_stub(folder / "stub") | published_at(publish(folder / "published"))


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_lesson_runs_twice_in_a_row(lesson, settings, tmp_path):
    """Run All, and once more in the same kernel: both times each output is the stored one."""
    twice = deepcopy(lesson.notebook)
    again = deepcopy(twice.cells)
    for cell in again:
        cell.id += "-again"
    twice.cells += again
    nbformat.write(twice, tmp_path / lesson.path.name)
    ran = run_lessons(COLAB, [tmp_path / lesson.path.name], settings)
    assert ran.returncode == 0, ran.stdout
    assert int(re.search(r"(\d+) passed", ran.stdout)[1]) == 2 * len(lesson.code)
    assert sorted(path.name for path in tmp_path.iterdir()) == [lesson.path.name, "paying-attention"]
