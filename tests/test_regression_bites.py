"""The tests of the tests: a tiny lesson is broken in every way they are there for, and each turns red."""

import asyncio
import base64
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import numpy as np
import pytest
import test_notebooks as lint
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers.figures import png, weights_heatmap
from tools.lessons import ROOT, Lesson
from tools.links import address, open_links
from tools.refresh import WIDGET_VIEW, execute, normal_form
from tools.regression import other_renderer

pytestmark = pytest.mark.long

NAME = "03_tiny"
WEIGHTS = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]]
SETUP, NUMBER, PICTURE, LESSON_CODE, HELPER, LAST = range(6)  # the code cells
CODE = [
    "import sys\n\nsys.path.insert(0, '..')\nimport numpy as np",
    f"weights = np.array({WEIGHTS})  # (2, 3)\nprint(weights.sum(axis=1))",
    "from helpers.figures import show, weights_heatmap\nshow(weights_heatmap(weights, 'ab', 'cde'), 'b: d')",
    "def dot_product_scores(Q, K):\n    return Q @ K.mT",
    "from helpers import attention\nattention.dot_product_scores([[1, 2]], [[3, 4]])",
    "1 + 1",
]
TOO_LARGE = {"image/png": base64.b64encode(bytes(60 * 1024 + 1)).decode()}
LINT = ["tests/test_notebooks.py", "tests/test_links.py", "tests/test_lesson_code.py"]


def tiny_lesson() -> nbformat.NotebookNode:
    links = " ".join(f"[{place}]({link})" for place, link in open_links(NAME, address()).items())
    cells = [new_markdown_cell(f"# Find a tiny pen\n\n{links}\n\n[again]({NAME}.ipynb#Find-a-tiny-pen)")]
    for source in CODE:
        cells += [new_markdown_cell("What is to see here?"), new_code_cell(source)]
    return new_notebook(cells=cells)


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> Path:
    """A copy of the course whose only lesson is the tiny one, executed."""
    house = tmp_path_factory.mktemp("house")
    for folder in ("helpers", "tools"):
        shutil.copytree(ROOT / folder, house / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "tests/conftest.py", "tests/reference.txt", *LINT):
        (house / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, house / file)
    (house / "README.md").write_text(f"# Tiny\n\n{address().pages}\n", encoding="utf-8")
    (house / "notebooks").mkdir()
    lesson = tiny(house)
    lesson.path.write_text(nbformat.writes(tiny_lesson()), encoding="utf-8")
    with ThreadPoolExecutor() as pool:  # a browser's fixture may have a loop running in this thread
        pool.submit(asyncio.run, execute(lesson)).result()
    lesson.path.write_bytes(normal_form(lesson.notebook).encode())
    return house


def tiny(house: Path) -> Lesson:
    return Lesson(house / "notebooks" / f"{NAME}.ipynb")


def failures(house: Path) -> dict[str, str]:
    """Run the course's tests in a copy of it; what each failing test said, by the test's name."""
    options = ["-n0", "--junitxml=result.xml", "-knot ruff"]
    command = [sys.executable, "-m", "pytest", *options, "notebooks", *LINT]
    run = subprocess.run(command, cwd=house, capture_output=True, text=True, errors="replace")
    assert run.returncode in (0, 1), run.stdout + run.stderr
    cases = ElementTree.parse(house / "result.xml").iter("testcase")
    return {case.get("name"): "".join(case.itertext()) for case in cases if case.find("failure") is not None}


# Each way to break something takes the lesson, of which `notebook` is written back afterwards.


def change_one_number(lesson):
    output = lesson.code[NUMBER].outputs[0]
    output.text = output.text.replace("1.", "2.", 1)


def change_one_cell_of_a_heatmap(lesson):
    weights = np.array(WEIGHTS)
    weights[0, 0] += 0.1
    picture = png(weights_heatmap(weights, "ab", "cde"))
    lesson.code[PICTURE].outputs[0].data["image/png"] = base64.b64encode(picture).decode() + "\n"


def change_one_line_of_attention(lesson):
    module = lesson.path.parent.parent / "helpers" / "attention.py"
    text = module.read_text(encoding="utf-8")
    assert text.count("return Q @ K.mT") == 1
    module.write_text(text.replace("return Q @ K.mT", "return 2 * Q @ K.mT"), encoding="utf-8")


def break_one_link(lesson):
    lesson.prose[0].source = lesson.prose[0].source.replace("#Find", "#Lose")


def leave_one_cell_unexecuted(lesson):
    lesson.code[LAST].outputs, lesson.code[LAST].execution_count = [], None


BITES = {  # the break: the tests that must fail, each with what it must say
    change_one_number: {f"Cell {NUMBER}": "Cell outputs differ"},
    change_one_cell_of_a_heatmap: {f"Cell {PICTURE}": "picture 1 of the cell differs"},
    change_one_line_of_attention: {
        f"Cell {HELPER}": "array([[22.]])",
        f"test_lesson_and_helpers_are_the_same_code[{NAME}]": "2 * Q @ K.mT",
    },
    break_one_link: {f"test_relative_links_reach_a_file_and_a_heading[{NAME}]": "#Lose-a-tiny-pen"},
    leave_one_cell_unexecuted: {f"test_lesson[{NAME}-is_executed_from_a_clean_start]": "None"},
}


