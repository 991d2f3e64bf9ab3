"""What learners write in lesson 08: a head's weights, how much it looks ahead, the head that does it most."""

import math

import numpy as np

from helpers.minilm import stored
from tests.answers import ACCOUNT, CHANGES, NONE, Chosen, Written, columns, dot, softmax_of, softmax_rows, wrong

# --- a head's weights ---


def rows_of_softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def made(X, W, b):
    """In plain Python: each token projected, and the bias added."""
    return [[dot(x, column) + offset for column, offset in zip(columns(W), b)] for x in X]


def softly(Q, K, by=None):
    return [softmax_of([dot(q, k) / (by or math.sqrt(len(k))) for k in K]) for q in Q]


def scaled(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[1])


def head_in_loops(X, W_q, b_q, W_k, b_k):
    weights = np.zeros((len(X), len(X)))
    for i, asking in enumerate(X):
        for j, asked in enumerate(X):
            weights[i, j] = (asking @ W_q + b_q) @ (asked @ W_k + b_k) / math.sqrt(len(b_q))
        weights[i] = softmax_of(weights[i])
    return weights


def biases_as_another_feature(X, W_q, b_q, W_k, b_k):
    X = np.column_stack([X, np.ones(len(X))])
    return rows_of_softmax(scaled(X @ np.vstack([W_q, b_q]), X @ np.vstack([W_k, b_k])))


def biases_added_in_place(X, W_q, b_q, W_k, b_k):
    weights = rows_of_softmax(scaled(X @ W_q + b_q, X @ W_k + b_k))
    W_q += b_q
    return weights


def tokens_zeroed(X, W_q, b_q, W_k, b_k):
    weights = softly(made(X, W_q, b_q), made(X, W_k, b_k))
    for x in X:
        x[0] = 0
    return weights


HEAD = Written(
    axes=("n_tokens d_model", "d_model d_k", "d_k", "d_model d_k", "d_k"),
    truth=lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, b_q), made(X, W_k, b_k)),
    right=[
        lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_q + b_q, X @ W_k + b_k)),
        lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_q + b_q, X @ W_k)),  # b_k shifts a whole row
        lambda X, W_q, b_q, W_k, b_k: np.float32(rows_of_softmax(scaled(X @ W_q + b_q, X @ W_k + b_k))).tolist(),
        head_in_loops,
        biases_as_another_feature,
    ],
    wrong=[
        wrong(
            "no biases",
            "biases are missing",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_q, X @ W_k)),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, 0 * b_q), made(X, W_k, 0 * b_k)),
        ),
        wrong(
            "biases swapped",
            "biases have changed places",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_q + b_k, X @ W_k + b_q)),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, b_k), made(X, W_k, b_q)),
        ),
        wrong(
            "not scaled",
            "aren't scaled",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax((X @ W_q + b_q) @ (X @ W_k + b_k).T),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, b_q), made(X, W_k, b_k), 1),
        ),
        wrong(
            "by d_model",
            "with d_model",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax((X @ W_q + b_q) @ (X @ W_k + b_k).T / np.sqrt(X.shape[1])),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, b_q), made(X, W_k, b_k), math.sqrt(len(W_q))),
        ),
        wrong(
            "by d_k",
            "by d_k itself",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax((X @ W_q + b_q) @ (X @ W_k + b_k).T / b_k.size),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, b_q), made(X, W_k, b_k), len(b_q)),
        ),
        wrong(
            "by the tokens",
            "number of tokens",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax((X @ W_q + b_q) @ (X @ W_k + b_k).T / np.sqrt(len(X))),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, b_q), made(X, W_k, b_k), math.sqrt(len(X))),
        ),
        wrong(
            "subtracted",
            "subtract the biases",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_q - b_q, X @ W_k - b_k)),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, -b_q), made(X, W_k, -b_k)),
        ),
        wrong(
            "Q and K swapped",
            "the keys are asking",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_k + b_k, X @ W_q + b_q)),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_k, b_k), made(X, W_q, b_q)),
        ),
        wrong(
            "on its side",
            "on their side",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_q + b_q, X @ W_k + b_k)).T,
            lambda X, W_q, b_q, W_k, b_k: columns(softly(made(X, W_q, b_q), made(X, W_k, b_k))),
        ),
        wrong(
            "over the queries",
            "softmax ran over the queries",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_k + b_k, X @ W_q + b_q)).T,
            lambda X, W_q, b_q, W_k, b_k: columns(softly(made(X, W_k, b_k), made(X, W_q, b_q))),
        ),
        wrong(
            "scaled scores",
            "scaled scores",
            lambda X, W_q, b_q, W_k, b_k: scaled(X @ W_q + b_q, X @ W_k + b_k),
            lambda X, W_q, b_q, W_k, b_k: [
                [dot(q, k) / math.sqrt(len(k)) for k in made(X, W_k, b_k)] for q in made(X, W_q, b_q)
            ],
        ),
        wrong(
            "raw scores",
            "raw scores",
            lambda X, W_q, b_q, W_k, b_k: (X @ W_q + b_q) @ (X @ W_k + b_k).T,
            lambda X, W_q, b_q, W_k, b_k: [[dot(q, k) for k in made(X, W_k, b_k)] for q in made(X, W_q, b_q)],
        ),
        wrong(
            "queries twice",
            "keys with the query's matrix",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_q + b_q, X @ W_q + b_q)),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, b_q), made(X, W_q, b_q)),
        ),
        wrong(
            "keys twice",
            "queries with the key's matrix",
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_k + b_k, X @ W_k + b_k)),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_k, b_k), made(X, W_k, b_k)),
        ),
        wrong(
            "the tokens themselves",
            ACCOUNT,
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(X @ X.T / np.sqrt(W_q.shape[1])),
            lambda X, W_q, b_q, W_k, b_k: softly(X, X, math.sqrt(len(b_q))),
        ),
        wrong(
            "one bias for all",
            ACCOUNT,
            lambda X, W_q, b_q, W_k, b_k: rows_of_softmax(scaled(X @ W_q + b_q[0], X @ W_k + b_k[0])),
            lambda X, W_q, b_q, W_k, b_k: softly(made(X, W_q, [b_q[0]] * len(b_q)), made(X, W_k, [b_k[0]] * len(b_k))),
        ),
        wrong(
            "prints",
            NONE,
            lambda X, W_q, b_q, W_k, b_k: print(X @ W_q + b_q),
            lambda X, W_q, b_q, W_k, b_k: [print(x @ W_q + b_q) for x in X].clear(),
        ),
        wrong("changes its input", CHANGES, biases_added_in_place, tokens_zeroed),
    ],
)

