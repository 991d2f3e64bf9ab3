"""What learners write in lesson 02: a projection, a blend, shares for a place in between, three shapes."""

import numpy as np

from tests.answers import ACCOUNT, CHANGES, NONE, Chosen, Written, columns, dot, softmax_rows, wrong

# --- projecting ---------------------------------------------------------------------------------------------


def project_in_loops(X, W):
    Q = np.zeros((X.shape[0], W.shape[1]))
    for i in range(X.shape[0]):
        for j in range(W.shape[1]):
            for f in range(X.shape[1]):
                Q[i, j] += X[i, f] * W[f, j]
    return Q


def project_by_rows(X, W):
    return [sum(feature * row for feature, row in zip(token, W)) for token in X]


def project_by_columns(X, W):
    return np.stack([X @ W[:, j] for j in range(W.shape[1])], axis=1)


def set_not_added(X, W):
    Q = np.zeros((X.shape[0], W.shape[1]))
    for i in range(X.shape[0]):
        for j in range(W.shape[1]):
            for f in range(X.shape[1]):
                Q[i, j] = X[i, f] * W[f, j]
    return Q


def first_token_only(X, W):
    for x in X:
        return x @ W


def last_token_only(X, W):
    for x in X:
        q = x @ W
    return q


def filled_into_whole_numbers(X, W):
    Q = np.zeros((X.shape[0], W.shape[1]), dtype=int)
    Q[:] = X @ W + 0.5
    return Q


def first_feature_left_out(X, W):
    return [[sum(X[i, f] * W[f, j] for f in range(1, X.shape[1])) for j in range(W.shape[1])] for i in range(len(X))]


def lesson_size_only(X, W):
    Q = np.zeros((2, 2))
    for i in range(len(X)):
        Q[i] = X[i] @ W
    return Q


def centred_in_place(X, W):
    before = X.copy()
    X -= X.mean(axis=0)
    return before @ W


def zeroed_on_the_way(X, W):
    Q = []
    for x in X:
        Q.append(x @ W)
        x[:] = 0
    return Q


def walks_the_rows_of_W(X, W):
    return [[dot(x, w) for w in W] for x in X]


