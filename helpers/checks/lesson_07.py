"""The checks of lesson 07: attention as a whole, shapes in cross-attention, counting multiplications."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from helpers import attention as maths
from helpers.checks.verdict import BLANK, Exercise, Mistake, Verdict, contains_blank, judge, never_raises


def attention(answer: Callable[[np.ndarray, np.ndarray, np.ndarray], Any]) -> Verdict:
    """Check a function from Q (n_queries, d_k), K (n_keys, d_k), V (n_keys, d_v) to the output (n_queries, d_v)."""
    return judge(answer, _ATTENTION)


def multiplications(answer: Callable[[int, int, int], Any]) -> Verdict:
    """Check a function from n, d_k and d_v to the multiplications in QKᵀ and in weights @ V, n²(d_k + d_v)."""
    return judge(answer, _MULTIPLICATIONS)


@never_raises
def cross_shapes(answer: Mapping[str, tuple[int, int]]) -> Verdict:
    """Check the predicted shapes of scores, weights and output for 2 queries and 5 keys, d_k = 4 and d_v = 3."""
    if contains_blank(answer):
        return BLANK
    if not isinstance(answer, Mapping) or set(answer) != {"scores", "weights", "output"}:
        return Verdict(False, "A dict with the keys scores, weights and output is wanted, a shape for each.")
    for name, wanted in {"scores": (2, 5), "weights": (2, 5), "output": (2, 3)}.items():
        given = tuple(answer[name]) if isinstance(answer[name], (tuple, list)) else answer[name]
        if given == wanted:
            continue
        if given == wanted[::-1]:
            return Verdict(False, f"{name}: rows are queries. You have them as columns.")
        if given in [(2, 2), (5, 5)]:
            return Verdict(
                False, f"{name}: square only if the same tokens ask and answer. Who asks here, and who is asked?"
            )
        if given == (2, 4):
            return Verdict(False, f"{name}: d_k is summed over; it's in no shape after the scores are made.")
        if given == (5, 3):
            return Verdict(
                False, f"{name}: that's the shape of V. Who takes something home, those who ask or those who answer?"
            )
        return Verdict(False, f"{name}: not that shape. A row for each who asks; and a column for what?")
    return Verdict(
        True, "Right: two askers, five answerers, three numbers each to take home. Nothing had to be square."
    )


def _with(Q: np.ndarray, K: np.ndarray, V: np.ndarray, scale: float) -> np.ndarray:
    return maths.attention(Q, K, V, scale=scale)[0]


def _scaled_after(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    return maths.softmax(Q @ K.T) / Q.shape[1] ** 0.5 @ V


def _wrong_axis(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    return maths.softmax(K @ Q.T / Q.shape[1] ** 0.5).T @ V


_rng = np.random.default_rng(7)
_ATTENTION = Exercise(
    names=("Q", "K", "V"),
    right=lambda Q, K, V: maths.attention(Q, K, V)[0],
    inputs=[
        (np.array([[1.0, 2], [0.5, -1]]), np.array([[1.0, 0], [0.5, 1]]), np.array([[10.0, 2], [0, 20]])),
        (_rng.normal(size=(2, 4)), _rng.normal(size=(5, 4)), _rng.normal(size=(5, 3))),
        (_rng.normal(size=(6, 3)), _rng.normal(size=(4, 3)), _rng.normal(size=(4, 5))),
        (np.array([[80.0, 60]]), np.array([[30.0, 10], [30, 10.05], [-40, 5]]), np.array([[1.0], [2], [4]])),
    ],
    mistakes=[
        Mistake(
            lambda Q, K, V: _with(Q, K, V, 1),
            "Your scores aren't scaled. What should their spread be when they meet softmax?",
        ),
        Mistake(
            lambda Q, K, V: _with(Q, K, V, 1 / Q.shape[1]),
            "You divide by d_k itself. It's the standard deviation that has to go, not the variance.",
        ),
        Mistake(
            lambda Q, K, V: _with(Q, K, V, Q.shape[1] ** 0.5),
            "You multiply by the root of d_k; the scores have to shrink.",
        ),
        Mistake(
            lambda Q, K, V: _with(Q, K, V, len(K) ** -0.5),
            "You scale with the number of keys. Which size made the scores grow?",
        ),
        Mistake(
            lambda Q, K, V: _with(Q, K, V, len(Q) ** -0.5),
            "You scale with the number of queries. Which size made the scores grow?",
        ),
        Mistake(
            lambda Q, K, V: _with(Q, K, V, V.shape[1] ** -0.5),
            "You scale with d_v. Which size is summed over in a score?",
        ),
        Mistake(_scaled_after, "You scaled after softmax. Do the weights still add up to 1?"),
        Mistake(_wrong_axis, "Your softmax runs over the queries. Add up the weights of one query."),
        Mistake(
            lambda Q, K, V: maths.attention(Q, K, V)[1],
            "These are the weights. One step is missing: what do the values say?",
        ),
        Mistake(lambda Q, K, V: Q @ K.T / Q.shape[1] ** 0.5 @ V, "You mixed with the scores. Where is softmax?"),
        Mistake(
            lambda Q, K, V: maths.attention(Q, V, K)[0],
            "K and V have changed places: you matched against values and handed over keys.",
        ),
        Mistake(lambda Q, K, V: maths.attention(Q, K, K)[0], "You handed over the keys. Where are the values?"),
        Mistake(lambda Q, K, V: maths.attention(K, Q, V)[0], "Q and K have changed places: the keys are asking."),
        Mistake(
            lambda Q, K, V: maths.softmax(Q @ K / Q.shape[1] ** 0.5) @ V,
            "Does the sum in your scores run over features or over tokens?",
        ),
        Mistake(
            lambda Q, K, V: (
                np.exp(Q @ K.T / Q.shape[1] ** 0.5) / np.exp(Q @ K.T / Q.shape[1] ** 0.5).sum(axis=1, keepdims=True) @ V
            ),
            "For large scores your result is nan. What has to be subtracted before exp?",
        ),
        Mistake(
            lambda Q, K, V: maths.attention(Q, K, V)[0].T,
            "The numbers are right, but on their side: a row a query, please.",
        ),
    ],
    praise="Right: that's the formula, all of it. It runs, in just this form, inside the model of lesson 08.",
)

_MULTIPLICATIONS = Exercise(
    names=("n", "d_k", "d_v"),
    right=lambda n, d_k, d_v: n * n * (d_k + d_v),
    inputs=[(6, 4, 3), (100, 64, 32), (5, 2, 11)],
    mistakes=[
        Mistake(lambda n, d_k, d_v: n * (d_k + d_v), "You count one partner for each token. Each meets all n of them."),
        Mistake(
            lambda n, d_k, d_v: n * n,
            "That's how many scores there are. How many products make one score, and how many one output?",
        ),
        Mistake(lambda n, d_k, d_v: n * n * d_k, "That's the scores alone. Mixing the values multiplies, too."),
        Mistake(lambda n, d_k, d_v: n * n * d_v, "That's the mixing alone. The scores multiply, too."),
        Mistake(
            lambda n, d_k, d_v: n * n * d_k * d_v, "The two products come one after the other: their counts add up."
        ),
        Mistake(
            lambda n, d_k, d_v: n * n * d_k + n * d_v, "The scores are right. But each output mixes n values, not one."
        ),
        Mistake(lambda n, d_k, d_v: 2 * n * n * (d_k + d_v), "Twice too many: you counted the additions as well."),
        Mistake(lambda n, d_k, d_v: n * (n - 1) * (d_k + d_v), "You left out each token's meeting with itself."),
    ],
    praise="Right: twice the text, four times the work. That's the price of everybody asking everybody.",
)
