"""The pictures, read back from their artists, from their pixels and from their words."""

import gc
import re
import struct
import warnings
import weakref
from collections.abc import Callable
from functools import cache
from html import unescape
from io import BytesIO

import numpy as np
import pytest
from conftest import tries
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from IPython.display import Markdown
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PathCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from PIL import Image

from helpers import story
from helpers.figures import (
    arrows,
    asking,
    bars,
    curves,
    floor_plan,
    histogram,
    pipeline,
    png,
    scores_heatmap,
    scores_with_histogram,
    show,
    vectors_heatmap,
    walks,
    weights_heatmap,
)
from helpers.figures import canvas as canvas_module
from helpers.figures.canvas import COLOURS, MAPS, number, readable_on

TOKENS = "i saw it on the blue desk .".split()
NAMES = "ant bee cat dog elk fox gnu hen ibis jay kiwi lynx".split()  # no digits, so that numbers in words are numbers
RNG = np.random.default_rng(0)
WEIGHTS = RNG.dirichlet(np.ones(8), size=(2, 8))
SCORES = RNG.normal(scale=4, size=(2, 8, 8))
STRONG = RNG.random((2, 8, 8))  # every shade between 0 and 1, which packs worst
WALKS = RNG.normal(size=(20, 64)).cumsum(axis=1)
SHARES = np.array([0.05, 0.58, 0.13, 0.02, 0.22])
ANSWER = SHARES @ story.lab_values
PATH = np.array([[4, 3], [5, 4], ANSWER])


def plan(**more) -> Figure:
    lab = {"people": story.people, "seats": story.seats, "me": story.my_seat}
    return floor_plan(story.places, story.lab_values, **{**lab, "weights": SHARES, "output": ANSWER, **more})


KINDS: dict[str, Callable[[], Figure]] = {
    "weights": lambda: weights_heatmap({"unscaled": WEIGHTS[0], "scaled": WEIGHTS[1]}, TOKENS, TOKENS, lit=2),
    "strong weights": lambda: weights_heatmap({"a": STRONG[0], "b": STRONG[1]}, ["octane"] * 8, ["octane"] * 8),
    "scores": lambda: scores_heatmap({"raw": SCORES[0], "scaled": SCORES[1]}, TOKENS, TOKENS),
    "scores with histogram": lambda: scores_with_histogram(SCORES[0], TOKENS, TOKENS, SCORES, limit=24),
    "vectors": lambda: vectors_heatmap(
        {"X": story.X, **{name: SCORES[0, :7, :4] for name in "QKV"}},
        story.tokens,
        {"X": story.features, **dict.fromkeys("QKV", story.asked)},
    ),
    "bars": lambda: bars({"before": SHARES, "after": SHARES[::-1]}, story.places),
    "curves": lambda: curves([1, 2, 4], {"a": [1, 2, 4], "b": [1, 4, 16]}, x_name="n", y_name="cost", log=True),
    "walks": lambda: walks(WALKS, np.sqrt(np.arange(1, 65)), x_name="n", y_name="s"),
    "histogram": lambda: histogram(SCORES, name="scores", limit=12),
    "arrows": lambda: arrows([1.5, 0.5], {"k": [-2, 1]}),
    "floor plan": lambda: plan(path=PATH, title="Where is my octane pen?"),
    "pipeline": lambda: pipeline(ARRAYS, story.tokens),
    "asking": lambda: asking(WEIGHTS[0], TOKENS, 2, title="asking"),
    "masked weights": lambda: weights_heatmap(WEIGHTS[0], TOKENS, TOKENS, may_attend=np.tri(8, dtype=bool)),
}


# --- Reading pictures back -----------------------------------------------------------------------------------------


def mesh(ax: Axes) -> QuadMesh:
    return next(artist for artist in ax.collections if isinstance(artist, QuadMesh))


def plotted(ax: Axes) -> np.ndarray:
    return np.asarray(mesh(ax).get_array())


def written(ax: Axes, place: str) -> list[PathCollection]:
    """What is written in the cells of a heatmap, or the names on the left of it, below or right of it."""
    (left, right), (low, _) = ax.get_xlim(), ax.get_ylim()
    found = [artist for artist in ax.collections if isinstance(artist, PathCollection)]
    where = {
        "left": lambda x, y: (x < left).all(),
        "below": lambda x, y: (y > low).all() and low > 0,
        "right": lambda x, y: (x > right).all(),
        "cells": lambda x, y: (left < x).all() and (x < right).all() and (y < low).all(),
    }[place]
    return [artist for artist in found if where(*artist.get_offsets().T)]


def cell_texts(ax: Axes) -> PathCollection:
    (texts,) = written(ax, "cells")
    return texts


def assert_names(ax: Axes, place: str, names: list[str], at: list[float]) -> None:
    """These names, and no others, are written there, each beside its row, column or value."""
    (texts,) = written(ax, place)
    assert texts.get_offsets()[:, 0 if place == "below" else 1].tolist() == at
    assert len(texts.get_paths()) == len(names)
    for path, name in zip(texts.get_paths(), names):
        assert is_written_as(path, name), name


def axis_names(ax: Axes) -> dict[str, str]:
    """The names of a heatmap's axes, by their colour."""
    return {text.get_color(): text.get_text() for text in ax.texts}


def labels(axis) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def shape(path: Path) -> np.ndarray:
    """An outline, whatever its size and place."""
    low, high = path.vertices.min(axis=0), path.vertices.max(axis=0)
    return (path.vertices - low) / (high - low)[1]


@cache
def shape_of_text(text: str) -> np.ndarray:
    return shape(TextPath((0, 0), text.replace("$", r"\$"), size=20))


def is_written_as(path: Path, text: str) -> bool:
    drawn, wanted = shape(path), shape_of_text(text)
    return drawn.shape == wanted.shape and bool(np.abs(drawn - wanted).max() < 0.01)


def numbers(words: str) -> list[str]:
    return re.findall(r"-?\d+(?:\.\d+)?", words)


