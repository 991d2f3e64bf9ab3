"""A catalogue of what learners write: right answers in many styles, wrong ones with the hint that each should get.

One module a lesson, each with `ANSWERS`: by the name of a check, what learners give it.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ACCOUNT = "(Tried with "  # the hint for a mistake that the check doesn't know: what it tried, and what it saw
CHANGES = "changes its input"
NONE = "returns None"


@dataclass(frozen=True)
class Wrong:
    """One kind of wrong function.

    Attributes
    ----------
    kind : str
    hint : str
        A part of the hint it should get.
    styles : tuple of callable
        The same mistake, vectorised and in loops.
    """

    kind: str
    hint: str
    styles: tuple[Callable, ...]


def wrong(kind: str, hint: str, *styles: Callable) -> Wrong:
    """An entry of the catalogue, in at least two styles."""
    return Wrong(kind, hint, styles)


@dataclass(frozen=True)
class Written:
    """The answers to an exercise in which a function is written.

    Attributes
    ----------
    axes : tuple of str
        For each argument the names of its axes; a whole number counts as the size of one.
    truth : callable
        The right result, computed in plain Python.
    right : sequence of callable
    wrong : sequence of Wrong
    draw : callable, optional
        Makes arguments from a generator and the size of each axis; else they are standard normal.
    """

    axes: tuple[str, ...]
    truth: Callable
    right: Sequence[Callable]
    wrong: Sequence[Wrong]
    draw: Callable[..., tuple] | None = None

    def arguments(self, rng: np.random.Generator) -> tuple:
        """Arguments that the check has never seen, with axes that all differ in size."""
        names = sorted({name for axes in self.axes for name in axes.split()})
        sizes = dict(zip(names, rng.permutation(np.arange(2, 3 + len(names))).tolist()))
        if self.draw:
            return self.draw(rng, **sizes)
        return tuple(rng.normal(size=[sizes[name] for name in axes.split()]) for axes in self.axes)


@dataclass(frozen=True)
class Chosen:
    """The answers to an exercise in which numbers are chosen or predicted.

    Attributes
    ----------
    truth : callable
        Whether a value is right, computed in another way than the check does.
    right : sequence
    wrong : sequence of tuple
        Each a value and a part of the hint it should get.
    """

    truth: Callable[[Any], bool]
    right: Sequence[Any]
    wrong: Sequence[tuple[Any, str]]


def softmax_rows(rows: Any) -> np.ndarray:
    """Weights for drawn arguments: each row positive, its sum 1."""
    exps = np.exp(rows)
    return exps / exps.sum(axis=-1, keepdims=True)


def softmax_of(row: Any) -> list[float]:
    """One row's weights, in plain Python."""
    exps = [math.exp(score - max(row)) for score in row]
    return [e / math.fsum(exps) for e in exps]


def dot(a: Any, b: Any) -> float:
    """The dot product in plain Python."""
    return sum(x * y for x, y in zip(a, b))


def columns(matrix: Any) -> list[list]:
    """The transpose in plain Python."""
    return [list(column) for column in zip(*matrix)]


def catalogue() -> dict[str, Written | Chosen]:
    """All lessons' answers, by the name of the check."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("lesson_*.py"))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {check: answers for module in modules for check, answers in module.ANSWERS.items()}
