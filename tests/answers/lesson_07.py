"""What learners write in lesson 07: attention as a whole, the shapes when others are asked, a count."""

import math

import numpy as np

from tests.answers import ACCOUNT, CHANGES, NONE, Chosen, Written, columns, dot, softmax_of, wrong


def rows_of_softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attend(Q, K, V, by=None):
    """In numpy, with any divisor."""
    return rows_of_softmax(Q @ K.T / (by or np.sqrt(Q.shape[1]))) @ V


def weights_of(Q, K, by=None):
    """In plain Python, with any divisor."""
    return [softmax_of([dot(q, k) / (by or math.sqrt(len(k))) for k in K]) for q in Q]


def mix(weights, V):
    return [[dot(row, column) for column in columns(V)] for row in weights]


def draw_attention(rng, n_queries, n_keys, d_k, d_v):
    """Small queries, and some whose scores only a softmax with its maximum subtracted survives."""
    Q, K, V = (rng.normal(size=size) for size in ((n_queries, d_k), (n_keys, d_k), (n_keys, d_v)))
    return (Q, K, V) if rng.random() < 0.7 else (900 * Q, K, V)


# --- attention: right, in other styles ---


def attention_in_loops(Q, K, V):
    output = []
    for q in Q:
        scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) for k in K]
        exps = [math.exp(score - max(scores)) for score in scores]
        row = [0.0] * V.shape[1]
        for e, value in zip(exps, V):
            row = [x + e / sum(exps) * v for x, v in zip(row, value)]
        output.append(row)
    return output


def divided_at_the_end(Q, K, V):
    scores = np.einsum("qd,kd->qk", Q, K) / Q.shape[1] ** 0.5
    exps = np.exp(scores - scores.max(axis=1)[:, None])
    return (exps @ V) / exps.sum(axis=1)[:, None]


def in_float32(Q, K, V):
    Q, K, V = (np.asarray(X, dtype=np.float32) for X in (Q, K, V))
    return attend(Q, K, V, np.float32(math.sqrt(Q.shape[1])))


def key_by_key(Q, K, V):
    output = []
    for q in Q:
        largest, total, mixed = -math.inf, 0.0, np.zeros(V.shape[1])
        for key, value in zip(K, V):
            score = q @ key / math.sqrt(len(q))
            shrink = math.exp(largest - max(largest, score))
            largest = max(largest, score)
            share = math.exp(score - largest)
            total, mixed = total * shrink + share, mixed * shrink + share * value
        output.append(mixed / total)
    return output


# --- attention: wrong ---


def naive(Q, K, V):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return exps / exps.sum(axis=1, keepdims=True) @ V


def naive_by_rows(Q, K, V):
    exps = [np.exp(K @ q / math.sqrt(len(q))) for q in Q]
    return [e / sum(e) @ V for e in exps]


def over_queries(Q, K, V):
    return rows_of_softmax(K @ Q.T / np.sqrt(Q.shape[1])).T @ V


def over_queries_in_loops(Q, K, V):
    return mix(columns(weights_of(K, Q)), V)


def not_transposed(Q, K, V):
    return rows_of_softmax(Q @ K / np.sqrt(Q.shape[1])) @ V


def not_transposed_in_loops(Q, K, V):
    scores = [[sum(q[f] * K[f, j] for f in range(len(q))) / math.sqrt(len(q)) for j in range(len(K))] for q in Q]
    return mix([softmax_of(row) for row in scores], V)


def first_query_only(Q, K, V):
    for q in Q:
        return softmax_of(K @ q / math.sqrt(len(q))) @ V


def scaled_in_place(Q, K, V):
    output = attend(Q, K, V)
    K /= np.sqrt(K.shape[1])
    return output


def queries_scaled_row_by_row(Q, K, V):
    output = []
    for q in Q:
        q /= math.sqrt(len(q))
        output.append(softmax_of(K @ q) @ V)
    return output


