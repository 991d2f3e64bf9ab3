"""The checks of lesson 06b: the gradient of the values, the loss of a mix-up, two descents that are one."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from helpers.checks.verdict import BLANK, Exercise, Mistake, Verdict, as_numbers, contains_blank, judge, never_raises


def values_gradient(answer: Callable[[np.ndarray, np.ndarray], Any]) -> Verdict:
    """Check a function from weights (n_queries, n_keys) and d_output (n_queries, d_v) to d_V (n_keys, d_v)."""
    return judge(answer, _VALUES_GRADIENT)


@never_raises
def mixed_up(loss: Any) -> Verdict:
    """Check the loss if two neighbours' answers stand at each other's spot, and the other six are right."""
    if contains_blank(loss):
        return BLANK
    given = as_numbers(loss)
    if given is None or given.shape != () or not np.isfinite(given):
        return Verdict(False, "One number is wanted: the mean of sixteen squared differences.")
    if abs(given - _MIXED_UP) < 0.001:
        return Verdict(
            True, f"Right, {_MIXED_UP:.3f}. A loss that settles there tells who stands where: raw losses do."
        )
    for value, hint in _MIXED_UP_MISTAKES.items():
        if abs(given - value) < 0.004 * value:
            return Verdict(False, hint)
    if given <= 0:
        return Verdict(False, "A loss of zero would mean that all eight are right, and squares are never negative.")
    return Verdict(False, f"{given:.4g} isn't it. Copy `targets`, swap the two rows, and ask the loss.")


@never_raises
def same_descent(answer: Mapping[str, float]) -> Verdict:
    """Check the start's std and the rate of the raw descent that equals ÷√d_k with std .25 and rate .5 at d_k = 256."""
    if contains_blank(answer):
        return BLANK
    if not isinstance(answer, Mapping) or set(answer) != {"start", "rate"}:
        return Verdict(False, "A dict with the keys start and rate is wanted, a number for each.")
    for name, wanted in {"start": 0.25 / 4, "rate": 0.5 / 16}.items():
        given = as_numbers(answer[name])
        if given is None or given.shape != () or not np.isfinite(given):
            return Verdict(False, f"{name}: one number is wanted.")
        if np.isclose(given, wanted, rtol=5e-3):
            continue
        known = [hint for value, hint in _SAME_DESCENT_MISTAKES[name].items() if np.isclose(given, value, rtol=5e-3)]
        return Verdict(False, f"{name}: {known[0] if known else _OTHER}")
    return Verdict(True, "Right: with these two numbers the raw layer learns step for step what the scaled one does.")


_rng = np.random.default_rng(6)
_NEIGHBOUR = 4 * (1 - np.cos(np.pi / 4))  # the squared distance of neighbours on a ring of radius √2
_MIXED_UP = 2 * _NEIGHBOUR / 16
_MIXED_UP_MISTAKES = {
    _NEIGHBOUR / 16: "That's one person at the neighbour's spot. In a swap, two are wrong.",
    2 * _NEIGHBOUR / 8: "You divide by eight people. The loss is a mean over all numbers, and each person has two.",
    _NEIGHBOUR: "That's the squared distance of two neighbouring spots. The loss is a mean, and most of it is zero.",
    2 * _NEIGHBOUR: "That's the sum of the squares. How many numbers is the mean taken over?",
    _NEIGHBOUR**0.5: "That's the distance of two neighbouring spots. The loss takes squares, and a mean.",
    2 * _NEIGHBOUR**0.5 / 16: "You took distances. The loss takes their squares.",
    1.0: "That's the loss of pointing at the middle of the room.",
    2.0: "That's the loss of pointing at a random person.",
}
_OTHER = "not that. The scores' factor is 1/16, and two W's share it."
_SAME_DESCENT_MISTAKES = {
    "start": {
        0.25 / 16: "You took all of 1/16 into each of the two W's, so the scores shrink twice.",
        0.25: "That's the scaled layer's own start. Where does the raw one get its factor 1/16 from?",
        0.25 * 4: "The wrong way: these W's grew.",
        0.25 / 256: "That's divided by d_k. How much do the scores shrink, and how many W's share that?",
    },
    "rate": {
        0.5: "The start is right, but the step must shrink, too: these W's are smaller, and their gradient is longer.",
        0.5 / 4: "That's the factor of one W. It comes in twice: in the W, and in its gradient.",
        0.5 * 16: "The wrong way: smaller W's have a longer gradient, and need a smaller step.",
        0.5 * 4: "The wrong way: smaller W's have a longer gradient, and need a smaller step.",
        0.5 / 256: "That's divided by d_k. The factor 256^(1/4) comes in twice.",
    },
}
_VALUES_GRADIENT = Exercise(
    names=("weights", "d_output"),
    right=lambda w, d: w.T @ d,
    inputs=[
        (np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[10.0, 2], [0, 20]])),
        (_rng.dirichlet(np.ones(4), size=2), _rng.normal(size=(2, 3))),
        (_rng.dirichlet(np.ones(3), size=5), _rng.normal(size=(5, 2))),
    ],
    mistakes=[
        Mistake(
            lambda w, d: w @ d,
            "That mixes slopes as if they were values. Who used value 0? A column of the weights knows.",
        ),
        Mistake(lambda w, d: (w.T @ d).T, "The numbers are right, but on their side: a row a key, like V."),
        Mistake(lambda w, d: w @ d.T, "You transposed d_output. Which axis has to vanish, queries or keys?"),
        Mistake(
            lambda w, d: d @ w, "The other order. Sum over all the queries that used a value, each with its weight."
        ),
        Mistake(
            lambda w, d: d.T @ w.T,
            "Both are on their side. Sum over all the queries that used a value, each with its weight.",
        ),
        Mistake(lambda w, d: w * d, "* multiplies cell by cell. A value was used by every query."),
        Mistake(lambda w, d: d, "That's d_output itself. A value used with a small weight has a small say."),
        Mistake(
            lambda w, d: w.T @ d / len(w), "Summed over the queries, well done, then divided by their number. Why?"
        ),
        Mistake(lambda w, d: w[:, :, None] * d[:, None], "Each use by itself, well done. One step is missing: a sum."),
        Mistake(
            lambda w, d: np.tile(d.sum(axis=0), (w.shape[1], 1)),
            "Every value gets the same. Where do the weights come in?",
        ),
    ],
    praise="Right: backwards, the weights are handed out along columns. With this line, W_v could learn too.",
)