PROJECT = Written(
    axes=("n_tokens d_model", "d_model d"),
    truth=lambda X, W: [[dot(x, w) for w in columns(W)] for x in X],
    right=[
        lambda X, W: np.einsum("tm,md->td", X, W),
        lambda X, W: np.array(X, dtype=np.float32) @ np.array(W, dtype=np.float32),
        lambda X, W: (W.T @ X.T).T,
        lambda X, W: np.tensordot(X, W, axes=1),
        lambda X, W: (X[:, :, None] * W).sum(axis=1),
        lambda X, W: [[sum(a * b for a, b in zip(x, w)) for w in W.T] for x in X],
        project_in_loops,
        project_by_rows,
        project_by_columns,
    ],
    wrong=[
        wrong("W transposed", "W's transpose", lambda X, W: X @ W.T, walks_the_rows_of_W),
        wrong(
            "other order",
            "other order",
            lambda X, W: W @ X,
            lambda X, W: [[dot(w, x) for x in columns(X)] for w in W],
        ),
        wrong(
            "cell by cell",
            "cell by cell",
            np.multiply,
            lambda X, W: [[a * b for a, b in zip(x, w, strict=True)] for x, w in zip(X, W, strict=True)],
        ),
        wrong(
            "on its side",
            "on their side",
            lambda X, W: np.einsum("tm,md->dt", X, W),
            lambda X, W: [[dot(x, w) for x in X] for w in columns(W)],
        ),
        wrong(
            "X transposed",
            "transposed X",
            lambda X, W: X.T @ W,
            lambda X, W: [[dot(x, w) for w in columns(W)] for x in columns(X)],
        ),
        wrong(
            "added",
            "You added.",
            lambda X, W: X + W,
            lambda X, W: [[a + b for a, b in zip(x, w, strict=True)] for x, w in zip(X, W, strict=True)],
        ),
        wrong("first token", "first token", first_token_only, lambda X, W: (X @ W)[0]),
        wrong(
            "tokens added up",
            "tokens up",
            lambda X, W: (X @ W).sum(axis=0),
            lambda X, W: sum(x @ W for x in X),
        ),
        wrong("W itself", "W itself", lambda X, W: W, lambda X, W: [list(w) for w in W]),
        wrong(
            "both transposed",
            ACCOUNT,
            lambda X, W: X.T @ W.T,
            lambda X, W: [[dot(x, w) for w in W] for x in columns(X)],
        ),
        wrong("X itself", ACCOUNT, lambda X, W: X, lambda X, W: [list(x) for x in X]),
        wrong("last token", ACCOUNT, last_token_only, lambda X, W: X[-1] @ W),
        wrong("= for +=", ACCOUNT, set_not_added, lambda X, W: np.outer(X[:, -1], W[-1])),
        wrong("first feature left out", ACCOUNT, first_feature_left_out, lambda X, W: X[:, 1:] @ W[1:]),
        wrong(
            "all products",
            ACCOUNT,
            lambda X, W: np.multiply.outer(X, W),
            lambda X, W: [[a * W for a in x] for x in X],
        ),
        wrong(
            "columns added up",
            ACCOUNT,
            lambda X, W: (X @ W).sum(axis=1),
            lambda X, W: [sum(x @ W) for x in X],
        ),
        wrong("whole numbers", ACCOUNT, filled_into_whole_numbers, lambda X, W: (X @ W + 0.5).astype(int)),
        wrong(
            "a bias of 1",
            ACCOUNT,
            lambda X, W: X @ W + 1,
            lambda X, W: [[1 + dot(x, w) for w in columns(W)] for x in X],
        ),
        wrong(
            "by d_model",
            ACCOUNT,
            lambda X, W: X @ W / X.shape[1],
            lambda X, W: [[np.mean(x * w) for w in W.T] for x in X],
        ),
        wrong(
            "no negatives",
            ACCOUNT,
            lambda X, W: np.maximum(X @ W, 0),
            lambda X, W: [[max(dot(x, w), 0) for w in columns(W)] for x in X],
        ),
        wrong(
            "one size only",
            "stopped with ValueError",
            lesson_size_only,
            lambda X, W: X.reshape(2, 2) @ W,
        ),
        wrong(
            "for 2 x 2 only",
            ACCOUNT,
            lambda X, W: (X @ W)[:2, :2],
            lambda X, W: [[dot(X[i], W[:, j]) for j in (0, 1)] for i in (0, 1)],
        ),
        wrong("prints", NONE, lambda X, W: print(X @ W), lambda X, W: [print(x @ W) for x in X] and None),
        wrong("texts", "array of numbers", lambda X, W: str(X @ W), lambda X, W: [f"{x @ W}" for x in X]),
        wrong("changes X", CHANGES, centred_in_place, zeroed_on_the_way),
    ],
)

# --- blending -----------------------------------------------------------------------------------------------


def draw_shares(rng, n_keys, d_v):
    return softmax_rows(rng.normal(size=n_keys)), rng.normal(size=(n_keys, d_v))


def blend_by_numbers(shares, values):
    answer = [0.0] * len(values[0])
    for i in range(len(shares)):
        for j in range(len(values[0])):
            answer[j] += shares[i] * values[i][j]
    return answer


def blend_by_pieces(shares, values):
    pieces = []
    for share, value in zip(shares, values):
        pieces.append(share * value)
    return sum(pieces)


def last_piece_only(shares, values):
    for share, value in zip(shares, values):
        answer = share * value
    return answer


def returns_after_the_first(shares, values):
    answer = 0
    for share, value in zip(shares, values):
        answer = answer + share * value
        return answer


def starts_from_ones(shares, values):
    answer = np.ones(values.shape[1])
    for share, value in zip(shares, values):
        answer += share * value
    return answer


def added_to_whole_numbers(shares, values):
    answer = np.zeros(values.shape[1], dtype=int)
    for share, value in zip(shares, values):
        answer += share * value
    return answer


def weighed_in_place(shares, values):
    values *= shares[:, None]
    return values.sum(axis=0)


def weighed_row_by_row(shares, values):
    for i in range(len(shares)):
        values[i] *= shares[i]
    return sum(values)


