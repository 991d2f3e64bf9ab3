"""The checks of lesson 06: scaled weights, the spread of a score, what to divide by."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers import attention as maths
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


def scaled_weights(answer: Callable[[np.ndarray, np.ndarray], Any]) -> Verdict:
    """Check a function from Q (n_queries, d_k) and K (n_keys, d_k) to scaled weights (n_queries, n_keys)."""
    return judge(answer, _SCALED)


@never_raises
def spread(std: Any) -> Verdict:
    """Check the std of a score whose q and k have 25 independent coordinates of std 2."""
    return _one_number(
        std,
        20.0,
        "Right: 2 · 2 for each product, times the root of 25.",
        {
            5: "That's the root of d_k. It would be right for coordinates of std 1; here each product has more spread.",
            10: "You counted the std of one of the two vectors. Both have one.",
            100: "You multiplied by d_k itself. Do 25 random steps take you 25 steps away?",
            400: "That's the variance. The std is its root.",
            25: "That's d_k, the variance for coordinates of std 1.",
            4: "That's the std of one product. A score adds up 25 of them.",
            50: "Twice 25: stds don't add up like that, variances do.",
        },
    )


@never_raises
def divide_by(divisor: Any) -> Verdict:
    """Check the divisor that brings the scores' std back to 1 where d_model = 16, W's std = .5 and d_k = 4."""
    return _one_number(
        divisor,
        8.0,
        "Right: with W's that start too large, the root of d_k alone is not enough.",
        {
            2: "That's the root of d_k. It's enough if q and k have std 1. What std have they here?",
            64: "That's the variance of the scores. You want to divide by the std.",
            4: "That's the spread of one product, or d_k. Both enter: the stds of q and k, and the root of d_k.",
            16: "d_k for its root, or d_model: one of your factors is too large.",
            1: "Then nothing would be divided. Work out the std of one coordinate of q first.",
            0.5: "That's the std of the W's. How many products of ±1 with them make one coordinate of q?",
        },
    )


def _one_number(answer: Any, right: float, praise: str, hints: dict[float, str]) -> Verdict:
    if contains_blank(answer):
        return BLANK
    given = as_numbers(answer)
    if given is None or given.shape != () or not np.isfinite(given):
        return Verdict(False, "One number is wanted.")
    if np.isclose(given, right, rtol=0.005):
        return Verdict(True, praise)
    for wrong, hint in hints.items():
        if np.isclose(given, wrong, rtol=0.005):
            return Verdict(False, hint)
    return Verdict(
        False,
        f"{float(given):g} is too {'small' if given < right else 'large'}. Multiply it out step by step: the std of a "
        "coordinate, of a product of two, of the sum of d_k of them.",
    )


def _weights(Q: np.ndarray, K: np.ndarray, scale: float) -> np.ndarray:
    return maths.softmax(scale * (Q @ K.T))


def _standardised(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    scores = Q @ K.T
    return maths.softmax(scores / scores.std())


def _no_maximum(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    exps = np.exp(Q @ K.T / Q.shape[1] ** 0.5)
    return exps / exps.sum(axis=1, keepdims=True)


_rng = np.random.default_rng(6)
_SCALED = Exercise(
    names=("Q", "K"),
    right=lambda Q, K: _weights(Q, K, Q.shape[1] ** -0.5),
    inputs=[
        (np.array([[1.0, 2], [3, -1]]), np.array([[1.0, 0], [0.5, 1.5]])),
        (_rng.normal(size=(2, 4)), _rng.normal(size=(3, 4))),
        (_rng.normal(size=(5, 9)), _rng.normal(size=(4, 9))),
        (np.array([[1800.0, 0, 800]]), np.array([[2.0, 1, 0.5], [2, 7, 0.501], [-1, 3, 0], [0, 2, 0]])),
    ],
    mistakes=[
        Mistake(
            lambda Q, K: _weights(Q, K, 1),
            "These aren't scaled. What should the standard deviation of the scores be when they meet softmax?",
        ),
        Mistake(
            lambda Q, K: _weights(Q, K, 1 / Q.shape[1]),
            "You divide by d_k, which is the variance of the scores. What should their "
            "standard deviation be afterwards?",
        ),
        Mistake(
            lambda Q, K: _weights(Q, K, Q.shape[1] ** 0.5),
            "You multiply: the scores spread even wider. What should their standard deviation be afterwards?",
        ),
        Mistake(
            lambda Q, K: _weights(Q, K, Q.shape[1]),
            "You multiply, and by d_k at that. The scores are too wide already.",
        ),
        Mistake(
            lambda Q, K: _weights(Q, K, 1) / Q.shape[1] ** 0.5,
            "You scale after softmax. Do the weights still add up to 1?",
        ),
        Mistake(
            lambda Q, K: _weights(Q, K, len(K) ** -0.5),
            "You scale with the number of keys. Would you want a score to change when a token is added at the end?",
        ),
        Mistake(
            lambda Q, K: _weights(Q, K, len(Q) ** -0.5),
            "You scale with the number of queries. Which size is summed over in a score?",
        ),
        Mistake(
            lambda Q, K: _weights(K, Q, Q.shape[1] ** -0.5).T,
            "Your softmax runs over the queries. Add up the weights of one query.",
        ),
        Mistake(
            _standardised,
            "You divide by the spread that these few scores happen to have. Which spread do you expect from d_k alone?",
        ),
        Mistake(
            lambda Q, K: Q @ K.T / Q.shape[1] ** 0.5, "These are the scaled scores. They still have to become shares."
        ),
        Mistake(lambda Q, K: Q @ K.T, "These are the raw scores: neither scaled, nor shares."),
        Mistake(
            lambda Q, K: _weights(
                Q / np.linalg.norm(Q, axis=1, keepdims=True), K / np.linalg.norm(K, axis=1, keepdims=True), 1
            ),
            "You divided by the lengths: that's the cosine. Scaling is one number, the same for all pairs.",
        ),
        Mistake(
            lambda Q, K: _weights(Q @ K, np.eye(len(K)), Q.shape[1] ** -0.5),
            "Does the sum in your scores run over features or over tokens?",
        ),
        Mistake(
            lambda Q, K: (
                np.exp(Q @ K.T / Q.shape[1] ** 0.5) / np.exp(Q @ K.T / Q.shape[1] ** 0.5).sum(axis=1, keepdims=True)
            ),
            "For large scores your weights are nan. What has to be subtracted before exp?",
        ),
    ],
    praise="Right: whatever d_k, the scores meet softmax with a spread of about 1: wide models start like narrow ones.",
    property=rows_add_up,
)
