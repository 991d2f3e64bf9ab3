"""The checks of lesson 03: scores, a key that fits one query only, a one-way relation."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers import story
from helpers.attention import softmax
from helpers.checks.verdict import BLANK, Exercise, Mistake, Verdict, as_numbers, contains_blank, judge, never_raises


def dot_product_scores(answer: Callable[[np.ndarray, np.ndarray], Any]) -> Verdict:
    """Check a function from Q (n_queries, d_k) and K (n_keys, d_k) to scores (n_queries, n_keys)."""
    return judge(answer, _SCORES)


@never_raises
def key_for(key: Any) -> Verdict:
    """Check a key, four numbers, that "saw" scores 5 with and "i" scores 0 with."""
    if contains_blank(key):
        return BLANK
    given = as_numbers(key)
    if given is None or given.shape != (4,) or not np.isfinite(given).all():
        return Verdict(False, "A key of this sentence has four numbers: who, what, where, does.")
    queries = story.X @ story.W_q  # (n_tokens, d_k)
    saw, i = (float(queries[story.tokens.index(word)] @ given) for word in ("saw", "i"))
    if np.isclose(saw, 5) and np.isclose(i, 0):
        return Verdict(
            True, "Right: large where the one asks, zero where the other does. Many keys would do; training finds one."
        )
    if np.isclose(saw, 5):
        return Verdict(
            False, f"'saw' scores 5, but 'i' scores {i:.3g}. What does 'i' ask for, and how much of that has your key?"
        )
    if np.isclose(i, 0):
        return Verdict(
            False,
            f"'i' scores 0, as wanted, but 'saw' scores {saw:.3g}. Multiply its query with your key, number by "
            "number, and add up.",
        )
    return Verdict(False, f"'saw' scores {saw:.3g} and 'i' scores {i:.3g}; wanted 5 and 0.")


@never_raises
def one_way(W_q: Any) -> Verdict:
    """Check a (2, 2) matrix W_q with which token 0 scores 4 with token 1, and token 1 scores 0 with token 0."""
    if contains_blank(W_q):
        return BLANK
    given = as_numbers(W_q)
    if given is None or given.shape != (2, 2) or not np.isfinite(given).all():
        return Verdict(False, "A matrix of two rows and two columns is wanted, such as [[1, 2], [3, 4]].")
    forth, back = given[0, 1], given[1, 0]  # X and W_k are the identity, so the scores are W_q itself
    if np.isclose(forth, 4) and np.isclose(back, 0):
        return Verdict(
            True, "Right: 4 one way, 0 the other. With one matrix for both, no choice of numbers could do that."
        )
    if np.isclose(back, 4) and np.isclose(forth, 0):
        return Verdict(False, "The other way round: now token 1 looks at token 0. Rows are the ones who ask.")
    if np.isclose(forth, back):
        return Verdict(
            False,
            f"Both ways score {forth:.3g}: your matrix is symmetric. Can token 0 look at token 1 without being "
            "looked back at?",
        )
    return Verdict(False, f"Token 0 scores {forth:.3g} with token 1, and {back:.3g} comes back; wanted 4 and 0.")


def _cosines(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return (Q @ K.T) / np.linalg.norm(Q, axis=1)[:, None] / np.linalg.norm(K, axis=1)


_rng = np.random.default_rng(3)
_SCORES = Exercise(
    names=("Q", "K"),
    right=lambda Q, K: Q @ K.T,
    inputs=[
        (np.array([[1.0, 2], [3, 4]]), np.array([[1.0, 0], [2, 1]])),
        (_rng.normal(size=(3, 4)), _rng.normal(size=(5, 4))),
        (_rng.normal(size=(6, 2)), _rng.normal(size=(4, 2))),
    ],
    mistakes=[
        Mistake(
            lambda Q, K: Q @ K,
            "Does your sum run over features or over tokens? Two tokens are compared feature by feature.",
        ),
        Mistake(
            lambda Q, K: K @ Q.T,
            "All the numbers are there, but on their side. Change one query: which line of your result moved?",
        ),
        Mistake(lambda Q, K: Q * K, "* multiplies cell by cell. Should one entry mix all the features of a pair?"),
        Mistake(lambda Q, K: Q.T @ K, "You transposed the queries, so features are scored against features."),
        Mistake(
            lambda Q, K: Q.T @ K.T, "Both are transposed. Which axis do Q and K have in common, the one to sum over?"
        ),
        Mistake(
            lambda Q, K: (Q * K).sum(axis=1),
            "You scored query 0 with key 0, query 1 with key 1, and stopped there. Every query meets every key.",
        ),
        Mistake(
            lambda Q, K: (Q @ K.T) / Q.shape[1] ** 0.5,
            "You scaled the scores already. That's the medicine of lesson 06; leave it out here.",
        ),
        Mistake(_cosines, "That's the cosine: you divided by the lengths. Should a louder key be heard just the same?"),
        Mistake(lambda Q, K: softmax(Q @ K.T), "These are weights already. The scores come before softmax."),
        Mistake(lambda Q, K: np.abs(Q @ K.T), "You dropped the signs. What would a negative score tell you?"),
        Mistake(
            lambda Q, K: -((Q[:, None] - K) ** 2).sum(axis=-1),
            "That's a distance. A dot product multiplies, then adds up.",
        ),
        Mistake(
            lambda Q, K: ((Q[:, None] - K) ** 2).sum(axis=-1) ** 0.5,
            "That's a distance. A dot product multiplies, then adds up.",
        ),
        Mistake(lambda Q, K: (Q @ K.T)[0], "Only the first query was scored. One row a query is wanted."),
        Mistake(lambda Q, K: Q @ K.T + 1, "Every score is 1 too large. Where does your sum start?"),
    ],
    praise="Right: one product scores every query against every key. Row i is query i's, column j is key j's.",
)
