"""Words for pictures: each picture that a lesson shows or a player holds has words, and its numbers are the picture's.

What single figure functions say is tested with them, in test_figures.py and test_heads.py; here the training's.
"""

import re
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from helpers import figures, sliders
from helpers.figures.training import loss_curves, training_plan
from tools.lessons import NOTEBOOKS, lessons

ARMS = {"raw": np.array([[2.0, 2.5, 3.5], [1.0, 0.5, 0.9]]), "scaled": np.array([[1.2, 1.3, 1.9], [0.1, 0.3, 0.4]])}
TARGETS = np.array([[0.0, 0], [4, 0], [0, 4]])
STAY = np.array([[[2.0, 2], [2, 2], [2, 2]], [[0, 1], [3, 1], [4, 0.2]]])  # the last stands on another's spot
SWAP = np.array([[[0.0, 0], [4, 0], [0, 4]], [[4, 0], [0, 0], [0, 4]]])


def test_the_words_for_loss_curves_are_the_thick_lines_ends():
    figure = loss_curves(ARMS, references={"the middle": 1.0}, limit=3, title="d_k = 4")
    assert re.match("Loss curves of 3 seeds, d_k = 4. ", figure.get_label())
    said = dict(re.findall(r"(\w+) from ([\d.]+ to \d\.\d)", figure.get_label()))
    for (name, losses), ax in zip(ARMS.items(), figure.axes, strict=True):
        thick = max(ax.lines[: losses.shape[1] + 1], key=lambda line: line.get_linewidth())
        np.testing.assert_array_equal(thick.get_ydata(), np.sort(losses)[:, 1])  # the middle one of three
        assert said[name] == f"{thick.get_ydata()[0]:.1f} to {thick.get_ydata()[-1]:.1f}"
        thin = [line.get_ydata() for line in ax.lines if line.get_linewidth() == 0.9]
        np.testing.assert_array_equal(np.transpose(thin), losses)
        assert ax.get_ylim() == (0, 3) and ax.get_title() == name
        assert ax.lines[-1].get_ydata() == pytest.approx([1, 1])
    assert figure.get_label().endswith("1 is the middle.")


def test_the_words_for_the_training_are_where_the_stars_stand():
    figure = training_plan({"stay": STAY, "swap": SWAP}, TARGETS, title="step 9")
    said = re.findall(r"(\w+): (\d) of 3 answers .*?, ([\d.]+) m away", figure.get_label())
    assert figure.get_label().startswith("Floor plan, step 9. ") and [name for name, *_ in said] == ["stay", "swap"]
    for ax, path, right, (name, told, away) in zip(figure.axes, [STAY, SWAP], [2, 1], said, strict=True):
        stars = np.array([line.get_xydata()[0] for line in ax.lines if line.get_marker() == "*"])
        np.testing.assert_array_equal(stars, path[-1])
        assert ax.get_title() == f"{name}: {told} of 3 right" and int(told) == right
        distance = np.mean([np.hypot(*(star - target)) for star, target in zip(stars, TARGETS)])
        assert away == f"{distance:.1f}"
        ways = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 2 and line.get_linestyle() == "-"]
        for person in range(3):
            assert any(np.array_equal(way, path[:, person]) for way in ways)
        dashed = [line.get_xydata()[1].tolist() for line in ax.lines if line.get_linestyle() == "--"]
        assert len(dashed) == 3 - right and set(map(tuple, dashed)) <= set(map(tuple, TARGETS))


# --- Every picture and every frame of the lessons ------------------------------------------------------------------


def numbers_of(figure: Figure) -> np.ndarray:
    """All that a picture plots or writes: cells, points, heights, and the numbers in its texts."""
    found = [np.arange(3.0)]
    for ax in figure.axes:
        found += [np.ravel(mesh.get_array()) for mesh in ax.collections if isinstance(mesh, QuadMesh)]
        found += [np.ravel(dots.get_offsets()) for dots in ax.collections if isinstance(dots, PathCollection)]
        found += [np.ravel(line.get_xydata()) for line in ax.lines]
        found += [np.array([bar.get_height()]) for bar in ax.patches if hasattr(bar, "get_height")]
        found += [step.get_data().values for step in ax.patches if isinstance(step, StepPatch)]
        found += [np.ravel([text.xy, text.xyann]) for text in ax.texts if hasattr(text, "xyann")]
        titles = [ax.get_title(), ax.get_title(loc="right"), ax.get_title(loc="left")]
        texts = " ".join([*(text.get_text() for text in ax.texts), *titles]).replace("−", "-")
        found.append(np.array(re.findall(r"-?\d+\.?\d*", texts), dtype=float))
    return np.concatenate(found)


def drifted(figure: Figure) -> list[str]:
    """The decimal numbers in a picture's words that are none of the picture's own, to within their last digit."""
    plotted = numbers_of(figure)
    words = re.sub(r"Histogram of .*", "", figure.get_label())  # a summary: tested with the histogram
    said = re.findall(r"-?\d+\.\d+(?:e[-+]\d+)?(?!\d| m away)", words)
    unit = {text: 10.0 ** Decimal(text).as_tuple().exponent for text in said}  # of the last digit
    return [text for text in said if np.abs(plotted - float(text)).min() > 0.51 * unit[text]]


def test_a_number_that_is_not_the_pictures_is_found():
    figure = figures.bars({"": [0.125, 0.25]}, "ab")
    assert drifted(figure) == []
    figure.set_label("a 0.12, b 0.52, c 2.5e-01, d 2.5e+01")
    assert drifted(figure) == ["0.52", "2.5e+01"]


@pytest.fixture
def drawn(monkeypatch) -> list[tuple[str, Figure]]:
    """What the lessons show and what their players hold, drawn but not made into PNGs."""
    found: list[tuple[str, Figure]] = []

    def player(draw, *, caption, start=None, play=False, **controls):
        for values in product(*controls.values()):
            found.append((caption, draw(**dict(zip(controls, values)))))

    monkeypatch.setattr(sliders, "player", player)
    monkeypatch.setattr(figures, "show", lambda figure, caption: found.append((caption, figure)))
    monkeypatch.setattr(sliders, "typed", lambda answer, **texts: None)
    return found


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_each_picture_and_each_frame_has_words_with_the_numbers_it_shows(lesson, drawn, monkeypatch):
    monkeypatch.chdir(NOTEBOOKS)
    space = {"np": np}  # as the setup cell leaves it
    for python in lesson.python[1:]:
        exec(compile(python, lesson.name, "exec"), space)
    assert drawn
    for caption, figure in drawn:
        assert isinstance(figure, Figure) and re.search(r"\d", figure.get_label()), caption
        assert drifted(figure) == [], (caption, figure.get_label())
