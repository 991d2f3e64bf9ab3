"""The checks know what went wrong: tried with the lessons' solutions, a catalogue of answers, and hostile things."""

import ast
import contextlib
import copy
import io
import itertools
import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from conftest import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from helpers import checks
from helpers.checks.verdict import BLANK, Exercise, Mistake, Verdict, judge
from tests.answers import ACCOUNT, CHANGES, Chosen, Written, catalogue
from tools.lessons import Lesson, lessons

LESSONS = lessons()
CATALOGUE = catalogue()
WRITTEN = {name: answers for name, answers in CATALOGUE.items() if isinstance(answers, Written)}
CHOSEN = {name: answers for name, answers in CATALOGUE.items() if isinstance(answers, Chosen)}
IN_A_LESSON = "helpers.checks.lesson_"
CHECKS = {
    name: check for name, check in vars(checks).items() if getattr(check, "__module__", "").startswith(IN_A_LESSON)
}
NET = "can't be judged"  # the last resort of a check, too vague for an ordinary answer


def state() -> tuple:
    """What a check must leave as it was."""
    numbers = np.random.get_state()
    return (
        np.geterr(),
        repr(np.get_printoptions()),
        sys.getrecursionlimit(),
        (sys.stdout, sys.stderr, sys.displayhook),
        list(warnings.filters),
        (numbers[1].tobytes(), *numbers[2:]),
        random.getstate(),
    )


@contextlib.contextmanager
def nothing_disturbed() -> Iterator[None]:
    """Fails if something is printed or warned of, or if a state that all share is another afterwards."""
    out, err = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with warnings.catch_warnings(), np.errstate(all="raise"), out as printed, err as printed_too:
        warnings.simplefilter("error")
        before = state()
        yield
        assert state() == before
    assert printed.getvalue() + printed_too.getvalue() == ""


def verdict_of(name: str, answer: Any) -> Verdict:
    """A check's verdict, which has its form whatever the answer is."""
    with nothing_disturbed():
        verdict = CHECKS[name](answer)
        assert type(verdict.passed) is bool
        assert type(verdict.hint) is str and verdict.hint.strip()
        mark = "✓" if verdict.passed else "✗" if verdict.written else "○"
        assert repr(verdict).startswith(f"{mark} ") and repr(verdict).isprintable()
    return verdict


# --- The lessons' own exercises -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """An exercise as it stands in its lesson: what comes before it, its cell, its folds."""

    lesson: Lesson
    check: ast.Call
    before: list[ast.stmt]
    cell: str
    stub: list[ast.stmt]
    folds: dict[str, str]

    @property
    def name(self) -> str:
        return self.check.func.attr

    @property
    def solution(self) -> str:
        return "\n".join(re.findall(r"```python\n(.*?)```", self.folds.get("Solution", ""), re.S))

    def verdict(self, *answers: str) -> Verdict:
        """The verdict of the lesson's own call, after its cell and what replaces the answer in it."""
        space: dict[str, Any] = {}
        run(needed("\n".join([self.cell, *answers]), self.before), space)
        run(self.stub, space)
        for answer in answers:
            run(ast.parse(answer).body, space)
        return eval(compile(ast.Expression(self.check), self.name, "eval"), space)


def needed(python: str, before: list[ast.stmt]) -> list[ast.stmt]:
    """Those of the lesson's earlier statements that give a name which the code uses, and what they need in turn."""
    names, chosen = names_in(ast.parse(python)), []
    for statement in reversed(before):
        if names & names_given_by(statement):
            names |= names_in(statement)
            chosen.insert(0, statement)
    return chosen