ATTENTION = Written(
    axes=("n_queries d_k", "n_keys d_k", "n_keys d_v"),
    truth=lambda Q, K, V: mix(weights_of(Q, K), V),
    draw=draw_attention,
    right=[
        attend,
        lambda Q, K, V: rows_of_softmax(Q / math.sqrt(K.shape[1]) @ K.T) @ V,
        lambda Q, K, V: (V.T @ rows_of_softmax(Q @ K.T * Q.shape[1] ** -0.5).T).T.tolist(),
        lambda Q, K, V: [rows_of_softmax(K @ q / len(q) ** 0.5) @ V for q in Q],
        attention_in_loops,
        divided_at_the_end,
        in_float32,
        key_by_key,
    ],
    wrong=[
        wrong(
            "not scaled",
            "aren't scaled",
            lambda Q, K, V: attend(Q, K, V, 1),
            lambda Q, K, V: mix(weights_of(Q, K, 1), V),
        ),
        wrong(
            "by d_k",
            "divide by d_k itself",
            lambda Q, K, V: attend(Q, K, V, Q.shape[1]),
            lambda Q, K, V: mix(weights_of(Q, K, len(K[0])), V),
        ),
        wrong(
            "multiplied",
            "multiply by the root",
            lambda Q, K, V: attend(Q, K, V, Q.shape[1] ** -0.5),
            lambda Q, K, V: mix(weights_of(Q, K, 1 / math.sqrt(len(K[0]))), V),
        ),
        wrong(
            "by the keys",
            "number of keys",
            lambda Q, K, V: attend(Q, K, V, np.sqrt(K.shape[0])),
            lambda Q, K, V: mix(weights_of(Q, K, math.sqrt(len(K))), V),
        ),
        wrong(
            "by the queries",
            "number of queries",
            lambda Q, K, V: attend(Q, K, V, np.sqrt(Q.shape[0])),
            lambda Q, K, V: mix(weights_of(Q, K, math.sqrt(len(Q))), V),
        ),
        wrong(
            "by d_v",
            "scale with d_v",
            lambda Q, K, V: attend(Q, K, V, np.sqrt(V.shape[-1])),
            lambda Q, K, V: mix(weights_of(Q, K, math.sqrt(len(V[0]))), V),
        ),
        wrong(
            "scaled after softmax",
            "after softmax",
            lambda Q, K, V: attend(Q, K, V, 1) / np.sqrt(Q.shape[1]),
            lambda Q, K, V: mix([[w / math.sqrt(len(K[0])) for w in row] for row in weights_of(Q, K, 1)], V),
        ),
        wrong("over the queries", "runs over the queries", over_queries, over_queries_in_loops),
        wrong(
            "the weights",
            "These are the weights",
            lambda Q, K, V: attend(Q, K, np.eye(len(K))),
            lambda Q, K, V: weights_of(Q, K),
        ),
        wrong(
            "no softmax",
            "mixed with the scores",
            lambda Q, K, V: Q @ K.T / np.sqrt(Q.shape[1]) @ V,
            lambda Q, K, V: mix([[dot(q, k) / math.sqrt(len(k)) for k in K] for q in Q], V),
        ),
        wrong(
            "K and V swapped",
            "K and V have changed places",
            lambda Q, K, V: attend(Q, V, K),
            lambda Q, K, V: mix(
                [softmax_of([sum(a * b for a, b in zip(q, v, strict=True)) / math.sqrt(len(q)) for v in V]) for q in Q],
                K,
            ),
        ),
        wrong(
            "keys handed over",
            "handed over the keys",
            lambda Q, K, V: attend(Q, K, K),
            lambda Q, K, V: mix(weights_of(Q, K), K),
        ),
        wrong(
            "Q and K swapped",
            "the keys are asking",
            lambda Q, K, V: rows_of_softmax(K @ Q.T / np.sqrt(Q.shape[1])) @ V,
            lambda Q, K, V: [sum(w * v for w, v in zip(row, V, strict=True)) for row in weights_of(K, Q)],
        ),
        wrong("not transposed", "over features or over tokens", not_transposed, not_transposed_in_loops),
        wrong("no maximum", "subtracted before exp", naive, naive_by_rows),
        wrong(
            "on its side",
            "on their side",
            lambda Q, K, V: attend(Q, K, V).T,
            lambda Q, K, V: columns(mix(weights_of(Q, K), V)),
        ),
        wrong(
            "neither scaled nor softmax",
            ACCOUNT,
            lambda Q, K, V: Q @ K.T @ V,
            lambda Q, K, V: mix([[dot(q, k) for k in K] for q in Q], V),
        ),
        wrong(
            "softmax at the end",
            ACCOUNT,
            lambda Q, K, V: rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[1]) @ V),
            lambda Q, K, V: [
                softmax_of(row) for row in mix([[dot(q, k) / math.sqrt(len(k)) for k in K] for q in Q], V)
            ],
        ),
        wrong(
            "scaled at the end too",
            ACCOUNT,
            lambda Q, K, V: attend(Q, K, V) / np.sqrt(Q.shape[1]),
            lambda Q, K, V: [[x / math.sqrt(len(K[0])) for x in row] for row in mix(weights_of(Q, K), V)],
        ),
        wrong(
            "both results",
            ACCOUNT,
            lambda Q, K, V: np.hstack([attend(Q, K, V), attend(Q, K, np.eye(len(K)))]),
            lambda Q, K, V: [a + b for a, b in zip(mix(weights_of(Q, K), V), weights_of(Q, K))],
        ),
        wrong(
            "best key only",
            ACCOUNT,
            lambda Q, K, V: V[(Q @ K.T).argmax(axis=1)],
            lambda Q, K, V: [max(zip(K, V), key=lambda pair: dot(q, pair[0]))[1] for q in Q],
        ),
        wrong(
            "mean of the values",
            ACCOUNT,
            lambda Q, K, V: np.tile(V.mean(axis=0), (len(Q), 1)),
            lambda Q, K, V: [sum(V) / len(V) for _ in Q],
        ),
        wrong(
            "cell by cell",
            "stopped with ",
            lambda Q, K, V: rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[1])) * V[:, :, None].squeeze(9),
            lambda Q, K, V: [[w * v for w, v in zip(row, V.columns)] for row in weights_of(Q, K)],
        ),
        wrong(
            "keys with keys",
            ACCOUNT,
            lambda Q, K, V: attend(K, K, V),
            lambda Q, K, V: mix(weights_of(K, K), V),
        ),
        wrong("first query only", ACCOUNT, first_query_only, lambda Q, K, V: attend(Q, K, V)[0]),
        wrong(
            "looks back only",
            ACCOUNT,
            lambda Q, K, V: np.tril(rows_of_softmax(Q @ K.T / np.sqrt(Q.shape[1]))) @ V,
            lambda Q, K, V: mix(
                [[w if j <= i else 0 for j, w in enumerate(row)] for i, row in enumerate(weights_of(Q, K))], V
            ),
        ),
        wrong(
            "a residual",
            ACCOUNT,
            lambda Q, K, V: attend(Q, K, V) + attend(Q, K, V).mean(),
            lambda Q, K, V: np.array(mix(weights_of(Q, K), V)) + np.mean(mix(weights_of(Q, K), V)),
        ),
        wrong(
            "a sign",
            ACCOUNT,
            lambda Q, K, V: attend(-Q, K, V),
            lambda Q, K, V: mix(weights_of(Q, K, -math.sqrt(len(K[0]))), V),
        ),
        wrong(
            "prints",
            NONE,
            lambda Q, K, V: print(attend(Q, K, V)),
            lambda Q, K, V: [print(row) for row in weights_of(Q, K)].clear(),
        ),
        wrong("changes its input", CHANGES, scaled_in_place, queries_scaled_row_by_row),
    ],
)

