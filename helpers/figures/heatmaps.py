"""Heatmaps of vectors, scores and weights. Rows are queries (or tokens), columns are keys (or features)."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from helpers.figures.arguments import drawn_from
from helpers.figures.canvas import (
    COLOURS,
    CSS_DPI,
    GREY,
    MAPS,
    SHARPNESS,
    axes,
    canvas,
    colour_bar,
    minus,
    number,
    readable_on,
    short,
    width_of,
    width_of_bar,
    write,
)
from helpers.figures.charts import draw_histogram, histogram_in_words

Panels = np.ndarray | Mapping[str, np.ndarray]
GAP, LINE = 0.05, 0.18  # inches: between a heatmap and its names, and for a line of them
ANNOTATED = 8  # up to this many rows and columns, the numbers are written in the cells


@drawn_from(weights="queries keys", may_attend="bool: queries keys")
def weights_heatmap(
    weights: Panels,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    lit: int | None = None,
    may_attend: Panels | None = None,
    title: str = "",
) -> Figure:
    """Weights, from 0 (pale) to 1 (dark), whatever the data.

    Parameters
    ----------
    weights : numpy.ndarray, or dict of title to numpy.ndarray; each (n_queries, n_keys)
        One panel, or several beside each other.
    queries, keys : sequence of str
        The tokens along the rows and along the columns.
    lit : int, optional
        The query whose row is framed.
    may_attend : numpy.ndarray of bool, or dict of title to numpy.ndarray; each (n_queries, n_keys), optional
        A mask for all panels, or masks for some; what is False is hatched instead of coloured.
    title : str
        For a single panel.
    """
    panels = _as_panels(weights, title)
    figure = _heatmaps(panels, queries, dict.fromkeys(panels, keys), MAPS["weights"], Normalize(0, 1), "weight", lit, 2)
    masks = may_attend if isinstance(may_attend, Mapping) else dict.fromkeys(panels, may_attend)
    for ax, name in zip(figure.axes, panels):
        if masks.get(name) is not None:
            hatch(ax, ~masks[name])
    words = _in_words("weights", panels, lambda w: _row_by_row(w, queries, keys, lit))
    figure.set_label(" ".join([words, *_hidden_in_words(masks, queries)]))
    return figure


@drawn_from(scores="queries keys")
def scores_heatmap(
    scores: Panels,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    limit: float | None = None,
    lit: int | None = None,
    title: str = "",
) -> Figure:
    """Scores, on one diverging map with limits ±`limit` shared by all panels.

    Parameters
    ----------
    scores : numpy.ndarray, or dict of title to numpy.ndarray; each (n_queries, n_keys)
    queries, keys : sequence of str
    limit : float, optional
        By default the largest absolute score.
    lit : int, optional
        The query whose row is framed.
    title : str
        For a single panel.
    """
    panels = _as_panels(scores, title)
    norm = _symmetric(panels, limit)
    figure = _heatmaps(
        panels, queries, dict.fromkeys(panels, keys), MAPS["scores"], norm, "score", lit, _decimals(norm)
    )
    figure.set_label(_in_words("scores", panels, lambda s: _extremes(s, queries, keys)))
    return figure


@drawn_from(scores="queries keys", more="...")
def scores_with_histogram(
    scores: np.ndarray, queries: Sequence[str], keys: Sequence[str], more: np.ndarray, *, limit: float
) -> Figure:
    """A few scores as a heatmap and many as a histogram beside it, both between ±`limit`.

    Parameters
    ----------
    scores : numpy.ndarray, shape (n_queries, n_keys)
    queries, keys : sequence of str
    more : numpy.ndarray
        All the scores that the histogram counts; `scores` may be a corner of them.
    limit : float
        Of the colours and of the histogram's horizontal axis.
    """
    panels = _as_panels(scores, "")
    beside = 3.6
    norm = _symmetric(panels, limit)
    figure = _heatmaps(panels, queries, {"": keys}, MAPS["scores"], norm, "score", None, _decimals(norm), beside=beside)
    width, height = figure.get_size_inches()
    ax = axes(figure, width - beside + 0.55, 0.34, beside - 0.65, height - 1.0)
    draw_histogram(ax, more, f"{np.size(more)} scores", limit)
    words = _in_words("scores", panels, lambda s: _extremes(s, queries, keys))
    figure.set_label(f"{words} {histogram_in_words(more, 'scores')}")
    return figure


@drawn_from(vectors="rows *")
def vectors_heatmap(
    vectors: Mapping[str, np.ndarray], rows: Sequence[str], columns: Mapping[str, Sequence[str]] | Sequence[str]
) -> Figure:
    """Vectors, a row each: panels called X, Q, K or V wear that letter's colour.

    Parameters
    ----------
    vectors : dict of title to numpy.ndarray, each (n_rows, its own width)
    rows : sequence of str
        The tokens.
    columns : sequence of str, or dict of title to sequence of str
        The names of the features: one list for all panels, or a list for each.
    """
    names = columns if isinstance(columns, Mapping) else dict.fromkeys(vectors, columns)
    figure = _heatmaps(vectors, rows, names, None, _symmetric(vectors, None), "", axis_names=("", ""))
    describe = _entries if max(map(np.size, vectors.values())) <= ANNOTATED**2 else _extremes
    words = [f"{title} is {len(v)} by {v.shape[1]}: {describe(v, rows, names[title])}" for title, v in vectors.items()]
    figure.set_label("Heatmap of vectors, a row a token. " + " ".join(words))
    return figure


def draw_panel(
    ax: Axes, array: np.ndarray, cmap: Colormap, norm: Normalize, decimals: int | None = None, annotated: bool = True
) -> None:
    """One heatmap into given axes, for figures of several parts.

    Parameters
    ----------
    ax : Axes
    array : numpy.ndarray, shape (n_rows, n_columns)
    cmap, norm : Colormap, Normalize
    decimals : int, optional
        Of the numbers in the cells; None writes at most two, without trailing zeros.
    annotated : bool
        Whether the numbers are written, if there is room for them.
    """
    n_rows, n_columns = array.shape
    mesh = ax.pcolormesh(np.arange(n_columns + 1) - 0.5, np.arange(n_rows + 1) - 0.5, array, cmap=cmap, norm=norm)
    ax.set(xlim=(-0.5, n_columns - 0.5), ylim=(n_rows - 0.5, -0.5))  # rows go down from the top
    # White lines between the cells, as one collection: a minor grid is far slower.
    lines = [[(-0.5, y), (n_columns - 0.5, y)] for y in np.arange(1, n_rows) - 0.5]
    lines += [[(x, -0.5), (x, n_rows - 0.5)] for x in np.arange(1, n_columns) - 0.5]
    ax.add_collection(LineCollection(lines, colors="white", linewidths=1), autolim=False)
    if annotated and max(array.shape) <= ANNOTATED:
        y, x = np.indices(array.shape).reshape(2, -1)
        small = ax.bbox.width < n_columns * 36 * SHARPNESS
        texts = [minus(number(value, 1 if small else decimals)) for value in array.ravel()]
        size = 7 if small else 8  # points
        write(ax, texts, x, y, readable_on(mesh.to_rgba(array).reshape(-1, 4)), size, middle="0")


def name_rows(ax: Axes, names: Sequence[str], axis_name: str, size: float = 9) -> None:
    """The tokens on a heatmap's left, and the axis's name beyond them."""
    inch = np.ptp(ax.get_xlim()) * ax.figure.dpi / ax.bbox.width  # in cells
    write(ax, names, [-0.5 - GAP * inch] * len(names), range(len(names)), COLOURS["ink"], size, align=1)
    far, middle = -0.5 - (GAP + width_of(names, size) + LINE) * inch, (len(names) - 1) / 2
    ax.text(far, middle, axis_name, rotation=90, ha="center", va="center", fontsize=9, color=COLOURS["Q"])


def name_columns(ax: Axes, names: Sequence[str], axis_name: str, turned: bool, size: float = 9) -> None:
    """The tokens under a heatmap, turned if there is little room, and the axis's name below them."""
    inch = np.ptp(ax.get_ylim()) * ax.figure.dpi / ax.bbox.height  # in cells
    edge, centred = ax.get_ylim()[0], LINE / 2
    look = {"align": 1, "turned": 90} if turned else {}
    y = edge + (GAP + centred * (not turned)) * inch
    write(ax, names, range(len(names)), [y] * len(names), COLOURS["ink"], size, **look)
    far = edge + (depth(names, turned, size) + centred) * inch
    ax.text((len(names) - 1) / 2, far, axis_name, ha="center", va="center", fontsize=9, color=COLOURS["K"])


