"""One story: what a lesson prints is what the next one goes on with."""

import base64
import math
import re

import pytest

from helpers import story
from tools.lessons import ROOT, Lesson

NOTEBOOKS = ROOT / "notebooks"
NUMBER = r"(-?\d+\.?\d*)"


def printed(lesson: str, pattern: str) -> list[float]:
    """The numbers of the first place in a lesson's printed output that a pattern matches."""
    cells = Lesson(NOTEBOOKS / f"{lesson}.ipynb").notebook.cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    text = "\n".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs)
    found = re.search(pattern.replace("NUMBER", NUMBER), text)
    assert found, f"{lesson} doesn't print {pattern}"
    return [float(group) for group in found.groups()]


def test_a_score_of_03_is_a_weight_in_04_and_a_share_of_the_output_in_05():
    """All that "saw" asks of "it", from plain sums over the story's literals."""
    saw = story.tokens.index("saw")
    rows = [[sum(x * w for x, w in zip(row, column)) for column in story.W_q.T] for row in story.X]
    keys = [[sum(x * w for x, w in zip(row, column)) for column in story.W_k.T] for row in story.X]
    scores = [sum(q * k for q, k in zip(rows[saw], key)) for key in keys]
    it = story.tokens.index("it")
    weight = math.exp(scores[it]) / sum(math.exp(score) for score in scores)
    scaled = math.exp(scores[it] / 2) / sum(math.exp(score / 2) for score in scores)

    assert printed("03_dot_product_scores", "saw asks it: NUMBER") == [scores[it]]
    caption = Lesson(NOTEBOOKS / "04_softmax.ipynb").path.read_text(encoding="utf-8")
    assert f"'saw' gives 'it' {weight:.2f}, for its score of {scores[it]:g}" in caption
    shown = r"score NUMBER, weight NUMBER, share of the output \[0. +NUMBER +0. +\]"
    assert printed("05_weighting_values", shown) == [scores[it], round(weight, 2), round(weight, 3)]
    both = "saw  to it    unscaled NUMBER   scaled NUMBER"
    assert printed("07_self_attention", both) == [round(weight, 2), round(scaled, 2)]


@pytest.mark.parametrize("lesson", ["04_softmax", "05_weighting_values"])
def test_the_lab_has_the_same_scores_and_weights_everywhere(lesson):
    scores = [sum(q * k for q, k in zip(story.q_pen, key)) for key in story.lab_keys]
    exps = [math.exp(score) for score in scores]
    five = " +".join(["NUMBER"] * 5)
    assert printed(lesson, rf"scores +\[{five} *\]") == scores
    assert printed(lesson, rf"\[{five}\] sum 1" if lesson.startswith("04") else rf"weights +\[{five} *\]") == [
        round(e / sum(exps), 3) for e in exps
    ]


def test_the_readme_shows_the_floor_plan_of_05():
    pictures = [
        output["data"]["image/png"]
        for cell in Lesson(NOTEBOOKS / "05_weighting_values.ipynb").notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert base64.b64encode((ROOT / ".github" / "floor_plan.png").read_bytes()).decode() in [
        picture.replace("\n", "") for picture in pictures
    ]
