"""The pictures of a real model's heads: what they show, what they say, and that a whole atlas fits one player."""

import re
from io import BytesIO

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.patches import Rectangle
from PIL import Image
from test_figures import assert_names

from helpers.figures import heads_heatmap, png
from helpers.sliders import PLAYER_LIMIT

NAMES = "ant bee cat dog elk fox gnu hen ibis jay kiwi lynx".split()
RNG = np.random.default_rng(0)
WEIGHTS = RNG.dirichlet(np.ones(12), size=(2, 12))


@pytest.fixture(scope="module")
def figure():
    return heads_heatmap({"one": WEIGHTS[0], "two": WEIGHTS[1]}, NAMES, lit=3)


def test_each_panel_shows_its_weights_between_0_and_1(figure):
    meshes = [c for ax in figure.axes[:-1] for c in ax.collections if isinstance(c, QuadMesh)]
    assert [mesh.get_clim() for mesh in meshes] == [(0, 1)] * 2
    for mesh, weights in zip(meshes, WEIGHTS):
        np.testing.assert_array_equal(mesh.get_array(), weights)


def test_the_tokens_stand_along_both_sides(figure):
    for ax, sides in zip(figure.axes, [["left", "below"], ["below"]]):
        for side in sides:
            assert_names(ax, side, NAMES, list(range(12)))


def test_the_lit_row_is_framed_in_every_panel(figure):
    for ax in figure.axes[:2]:
        (frame,) = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
        assert (frame.get_xy(), frame.get_width(), frame.get_height()) == ((-0.5, 2.5), 12, 1)


def test_the_words_tell_the_lit_row_of_every_panel(figure):
    rows = re.findall(r"Row dog: (.*?)\.(?: |$)", figure.get_label())
    assert len(rows) == 2
    for words, weights in zip(rows, WEIGHTS[:, 3]):
        first = sorted(zip(weights, NAMES), reverse=True)[:4]
        assert words == ", ".join(f"{name} {weight:.2f}" for weight, name in first)


def ink(figure) -> tuple[int, ...]:
    """Top, bottom, left and right of all that is not white; then the height and the width of the whole."""
    figure.canvas.draw()
    marked = (np.asarray(figure.canvas.buffer_rgba())[..., :3] != 255).any(axis=-1)
    rows, columns = np.flatnonzero(marked.any(axis=1)), np.flatnonzero(marked.any(axis=0))
    return rows[0], rows[-1], columns[0], columns[-1], *marked.shape


def test_the_colour_bar_has_no_streaks_though_the_cells_take_the_palette():
    figure = heads_heatmap({name: RNG.random((12, 12)) for name in "abc"}, NAMES, lit=3)
    kept = np.asarray(Image.open(BytesIO(png(figure))).convert("RGB")).astype(int)
    exact = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    (left, bottom), (right, top) = figure.axes[-1].bbox.get_points().round().astype(int)
    inside = slice(len(exact) - top + 1, len(exact) - bottom - 1), slice(left + 1, right - 1)
    assert np.abs(kept[inside] - exact[inside]).max() <= 8  # of 255


@pytest.mark.parametrize("tokens", [["[CLS]", "it", "[SEP]"], ["$x$", "日本", "a" * 18], [*NAMES, "##ilisticexpiali"]])
def test_nothing_is_cut_off_whatever_the_tokens(tokens):
    weights = np.eye(len(tokens))
    top, bottom, left, right, height, width = ink(heads_heatmap(weights, tokens, lit=0, title="layer 3, head 1"))
    assert 0 < top and bottom < height - 1 and 0 < left and right < width - 1


def test_an_atlas_of_72_long_sentences_fits_one_player():
    weights = RNG.dirichlet(np.full(20, 0.1), size=20)
    picture = png(heads_heatmap(weights, [*NAMES, *NAMES[:8]], lit=3, title="layer 3, head 1"))
    assert 72 * len(picture) * 4 / 3 < 0.8 * PLAYER_LIMIT
