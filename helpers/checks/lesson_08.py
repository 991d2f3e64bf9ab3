"""The checks of lesson 08: a head's weights with biases, how much a head looks ahead, which head does it most."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers import attention as maths
from helpers.checks.verdict import BLANK, Exercise, Mistake, Verdict, as_numbers, contains_blank, judge, never_raises
from helpers.minilm import stored


def head_weights(answer: Callable[..., Any]) -> Verdict:
    """Check a function from X (n, d_model), W_q, b_q, W_k and b_k to the weights (n, n) of that head."""
    return judge(answer, _HEAD)


def looks_ahead(answer: Callable[[np.ndarray], Any]) -> Verdict:
    """Check a function from weights (n_tokens, n_tokens) to the mean weight on the token after the one that asks."""
    return judge(answer, _AHEAD)


@never_raises
def find_ahead(head: Any) -> Verdict:
    """Check a pair, layer and head: those whose tokens give the most weight to the token after them."""
    if contains_blank(head):
        return BLANK
    given = as_numbers(head)
    if given is None or given.shape != (2,) or not np.isin(given, np.arange(12)).all():
        return Verdict(False, "Two whole numbers are wanted, a layer and a head, both counted from 0.")
    layer, number = given.astype(int)
    if layer >= 6:
        return Verdict(False, "The layers are numbered 0 to 5, and the layer comes first.")
    weights = stored("real_head")["pen_atlas"][layer, number]  # (n_tokens, n_tokens)
    ahead, back = np.diag(weights, 1).mean(), np.diag(weights, -1).mean()
    if (layer, number) == (1, 8):
        return Verdict(True, f"Right: {ahead:.2f} on the next token, in the mean. No other head comes near.")
    if back > 0.3:
        return Verdict(False, f"This head gives {back:.2f} to the token before, {ahead:.2f} to the one after. "
                       "Is its staircase above or below the diagonal?")  # fmt: skip
    if ahead > 0.25:
        return Verdict(False, f"This head gives {ahead:.2f} to the next token: a good one, but there's a better.")
    return Verdict(False, f"This head gives {ahead:.2f} to the next token. Others give far more: look for a staircase.")


def _weights(Q: np.ndarray, K: np.ndarray, scale: float | None = None) -> np.ndarray:
    return maths.attention(Q, K, K, scale=scale)[1]


def _right(X, W_q, b_q, W_k, b_k) -> np.ndarray:
    return _weights(X @ W_q + b_q, X @ W_k + b_k)


_rng = np.random.default_rng(8)


def _head(n: int, d_model: int, d_k: int) -> tuple[np.ndarray, ...]:
    X, W_q, W_k = (_rng.normal(size=shape) for shape in [(n, d_model), (d_model, d_k), (d_model, d_k)])
    return X, W_q, 2 * _rng.normal(size=d_k), W_k, 2 * _rng.normal(size=d_k)


_HEAD = Exercise(
    names=("X", "W_q", "b_q", "W_k", "b_k"),
    right=_right,
    inputs=[
        (
            np.array([[1.0, 0.5], [0, -1]]),
            np.array([[1.0, 0.5], [0, 1]]),
            np.array([0.5, -1.0]),
            np.array([[0.5, 0], [1, 1]]),
            np.array([1.0, 2.0]),
        ),
        _head(4, 6, 3),
        _head(5, 2, 9),
    ],
    mistakes=[
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_q, X @ W_k), "The biases are missing, or the query's is, "
                "the one that changes the weights. Add each to its own projection."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_q + b_k, X @ W_k + b_q), "The biases have changed "
                "places: each belongs to its own projection."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_q + b_q, X @ W_k + b_k, 1), "Your scores aren't scaled. "
                "The model's are, and by which size?"),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_q + b_q, X @ W_k + b_k, X.shape[1] ** -0.5), "You scale "
                "with d_model. Which size is summed over in a score?"),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_q + b_q, X @ W_k + b_k, len(b_q) ** -1.0), "You divide "
                "by d_k itself. It's the standard deviation that has to go, not the variance."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_q + b_q, X @ W_k + b_k, len(X) ** -0.5), "You scale with "
                "the number of tokens. Which size is summed over in a score?"),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_q - b_q, X @ W_k - b_k), "You subtract the biases."),
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_k + b_k, X @ W_q + b_q), "Q and K have changed places: "
                "the keys are asking."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _right(X, W_k, b_k, W_q, b_q).T, "Your weights lie on their side, and "
                "softmax ran over the queries. Add up the weights of one query."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _right(X, W_q, b_q, W_k, b_k).T, "The weights are right, but on their "
                "side: a row a query, please."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: (X @ W_q + b_q) @ (X @ W_k + b_k).T / len(b_q) ** 0.5, "These are the "
                "scaled scores. They still have to become shares."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: (X @ W_q + b_q) @ (X @ W_k + b_k).T, "These are the raw scores: neither "
                "scaled, nor shares."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: maths.attention(X @ W_q + b_q, X @ W_k + b_k, X @ W_k + b_k)[0], "That's "
                "an output, `attention` returns two things. Which one is wanted?"),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_q + b_q, X @ W_q + b_q), "You made the keys with the "
                "query's matrix."),  # fmt: skip
        Mistake(lambda X, W_q, b_q, W_k, b_k: _weights(X @ W_k + b_k, X @ W_k + b_k), "You made the queries with the "
                "key's matrix."),  # fmt: skip
    ],
    praise="Right: these lines give the real model's weights, in any of its heads.",
)


def _random_weights(n: int) -> np.ndarray:
    return maths.softmax(2 * _rng.normal(size=(n, n)))


_AHEAD = Exercise(
    names=("weights",),
    right=lambda w: np.diag(w, 1).mean(),
    inputs=[
        (_random_weights(6),),
        (_random_weights(3),),
        (_random_weights(7),),
    ],
    mistakes=[
        Mistake(lambda w: np.diag(w, -1).mean(), "That's one token back: row 1, column 0. Rows are those who ask."),
        Mistake(lambda w: np.diag(w).mean(), "That's the diagonal, the weight of each token on itself."),
        Mistake(lambda w: np.diag(w, 1).sum(), "That's the sum. Divide it by how many tokens have one after them."),
        Mistake(lambda w: np.diag(w, 1).sum() / len(w), "You divide by all tokens, but the last has none after it."),
        Mistake(lambda w: np.diag(w, 2).mean(), "That's two tokens ahead."),
        Mistake(lambda w: np.diag(w, 1), "These are the right weights. Now their mean."),
        Mistake(lambda w: np.triu(w, 1).sum(axis=1).mean(), "You count all that comes later. Only the "
                "very next is wanted."),  # fmt: skip
        Mistake(lambda w: np.triu(w, 1).sum(axis=1)[:-1].mean(), "You count all that comes later. The very next alone "
                "is wanted."),  # fmt: skip
        Mistake(lambda w: w[:, 1].mean(), "That's column 1: what everybody gives to one token. Each has its own next."),
        Mistake(lambda w: (w.argmax(axis=1)[:-1] == np.arange(1, len(w))).mean(), "You count rows whose *largest* "
                "weight is the next token's. The mean of the weights is wanted."),  # fmt: skip
        Mistake(lambda w: np.diag(w, 1).max(), "That's the largest. The mean is wanted."),
        Mistake(lambda w: np.roll(w, -1, axis=1).diagonal().mean(), "The last token has none after it: you took the "
                "first for it."),  # fmt: skip
        Mistake(lambda w: w.mean(), "That's the mean of all weights, the same for every head."),
    ],
    praise="Right. One number says what a whole heatmap shows; now let it look through the atlas.",
    property=lambda array: f"The result is {array:.4g}, which isn't the mean weight on the next token.",
)
