"""What learners write in lesson 04: softmax, a sharpness, scores for given weights."""

import math

import numpy as np

from tests.answers import ACCOUNT, CHANGES, NONE, Chosen, Written, softmax_of, wrong


def draw_scores(rng, n_queries, n_keys):
    """Of every kind that softmax must survive: small, whole, large, and far apart."""
    scores = rng.normal(size=(n_queries, n_keys))
    kinds = [scores, (3 * scores).astype(int), scores + 1000, scores + 2000 * np.eye(n_queries, n_keys)]
    return (kinds[rng.integers(len(kinds))],)


# --- softmax: right, in other styles ---


def softmax_in_loops(scores):
    weights = []
    for row in scores:
        largest = max(row)
        exps = [math.exp(score - largest) for score in row]
        total = sum(exps)
        weights.append([e / total for e in exps])
    return weights


def softmax_by_rows(scores):
    weights = np.empty(scores.shape)
    for i in range(len(scores)):
        exps = np.exp(scores[i] - scores[i].max())
        weights[i] = exps / exps.sum()
    return weights


def softmax_by_logarithms(scores):
    largest = scores.max(axis=1, keepdims=True)
    return np.exp(scores - largest - np.log(np.exp(scores - largest).sum(axis=1, keepdims=True)))


def softmax_in_float32(scores):
    shifted = np.asarray(scores, dtype=np.float32)
    shifted = shifted - np.amax(shifted, axis=-1)[:, None]
    return np.exp(shifted) / np.exp(shifted).sum(-1)[:, np.newaxis]


def softmax_by_base_2(scores):
    powers = np.exp2((scores - scores.max(axis=1, keepdims=True)) * math.log2(math.e))
    return np.einsum("qk,q->qk", powers, 1 / powers.sum(axis=1))


# --- softmax: wrong ---


def exps_of(rows):
    return [[math.exp(score) for score in row] for row in rows]


def shifted(scores):
    return scores - scores.max(axis=-1, keepdims=True)


def rows_divided(rows, totals):
    return [[x / total for x in row] for row, total in zip(rows, totals)]


def over_columns_in_loops(scores):
    return np.array([softmax_of(column) for column in scores.T]).T


def over_all_in_loops(scores):
    exps = exps_of(scores - scores.max())
    return rows_divided(exps, [sum(map(sum, exps))] * len(exps))


def sums_in_a_row(scores):
    exps = np.exp(shifted(scores))
    totals = [row.sum() for row in exps]
    return exps / totals


def no_keepdims(scores):
    return np.exp(shifted(scores)) / np.sum(np.exp(shifted(scores)), axis=1)


