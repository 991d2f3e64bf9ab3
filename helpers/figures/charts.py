"""Bars for shares, curves, histograms and arrows."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.figures.arguments import drawn_from
from helpers.figures.canvas import COLOURS, GREY, axes, canvas, number, short

LINES = [COLOURS["Q"], COLOURS["K"], COLOURS["V"], COLOURS["weights"], GREY]
DASHES = ["-", "--", "-.", ":", "-"]  # so that no line is told by its colour alone


@drawn_from(panels="labels")
def bars(
    panels: Mapping[str, np.ndarray],
    labels: Sequence[str],
    *,
    limits: tuple[float, float] = (0, 1),
    name: str = "share",
    decimals: int | None = 2,
) -> Figure:
    """Bar charts beside each other on one scale, each bar with its number.

    Parameters
    ----------
    panels : dict of title to array_like of float, shape (n,)
    labels : sequence of str, length n
        What each bar stands for.
    limits : tuple of float
        Lower and upper end of the vertical axis.
    name : str
        What a bar's height is.
    decimals : int, optional
        Of the numbers; None writes at most two, without trailing zeros.
    """
    shown = [short(label) for label in labels]
    longest = max(map(len, shown))
    turned = 0.075 * longest > 0.8
    step = 0.5 if turned else max(0.42, 0.075 * longest + 0.12)
    width, bottom = step * len(labels) + 0.2, 0.2 + (0.07 * longest if turned else 0.12)
    figure = canvas(0.6 + (width + 0.3) * len(panels), 2.5 + bottom)
    for i, (title, heights) in enumerate(panels.items()):
        ax = axes(figure, 0.55 + i * (width + 0.3), 0.35, width, 2.1)
        ax.bar(range(len(labels)), heights, color=COLOURS["weights"], width=0.7)
        ax.set_xticks(range(len(labels)), shown, rotation=90 if turned else 0, parse_math=False)
        _plain(ax, title, "", name if i == 0 else "", limits)
        if i:
            ax.tick_params(labelleft=False)
        ax.axhline(0, color=COLOURS["ink"], linewidth=0.8)
        for x, height in enumerate(heights):
            shift = 3 if height >= 0 else -3
            text = number(height, decimals).replace("-", "−")
            ax.annotate(
                text,
                (x, height),
                (0, shift),
                textcoords="offset points",
                ha="center",
                fontsize=8.5,
                va="bottom" if height >= 0 else "top",
            )
    words = [
        (f"{title}: " if title else "")
        + ", ".join(f"{label} {number(h, decimals)}" for label, h in zip(labels, heights))
        for title, heights in panels.items()
    ]
    figure.set_label(f"Bar chart of the {name}. " + "; ".join(words) + ".")
    return figure


@drawn_from(x="n", lines="x")
def curves(
    x: np.ndarray,
    lines: Mapping[str, np.ndarray],
    *,
    x_name: str,
    y_name: str,
    title: str = "",
    log: bool = False,
    bands: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
    limits: tuple[float, float] | None = None,
    references: Mapping[str, float] | None = None,
    at: float | None = None,
) -> Figure:
    """Curves over a common x, each with its name at its end.

    Parameters
    ----------
    x : array_like of float, shape (n,)
    lines : dict of name to array_like of float, each (n,)
    x_name, y_name, title : str
    log : bool
        Both axes logarithmic (x to base 2, y to base 10).
    bands : dict of a line's name to (lower, upper), optional
        A shaded band about that line.
    limits : tuple of float, optional
        Of the vertical axis.
    references : dict of name to float, optional
        Horizontal lines to compare with.
    at : float, optional
        A vertical line at this x.
    """
    figure = canvas(6.4, 3.6)
    ax = axes(figure, 0.75, 0.4, 4.3, 2.65)
    if log:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
    ends = []
    for i, (name, y) in enumerate(lines.items()):
        colour = LINES[i % len(LINES)]
        ax.plot(x, y, DASHES[i % len(DASHES)], color=colour, linewidth=2)
        if bands and name in bands:
            ax.fill_between(x, *bands[name], color=colour, alpha=0.15, linewidth=0)
        ends.append((float(y[-1]), name, colour))
    for name, y in (references or {}).items():
        ax.axhline(y, color=GREY, linewidth=1, linestyle=(0, (2, 3)))
        ends.append((y, name, "#5F5F5F"))
    if at is not None:
        ax.axvline(at, color=COLOURS["ink"], linewidth=1)
    _plain(ax, title, x_name, y_name, limits)
    ax.margins(x=0)
    if log:
        ticks = [tick for tick in (1, 4, 16, 64, 256, 1024, 4096) if min(x) <= tick <= max(x)]
        ax.set_xticks(ticks, map(str, ticks))
        ax.minorticks_off()
    _names_at_the_end(ax, ends)
    words = [
        f"{name} from {number(y[0])} at {number(x[0])} to {float(y[-1]):.2g} at {number(x[-1])}"
        for name, y in lines.items()
    ]
    figure.set_label(f"Curves of {y_name} against {x_name}. " + "; ".join(words) + ".")
    return figure


@drawn_from(paths="* *", envelope="*")
def walks(paths: np.ndarray, envelope: np.ndarray, *, x_name: str, y_name: str, title: str = "") -> Figure:
    """Many random walks from 0, thin, between plus and minus an envelope.

    Parameters
    ----------
    paths : numpy.ndarray, shape (n_walks, n_steps)
        Where each walk is after step 1, 2, …
    envelope : numpy.ndarray, shape (n_steps,)
    x_name, y_name, title : str
    """
    figure = canvas(6.4, 3.4)
    ax = axes(figure, 0.7, 0.4, 5.4, 2.45)
    steps = np.arange(1, paths.shape[1] + 1)
    ax.plot(steps[3::8], paths[:, 3::8].T, color="#9E8AC2", linewidth=0.8)  # every step would weigh too much
    for sign in (1, -1):
        ax.plot(steps, sign * envelope, color=COLOURS["ink"], linewidth=2)
    _plain(ax, title, x_name, y_name, None)
    ax.set_xlim(0, len(steps))
    inside = (np.abs(paths[:, -1]) <= envelope[-1]).sum()
    figure.set_label(
        f"{len(paths)} random walks of {len(steps)} steps, which spread out like the envelope: "
        f"±{number(envelope[-1])} at the end, "
        f"where {inside} of them lie inside it."
    )
    return figure


@drawn_from(values="...")
def histogram(values: np.ndarray, *, name: str, limit: float, title: str = "", bins: int = 41) -> Figure:
    """How often each value occurs, between ±`limit`, with the standard deviation drawn as a bar below.

    Parameters
    ----------
    values : numpy.ndarray of float
    name : str
        What the values are.
    limit : float
        The horizontal axis runs from -limit to limit; what lies outside is counted in the last bins.
    title : str
    bins : int
    """
    figure = canvas(4.6, 3.2)
    draw_histogram(axes(figure, 0.65, 0.4, 3.7, 2.25), values, name, limit, title, bins)
    figure.set_label(histogram_in_words(values, name))
    return figure


def draw_histogram(ax: Axes, values: np.ndarray, name: str, limit: float, title: str = "", bins: int = 41) -> None:
    """`histogram` into given axes, for figures of several panels."""
    values = np.asarray(values, dtype=float).ravel()
    heights, edges = np.histogram(np.clip(values, -limit, limit), bins, (-limit, limit))
    ax.stairs(heights / len(values), edges, fill=True, color=COLOURS["weights"])
    std, mean = values.std(), values.mean()
    ax.annotate(
        "",
        (mean - std, 0.94),
        (mean + std, 0.94),
        xycoords=("data", "axes fraction"),
        arrowprops={"arrowstyle": "<->", "color": COLOURS["ink"], "shrinkA": 0, "shrinkB": 0},
    )
    ax.text(mean, 0.97, f"std {std:.2f}", transform=ax.get_xaxis_transform(), ha="center", va="bottom", fontsize=9)
    ax.set_xlim(-limit, limit)
    _plain(ax, title, name, "share of all", None)
    ax.set_ylim(0, 0.8)  # fixed, so that frames compare


def histogram_in_words(values: np.ndarray, name: str) -> str:
    """The words for a histogram."""
    return (
        f"Histogram of {np.size(values)} {name}: mean {number(np.mean(values), 2)}, "
        f"standard deviation {np.std(values):.2f}, from {number(np.min(values))} to {number(np.max(values))}."
    )


@drawn_from(query="2", keys="2")
def arrows(query: np.ndarray, keys: Mapping[str, np.ndarray], *, title: str = "") -> Figure:
    """A query and some keys, of two numbers each, as arrows from the origin.

    Parameters
    ----------
    query : array_like of float, shape (2,)
        Drawn broad, so that a key of the same direction can lie on it.
    keys : dict of name to array_like of float, each (2,)
    title : str
    """
    ends = np.array([query, *keys.values()], dtype=float)  # (n, 2)
    low, high = np.minimum(ends.min(axis=0), 0) - 0.6, np.maximum(ends.max(axis=0), 0) + 0.9
    width, height = 0.75 * (high - low)
    figure = canvas(width + 0.7, height + 0.8)
    ax = axes(figure, 0.45, 0.4, width, height)
    _arrow(ax, "q", query, COLOURS["Q"], 7, (0, -18))
    for name, key in keys.items():
        _arrow(ax, name, key, COLOURS["K"], 2.5, (8, 6))
    _plain(ax, title, "", "", (low[1], high[1]))
    ax.set_xlim(low[0], high[0])
    ax.set_xticks(np.arange(np.ceil(low[0]), high[0]))
    ax.set_yticks(np.arange(np.ceil(low[1]), high[1]))
    ax.grid(color="#E6E6E6", linewidth=0.8)
    ax.set_axisbelow(True)
    words = "; ".join(f"{name} to ({number(x)}, {number(y)})" for name, (x, y) in {"q": query, **keys}.items())
    figure.set_label(f"Arrows from the origin: {words}.")
    return figure


def _arrow(ax: Axes, name: str, end: np.ndarray, colour: str, linewidth: float, offset: tuple[int, int]) -> None:
    line = {"arrowstyle": "-|>", "color": colour, "linewidth": linewidth, "mutation_scale": 16}
    ax.annotate("", end, (0, 0), arrowprops={**line, "shrinkA": 0, "shrinkB": 0})
    words = {"color": colour, "fontsize": 10, "weight": "bold", "parse_math": False}
    ax.annotate(short(name), end, offset, textcoords="offset points", **words)


def _plain(ax: Axes, title: str, x_name: str, y_name: str, limits: tuple[float, float] | None) -> None:
    ax.spines[["left", "bottom"]].set_visible(True)
    ax.spines[["left", "bottom"]].set_color("#BBBBBB")
    ax.set_title(title, fontsize=10, color=COLOURS["ink"], pad=8, parse_math=False)
    ax.set_xlabel(x_name, fontsize=9, parse_math=False)
    ax.set_ylabel(y_name, fontsize=9, parse_math=False)
    if limits is not None:
        ax.set_ylim(*limits)


def _names_at_the_end(ax: Axes, ends: list[tuple[float, str, str]]) -> None:
    """Write the lines' names right of the axes, pushed apart where they would overlap."""
    to_fraction = ax.transData + ax.transAxes.inverted()
    x = ax.get_xlim()[1]
    last = -1.0
    for y, name, colour in sorted(ends):
        last = max(to_fraction.transform((x, y))[1], last + 0.075)
        ax.text(
            1.02, last, short(name), transform=ax.transAxes, color=colour, fontsize=9, va="center", parse_math=False
        )
