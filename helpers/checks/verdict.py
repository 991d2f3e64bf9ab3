"""How an answer is judged: by what it computes, on several inputs, against what known mistakes would compute."""

import contextlib
import copy
import functools
import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check says of an answer.

    Attributes
    ----------
    passed : bool
    hint : str
        One or two sentences: what went wrong and where to look, or what a right answer makes possible.
    written : bool
        False while the exercise still has its blanks.
    """

    passed: bool
    hint: str
    written: bool = True

    def __repr__(self) -> str:
        mark = "✓" if self.passed else "✗" if self.written else "○"
        return f"{mark} {' '.join(self.hint.split())}"


BLANK = Verdict(
    False, "Not written yet: put your own lines where the dots are, then run this cell again.", written=False
)


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that learners really give.

    Attributes
    ----------
    answer : callable
        Computes, from the exercise's arguments, what this mistake gives.
    hint : str
    """

    answer: Callable[..., Any]
    hint: str


@dataclass(frozen=True)
class Exercise:
    """All that is needed to judge a function.

    Attributes
    ----------
    names : tuple of str
        The arguments, in order.
    right : callable
        The right answer.
    inputs : sequence of tuple
        The arguments of each trial: first a small square one, where wrong formulas compute too and their numbers tell
        what was done; then ones in which all sizes differ.
    mistakes : sequence of Mistake
        The more special ones first.
    praise : str
        What a right answer makes possible.
    property : callable, optional
        Takes the answer's array; returns a sentence about what can't be right in it, or "".
    """

    names: tuple[str, ...]
    right: Callable[..., np.ndarray]
    inputs: Sequence[tuple]
    mistakes: Sequence[Mistake]
    praise: str
    property: Callable[[np.ndarray], str] = lambda array: ""


def never_raises(check: Callable[..., Verdict]) -> Callable[..., Verdict]:
    """Decorate a check: whatever an answer does when it's read, compared or shown, out comes a verdict, in silence."""

    @functools.wraps(check)
    def safe(*args: Any, **kwargs: Any) -> Verdict:
        try:
            with _silence():
                return check(*args, **kwargs)
        except KeyboardInterrupt:  # the reader's own way out of a loop without end
            raise
        except BaseException as error:
            return Verdict(False, f"This answer can't be judged: reading it stops with {type(error).__name__}.")

    return safe


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """No output, no warning."""
    out, err = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with out, err, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@never_raises
def judge(answer: Any, exercise: Exercise) -> Verdict:
    """Judge a reader's function; never raises.

    Parameters
    ----------
    answer : callable
        What the reader wrote.
    exercise : Exercise

    Returns
    -------
    Verdict
    """
    if answer is ...:
        return BLANK
    if not callable(answer):
        return Verdict(False, f"This check wants the function itself, by its name alone; it got {briefly(answer)}.")
    for arguments in exercise.inputs:
        given = copy.deepcopy(arguments)
        result, trouble = call(answer, given)
        if contains_blank(result):
            return BLANK
        wanted = exercise.right(*arguments)
        if trouble or not _same(result, wanted):
            return Verdict(
                False, trouble and f"{trouble} {_on(exercise, arguments)}" or _diagnose(result, exercise, arguments)
            )
        if not all(_same(now, before) for now, before in zip(given, arguments)):
            return Verdict(
                False, "The result is right, but your function changes its input: work on a copy or a new array."
            )
    return Verdict(True, exercise.praise)


def call(answer: Callable, arguments: Sequence) -> tuple[Any, str]:
    """Call a reader's function, whatever it does.

    Returns
    -------
    result : object
        None if it raised.
    trouble : str
        What it raised, in a sentence, or "".
    """
    try:
        with _silence():
            return answer(*arguments), ""
    except RecursionError:
        return None, "Your function calls itself without end."
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, f"Your function stopped with {type(error).__name__}: {briefly(error)}"


