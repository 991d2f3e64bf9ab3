"""What learners write in lesson 01: shares of marks, ids of tokens, one-hot rows."""

import math

import numpy as np

from tests.answers import ACCOUNT, CHANGES, NONE, Written, wrong


def draw_marks(rng, n_words):
    return (rng.integers(1, 9, n_words) if rng.random() < 0.5 else rng.uniform(0.5, 9, n_words),)


def draw_words(rng, n_tokens, n_vocabulary):
    words = [f"{'kqzbxw'[i]}{'o' * i}" for i in rng.permutation(n_vocabulary)]
    return [words[i] for i in rng.integers(0, n_vocabulary, n_tokens)], words


def draw_ids(rng, n_tokens, n_vocabulary):
    return rng.integers(0, n_vocabulary, n_tokens), n_vocabulary


# --- shares: right, in other styles -------------------------------------------------------------------------


def shares_in_a_loop(marks):
    total = 0
    for mark in marks:
        total += mark
    return [mark / total for mark in marks]


def shares_on_a_copy(marks):
    shares = np.array(marks, dtype=float)
    shares /= shares.sum()
    return shares


# --- shares: wrong ------------------------------------------------------------------------------------------


def running_total(marks):
    total, shares = 0, []
    for mark in marks:
        total += mark
        shares.append(mark / total)
    return shares


def first_share_only(marks):
    for mark in marks:
        return mark / sum(marks)


def filled_in(marks):
    shares = np.zeros_like(marks)
    for i, mark in enumerate(marks):
        shares[i] = mark / sum(marks)
    return shares


def shares_in_place(marks):
    total = sum(marks)
    if marks.dtype.kind == "f":
        for i in range(len(marks)):
            marks[i] /= total
    return marks / sum(marks)


def sorted_in_place(marks):
    marks.sort()
    return marks / marks.sum()


def shares_printed(marks):
    for mark in marks:
        print(mark / sum(marks))


