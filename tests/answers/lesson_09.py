"""What learners write in lesson 09: a causal mask, the split into heads, a mask for texts in a row."""

import numpy as np

from tests.answers import ACCOUNT, CHANGES, NONE, Written, wrong

# --- the causal mask ---


def mask_in_loops(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


def one_row_many_times(n):
    mask = [[False] * n] * n
    for i in range(n):
        mask[i][i] = True
    return mask


CAUSAL = Written(
    axes=("",),
    truth=lambda n: [[1 if key <= query else 0 for key in range(n)] for query in range(n)],
    draw=lambda rng: (int(rng.integers(2, 9)),),
    right=[
        lambda n: np.tri(n, dtype=bool),
        lambda n: np.tril(np.ones((n, n))) == 1,
        lambda n: np.arange(n) <= np.arange(n)[:, None],
        lambda n: ~np.triu(np.ones((n, n), dtype=bool), k=1),
        lambda n: [[j <= i for j in range(n)] for i in range(n)],
        lambda n: np.logical_or.accumulate(np.eye(n, dtype=bool)[:, ::-1], axis=1)[:, ::-1],
        mask_in_loops,
    ],
    wrong=[
        wrong(
            "the future",
            "just the future",
            lambda n: np.triu(np.ones((n, n)), 1) == 1,
            lambda n: [[j > i for j in range(n)] for i in range(n)],
        ),
        wrong(
            "transposed",
            "Is row i a query",
            lambda n: np.triu(np.ones((n, n), bool)),
            lambda n: [[j >= i for j in range(n)] for i in range(n)],
        ),
        wrong(
            "not itself",
            "May a token look at itself",
            lambda n: np.tri(n, k=-1) > 0,
            lambda n: [[j < i for j in range(n)] for i in range(n)],
        ),
        wrong(
            "one ahead",
            "one step ahead",
            lambda n: np.tril(np.ones((n, n), bool), 1),
            lambda n: [[j <= i + 1 for j in range(n)] for i in range(n)],
        ),
        wrong(
            "nothing hidden", "hide nothing", lambda n: np.ones((n, n), bool), lambda n: [[True] * n for _ in range(n)]
        ),
        wrong(
            "itself only",
            "only themselves",
            lambda n: np.eye(n) == 1,
            lambda n: [[i == j for j in range(n)] for i in range(n)],
        ),
        wrong(
            "minus infinity",
            "to add to the scores",
            lambda n: np.triu(np.full((n, n), -np.inf), 1),
            lambda n: [[0 if j <= i else -np.inf for j in range(n)] for i in range(n)],
        ),
        wrong(
            "-1e9",
            ACCOUNT,
            lambda n: np.where(np.tri(n), 0, -1e9),
            lambda n: [[0 if j <= i else -1e9 for j in range(n)] for i in range(n)],
        ),
        wrong("all False", ACCOUNT, lambda n: np.zeros((n, n), bool), lambda n: [[False] * n for _ in range(n)]),
        wrong(
            "one row many times", "hide nothing", one_row_many_times, lambda n: np.tile(np.eye(n).any(axis=0), (n, 1))
        ),
        wrong(
            "one before only",
            ACCOUNT,
            lambda n: np.eye(n, k=-1) + np.eye(n) > 0,
            lambda n: [[j in (i, i - 1) for j in range(n)] for i in range(n)],
        ),
        wrong(
            "averaged",
            ACCOUNT,
            lambda n: np.tri(n) / np.arange(1, n + 1)[:, None],
            lambda n: [[(j <= i) / (i + 1) for j in range(n)] for i in range(n)],
        ),
        wrong("one row", ACCOUNT, lambda n: np.arange(n) < n, lambda n: [True for _ in range(n)]),
        wrong(
            "ragged",
            "array of numbers",
            lambda n: [[True] * (i + 1) for i in range(n)],
            lambda n: [list(range(i + 1)) for i in range(n)],
        ),
        wrong("prints", NONE, lambda n: print(np.tri(n)), lambda n: [print(i) for i in range(n)].clear()),
    ],
)

# --- heads ---


def draw_heads(rng, n_tokens, width):
    n_heads, d = (int(size) for size in rng.choice([2, 3, 4, 5], 2, replace=False))
    return rng.normal(size=(n_tokens + 4, n_heads * d)), n_heads


def cut_in_a_loop(A, n_heads):
    d = A.shape[1] // n_heads
    heads = []
    for h in range(n_heads):
        heads.append(A[:, h * d : (h + 1) * d])
    return heads


def filled_in(A, n_heads):
    n_tokens, d = len(A), A.shape[1] // n_heads
    heads = np.zeros((n_heads, n_tokens, d), dtype=np.float32)
    for i in range(n_tokens):
        for column in range(A.shape[1]):
            heads[column // d, i, column % d] = A[i, column]
    return heads


def overlapping(A, n_heads):
    d = A.shape[1] // n_heads
    return [A[:, h : h + d] for h in range(n_heads)]


def zeroed_when_cut(A, n_heads):
    heads = A.reshape(len(A), n_heads, -1).transpose(1, 0, 2).copy()
    A[:] = 0
    return heads


def halved_in_place(A, n_heads):
    heads = cut_in_a_loop(A.copy(), n_heads)
    A /= 2
    return heads


SPLIT = Written(
    axes=("n_tokens width", ""),
    truth=lambda A, n: [[[row[h * (len(row) // n) + c] for c in range(len(row) // n)] for row in A] for h in range(n)],
    draw=draw_heads,
    right=[
        lambda A, n: A.reshape(len(A), n, -1).transpose(1, 0, 2),
        lambda A, n: np.stack(np.split(A, n, axis=1)),
        lambda A, n: np.array(np.hsplit(A, n), dtype=np.float32),
        lambda A, n: np.moveaxis(A.reshape(A.shape[0], n, A.shape[1] // n), 1, 0),
        lambda A, n: A.T.reshape(n, -1, len(A)).swapaxes(1, 2).tolist(),
        cut_in_a_loop,
        filled_in,
    ],
    wrong=[
        wrong(
            "reshape alone",
            "reads line by line",
            lambda A, n: A.reshape(n, A.shape[0], A.shape[1] // n),
            lambda A, n: [
                list(A.ravel()[h * A.size // n : (h + 1) * A.size // n].reshape(len(A), -1)) for h in range(n)
            ],
        ),
        wrong(
            "tokens first",
            "heads still have to come first",
            lambda A, n: A.reshape(len(A), n, A.shape[1] // n),
            lambda A, n: [np.split(row, n) for row in A],
        ),
        wrong(
            "dealt like cards",
            "like cards",
            lambda A, n: A.reshape(len(A), -1, n).transpose(2, 0, 1),
            lambda A, n: [A[:, h::n] for h in range(n)],
        ),
        wrong(
            "on their side",
            "on its side",
            lambda A, n: A.reshape(len(A), n, -1).transpose(1, 2, 0),
            lambda A, n: [head.T for head in cut_in_a_loop(A, n)],
        ),
        wrong(
            "columns first",
            "as many matrices as columns",
            lambda A, n: A.reshape(len(A), n, -1).transpose(2, 0, 1),
            lambda A, n: [A[:, c :: A.shape[1] // n] for c in range(A.shape[1] // n)],
        ),
        wrong(
            "last head first",
            "wrong order",
            lambda A, n: np.flip(np.array(np.split(A, n, axis=1)), axis=0),
            lambda A, n: cut_in_a_loop(A, n)[::-1],
        ),
        wrong(
            "all to each",
            "Every head got everything",
            lambda A, n: np.tile(A, (n, 1, 1)),
            lambda A, n: [A for _ in range(n)],
        ),
        wrong(
            "first head only",
            ACCOUNT,
            lambda A, n: A[:, : A.shape[1] // n],
            lambda A, n: [row[: len(row) // n] for row in A],
        ),
        wrong(
            "side by side again",
            ACCOUNT,
            lambda A, n: np.hstack(np.split(A, n, axis=1)),
            lambda A, n: [list(row) for row in A],
        ),
        wrong(
            "tokens backwards",
            ACCOUNT,
            lambda A, n: np.stack(np.split(A[::-1], n, axis=1)),
            lambda A, n: [head[::-1] for head in cut_in_a_loop(A, n)],
        ),
        wrong(
            "overlapping",
            ACCOUNT,
            overlapping,
            lambda A, n: np.stack([np.roll(A, -h, axis=1)[:, : A.shape[1] // n] for h in range(n)]),
        ),
        wrong(
            "added up",
            ACCOUNT,
            lambda A, n: A.reshape(len(A), n, -1).sum(axis=1),
            lambda A, n: sum(cut_in_a_loop(A, n)),
        ),
        wrong(
            "averaged over heads",
            ACCOUNT,
            lambda A, n: np.stack([A.reshape(len(A), n, -1).mean(axis=1)] * n),
            lambda A, n: [sum(cut_in_a_loop(A, n)) / n for _ in range(n)],
        ),
        wrong(
            "a float for a size",
            "stopped with TypeError",
            lambda A, n: A.reshape(len(A), n, A.shape[1] / n),
            lambda A, n: [A[:, : A.shape[1] / n] for _ in range(n)],
        ),
        wrong(
            "prints",
            NONE,
            lambda A, n: print(np.split(A, n, axis=1)),
            lambda A, n: [print(head) for head in cut_in_a_loop(A, n)].clear(),
        ),
        wrong("changes its input", CHANGES, zeroed_when_cut, halved_in_place),
    ],
)

# --- texts in a row ---


def draw_texts(rng, n_tokens):
    """Labels in a row, in any order, one of which may come again."""
    return (np.repeat(rng.permutation(4), rng.integers(1, n_tokens + 2, 4))[rng.integers(3) :],)


def pairs(rule):
    """A mask in loops: `rule` says whether query i may attend to key j."""
    return lambda text: [[bool(rule(text, i, j)) for j in range(len(text))] for i in range(len(text))]


def block_by_block(text):
    mask = np.zeros((len(text), len(text)), dtype=bool)
    for i, own in enumerate(text):
        mask[i, : i + 1] = text[: i + 1] == own
    return mask


def labels_overwritten(text):
    mask = (text[:, None] == text) & np.tri(len(text), dtype=bool)
    text[:] = 0
    return mask


def labels_counted_up(text):
    mask = block_by_block(text)
    for i in range(len(text)):
        text[i] += 1
    return mask


TEXTS = Written(
    axes=("n_tokens",),
    truth=lambda text: [
        [1 if j <= i and text[i] == text[j] else 0 for j in range(len(text))] for i in range(len(text))
    ],
    draw=draw_texts,
    right=[
        lambda text: (text[:, None] == text) & np.tri(len(text), dtype=bool),
        lambda text: np.tril(np.equal.outer(text, text)),
        lambda text: (text[:, None] == text) * np.tri(len(text)),
        lambda text: np.where(np.tri(len(text)), text[:, None] == text[None], False),
        pairs(lambda text, i, j: j <= i and text[i] == text[j]),
        block_by_block,
    ],
    wrong=[
        wrong("texts not apart", "aren't kept apart", lambda t: np.tri(len(t)) > 0, pairs(lambda t, i, j: j <= i)),
        wrong("not causal", "future can be seen", lambda t: t[:, None] == t, pairs(lambda t, i, j: t[i] == t[j])),
        wrong(
            "or",
            "One condition was enough",
            lambda t: (t[:, None] == t) | (np.tri(len(t)) > 0),
            pairs(lambda t, i, j: t[i] == t[j] or j <= i),
        ),
        wrong(
            "ahead",
            "look ahead and not back",
            lambda t: np.triu(t[:, None] == t),
            pairs(lambda t, i, j: t[i] == t[j] and j >= i),
        ),
        wrong(
            "other way round",
            "other way round",
            lambda t: ~np.tril(t[:, None] == t),
            pairs(lambda t, i, j: t[i] != t[j] or j > i),
        ),
        wrong(
            "others only",
            "to the other texts",
            lambda t: np.tril(t[:, None] != t),
            pairs(lambda t, i, j: t[i] != t[j] and j <= i),
        ),
        wrong(
            "not itself",
            "May it look at itself",
            lambda t: np.tril(t[:, None] == t, -1),
            pairs(lambda t, i, j: t[i] == t[j] and j < i),
        ),
        wrong(
            "minus infinity",
            "to add to the scores",
            lambda t: np.where(np.tril(t[:, None] == t), 0, -np.inf),
            lambda t: [[0 if j <= i and t[i] == t[j] else -np.inf for j in range(len(t))] for i in range(len(t))],
        ),
        wrong(
            "compared by size", "by size", lambda t: np.greater_equal.outer(t, t), pairs(lambda t, i, j: t[i] >= t[j])
        ),
        wrong(
            "neighbours only",
            ACCOUNT,
            lambda t: np.tril(t[:, None] == t) & ~np.tri(len(t), k=-2, dtype=bool),
            pairs(lambda t, i, j: t[i] == t[j] and i - 1 <= j <= i),
        ),
        wrong(
            "the first text only",
            ACCOUNT,
            lambda t: np.tril((t[:, None] == t) & (t == t[0])),
            pairs(lambda t, i, j: j <= i and t[i] == t[j] == t[0]),
        ),
        wrong(
            "nothing hidden",
            ACCOUNT,
            lambda t: np.ones((len(t), len(t)), bool),
            pairs(lambda t, i, j: True),
        ),
        wrong("one row", ACCOUNT, lambda t: t == t[0], lambda t: [label == t[0] for label in t]),
        wrong("lists compared", ACCOUNT, lambda t: t == t, lambda t: [a == b for a, b in zip(t, t)]),
        wrong(
            "and for &",
            "stopped with ValueError",
            lambda t: (t[:, None] == t) and np.tri(len(t)),
            lambda t: [row == t and True for row in t],
        ),
        wrong("prints", NONE, lambda t: print(t[:, None] == t), lambda t: [print(label) for label in t].clear()),
        wrong("changes its input", CHANGES, labels_overwritten, labels_counted_up),
    ],
)

ANSWERS = {"causal_mask": CAUSAL, "split_heads": SPLIT, "texts_mask": TEXTS}