# --- a count ---


def draw_sizes(rng):
    return tuple(int(size) for size in rng.choice(np.arange(2, 40), 3, replace=False))


def counted_one_by_one(n, d_k, d_v):
    return sum(1 for _ in range(n) for _ in range(n) for _ in range(d_k + d_v))


def counted_without_the_values(n, d_k, d_v):
    count = 0
    for _ in range(n):
        count += n * d_k
    return count


MULTIPLICATIONS = Written(
    axes=("", "", ""),
    truth=lambda n, d_k, d_v: sum(n * d for d in (d_k, d_v) for _ in range(n)),
    draw=draw_sizes,
    right=[
        lambda n, d_k, d_v: n**2 * (d_k + d_v),
        lambda n, d_k, d_v: n * n * d_k + n * n * d_v,
        lambda n, d_k, d_v: float(np.prod([n, n, d_k + d_v])),
        counted_one_by_one,
    ],
    wrong=[
        wrong(
            "one partner each",
            "one partner",
            lambda n, d_k, d_v: n * (d_k + d_v),
            lambda n, d_k, d_v: sum(d_k + d_v for _ in range(n)),
        ),
        wrong(
            "scores counted",
            "how many scores",
            lambda n, d_k, d_v: n**2,
            lambda n, d_k, d_v: sum(n for _ in range(n)),
        ),
        wrong("scores alone", "the scores alone", lambda n, d_k, d_v: n**2 * d_k, counted_without_the_values),
        wrong(
            "mixing alone",
            "mixing alone",
            lambda n, d_k, d_v: n**2 * d_v,
            lambda n, d_k, d_v: sum(n * d_v for _ in range(n)),
        ),
        wrong(
            "multiplied",
            "add up",
            lambda n, d_k, d_v: n**2 * d_k * d_v,
            lambda n, d_k, d_v: sum(n * d_k * d_v for _ in range(n)),
        ),
        wrong(
            "one value each",
            "mixes n values",
            lambda n, d_k, d_v: n * (n * d_k + d_v),
            lambda n, d_k, d_v: sum(n * d_k + d_v for _ in range(n)),
        ),
        wrong(
            "additions too",
            "Twice too many",
            lambda n, d_k, d_v: 2 * n**2 * (d_k + d_v),
            lambda n, d_k, d_v: sum(2 * n * (d_k + d_v) for _ in range(n)),
        ),
        wrong(
            "not with itself",
            "with itself",
            lambda n, d_k, d_v: n * (n - 1) * (d_k + d_v),
            lambda n, d_k, d_v: sum((n - 1) * (d_k + d_v) for _ in range(n)),
        ),
        wrong(
            "each pair once",
            ACCOUNT,
            lambda n, d_k, d_v: n * (n + 1) // 2 * (d_k + d_v),
            lambda n, d_k, d_v: sum((i + 1) * (d_k + d_v) for i in range(n)),
        ),
        wrong(
            "cubed",
            ACCOUNT,
            lambda n, d_k, d_v: n**3 * (d_k + d_v),
            lambda n, d_k, d_v: sum(n * n * (d_k + d_v) for _ in range(n)),
        ),
        wrong(
            "xor for power",
            "stopped with TypeError",
            lambda n, d_k, d_v: (n ^ 2.0) * (d_k + d_v),
            lambda n, d_k, d_v: n(n)(d_k + d_v),
        ),
        wrong(
            "^ is no power",
            ACCOUNT,
            lambda n, d_k, d_v: (n ^ 2) * (d_k + d_v),
            lambda n, d_k, d_v: sum(n ^ 2 for _ in range(d_k + d_v)),
        ),
        wrong(
            "twice d_k",
            ACCOUNT,
            lambda n, d_k, d_v: 2 * n**2 * d_k + n,
            lambda n, d_k, d_v: sum(2 * n * d_k + 1 for _ in range(n)),
        ),
        wrong(
            "a list of two",
            ACCOUNT,
            lambda n, d_k, d_v: [n**2 * d_k, n**2 * d_v],
            lambda n, d_k, d_v: tuple(n * n * d for d in (d_k, d_v)),
        ),
        wrong(
            "a formula",
            "array of numbers",
            lambda n, d_k, d_v: f"{n}**2 * ({d_k} + {d_v})",
            lambda n, d_k, d_v: "n²(d_k + d_v)",
        ),
        wrong(
            "prints",
            NONE,
            lambda n, d_k, d_v: print(n * n * (d_k + d_v)),
            lambda n, d_k, d_v: [print(n) for _ in range(n)].clear(),
        ),
    ],
)

