"""What heads do with a long sentence: heatmaps small and quick enough for a player of many frames."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from helpers.figures.arguments import drawn_from
from helpers.figures.canvas import COLOURS, CSS_DPI, MAPS, axes, canvas, colour_bar, width_of
from helpers.figures.heatmaps import (
    GAP,
    LINE,
    Panels,
    depth,
    draw_panel,
    largest_in_row,
    light_up,
    name_columns,
    name_rows,
)

POINTS = 8  # the size of the tokens


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
    margin, top, gap = GAP + width_of(tokens, POINTS) + 2 * LINE, 0.34, 0.25
    width = max(margin + len(panels) * (side + gap) + 0.5, 2.4)  # room for a title over a few tokens
    figure = canvas(width, top + side + depth(tokens, True, POINTS) + LINE)
    for i, (name, array) in enumerate(panels.items()):
        ax = axes(figure, margin + i * (side + gap), top, side, side)
        ax.set_axis_off()
        draw_panel(ax, np.asarray(array), MAPS["weights"], Normalize(0, 1), annotated=False)
        light_up(ax, lit, len(tokens))
        ax.set_title(name, y=1, fontsize=10, color=COLOURS["ink"], pad=6, parse_math=False)
        if i == 0:
            name_rows(ax, tokens, "query", POINTS)
        name_columns(ax, tokens, "key", True, POINTS)
    left = margin + len(panels) * (side + gap) - 0.1
    colour_bar(figure, left, top, side, MAPS["weights"], Normalize(0, 1), "weight")
    words = [f"{name}. {largest_in_row(array, tokens, tokens, lit)}" for name, array in panels.items()]
    figure.set_label(f"Heatmap of weights, {len(tokens)} tokens. " + " ".join(words))
    return figure
