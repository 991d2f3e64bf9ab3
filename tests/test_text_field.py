"""The text field of lesson 01: whatever a reader types gets a clear answer, and nothing of it acts as markup."""

import re
import warnings
from collections import Counter

import pytest

from helpers.figures import bars
from helpers.sliders import typed
from tools.lessons import ROOT, Lesson

CELL = next(python for python in Lesson(ROOT / "notebooks" / "01_tokens.ipynb").python if "def starred" in python)


@pytest.fixture(scope="module")
def field():
    space = {"bars": bars, "typed": typed, "Counter": Counter}
    exec(CELL.rpartition("\n\n\ntyped(")[0], space)
    return typed(space["starred"], label="Your sentence", caption="Stars.", start="")


def answer_to(field, text: str) -> str:
    """What the page shows once a text has been typed, and no warning."""
    entry, below = field.widget.children
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        entry.value = text
    return below.value


@pytest.mark.parametrize("text", ["", " ", "*", "no star at all", "***", "* , *"])
def test_without_a_starred_word_it_asks_for_stars(field, text):
    assert "No stars yet" in answer_to(field, text)


def test_stars_become_shares(field):
    assert "pen 0.75, day 0.25" in answer_to(field, "a pen***, and a sunny day*!")


def test_too_many_words_are_counted(field):
    assert "10000 words have stars" in answer_to(field, " ".join(f"w{i}*" for i in range(10_000)))
    assert "No stars yet" in answer_to(field, "word " * 10_000)


@pytest.mark.parametrize("word", ["<b>b</b>", "<script>x()</script>", '"><img/onerror=x', "$x^2$", "$x^{$", "&lt;"])
def test_markup_is_shown_as_it_was_typed(field, word):
    shown = answer_to(field, f"{word}* pen*")
    assert "<img" in shown and not re.search(r"<(b|script)>|<img/", shown)


@pytest.mark.parametrize("word", ["日本語", "🖊️", "naïve", "ידיעה", "a" * 10_000, "\u200b", "\x00"])
def test_any_letters_get_a_picture(field, word):
    assert "<img" in answer_to(field, f"{word}* pen**")
