"""What learners write in lesson 06: scaled weights, the spread of a score, what to divide by."""

import math

import numpy as np

from tests.answers import ACCOUNT, CHANGES, NONE, Chosen, Written, dot, softmax_of, wrong


def rows_of_softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def scored(Q, K, by=1.0):
    """In plain Python: each score divided."""
    return [[dot(q, k) / by for k in K] for q in Q]


def softly(rows):
    return [softmax_of(row) for row in rows]


def draw_queries(rng, n_queries, n_keys, d_k):
    """Small ones, and some whose scores only a softmax with its maximum subtracted survives."""
    Q, K = rng.normal(size=(n_queries, d_k)), rng.normal(size=(n_keys, d_k))
    return (Q, K) if rng.random() < 0.7 else (900 * Q, K)


# --- right, in other styles ---


def weights_in_loops(Q, K):
    weights = []
    for q in Q:
        scores = [sum(a * b for a, b in zip(q, k)) / len(q) ** 0.5 for k in K]
        exps = [math.exp(score - max(scores)) for score in scores]
        weights.append([e / sum(exps) for e in exps])
    return weights


def roots_on_both_sides(Q, K):
    root = Q.shape[1] ** 0.25
    return rows_of_softmax((Q / root) @ (K / root).T)


def row_by_row(Q, K):
    weights = np.zeros((len(Q), len(K)), dtype=np.float32)
    for i, q in enumerate(Q):
        weights[i] = rows_of_softmax(K @ q / math.sqrt(q.size))
    return weights


# --- wrong ---


def by_standard_deviation(Q, K):
    scores = Q @ K.T
    return rows_of_softmax(scores / np.std(scores))


def by_standard_deviation_in_loops(Q, K):
    scores = scored(Q, K)
    all_scores = [score for row in scores for score in row]
    mean = sum(all_scores) / len(all_scores)
    spread = math.sqrt(sum((score - mean) ** 2 for score in all_scores) / len(all_scores))
    return softly([[score / spread for score in row] for row in scores])


def naive(Q, K):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return exps / exps.sum(axis=1, keepdims=True)


def naive_by_rows(Q, K):
    exps = [np.exp(K @ q / math.sqrt(len(q))) for q in Q]
    return [e / sum(e) for e in exps]


def over_queries(Q, K):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]) - (Q @ K.T / np.sqrt(Q.shape[1])).max(axis=0))
    return exps / exps.sum(axis=0)


def over_queries_in_loops(Q, K):
    return list(zip(*softly(scored(K, Q, math.sqrt(K.shape[1])))))


def over_all(Q, K):
    return rows_of_softmax((Q @ K.T / np.sqrt(Q.shape[1])).ravel()).reshape(len(Q), len(K))


def over_all_in_loops(Q, K):
    shares = iter(softmax_of([dot(q, k) / math.sqrt(len(k)) for q in Q for k in K]))
    return [[next(shares) for _ in K] for _ in Q]


def cosines(Q, K):
    return [[dot(q, k) / math.hypot(*q) / math.hypot(*k) for k in K] for q in Q]


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def scaled_in_place(Q, K):
    weights = rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[1]))
    Q /= np.sqrt(Q.shape[1])
    return weights


def queries_scaled_row_by_row(Q, K):
    weights = []
    for q in Q:
        q /= math.sqrt(len(q))
        weights.append(softmax_of(K @ q))
    return weights