def names_in(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def names_given_by(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        return set().union(*map(names_in, statement.targets))
    return set()


def run(statements: list[ast.stmt], space: dict[str, Any]) -> None:
    exec(compile(ast.Module(statements, []), "lesson", "exec"), space)


def checks_in(statement: ast.stmt) -> list[ast.Call]:
    """The calls of `checks.NAME(...)` in a statement."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return [call for call in calls if re.match(r"checks\.\w+$", ast.unparse(call.func))]


def folds(prose: str) -> dict[str, str]:
    """The text of each `<details>` by the first word of its summary."""
    found = re.findall(r"<details><summary>(\w+).*?</summary>\n(.*?)\n</details>", prose, re.S)
    return {summary: text.strip() for summary, text in found}


def tasks(lesson: Lesson) -> list[Task]:
    """A lesson's exercises: each code cell that calls a check, with the prose that follows it."""
    found, before, python = [], [], iter(lesson.python)
    for i, cell in enumerate(lesson.notebook.cells):
        if cell.cell_type != "code":
            continue
        code = next(python)
        statements = ast.parse(code).body
        follows = itertools.takewhile(lambda c: c.cell_type == "markdown", lesson.notebook.cells[i + 1 :])
        prose = "\n".join(c.source for c in follows)
        stub = [statement for statement in statements if not checks_in(statement)]
        calls = [call for statement in statements for call in checks_in(statement)]
        found += [Task(lesson, call, list(before), code, stub, folds(prose)) for call in calls]
        before += stub
    return found


TASKS = [task for lesson in LESSONS for task in tasks(lesson)]
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.lesson.name}-{task.name}")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_lesson_has_two_exercises(lesson):
    assert len(tasks(lesson)) >= 2


@each_task
def test_exercise_has_a_hint_and_a_solution(task):
    assert task.folds.keys() >= {"Hint", "Solution"} and task.solution


@each_task
def test_unsolved_exercise_is_blank(task):
    assert task.verdict() == BLANK


@each_task
def test_lessons_solution_passes(task):
    assert task.verdict(task.solution).passed


def test_each_check_has_its_exercise_and_its_answers():
    assert CHECKS.keys() == {task.name for task in TASKS} == CATALOGUE.keys()


# --- The catalogue ------------------------------------------------------------------------------------------


def outcome(answer: Callable, arguments: tuple) -> tuple[np.ndarray | str, bool]:
    """What an answer computes, or why it doesn't, and whether it leaves its arguments alone."""
    handed = copy.deepcopy(arguments)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.redirect_stdout(None):
            warnings.simplefilter("ignore")
            result = np.asarray(answer(*handed))
            result = result.astype(float) if result.dtype.kind in "biuf" else "no numbers"
    except Exception as error:
        result = type(error).__name__
    return result, all(np.array_equal(now, before) for now, before in zip(handed, arguments))


def agree(a: np.ndarray | str, b: np.ndarray | str, rtol: float = 1e-3) -> bool:
    """Whether two outcomes are the same, but for rounding."""
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    return a.shape == b.shape and np.allclose(a, b, rtol=rtol, atol=rtol / 10, equal_nan=True)


@cache
def draws(name: str) -> list[tuple]:
    rng = np.random.default_rng(list(name.encode()))
    return [WRITTEN[name].arguments(rng) for _ in range(25)]


@cache
def truths(name: str) -> list[np.ndarray | str]:
    """What is right for each of the draws."""
    return [outcome(WRITTEN[name].truth, drawn)[0] for drawn in draws(name)]


WRONG_KINDS = [pytest.param(name, kind, id=f"{name}-{kind.kind}") for name in WRITTEN for kind in WRITTEN[name].wrong]
WRONG_VALUES = [
    pytest.param(name, hint, value, id=f"{name}-{i}")
    for name in CHOSEN
    for i, (value, hint) in enumerate(CHOSEN[name].wrong)
]
RIGHT = [
    pytest.param(name, answer, id=f"{name}-{i}") for name in CATALOGUE for i, answer in enumerate(CATALOGUE[name].right)
]


@pytest.mark.parametrize("name, kind", WRONG_KINDS)
def test_wrong_function_gets_its_hint_in_every_style(name, kind):
    for style in kind.styles:
        assert_hint(name, kind.hint, style)


@pytest.mark.parametrize("name, hint, value", WRONG_VALUES)
def test_wrong_value_gets_its_hint(name, hint, value):
    assert_hint(name, hint, value)


def assert_hint(name: str, hint: str, answer: Any) -> None:
    verdict = verdict_of(name, answer)
    assert not verdict.passed and verdict.written
    assert hint in verdict.hint and NET not in verdict.hint


@pytest.mark.long
@pytest.mark.parametrize("name, kind", WRONG_KINDS)
def test_wrong_kind_is_wrong_on_other_inputs_in_both_styles(name, kind):
    """Also: what is there only because it changes its input computes the right thing."""
    styles = [[outcome(style, drawn) for drawn in draws(name)] for style in kind.styles]
    for results in styles:
        computes_wrong = any(not agree(result, right, 1e-2) for (result, _), right in zip(results, truths(name)))
        changes_input = not all(untouched for _, untouched in results)
        assert changes_input and not computes_wrong if kind.hint == CHANGES else computes_wrong
    assert len(styles) >= 2
    for results in zip(*styles):
        computed = [result for result, _ in results if not isinstance(result, str)]
        assert all(agree(a, b) for a, b in itertools.pairwise(computed))


@pytest.mark.parametrize("name, answer", RIGHT)
def test_right_answer_passes(name, answer):
    assert verdict_of(name, answer).passed


@pytest.mark.parametrize("name", WRITTEN)
def test_right_answer_may_print_and_warn(name):
    def noisy(*args):
        print("so far so good", file=sys.stderr)
        print(args)
        warnings.warn("beware", stacklevel=1)
        np.log(np.zeros(1))
        return WRITTEN[name].right[0](*args)

    assert verdict_of(name, noisy).passed


@pytest.mark.parametrize("name, answer", [case for case in RIGHT if case.values[0] in WRITTEN])
def test_right_function_is_right_on_other_inputs(name, answer):
    for drawn, right in zip(draws(name), truths(name)):
        result, untouched = outcome(answer, drawn)
        assert untouched and agree(result, right)


@pytest.mark.parametrize("name", CHOSEN)
def test_values_are_as_right_as_said(name):
    assert all(CHOSEN[name].truth(value) for value in CHOSEN[name].right)
    assert not any(is_true(CHOSEN[name].truth, value) for value, _ in CHOSEN[name].wrong)


def is_true(truth: Callable[[Any], bool], value: Any) -> bool:
    try:
        return bool(truth(value))
    except Exception:  # a value that isn't even of the wanted kind
        return False


def test_catalogue_is_large_and_knows_more_than_the_checks():
    kinds = [kind for answers in WRITTEN.values() for kind in answers.wrong]
    assert len(kinds) + len(WRONG_VALUES) >= 60 and len(RIGHT) >= 25
    assert sum(kind.hint == ACCOUNT for kind in kinds) >= 20


def test_names_of_kinds_are_unique():
    for answers in WRITTEN.values():
        assert not [kind for kind, times in Counter(kind.kind for kind in answers.wrong).items() if times > 1]


# --- Whatever it is given -----------------------------------------------------------------------------------


class Base(BaseException):
    pass


class Hostile:
    """An object that breaks, or blares, however it is looked at."""

    def _shout(self, *args, **kwargs):
        print("look at me")
        print("and me", file=sys.stderr)
        warnings.warn("beware", stacklevel=1)
        raise Base("no")

    __array__ = __repr__ = __str__ = __eq__ = __iter__ = __len__ = __getitem__ = __float__ = __bool__ = _shout
    __hash__ = None

    @property
    def __class__(self):
        raise RuntimeError("no class")


class Blaring:
    """An object that is read as an array, with noise."""

    def __array__(self, dtype=None, copy=None):
        print("reading")
        warnings.warn("beware", stacklevel=1)
        return np.log(np.zeros((2, 2)))


class Mute(Exception):
    def __str__(self):
        raise RecursionError


class NewestArray(np.ndarray):
    pass


def endless(*args):
    return endless(*args)


def loops_into_itself() -> list:
    knot = [1.0]
    knot.append(knot)
    return knot


def raising(error: BaseException) -> Callable:
    def stops(*args):
        raise error

    return stops


def shouts(*args):
    print("one\ntwo")
    print("three", file=sys.stderr)
    warnings.warn("beware", stacklevel=1)
    return np.log(np.zeros(3)) * 0


def yields(*args):
    yield 1.0


async def waits(*args):
    return 1.0


def scribbles(*args):
    for argument in args:
        if isinstance(argument, list):
            argument.append(np.zeros(2))
        elif isinstance(argument, np.ndarray):
            argument.flat = np.nan if argument.dtype.kind == "f" else 0
    return np.zeros((2, 2))


VALUES = {
    "None": None,
    "True": True,
    "zero": 0,
    "nan": float("nan"),
    "inf": float("-inf"),
    "huge": 10**400,
    "large": 1e308,
    "complex": 1j,
    "text": "softmax",
    "lines": "two\nlines\u2028three\x1b[31m",
    "bytes": b"\x00",
    "empty": [],
    "ragged": [[1.0, 2.0], [3.0]],
    "knot": loops_into_itself(),
    "texts": ["a", "b"],
    "dots": "...",
    "set": {1, 2},
    "dict": {"Q": 1, 2: "K"},
    "named": {"Q": np.zeros((17, 4)), "K": loops_into_itself(), "V": Hostile()},
    "range": range(3),
    "class": int,
    "module": np,
    "type": type,
    "slice": slice(None),
    "missing": NotImplemented,
    "nothing": np.array([]),
    "objects": np.array([None, "a"], dtype=object),
    "strings": np.array(["a", "b"]),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "complexes": np.ones((2, 2)) * 1j,
    "record": np.zeros(2, dtype=[("a", float), ("b", int)]),
    "masked": np.ma.masked_all((2, 2)),
    "subclass": np.zeros((2, 2)).view(NewestArray),
    "deep": np.zeros((1,) * 32),
    "long": np.zeros(100_000),
    "nans": np.full((2, 2), np.nan),
    "infs": np.full((3, 4), np.inf),
    "hostile": Hostile(),
    "hostiles": [Hostile(), Hostile()],
    "hostile array": np.array([Hostile], dtype=object),
    "blaring": Blaring(),
    "function": len,
}
ERRORS = [
    *(ValueError("two\nlines\x1b[31m"), Mute(), SystemExit(), Base(), GeneratorExit(), MemoryError()),
    *(StopIteration(), AssertionError(), Warning("beware"), KeyError(Hostile())),
]
CALLABLES = {
    **{f"raises {type(error).__name__}": raising(error) for error in ERRORS},
    "endless": endless,
    "generator": yields,
    "coroutine": waits,
    "shouts": shouts,
    "scribbles": scribbles,
    "exits": lambda *args: sys.exit(1),
    "no arguments": lambda: 1,
    "too many": lambda a, b, c, d, e, f, g: 1,
    "by name only": lambda *, X: 1,
    "class": list,
    "array class": np.ndarray,
    "hostile class": Hostile,
    "itself": lambda *args: args,
    "function": lambda *args: endless,
    "partial dots": lambda *args: [1.0, "x", None],
    "view": lambda *args: np.asarray(args[0])[..., :0],
    "frozen": lambda *args: np.broadcast_to(0.0, (3, 3)),
}
BLANKS = {
    "dots": ...,
    "list": [..., 1],
    "nested": [[1, 2], (3, ...)],
    "array": np.array([[..., 1], [2, 3]], dtype=object),
    "array of dots": np.array(...),
    "dict": {"Q": ..., "K": (17, 4)},
    "nested dict": {"Q": (17, ...), "K": (17, 4), "V": (17, 3)},
    "set": {...},
}


@pytest.mark.parametrize("kind", VALUES)
def test_any_value_gets_a_verdict(kind):
    assert not [name for name in CHECKS if verdict_of(name, VALUES[kind]).passed]


@pytest.mark.parametrize("kind", VALUES)
def test_any_result_gets_a_verdict(kind):
    assert not [name for name in WRITTEN if verdict_of(name, lambda *args: VALUES[kind]).passed]


@pytest.mark.parametrize("kind", CALLABLES)
def test_any_function_gets_a_verdict(kind):
    assert not [name for name in CHECKS if verdict_of(name, CALLABLES[kind]).passed]


@pytest.mark.parametrize("kind", BLANKS)
def test_dots_anywhere_are_blank(kind):
    assert {verdict_of(name, BLANKS[kind]) for name in CHOSEN} == {BLANK}
    assert {verdict_of(name, lambda *args: BLANKS[kind]) for name in WRITTEN} == {BLANK}


def test_dots_for_a_function_are_blank():
    assert {verdict_of(name, ...) for name in WRITTEN} == {BLANK}


def test_interrupting_is_still_possible():
    with pytest.raises(KeyboardInterrupt):
        CHECKS["project"](raising(KeyboardInterrupt()))


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=5),
    st.sampled_from([..., np.float32(2), np.int8(3), "Q", "K", "V", 17]),
)
small = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)
any_array = st.one_of(*(arrays.arrays(kind, small) for kind in (np.float64, np.int64, np.bool_, np.float32)))
anything = st.recursive(
    st.one_of(scalars, any_array),
    lambda parts: st.one_of(
        st.lists(parts, max_size=5),
        st.tuples(parts, parts),
        st.dictionaries(st.sampled_from(["Q", "K", "V", "x"]), parts, max_size=4),
        st.lists(parts, min_size=3, max_size=3).map(lambda values: dict(zip("QKV", values))),
    ),
    max_leaves=12,
)
SHAPES = [(), (2, 2), (3,), (4,), (5,)]  # of the numbers that are chosen
fitting = st.one_of(*(arrays.arrays(np.float64, shape) for shape in SHAPES))
modest = st.one_of(*(arrays.arrays(np.float64, shape, elements=st.floats(-100, 100)) for shape in SHAPES))
tried = settings(max_examples=tries(60), deadline=None, derandomize=True, database=None)


