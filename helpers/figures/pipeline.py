"""Self-attention as a whole: every array on one page, and one token's row of weights as arcs."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, PathPatch
from matplotlib.path import Path

from helpers.figures.arguments import drawn_from
from helpers.figures.canvas import COLOURS, MAPS, axes, canvas, colour_bar, number, short
from helpers.figures.heatmaps import draw_panel, light_up, name_columns, name_rows

CELL = 0.16  # inches
PLACES = {  # inches from the left and from the top
    "X": (0.65, 1.95),
    "Q": (3.05, 0.4),
    "K": (3.05, 1.95),
    "V": (3.05, 3.5),
    "scores": (4.95, 1.18),
    "weights": (7.2, 1.18),
    "output": (9.2, 2.35),
}
STEPS = [  # from, to, what is done
    ("X", "Q", "W_q"),
    ("X", "K", "W_k"),
    ("X", "V", "W_v"),
    ("Q", "scores", ""),
    ("K", "scores", "Q Kᵀ"),
    ("scores", "weights", "softmax"),
    ("weights", "output", "@ V"),
    ("V", "output", ""),
]


@drawn_from(arrays="tokens *")
def pipeline(arrays: Mapping[str, np.ndarray], tokens: Sequence[str], *, step: str = "÷ √d_k\nsoftmax") -> Figure:
    """X → Q, K, V → scores → weights → output, each as a small heatmap with its shape under it.

    Parameters
    ----------
    arrays : dict with the keys X, Q, K, V, scores, weights and output; each (n_tokens, its width)
    tokens : sequence of str
    step : str
        What leads from the scores to the weights.
    """
    figure = canvas(10.1, 5.1)
    for name, (left, top) in PLACES.items():
        array = arrays[name]
        ax = axes(figure, left, top, CELL * array.shape[1], CELL * array.shape[0])
        if name == "weights":
            norm = Normalize(0, 1)
        else:
            norm = Normalize(-np.abs(array).max(), np.abs(array).max())
        draw_panel(ax, array, MAPS[{"output": "V"}.get(name, name)], norm, annotated=False)
        colour = COLOURS.get({"output": "V", "scores": "weights"}.get(name, name))
        ax.set_title(name, y=1, fontsize=11, color=colour, pad=4)
        ax.set_xlabel(f"{array.shape[0]} × {array.shape[1]}", fontsize=9, color=COLOURS["ink"])
        ax.spines[:].set_visible(True)
        ax.spines[:].set_color("#CCCCCC")
        ax.set_xticks([])
        rows = list(map(short, tokens)) if name == "X" else []
        ax.set_yticks(range(len(rows)), rows, fontsize=8, parse_math=False)
    for start, end, label in STEPS:
        _step(figure, arrays, start, end, step if label == "softmax" else label)
    shapes = ", ".join(f"{name} {array.shape[0]} by {array.shape[1]}" for name, array in arrays.items())
    weights = arrays["weights"]
    i, j = np.unravel_index(weights.argmax(), weights.shape)
    figure.set_label(
        f"All arrays of self-attention in order, with arrows between them: {shapes}. "
        f"The largest weight is {weights[i, j]:.2f}, from {tokens[i]} to {tokens[j]}."
    )
    return figure


@drawn_from(weights="tokens tokens")
def asking(weights: np.ndarray, tokens: Sequence[str], query: int, *, title: str = "") -> Figure:
    """One token asks: arcs to the tokens it listens to, over the weights with its row lit up.

    Parameters
    ----------
    weights : numpy.ndarray, shape (n_tokens, n_tokens)
    tokens : sequence of str
    query : int
        Which token asks.
    title : str
    """
    n, cell, left = len(tokens), 0.5, 0.95
    figure = canvas(left + cell * n + 0.85, 2.05 + 0.36 * n + 0.65)
    above = axes(figure, left, 0.4, cell * n, 1.6)
    above.set_xlim(-0.5, n - 0.5)
    above.set_ylim(0, 1)
    above.set_xticks([])
    above.set_yticks([])
    above.set_title(title, y=1, fontsize=11, color=COLOURS["ink"], pad=8, parse_math=False)
    for key, weight in enumerate(weights[query]):
        _arc(above, query, key, float(weight), n, named=key == weights[query].argmax())
    for place, token in enumerate(tokens):
        above.text(
            place,
            0.02,
            short(token),
            ha="center",
            va="bottom",
            fontsize=10,
            parse_math=False,
            color=COLOURS["Q"] if place == query else COLOURS["ink"],
            weight="bold" if place == query else "normal",
        )
    below = axes(figure, left, 2.05, cell * n, 0.36 * n)
    draw_panel(below, weights, MAPS["weights"], Normalize(0, 1), decimals=2)
    below.set_axis_off()
    name_rows(below, list(map(short, tokens)), "query")
    name_columns(below, list(map(short, tokens)), "key", turned=False)
    light_up(below, query, n)
    colour_bar(figure, left + cell * n + 0.2, 2.05, 0.36 * n, MAPS["weights"], Normalize(0, 1), "weight")
    shares = ", ".join(f"{token} {weight:.2f}" for token, weight in zip(tokens, weights[query]))
    figure.set_label(f"{title + ': ' if title else ''}'{tokens[query]}' asks, and listens to {shares}.")
    return figure


def _arc(ax: Axes, query: int, key: int, weight: float, n: int, named: bool) -> None:
    """An arc from the one who asks, as thick as the weight; to itself a small loop."""
    if weight < 0.005:
        return
    height = 0.3 + 0.5 * abs(key - query) / max(n - 1, 1)
    if key == query:
        points = [(key - 0.08, 0.17), (key - 0.35, 0.5), (key + 0.35, 0.5), (key + 0.08, 0.17)]
        top = 0.44
    else:
        points = [(query, 0.17), (query, 0.17 + height), (key, 0.17 + height), (key, 0.17)]
        top = 0.17 + 0.75 * height
    curve = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    line = PathPatch(
        curve, fill=False, edgecolor=COLOURS["weights"], linewidth=0.5 + 9 * weight, alpha=0.25 + 0.6 * weight
    )
    ax.add_patch(line)
    if named:
        ax.text(
            (query + key) / 2,
            top + 0.03,
            number(weight, 2),
            ha="center",
            va="bottom",
            fontsize=9,
            color=COLOURS["weights"],
        )


def _step(figure: Figure, arrays: Mapping[str, np.ndarray], start: str, end: str, label: str) -> None:
    """An arrow between two panels, with what is done written over it."""
    width, height = figure.get_size_inches()
    middle = {name: top + CELL * arrays[name].shape[0] / 2 for name, (_, top) in PLACES.items()}
    x = PLACES[start][0] + CELL * arrays[start].shape[1] + 0.12
    ends = [(x / width, 1 - middle[start] / height), ((PLACES[end][0] - 0.12) / width, 1 - middle[end] / height)]
    arrow = FancyArrowPatch(
        *ends,
        arrowstyle="-|>",
        mutation_scale=12,
        color="#777777",
        linewidth=1.4,
        transform=figure.transFigure,
        shrinkA=0,
        shrinkB=0,
    )
    figure.add_artist(arrow)
    if label:
        (x0, y0), (x1, y1) = ends
        level = y0 == y1  # there the words stand over the arrow, elsewhere on it
        figure.text(
            (x0 + x1) / 2,
            (y0 + y1) / 2 + 0.02 * level,
            label,
            ha="center",
            va="bottom" if level else "center",
            fontsize=9.5,
            color=COLOURS["ink"],
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )
