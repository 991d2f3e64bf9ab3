"""What a check says of an answer that none of the known mistakes gives: each sentence, at its limits."""

import numpy as np
import pytest

from helpers.checks.verdict import BLANK, Exercise, Mistake, as_numbers, briefly, contains_blank, judge, rows_add_up

RIGHT = np.array([[0.25, 0.75], [0.5, 0.5]])


def said(result) -> str:
    """What is said of a function that returns this where RIGHT was wanted."""
    exercise = Exercise(
        names=("A",),
        right=lambda A: RIGHT,
        inputs=[(np.eye(2),)],
        mistakes=[Mistake(lambda A: RIGHT.T * 0 + 7, "All sevens.")],
        praise="Well done.",
        property=rows_add_up,
    )
    return judge(lambda A: result, exercise).hint


@pytest.mark.parametrize(
    "result, begins",
    [
        ([[0.25, 0.75], [0.7, 0.7]], "Row 1 adds up to 1.4"),
        ([[0.7, 0.7], [0.5, 0.5]], "Row 0 adds up to 1.4"),
        ([[0.25, 0.75], [-0.5, 1.5]], "negative"),
        ([[0.0, 1.0], [0.5, 0.5]], "Each row adds up to 1, but the weights aren't the right ones."),
        ([[0.25, np.nan], [0.5, 0.5]], "The result contains nan or inf."),
        ([[0.25, 0.75]], "The result has shape (1, 2), where (2, 2) was wanted."),
        ([[7, 7], [7, 7]], "All sevens."),
        (None, "Your function returns None"),
        ("ab", "Your function returns 'ab', where an array of numbers was wanted."),
    ],
)
def test_what_is_seen_is_said(result, begins):
    hint = said(np.array(result) if isinstance(result, list) else result)
    assert begins.lower() in hint.lower()


@pytest.mark.parametrize("length", [77, 78, 79])
def test_a_text_that_fits_is_whole(length):
    text = briefly("a" * length)  # with its quotation marks two more
    assert (text == repr("a" * length)) == (length <= 78)
    assert len(text) == min(80, length + 2) and text.endswith("…") == (length > 78)


@pytest.mark.parametrize("size, is_shown", [(9, True), (10, False)])
def test_an_array_of_up_to_nine_numbers_is_shown(size, is_shown):
    assert ("an array of shape" not in briefly(np.arange(size))) == is_shown


def test_numbers_are_shown_with_three_decimals():
    assert briefly(np.array([1 / 3, 2.0])) == "[0.333, 2.0]"


def test_what_is_no_number_is_no_array():
    assert as_numbers(np.array([object()])) is None and as_numbers("x") is None
    np.testing.assert_array_equal(as_numbers([1, 2]), [1, 2])


def test_the_first_wrong_entry_is_named():
    exercise = Exercise(("A",), lambda A: RIGHT, [(np.eye(2),)], [], "Well done.")
    wrong = RIGHT + [[0, 0], [0, 0.25]]
    assert judge(lambda A: wrong, exercise).hint.startswith(
        "The shape is right; entry [1, 1] is 0.75, which isn't right."
    )
    assert judge(lambda A: RIGHT + 1e-6, exercise).passed and not judge(lambda A: RIGHT + 1e-3, exercise).passed


def test_a_small_negative_weight_is_told_and_zero_is_none():
    assert rows_add_up(np.array([[-0.5, 1.5]])) == "One of your weights is -0.5. Can a share be negative?"
    assert rows_add_up(np.array([[0.0, 0.5]])).startswith("Row 0 adds up to 0.5")


def test_dots_are_found_wherever_they_are_and_count_as_not_written():
    assert contains_blank({"a": [1, (..., 2)]}) and contains_blank(np.array([1, ...], dtype=object))
    assert not contains_blank([1, np.zeros(2)]) and not contains_blank(np.zeros(2))
    assert not BLANK.written and not BLANK.passed