@pytest.mark.long
@pytest.mark.parametrize("name", CHOSEN)
def test_drawn_value_gets_a_verdict(name):
    @tried
    @given(st.one_of(anything, fitting))
    def check(value):
        verdict_of(name, value)

    check()


@pytest.mark.long
@pytest.mark.parametrize("name", CHOSEN)
def test_drawn_numbers_pass_if_they_are_right(name):
    @tried
    @given(modest)
    def check(value):
        assert verdict_of(name, value).passed == is_true(CHOSEN[name].truth, value)

    check()


@pytest.mark.long
@pytest.mark.parametrize("name", WRITTEN)
def test_drawn_result_gets_a_verdict(name):
    @tried
    @given(anything)
    def check(value):
        assert not verdict_of(name, lambda *args: value).passed

    check()


# --- The exercises' inputs and hints ------------------------------------------------------------------------


def exercise_of(name: str) -> Exercise:
    """What a check judges a function by."""
    with mock.patch.object(sys.modules[CHECKS[name].__module__], "judge", lambda answer, exercise: exercise):
        return CHECKS[name](None)


EXERCISES = {name: exercise_of(name) for name in WRITTEN}
each_exercise = pytest.mark.parametrize("name", EXERCISES)


def sizes(name: str, arguments: tuple) -> dict[str, int]:
    """The size of each named axis; a whole number is itself the size of one."""
    found = {}
    for axes, argument in zip(WRITTEN[name].axes, arguments, strict=True):
        shape = (argument,) if isinstance(argument, int) else np.shape(argument)
        for axis, size in zip(axes.split(), shape, strict=bool(axes)):
            assert found.setdefault(axis, size) == size
    return found