# --- shapes ---


def three_shapes(scores=(2, 5), weights=(2, 5), output=(2, 3)):
    return {"scores": scores, "weights": weights, "output": output}


CROSS_SHAPES = Chosen(
    truth=lambda shapes: {name: tuple(shape) for name, shape in shapes.items()} == three_shapes(),
    right=[three_shapes(), three_shapes([2, 5], [2, 5], [2, 3]), three_shapes(output=np.zeros((2, 3)).shape)],
    wrong=[
        (three_shapes(scores=(5, 2)), "scores: rows are queries"),
        (three_shapes(weights=(5, 2)), "weights: rows are queries"),
        (three_shapes(output=(3, 2)), "output: rows are queries"),
        (three_shapes(scores=(5, 5)), "scores: square only"),
        (three_shapes(weights=(2, 2)), "weights: square only"),
        (three_shapes(scores=(2, 4)), "scores: d_k is summed over"),
        (three_shapes(output=(2, 4)), "output: d_k is summed over"),
        (three_shapes(output=(5, 3)), "output: that's the shape of V"),
        (three_shapes(output=(2, 5)), "output: not that shape"),
        (three_shapes(weights=(2,)), "weights: not that shape"),
        (three_shapes(weights=10), "weights: not that shape"),
        (three_shapes(scores="(2, 5)"), "scores: not that shape"),
        ({"scores": (2, 5), "weights": (2, 5)}, "keys scores, weights and output"),
        ([(2, 5), (2, 5), (2, 3)], "keys scores, weights and output"),
        ((2, 5), "keys scores, weights and output"),
    ],
)

ANSWERS = {"attention": ATTENTION, "multiplications": MULTIPLICATIONS, "cross_shapes": CROSS_SHAPES}