def naive(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def naive_by_rows(scores):
    return [np.exp(row) / sum(np.exp(row)) for row in scores]


def one_maximum_for_all(scores):
    return naive(scores - scores.max())


def one_maximum_by_rows(scores):
    return [np.exp(row - np.max(scores)) / np.exp(row - np.max(scores)).sum() for row in scores]


def filled_in(scores):
    weights = np.zeros_like(scores)
    for i, row in enumerate(scores):
        weights[i] = softmax_of(row)
    return weights


def total_never_cleared(scores):
    weights, total = [], 0
    for row in scores:
        exps = np.exp(row - row.max())
        total += exps.sum()
        weights.append(exps / total)
    return weights


def first_total_for_all(scores):
    exps = np.exp(shifted(scores))
    return exps / exps[0].sum()


def first_row_only(scores):
    for row in scores:
        return softmax_of(row)


def nan_made_zero(scores):
    return np.nan_to_num(naive(scores))


def nan_made_zero_by_rows(scores):
    return [[0 if math.isnan(w) else w for w in row] for row in naive_by_rows(scores)]


def clipped(scores):
    return naive(np.clip(scores, -700, 700))


def shifted_in_place(scores):
    weights = softmax_by_rows(scores)
    scores -= scores.max(axis=-1, keepdims=True)
    return weights


def rows_overwritten(scores):
    weights = []
    for row in scores:
        weights.append(softmax_of(row))
        row[:] = 0
    return weights


SOFTMAX = Written(
    axes=("n_queries n_keys",),
    truth=lambda scores: [softmax_of(row) for row in scores],
    draw=draw_scores,
    right=[
        lambda s: np.exp(shifted(s)) / np.exp(shifted(s)).sum(axis=-1, keepdims=True),
        lambda s: np.apply_along_axis(lambda row: np.exp(row - row.max()) / np.exp(row - row.max()).sum(), 1, s),
        lambda s: 1 / np.exp(s[:, None, :] - s[:, :, None]).sum(axis=-1),
        lambda s: (np.exp(s.T - s.max(axis=1)) / np.exp(s.T - s.max(axis=1)).sum(axis=0)).T,
        lambda s: np.exp(shifted(s) - np.logaddexp.reduce(shifted(s), axis=1, keepdims=True)),
        softmax_in_loops,
        softmax_by_rows,
        softmax_by_logarithms,
        softmax_in_float32,
        softmax_by_base_2,
    ],
    wrong=[
        wrong(
            "over columns",
            "columns add up to 1",
            lambda s: np.exp(s - s.max(axis=0)) / np.exp(s - s.max(axis=0)).sum(axis=0),
            over_columns_in_loops,
        ),
        wrong(
            "over all",
            "All entries together",
            lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(),
            over_all_in_loops,
        ),
        wrong("no keepdims", "wrong rows", no_keepdims, sums_in_a_row),
        wrong(
            "neither keepdims nor maximum",
            "wrong rows",
            lambda s: np.exp(s) / np.exp(s).sum(axis=-1),
            lambda s: np.exp(s) / [sum(row) for row in np.exp(s)],
        ),
        wrong("no maximum", "exp overflows", naive, naive_by_rows),
        wrong(
            "the mean subtracted",
            "subtract the mean",
            lambda s: naive(s - s.mean(axis=-1, keepdims=True)),
            lambda s: naive_by_rows([row - sum(row) / len(row) for row in s]),
        ),
        wrong(
            "the minimum subtracted",
            ACCOUNT,
            lambda s: naive(s - s.min(axis=-1, keepdims=True)),
            lambda s: naive_by_rows([row - min(row) for row in s]),
        ),
        wrong("one maximum for all", "maximum of the whole", one_maximum_for_all, one_maximum_by_rows),
        wrong(
            "filled into whole numbers",
            "keeps whole numbers only",
            filled_in,
            lambda s: softmax_by_rows(s).astype(s.dtype),
        ),
        wrong(
            "divided by the sum",
            "divide the scores by their sum",
            lambda s: s / s.sum(axis=-1, keepdims=True),
            lambda s: rows_divided(s, map(sum, s)),
        ),
        wrong(
            "signs dropped",
            "dropped the signs",
            lambda s: abs(s) / abs(s).sum(axis=1, keepdims=True),
            lambda s: [[abs(x) / sum(map(abs, row)) for x in row] for row in s],
        ),
        wrong("exps alone", "first half", np.exp, lambda s: [[np.exp(x) for x in row] for row in s]),
        wrong(
            "shifted exps alone",
            "first half",
            lambda s: np.exp(shifted(s)),
            lambda s: [[math.exp(x - max(row)) for x in row] for row in s],
        ),
        wrong(
            "shifted alone",
            "subtracted the maximum, and then",
            shifted,
            lambda s: [[x - max(row) for x in row] for row in s],
        ),
        wrong(
            "argmax",
            "winner takes all",
            lambda s: np.eye(s.shape[1])[s.argmax(axis=1)],
            lambda s: [[float(i == np.argmax(row)) for i in range(len(row))] for row in s],
        ),
        wrong(
            "sigmoid",
            "sigmoid",
            lambda s: 1 / (1 + np.exp(-s)),
            lambda s: [[0.5 + 0.5 * math.tanh(x / 2) for x in row] for row in s],
        ),
        wrong(
            "logarithms",
            "logarithms",
            lambda s: shifted(s) - np.log(np.exp(shifted(s)).sum(axis=1, keepdims=True)),
            lambda s: [[x - max(row) - math.log(sum(math.exp(y - max(row)) for y in row)) for x in row] for row in s],
        ),
        wrong(
            "powers of 2",
            "raise 2",
            lambda s: np.exp2(shifted(s)) / np.exp2(shifted(s)).sum(axis=1, keepdims=True),
            lambda s: [
                [2.0 ** float(x - max(row)) / sum(2.0 ** float(y - max(row)) for y in row) for x in row] for row in s
            ],
        ),
        wrong(
            "a sign",
            "Check a sign",
            lambda s: softmax_by_rows(-s),
            lambda s: [softmax_of([-x for x in row]) for row in s],
        ),
        wrong(
            "on its side",
            "on their side",
            lambda s: softmax_by_rows(s).T,
            lambda s: list(zip(*softmax_in_loops(s))),
        ),
        wrong(
            "scaled",
            "lesson 06",
            lambda s: softmax_by_rows(s / np.sqrt(s.shape[1])),
            lambda s: [softmax_of([x / math.sqrt(len(row)) for x in row]) for row in s],
        ),
        wrong("the scores", "still the scores", lambda s: s, lambda s: [[x for x in row] for row in s]),
        wrong(
            "powers of 10",
            ACCOUNT,
            lambda s: softmax_by_rows(s * np.log(10)),
            lambda s: [
                [10.0 ** float(x - max(row)) / sum(10.0 ** float(y - max(row)) for y in row) for x in row] for row in s
            ],
        ),
        wrong(
            "total never cleared",
            ACCOUNT,
            total_never_cleared,
            lambda s: np.exp(shifted(s)) / np.exp(shifted(s)).sum(axis=1).cumsum()[:, None],
        ),
        wrong(
            "first total for all",
            ACCOUNT,
            first_total_for_all,
            lambda s: [np.exp(row - max(row)) / sum(np.exp(s[0] - max(s[0]))) for row in s],
        ),
        wrong("first row only", ACCOUNT, first_row_only, lambda s: softmax_by_rows(s)[0]),
        wrong("nan made zero", ACCOUNT, nan_made_zero, nan_made_zero_by_rows),
        wrong(
            "by the largest",
            ACCOUNT,
            lambda s: s / s.max(axis=1, keepdims=True),
            lambda s: [[x / max(row) for x in row] for row in s],
        ),
        wrong(
            "stretched",
            ACCOUNT,
            lambda s: (s - s.min()) / (s.max() - s.min()),
            lambda s: [[(x - np.min(s)) / np.ptp(s) for x in row] for row in s],
        ),
        wrong(
            "squares",
            ACCOUNT,
            lambda s: s**2 / (s**2).sum(axis=1, keepdims=True),
            lambda s: [[x * x / sum(y * y for y in row) for x in row] for row in s],
        ),
        wrong(
            "each column's maximum",
            ACCOUNT,
            lambda s: softmax_by_rows(s - s.max(axis=0)),
            lambda s: [softmax_of([x - max(s[:, j]) for j, x in enumerate(row)]) for row in s],
        ),
        wrong(
            "one in the sum",
            ACCOUNT,
            lambda s: np.exp(shifted(s)) / (1 + np.exp(shifted(s)).sum(axis=1, keepdims=True)),
            lambda s: [
                [math.exp(x - max(row)) / (1 + sum(math.exp(y - max(row)) for y in row)) for x in row] for row in s
            ],
        ),
        wrong(
            "mean of exps",
            ACCOUNT,
            lambda s: np.exp(shifted(s)) / np.exp(shifted(s)).mean(axis=1, keepdims=True),
            lambda s: [[len(row) * w for w in softmax_of(row)] for row in s],
        ),
        wrong(
            "twice",
            ACCOUNT,
            lambda s: softmax_by_rows(softmax_by_rows(s)),
            lambda s: [softmax_of(softmax_of(row)) for row in s],
        ),
        wrong(
            "sorted",
            ACCOUNT,
            lambda s: softmax_by_rows(np.sort(s)),
            lambda s: [softmax_of(sorted(row)) for row in s],
        ),
        wrong(
            "rounded",
            ACCOUNT,
            lambda s: softmax_by_rows(s).round(1),
            lambda s: [[round(w, 1) for w in softmax_of(row)] for row in s],
        ),
        wrong(
            "clipped",
            ACCOUNT,
            clipped,
            lambda s: [softmax_of([max(-700, min(700, x)) for x in row]) for row in s],
        ),
        wrong(
            "math.exp of an array",
            "stopped with TypeError",
            lambda s: math.exp(s) / sum(math.exp(s)),
            lambda s: [math.exp(row) / sum(math.exp(row)) for row in s],
        ),
        wrong(
            "prints",
            NONE,
            lambda s: print(softmax_by_rows(s)),
            lambda s: [print(w) for w in softmax_in_loops(s)].clear(),
        ),
        wrong("changes its input", CHANGES, shifted_in_place, rows_overwritten),
    ],
)

# --- a sharpness, and scores for given weights ---

LAB = [0.75, 3.25, 1.75, 0, 2.25]  # the scores of the question about the pen; the second is the blue desk's

SHARPNESS = Chosen(
    truth=lambda beta: (
        not isinstance(beta, str) and abs(softmax_of([float(beta) * score for score in LAB])[1] - 0.9) < 0.005
    ),
    right=[2.48, np.float32(2.5), np.array(2.48), 5 / 2],
    wrong=[
        (1, "less than .90"),
        (0, "less than .90"),
        (0.9, "less than .90"),
        (2, "less than .90"),
        (3.25, "a little too sharp"),
        (4, "a little too sharp"),
        (1000, "a little too sharp"),
        (-2.48, "upside down"),
        ([2.48], "One number"),
        ("2.48", "One number"),
        (float("nan"), "One number"),
        (float("inf"), "One number"),
        (LAB, "One number"),
        ({"beta": 2.48}, "One number"),
    ],
)

SCORES_FOR = Chosen(
    truth=lambda scores: (
        np.allclose(softmax_of([float(s) for s in scores]), [0.5, 0.25, 0.25], rtol=0, atol=0.004) and len(scores) == 3
    ),
    right=[
        [math.log(2), 0, 0],
        (1 + math.log(2), 1, 1),
        np.log([0.5, 0.25, 0.25]),
        np.log([2, 1, 1]).astype(np.float32),
        [0.69, 0, 0],
        [0, -math.log(2), -math.log(2)],
    ],
    wrong=[
        ([0.5, 0.25, 0.25], "doesn't divide the scores by their sum"),
        ([2, 1, 1], "doesn't divide the scores by their sum"),
        ([1, 0, 0.5], "the last two differ"),
        ([0.5, 0.25, 0.24], "the last two differ"),
        ([1, 2, 3], "the last two differ"),
        ([1, 0, 0], "now the gap to the first"),
        ([2, 0, 0], "now the gap to the first"),
        ([0, 0, 0], "now the gap to the first"),
        ([-math.log(2), 0, 0], "now the gap to the first"),
        ([math.exp(2), 1, 1], "now the gap to the first"),
        ([math.log10(2), 0, 0], "now the gap to the first"),
        ([math.log(2), 0], "Three numbers"),
        (math.log(2), "Three numbers"),
        ([[math.log(2), 0, 0]], "Three numbers"),
        ([float("inf"), 0, 0], "Three numbers"),
        ("log 2, 0, 0", "Three numbers"),
    ],
)

ANSWERS = {"softmax": SOFTMAX, "sharpness": SHARPNESS, "scores_for": SCORES_FOR}