@each_exercise
def test_first_input_is_square_and_asymmetric(name):
    """There wrong formulas compute too, and their numbers tell what was done."""
    first = EXERCISES[name].inputs[0]
    assert len(set(sizes(name, first).values())) <= 1
    matrices = [np.asarray(argument) for argument in first if np.ndim(argument) == 2]
    assert not any(np.array_equal(matrix, matrix.T) for matrix in matrices)


@each_exercise
def test_later_inputs_have_sizes_that_all_differ(name):
    later = [list(sizes(name, arguments).values()) for arguments in EXERCISES[name].inputs[1:]]
    assert sum(len(set(found)) == len(found) for found in later) >= 2


@pytest.mark.parametrize("module", sorted({check.__module__ for check in CHECKS.values()}))
def test_inputs_are_drawn_with_a_seed(module):
    source = Path(sys.modules[module].__file__).read_text(encoding="utf-8")
    drawn_from = re.findall(r"random\.(\w+\(\d*\)?)", source)
    assert all(re.fullmatch(r"default_rng\(\d+\)", generator) for generator in drawn_from)


def results_of(name: str, mistake: Mistake) -> list[np.ndarray | str]:
    return [outcome(mistake.answer, arguments)[0] for arguments in EXERCISES[name].inputs]


def differ_visibly(a: list, b: list) -> bool:
    """Whether two answers give different numbers for some input on which both compute."""
    pairs = [(x, y) for x, y in zip(a, b) if not isinstance(x, str) and not isinstance(y, str)]
    return any(x.shape != y.shape or relative_distance(x, y) > 0.01 for x, y in pairs)


