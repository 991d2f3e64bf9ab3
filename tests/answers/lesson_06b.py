"""What learners write in lesson 06b: the gradient of the values, the loss of a mix-up, two descents that are one."""

import math

import numpy as np

from tests.answers import ACCOUNT, CHANGES, NONE, Chosen, Written, columns, dot, softmax_rows, wrong

# --- the gradient of the values: right, in other styles ---


def draw_slopes(rng, n_queries, n_keys, d_v):
    return softmax_rows(rng.normal(size=(n_queries, n_keys))), rng.normal(size=(n_queries, d_v))


def added_use_by_use(weights, d_output):
    d_V = np.zeros((weights.shape[1], d_output.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            d_V[j] += weights[i, j] * d_output[i]
    return d_V


def by_finite_differences(weights, d_output):
    d_V = np.zeros((weights.shape[1], d_output.shape[1]))
    for place in np.ndindex(d_V.shape):
        V = np.zeros_like(d_V)
        V[place] = 1
        d_V[place] = (weights @ V * d_output).sum()  # a linear function: any step gives its slope
    return d_V


# --- wrong ---


def set_not_added(weights, d_output):
    d_V = np.zeros((weights.shape[1], d_output.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            d_V[j] = weights[i, j] * d_output[i]
    return d_V


def slopes_overwritten(weights, d_output):
    d_V = weights.T @ d_output
    d_output *= 0.5
    return d_V


def weights_used_up(weights, d_output):
    d_V = sum(np.outer(row, d) for row, d in zip(weights, d_output))
    for row in weights:
        row[0] = 0
    return d_V


GRADIENT = Written(
    axes=("n_queries n_keys", "n_queries d_v"),
    truth=lambda weights, d_output: [[dot(w, d) for d in columns(d_output)] for w in columns(weights)],
    draw=draw_slopes,
    right=[
        lambda w, d: w.T @ d,
        lambda w, d: np.einsum("qk,qd->kd", w, d),
        lambda w, d: (d.T @ w).T,
        lambda w, d: (w[:, :, None] * d[:, None]).sum(axis=0),
        lambda w, d: sum(np.outer(row, slope) for row, slope in zip(w, d)),
        lambda w, d: np.tensordot(np.float32(w), np.float32(d), axes=(0, 0)).tolist(),
        added_use_by_use,
        by_finite_differences,
    ],
    wrong=[
        wrong(
            "not transposed",
            "as if they were values",
            lambda w, d: w @ d,
            lambda w, d: [[dot(row, slope) for slope in columns(d)] for row in w],
        ),
        wrong(
            "on its side",
            "on their side",
            lambda w, d: d.T @ w,
            lambda w, d: [[dot(a, b) for a in columns(w)] for b in columns(d)],
        ),
        wrong(
            "slopes transposed",
            "transposed d_output",
            lambda w, d: w @ d.T,
            lambda w, d: [[dot(row, slope) for slope in d] for row in w],
        ),
        wrong(
            "other order",
            "The other order",
            lambda w, d: d @ w,
            lambda w, d: [[dot(slope, a) for a in columns(w)] for slope in d],
        ),
        wrong(
            "both transposed",
            "Both are on their side",
            lambda w, d: d.T @ w.T,
            lambda w, d: [[dot(slope, row) for row in w] for slope in columns(d)],
        ),
        wrong(
            "cell by cell",
            "cell by cell",
            np.multiply,
            lambda w, d: [[a * b for a, b in zip(row, slope)] for row, slope in zip(w, d)],
        ),
        wrong("d_output", "d_output itself", lambda w, d: d, lambda w, d: [list(slope) for slope in d]),
        wrong(
            "mean",
            "divided by their number",
            lambda w, d: w.T @ d / w.shape[0],
            lambda w, d: sum(np.outer(a, b) for a, b in zip(w, d)) / len(d),
        ),
        wrong(
            "not added up",
            "One step is missing",
            lambda w, d: np.einsum("qk,qd->qkd", w, d),
            lambda w, d: [np.outer(a, b) for a, b in zip(w, d)],
        ),
        wrong(
            "all the same",
            "Where do the weights come in",
            lambda w, d: np.ones_like(w).T @ d,
            lambda w, d: [sum(d) for _ in w[0]],
        ),
        wrong("= for +=", ACCOUNT, set_not_added, lambda w, d: np.outer(w[-1], d[-1])),
        wrong(
            "downhill",
            ACCOUNT,
            lambda w, d: -w.T @ d,
            lambda w, d: [[-dot(a, b) for b in columns(d)] for a in columns(w)],
        ),
        wrong("the weights", ACCOUNT, lambda w, d: w.T, lambda w, d: columns(w)),
        wrong(
            "weights squared",
            ACCOUNT,
            lambda w, d: (w**2).T @ d,
            lambda w, d: [[dot([x * x for x in a], b) for b in columns(d)] for a in columns(w)],
        ),
        wrong(
            "each key's share",
            ACCOUNT,
            lambda w, d: (w / w.sum(axis=0)).T @ d,
            lambda w, d: [[dot(a, b) / sum(a) for b in columns(d)] for a in columns(w)],
        ),
        wrong(
            "first query only",
            ACCOUNT,
            lambda w, d: np.outer(w[0], d[0]),
            lambda w, d: [[a * b for b in d[0]] for a in w[0]],
        ),
        wrong(
            "slopes added up",
            ACCOUNT,
            lambda w, d: w.T @ d.sum(axis=1),
            lambda w, d: [dot(a, map(sum, d)) for a in columns(w)],
        ),
        wrong(
            "twice",
            ACCOUNT,
            lambda w, d: 2 * w.T @ d,
            lambda w, d: [[2 * dot(a, b) for b in columns(d)] for a in columns(w)],
        ),
        wrong(
            "signs dropped",
            ACCOUNT,
            lambda w, d: w.T @ abs(d) + 1,
            lambda w, d: [[1 + dot(a, map(abs, b)) for b in columns(d)] for a in columns(w)],
        ),
        wrong("prints", NONE, lambda w, d: print(w.T @ d), lambda w, d: [print(slope) for slope in d].clear()),
        wrong("changes its input", CHANGES, slopes_overwritten, weights_used_up),
    ],
)

# --- numbers ---

RING = [(math.sqrt(2) * math.cos(i * math.pi / 4), math.sqrt(2) * math.sin(i * math.pi / 4)) for i in range(8)]
APART = math.dist(RING[0], RING[1])  # of neighbouring spots, on a ring that has a radius of √2

MIXED_UP = Chosen(
    truth=lambda loss: not isinstance(loss, str) and abs(float(loss) - 2 * APART**2 / 16) < 0.001,
    right=[APART**2 / 8, round(APART**2 / 8, 3), np.float32(APART**2 / 8), np.array(APART**2 / 8)],
    wrong=[
        (APART**2 / 16, "In a swap, two are wrong"),
        (APART**2 / 4, "divide by eight people"),
        (APART**2, "squared distance of two"),
        (2 * APART**2, "sum of the squares"),
        (APART, "That's the distance"),
        (APART / 8, "took distances"),
        (1, "middle of the room"),
        (2, "random person"),
        (0, "all eight are right"),
        (-(APART**2) / 8, "all eight are right"),
        (0.2, "isn't it"),
        (100, "isn't it"),
        ([APART**2 / 8], "One number"),
        ("0.146", "One number"),
        (float("nan"), "One number"),
    ],
)


def descent(start=1 / 16, rate=1 / 32):
    return {"start": start, "rate": rate}


SAME_DESCENT = Chosen(
    truth=lambda d: (
        set(d) == {"start", "rate"}
        and math.isclose(d["start"] * math.sqrt(16), 0.25, rel_tol=4e-3)
        and math.isclose(d["rate"] * 16, 0.5, rel_tol=4e-3)
    ),
    right=[descent(), descent(0.0625, 0.03125), descent(np.float32(1 / 16), 0.5 / 256**0.5)],
    wrong=[
        (descent(start=0.25 / 16), "start: You took all of 1/16"),
        (descent(start=0.25), "start: That's the scaled layer's own"),
        (descent(start=1), "start: The wrong way"),
        (descent(start=0.25 / 256), "start: That's divided by d_k"),
        (descent(start=0.1), "start: not that"),
        (descent(start=-1 / 16), "start: not that"),
        (descent(rate=0.5), "rate: The start is right"),
        (descent(rate=0.5 / 4), "rate: That's the factor of one W"),
        (descent(rate=8), "rate: The wrong way"),
        (descent(rate=2), "rate: The wrong way"),
        (descent(rate=0.5 / 256), "rate: That's divided by d_k"),
        (descent(rate=0), "rate: not that"),
        (descent(start="1/16"), "start: one number"),
        (descent(rate=[1 / 32]), "rate: one number"),
        ({"start": 1 / 16}, "keys start and rate"),
        ((1 / 16, 1 / 32), "keys start and rate"),
    ],
)

ANSWERS = {"values_gradient": GRADIENT, "mixed_up": MIXED_UP, "same_descent": SAME_DESCENT}