def depth(names: Sequence[str], turned: bool, size: float = 9) -> float:
    """How many inches the columns' names take, the axis's name not counted."""
    return GAP + (width_of(names, size) + GAP if turned else LINE)


def light_up(ax: Axes, row: int, n_columns: int) -> None:
    """Frame a heatmap's row in the queries' colour."""
    frame = Rectangle((-0.5, row - 0.5), n_columns, 1, fill=False, edgecolor=COLOURS["Q"], linewidth=2.5, zorder=5)
    ax.add_patch(frame).set_clip_on(False)


def hatch(ax: Axes, hidden: np.ndarray) -> None:
    """Cover a heatmap's hidden cells, the numbers in them too, with hatching."""
    cells = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(hidden)]
    look = {"facecolor": "white", "edgecolor": GREY, "hatch": "////", "linewidth": 0, "zorder": 4}
    ax.add_collection(PatchCollection(cells, **look), autolim=False)


def largest_in_row(weights: np.ndarray, queries: Sequence[str], keys: Sequence[str], row: int) -> str:
    """One query's four largest weights."""
    first = np.argsort(-weights[row], kind="stable")[:4]
    return f"Row {queries[row]}: " + ", ".join(f"{keys[j]} {weights[row, j]:.2f}" for j in first) + "."