@cache
def figure_of(kind: str) -> Figure:
    return KINDS[kind]()


@cache
def png_of(kind: str) -> bytes:
    return png(figure_of(kind))


def image_of(kind: str) -> Image.Image:
    return Image.open(BytesIO(png_of(kind))).convert("RGB")


def linear(rgb) -> np.ndarray:
    rgb = np.asarray(rgb, dtype=float)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def luminance(rgb) -> np.ndarray:
    return linear(rgb) @ [0.2126, 0.7152, 0.0722]


def lab(linear_rgb) -> np.ndarray:
    """CIE 1976 L*, a*, b* of linear sRGB under D65 (IEC 61966-2-1, CIE 15)."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = linear_rgb @ to_xyz.T / to_xyz.sum(axis=1)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def lightness(rgb) -> np.ndarray:
    return lab(linear(rgb))[..., 0]


# --- Heatmaps ------------------------------------------------------------------------------------------------------

arrays_of = lambda low, high, size=8: hnp.arrays(  # noqa: E731
    float, hnp.array_shapes(min_dims=2, max_dims=2, max_side=size), elements=st.floats(low, high)
)
few = settings(max_examples=tries(8), deadline=None, phases=[Phase.generate])  # each try draws: no shrinking


@few
@given(arrays_of(0, 1))
def test_weights_are_coloured_from_0_to_1_whatever_the_data(weights):
    n_queries, n_keys = weights.shape
    figure = weights_heatmap({"a": weights, "b": weights / 2}, NAMES[:n_queries], NAMES[:n_keys])
    for ax in figure.axes:
        assert mesh(ax).get_clim() == (0, 1)
        assert mesh(ax).cmap is MAPS["weights"]


@few
@given(arrays_of(-1e6, 1e6))
def test_scores_share_limits_that_are_symmetric_and_reach_the_largest(scores):
    n_queries, n_keys = scores.shape
    figure = scores_heatmap({"a": scores, "b": scores / 2}, NAMES[:n_queries], NAMES[:n_keys])
    largest = np.abs(scores).max() or 1
    for ax in figure.axes:
        assert mesh(ax).get_clim() == (-largest, largest)
        assert mesh(ax).cmap is MAPS["scores"]


def test_the_limit_of_scores_can_be_set_so_that_frames_compare():
    for figure in (
        scores_heatmap(SCORES[0], TOKENS, TOKENS, limit=24),
        scores_with_histogram(SCORES[0], TOKENS, TOKENS, SCORES, limit=24),
    ):
        assert {mesh(ax).get_clim() for ax in figure.axes if any(isinstance(c, QuadMesh) for c in ax.collections)} == {
            (-24, 24)
        }
    assert figure.axes[-1].get_xlim() == (-24, 24)


@pytest.mark.parametrize(
    "make, name, ticks",
    [(weights_heatmap, "weight", ["0", "0.5", "1"]), (scores_heatmap, "score", ["−3", "0", "3"])],
)
def test_one_colour_bar_says_what_the_colours_mean(make, name, ticks):
    *panels, bar = make({"a": np.full((2, 3), 0.5), "b": np.full((2, 3), 3)}, "pq", "xyz").axes
    assert [ax.get_title() for ax in panels] == ["a", "b"]
    assert bar.get_title() == name
    low, high = mesh(panels[0]).get_clim()
    assert_names(bar, "right", ticks, [low, (low + high) / 2, high])
    ramp = plotted(bar).ravel()
    assert (np.diff(ramp) > 0).all() and len(ramp) >= 128
    assert (low, high) == pytest.approx((ramp[0], ramp[-1]), abs=(high - low) / 128)
    assert bar.get_ylim() == (low, high) and mesh(bar).get_clim() == (low, high)
    assert mesh(bar).cmap is mesh(panels[0]).cmap


@pytest.mark.parametrize("make", [weights_heatmap, scores_heatmap])
def test_rows_are_queries_from_the_top_and_columns_are_keys(make):
    array = np.arange(6.0).reshape(2, 3) / 10
    first, second, _ = make({"a": array, "b": array}, ["pen", "desk"], ["i", "saw", "it"]).axes
    for ax in (first, second):
        np.testing.assert_array_equal(plotted(ax), array)
        assert_names(ax, "below", ["i", "saw", "it"], [0, 1, 2])
        assert ax.get_xlim() == (-0.5, 2.5) and ax.get_ylim() == (1.5, -0.5)
    assert_names(first, "left", ["pen", "desk"], [0, 1])
    assert axis_names(first) == {COLOURS["Q"]: "query", COLOURS["K"]: "key"}
    assert written(second, "left") == [] and axis_names(second) == {COLOURS["K"]: "key"}
    corners = mesh(first).get_coordinates()
    assert corners[0, 0].tolist() == [-0.5, -0.5] and corners[-1, -1].tolist() == [2.5, 1.5]


@pytest.mark.parametrize(
    "make, decimals, zeros",
    [
        (lambda panels: weights_heatmap(panels, TOKENS, TOKENS), 2, True),
        (lambda panels: scores_heatmap({name: 4 * p - 2 for name, p in panels.items()}, TOKENS, TOKENS), 2, False),
        (lambda panels: scores_heatmap({name: 99 * p - 50 for name, p in panels.items()}, TOKENS, TOKENS), 1, True),
        (lambda panels: weights_heatmap({**panels, "c": STRONG[0]}, TOKENS, TOKENS), 1, True),  # narrow cells
    ],
    ids=["weights", "scores", "large scores", "three panels"],
)
def test_the_number_in_a_cell_is_the_arrays(make, decimals, zeros):
    for ax in make({"a": WEIGHTS[0], "b": STRONG[1]}).axes[:-1]:
        texts = cell_texts(ax)
        places = [(int(y), int(x)) for x, y in texts.get_offsets()]
        assert sorted(places) == list(np.ndindex(8, 8)) and len(texts.get_paths()) == 64
        for path, place in zip(texts.get_paths(), places):
            rounded = round(plotted(ax)[place], decimals) + 0.0  # no -0
            text = f"{rounded:.{decimals}f}" if zeros else f"{rounded:g}"
            assert is_written_as(path, text.replace("-", "−")), (place, text)


def test_numbers_are_written_up_to_eight_rows_and_columns():
    def annotated(n_queries: int, n_keys: int) -> bool:
        ax = weights_heatmap(np.eye(n_queries, n_keys), NAMES[:n_queries], NAMES[:n_keys]).axes[0]
        return bool(written(ax, "cells"))

    assert annotated(8, 8)
    assert not annotated(9, 8) and not annotated(8, 9)


@pytest.mark.parametrize("name", MAPS)
def test_numbers_are_black_or_white_whichever_is_read_better(name):
    colours = MAPS[name](np.linspace(0, 1, 256))
    ink = np.array([to_rgb(colour) for colour in readable_on(colours)])
    light, dark = (
        np.maximum(luminance(ink), luminance(colours[:, :3])),
        np.minimum(luminance(ink), luminance(colours[:, :3])),
    )
    assert ((light + 0.05) / (dark + 0.05)).min() >= 4.5  # WCAG 2.2, success criterion 1.4.3
    assert len(set(map(tuple, ink))) == 2 or name in "KV"  # those are light enough for black throughout


@pytest.mark.parametrize("kind", ["weights", "strong weights", "scores", "vectors"])
def test_each_number_has_the_ink_for_its_own_cell(kind):
    for ax in figure_of(kind).axes:
        if not written(ax, "cells"):
            continue
        inks, places = cell_texts(ax).get_facecolors(), cell_texts(ax).get_offsets()
        for ink, (x, y) in zip(inks, places):
            colour = mesh(ax).to_rgba(plotted(ax)[int(y), int(x)])
            low, high = sorted([float(luminance(ink[:3])), float(luminance(colour[:3]))])
            assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize("lit", [0, 2, 7])
@pytest.mark.parametrize("make", [weights_heatmap, scores_heatmap])
def test_the_lit_row_is_framed_over_the_cells(make, lit):
    for ax in make({"a": WEIGHTS[0], "b": WEIGHTS[1]}, TOKENS, TOKENS, lit=lit).axes[:-1]:
        (frame,) = ax.patches
        assert isinstance(frame, Rectangle)
        assert frame.get_bbox().bounds == (-0.5, lit - 0.5, 8, 1)
        assert to_rgb(frame.get_edgecolor()) == to_rgb(COLOURS["Q"]) and not frame.get_fill()
        assert frame.zorder > max(artist.zorder for artist in ax.collections)


def test_without_a_lit_row_nothing_is_framed():
    assert not any(ax.patches for ax in weights_heatmap(WEIGHTS[0], TOKENS, TOKENS).axes)


def test_hidden_cells_are_hatched_over_their_numbers_and_counted_in_words():
    mask = np.tri(3, dtype=bool)
    figure = weights_heatmap({"all": np.eye(3), "masked": np.eye(3)}, "abc", "xyz", lit=1, may_attend={"masked": mask})
    plain, masked, _ = figure.axes
    (hatching,) = [artist for artist in masked.collections if isinstance(artist, PatchCollection)]
    corners = [path.get_extents().min.tolist() for path in hatching.get_paths()]
    assert corners == [[0.5, -0.5], [1.5, -0.5], [1.5, 0.5]] and hatching.get_hatch()
    assert cell_texts(masked).zorder < hatching.zorder < masked.patches[0].zorder
    assert not any(isinstance(artist, PatchCollection) for artist in plain.collections)
    assert figure.get_label().endswith(
        "masked: 3 of 9 cells are hatched: hidden. Keys left to each query: a 1, b 2, c 3."
    )


def test_one_mask_hides_the_same_cells_in_all_panels():
    figure = weights_heatmap({"a": np.eye(2), "b": np.eye(2)}, "pq", "xy", may_attend=np.tri(2, dtype=bool))
    hatched = [[isinstance(artist, PatchCollection) for artist in ax.collections] for ax in figure.axes[:-1]]
    assert [sum(found) for found in hatched] == [1, 1]


def test_q_k_and_v_wear_their_colours_and_share_a_scale():
    figure = vectors_heatmap({name: k * np.eye(2) for k, name in enumerate("XQKV", start=1)}, "ab", ["x", "y"])
    assert len(figure.axes) == 4
    for ax, name in zip(figure.axes, "XQKV"):
        assert ax.get_title() == name
        assert to_rgb(ax.title.get_color()) == to_rgb(COLOURS[name])
        assert mesh(ax).cmap is MAPS[name] and mesh(ax).get_clim() == (-4, 4)
        np.testing.assert_allclose(MAPS[name](1.0)[:3], to_rgb(COLOURS[name]), atol=1e-6)


def test_each_panel_of_vectors_has_its_own_columns():
    widths = {"Q": ["who", "what"], "V": ["x", "y", "z"]}
    figure = vectors_heatmap({name: np.ones((1, len(names))) for name, names in widths.items()}, ["pen"], widths)
    for ax, names in zip(figure.axes, widths.values()):
        assert_names(ax, "below", names, list(range(len(names))))


# --- Colours -------------------------------------------------------------------------------------------------------

# Severity 1.0, for linear RGB: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color
# Vision Deficiency", IEEE TVCG 15 (2009), https://doi.org/10.1109/TVCG.2009.113.
SEEN_BY = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_q_k_and_v_are_told_apart_by_all_eyes(eyes):
    colours = linear([to_rgb(COLOURS[name]) for name in "QKV"]) @ np.transpose(SEEN_BY[eyes])
    seen = lab(np.clip(colours, 0, 1))
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        assert np.linalg.norm(seen[i] - seen[j]) >= 15  # a just noticeable difference is about 2.3


def test_a_larger_weight_is_darker():
    assert (np.diff(lightness(MAPS["weights"](np.arange(256))[:, :3])) < 0).all()


@pytest.mark.parametrize("name", ["scores", *"QKVX"])
def test_both_signs_are_equally_dark_and_zero_is_white(name):
    colours = MAPS[name](np.arange(256))[:, :3]
    light = lightness(colours)
    np.testing.assert_allclose(light, light[::-1], atol=6)
    assert light[127:129].min() > 99
    assert (np.diff(light[:128]) > 0).all() and (np.diff(light[128:]) < 0).all()
    assert np.linalg.norm(lab(linear(colours[0])) - lab(linear(colours[-1]))) > 20  # the sign shows


# --- Charts --------------------------------------------------------------------------------------------------------


def test_bars_stand_for_the_numbers_on_one_scale():
    panels = {"before": [0.25, 0.75, 0], "after": [-0.5, 0.1, 0.4]}
    figure = bars(panels, ["pen", "desk", "it"], limits=(-1, 2), name="weight")
    for ax, (title, heights) in zip(figure.axes, panels.items()):
        assert [bar.get_height() for bar in ax.patches] == heights
        assert [round(bar.get_x() + bar.get_width() / 2, 6) for bar in ax.patches] == [0, 1, 2]
        assert labels(ax.xaxis) == ["pen", "desk", "it"]
        assert ax.get_ylim() == (-1, 2) and ax.get_title() == title
        assert [text.get_text() for text in ax.texts] == [f"{height:.2f}".replace("-", "−") for height in heights]
        assert [text.xy for text in ax.texts] == list(enumerate(heights))
    assert [ax.get_ylabel() for ax in figure.axes] == ["weight", ""]


def test_shares_are_drawn_on_a_scale_from_0_to_1():
    assert bars({"": [0.1, 0.2]}, "ab").axes[0].get_ylim() == (0, 1)


def test_curves_go_through_their_points():
    lines = {"a": [3.0, 2, 5], "b": [1.0, 1, 1]}
    (ax,) = curves(
        [1, 2, 4], lines, x_name="d_k", y_name="std", title="t", limits=(0, 6), at=2, references={"c": 4}
    ).axes
    for line, (_, y) in zip(ax.lines, lines.items()):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([[1, 2, 4], y]))
    assert len({line.get_linestyle() for line in ax.lines[:2]}) == 2  # not told by colour alone
    assert list(ax.lines[2].get_ydata()) == [4, 4] and list(ax.lines[3].get_xdata()) == [2, 2]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("d_k", "std", "t")
    assert ax.get_ylim() == (0, 6) and ax.get_xlim() == (1, 4)
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert heights == pytest.approx({"a": 5 / 6, "b": 1 / 6, "c": 4 / 6})


def test_names_of_curves_that_end_together_do_not_overlap():
    (ax,) = curves([1, 2], {name: [0, 1] for name in "abc"}, x_name="x", y_name="y", limits=(0, 2)).axes
    heights = sorted(text.get_position()[1] for text in ax.texts)
    assert np.diff(heights).min() > 0.07


def test_a_band_lies_about_its_curve():
    bands = {"a": ([0.5, 1.5], [1.5, 2.5])}
    (ax,) = curves([1, 2], {"a": [1, 2]}, x_name="x", y_name="y", bands=bands).axes
    corners = {tuple(corner) for corner in ax.collections[0].get_paths()[0].vertices}
    assert corners == {(1, 0.5), (2, 1.5), (1, 1.5), (2, 2.5)}


def test_log_curves_have_ticks_at_powers_of_four():
    (ax,) = curves([1, 4, 64], {"a": [1, 10, 100]}, x_name="x", y_name="y", log=True).axes
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert labels(ax.xaxis) == ["1", "4", "16", "64"] and list(ax.get_xticks()) == [1, 4, 16, 64]


def test_a_histogram_counts_every_value_once():
    values = np.array([-9, -0.1, 0, 0.1, 0.1, 1, 1, 1, 9, 9.0])  # ±9 lie outside
    (ax,) = histogram(values, name="scores", limit=2, title="t", bins=4).axes
    heights, edges, _ = ax.patches[0].get_data()
    np.testing.assert_allclose(heights, [0.1, 0.1, 0.3, 0.5])
    np.testing.assert_array_equal(edges, [-2, -1, 0, 1, 2])
    assert ax.get_xlim() == (-2, 2) and ax.get_ylim()[0] == 0
    assert (ax.get_xlabel(), ax.get_title()) == ("scores", "t")
    assert f"std {np.sqrt(np.mean((values - values.mean()) ** 2)):.2f}" in [text.get_text() for text in ax.texts]


def test_histograms_compare():
    first, second = (histogram(values, name="s", limit=3).axes[0] for values in (np.zeros(9), np.linspace(-3, 3, 99)))
    assert first.get_ylim() == second.get_ylim()


def test_the_histograms_arrow_is_one_standard_deviation_to_each_side():
    (ax,) = histogram([1.0, 3.0], name="s", limit=4).axes
    (arrow,) = [text for text in ax.texts if text.get_text() == ""]
    assert sorted([arrow.xy[0], arrow.xyann[0]]) == [1, 3]


def test_arrows_point_from_the_origin_to_their_vectors():
    query, keys = (1.5, 0.5), {"k": (-2, 1), "l": (1, -1)}
    (ax,) = arrows(query, keys, title="t").axes
    drawn = [text for text in ax.texts if not text.get_text()]
    assert [text.xy for text in drawn] == [query, *keys.values()]
    assert {text.xyann for text in drawn} == {(0, 0)}
    assert {text.get_text(): text.xy for text in ax.texts if text.get_text()} == {"q": query, **keys}
    colours = [to_rgb(text.arrow_patch.get_edgecolor()) for text in drawn]
    assert colours == [to_rgb(COLOURS[name]) for name in "QKK"]
    ends = np.array([(0, 0), query, *keys.values()])
    for (low, high), along in zip([ax.get_xlim(), ax.get_ylim()], ends.T):
        assert low < along.min() and along.max() < high
    inches_per_unit = ax.bbox.size / [np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())]
    assert np.isclose(*inches_per_unit, rtol=0.02)  # or angles and lengths would mislead


def test_walks_lie_between_plus_and_minus_their_envelope():
    paths, envelope = np.ones((3, 16)), np.arange(1.0, 17)
    (ax,) = walks(paths, envelope, x_name="n", y_name="s").axes
    *thin, upper, lower = ax.lines
    assert len(thin) == 3 and all((line.get_ydata() == 1).all() for line in thin)
    np.testing.assert_array_equal(upper.get_ydata(), envelope)
    np.testing.assert_array_equal(lower.get_ydata(), -envelope)


# --- The floor plan ------------------------------------------------------------------------------------------------


def discs(ax: Axes) -> dict[tuple[float, float], float]:
    """Radius by centre of the discs that stand for weights: the uppermost circles."""
    circles = [patch for patch in ax.patches if isinstance(patch, Circle)]
    top = max(circle.zorder for circle in circles)
    return {tuple(circle.center): circle.radius for circle in circles if circle.zorder == top}


def test_a_discs_area_is_proportional_to_its_weight():
    (ax,) = plan().axes
    radii = discs(ax)
    assert list(radii) == [tuple(spot) for spot in story.lab_values]
    per_weight = np.array(list(radii.values())) ** 2 / SHARES
    np.testing.assert_allclose(per_weight, per_weight[0])


def test_a_weight_of_zero_keeps_a_small_disc():
    (ax,) = plan(weights=[0, 0.25, 0.25, 0.25, 0.25]).axes
    small, *others = discs(ax).values()
    assert 0 < small < min(others) / 3


def test_each_weight_is_written_over_its_disc():
    (ax,) = plan().axes
    written = {text.get_text(): text.get_position() for text in ax.texts}
    for (x, y), share in zip(story.lab_values, SHARES):
        assert written[f"{share:.2f}"][0] == x
        assert 0 < written[f"{share:.2f}"][1] - y < 0.6


def test_the_star_is_the_output_and_the_path_ends_in_it():
    (ax,) = plan(path=PATH).axes
    (star,) = [line for line in ax.lines if line.get_marker() == "*"]
    (path,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    np.testing.assert_array_equal(star.get_xydata(), [ANSWER])
    np.testing.assert_array_equal(path.get_xydata(), PATH)
    np.testing.assert_array_equal(path.get_xydata()[-1], star.get_xydata()[0])
    assert star.zorder > path.zorder > 5
    assert ax.get_title(loc="right") == f"★ the answer: ({ANSWER[0]:.2f}, {ANSWER[1]:.2f})"


def test_every_value_pulls_at_the_answer_by_its_weight():
    (ax,) = plan().axes
    pulls = [line for line in ax.lines if len(line.get_xydata()) == 2 and np.array_equal(line.get_xydata()[1], ANSWER)]
    np.testing.assert_array_equal([line.get_xydata()[0] for line in pulls], story.lab_values)
    widths = [line.get_linewidth() for line in pulls]
    assert np.argsort(widths).tolist() == np.argsort(SHARES).tolist()


def test_people_sit_on_their_seats_and_point_at_their_spots():
    (ax,) = plan().axes
    pointing = [text for text in ax.texts if text.get_text() == ""]
    np.testing.assert_array_equal([text.xyann for text in pointing], story.seats)
    np.testing.assert_array_equal([text.xy for text in pointing], story.lab_values)
    heads = {
        colour: [p.center for p in ax.patches if to_rgb(p.get_facecolor()) == to_rgb(COLOURS[colour])]
        for colour in "KQ"
    }
    assert {tuple(center) for center in heads["K"]} == {tuple(seat) for seat in story.seats}
    assert {tuple(center) for center in heads["Q"]} == {tuple(story.my_seat)}
    written = [text.get_text() for text in ax.texts]
    assert {"next to me", "by the window", "with coffee", "with headphones", "tea drinker", "me"} <= set(written)
    assert set(story.places) <= set(written)


def test_the_room_is_drawn_to_scale():
    (ax,) = plan(room=(10, 4)).axes
    assert ax.get_xlim() == (0, 10) and ax.get_ylim() == (0, 4)
    assert ax.bbox.width / ax.bbox.height == pytest.approx(10 / 4, rel=0.01)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x in metres", "y in metres")


def test_a_bare_plan_shows_the_spots_alone():
    (ax,) = floor_plan(story.places, story.lab_values).axes
    (dots,) = [artist for artist in ax.collections if isinstance(artist, PathCollection)]
    np.testing.assert_array_equal(dots.get_offsets(), story.lab_values)
    assert not any(line.get_marker() == "*" for line in ax.lines)
    assert all(text.get_text() in story.places for text in ax.texts)


# --- Self-attention on one page ------------------------------------------------------------------------------------

ARRAYS = {
    "X": story.X,
    "Q": story.X @ story.W_q,
    "K": story.X @ story.W_k,
    "V": story.X @ story.W_v,
    "scores": SCORES[0, :7, :7],
    "weights": STRONG[0, :7, :7],
    "output": SCORES[1, :7, :3],
}


def test_each_array_of_the_pipeline_stands_under_its_name():
    figure = pipeline(ARRAYS, story.tokens)
    panels = {ax.get_title(): ax for ax in figure.axes}
    assert list(panels) == list(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(plotted(panels[name]), array)
        assert panels[name].get_xlabel() == f"{array.shape[0]} × {array.shape[1]}"
        limit = np.abs(array).max()
        assert mesh(panels[name]).get_clim() == ((0, 1) if name == "weights" else (-limit, limit))
        assert f"{name} {array.shape[0]} by {array.shape[1]}" in figure.get_label()
    assert labels(panels["X"].yaxis) == story.tokens
    place = np.unravel_index(ARRAYS["weights"].argmax(), (7, 7))
    query, key = (story.tokens[index] for index in place)
    assert f"The largest weight is {ARRAYS['weights'][place]:.2f}, from {query} to {key}." in figure.get_label()


def test_one_token_asks_with_arcs_as_thick_as_its_weights():
    weights = np.array([[0.6, 0.4, 0], [0.2, 0.5, 0.3], [0.001, 0.009, 0.99]])
    for query, row in enumerate(weights):
        figure = asking(weights, ["i", "saw", "it"], query)
        above, below, _ = figure.axes
        heard = [key for key, weight in enumerate(row) if weight >= 0.005]
        assert [round(arc.get_path().vertices[-1, 0]) for arc in above.patches] == heard
        assert {round(arc.get_path().vertices[0, 0]) for arc in above.patches} == {query}
        widths = [arc.get_linewidth() for arc in above.patches]
        assert np.argsort(widths).tolist() == np.argsort(row[heard]).tolist()
        np.testing.assert_array_equal(plotted(below), weights)
        assert mesh(below).get_clim() == (0, 1) and below.patches[0].get_y() == query - 0.5
        assert (
            f"'{['i', 'saw', 'it'][query]}' asks, and listens to i {row[0]:.2f}, saw {row[1]:.2f}, it {row[2]:.2f}."
            in (figure.get_label())
        )


# --- Words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, decimals, text",
    [
        *[(2, None, "2"), (-0.25, None, "-0.25"), (1 / 3, None, "0.33"), (-0.001, None, "0"), (-0.0, 2, "0.00")],
        *[(-0.004, 2, "0.00"), (0.5, 2, "0.50"), (-23.46, 1, "-23.5"), (100.0, None, "100"), (0, None, "0")],
    ],
)
def test_numbers_are_written_plainly(value, decimals, text):
    assert number(value, decimals) == text


@few
@given(arrays_of(0, 1, size=10))
def test_the_words_for_weights_are_the_pictures(weights):
    n_queries, n_keys = weights.shape
    figure = weights_heatmap({"one": weights, "two": weights[::-1]}, NAMES[:n_queries], NAMES[:n_keys])
    said = figure.get_label()
    assert numbers(said)[:2] == [str(n_queries), str(n_keys)]
    panels = re.split(r"one: |two: ", said)[1:]
    for ax, words in zip(figure.axes, panels):
        found = re.findall(r"(\w+) to (\w+) (\d\.\d\d)", words)
        assert [text for *_, text in found] == numbers(words)
        assert len(found) == (n_queries if n_queries <= 8 else 5)
        for query, key, text in found:
            row = plotted(ax)[NAMES.index(query)]
            assert row[NAMES.index(key)] == row.max() and text == f"{row.max():.2f}"
        left_out = [row.max() for name, row in zip(NAMES, plotted(ax)) if name not in {query for query, *_ in found}]
        assert max(left_out, default=0) <= min(plotted(ax)[NAMES.index(query)].max() for query, *_ in found)


def test_the_words_for_a_large_picture_tell_its_lit_row():
    weights = RNG.dirichlet(np.ones(12), size=12)
    said = weights_heatmap(weights, NAMES, NAMES, lit=3).get_label()
    first = np.sort(weights[3])[::-1][:4]
    assert re.search(r"Row dog: (.*?)\. ", said)[1] == ", ".join(
        f"{NAMES[weights[3].tolist().index(weight)]} {weight:.2f}" for weight in first
    )


@few
@given(arrays_of(-50, 50, size=10))
def test_the_words_for_scores_are_the_pictures(scores):
    n_queries, n_keys = scores.shape
    figure = scores_heatmap({"one": scores, "two": -scores}, NAMES[:n_queries], NAMES[:n_keys])
    said = figure.get_label()
    found = re.findall(r"(largest|smallest) (\S+) at row (\w+), column (\w+)", said)
    assert numbers(said) == [str(n_queries), str(n_keys), *(text for _, text, *_ in found)]
    assert [which for which, *_ in found] == ["largest", "smallest"] * 2
    for place, (which, text, row, column) in enumerate(found):
        array = plotted(figure.axes[place // 2])
        assert array[NAMES.index(row), NAMES.index(column)] == (array.max() if which == "largest" else array.min())
        assert float(text) == pytest.approx(array[NAMES.index(row), NAMES.index(column)], abs=0.00501)


@few
@given(arrays_of(-3, 3))
def test_the_words_for_vectors_tell_every_entry(vectors):
    n_rows, width = vectors.shape
    figure = vectors_heatmap({"Q": vectors}, NAMES[:n_rows], NAMES[::-1][:width])
    said = figure.get_label().removeprefix("Heatmap of vectors, a row a token. ")
    assert said.startswith(f"Q is {n_rows} by {width}: ")
    for words, name, row in zip(said.split(": ", 1)[1].rstrip(".").split("; "), NAMES, plotted(figure.axes[0])):
        entries = dict(re.findall(r"(\w+) (-?[\d.]+)", words.removeprefix(f"{name}: ")))
        assert words.startswith(f"{name}: ") and (entries or words.endswith("all zero"))
        told = [float(entries.get(column, 0)) for column in NAMES[::-1][:width]]
        np.testing.assert_allclose(told, row, atol=0.00501)


@few
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=6))
def test_the_words_for_bars_are_their_heights(heights):
    figure = bars({"one": heights, "two": heights[::-1]}, NAMES[: len(heights)], limits=(-2, 2), name="share")
    found = re.findall(r"(\w+) (-?\d\.\d\d)", figure.get_label())
    assert [text for _, text in found] == numbers(figure.get_label())
    drawn = [(name, bar.get_height()) for ax in figure.axes for name, bar in zip(NAMES, ax.patches)]
    assert [name for name, _ in found] == [name for name, _ in drawn]
    np.testing.assert_allclose([float(text) for _, text in found], [height for _, height in drawn], atol=0.00501)


def test_the_words_for_curves_are_their_ends():
    figure = curves([1, 2, 64], {"raw": [1.234, 5, 2e6], "scaled": [1, 7, 0.5]}, x_name="d_k", y_name="std")
    found = re.findall(r"(\w+) from ([\d.]+) at ([\d.]+) to (\S+) at ([\d.]+)", figure.get_label())
    for line, (_, *ends) in zip(figure.axes[0].lines, found, strict=True):
        first, last = line.get_xydata()[[0, -1]]
        np.testing.assert_allclose([float(end) for end in ends], [*first[::-1], *last[::-1]], rtol=0.05)
    assert "std against d_k" in figure.get_label()


def test_the_words_for_a_histogram_are_its_summary():
    values = np.array([-2.0, 0, 1, 5])
    said = histogram(values, name="scores", limit=6).get_label()
    assert numbers(said) == ["4", "1.00", f"{np.sqrt(26 / 4):.2f}", "-2", "5"]


def test_a_heatmap_with_its_histogram_has_the_words_of_both():
    said = scores_with_histogram(SCORES[0], TOKENS, TOKENS, SCORES, limit=24).get_label()
    assert scores_heatmap(SCORES[0], TOKENS, TOKENS).get_label() in said
    assert histogram(SCORES, name="scores", limit=24).get_label() in said


def test_the_words_for_arrows_are_their_ends():
    figure = arrows((1.5, 0.5), {"k": (-2, 1)})
    assert "q to (1.5, 0.5); k to (-2, 1)" in figure.get_label()
    assert numbers(figure.get_label()) == ["1.5", "0.5", "-2", "1"]


def test_the_words_for_walks_tell_where_they_end():
    paths = np.array([[1.0, 2], [1, 9], [-1, -2]])
    said = walks(paths, np.array([1.0, 3]), x_name="n", y_name="s").get_label()
    assert numbers(said) == ["3", "2", "3", "2"] and "±3" in said and "2 of them lie inside" in said


def test_the_words_for_the_floor_plan_are_the_pictures():
    figure = plan()
    said, (ax,) = figure.get_label(), figure.axes
    for person, place, (x, y) in zip(story.people, story.places, story.lab_values):
        assert f"{person} points at {place} ({x:g}, {y:g})" in said
    per_weight = discs(ax)[7, 5] ** 2 / 0.58
    for place, radius in zip(story.places, discs(ax).values()):
        assert f"{place} {radius**2 / per_weight:.2f}" in said
    (star,) = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "*"]
    assert f"The answer lies at ({star[0]:.2f}, {star[1]:.2f})." in said
    assert len(numbers(said)) == 2 * 5 + 5 + 2


# --- The PNG -------------------------------------------------------------------------------------------------------


def chunks(data: bytes) -> set[bytes]:
    found, place = set(), 8
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        found.add(data[place + 4 : place + 8])
        place += 12 + length
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_png_is_small_sharp_and_nothing_but_the_picture(kind):
    figure, data = figure_of(kind), png_of(kind)
    assert data == png(figure)
    assert len(data) <= 60_000
    assert chunks(data) == {b"IHDR", b"PLTE", b"IDAT", b"IEND"}  # no date, no program's name
    assert Image.open(BytesIO(data)).size == pytest.approx(figure.get_size_inches() * 96 * 2, abs=1e-6)
    assert figure.get_label().strip()


def test_pictures_do_not_pile_up():
    """A figure that nobody holds any more goes when the next one is made, not when Python comes to it."""
    figure, following = (weights_heatmap(np.eye(2), ["a", "b"], ["c", "d"]) for _ in range(2))
    is_there = weakref.ref(figure)
    gc.disable()
    try:
        png(figure)
        del figure
        png(following)
        assert is_there() is None
    finally:
        gc.enable()


def test_a_figure_drawn_again_gives_the_same_bytes():
    assert png(KINDS["weights"]()) == png_of("weights")


@pytest.mark.parametrize("kind", ["weights", "strong weights", "scores"])
def test_a_heatmap_keeps_128_colours(kind):
    assert len(image_of(kind).getcolors()) >= 128


def assert_cells_are_exact(image: np.ndarray, ax: Axes, colours: np.ndarray) -> None:
    """Every cell of the PNG, beside its number, is within ΔE 2 (CIE 1976) of the map's own colour."""
    rows, columns = np.indices(colours.shape[:2]).reshape(2, -1)
    x, y = ax.transData.transform(np.column_stack([columns + 0.25, rows + 0.35])).astype(int).T
    drawn = image[image.shape[0] - 1 - y, x] / 255
    difference = lab(linear(drawn)) - lab(linear(colours.reshape(-1, 4)[:, :3]))
    assert np.linalg.norm(difference, axis=1).max() <= 2