SHARES = Written(
    axes=("n_words",),
    truth=lambda marks: [mark / math.fsum(marks) for mark in marks],
    draw=draw_marks,
    right=[
        lambda marks: marks / np.sum(marks),
        lambda marks: np.array(marks, dtype=np.float32) / np.float32(sum(marks)),
        lambda marks: np.divide(marks, np.add.reduce(marks)),
        lambda marks: tuple(mark / sum(marks) for mark in marks),
        lambda marks: marks * (1 / marks.sum()),
        lambda marks: marks / np.linalg.norm(marks, ord=1),
        shares_in_a_loop,
        shares_on_a_copy,
    ],
    wrong=[
        wrong("the marks themselves", "still the marks", lambda m: m, lambda m: [x for x in m]),
        wrong("by the largest", "largest mark", lambda m: m / m.max(), lambda m: [x / max(m) for x in m]),
        wrong("by how many", "how many words", lambda m: m / m.size, lambda m: [x / len(m) for x in m]),
        wrong("all equal", "same share", lambda m: np.ones(len(m)) / len(m), lambda m: [1 / len(m) for x in m]),
        wrong("//", "rounds down", lambda m: m // m.sum(), lambda m: [int(x / sum(m)) for x in m]),
        wrong("percents", "percents", lambda m: m / m.sum() * 100, lambda m: [x * 100 / sum(m) for x in m]),
        wrong(
            "softmax",
            "softmax",
            lambda m: np.exp(m - m.max()) / np.exp(m - m.max()).sum(),
            lambda m: [math.exp(x) / sum(math.exp(y) for y in m) for x in m],
        ),
        wrong("the total", "return the total", np.sum, lambda m: sum(m)),
        wrong("upside down", "Upside down", lambda m: m.sum() / m, lambda m: [sum(m) / x for x in m]),
        wrong("filled into whole numbers", "rounds down", filled_in, lambda m: (m / m.sum()).astype(m.dtype)),
        wrong("running total", ACCOUNT, running_total, lambda m: m / m.cumsum()),
        wrong(
            "cumulative",
            ACCOUNT,
            lambda m: m.cumsum() / m.sum(),
            lambda m: [sum(m[: i + 1]) / sum(m) for i in range(len(m))],
        ),
        wrong("by the mean", ACCOUNT, lambda m: m / m.mean(), lambda m: [x / (sum(m) / len(m)) for x in m]),
        wrong("unit length", ACCOUNT, lambda m: m / np.linalg.norm(m), lambda m: [x / math.hypot(*m) for x in m]),
        wrong(
            "stretched to 0 ... 1",
            ACCOUNT,
            lambda m: (m - m.min()) / (m.max() - m.min()),
            lambda m: [(x - min(m)) / (max(m) - min(m)) for x in m],
        ),
        wrong(
            "z-scores",
            ACCOUNT,
            lambda m: (m - m.mean()) / m.std(),
            lambda m: [(x - np.mean(m)) / np.std(m) for x in m],
        ),
        wrong("sorted", ACCOUNT, lambda m: np.sort(m) / m.sum(), lambda m: [x / sum(m) for x in sorted(m)]),
        wrong("rounded", ACCOUNT, lambda m: (m / m.sum()).round(1), lambda m: [round(x / sum(m), 1) for x in m]),
        wrong("one too many", ACCOUNT, lambda m: m / (m.sum() + 1), lambda m: [x / (sum(m) + 1) for x in m]),
        wrong("the others' total", ACCOUNT, lambda m: m / (m.sum() - m), lambda m: [x / (sum(m) - x) for x in m]),
        wrong("a column", ACCOUNT, lambda m: (m / m.sum())[:, None], lambda m: [[x / sum(m)] for x in m]),
        wrong("returns in the loop", ACCOUNT, first_share_only, lambda m: m[0] / m.sum()),
        wrong("lesson's marks only", ACCOUNT, lambda m: np.array([3, 1, 4]) / 8, lambda m: [0.375, 0.125, 0.5]),
        wrong(
            "texts",
            "array of numbers",
            lambda m: [f"{x / sum(m):.0%}" for x in m],
            lambda m: str(m / m.sum()),
        ),
        wrong("prints", NONE, shares_printed, lambda m: print(m / m.sum())),
        wrong(
            "in place",
            CHANGES,
            shares_in_place,
            lambda m: np.divide(m, m.sum(), out=m if m.dtype == float else None),
        ),
        wrong("sorts in place", ACCOUNT, sorted_in_place, lambda m: np.array(sorted(m)) / sum(m)),
        wrong(
            "misspelt",
            "stopped with AttributeError",
            lambda m: m / m.total(),
            lambda m: [x / m.sums() for x in m],
        ),
    ],
)


# --- ids ----------------------------------------------------------------------------------------------------


def ids_in_loops(tokens, vocabulary):
    ids = []
    for token in tokens:
        for i, word in enumerate(vocabulary):
            if word == token:
                ids.append(i)
    return ids


def ids_from_a_dict(tokens, vocabulary):
    number = dict(zip(vocabulary, range(len(vocabulary))))
    return list(map(number.get, tokens))


def by_alphabet(tokens, vocabulary):
    vocabulary = list(vocabulary)
    vocabulary.sort()
    return [vocabulary.index(token) for token in tokens]


def by_first_appearance(tokens, vocabulary):
    numbers = {}
    for token in tokens:
        numbers.setdefault(token, len(numbers))
    return [numbers[token] for token in tokens]


def first_id_only(tokens, vocabulary):
    for token in tokens:
        return vocabulary.index(token)


def last_id_only(tokens, vocabulary):
    ids = []
    for token in tokens:
        ids = [vocabulary.index(token)]
    return ids


def counted(tokens, vocabulary):
    counts = np.zeros(len(vocabulary))
    for token in tokens:
        counts[vocabulary.index(token)] += 1
    return counts


def tokens_used_up(tokens, vocabulary):
    ids = []
    while tokens:
        ids.append(vocabulary.index(tokens.pop(0)))
    return ids


def tokens_overwritten(tokens, vocabulary):
    tokens[:] = [vocabulary.index(token) for token in tokens]
    return np.array(tokens)


IDS = Written(
    axes=("n_tokens", "n_vocabulary"),
    truth=lambda tokens, vocabulary: [{w: i for i, w in enumerate(vocabulary)}[token] for token in tokens],
    draw=draw_words,
    right=[
        lambda tokens, vocabulary: [vocabulary.index(token) for token in tokens],
        lambda tokens, vocabulary: np.array([[w == t for w in vocabulary] for t in tokens]).argmax(axis=1),
        lambda tokens, vocabulary: (np.array(tokens)[:, None] == np.array(vocabulary)) @ np.arange(len(vocabulary)),
        lambda tokens, vocabulary: np.array([*map(vocabulary.index, tokens)], dtype=np.float32),
        lambda tokens, vocabulary: np.where(np.array(tokens)[:, None] == np.array(vocabulary))[1],
        ids_in_loops,
        ids_from_a_dict,
    ],
    wrong=[
        wrong(
            "positions",
            "positions",
            lambda t, v: np.arange(len(t)),
            lambda t, v: [i for i, w in enumerate(t)],
        ),
        wrong(
            "from 1",
            "one too large",
            lambda t, v: np.array([v.index(w) for w in t]) + 1,
            lambda t, v: [{w: i for i, w in enumerate(v, start=1)}[w] for w in t],
        ),
        wrong("alphabet", "alphabet", by_alphabet, lambda t, v: np.searchsorted(np.sort(v), t)),
        wrong(
            "index in the sentence",
            "look each word up",
            lambda t, v: [t.index(w) for w in t],
            lambda t, v: (np.array(t) == np.array(t)[:, None]).argmax(axis=1),
        ),
        wrong(
            "numbered as they come",
            "look each word up",
            by_first_appearance,
            lambda t, v: [list(dict.fromkeys(t)).index(w) for w in t],
        ),
        wrong(
            "walks the vocabulary",
            "Turn the question round",
            lambda t, v: [t.index(w) if w in t else -1 for w in v],
            lambda t, v: [min([i for i, w in enumerate(t) if w == word], default=-1) for word in v],
        ),
        wrong("lengths", "word's length", lambda t, v: [len(w) for w in t], lambda t, v: np.char.str_len(t)),
        wrong("counts", "count words", counted, lambda t, v: [t.count(w) for w in v]),
        wrong(
            "from the end",
            ACCOUNT,
            lambda t, v: [v[::-1].index(w) for w in t],
            lambda t, v: [len(v) - 1 - v.index(w) for w in t],
        ),
        wrong(
            "negative",
            ACCOUNT,
            lambda t, v: [v.index(w) - len(v) for w in t],
            lambda t, v: [-len(v) + v.index(w) for w in t],
        ),
        wrong(
            "without doubles",
            ACCOUNT,
            lambda t, v: [v.index(w) for i, w in enumerate(t) if w not in t[:i]],
            lambda t, v: [v.index(w) for w in dict.fromkeys(t)],
        ),
        wrong(
            "backwards",
            ACCOUNT,
            lambda t, v: [v.index(w) for w in t][::-1],
            lambda t, v: [v.index(w) for w in reversed(t)],
        ),
        wrong(
            "one-hot already",
            ACCOUNT,
            lambda t, v: np.eye(len(v))[[v.index(w) for w in t]],
            lambda t, v: [[w == x for x in v] for w in t],
        ),
        wrong("returns in the loop", ACCOUNT, first_id_only, lambda t, v: v.index(t[0])),
        wrong("last only", ACCOUNT, last_id_only, lambda t, v: [v.index(w) for w in t][-1:]),
        wrong(
            "the words",
            "array of numbers",
            lambda t, v: [w for w in t if w in v],
            lambda t, v: np.array(v)[[v.index(w) for w in t]],
        ),
        wrong(
            "a dict",
            "array of numbers",
            lambda t, v: {w: v.index(w) for w in t},
            lambda t, v: dict(zip(t, map(v.index, t))),
        ),
        wrong(
            "the list at once",
            "stopped with ValueError",
            lambda t, v: v.index(t),
            lambda t, v: [v.index(t) for w in t],
        ),
        wrong(
            "swapped",
            "stopped with ",
            lambda t, v: [t.index(w) for w in v],
            lambda t, v: [dict(zip(reversed(t), reversed(range(len(t)))))[w] for w in v],
        ),
        wrong("uses the tokens up", CHANGES, tokens_used_up, tokens_overwritten),
    ],
)


# --- one-hot rows -------------------------------------------------------------------------------------------


def one_hot_in_loops(ids, n_vocabulary):
    rows = []
    for word_id in ids:
        row = [0] * n_vocabulary
        row[word_id] = 1
        rows.append(row)
    return rows


def one_hot_by_places(ids, n_vocabulary):
    rows = np.zeros((len(ids), n_vocabulary), dtype=np.float32)
    rows[np.arange(len(ids)), ids] = 1
    return rows


def one_row_many_times(ids, n_vocabulary):
    rows = [[0] * n_vocabulary] * len(ids)
    for row, word_id in zip(rows, ids):
        row[word_id] = 1
    return rows


def all_rows_at_once(ids, n_vocabulary):
    rows = np.zeros((len(ids), n_vocabulary))
    rows[:, ids] = 1
    return rows


def row_never_cleared(ids, n_vocabulary):
    row, rows = np.zeros(n_vocabulary), []
    for word_id in ids:
        row[word_id] = 1
        rows.append(row.copy())
    return rows


def ids_in_cells(ids, n_vocabulary):
    rows = np.zeros((len(ids), n_vocabulary))
    for row, word_id in zip(rows, ids):
        row[word_id] = word_id
    return rows


def on_its_side(ids, n_vocabulary):
    rows = np.zeros((n_vocabulary, len(ids)))
    for i, word_id in enumerate(ids):
        rows[word_id, i] = 1
    return rows


def multi_hot(ids, n_vocabulary):
    row = np.zeros(n_vocabulary)
    row[ids] = 1
    return row


def ids_overwritten(ids, n_vocabulary):
    rows = np.eye(n_vocabulary)[ids]
    ids[:] = 0
    return rows


def ids_moved_in_place(ids, n_vocabulary):
    ids += 1
    return np.eye(n_vocabulary)[ids - 1]


ONE_HOT = Written(
    axes=("n_tokens", "n_vocabulary"),
    truth=lambda ids, n: [[1 if column == word_id else 0 for column in range(n)] for word_id in ids],
    draw=draw_ids,
    right=[
        lambda ids, n: np.eye(n)[ids],
        lambda ids, n: np.asarray(ids)[:, None] == np.arange(n),
        lambda ids, n: np.identity(n, dtype=int).take(ids, axis=0),
        lambda ids, n: [[float(column == word_id) for column in range(n)] for word_id in ids],
        lambda ids, n: np.equal.outer(ids, range(n)).astype(np.float32),
        one_hot_in_loops,
        one_hot_by_places,
    ],
    wrong=[
        wrong("on its side", "on its side", lambda ids, n: np.eye(n)[:, ids], on_its_side),
        wrong(
            "positions",
            "mark the positions",
            lambda ids, n: np.eye(len(ids), n),
            lambda ids, n: [[float(i == c) for c in range(n)] for i in range(len(ids))],
        ),
        wrong("the id in the cell", "id itself", ids_in_cells, lambda ids, n: np.eye(n)[ids] * np.arange(n)),
        wrong(
            "shifted left",
            "too far left",
            lambda ids, n: np.eye(n)[ids - 1],
            lambda ids, n: [[float(c == (i - 1) % n) for c in range(n)] for i in ids],
        ),
        wrong(
            "zeros",
            "All zeros",
            lambda ids, n: np.zeros((len(ids), n)),
            lambda ids, n: [[0] * n for _ in ids],
        ),
        wrong(
            "added up",
            "added the rows up",
            lambda ids, n: np.bincount(ids, minlength=n),
            lambda ids, n: [list(ids).count(c) for c in range(n)],
        ),
        wrong("one row many times", ACCOUNT, one_row_many_times, all_rows_at_once),
        wrong(
            "row never cleared",
            ACCOUNT,
            row_never_cleared,
            lambda ids, n: np.eye(n)[ids].cumsum(axis=0).clip(max=1),
        ),
        wrong(
            "zeros and ones swapped",
            ACCOUNT,
            lambda ids, n: 1 - np.eye(n)[ids],
            lambda ids, n: [[float(c != i) for c in range(n)] for i in ids],
        ),
        wrong(
            "shifted right",
            ACCOUNT,
            lambda ids, n: np.roll(np.eye(n)[ids], 1, axis=1),
            lambda ids, n: [[float(c == (i + 1) % n) for c in range(n)] for i in ids],
        ),
        wrong(
            "one column more",
            ACCOUNT,
            lambda ids, n: np.eye(n + 1)[ids],
            lambda ids, n: [[float(c == i) for c in range(n + 1)] for i in ids],
        ),
        wrong(
            "counted from the right",
            ACCOUNT,
            lambda ids, n: np.eye(n)[ids, ::-1],
            lambda ids, n: [[float(c == n - 1 - i) for c in range(n)] for i in ids],
        ),
        wrong(
            "thermometer",
            ACCOUNT,
            lambda ids, n: np.arange(n) <= ids[:, None],
            lambda ids, n: [[1] * (i + 1) + [0] * (n - 1 - i) for i in ids],
        ),
        wrong("all in one row", ACCOUNT, multi_hot, lambda ids, n: np.eye(n)[ids].max(axis=0)),
        wrong(
            "flat",
            ACCOUNT,
            lambda ids, n: np.eye(n)[ids].ravel(),
            lambda ids, n: [float(c == i) for i in ids for c in range(n)],
        ),
        wrong("the ids", ACCOUNT, lambda ids, n: ids, lambda ids, n: [i for i in ids]),
        wrong(
            "whole identity",
            "stopped with IndexError",
            lambda ids, n: np.eye(len(ids))[ids + 1],
            lambda ids, n: [np.eye(len(ids))[i + 1] for i in ids],
        ),
        wrong("changes the ids", CHANGES, ids_overwritten, ids_moved_in_place),
    ],
)

ANSWERS = {"shares": SHARES, "to_ids": IDS, "one_hot": ONE_HOT}