def _as_panels(arrays: Panels, title: str) -> dict[str, np.ndarray]:
    panels = dict(arrays) if isinstance(arrays, Mapping) else {title: arrays}
    return {name: np.asarray(array) for name, array in panels.items()}


def _symmetric(panels: Mapping[str, np.ndarray], limit: float | None) -> Normalize:
    if limit is None:
        limit = max(float(np.abs(array).max()) for array in panels.values()) or 1.0
    return Normalize(-limit, limit)


def _decimals(norm: Normalize) -> int | None:
    """One decimal where two would not fit into a cell."""
    return 1 if norm.vmax >= 10 else None


def _heatmaps(
    panels, rows, columns, cmap, norm, bar, lit=None, decimals=None, axis_names=("query", "key"), beside=0.0
) -> Figure:
    """Panels side by side with one scale; `cmap` None gives each panel the colour of its letter, and no bar."""
    rows = [short(name) for name in rows]
    columns = {title: [short(name) for name in names] for title, names in columns.items()}
    widest = max(len(rows), *map(len, columns.values()))
    together = sum(len(names) for names in columns.values())
    cell = (min(44, 640 // together) if widest <= ANNOTATED else max(16, 420 // widest)) / CSS_DPI
    names = [name for names in columns.values() for name in names]
    turned = width_of(names, 9) > cell - 2 * GAP
    left = GAP + width_of(rows, 9) + (2 * LINE if axis_names[0] else 2 * GAP)
    bottom = depth(names, turned) + (LINE if axis_names[1] else GAP)
    top = 0.34 if cmap or any(panels) else 0.12
    gap, height = 0.3, cell * len(rows)
    widths = [cell * len(columns[title]) for title in panels]
    right = GAP + 0.15 + width_of_bar(norm) if cmap else 0.2
    figure = canvas(left + sum(widths) + gap * (len(widths) - 1) + right + beside, top + height + bottom)
    for i, (title, array) in enumerate(panels.items()):
        ax = axes(figure, left + sum(widths[:i]) + gap * i, top, widths[i], height)
        ax.set_axis_off()
        draw_panel(ax, array, cmap or MAPS[_letter(title)], norm, decimals)
        colour = COLOURS["ink"] if cmap else COLOURS[_letter(title)]
        ax.set_title(title, y=1, fontsize=10, color=colour, pad=6, parse_math=False)  # y: or each draw looks for it
        if i == 0:
            name_rows(ax, rows, axis_names[0])
        name_columns(ax, columns[title], axis_names[1], turned)
        if lit is not None:
            light_up(ax, lit, len(columns[title]))
    if cmap:
        colour_bar(figure, left + sum(widths) + gap * (len(widths) - 1) + 0.2, top, height, cmap, norm, bar)
    return figure


def _letter(title: str) -> str:
    """Which of X, Q, K, V a panel's title starts with; X's neutral grey for any other."""
    return title[0] if title[:1] in ("Q", "K", "V") else "X"


def _in_words(what: str, panels: Mapping[str, np.ndarray], describe) -> str:
    parts = [(f"{title}: " if title else "") + describe(array) for title, array in panels.items()]
    n_queries, n_keys = next(iter(panels.values())).shape
    return f"Heatmap of {what}, {n_queries} queries by {n_keys} keys. " + " ".join(parts)


def _row_by_row(weights: np.ndarray, queries: Sequence[str], keys: Sequence[str], lit: int | None) -> str:
    """Where each query's largest weight goes; for large pictures the framed row, and the five largest of all."""
    best = weights.argmax(axis=1)
    large = len(best) > ANNOTATED
    order = np.argsort(-weights.max(axis=1), kind="stable")[:5] if large else range(len(best))
    framed = largest_in_row(weights, queries, keys, lit) + " " if large and lit is not None else ""
    largest = "; ".join(f"{queries[i]} to {keys[best[i]]} {weights[i, best[i]]:.2f}" for i in order)
    return f"{framed}Largest weights: {largest}."


def _hidden_in_words(masks: Mapping[str, np.ndarray | None], queries: Sequence[str]) -> list[str]:
    """How many keys each mask leaves to each query."""
    return [
        (f"{title}: " if title else "")
        + f"{(~mask).sum()} of {mask.size} cells are hatched: hidden. Keys left to each query: "
        + ", ".join(f"{query} {left}" for query, left in zip(queries, mask.sum(axis=1)))
        + "."
        for title, mask in masks.items()
        if mask is not None
    ]


def _entries(array: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Every row's entries that aren't zero."""

    def row_in_words(row: np.ndarray) -> str:
        return ", ".join(f"{column} {number(x)}" for column, x in zip(columns, row) if number(x) != "0") or "all zero"

    return "; ".join(f"{name}: {row_in_words(row)}" for name, row in zip(rows, array)) + "."


def _extremes(array: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    def at(index) -> str:
        i, j = np.unravel_index(index, array.shape)
        return f"{number(array[i, j])} at row {rows[i]}, column {columns[j]}"

    return f"largest {at(array.argmax())}; smallest {at(array.argmin())}."