BLEND = Written(
    axes=("n_keys", "n_keys d_v"),
    truth=lambda shares, values: [dot(shares, column) for column in columns(values)],
    draw=draw_shares,
    right=[
        lambda s, v: np.dot(s, v),
        lambda s, v: v.T @ s,
        lambda s, v: np.einsum("k,kd->d", s, v),
        lambda s, v: np.average(v, axis=0, weights=s),
        lambda s, v: (s[:, None] * v).sum(axis=0),
        lambda s, v: (s.astype(np.float32) @ v.astype(np.float32)).tolist(),
        blend_by_numbers,
        blend_by_pieces,
    ],
    wrong=[
        wrong(
            "lookup",
            "lookup",
            lambda s, v: v[s.argmax()],
            lambda s, v: max(zip(s, v), key=lambda pair: pair[0])[1],
        ),
        wrong("mean", "counts the same", lambda s, v: v.mean(axis=0), lambda s, v: sum(v) / len(v)),
        wrong("unweighted", "unweighted", lambda s, v: np.sum(v, axis=0), lambda s, v: sum(value for value in v)),
        wrong(
            "not added up",
            "One step is missing",
            lambda s, v: s.reshape(-1, 1) * v,
            lambda s, v: [a * b for a, b in zip(s, v)],
        ),
        wrong(
            "mean of the weighed",
            "divided by how many",
            lambda s, v: (s[:, None] * v).mean(axis=0),
            lambda s, v: sum(a * b for a, b in zip(s, v)) / len(s),
        ),
        wrong(
            "columns for rows",
            "along each value's own numbers",
            lambda s, v: v @ s,
            lambda s, v: [sum(a * b for a, b in zip(s, row, strict=True)) for row in v],
        ),
        wrong(
            "sums each person's",
            "each person's own",
            lambda s, v: (s[:, None] * v).sum(axis=1),
            lambda s, v: [sum(a * row) for a, row in zip(s, v)],
        ),
        wrong(
            "from the other end",
            "wrong values",
            lambda s, v: np.flip(s) @ v,
            lambda s, v: sum(a * b for a, b in zip(reversed(s), v)),
        ),
        wrong(
            "twice weighed",
            "twice",
            lambda s, v: s @ (s[:, None] * v),
            lambda s, v: sum(a * a * b for a, b in zip(s, v)),
        ),
        wrong(
            "least heard",
            ACCOUNT,
            lambda s, v: v[s.argmin()],
            lambda s, v: min(zip(s, v), key=lambda pair: pair[0])[1],
        ),
        wrong("last only", ACCOUNT, last_piece_only, lambda s, v: s[-1] * v[-1]),
        wrong("returns in the loop", ACCOUNT, returns_after_the_first, lambda s, v: s[0] * v[0]),
        wrong("starts from 1", ACCOUNT, starts_from_ones, lambda s, v: 1 + s @ v),
        wrong(
            "one number",
            ACCOUNT,
            lambda s, v: (s @ v).sum(),
            lambda s, v: sum(a * x for a, row in zip(s, v) for x in row),
        ),
        wrong(
            "by the largest share",
            ACCOUNT,
            lambda s, v: s @ v / s.max(),
            lambda s, v: sum(a / max(s) * b for a, b in zip(s, v)),
        ),
        wrong(
            "cell by cell",
            ACCOUNT,
            lambda s, v: np.resize(s, v.shape[1]) * v,
            lambda s, v: [[s[j % len(s)] * x for j, x in enumerate(row)] for row in v],
        ),
        wrong(
            "softmax first",
            ACCOUNT,
            lambda s, v: softmax_rows(s) @ v,
            lambda s, v: sum(np.exp(a) * b for a, b in zip(s, v)) / sum(np.exp(a) for a in s),
        ),
        wrong(
            "middle value",
            "counts the same",
            lambda s, v: np.median(v, axis=0),
            lambda s, v: [np.median(column) for column in v.T],
        ),
        wrong("a row of one", ACCOUNT, lambda s, v: s[None] @ v, lambda s, v: [sum(a * b for a, b in zip(s, v))]),
        wrong("shares themselves", ACCOUNT, lambda s, v: s[:, None], lambda s, v: [[a] for a in s]),
        wrong(
            "whole numbers",
            "stopped with",
            added_to_whole_numbers,
            lambda s, v: np.add(np.zeros(v.shape[1], int), s @ v, out=np.zeros(v.shape[1], int)),
        ),
        wrong("in place", CHANGES, weighed_in_place, weighed_row_by_row),
    ],
)

