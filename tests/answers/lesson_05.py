"""What learners write in lesson 05: mixed values, what each key adds, a query that asks for coffee."""

import numpy as np

from tests.answers import (
    ACCOUNT,
    CHANGES,
    NONE,
    Chosen,
    Written,
    columns,
    dot,
    softmax_of,
    softmax_rows,
    wrong,
)

# --- mixing: right, in other styles ---


def draw_weights(rng, n_queries, n_keys, d_v):
    return softmax_rows(rng.normal(size=(n_queries, n_keys))), rng.normal(size=(n_keys, d_v))


def mixed_in_loops(weights, V):
    output = np.zeros((len(weights), V.shape[1]))
    for i in range(len(weights)):
        for j in range(len(V)):
            output[i] += weights[i, j] * V[j]
    return output


def mixed_key_by_key(weights, V):
    output = 0
    for column, value in zip(weights.T, V):
        output = output + np.outer(column, value)
    return output


# --- mixing: wrong ---


def set_not_added(weights, V):
    output = np.zeros((len(weights), V.shape[1]))
    for i in range(len(weights)):
        for j in range(len(V)):
            output[i] = weights[i, j] * V[j]
    return output


def output_never_cleared(weights, V):
    total, output = np.zeros(V.shape[1]), []
    for row in weights:
        for weight, value in zip(row, V):
            total = total + weight * value
        output.append(total)
    return output


def one_list_for_all(weights, V):
    output, total = [], np.zeros(V.shape[1])
    for row in weights:
        for weight, value in zip(row, V):
            total += weight * value
        output.append(total)
    return output


def first_query_only(weights, V):
    for row in weights:
        return row @ V


def columns_of_weights(weights, V):
    return [sum(weights[j, i] * V[j] for j in range(len(V))) for i in range(weights.shape[1])]


def queries_overwritten(weights, V):
    output = weights @ V
    weights[:] = weights.round()
    return output


def values_weighed_in_place(weights, V):
    output = [row @ V for row in weights]
    for j in range(len(V)):
        V[j] *= weights[0, j]
    return output


WEIGH = Written(
    axes=("n_queries n_keys", "n_keys d_v"),
    truth=lambda weights, V: [[dot(row, column) for column in columns(V)] for row in weights],
    draw=draw_weights,
    right=[
        lambda w, V: np.dot(w, V),
        lambda w, V: np.einsum("qk,kd->qd", w, V),
        lambda w, V: (V.T @ w.T).T,
        lambda w, V: (w[:, :, None] * V).sum(axis=1),
        lambda w, V: np.float32(w) @ np.float32(V),
        lambda w, V: [[sum(a * b for a, b in zip(row, column)) for column in V.T] for row in w],
        lambda w, V: np.stack([np.average(V, axis=0, weights=row) for row in w]),
        mixed_in_loops,
        mixed_key_by_key,
    ],
    wrong=[
        wrong("columns of weights", "Whose weights build row 0", lambda w, V: w.T @ V, columns_of_weights),
        wrong(
            "V transposed",
            "transposed V",
            lambda w, V: w @ V.T,
            lambda w, V: [[dot(row, value) for value in V] for row in w],
        ),
        wrong(
            "values first",
            "other order",
            lambda w, V: V @ w,
            lambda w, V: [[dot(value, column) for column in columns(w)] for value in V],
        ),
        wrong(
            "along the queries",
            "mixed along the queries",
            lambda w, V: V.T @ w,
            lambda w, V: [[dot(v, column) for column in columns(w)] for v in columns(V)],
        ),
        wrong(
            "cell by cell",
            "cell by cell",
            np.multiply,
            lambda w, V: [[a * b for a, b in zip(row, value)] for row, value in zip(w, V)],
        ),
        wrong(
            "lookup",
            "lookup",
            lambda w, V: V[w.argmax(axis=-1)],
            lambda w, V: [V[list(row).index(max(row))] for row in w],
        ),
        wrong(
            "mean",
            "counts the same",
            lambda w, V: np.ones_like(w) / len(V) @ V,
            lambda w, V: [V.mean(axis=0) for _ in w],
        ),
        wrong(
            "mean of the weighed",
            "divided by how many keys",
            lambda w, V: (w[:, :, None] * V).mean(axis=1),
            lambda w, V: [sum(a * v for a, v in zip(row, V)) / len(V) for row in w],
        ),
        wrong(
            "on its side",
            "on their side",
            lambda w, V: (w @ V).T,
            lambda w, V: [[dot(row, column) for row in w] for column in columns(V)],
        ),
        wrong(
            "queries added up",
            "added the queries up",
            lambda w, V: w.sum(axis=0) @ V,
            lambda w, V: sum(row @ V for row in w),
        ),
        wrong("first query only", "Only the first query", first_query_only, lambda w, V: (w @ V)[0]),
        wrong(
            "not added up",
            "One step is missing",
            lambda w, V: np.einsum("qk,kd->qkd", w, V),
            lambda w, V: [[a * v for a, v in zip(row, V)] for row in w],
        ),
        wrong(
            "centred",
            "moved the origin",
            lambda w, V: w @ V - V.mean(axis=0),
            lambda w, V: [row @ (V - sum(V) / len(V)) for row in w],
        ),
        wrong("= for +=", ACCOUNT, set_not_added, lambda w, V: np.outer(w[:, -1], V[-1])),
        wrong("total never cleared", ACCOUNT, output_never_cleared, lambda w, V: (w @ V).cumsum(axis=0)),
        wrong(
            "one list for all",
            ACCOUNT,
            one_list_for_all,
            lambda w, V: np.tile((w @ V).sum(axis=0), (len(w), 1)),
        ),
        wrong("the values", "values themselves", lambda w, V: V, lambda w, V: [list(value) for value in V]),
        wrong("the weights", ACCOUNT, lambda w, V: w, lambda w, V: [list(row) for row in w]),
        wrong(
            "unweighted sum",
            ACCOUNT,
            lambda w, V: np.tile(V.sum(axis=0), (len(w), 1)),
            lambda w, V: [sum(V) for _ in w],
        ),
        wrong(
            "softmax again",
            ACCOUNT,
            lambda w, V: softmax_rows(w) @ V,
            lambda w, V: [softmax_of(row) @ V for row in w],
        ),
        wrong(
            "weights squared",
            ACCOUNT,
            lambda w, V: w**2 @ V,
            lambda w, V: [sum(a * a * v for a, v in zip(row, V)) for row in w],
        ),
        wrong(
            "values backwards",
            ACCOUNT,
            lambda w, V: w @ V[::-1],
            lambda w, V: [sum(a * v for a, v in zip(row, reversed(V))) for row in w],
        ),
        wrong(
            "lookup, weighed",
            ACCOUNT,
            lambda w, V: w.max(axis=1, keepdims=True) * V[w.argmax(axis=1)],
            lambda w, V: [max(row) * V[np.argmax(row)] for row in w],
        ),
        wrong(
            "numbers of a value added up",
            ACCOUNT,
            lambda w, V: w @ V.sum(axis=1),
            lambda w, V: [sum(row @ V) for row in w],
        ),
        wrong("one number", ACCOUNT, lambda w, V: (w @ V).sum(), lambda w, V: sum(map(sum, w @ V))),
        wrong(
            "all pairs of entries",
            ACCOUNT,
            lambda w, V: np.kron(w, V),
            lambda w, V: [[a * b for a in row for b in value] for row in w for value in V],
        ),
        wrong(
            "rounded",
            "lookup",
            lambda w, V: w.round() @ V,
            lambda w, V: [[round(a) for a in row] @ V for row in w],
        ),
        wrong("prints", NONE, lambda w, V: print(w @ V), lambda w, V: [print(row @ V) for row in w].clear()),
        wrong(
            "a method that arrays lack",
            "stopped with AttributeError",
            lambda w, V: w.matmul(V),
            lambda w, V: [row.weigh(V) for row in w],
        ),
        wrong("changes its input", CHANGES, queries_overwritten, values_weighed_in_place),
    ],
)