SCALED = Written(
    axes=("n_queries d_k", "n_keys d_k"),
    truth=lambda Q, K: softly(scored(Q, K, math.sqrt(len(Q[0])))),
    draw=draw_queries,
    right=[
        lambda Q, K: rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[-1])),
        lambda Q, K: rows_of_softmax(Q / np.sqrt(K.shape[1]) @ K.T),
        lambda Q, K: rows_of_softmax(np.einsum("qd,kd->qk", Q, K) * Q.shape[1] ** -0.5).tolist(),
        weights_in_loops,
        roots_on_both_sides,
        row_by_row,
    ],
    wrong=[
        wrong(
            "not scaled",
            "aren't scaled",
            lambda Q, K: rows_of_softmax(Q @ K.T),
            lambda Q, K: softly(scored(Q, K)),
        ),
        wrong(
            "by d_k",
            "divide by d_k",
            lambda Q, K: rows_of_softmax(Q @ K.T / Q.shape[1]),
            lambda Q, K: softly(scored(Q, K, len(K[0]))),
        ),
        wrong(
            "multiplied",
            "spread even wider",
            lambda Q, K: rows_of_softmax(Q @ K.T * np.sqrt(Q.shape[1])),
            lambda Q, K: softly(scored(Q, K, len(K[0]) ** -0.5)),
        ),
        wrong(
            "multiplied by d_k",
            "by d_k at that",
            lambda Q, K: rows_of_softmax(Q @ K.T * Q.shape[1]),
            lambda Q, K: softly(scored(Q, K, 1 / len(K[0]))),
        ),
        wrong(
            "scaled after softmax",
            "after softmax",
            lambda Q, K: rows_of_softmax(Q @ K.T) / np.sqrt(Q.shape[1]),
            lambda Q, K: [[w / math.sqrt(len(K[0])) for w in row] for row in softly(scored(Q, K))],
        ),
        wrong(
            "by the keys",
            "number of keys",
            lambda Q, K: rows_of_softmax(Q @ K.T / np.sqrt(K.shape[0])),
            lambda Q, K: softly(scored(Q, K, math.sqrt(len(K)))),
        ),
        wrong(
            "by the queries",
            "number of queries",
            lambda Q, K: rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[0])),
            lambda Q, K: softly(scored(Q, K, math.sqrt(len(Q)))),
        ),
        wrong("over the queries", "runs over the queries", over_queries, over_queries_in_loops),
        wrong("by their own spread", "happen to have", by_standard_deviation, by_standard_deviation_in_loops),
        wrong(
            "scaled scores",
            "scaled scores",
            lambda Q, K: Q @ K.T / np.sqrt(Q.shape[1]),
            lambda Q, K: scored(Q, K, math.sqrt(len(K[0]))),
        ),
        wrong("raw scores", "raw scores", lambda Q, K: Q @ K.T, scored),
        wrong(
            "cosines",
            "cosine",
            lambda Q, K: rows_of_softmax(unit(Q) @ unit(K).T),
            lambda Q, K: softly(cosines(Q, K)),
        ),
        wrong(
            "not transposed",
            "over features or over tokens",
            lambda Q, K: rows_of_softmax(Q @ K / np.sqrt(Q.shape[1])),
            lambda Q, K: softly(
                [[sum(q[f] * K[f, j] for f in range(len(q))) / math.sqrt(len(q)) for j in range(len(K))] for q in Q]
            ),
        ),
        wrong("no maximum", "has to be subtracted", naive, naive_by_rows),
        wrong(
            "the mean subtracted",
            "has to be subtracted",
            lambda Q, K: naive(Q, K - K.mean(axis=0)),
            lambda Q, K: naive_by_rows(Q, [k - sum(K) / len(K) for k in K]),
        ),
        wrong("over all", ACCOUNT, over_all, over_all_in_loops),
        wrong(
            "cosines, scaled",
            ACCOUNT,
            lambda Q, K: rows_of_softmax(unit(Q) @ unit(K).T / np.sqrt(Q.shape[1])),
            lambda Q, K: softly([[c / math.sqrt(len(K[0])) for c in row] for row in cosines(Q, K)]),
        ),
        wrong(
            "scaled twice",
            ACCOUNT,
            lambda Q, K: rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[1]) / np.sqrt(Q.shape[1] + 1)),
            lambda Q, K: softly(scored(Q, K, math.sqrt(len(K[0]) * (len(K[0]) + 1)))),
        ),
        wrong(
            "by d_k squared",
            ACCOUNT,
            lambda Q, K: rows_of_softmax(Q @ K.T / Q.shape[1] ** 2),
            lambda Q, K: softly(scored(Q, K, len(K[0]) ** 2)),
        ),
        wrong(
            "by the root of d_k + 1",
            ACCOUNT,
            lambda Q, K: rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[1] + 1)),
            lambda Q, K: softly(scored(Q, K, math.sqrt(len(K[0]) + 1))),
        ),
        wrong(
            "keys with keys",
            ACCOUNT,
            lambda Q, K: rows_of_softmax(K @ K.T / np.sqrt(K.shape[1])),
            lambda Q, K: softly(scored(K, K, math.sqrt(len(K[0])))),
        ),
        wrong(
            "a sign",
            ACCOUNT,
            lambda Q, K: rows_of_softmax(-Q @ K.T / np.sqrt(Q.shape[1])),
            lambda Q, K: softly(scored(Q, K, -math.sqrt(len(K[0])))),
        ),
        wrong(
            "scaled before and after",
            ACCOUNT,
            lambda Q, K: rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[1])) / np.sqrt(Q.shape[1]),
            lambda Q, K: [
                [w / math.sqrt(len(K[0])) for w in row] for row in softly(scored(Q, K, math.sqrt(len(K[0]))))
            ],
        ),
        wrong(
            "divided by the sum",
            ACCOUNT,
            lambda Q, K: Q @ K.T / (Q @ K.T).sum(axis=1, keepdims=True),
            lambda Q, K: [[score / sum(row) for score in row] for row in scored(Q, K)],
        ),
        wrong(
            "first query only",
            ACCOUNT,
            lambda Q, K: rows_of_softmax(Q[0] @ K.T / np.sqrt(Q.shape[1])),
            lambda Q, K: softmax_of(scored(Q, K, math.sqrt(len(K[0])))[0]),
        ),
        wrong(
            "prints",
            NONE,
            lambda Q, K: print(Q @ K.T),
            lambda Q, K: [print(q @ k) for q in Q for k in K].clear(),
        ),
        wrong("changes its input", CHANGES, scaled_in_place, queries_scaled_row_by_row),
    ],
)

