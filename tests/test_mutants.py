"""The test of `make mutants`: it tells wrong from harmless, and its table is whole and fits the course as it is."""

import ast
import inspect
from collections import Counter

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from helpers import attention
from tools.lessons import ROOT, Lesson
from tools.mutants import UNIT_TESTS, copy_course, first_failure, is_well, judges, put_in, row
from tools.mutants_table import MUTANTS, Mutant

ANY = Mutant("robustness", "helpers/validation.py", "any shape let in", "    if not fits:", "    if False:")
SAME = ANY._replace(new="    if fits is False:", harmless="it is False or True")
LARGEST = next(mutant for mutant in MUTANTS if mutant.what == "divided by the largest")


KILLED = [
    (ANY, ["tests/test_validation.py"], "test_validation: test_a_wrong_argument_is_named"),
    (LARGEST, [LARGEST.file], "01_tokens: Cell 3"),
    (SAME, ["tests/test_validation.py"], ""),
]


@pytest.mark.long
@pytest.mark.parametrize("mutant, tests, by", KILLED, ids=["by a test", "by a lesson", "not at all"])
def test_a_mutant_is_killed_by_name(mutant, tests, by, tmp_path):
    course = copy_course(tmp_path)
    put_in(mutant, course)
    killed_by = first_failure(course, tests)
    assert killed_by.startswith(by) and bool(killed_by) == bool(by)


@pytest.mark.long
def test_tests_that_can_not_run_are_no_verdict(tmp_path):
    with pytest.raises(RuntimeError, match="no_such_test"):
        first_failure(copy_course(tmp_path), ["tests/no_such_test.py"])


@pytest.mark.parametrize("old", ["no such text", "V"])
def test_a_text_that_is_not_there_once_is_refused(old, tmp_path):
    with pytest.raises(ValueError, match="helpers/attention.py holds"):
        put_in(Mutant("meaning", "helpers/attention.py", "", old, "x"), copy_course(tmp_path))


@pytest.mark.parametrize("mutant, killed_by, well", [(ANY, "a", 1), (ANY, "", 0), (SAME, "", 1), (SAME, "a", 0)])
def test_only_wrong_versions_are_to_be_killed(mutant, killed_by, well):
    assert is_well(mutant, killed_by) == well
    assert row(mutant, killed_by).startswith("✓" if well else "✗")


def changed(mutant: Mutant) -> list[str]:
    """The texts that a mutant changes, as they become; as Python if they are a lesson's."""
    path = ROOT / mutant.file
    is_lesson = path.suffix == ".ipynb"
    texts = [cell.source for cell in Lesson(path).code] if is_lesson else [path.read_text(encoding="utf-8")]
    assert sum(text.count(mutant.old) for text in texts) == 1, mutant
    new = [text.replace(mutant.old, mutant.new) for text in texts if mutant.old in text]
    return [TransformerManager().transform_cell(text) for text in new] if is_lesson else new


def test_each_row_fits_the_course_as_it_is_and_changes_it():
    for mutant in MUTANTS:
        assert mutant.old != mutant.new and bool(mutant.what) != bool(mutant.harmless)
        for text in changed(mutant):
            if not mutant.file.endswith(".html"):
                ast.parse(text)


def test_the_table_is_whole():
    wrong = [mutant for mutant in MUTANTS if not mutant.harmless]
    assert len(wrong) == len({(mutant.file, mutant.old, mutant.new) for mutant in wrong}) >= 40
    kinds = Counter(mutant.kind for mutant in wrong)
    assert set(kinds) == {"meaning", "robustness", "figures", "players"}
    assert {mutant.file for mutant in wrong if mutant.kind == "meaning"} == {
        "helpers/attention.py",
        *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("notebooks/*.ipynb")),
    }
    judged = [start for mutant in wrong for start in UNIT_TESTS if mutant.file.startswith(start)]
    assert set(judged) == set(UNIT_TESTS)


def test_every_function_of_the_maths_is_made_wrong():
    olds = [mutant.old for mutant in MUTANTS if mutant.file == "helpers/attention.py" and not mutant.harmless]
    defined = [thing for _, thing in inspect.getmembers(attention) if inspect.getmodule(thing) is attention]
    assert all(any(old in inspect.getsource(thing) for old in olds) for thing in defined) and len(defined) == 10


def test_the_lessons_judge_the_maths_that_they_use():
    first, *others = judges(Mutant("meaning", "helpers/attention.py", "", "K = X @ self.W_k", ""), ROOT)
    assert first == "notebooks/07_self_attention.ipynb"
    assert "notebooks/01_tokens.ipynb" not in others and "notebooks/02_queries_keys_values.ipynb" in others