# --- contributions ---


def draw_row(rng, n_keys, d_v):
    return softmax_rows(rng.normal(size=n_keys)), rng.normal(size=(n_keys, d_v))


def added_in_loops(weights_row, V):
    rows = []
    for j in range(len(V)):
        rows.append([])
        for number in V[j]:
            rows[j].append(weights_row[j] * number)
    return rows


def running_sum(weights_row, V):
    total, rows = 0, []
    for weight, value in zip(weights_row, V):
        total = total + weight * value
        rows.append(total)
    return rows


def one_row_many_times(weights_row, V):
    row, rows = np.zeros(V.shape[1]), []
    for weight, value in zip(weights_row, V):
        row[:] = weight * value
        rows.append(row)
    return rows


def weighed_in_place(weights_row, V):
    V *= weights_row[:, None]
    return V


def weighed_row_by_row(weights_row, V):
    for j in range(len(V)):
        V[j] *= weights_row[j]
    return V.copy()


CONTRIBUTIONS = Written(
    axes=("n_keys", "n_keys d_v"),
    truth=lambda weights_row, V: [[weight * number for number in value] for weight, value in zip(weights_row, V)],
    draw=draw_row,
    right=[
        lambda w, V: np.diag(w) @ V,
        lambda w, V: np.einsum("k,kd->kd", w, V),
        lambda w, V: (w * V.T).T,
        lambda w, V: w.reshape(-1, 1).astype(np.float32) * V,
        lambda w, V: [weight * value for weight, value in zip(w, V)],
        lambda w, V: np.repeat(w, V.shape[1]).reshape(V.shape) * V,
        added_in_loops,
    ],
    wrong=[
        wrong(
            "weights meet columns",
            "a column of V instead of a row",
            lambda w, V: w * V,
            lambda w, V: [[a * x for a, x in zip(w, value, strict=True)] for value in V],
        ),
        wrong(
            "added up",
            "Keep what each key adds apart",
            lambda w, V: w @ V,
            lambda w, V: sum(a * v for a, v in zip(w, V)),
        ),
        wrong("the weights", "These are the weights", lambda w, V: w, lambda w, V: [a for a in w]),
        wrong(
            "on its side",
            "on their side",
            lambda w, V: w * V.T,
            lambda w, V: [[a * x for a, x in zip(w, column)] for column in V.T],
        ),
        wrong(
            "lengths",
            "its length",
            lambda w, V: np.linalg.norm(w[:, None] * V, axis=1),
            lambda w, V: [a * np.sqrt(sum(v * v)) for a, v in zip(w, V)],
        ),
        wrong(
            "added",
            "You added",
            lambda w, V: V + w.reshape(-1, 1),
            lambda w, V: [[a + x for x in v] for a, v in zip(w, V)],
        ),
        wrong("the values", "unweighed", lambda w, V: V, lambda w, V: [list(v) for v in V]),
        wrong(
            "divided",
            "divide by the weight",
            lambda w, V: (V.T / w).T,
            lambda w, V: [v / a for a, v in zip(w, V)],
        ),
        wrong("running sum", ACCOUNT, running_sum, lambda w, V: (w[:, None] * V).cumsum(axis=0)),
        wrong(
            "one row many times",
            ACCOUNT,
            one_row_many_times,
            lambda w, V: np.tile(w[-1] * V[-1], (len(V), 1)),
        ),
        wrong(
            "each value added up",
            ACCOUNT,
            lambda w, V: w * V.sum(axis=1),
            lambda w, V: [a * sum(v) for a, v in zip(w, V)],
        ),
        wrong(
            "weighed twice",
            ACCOUNT,
            lambda w, V: w[:, None] ** 2 * V,
            lambda w, V: [a * a * v for a, v in zip(w, V)],
        ),
        wrong(
            "shares of the output",
            ACCOUNT,
            lambda w, V: w[:, None] * V / (w @ V),
            lambda w, V: [a * v / (w @ V) for a, v in zip(w, V)],
        ),
        wrong(
            "signs dropped",
            ACCOUNT,
            lambda w, V: abs(w[:, None] * V) + 1e-1,
            lambda w, V: [[abs(a * x) + 0.1 for x in v] for a, v in zip(w, V)],
        ),
        wrong(
            "every pair",
            ACCOUNT,
            lambda w, V: np.multiply.outer(w, V),
            lambda w, V: [[a * v for v in V] for a in w],
        ),
        wrong(
            "best key only",
            ACCOUNT,
            lambda w, V: (w == w.max())[:, None] * w[:, None] * V,
            lambda w, V: [a * v if a == max(w) else 0 * v for a, v in zip(w, V)],
        ),
        wrong(
            "backwards",
            ACCOUNT,
            lambda w, V: w[::-1, None] * V,
            lambda w, V: [a * v for a, v in zip(reversed(w), V)],
        ),
        wrong(
            "a row of one",
            ACCOUNT,
            lambda w, V: (w @ V)[None],
            lambda w, V: [sum(a * v for a, v in zip(w, V))],
        ),
        wrong(
            "texts",
            "array of numbers",
            lambda w, V: [f"{v}" for v in w[:, None] * V],
            lambda w, V: ", ".join(map(str, w)),
        ),
        wrong(
            "prints",
            NONE,
            lambda w, V: print(w[:, None] * V),
            lambda w, V: [print(a * v) for a, v in zip(w, V)].clear(),
        ),
        wrong("in place", CHANGES, weighed_in_place, weighed_row_by_row),
    ],
)