# --- looking ahead ---


def draw_weights(rng, n_tokens):
    return (softmax_rows(rng.normal(size=(n_tokens + 1, n_tokens + 1))),)


def added_up_row_by_row(weights):
    total = 0
    for i in range(len(weights) - 1):
        total += weights[i][i + 1]
    return total / (len(weights) - 1)


def wraps_around(weights):
    n = len(weights)
    return sum(weights[i, (i + 1) % n] for i in range(n)) / n


def returns_in_the_loop(weights):
    for i in range(len(weights) - 1):
        return weights[i, i + 1]


def diagonal_kept_and_zeroed(weights):
    ahead = np.diag(weights, 1).mean()
    np.fill_diagonal(weights, 0)
    return ahead


def rows_used_up(weights):
    ahead = [weights[i, i + 1] for i in range(len(weights) - 1)]
    for row in weights:
        row[:] = 0
    return sum(ahead) / len(ahead)


AHEAD = Written(
    axes=("n_tokens n_tokens",),
    truth=lambda weights: sum(row[i + 1] for i, row in enumerate(weights[:-1])) / (len(weights) - 1),
    draw=draw_weights,
    right=[
        lambda w: np.diag(w, 1).mean(),
        lambda w: np.trace(w, offset=1) / (len(w) - 1),
        lambda w: np.mean(w[np.arange(len(w) - 1), np.arange(1, len(w))]),
        lambda w: np.array(w[:-1, 1:].diagonal().mean(), dtype=np.float32),
        lambda w: float(w.ravel()[1 :: len(w) + 1].mean()),
        lambda w: (w * np.eye(len(w), k=1)).sum() / np.eye(len(w), k=1).sum(),
        added_up_row_by_row,
    ],
    wrong=[
        wrong(
            "back",
            "one token back",
            lambda w: np.diag(w, -1).mean(),
            lambda w: np.mean([w[i + 1, i] for i in range(len(w) - 1)]),
        ),
        wrong(
            "itself", "the diagonal", lambda w: np.diag(w).mean(), lambda w: np.mean([w[i, i] for i in range(len(w))])
        ),
        wrong("sum", "That's the sum", lambda w: np.trace(w, 1), lambda w: sum(w[i, i + 1] for i in range(len(w) - 1))),
        wrong(
            "by all tokens",
            "last has none after it",
            lambda w: np.trace(w, 1) / len(w),
            lambda w: sum(w[i, i + 1] for i in range(len(w) - 1)) / len(w),
        ),
        wrong(
            "two ahead",
            "two tokens ahead",
            lambda w: np.diagonal(w, 2).mean(),
            lambda w: np.mean([w[i, i + 2] for i in range(len(w) - 2)]),
        ),
        wrong(
            "not yet the mean",
            "Now their mean",
            lambda w: np.diag(w, 1),
            lambda w: [w[i, i + 1] for i in range(len(w) - 1)],
        ),
        wrong(
            "all that comes later",
            "all that comes later",
            lambda w: np.triu(w, 1).sum(axis=1).mean(),
            lambda w: sum(sum(row[i + 1 :]) for i, row in enumerate(w)) / len(w),
        ),
        wrong("column 1", "That's column 1", lambda w: w[:, 1].mean(), lambda w: sum(row[1] for row in w) / len(w)),
        wrong(
            "largest",
            "That's the largest",
            lambda w: np.diag(w, 1).max(),
            lambda w: max(w[i, i + 1] for i in range(len(w) - 1)),
        ),
        wrong("wraps around", "took the first for it", lambda w: np.diag(np.roll(w, -1, axis=1)).mean(), wraps_around),
        wrong("all", "mean of all weights", np.mean, lambda w: sum(map(sum, w)) / len(w) ** 2),
        wrong(
            "wins counted",
            "*largest*",
            lambda w: (w[:-1].argmax(axis=1) == np.arange(len(w) - 1) + 1).mean(),
            lambda w: sum(float(w[i, i + 1] == max(w[i])) for i in range(len(w) - 1)) / (len(w) - 1),
        ),
        wrong("returns in the loop", ACCOUNT, returns_in_the_loop, lambda w: w[0, 1]),
        wrong(
            "smallest", ACCOUNT, lambda w: np.diag(w, 1).min(), lambda w: min(w[i, i + 1] for i in range(len(w) - 1))
        ),
        wrong("last pair", ACCOUNT, lambda w: w[-2, -1], lambda w: [w[i, i + 1] for i in range(len(w) - 1)][-1]),
        wrong(
            "zeros counted",
            ACCOUNT,
            lambda w: np.diag(np.diag(w, 1)).mean(),
            lambda w: np.mean([w[i, i + 1] if i == j else 0 for i in range(len(w) - 1) for j in range(len(w) - 1)]),
        ),
        wrong(
            "past the end",
            "stopped with IndexError",
            lambda w: np.mean(w[np.arange(len(w)), np.arange(len(w)) + 1]),
            lambda w: sum(w[i, i + 1] for i in range(len(w))),
        ),
        wrong(
            "a list of one", ACCOUNT, lambda w: np.diag(w, 1).mean(keepdims=True), lambda w: [added_up_row_by_row(w)]
        ),
        wrong(
            "text", "array of numbers", lambda w: f"{np.diag(w, 1).mean():.2f}", lambda w: str(added_up_row_by_row(w))
        ),
        wrong("prints", NONE, lambda w: print(np.diag(w, 1).mean()), lambda w: [print(row) for row in w].clear()),
        wrong("changes its input", CHANGES, diagonal_kept_and_zeroed, rows_used_up),
    ],
)

# --- the head that looks ahead ---


def looks_ahead_most(head):
    atlas = stored("real_head")["pen_atlas"]
    ahead = {(l, h): added_up_row_by_row(w) for l, layer in enumerate(atlas) for h, w in enumerate(layer)}
    return tuple(head) == max(ahead, key=ahead.get)


FIND = Chosen(
    truth=looks_ahead_most,
    right=[(1, 8), [1, 8], np.array([1, 8]), np.array((1.0, 8.0))],
    wrong=[
        ((8, 1), "the layer comes first"),
        ((6, 0), "the layer comes first"),
        ((2, 9), "head gives"),
        ((0, 0), "head gives"),
        ((12, 0), "Two whole numbers"),
        ((1, -4), "Two whole numbers"),
        ((1, 8.5), "Two whole numbers"),
        (20, "Two whole numbers"),
        ((1, 8, 0), "Two whole numbers"),
        ("(1, 8)", "Two whole numbers"),
        ({"layer": 1, "head": 8}, "Two whole numbers"),
        ((1, None), "Two whole numbers"),
    ],
)

ANSWERS = {"head_weights": HEAD, "looks_ahead": AHEAD, "find_ahead": FIND}