@pytest.mark.parametrize("kind", ["weights", "strong weights", "scores"])
def test_no_cell_of_weights_or_scores_is_off_its_colour(kind):
    for ax in figure_of(kind).axes[:-1]:
        low, high = (0, 1) if "weights" in kind else (-np.abs(SCORES).max(), np.abs(SCORES).max())
        colours = MAPS[kind.split()[-1]]((plotted(ax) - low) / (high - low))
        assert_cells_are_exact(np.asarray(image_of(kind)), ax, colours)


def test_no_cell_of_the_vectors_is_off_its_colour():
    largest = max(np.abs(SCORES[0, :7, :4]).max(), 1)
    for ax in figure_of("vectors").axes:
        assert_cells_are_exact(
            np.asarray(image_of("vectors")), ax, MAPS[ax.get_title()]((plotted(ax) / largest + 1) / 2)
        )


@pytest.mark.parametrize("name", ["key", "query"])
def test_small_letters_keep_their_colour_beside_large_cells(name):
    figure = figure_of("strong weights")
    exact = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    kept = np.asarray(image_of("strong weights"))
    label = next(text for text in figure.axes[0].texts if text.get_text() == name)
    (left, bottom), (right, top) = label.get_window_extent().get_points().astype(int)
    letters = slice(len(exact) - top, len(exact) - bottom), slice(left, right)
    np.testing.assert_allclose(kept[letters].mean(axis=(0, 1)), exact[letters].mean(axis=(0, 1)), atol=2)