# --- halfway and shapes -------------------------------------------------------------------------------------

PLACES = [(1, 4), (7, 5), (6, 1), (2, 1), (4, 4)]


def lies_halfway(shares):
    aim = [dot(shares, column) for column in zip(*PLACES)]
    fits = len(shares) == 5 and min(shares) >= 0 and abs(sum(shares) - 1) < 1e-6
    return fits and abs(aim[0] - 5.5) < 0.03 and abs(aim[1] - 4.5) < 0.03


HALFWAY = Chosen(
    truth=lies_halfway,
    right=[
        [0, 0.5, 0, 0, 0.5],
        (0, 1 / 2, 0, 0, 1 / 2),
        np.array([0, 0.5, 0, 0, 0.5], dtype=np.float32),
        [0.11, 0.59, 0.03, 0, 0.27],
        np.eye(5)[[1, 4]].mean(axis=0),
    ],
    wrong=[
        ([0, 1, 0, 0, 1], "add up to 2"),
        ([0, 50, 0, 0, 50], "add up to 100"),
        ([0, 0, 0, 0, 0], "add up to 0"),
        ([0.2] * 5, "(4.00, 3.00)"),
        ([0, 1, 0, 0, 0], "(7.00, 5.00)"),
        ([0, 0, 0, 0, 1], "(4.00, 4.00)"),
        ([0.5, 0, 0, 0, 0.5], "either side"),
        ([0, 0.5, 0.5, 0, 0], "either side"),
        ([0, 0.6, 0, 0, 0.4], "(5.80, 4.60)"),
        ([0, 1.5, 0, 0, -0.5], "share of -0.5"),
        ([0.5, 0.5], "Five numbers"),
        ([5.5, 4.5], "Five numbers"),
        ((5.5, 4.5, 0, 0, 0), "add up to 10"),
        ([[0, 0.5, 0, 0, 0.5]], "Five numbers"),
        (["0", ".5", "0", "0", ".5"], "Five numbers"),
        ({"window": 0.5, "tea": 0.5}, "Five numbers"),
        ([0, None, 0, 0, 0.5], "Five numbers"),
        ([0, float("nan"), 0, 0, 0.5], "Five numbers"),
        ("0 .5 0 0 .5", "Five numbers"),
        (0.5, "Five numbers"),
    ],
)


def three_shapes(Q=(17, 4), K=(17, 4), V=(17, 3)):
    return {"Q": Q, "K": K, "V": V}


SHAPES = Chosen(
    truth=lambda shapes: [tuple(shapes.pop(name)) for name in "QKV"] == [(17, 4), (17, 4), (17, 3)] and not shapes,
    right=[three_shapes(), three_shapes([17, 4], [17, 4], [17, 3]), three_shapes(V=np.zeros((17, 3)).shape)],
    wrong=[
        (three_shapes(Q=(4, 17)), "Q: rows are tokens"),
        (three_shapes(K=(8, 4)), "K: that's the shape of W_k"),
        (three_shapes(V=(8, 3)), "V: that's the shape of W_v"),
        (three_shapes(Q=(7, 4)), "Q: that was the cut of seven"),
        (three_shapes(V=(7, 3)), "V: that was the cut of seven"),
        (three_shapes(Q=(17, 8)), "Q: that's the shape of X"),
        (three_shapes(V=(17, 4)), "V: Q and K share a width"),
        (three_shapes(K=(17, 3)), "K: (17, 3) isn't it"),
        (three_shapes(K=(17, 17)), "K: (17, 17) isn't it"),
        (three_shapes(Q=17), "Q: 17 isn't it"),
        (three_shapes(Q="(17, 4)"), "isn't it"),
        (three_shapes(V=(17,)), "V: (17,) isn't it"),
        ({"Q": (17, 4), "K": (17, 4)}, "keys Q, K and V"),
        ({"q": (17, 4), "k": (17, 4), "v": (17, 3)}, "keys Q, K and V"),
        ([(17, 4), (17, 4), (17, 3)], "keys Q, K and V"),
    ],
)

ANSWERS = {"project": PROJECT, "blend": BLEND, "halfway": HALFWAY, "shapes": SHAPES}