# --- two numbers ---

SPREAD = Chosen(
    truth=lambda std: not isinstance(std, str) and abs(float(std) - math.sqrt(25 * 2**2 * 2**2)) < 0.099,
    right=[20, 20.0, np.float32(20), 2 * 2 * math.sqrt(25), np.array(20)],
    wrong=[
        (5, "root of d_k"),
        (10, "one of the two vectors"),
        (100, "d_k itself"),
        (400, "variance"),
        (25, "That's d_k"),
        (4, "one product"),
        (50, "variances do"),
        (2, "too small"),
        (1, "too small"),
        (0, "too small"),
        (-20, "too small"),
        (40, "too large"),
        (1e9, "too large"),
        ([20], "One number"),
        ("20", "One number"),
        (float("nan"), "One number"),
    ],
)

DIVIDE = Chosen(
    truth=lambda divisor: (
        not isinstance(divisor, str) and abs(float(divisor) - math.sqrt(4) * (math.sqrt(16) * 0.5) ** 2) < 0.039
    ),
    right=[8, 8.0, np.int64(8), 2 * math.sqrt(16)],
    wrong=[
        (2, "root of d_k"),
        (64, "variance"),
        (4, "one product"),
        (16, "one of your factors"),
        (1, "nothing would be divided"),
        (0.5, "std of the W's"),
        (0, "too small"),
        (-8, "too small"),
        (0.125, "too small"),
        (32, "too large"),
        ((8,), "One number"),
        ("sqrt(64)", "One number"),
        (float("inf"), "One number"),
    ],
)

ANSWERS = {"scaled_weights": SCALED, "spread": SPREAD, "divide_by": DIVIDE}