# --- Showing -------------------------------------------------------------------------------------------------------


@pytest.fixture
def shown(monkeypatch) -> list:
    """What is displayed: (object, options) each."""
    displayed: list = []
    monkeypatch.setattr(canvas_module, "display", lambda what, **options: displayed.append((what, options)))
    return displayed


def test_a_picture_is_shown_with_its_words_then_its_caption(shown):
    figure = figure_of("bars")
    show(figure, "What to *see*.")
    (picture, options), (caption, _) = shown
    assert picture == {"image/png": png_of("bars"), "text/plain": figure.get_label()}
    width = round(figure.get_size_inches()[0] * 96)
    assert options == {"raw": True, "metadata": {"image/png": {"width": width}}}
    assert isinstance(caption, Markdown)
    assert re.fullmatch(
        r"\*What to \*see\*\.\*\n\n<details><summary>In words</summary>\n\n[^\n]+\n\n</details>", caption.data
    )


def test_other_words_may_be_given(shown):
    show(figure_of("arrows"), "c", "Two arrows, 1 and 2.")
    assert shown[0][0]["text/plain"] == "Two arrows, 1 and 2."
    assert "Two arrows, 1 and 2." in shown[1][0].data


@pytest.mark.parametrize(
    "words",
    [
        "</details><script>alert(1)</script> <b>&amp;</b> \"'",
        "$x^2$ and $$y$$ and \\(z\\) \\alpha",
        "*a* **b** _c_ __d__ ~~e~~",
        "`code` ```more``` | a | b | [link](x) ![image](y) [^1] # no heading",
        "two\n\nparagraphs\n| a | b |\n| - | - |\n| 1 | 2 |",
        "weights " * 5_000,
        "🖊️ 漢字 हिन्दी",
    ],
)
def test_words_are_shown_as_they_are(shown, words):
    show(figure_of("arrows"), "c", words)
    assert shown[0][0]["text/plain"] == words
    from nbconvert.filters import markdown2html  # takes most of a second: only here

    page = markdown2html(shown[1][0].data)
    inside = re.fullmatch(r"(?s).*<summary>In words</summary>\s*<p>(.*)</p>\s*</details>\s*", page)[1]
    assert "<" not in inside  # no markup came of it
    assert unescape(inside).split() == words.split()
    assert "$" not in shown[1][0].data and "\\(" not in shown[1][0].data  # which MathJax would take


