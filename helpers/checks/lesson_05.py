"""The checks of lesson 05: mixing values, contributions, asking for coffee."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers import story
from helpers.attention import attention, softmax
from helpers.checks.verdict import BLANK, Exercise, Mistake, Verdict, as_numbers, contains_blank, judge, never_raises


def weigh_values(answer: Callable[[np.ndarray, np.ndarray], Any]) -> Verdict:
    """Check a function from weights (n_queries, n_keys) and V (n_keys, d_v) to the output (n_queries, d_v)."""
    return judge(answer, _WEIGH)


def contributions(answer: Callable[[np.ndarray, np.ndarray], Any]) -> Verdict:
    """Check a function from one row of weights (n_keys,) and V (n_keys, d_v) to what each key adds, (n_keys, d_v)."""
    return judge(answer, _CONTRIBUTIONS)


@never_raises
def ask_for_coffee(query: Any) -> Verdict:
    """Check a query, three numbers, whose answer lies within half a metre of the coffee machine."""
    if contains_blank(query):
        return BLANK
    given = as_numbers(query)
    if given is None or given.shape != (3,) or not np.isfinite(given).all():
        return Verdict(False, "A query of the lab has three numbers: pens, coffee, anime.")
    output, weights = attention(np.clip(given, -1e6, 1e6)[None], story.lab_keys, story.lab_values, scale=1)
    (x, y), best = output[0], story.people[int(weights[0].argmax())]
    if np.hypot(x - 6, y - 1) <= 0.5:
        return Verdict(True, f"Right: the answer lies at ({x:.2f}, {y:.2f}). A longer query asks more sharply.")
    if best != "the senior with coffee":
        return Verdict(
            False, f"Your answer lies at ({x:.2f}, {y:.2f}); {best} has most of the say. Whose key has the most coffee?"
        )
    return Verdict(
        False,
        f"Your answer lies at ({x:.2f}, {y:.2f}): the right direction, but the others still pull. What would the "
        "same question do, asked louder, or with a dislike for what the others know?",
    )


_rng = np.random.default_rng(5)
_WEIGH = Exercise(
    names=("weights", "V"),
    right=lambda weights, V: weights @ V,
    inputs=[
        (np.array([[0.6, 0.4], [0.9, 0.1]]), np.array([[10.0, 2], [0, 20]])),
        (softmax(_rng.normal(size=(2, 4))), _rng.normal(size=(4, 7))),
        (softmax(_rng.normal(size=(5, 3))), _rng.normal(size=(3, 2))),
    ],
    mistakes=[
        Mistake(lambda w, V: w.T @ V, "Whose weights build row 0 of the output? You took a column of the weights."),
        Mistake(
            lambda w, V: w @ V.T,
            "You transposed V, so the weights meet the numbers inside a value instead of the values.",
        ),
        Mistake(
            lambda w, V: V @ w,
            "The other order: there V's numbers are weighed by columns. Which of the two has a row a query?",
        ),
        Mistake(
            lambda w, V: V.T @ w,
            "You mixed along the queries. Each query mixes over the keys, with its own row of weights.",
        ),
        Mistake(lambda w, V: V, "These are the values themselves. Where do the weights come in?"),
        Mistake(lambda w, V: w * V, "* multiplies cell by cell. One output mixes all the values."),
        Mistake(
            lambda w, V: V[w.argmax(axis=1)],
            "You return the favourite's value alone: that's a lookup. Where are the others?",
        ),
        Mistake(
            lambda w, V: np.tile(V.mean(axis=0), (len(w), 1)),
            "Every value counts the same. Where do the weights come in?",
        ),
        Mistake(
            lambda w, V: (w @ V) / len(V),
            "Mixed, then divided by how many keys there are. The weights add up to 1 already.",
        ),
        Mistake(lambda w, V: (w @ V).T, "The numbers are right, but on their side: a row a query, please."),
        Mistake(lambda w, V: (w @ V).sum(axis=0), "You added the queries up. Each takes its own answer home."),
        Mistake(lambda w, V: w[0] @ V, "Only the first query got an answer."),
        Mistake(
            lambda w, V: w[:, :, None] * V,
            "Each value is weighed, well done. One step is missing: the sum over the keys.",
        ),
        Mistake(lambda w, V: w @ (V - V.mean(axis=0)), "You moved the origin to the average of the values first. Why?"),
    ],
    praise="Right: three steps, scores, weights, output, and you've written them all. Put together they are attention.",
)

_CONTRIBUTIONS = Exercise(
    names=("weights_row", "V"),
    right=lambda w, V: w[:, None] * V,
    inputs=[
        (np.array([0.75, 0.25]), np.array([[1.0, 4], [7, 5]])),
        (softmax(_rng.normal(size=4)), _rng.normal(size=(4, 3))),
        (softmax(_rng.normal(size=3)), _rng.normal(size=(3, 5))),
    ],
    mistakes=[
        Mistake(
            lambda w, V: w * V,
            "Each weight met a column of V instead of a row. What shape lets a weight go with its whole value?",
        ),
        Mistake(lambda w, V: w @ V, "That's their sum, the output. Keep what each key adds apart."),
        Mistake(lambda w, V: w, "These are the weights. A weight of .9 on a value of zero adds nothing; where is V?"),
        Mistake(lambda w, V: (w[:, None] * V).T, "The numbers are right, but on their side: a row a key, please."),
        Mistake(
            lambda w, V: w * np.linalg.norm(V, axis=1),
            "That's how *much* each adds, its length. What does it add, number by number?",
        ),
        Mistake(lambda w, V: w[:, None] + V, "You added. A value counts its weight times."),
        Mistake(lambda w, V: V, "These are the values themselves, unweighed."),
        Mistake(lambda w, V: V / w[:, None], "You divide by the weight, so the least heard speak the loudest."),
    ],
    praise="Right: a row a key, and their sum is the output. A large weight on a small value adds little.",
)