def relative_distance(x: np.ndarray, y: np.ndarray) -> float:
    with np.errstate(invalid="ignore", divide="ignore"):
        distance = np.linalg.norm(x - y)
        return distance / np.linalg.norm(y) if np.isfinite(distance) else np.inf


@each_exercise
def test_known_mistakes_differ_visibly_from_the_right_answer(name):
    right = [np.asarray(EXERCISES[name].right(*arguments)) for arguments in EXERCISES[name].inputs]
    same = [m.hint for m in EXERCISES[name].mistakes if not differ_visibly(results_of(name, m), right)]
    assert not same


@each_exercise
def test_known_mistakes_differ_visibly_from_one_another(name):
    """So that a hint is evidence."""
    pairs = itertools.combinations(EXERCISES[name].mistakes, 2)
    same = [(a.hint, b.hint) for a, b in pairs if not differ_visibly(results_of(name, a), results_of(name, b))]
    assert not same


@each_exercise
def test_each_known_mistake_gets_its_own_hint(name):
    exercise = EXERCISES[name]
    given = {mistake.hint: judge(mistake.answer, exercise).hint for mistake in exercise.mistakes}
    assert given == {hint: hint for hint in given}


def bare(text: str) -> str:
    return re.sub(r"[\s`]", "", text)


def expressions(solution: str) -> set[str]:
    """What a solution computes or chooses, line by line, without spaces; not a mere name or number in a function."""
    tree = ast.parse(solution)
    lines = [node for node in ast.walk(tree) if isinstance(node, ast.Return | ast.Assign)]
    trivial = ast.Name | ast.Constant
    return {bare(ast.unparse(line.value)) for line in lines if line in tree.body or not isinstance(line.value, trivial)}


@each_task
def test_hints_do_not_give_the_answer_away(task):
    hints = [task.folds["Hint"]]
    if task.name in WRITTEN:
        hints += [mistake.hint for mistake in EXERCISES[task.name].mistakes]
    else:
        hints += [verdict_of(task.name, value).hint for value, _ in CHOSEN[task.name].wrong]
    given_away = expressions(task.solution)
    assert given_away and not [hint for hint in hints for answer in given_away if answer in bare(hint)]
