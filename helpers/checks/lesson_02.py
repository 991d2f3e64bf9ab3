"""The checks of lesson 02: projecting, blending, aiming between two places, shapes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from helpers import story
from helpers.checks.verdict import (
    BLANK,
    Exercise,
    Mistake,
    Verdict,
    as_numbers,
    briefly,
    contains_blank,
    judge,
    never_raises,
)


def project(answer: Callable[[np.ndarray, np.ndarray], Any]) -> Verdict:
    """Check a function from X (n_tokens, d_model) and W (d_model, d) to their product (n_tokens, d)."""
    return judge(answer, _PROJECT)


def blend(answer: Callable[[np.ndarray, np.ndarray], Any]) -> Verdict:
    """Check a function from shares (n_keys,) and values (n_keys, d_v) to the blended value (d_v,)."""
    return judge(answer, _BLEND)


@never_raises
def halfway(shares: Sequence[float]) -> Verdict:
    """Check five shares that should put the answer halfway between the blue desk and the tea table."""
    if contains_blank(shares):
        return BLANK
    given = as_numbers(shares)
    if given is None or given.shape != (5,) or not np.isfinite(given).all():
        return Verdict(False, "Five numbers are wanted, one a person, in the order of the table above.")
    if (given < 0).any():
        return Verdict(False, f"A share of {given.min():g}? Nobody can be listened to less than not at all.")
    if not np.isclose(given.sum(), 1):
        return Verdict(False, f"Your shares add up to {given.sum():.4g}: hand out exactly one whole attention.")
    x, y = given @ story.lab_values
    if np.hypot(x - 5.5, y - 4.5) > 0.05:
        return Verdict(
            False,
            f"Your answer lies at ({x:.2f}, {y:.2f}), and (5.5, 4.5) was wanted. Whose spots lie on either side of it?",
        )
    return Verdict(True, "Right: an answer can lie where nobody pointed. Blends do that; lookups can't.")


@never_raises
def shapes(answer: Mapping[str, tuple[int, int]]) -> Verdict:
    """Check the predicted shapes of Q, K and V for the whole sentence of 17 tokens."""
    if contains_blank(answer):
        return BLANK
    if not isinstance(answer, Mapping) or set(answer) != {"Q", "K", "V"}:
        return Verdict(False, "A dict with the keys Q, K and V is wanted, a shape for each.")
    for name, wanted in {"Q": (17, 4), "K": (17, 4), "V": (17, 3)}.items():
        given = answer[name]
        if not isinstance(given, (tuple, list)) or tuple(given) != wanted:
            return Verdict(
                False, _shape_hint(name, tuple(given) if isinstance(given, (tuple, list)) else given, wanted)
            )
    return Verdict(True, "Right: more tokens make more rows. The widths belong to the W's and never change.")


def _shape_hint(name: str, given: Any, wanted: tuple[int, int]) -> str:
    if given == wanted[::-1]:
        return f"{name}: rows are tokens. You have them as columns."
    if given == (8, wanted[1]):
        return f"{name}: that's the shape of W_{name.lower()}. Which size of X does the product keep?"
    if given == (7, wanted[1]):
        return f"{name}: that was the cut of seven tokens. How many does the whole sentence have?"
    if given == (17, 8):
        return f"{name}: that's the shape of X, before the projection. How many columns has W_{name.lower()}?"
    if given == (17, 4) and name == "V":
        return "V: Q and K share a width, V doesn't have to. How many columns has W_v?"
    return f"{name}: {briefly(given)} isn't it. A row a token, a column for each column of W_{name.lower()}."


_rng = np.random.default_rng(2)


def _trial(n_tokens: int, d_model: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    return _rng.normal(size=(n_tokens, d_model)), _rng.normal(size=(d_model, d))


_SQUARE = (np.array([[1.0, 2], [3, 4]]), np.array([[0.0, 1], [5, 2]]))
_PROJECT = Exercise(
    names=("X", "W"),
    right=lambda X, W: X @ W,
    inputs=[_SQUARE, _trial(5, 4, 3), _trial(2, 3, 6)],
    mistakes=[
        Mistake(
            lambda X, W: X @ W.T,
            "You multiply with W's transpose: columns and rows of W have changed places. Would this "
            "run if W were not square?",
        ),
        Mistake(
            lambda X, W: W @ X,
            "You multiply in the other order, so W's rows are mixed instead of X's. Which of the two "
            "has a row a token?",
        ),
        Mistake(
            lambda X, W: X * W,
            "* multiplies cell by cell. Should one entry of the result mix all the features of a token?",
        ),
        Mistake(lambda X, W: (X @ W).T, "The numbers are right, but on their side: a row a token, please."),
        Mistake(lambda X, W: X.T @ W, "You transposed X, so your sum runs over tokens instead of features."),
        Mistake(lambda X, W: X + W, "You added. Each feature of a token should be weighed by W, then summed."),
        Mistake(lambda X, W: X[0] @ W, "Only the first token came through. What of the other rows of X?"),
        Mistake(lambda X, W: (X @ W).sum(axis=0), "You added the tokens up. Each should keep a row of its own."),
        Mistake(lambda X, W: W, "You return W itself. Where does the token come in?"),
    ],
    praise="Right: one line makes Q, K and V, each with its own W. Row i is token i, seen through W.",
)

_BLEND = Exercise(
    names=("shares", "values"),
    right=lambda shares, values: shares @ values,
    inputs=[
        (np.array([0.7, 0.3]), np.array([[1.0, 4], [7, 5]])),
        (np.array([0.1, 0.2, 0.3, 0.4]), _rng.normal(size=(4, 2))),
        (np.array([0.5, 0.2, 0.3]), _rng.normal(size=(3, 5))),
    ],
    mistakes=[
        Mistake(
            lambda s, v: v[np.argmax(s)],
            "You return the favourite's value alone: that's a lookup. Let everyone speak, as loudly as their share.",
        ),
        Mistake(lambda s, v: v.mean(axis=0), "Everyone counts the same in your answer. Where do the shares come in?"),
        Mistake(lambda s, v: v.sum(axis=0), "You added the values up, unweighted. Multiply each by its share first."),
        Mistake(lambda s, v: s[:, None] * v, "Each value is weighed, well done. One step is missing: a single answer."),
        Mistake(
            lambda s, v: (s @ v) / len(s),
            "Weighed, then divided by how many there are. The shares add up to 1 already.",
        ),
        Mistake(lambda s, v: v @ s, "Your sum runs along each value's own numbers. It should run over the people."),
        Mistake(
            lambda s, v: (s[:, None] * v).sum(axis=1), "You summed each person's own numbers. Sum over the people."
        ),
        Mistake(lambda s, v: s[::-1] @ v, "The shares meet the wrong values: person 0's share goes with value 0."),
        Mistake(lambda s, v: (s**2) @ v, "Each share was multiplied in twice."),
    ],
    praise="Right: that's the whole of what a value is for. In lesson 05 the same line is called weights @ V.",
)
