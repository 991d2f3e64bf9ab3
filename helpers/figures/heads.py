"""What heads do with a long sentence: heatmaps small and quick enough for a player of many frames."""

import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from helpers.figures.arguments import drawn_from
from helpers.figures.canvas import COLOURS, CSS_DPI, MAPS, axes, canvas
from helpers.figures.heatmaps import Panels, draw_panel, largest_in_row, light_up

POINTS = 8  # the size of the tokens
LETTER = 0.066  # inches, wide enough for the average letter of that size


@drawn_from(weights="tokens tokens")
def heads_heatmap(weights: Panels, tokens: Sequence[str], *, lit: int, title: str = "") -> Figure:
    """The weights that heads give, tokens along both sides: `weights_heatmap`, small and quick to draw.

    Parameters
    ----------
    weights : numpy.ndarray, or dict of title to numpy.ndarray; each (n_tokens, n_tokens)
        One head's weights, or those of several heads beside each other.
    tokens : sequence of str
    lit : int
        The query whose row is framed.
    title : str
        For a single panel.
    """
    panels = weights if isinstance(weights, Mapping) else {title: weights}
    side = (14 if len(panels) == 1 else 11) * len(tokens) / CSS_DPI
    margin, top, gap = 0.4 + LETTER * max(map(len, tokens)), 0.34, 0.25
    width = max(margin + len(panels) * (side + gap) + 0.3, 2.4)  # room for a title over a few tokens
    figure = canvas(width, top + side + margin)
    for i, (name, array) in enumerate(panels.items()):
        ax = axes(figure, margin + i * (side + gap), top, side, side)
        draw_panel(ax, np.asarray(array), MAPS["weights"], Normalize(0, 1), annotated=False)
        light_up(ax, lit, len(tokens))
        _name_lines(ax, tokens, name, margin, rows=i == 0)
    _bar(axes(figure, margin + len(panels) * (side + gap) - 0.1, top, 0.12, side))
    words = [f"{name}. {largest_in_row(array, tokens, tokens, lit)}" for name, array in panels.items()]
    figure.set_label(f"Heatmap of weights, {len(tokens)} tokens. " + " ".join(words))
    return figure


def _name_lines(ax: Axes, tokens: Sequence[str], title: str, margin: float, rows: bool) -> None:
    """The title and, in a margin of so many inches, the tokens; as outlines, for tick labels take far longer."""
    n, inch = len(tokens), len(tokens) * ax.figure.dpi / ax.bbox.height  # an inch in cells
    middle, near, far = (n - 1) / 2, 0.5 + 0.05 * inch, 0.5 + (margin - 0.1) * inch
    ax.set_axis_off()
    ax.text(middle, -0.5 - 0.08 * inch, title, ha="center", fontsize=10, parse_math=False)
    ax.text(middle, n - 1 + far, "key", ha="center", va="center", fontsize=9, color=COLOURS["K"])
    _write(ax, tokens, 90, np.arange(n), np.full(n, n - 1 + near))
    if rows:
        ax.text(-far, middle, "query", ha="center", va="center", rotation=90, fontsize=9, color=COLOURS["Q"])
        _write(ax, tokens, 0, np.full(n, -near), np.arange(n))


def _write(ax: Axes, tokens: Sequence[str], turned: float, x: np.ndarray, y: np.ndarray) -> None:
    """Tokens that end at given points, turned by so many degrees."""
    names = PathCollection(
        [_right_aligned(token) for token in tokens],
        offsets=np.column_stack([x, y]),
        offset_transform=ax.transData,
        facecolors=COLOURS["ink"],
        linewidths=0,
        clip_on=False,
    )
    names.set_transform(Affine2D().rotate_deg(turned).scale(ax.figure.dpi / 72))
    ax.add_collection(names, autolim=False)


@lru_cache(maxsize=4096)
def _right_aligned(text: str) -> Path:
    """A text's outline in points: it ends at 0, and the middle of its small letters is at height 0."""
    font = FontProperties(family="DejaVu Sans")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a reader's own letters; the words still have them
        path = TextPath((0, 0), text.replace("$", r"\$"), size=POINTS, prop=font)  # a dollar is no formula
    height = TextPath((0, 0), "x", size=POINTS, prop=font).get_extents().height
    return path.transformed(Affine2D().translate(-path.get_extents().x1, -height / 2))


def _bar(ax: Axes) -> None:
    """The scale of the weights, from 0 at the bottom to 1, without ticks."""
    ramp = np.linspace(0, 1, 32)[:, None]
    ax.imshow(ramp, cmap=MAPS["weights"], aspect="auto", origin="lower", extent=(0, 1, 0, 1))
    ax.set_axis_off()
    for weight in (0, 1):
        ax.text(1.3, weight, str(weight), va="center", fontsize=8, color=COLOURS["ink"])
