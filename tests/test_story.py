"""The story's numbers, typed in by hand as the lessons quote them: what is asked, who answers, and what comes of it."""

import numpy as np
import pytest
from scipy.special import softmax

from helpers import story


def rounded(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=float)


def assert_reads(actual: np.ndarray, digits: str, decimals: int = 2) -> None:
    """Each number is what it reads as when it is rounded to so many decimals."""
    expected = rounded(digits).reshape(np.shape(actual))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=0.5 * 10**-decimals + 1e-12)


def weights_of(words: list[str], scale: float) -> np.ndarray:
    X = story.embed(words)  # (n_tokens, d_model)
    return softmax(scale * (X @ story.W_q) @ (X @ story.W_k).T, axis=-1)  # (n_tokens, n_tokens)


# --- The lab -------------------------------------------------------------------------------------------------------

LAB = {  # who: key, the spot they point at, what stands there
    "the senior next to me": (".5 0 2", "1 4", "the shelf"),
    "the senior by the window": ("2 .5 0", "7 5", "the blue desk"),
    "the senior with coffee": (".5 2 0", "6 1", "the coffee machine"),
    "the one with headphones": ("0 0 1.5", "2 1", "the sofa"),
    "the tea drinker": ("1 1.5 0", "4 4", "the tea table"),
}


def test_five_people_stand_for_five_places():
    assert story.people == list(LAB)
    assert story.topics == ["pens", "coffee", "anime"]
    for row, (key, spot, place) in enumerate(LAB.values()):
        np.testing.assert_array_equal(story.lab_keys[row], rounded(key))
        np.testing.assert_array_equal(story.lab_values[row], rounded(spot))
        assert story.places[row] == place


def test_the_spots_average_in_the_middle_of_the_room():
    assert story.room == (8, 6)
    np.testing.assert_array_equal(story.lab_values.mean(axis=0), [4, 3])


def test_nobody_sits_on_a_spot_or_on_anybody_and_all_are_in_the_room():
    seats = np.vstack([story.seats, story.my_seat])
    assert story.seats.shape == story.lab_values.shape
    assert (seats > 0.3).all() and (seats < np.subtract(story.room, 0.3)).all()
    between = np.linalg.norm(seats[:, None] - np.vstack([seats, story.lab_values]), axis=-1)
    assert (between[between > 0] > 0.6).all() and (between == 0).sum() == len(seats)


@pytest.mark.parametrize(
    "query, shares",
    [
        ("1.5 .5 0", ".05 .58 .13 .02 .21"),
        ("0 2 0", ".01 .03 .69 .01 .25"),
        ("0 0 1.5", ".62 .03 .03 .29 .03"),
        ("1 0 1", ".43 .26 .06 .16 .10"),
    ],
)
def test_whom_a_question_listens_to(query, shares):
    assert any(np.array_equal(question, rounded(query)) for question in story.questions.values())
    assert_reads(softmax(story.lab_keys @ rounded(query)), shares)


def test_the_question_for_the_pen():
    np.testing.assert_array_equal(story.q_pen, [1.5, 0.5, 0])
    np.testing.assert_array_equal(story.lab_keys @ story.q_pen, [0.75, 3.25, 1.75, 0, 2.25])


@pytest.mark.parametrize("sharpness, answer", [(0, "4 3"), (1, "5.82 4.13"), (2, "6.58 4.71"), (4, "6.94 4.97")])
def test_where_the_answer_lies(sharpness, answer):
    assert_reads(softmax(sharpness * story.lab_keys @ story.q_pen) @ story.lab_values, answer)


# --- The sentence --------------------------------------------------------------------------------------------------

SENTENCE = "have you seen my octane pen ? yes , i saw it on the blue desk ."
FEATURES = "person thing place sees describes points asks glue"
EMBEDDINGS = """
    ,      0 0 0 0 0 0 0 1
    .      0 0 0 0 0 0 0 1
    ?      0 0 0 0 0 0 1 1
    blue   0 0 0 0 1 0 0 0
    desk   0 .5 1 0 0 0 0 0
    have   0 0 0 .5 0 0 .5 0
    i      1 0 0 0 0 0 0 0
    it     0 .5 0 0 0 1 0 0
    my     .5 0 0 0 0 1 0 0
    octane 0 .5 0 0 0 .5 0 0
    on     0 0 .5 0 .5 0 0 0
    pen    0 1 0 0 0 0 0 0
    saw    0 0 0 1 0 0 0 0
    seen   0 0 0 1 0 0 0 0
    the    0 0 0 0 .5 0 0 1
    yes    0 0 0 0 0 0 -1 0
    you    1 0 0 0 0 0 .5 0
"""
WHAT_A_FEATURE_DOES = """
    person    0 0 0 1     3 0 0 0       2 0 0
    thing     0 0 1 0     0 3 0 0       0 2 0
    place     0 1 -.5 0   0 0 3 0       0 0 2
    sees      1 1.5 -1 0  0 0 0 3       0 0 0
    describes 0 1 1 0     0 0 1 0       0 1 0
    points    0 2 -1 -1   0 .5 .5 0     0 0 0
    asks      0 0 1 1     0 0 0 0       0 0 0
    glue      0 0 0 0     -1 -1 -1 -1   0 0 0
"""
UNSCALED = """
    i    .04 .79 .04 .04 .01 .04 .04
    saw  .58 .03 .35 .00 .00 .01 .01
    it   .02 .00 .86 .01 .01 .01 .09
    on   .04 .04 .36 .07 .01 .06 .41
    the  .05 .05 .18 .14 .02 .08 .48
    blue .01 .01 .11 .06 .00 .02 .79
    desk .06 .06 .46 .06 .02 .06 .28
"""


