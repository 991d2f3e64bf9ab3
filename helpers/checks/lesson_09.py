"""The checks of lesson 09: a causal mask, the split into heads, a mask for texts in a row."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers import attention as maths
from helpers.checks.verdict import Exercise, Mistake, Verdict, judge


def causal_mask(answer: Callable[[int], Any]) -> Verdict:
    """Check a function from n to booleans (n, n), True where a query may attend: not to later keys."""
    return judge(answer, _CAUSAL)


def split_heads(answer: Callable[[np.ndarray, int], Any]) -> Verdict:
    """Check a function from A (n_tokens, n_heads*d) and n_heads to the heads (n_heads, n_tokens, d)."""
    return judge(answer, _SPLIT)


def texts_mask(answer: Callable[[np.ndarray], Any]) -> Verdict:
    """Check a function from the text of each token (n,) to booleans (n, n): its own text, up to itself."""
    return judge(answer, _TEXTS)


def _true_or_false(array: np.ndarray) -> str:
    if not np.isin(array, [0, 1]).all():
        return "A mask holds True and False only; the -inf comes when it's used."
    if not array.any(axis=-1).all():
        row = int(np.argmin(array.any(axis=-1)))
        return f"Row {row} is False throughout: whom shall that query attend to?"
    return ""


def _minus_inf(mask: np.ndarray) -> np.ndarray:
    """The mask as numbers to be added to scores."""
    return np.where(mask, 0, -np.inf)


def _same_text(text: np.ndarray) -> np.ndarray:
    return text[:, None] == text


def _back(text: np.ndarray) -> np.ndarray:
    return np.tri(len(text), dtype=bool)


_CAUSAL = Exercise(
    names=("n",),
    right=lambda n: np.tri(n, dtype=bool),
    inputs=[(3,), (7,), (1,), (5,)],
    mistakes=[
        Mistake(
            lambda n: ~np.tri(n, dtype=bool),
            "That's just the future: True should mean *may* attend. The last token has nobody left.",
        ),
        Mistake(
            lambda n: np.tri(n, dtype=bool).T,
            "Your first token may look at all, and your last only at itself. Is row i a query or a key?",
        ),
        Mistake(
            lambda n: np.tri(n, k=-1, dtype=bool),
            "Your first token has nobody to attend to. May a token look at itself?",
        ),
        Mistake(
            lambda n: np.tri(n, k=1, dtype=bool),
            "Your tokens still see one step ahead: the very one they'd have to guess.",
        ),
        Mistake(
            lambda n: np.ones((n, n), dtype=bool),
            "You hide nothing. Which cells of row 0 are the future?",
        ),
        Mistake(
            lambda n: np.eye(n, dtype=bool),
            "Your tokens see only themselves. What came before is allowed, too.",
        ),
        Mistake(
            lambda n: _minus_inf(np.tri(n, dtype=bool)),
            "These are the numbers to add to the scores. Wanted is the table of True and False that "
            "they're made from.",
        ),
    ],
    praise="Right: with this one table a reader becomes a writer.",
    property=_true_or_false,
)

_rng = np.random.default_rng(9)
_SPLIT = Exercise(
    names=("A", "n_heads"),
    right=maths.split_heads,
    inputs=[
        (np.arange(36.0).reshape(6, 6), 2),
        (_rng.normal(size=(5, 6)), 3),
        (_rng.normal(size=(4, 10)), 2),
    ],
    mistakes=[
        Mistake(
            lambda A, n: A.reshape(n, len(A), -1),
            "The shape fits, but reshape alone reads line by line: part of token 0 now passes for token "
            "1. Which columns of A should head 0 have?",
        ),
        Mistake(
            lambda A, n: A.reshape(len(A), n, -1),
            "Each token is split; now the heads still have to come first, before the tokens.",
        ),
        Mistake(
            lambda A, n: A.reshape(len(A), -1, n).transpose(2, 0, 1),
            "You dealt the columns out like cards, one to each head in turn. A head's columns lie side by "
            "side.",
        ),
        Mistake(
            lambda A, n: A.reshape(len(A), n, -1).transpose(1, 2, 0),
            "Each head is on its side: a row a token, please.",
        ),
        Mistake(
            lambda A, n: A.reshape(len(A), n, -1).transpose(2, 0, 1),
            "The wrong axis came first: there are as many matrices as columns in a head, where there "
            "should be one for each head.",
        ),
        Mistake(
            lambda A, n: A.reshape(n, -1, A.shape[1]),
            "You gave each head some of the tokens. All heads see all tokens, each its own columns.",
        ),
        Mistake(
            lambda A, n: np.stack(np.split(A, n, axis=1))[::-1],
            "The heads come in the wrong order: head 0 has the first columns.",
        ),
        Mistake(
            lambda A, n: np.stack([A] * n),
            "Every head got everything. Each should have its own columns.",
        ),
    ],
    praise="Right: one array, many heads, and not a number out of place.",
)

_TEXTS = Exercise(
    names=("text",),
    right=lambda text: _back(text) & _same_text(text),
    inputs=[
        (np.array([1, 1, 0]),),
        (np.array([0, 0, 0, 1, 1]),),
        (np.array([4, 2, 2, 7, 7, 7]),),
    ],
    mistakes=[
        Mistake(
            lambda text: _back(text),
            "The texts aren't kept apart: a later one still hears what came before it.",
        ),
        Mistake(
            lambda text: _same_text(text),
            "The texts are kept apart, but within one the future can be seen.",
        ),
        Mistake(
            lambda text: _back(text) | _same_text(text),
            "One condition was enough for you; both must hold.",
        ),
        Mistake(
            lambda text: _back(text).T & _same_text(text),
            "Your tokens look ahead and not back. Is row i a query or a key?",
        ),
        Mistake(
            lambda text: ~(_back(text) & _same_text(text)),
            "The other way round: True should mean *may* attend.",
        ),
        Mistake(
            lambda text: _back(text) & ~_same_text(text),
            "Your tokens listen to the other texts, and not to their own.",
        ),
        Mistake(
            lambda text: np.tri(len(text), k=-1, dtype=bool) & _same_text(text),
            "The first token of each text has nobody to attend to. May it look at itself?",
        ),
        Mistake(
            lambda text: _minus_inf(_back(text) & _same_text(text)),
            "These are the numbers to add to the scores. Wanted is the table of True and False that "
            "they're made from.",
        ),
        Mistake(
            lambda text: text[:, None] >= text,
            "You compared the texts' numbers by size. Those are labels: same or not the same.",
        ),
    ],
    praise="Right: that's how many short texts share one long row, and none hears another.",
    property=_true_or_false,
)