def contains_blank(result: Any) -> bool:
    """Whether the dots of the exercise are still in the result."""
    if isinstance(result, Mapping):
        return contains_blank(list(result.values()))
    if isinstance(result, np.ndarray) and result.dtype == object:
        return contains_blank(result.ravel().tolist())
    if isinstance(result, (list, tuple, set)):
        return any(contains_blank(part) for part in result)
    return result is ...


def as_numbers(result: Any) -> np.ndarray | None:
    """The result as an array of real numbers, or None if it isn't one."""
    try:
        array = np.asarray(result)
        return array.astype(float) if array.dtype.kind in "biuf" else None
    except Exception:  # whatever a reader's object does when it is read as an array
        return None


def rows_add_up(array: np.ndarray) -> str:
    """What keeps rows from being shares, in a sentence: the `property` of exercises whose answer is weights."""
    if (array < 0).any():
        return f"One of your weights is {array.min():.4g}. Can a share be negative?"
    for i, total in enumerate(array.sum(axis=-1)):
        if not np.isclose(total, 1, atol=1e-5):
            return f"Row {i} adds up to {total:.4g}, and a query has one whole attention to give."
    return "Each row adds up to 1, but the weights aren't the right ones."


def _same(result: Any, wanted: Any) -> bool:
    """Equal to within what float32 and another order of summing may change."""
    if isinstance(wanted, list) and not isinstance(result, np.ndarray):
        return isinstance(result, (list, tuple)) and list(result) == wanted
    array, wanted = as_numbers(result), np.asarray(wanted)
    return array is not None and array.shape == wanted.shape and np.allclose(array, wanted, rtol=1e-4, atol=1e-5)


def _diagnose(result: Any, exercise: Exercise, arguments: tuple) -> str:
    """The hint of the known mistake that gives this very result, else an account of what can be seen."""
    if result is None:
        return "Your function returns None: does its last line say return?"
    array, wanted = as_numbers(result), np.asarray(exercise.right(*arguments))
    if array is None:
        return f"Your function returns {briefly(result)}, where an array of numbers was wanted."
    for mistake in exercise.mistakes:
        computed, trouble = call(mistake.answer, copy.deepcopy(arguments))
        expected = None if trouble else as_numbers(computed)
        if (
            expected is not None
            and expected.shape == array.shape
            and np.allclose(array, expected, rtol=1e-4, atol=1e-5, equal_nan=True)
        ):
            return mistake.hint
    if array.shape != wanted.shape:
        return f"The result has shape {array.shape}, where {wanted.shape} was wanted. {_on(exercise, arguments)}"
    if not np.isfinite(array).all():
        return f"The result contains nan or inf. {_on(exercise, arguments)}"
    wrong = tuple(int(i) for i in np.argwhere(~np.isclose(array, wanted, rtol=1e-4, atol=1e-5))[0])
    seen = (
        exercise.property(array) or f"The shape is right; entry {list(wrong)} is {array[wrong]:.4g}, which isn't right."
    )
    return f"{seen} {_on(exercise, arguments)}"


def _on(exercise: Exercise, arguments: Sequence) -> str:
    """The input that was tried, in words."""
    return "(Tried with " + ", ".join(f"{n} = {briefly(a)}" for n, a in zip(exercise.names, arguments)) + ".)"


def briefly(thing: Any) -> str:
    """A thing in at most 80 characters of one line."""
    if isinstance(thing, np.ndarray):
        if thing.size > 9:
            return f"an array of shape {thing.shape}"
        thing = (thing.round(3) if thing.dtype.kind == "f" else thing).tolist()
    try:
        text = " ".join((str(thing) if isinstance(thing, BaseException) else repr(thing)).split())
    except Exception:  # a reader's object may have a broken __repr__
        text = f"an object of type {type(thing).__name__}"
    text = re.sub(" at 0x[0-9a-fA-F]+", "", text)  # where a thing lies in memory tells a reader nothing
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= 80 else text[:79] + "…"
