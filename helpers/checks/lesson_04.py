"""The checks of lesson 04: softmax, a sharpness, scores for given weights."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers import story
from helpers.attention import softmax as _row_softmax
from helpers.checks.verdict import (
    BLANK,
    Exercise,
    Mistake,
    Verdict,
    as_numbers,
    contains_blank,
    judge,
    never_raises,
    rows_add_up,
)


def softmax(answer: Callable[[np.ndarray], Any]) -> Verdict:
    """Check a function from scores (n_queries, n_keys) to weights of the same shape, each row adding up to 1."""
    return judge(answer, _SOFTMAX)


@never_raises
def sharpness(beta: Any) -> Verdict:
    """Check a sharpness β with which the blue desk gets .90 of the lab's weights."""
    if contains_blank(beta):
        return BLANK
    given = as_numbers(beta)
    if given is None or given.shape != () or not np.isfinite(given):
        return Verdict(False, "One number is wanted, such as 1.5.")
    weight = _row_softmax(np.clip(given, -1e6, 1e6) * (story.lab_keys @ story.q_pen))[1]
    if abs(weight - 0.9) < 0.005:
        return Verdict(True, f"Right: the desk gets {weight:.2f}. The ranking is what it was; only the gaps grew.")
    if given < 0:
        return Verdict(False, "A negative sharpness turns the ranking upside down: now the worst match wins.")
    if weight < 0.9:
        return Verdict(
            False, f"The desk gets {weight:.2f}, less than .90. Should the gaps between the scores grow or shrink?"
        )
    return Verdict(False, f"The desk gets {weight:.2f}, more than .90: a little too sharp.")


@never_raises
def scores_for(scores: Any) -> Verdict:
    """Check three scores whose weights are .5, .25, .25."""
    if contains_blank(scores):
        return BLANK
    given = as_numbers(scores)
    if given is None or given.shape != (3,) or not np.isfinite(given).all():
        return Verdict(False, "Three numbers are wanted, one a key.")
    weights = _row_softmax(given)
    if np.allclose(weights, [0.5, 0.25, 0.25], atol=0.005):
        return Verdict(True, "Right: twice the weight is a gap of log 2 between the scores, wherever they lie.")
    if np.allclose(given, [0.5, 0.25, 0.25]) or np.allclose(given, [2, 1, 1]):
        return Verdict(
            False,
            f"Softmax of these is {weights.round(3)}: it doesn't divide the scores by their sum, it divides "
            "their exps. "
            "Which exps have the ratio 2 to 1?",
        )
    if not np.isclose(weights[1], weights[2]):
        return Verdict(
            False, f"Softmax of these is {weights.round(3)}: the last two differ. Equal weights need equal scores."
        )
    return Verdict(
        False,
        f"Softmax of these is {weights.round(3)}. The last two are equal, as they should be; now the gap to the first.",
    )


def _filled_in(scores: np.ndarray) -> np.ndarray:
    weights = np.zeros_like(scores)  # of integers, if the scores are
    weights[:] = _row_softmax(scores)
    return weights


def _no_keepdims(scores: np.ndarray) -> np.ndarray:
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1)


def _one_hot(scores: np.ndarray) -> np.ndarray:
    return np.eye(scores.shape[-1])[scores.argmax(axis=-1)]


_rng = np.random.default_rng(4)
_SOFTMAX = Exercise(
    names=("scores",),
    right=_row_softmax,
    inputs=[
        (np.array([[1.0, -2], [0.5, 3]]),),
        (_rng.normal(size=(3, 4)),),
        (np.array([[2.0, -1, 0], [0.5, 1, -2]]),),
        (np.array([[1, 2, 3], [0, 4, 1]]),),
        (np.array([[1000.0, 1001], [-1000, -1002]]),),
        (np.array([[0.0, 2000, 3], [5, 1, -2000]]),),
    ],
    mistakes=[
        Mistake(
            lambda s: _row_softmax(s.T).T, "Your columns add up to 1, not your rows. Add up the weights of one query."
        ),
        Mistake(
            lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(),
            "All entries together add up to 1. How much attention does each query own?",
        ),
        Mistake(
            _no_keepdims,
            "The sums met the wrong rows. Print the shape of your sum, and think of how it lines up with the scores.",
        ),
        Mistake(
            lambda s: np.exp(s) / np.exp(s).sum(axis=-1),
            "The sums met the wrong rows. Print the shape of your sum, and think of how it lines up with the scores.",
        ),
        Mistake(
            lambda s: (
                np.exp(s - s.mean(axis=-1, keepdims=True))
                / np.exp(s - s.mean(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)
            ),
            "You subtract the mean. With one score far above the rest exp still overflows: which number must no "
            "exponent exceed?",
        ),
        Mistake(
            lambda s: np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True),
            "With scores like 1000 your weights are nan: exp "
            "overflows. What may you add to every score without changing a weight?",
        ),
        Mistake(
            lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(axis=-1, keepdims=True),
            "You subtract the maximum of the whole "
            "matrix, so a row far below it becomes 0/0. Whose maximum should a row lose?",
        ),
        Mistake(
            _filled_in, "Whole numbers in, zeros out: the array you fill in keeps whole numbers only. Print its dtype."
        ),
        Mistake(
            lambda s: s / s.sum(axis=-1, keepdims=True), "You divide the scores by their sum. Can a share be negative?"
        ),
        Mistake(
            lambda s: np.abs(s) / np.abs(s).sum(axis=-1, keepdims=True),
            "You dropped the signs: a very bad match counts as much as a very good one.",
        ),
        Mistake(lambda s: np.exp(s), "That's the first half. Do these add up to 1?"),
        Mistake(lambda s: np.exp(s - s.max(axis=-1, keepdims=True)), "That's the first half. Do these add up to 1?"),
        Mistake(
            lambda s: s - s.max(axis=-1, keepdims=True), "You subtracted the maximum, and then? Nothing is a share yet."
        ),
        Mistake(_one_hot, "The winner takes all: that's argmax. Should the runner-up get nothing?"),
        Mistake(
            lambda s: 1 / (1 + np.exp(-s)),
            "That's the sigmoid: it looks at each score alone. Shares depend on all of a row.",
        ),
        Mistake(lambda s: np.log(_row_softmax(s)), "These are the logarithms of the weights."),
        Mistake(
            lambda s: 2.0**s / (2.0**s).sum(axis=-1, keepdims=True),
            "You raise 2 to the scores; softmax takes e, np.exp.",
        ),
        Mistake(lambda s: _row_softmax(-s), "The lowest score gets the largest weight. Check a sign."),
        Mistake(lambda s: _row_softmax(s).T, "The weights are right, but on their side: a row a query, please."),
        Mistake(
            lambda s: _row_softmax(s / s.shape[-1] ** 0.5),
            "You scaled the scores first. That's lesson 06; leave it out here.",
        ),
        Mistake(lambda s: s, "These are still the scores."),
    ],
    praise="Right, and it survives scores of 1000. Every weight in this course will go through it.",
    property=rows_add_up,
)