@pytest.mark.parametrize("words", ["", "  \n"])
def test_a_picture_without_words_is_refused(shown, words):
    figure = Figure()
    with pytest.raises(ValueError, match="alt"):
        show(figure, "caption", words)
    figure.set_label(words)
    with pytest.raises(ValueError, match="words"):
        show(figure, "caption")
    assert not shown


# --- Names that readers may type -----------------------------------------------------------------------------------

HOSTILE = ["$x^{$", "<b>bold</b>", "🖊️👩‍👩‍👧 漢字 हिन्दी", "a" * 40, "", "\xad", "two\nlines\t\\frac{", "%s {0} #_^&~"]
WITH_HOSTILE_NAMES = {
    "weights": lambda: weights_heatmap({HOSTILE[0]: WEIGHTS[0], "b": WEIGHTS[1]}, HOSTILE, HOSTILE, lit=0),
    "scores": lambda: scores_heatmap(SCORES[0], HOSTILE, HOSTILE, title=HOSTILE[0]),
    "vectors": lambda: vectors_heatmap({HOSTILE[0]: WEIGHTS[0], "": WEIGHTS[1]}, HOSTILE, HOSTILE),
    "pipeline": lambda: pipeline(ARRAYS, HOSTILE[:7]),
    "asking": lambda: asking(WEIGHTS[0], HOSTILE, 0, title=HOSTILE[0]),
    "bars": lambda: bars({HOSTILE[0]: WEIGHTS[0, 0]}, HOSTILE, name=HOSTILE[0]),
    "curves": lambda: curves(
        [1, 2],
        {name: [1, 2] for name in HOSTILE},
        **dict.fromkeys(["x_name", "y_name", "title"], HOSTILE[0]),
        references={HOSTILE[0]: 1},
    ),
    "histogram": lambda: histogram(SCORES, name=HOSTILE[0], limit=9, title=HOSTILE[0]),
    "arrows": lambda: arrows((1, 1), {name: (1, k) for k, name in enumerate(HOSTILE)}, title=HOSTILE[0]),
    "floor plan": lambda: floor_plan(
        HOSTILE,
        RNG.random((8, 2)),
        **{"people": HOSTILE, "seats": RNG.random((8, 2)), "weights": WEIGHTS[0, 0], "title": HOSTILE[0]},
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", WITH_HOSTILE_NAMES)
def test_any_name_can_be_drawn(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = WITH_HOSTILE_NAMES[kind]()
        png(figure)
    assert figure.get_size_inches().max() < 12
    assert figure.get_label().strip()


def test_names_are_never_read_as_formulas():
    ax = weights_heatmap(np.eye(2), ["$x$", "b"], ["$y$", "c"], title="$z$").axes[0]
    assert not ax.title.get_parse_math()
    assert_names(ax, "left", ["$x$", "b"], [0, 1])
    assert_names(ax, "below", ["$y$", "c"], [0, 1])


def test_a_long_name_is_cut_on_the_axis_and_whole_in_the_words():
    figure = weights_heatmap(np.eye(2), ["a" * 40, "b"], ["c", "d\ne"])
    ax = figure.axes[0]
    assert_names(ax, "left", ["a" * 17 + "…", "b"], [0, 1])
    assert_names(ax, "below", ["c", "d e"], [0, 1])
    assert "a" * 40 + " to c 1.00" in figure.get_label()