@pytest.fixture(scope="module")
def broken(house, tmp_path_factory) -> dict[str, str]:
    """What fails in a copy of the house with all the breaks at once."""
    copy = tmp_path_factory.mktemp("broken") / "house"
    shutil.copytree(house, copy)
    lesson = tiny(copy)
    for damage in BITES:
        damage(lesson)
    lesson.path.write_bytes(normal_form(lesson.notebook).encode())
    return failures(copy)


def test_the_tiny_lesson_passes_as_it_is(house):
    assert failures(house) == {}


@pytest.mark.parametrize("damage", BITES, ids=lambda damage: damage.__name__)
def test_it_turns_red(damage, broken, lack):
    if damage is change_one_cell_of_a_heatmap and other_renderer():
        lack(f"pictures {other_renderer()}")
    for name, message in BITES[damage].items():
        assert message in broken.get(name, "passed")


def test_nothing_else_turns_red(broken):
    assert broken.keys() <= {name for failing in BITES.values() for name in failing}


def stream(text: str, cell: int = NUMBER):
    """Damage: store this text as what a cell printed."""
    return lambda lesson: lesson.code[cell].outputs[0].update(text=text)


def prose(text: str):
    """Damage: put this text in the last cell of prose."""
    return lambda lesson: lesson.prose[-1].update(source=text)


def code(*sizes: int):
    """Damage: give the code cells these many lines."""
    return lambda lesson: [cell.update(source="x = 1\n" * n) for cell, n in zip(lesson.code, sizes)]


def words_of_picture(words: str):
    return lambda lesson: lesson.code[PICTURE].outputs[0].data.update({"text/plain": words})


def metadata(**entries):
    return lambda lesson: lesson.notebook.metadata.update(entries)


LINT_BITES = [
    (lint.is_valid, lambda lesson: lesson.code[NUMBER].pop("outputs")),
    (lint.is_in_normal_form, metadata(widgets={})),
    (lint.is_in_normal_form, metadata(language_info={"name": "python", "version": "3.11.7"})),
    (lint.is_in_normal_form, lambda lesson: lesson.code[LAST].update(id=lesson.code[0].id)),
    (lint.is_in_normal_form, lambda lesson: lesson.code[LAST].outputs[0].data.update({WIDGET_VIEW: {}})),
    (lint.is_executed_from_a_clean_start, lambda lesson: lesson.code[LAST].update(execution_count=9)),
    (lint.has_no_errors, lambda lesson: lesson.code[LAST].outputs.append(new_output("error"))),
    (lint.outputs_tell_nothing_of_a_machine, stream("<object at 0x7f54231e47f0>")),
    (lint.outputs_tell_nothing_of_a_machine, stream("/home/me/course")),
    (lint.outputs_tell_nothing_of_a_machine, stream(r"C:\course")),
    (lint.outputs_tell_nothing_of_a_machine, stream("http://127.0.0.1:8888")),
    (lint.outputs_have_no_bare_numpy_scalar, stream("np.float64(0.5)")),
    (lint.pictures_have_words, words_of_picture("<Figure size 640x480 with 1 Axes>")),
    (lint.pictures_have_words, words_of_picture("")),
    (lint.pictures_are_small, lambda lesson: lesson.code[PICTURE].outputs[0].data.update(TOO_LARGE)),
    (lint.details_have_their_blank_lines, prose("<details><summary>A</summary>\nB\n\n</details>")),
    (lint.details_have_their_blank_lines, prose("<details><summary>A</summary>\n\nB\n</details>")),
    (lint.details_have_their_blank_lines, prose("<details><summary>A</summary>\n\nB")),
    (lint.code_follows_prose, lambda lesson: lesson.notebook.cells.pop(-2)),
    (lint.code_cells_are_short, code(21)),
    (lint.code_cells_are_short, code(11, 11, 1, 1, 1, 1)),
    (lint.code_cells_are_short, code(5, 5, 5, 5, 1, 1)),
    (lint.prose_cells_are_short, prose("word " * 121)),
    (lint.is_short, lambda lesson: lesson.notebook.cells.extend([new_markdown_cell("x")] * 60)),
    (lint.is_short, lambda lesson: lesson.notebook.cells.extend([new_markdown_cell("x " * 100)] * 20)),
    (lint.is_short, stream("x" * 600 * 1024)),
]


@pytest.mark.parametrize("rule, damage", LINT_BITES)
def test_rule_of_the_lint_bites(rule, damage, house, tmp_path):
    lesson = Lesson(Path(shutil.copy(tiny(house).path, tmp_path)))
    assert not list(rule(lesson))
    damage(lesson)
    lesson.path.write_text(json.dumps(lesson.notebook), encoding="utf-8")
    assert list(rule(Lesson(lesson.path)))


@pytest.mark.parametrize("source, tags", [("# NBVAL_IGNORE_OUTPUT", []), ("1", ["raises-exception"])])
def test_cell_exempt_from_comparison_is_counted(source, tags, house):
    lesson = tiny(house)
    assert lint.exempt_cells([lesson]) == []
    lesson.code[LAST].update(source=source, metadata=nbformat.from_dict({"tags": tags}))
    assert lint.exempt_cells([lesson]) == [f"{NAME} {lesson.code[LAST].id}"]
