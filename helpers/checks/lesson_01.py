"""The checks of lesson 01: shares, ids and one-hot rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.checks.verdict import Exercise, Mistake, Verdict, judge


def shares(answer: Callable[[np.ndarray], Any]) -> Verdict:
    """Check a function from marks, shape (n_words,), to shares of the same shape that add up to 1."""
    return judge(answer, _SHARES)


def to_ids(answer: Callable[[list[str], list[str]], Any]) -> Verdict:
    """Check a function from tokens and a vocabulary (lists of str) to ids, shape (n_tokens,)."""
    return judge(answer, _IDS)


def one_hot(answer: Callable[[np.ndarray, int], Any]) -> Verdict:
    """Check a function from ids, shape (n_tokens,), and n_vocabulary to one-hot rows (n_tokens, n_vocabulary)."""
    return judge(answer, _ONE_HOT)


def _adds_up(array: np.ndarray) -> str:
    return "" if np.isclose(array.sum(), 1) else f"Your shares add up to {array.sum():.4g}; all of one attention is 1."


_rng = np.random.default_rng(1)

_SHARES = Exercise(
    names=("marks",),
    right=lambda marks: marks / marks.sum(),
    inputs=[(np.array([3.0, 1, 4]),), (np.array([2, 0, 5, 1]),), (_rng.integers(0, 9, 6) + 0.5,)],
    mistakes=[
        Mistake(
            lambda m: m, "These are still the marks themselves. What do you divide each by, so that all add up to 1?"
        ),
        Mistake(
            lambda m: m / m.max(),
            "You divide by the largest mark, so the favourite gets 1 and nothing is left for "
            "the rest. What must all the shares add up to?",
        ),
        Mistake(
            lambda m: m / len(m),
            "You divide by how many words there are. Should ten generous marks and ten stingy "
            "ones give the same total?",
        ),
        Mistake(lambda m: np.full(len(m), 1 / len(m)), "Every word gets the same share. Where do the marks come in?"),
        Mistake(lambda m: m // m.sum(), "The fractions got lost: // rounds down. Which division keeps them?"),
        Mistake(lambda m: 100 * m / m.sum(), "These are percents: they add up to 100. Let all of one attention be 1."),
        Mistake(
            lambda m: np.exp(m) / np.exp(m).sum(),
            "That's softmax, two lessons early! Here a word with twice the marks is to get twice the share.",
        ),
        Mistake(lambda m: m.sum(), "You return the total. What is each mark's part of it?"),
        Mistake(lambda m: m.sum() / m, "Upside down: you divide the total by the mark, so small marks get much."),
    ],
    praise="Right: whatever the marks, the shares add up to 1. Every row of weights in this course will do the same.",
    property=_adds_up,
)

_WORDS = ["desk", "pen", "blue", "my"]
_IDS = Exercise(
    names=("tokens", "vocabulary"),
    right=lambda tokens, vocabulary: np.array([vocabulary.index(token) for token in tokens]),
    inputs=[
        (["blue", "pen", "desk", "pen"], _WORDS),
        (["my", "blue", "my"], _WORDS),
        (["it", "saw", "it", "on"], ["saw", "you", "on", "i", "it"]),
    ],
    mistakes=[
        Mistake(
            lambda t, v: list(range(len(t))),
            "These are the positions in the sentence: the two times «pen» get different "
            "ids. Where should a word's number come from?",
        ),
        Mistake(
            lambda t, v: [v.index(w) + 1 for w in t],
            "All your ids are one too large: the first word of the vocabulary "
            "has id 0, the row that Python's indexing gives it.",
        ),
        Mistake(
            lambda t, v: [sorted(v).index(w) for w in t],
            "You number the words by the alphabet. The vocabulary's own order decides.",
        ),
        Mistake(
            lambda t, v: [t.index(w) for w in t], "You look each word up in the sentence. Which list holds the numbers?"
        ),
        Mistake(
            lambda t, v: [t.index(w) if w in t else -1 for w in v],
            "You walk through the vocabulary and ask where each "
            "word stands in the sentence. Turn the question round: one id a token.",
        ),
        Mistake(
            lambda t, v: [len(w) for w in t], "That's each word's length. Two words of one length would get one id."
        ),
        Mistake(lambda t, v: [t.count(w) for w in v], "You count words. An id says which word, not how often."),
    ],
    praise="Right: equal words get equal ids, wherever they stand.",
)

_ONE_HOT = Exercise(
    names=("ids", "n_vocabulary"),
    right=lambda ids, n: np.eye(n)[ids],
    inputs=[(np.array([2, 0, 2]), 3), (np.array([4, 0, 4, 2]), 6), (_rng.integers(0, 7, 5), 7)],
    mistakes=[
        Mistake(
            lambda ids, n: np.eye(n)[ids].T, "Your result lies on its side: rows are tokens. Add up one row; is it 1?"
        ),
        Mistake(
            lambda ids, n: np.eye(n)[: len(ids)],
            "You mark the positions 0, 1, 2 …, whatever the ids are. Which column of row i should hold the 1?",
        ),
        Mistake(
            lambda ids, n: np.eye(n)[ids] * ids[:, None],
            "You wrote the id itself into the cell. One-hot means a 1, so that the row picks, and does not scale.",
        ),
        Mistake(
            lambda ids, n: np.eye(n)[np.asarray(ids) - 1], "Each 1 stands one column too far left: ids start at 0."
        ),
        Mistake(lambda ids, n: np.zeros((len(ids), n)), "All zeros: which single cell of each row should be 1?"),
        Mistake(
            lambda ids, n: np.eye(n)[ids].sum(axis=0),
            "You added the rows up: that counts words, and forgets which token was which.",
        ),
    ],
    praise="Right: a row with a single 1. Multiply it with a table and out comes one row of the table.",
    property=lambda array: (
        "" if array.ndim == 2 and np.isin(array.sum(axis=1), 1).all() else "Each row needs exactly one 1."
    ),
)
