"""What learners write in lesson 03: the scores of all pairs, a key for one query only, a one-way relation."""

import math

import numpy as np

from tests.answers import ACCOUNT, CHANGES, NONE, Chosen, Written, columns, dot, softmax_of, wrong

# --- scores: right, in other styles ---


def scores_in_loops(Q, K):
    scores = np.empty((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            scores[i, j] = np.dot(Q[i], K[j])
    return scores


def scores_from_lists(Q, K):
    Q, K = Q.tolist(), K.tolist()
    scores = []
    for q in Q:
        scores.append([])
        for k in K:
            scores[-1].append(sum(a * b for a, b in zip(q, k)))
    return scores


def scores_by_keys(Q, K):
    return np.column_stack([Q @ key for key in K])


# --- scores: wrong ---


def set_not_added(Q, K):
    scores = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for f in range(Q.shape[1]):
                scores[i, j] = Q[i, f] * K[j, f]
    return scores


def sum_never_cleared(Q, K):
    scores, total = np.zeros((len(Q), len(K))), 0
    for i in range(len(Q)):
        for j in range(len(K)):
            for f in range(Q.shape[1]):
                total += Q[i, f] * K[j, f]
            scores[i, j] = total
    return scores


def sums_start_at_1(Q, K):
    scores = np.ones((len(Q), len(K)))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            scores[i, j] += q @ k
    return scores


def only_the_lower_half(Q, K):
    scores = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(min(i + 1, len(K))):
            scores[i, j] = Q[i] @ K[j]
    return scores


def pairs_by_place(Q, K):
    scores = []
    for q, k in zip(Q, K):
        scores.append(q @ k)
    return scores


def returns_after_one_query(Q, K):
    for q in Q:
        return [q @ k for k in K]


def appended_to_one_list(Q, K):
    scores = []
    for q in Q:
        for k in K:
            scores.append(q @ k)
    return scores


def indices_swapped(Q, K):
    return [[sum(Q[i, f] * K[f, j] for f in range(Q.shape[1])) for j in range(len(K))] for i in range(len(Q))]


def whole_numbers(Q, K):
    scores = np.zeros((len(Q), len(K)), dtype=int)
    scores[:] = 1.5 * (Q @ K.T)
    return scores


def unit_queries_in_place(Q, K):
    scores = Q @ K.T
    Q /= np.linalg.norm(Q)
    return scores


def keys_used_up(Q, K):
    scores = np.zeros((len(Q), len(K)))
    for j in range(len(K)):
        scores[:, j] = Q @ K[j]
        K[j] = 0
    return scores


def squared_distance(q, k):
    return sum((a - b) ** 2 for a, b in zip(q, k))


SCORES = Written(
    axes=("n_queries d_k", "n_keys d_k"),
    truth=lambda Q, K: [[dot(q, k) for k in K] for q in Q],
    right=[
        lambda Q, K: Q @ K.T,
        lambda Q, K: np.einsum("qd,kd->qk", Q, K),
        lambda Q, K: np.inner(Q, K),
        lambda Q, K: (K @ Q.T).T,
        lambda Q, K: (Q[:, None] * K).sum(axis=-1),
        lambda Q, K: np.matmul(Q.astype(np.float32), np.swapaxes(K, 0, 1).astype(np.float32)),
        lambda Q, K: np.tensordot(Q, K, axes=(1, 1)),
        lambda Q, K: ((Q[:, None] + K) ** 2 - (Q[:, None] - K) ** 2).sum(axis=-1) / 4,
        scores_in_loops,
        scores_from_lists,
        scores_by_keys,
    ],
    wrong=[
        wrong("not transposed", "over features or over tokens", lambda Q, K: Q @ K, indices_swapped),
        wrong("keys first", "on their side", lambda Q, K: K @ Q.T, lambda Q, K: [[q @ k for q in Q] for k in K]),
        wrong(
            "cell by cell",
            "cell by cell",
            np.multiply,
            lambda Q, K: [[a * b for a, b in zip(q, k)] for q, k in zip(Q, K)],
        ),
        wrong(
            "features by features",
            "scored against features",
            lambda Q, K: Q.T @ K,
            lambda Q, K: [[dot(q, k) for k in columns(K)] for q in columns(Q)],
        ),
        wrong(
            "both transposed",
            "Both are transposed",
            lambda Q, K: Q.T @ K.T,
            lambda Q, K: [[dot(q, k) for k in K] for q in columns(Q)],
        ),
        wrong("pair by pair", "stopped there", pairs_by_place, lambda Q, K: np.diag(Q @ K.T)),
        wrong(
            "scaled",
            "lesson 06",
            lambda Q, K: Q @ K.T / np.sqrt(Q.shape[-1]),
            lambda Q, K: [[dot(q, k) / math.sqrt(len(k)) for k in K] for q in Q],
        ),
        wrong(
            "cosine",
            "cosine",
            lambda Q, K: Q @ K.T / np.outer(np.linalg.norm(Q, axis=1), np.linalg.norm(K, axis=1)),
            lambda Q, K: [[dot(q, k) / math.hypot(*q) / math.hypot(*k) for k in K] for q in Q],
        ),
        wrong(
            "softmax already",
            "weights already",
            lambda Q, K: np.exp(Q @ K.T) / np.exp(Q @ K.T).sum(axis=1, keepdims=True),
            lambda Q, K: [softmax_of([dot(q, k) for k in K]) for q in Q],
        ),
        wrong(
            "signs dropped",
            "dropped the signs",
            lambda Q, K: abs(Q @ K.T),
            lambda Q, K: [[abs(q @ k) for k in K] for q in Q],
        ),
        wrong(
            "minus squared distance",
            "distance",
            lambda Q, K: -np.square(Q[:, None] - K).sum(axis=2),
            lambda Q, K: [[-squared_distance(q, k) for k in K] for q in Q],
        ),
        wrong(
            "distance",
            "distance",
            lambda Q, K: np.linalg.norm(Q[:, None] - K, axis=2),
            lambda Q, K: [[math.dist(q, k) for k in K] for q in Q],
        ),
        wrong("first query only", "Only the first query", returns_after_one_query, lambda Q, K: Q[0] @ K.T),
        wrong("sums start at 1", "1 too large", sums_start_at_1, lambda Q, K: 1 + Q @ K.T),
        wrong("= for +=", ACCOUNT, set_not_added, lambda Q, K: np.outer(Q[:, -1], K[:, -1])),
        wrong(
            "sum never cleared",
            ACCOUNT,
            sum_never_cleared,
            lambda Q, K: (Q @ K.T).cumsum().reshape(len(Q), len(K)),
        ),
        wrong("lower half", ACCOUNT, only_the_lower_half, lambda Q, K: np.tril(Q @ K.T)),
        wrong(
            "queries with queries",
            ACCOUNT,
            lambda Q, K: Q @ Q.T,
            lambda Q, K: [[dot(q, k) for k in Q] for q in Q],
        ),
        wrong("keys with keys", ACCOUNT, lambda Q, K: K @ K.T, lambda Q, K: [[dot(q, k) for k in K] for q in K]),
        wrong(
            "features added first",
            ACCOUNT,
            lambda Q, K: np.outer(Q.sum(axis=1), K.sum(axis=1)),
            lambda Q, K: [[sum(q) * sum(k) for k in K] for q in Q],
        ),
        wrong("all products", ACCOUNT, lambda Q, K: Q[:, None] * K, lambda Q, K: [[q * k for k in K] for q in Q]),
        wrong(
            "mean product",
            ACCOUNT,
            lambda Q, K: Q @ K.T / Q.shape[1],
            lambda Q, K: [[np.mean(q * k) for k in K] for q in Q],
        ),
        wrong(
            "added",
            ACCOUNT,
            lambda Q, K: (Q[:, None] + K).sum(axis=2),
            lambda Q, K: [[sum(q) + sum(k) for k in K] for q in Q],
        ),
        wrong("one flat list", ACCOUNT, appended_to_one_list, lambda Q, K: (Q @ K.T).ravel()),
        wrong("first key only", ACCOUNT, lambda Q, K: Q @ K[0], lambda Q, K: [dot(q, K[0]) for q in Q]),
        wrong(
            "best key",
            ACCOUNT,
            lambda Q, K: (Q @ K.T).argmax(axis=1),
            lambda Q, K: [max(range(len(K)), key=lambda j: q @ K[j]) for q in Q],
        ),
        wrong(
            "no negatives",
            ACCOUNT,
            lambda Q, K: np.maximum(Q @ K.T, 0),
            lambda Q, K: [[max(q @ k, 0) for k in K] for q in Q],
        ),
        wrong(
            "one number",
            ACCOUNT,
            lambda Q, K: (Q @ K.T).sum(),
            lambda Q, K: sum(dot(q, k) for q in Q for k in K),
        ),
        wrong(
            "divided by the largest",
            ACCOUNT,
            lambda Q, K: Q @ K.T / (Q @ K.T).max(),
            lambda Q, K: [[dot(q, k) / max(dot(a, b) for a in Q for b in K) for k in K] for q in Q],
        ),
        wrong("whole numbers", ACCOUNT, whole_numbers, lambda Q, K: (1.5 * (Q @ K.T)).astype(int)),
        wrong(
            "prints",
            NONE,
            lambda Q, K: print(Q @ K.T),
            lambda Q, K: [print(q @ k) for q in Q for k in K].clear(),
        ),
        wrong(
            "keys are called",
            "stopped with TypeError",
            lambda Q, K: Q @ K.T(),
            lambda Q, K: [[q @ k() for k in K] for q in Q],
        ),
        wrong("changes its input", CHANGES, unit_queries_in_place, keys_used_up),
    ],
)

# --- a key, and a one-way relation ---

SAW, I = [1, 1.5, -1, 0], [0, 0, 0, 1]  # their queries: the rows of W_q for "sees" and for "person"

KEY = Chosen(
    truth=lambda key: len(key) == 4 and abs(dot(SAW, key) - 5) < 1e-4 and abs(dot(I, key)) < 1e-6,
    right=[
        [5, 0, 0, 0],
        (0, 10 / 3, 0, 0),
        np.array([0, 0, -5, 0]),
        np.float32([1, 2, -1, 0]),
        [0, 4, 1, 0.0],
    ],
    wrong=[
        ([5, 0, 0, 1], "'saw' scores 5, but 'i' scores 1"),
        ([5, 5, 5, 5], "'saw' scores 7.5 and 'i' scores 5"),
        ([0, 0, 0, 5], "'saw' scores 0 and 'i' scores 5"),
        ([0, 0, 0, 0], "as wanted, but 'saw' scores 0"),
        (SAW, "as wanted, but 'saw' scores 4.25"),
        ([0, 5, 0, 0], "as wanted, but 'saw' scores 7.5"),
        ([0, 0, 5, 0], "as wanted, but 'saw' scores -5"),
        ([-5, 0, 0, 0], "as wanted, but 'saw' scores -5"),
        ([5, 0], "four numbers"),
        ([[5, 0, 0, 0]], "four numbers"),
        ({"who": 5}, "four numbers"),
        (["5", "0", "0", "0"], "four numbers"),
        ([5, 0, 0, float("inf")], "four numbers"),
        (5, "four numbers"),
    ],
)

ONE_WAY = Chosen(
    truth=lambda W: np.shape(W) == (2, 2) and abs(W[0][1] - 4) < 1e-4 and abs(W[1][0]) < 1e-7,
    right=[[[0, 4], [0, 0]], ((7, 4), (0, -2)), np.array([[0, 4.0], [0, 0]]), np.triu(np.full((2, 2), 4))],
    wrong=[
        ([[0, 0], [4, 0]], "other way round"),
        (np.tril(np.full((2, 2), 4)), "other way round"),
        ([[0, 4], [4, 0]], "Both ways score 4"),
        ([[4, 0], [0, 4]], "Both ways score 0"),
        (np.eye(2), "Both ways score 0"),
        (np.ones((2, 2)), "Both ways score 1"),
        ([[0, 2], [0, 0]], "scores 2 with token 1, and 0 comes back"),
        ([[0, 4], [1, 0]], "scores 4 with token 1, and 1 comes back"),
        ([[0, 4], [-4, 0]], "and -4 comes back"),
        ([0, 4], "two rows and two columns"),
        ([4, 0, 0, 0], "two rows and two columns"),
        ([[0, 4, 0], [0, 0, 0]], "two rows and two columns"),
        ([[0, 4], [0]], "two rows and two columns"),
        (4, "two rows and two columns"),
    ],
)

ANSWERS = {"dot_product_scores": SCORES, "key_for": KEY, "one_way": ONE_WAY}