# --- asking for coffee ---

KEYS = [[0.5, 0, 2], [2, 0.5, 0], [0.5, 2, 0], [0, 0, 1.5], [1, 1.5, 0]]
PLACES = [(1, 4), (7, 5), (6, 1), (2, 1), (4, 4)]


def lies_at_the_coffee(query):
    weights = softmax_of([dot(query, key) for key in KEYS])
    x, y = (dot(weights, column) for column in zip(*PLACES))
    return len(query) == 3 and (x - 6) ** 2 + (y - 1) ** 2 <= 0.25


ASK = Chosen(
    truth=lies_at_the_coffee,
    right=[[-2, 4, -2], (0, 10, 0), np.array([-4, 4, 0]), np.float32([-3, 5, -3]), [-1000, 2000, 0]],
    wrong=[
        ([0, 2, 0], "the others still pull"),
        ([0, 1, 0], "the others still pull"),
        ([0, 0, 0], "has most of the say"),
        ([1, 1, 1], "the senior next to me has most"),
        ([5, 0, 0], "the senior by the window has most"),
        ([0, 0, 5], "the senior next to me has most"),
        ([0, -4, 0], "has most of the say"),
        ([6, 1, 0], "the senior by the window has most"),
        ([0.5, 2, 0], "the others still pull"),
        ([2, 4, 0], "the others still pull"),
        ([6, 1], "three numbers"),
        ([[0, 10, 0]], "three numbers"),
        ("coffee", "three numbers"),
        (["0", "10", "0"], "three numbers"),
        ([0, float("inf"), 0], "three numbers"),
        (10, "three numbers"),
    ],
)

ANSWERS = {"weigh_values": WEIGH, "contributions": CONTRIBUTIONS, "ask_for_coffee": ASK}