def table(text: str) -> tuple[list[str], np.ndarray]:
    rows = [line.split() for line in text.strip().splitlines()]
    return [name for name, *_ in rows], np.array([numbers for _, *numbers in rows], dtype=float)


def test_the_sentence_and_its_two_cuts():
    assert story.sentence == SENTENCE
    assert story.tokens == "i saw it on the blue desk".split()
    assert story.pen_tokens == "my octane pen ? i saw it".split()
    assert " ".join(story.tokens) in SENTENCE
    assert story.features == FEATURES.split()


def test_every_word_has_its_features():
    words, rows = table(EMBEDDINGS)
    assert story.vocabulary == words == sorted(set(SENTENCE.split()))
    np.testing.assert_array_equal(story.embeddings, rows)
    np.testing.assert_array_equal(story.X, story.embed(story.tokens))
    np.testing.assert_array_equal(story.X_pen, story.embed(story.pen_tokens))
    assert story.X.shape == story.X_pen.shape == (7, 8)


def test_embedding_takes_each_words_row():
    desk, i = [0, 0.5, 1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]
    np.testing.assert_array_equal(story.embed(["desk", "i", "desk"]), [desk, i, desk])


def test_unknown_words_are_named():
    with pytest.raises(ValueError, match="'<b>', 'Pen'"):
        story.embed(["pen", "<b>", "Pen"])


@pytest.mark.parametrize("words", ["i", ["i", 3], None, {"i": 1}])
def test_what_is_no_list_of_words_is_refused(words):
    with pytest.raises(TypeError, match="words must be a list of words, not"):
        story.embed(words)


def test_what_each_feature_asks_offers_and_hands_over():
    features, rows = table(WHAT_A_FEATURE_DOES)
    assert features == story.features
    np.testing.assert_array_equal(np.hstack([story.W_q, story.W_k, story.W_v]), rows)
    assert (story.W_q.shape, story.W_k.shape, story.W_v.shape) == ((8, 4), (8, 4), (8, 3))
    assert (story.asked, story.handed_over) == (["who", "what", "where", "does"], ["who", "what", "where"])


def test_the_score_that_is_worked_by_hand():
    saw, it = story.embed(["saw", "it"])
    np.testing.assert_array_equal(saw @ story.W_q, [1, 1.5, -1, 0])
    np.testing.assert_array_equal(it @ story.W_k, [0, 2, 0.5, 0])
    assert saw @ story.W_q @ (it @ story.W_k) == 2.5


def test_whom_each_token_listens_to():
    tokens, rows = table(UNSCALED)
    assert tokens == story.tokens
    np.testing.assert_allclose(weights_of(tokens, scale=1), rows, rtol=0, atol=0.005 + 1e-12)


@pytest.mark.parametrize(
    "words, scale, query, key, weight",
    [
        (story.tokens, 1 / 2, "blue", "desk", 0.48),
        (story.tokens, 1 / 2, "saw", "i", 0.41),
        (story.tokens, 1 / 2, "saw", "it", 0.32),
        (story.tokens, 1 / 2, "it", "it", 0.55),
        (story.pen_tokens, 1, "it", "pen", 0.84),
        (story.pen_tokens, 1, "my", "pen", 0.87),
        (SENTENCE.split(), 1, "it", "pen", 0.83),
        (SENTENCE.split(), 1, "pen", "desk", 0.46),
        (SENTENCE.split(), 1, "blue", "desk", 0.60),
        (SENTENCE.split(), 1, "seen", "you", 0.12),
        (SENTENCE.split(), 1, "seen", "i", 0.12),
    ],
)
def test_weights_that_the_lessons_quote(words, scale, query, key, weight):
    assert_reads(weights_of(words, scale)[words.index(query), words.index(key)], str(weight))


def test_without_order_seen_cannot_tell_you_from_i():
    words = SENTENCE.split()
    seen = weights_of(words, 1)[words.index("seen")]
    assert seen[words.index("you")] == pytest.approx(seen[words.index("i")], rel=1e-12)


def test_a_comma_asks_nothing_and_listens_to_all_alike():
    words = SENTENCE.split()
    np.testing.assert_allclose(weights_of(words, 1)[words.index(",")], 1 / 17, rtol=1e-12)


def test_a_large_weight_may_contribute_nothing():
    i, saw = story.tokens.index("i"), story.tokens.index("saw")
    assert weights_of(story.tokens, 1)[i].argmax() == saw
    np.testing.assert_array_equal(story.X[saw] @ story.W_v, [0, 0, 0])


def test_yes_looks_at_punctuation():
    words = SENTENCE.split()
    first = np.argsort(-weights_of(words, 1)[words.index("yes")])[:3]
    assert {words[place] for place in first} <= {",", ".", "?", "the"}
