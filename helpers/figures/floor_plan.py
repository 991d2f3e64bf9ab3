"""The signature picture: the lab from above, and attention's output as a point on its floor."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Ellipse, FancyBboxPatch, Rectangle

from helpers.figures.arguments import drawn_from
from helpers.figures.canvas import COLOURS, axes, canvas, number, short

METRE = 0.72  # inches on the picture
WOOD, WALL, DESK, SHADE = "#FBF7EF", "#4A4A4A", "#A9CDEA", "#D9D2C3"
SIZES = {  # width and depth of the furniture, in metres
    "the shelf": (0.7, 1.7),
    "the blue desk": (1.6, 0.9),
    "the coffee machine": (0.8, 0.7),
    "the sofa": (1.9, 0.8),
    "the tea table": (0.9, 0.9),
}


@drawn_from(spots="places 2", seats="places 2", me="2", weights="places", output="2", path="* 2")
def floor_plan(
    places: Sequence[str],
    spots: np.ndarray,
    *,
    people: Sequence[str] = (),
    seats: np.ndarray | None = None,
    me: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    output: np.ndarray | None = None,
    path: np.ndarray | None = None,
    room: tuple[float, float] = (8.0, 6.0),
    title: str = "",
) -> Figure:
    """The lab from above: who sits where, where each points, and where attention's answer lies.

    Parameters
    ----------
    places : sequence of str
        What stands at each spot.
    spots : numpy.ndarray, shape (n_keys, 2)
        The values: (x, y) in metres.
    people : sequence of str
        Who points at each spot.
    seats : numpy.ndarray, shape (n_keys, 2), optional
        Where they sit, in metres.
    me : numpy.ndarray, shape (2,), optional
        Where the one who asks sits.
    weights : numpy.ndarray, shape (n_keys,), optional
        Each spot's disc grows with its weight (the area is proportional to it), and the weight is written there.
    output : numpy.ndarray, shape (2,), optional
        The answer, drawn as a star.
    path : numpy.ndarray, shape (n, 2), optional
        Earlier answers, drawn as a dotted line that ends in the star.
    room : tuple of float
        Width and depth in metres.
    title : str
    """
    figure = canvas(room[0] * METRE + 0.9, room[1] * METRE + 0.95)
    ax = axes(figure, 0.45, 0.4, room[0] * METRE, room[1] * METRE)
    _room(ax, room, title)
    for place, spot in zip(places, spots):
        _furniture(ax, place, spot)
    if seats is not None:
        for person, seat, spot in zip(people, seats, spots):
            _person(ax, person, seat, spot)
    if me is not None:
        _figure_from_above(ax, me, COLOURS["Q"])
        ax.text(me[0], me[1] - 0.26, "me", ha="center", va="top", fontsize=8.5, color=COLOURS["Q"], weight="bold")
    if weights is None:
        ax.scatter(*np.transpose(spots), s=36, color=COLOURS["V"], edgecolor="white", zorder=5)
    else:
        _discs(ax, spots, weights, output)
    if path is not None:
        ax.plot(*np.asarray(path).T, ":", color=COLOURS["ink"], linewidth=2, zorder=6)
    if output is not None:
        _star(ax, output)
    figure.set_label(_in_words(places, spots, people, weights, output))
    return figure


def _room(ax: Axes, room: tuple[float, float], title: str) -> None:
    # Here and below `add_artist`: `add_patch` would look for limits that are fixed, for a sixth of the time of a frame.
    ax.set_xlim(0, room[0])
    ax.set_ylim(0, room[1])
    ax.set_facecolor(WOOD)
    ax.set_xticks(range(0, int(room[0]) + 1, 2))
    ax.set_yticks(range(0, int(room[1]) + 1, 2))
    ax.set_xlabel("x in metres", fontsize=8.5)
    ax.set_ylabel("y in metres", fontsize=8.5)
    ax.set_title(title, loc="left", y=1, fontsize=11, color=COLOURS["ink"], pad=8, parse_math=False)
    ax.add_artist(Rectangle((0, 0), *room, fill=False, edgecolor=WALL, linewidth=5, zorder=3, clip_on=False))
    ax.plot([room[0]] * 2, [2.2, 3.6], color="#BFE3F5", linewidth=5, zorder=4, clip_on=False)  # the window
    ax.hlines(np.arange(0.5, room[1], 0.5), 0, room[0], color="#F0E9DA", linewidth=0.8, zorder=0)  # the boards


def _furniture(ax: Axes, place: str, spot: np.ndarray) -> None:
    width, depth = SIZES.get(place, (0.9, 0.9))
    low = (spot[0] - width / 2, spot[1] - depth / 2)
    colour = DESK if "blue" in place else SHADE
    if place == "the tea table":
        ax.add_artist(Circle(spot, width / 2, facecolor=colour, edgecolor="#B5AC99", zorder=1))
    else:
        box = FancyBboxPatch(
            low,
            width,
            depth,
            boxstyle="round,pad=0,rounding_size=0.1",
            facecolor=colour,
            edgecolor="#8FA9BD" if "blue" in place else "#B5AC99",
            zorder=1,
        )
        ax.add_artist(box)
    _DETAILS.get(place, lambda ax, x, y: None)(ax, *spot)
    ax.text(
        spot[0],
        low[1] - 0.08,
        short(place),
        ha="center",
        va="top",
        fontsize=8,
        color="#5A5346",
        zorder=2,
        parse_math=False,
    )


def _books(ax: Axes, x: float, y: float) -> None:
    for i, colour in enumerate(["#B98B73", "#8FA9BD", "#C9B26B", "#9DB08C", "#B98B73", "#A79BB8"]):
        ax.add_artist(Rectangle((x - 0.25, y - 0.72 + 0.24 * i), 0.5, 0.17, facecolor=colour, zorder=1))


def _pen(ax: Axes, x: float, y: float) -> None:
    ax.plot([x + 0.3, x + 0.62], [y + 0.16, y + 0.3], color="#B3261E", linewidth=3, solid_capstyle="round", zorder=2)


def _coffee_maker(ax: Axes, x: float, y: float) -> None:
    ax.add_artist(Rectangle((x - 0.28, y + 0.08), 0.56, 0.2, facecolor="#6E5B4B", zorder=1))
    ax.add_artist(Circle((x + 0.2, y - 0.2), 0.09, facecolor="white", edgecolor="#8A6A4F", zorder=1))


def _tea_things(ax: Axes, x: float, y: float) -> None:
    ax.add_artist(Circle((x - 0.18, y - 0.2), 0.15, facecolor="#C98F6B", edgecolor="#8A6A4F", zorder=1))
    ax.add_artist(Circle((x + 0.22, y - 0.16), 0.09, facecolor="white", edgecolor="#8A6A4F", zorder=1))


def _cushions(ax: Axes, x: float, y: float) -> None:
    for dx in (-0.85, 0.03):
        box = FancyBboxPatch(
            (x + dx, y - 0.3),
            0.82,
            0.48,
            boxstyle="round,pad=0,rounding_size=0.08",
            facecolor="#E7E1D4",
            edgecolor="#C9C0AE",
            zorder=1,
        )
        ax.add_artist(box)


_DETAILS = {
    "the shelf": _books,
    "the blue desk": _pen,
    "the coffee machine": _coffee_maker,
    "the tea table": _tea_things,
    "the sofa": _cushions,
}


def _person(ax: Axes, person: str, seat: np.ndarray, spot: np.ndarray) -> None:
    arrow = {"arrowstyle": "->", "color": COLOURS["V"], "linewidth": 1.1, "linestyle": (0, (3, 2)), "alpha": 0.75}
    ax.annotate("", spot, seat, arrowprops={**arrow, "shrinkA": 9, "shrinkB": 5}, zorder=2)
    _figure_from_above(ax, seat, COLOURS["K"])
    name = person.removeprefix("the senior ").removeprefix("the one ").removeprefix("the ")
    away = 0.26 if spot[1] < seat[1] else -0.26  # the name stands clear of the arrow
    ax.text(
        seat[0],
        seat[1] + away,
        short(name),
        ha="center",
        va="bottom" if away > 0 else "top",
        fontsize=7.5,
        color=COLOURS["K"],
        zorder=5,
        parse_math=False,
    )


def _figure_from_above(ax: Axes, seat: np.ndarray, colour: str) -> None:
    style = {"facecolor": colour, "edgecolor": "white", "linewidth": 1.2, "zorder": 4}
    ax.add_artist(Ellipse(seat, 0.56, 0.28, **style))  # shoulders
    ax.add_artist(Circle(seat, 0.14, **style))  # head


def _discs(ax: Axes, spots: np.ndarray, weights: np.ndarray, output: np.ndarray | None) -> None:
    for spot, weight in zip(spots, weights):
        if output is not None:
            ax.plot(*np.transpose([spot, output]), color=COLOURS["V"], linewidth=0.4 + 5 * weight, alpha=0.35, zorder=3)
        radius = max(0.05, 0.38 * np.sqrt(weight))
        ax.add_artist(Circle(spot, radius, facecolor=COLOURS["V"], edgecolor="white", linewidth=1.2, zorder=5))
        ax.text(
            spot[0],
            spot[1] + radius + 0.09,
            number(weight, 2),
            ha="center",
            va="bottom",
            fontsize=9.5,
            color="#00634A",
            weight="bold",
            zorder=7,
            bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "alpha": 0.8, "linewidth": 0},
        )


def _star(ax: Axes, output: np.ndarray) -> None:
    ax.plot(*output, marker="*", markersize=19, color="black", markeredgecolor="white", markeredgewidth=1.3, zorder=8)
    text = f"★ the answer: ({number(output[0], 2)}, {number(output[1], 2)})"
    ax.set_title(
        text, loc="right", y=1, fontsize=10, color=COLOURS["ink"], pad=8
    )  # at a fixed place: it's read as it moves


def _in_words(places, spots, people, weights, output) -> str:
    words = "Floor plan of the lab. "
    who = people if len(people) else [""] * len(places)
    points = [f"{person} points at {place}" if person else place for person, place in zip(who, places)]
    words += "; ".join(f"{point} ({number(x)}, {number(y)})" for point, (x, y) in zip(points, spots)) + "."
    if weights is not None:
        words += " Weights: " + ", ".join(f"{place} {number(w, 2)}" for place, w in zip(places, weights)) + "."
    if output is not None:
        words += f" The answer lies at ({number(output[0], 2)}, {number(output[1], 2)})."
    return words
