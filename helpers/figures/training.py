"""A layer while it learns: its losses, every seed drawn, and its answers as they walk over the floor."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.figures.arguments import drawn_from
from helpers.figures.canvas import COLOURS, GREY, axes, canvas, number
from helpers.figures.charts import LINES
from helpers.figures.floor_plan import WALL, WOOD

METRE = 0.88  # inches on the picture
MARGIN = 0.55  # metres of floor around the spots
WRONG = {"markersize": 15, "color": "white", "markeredgecolor": COLOURS["K"], "zorder": 5}
RIGHT = {  # small enough to show inside a wrong one on the same spot
    "markersize": 9,
    "color": COLOURS["weights"],
    "markeredgecolor": COLOURS["weights"],
    "zorder": 6,
}


@drawn_from(arms="n_steps n_seeds")
def loss_curves(
    arms: Mapping[str, np.ndarray], *, references: Mapping[str, float], limit: float, title: str = ""
) -> Figure:
    """The loss at each step, a panel an arm: every seed a thin line, their median a thick one.

    Parameters
    ----------
    arms : dict of name to numpy.ndarray, each (n_steps, n_seeds)
    references : dict of name to float
        Losses to compare with, drawn as horizontal lines through all panels.
    limit : float
        Upper end of the vertical axis, the same in all panels.
    title : str
    """
    width, gap = 2.35, 0.15
    figure = canvas(0.6 + (width + gap) * len(arms) + 0.9, 3.4)
    for i, (name, losses) in enumerate(arms.items()):
        ax = axes(figure, 0.6 + i * (width + gap), 0.6, width, 2.25)
        steps = np.arange(1, len(losses) + 1)
        ax.plot(steps, losses, color=LINES[i], linewidth=0.9, alpha=0.65)
        ax.plot(steps, np.median(losses, axis=1), color=LINES[i], linewidth=2.6)
        _frame(ax, name, len(losses), limit)
        ax.set_ylabel("loss" if i == 0 else "", fontsize=9)
        ax.tick_params(labelleft=i == 0)
        for reference, y in references.items():
            ax.axhline(y, color=GREY, linewidth=1, linestyle=(0, (2, 3)))
            if i == len(arms) - 1:
                ax.text(
                    1.03, y, reference, transform=ax.get_yaxis_transform(), fontsize=8.5, color="#5F5F5F", va="center"
                )
    figure.text(0.6 / figure.get_size_inches()[0], 0.93, title, fontsize=11, color=COLOURS["ink"])
    figure.set_label(_losses_in_words(arms, references, title))
    return figure


@drawn_from(paths="n_moments targets 2", targets="* 2")
def training_plan(paths: Mapping[str, np.ndarray], targets: np.ndarray, *, title: str = "") -> Figure:
    """The floor from above, a panel an arm: where each answer stands, how it came there, and where it belongs.

    Parameters
    ----------
    paths : dict of name to numpy.ndarray, each (n_moments, n_people, 2)
        The answers in metres, moment after moment; the last are where they stand.
    targets : numpy.ndarray, shape (n_people, 2)
        The right spot of each, which carries the person's number.
    title : str
    """
    low, high = targets.min(axis=0) - MARGIN, targets.max(axis=0) + MARGIN
    width, height = METRE * (high - low)
    figure = canvas(0.5 + (width + 0.3) * len(paths), height + 1.25)
    words = []
    for i, (name, path) in enumerate(paths.items()):
        ax = axes(figure, 0.5 + i * (width + 0.3), 0.7, width, height)
        right = _at_home(path[-1], targets)
        _floor(ax, low, high, f"{name}: {right.sum()} of {len(right)} right")
        ax.tick_params(labelleft=i == 0)
        ax.set_ylabel("y in metres" if i == 0 else "", fontsize=8.5)
        _spots(ax, targets)
        _answers(ax, path, targets, right)
        away = number(np.linalg.norm(path[-1] - targets, axis=1).mean(), 1)
        words.append(
            f"{name}: {right.sum()} of {len(right)} answers are nearest to their own spot, {away} m away on average"
        )
    figure.text(0.5 / figure.get_size_inches()[0], 0.95, title, fontsize=11, color=COLOURS["ink"], va="top")
    figure.set_label(f"Floor plan{', ' + title if title else ''}. " + "; ".join(words) + ".")
    return figure


def _frame(ax: Axes, name: str, n_steps: int, limit: float) -> None:
    ax.spines[["left", "bottom"]].set_visible(True)
    ax.spines[["left", "bottom"]].set_color("#BBBBBB")
    ax.set_title(name, fontsize=10, color=COLOURS["ink"], pad=6)
    ax.set_xlabel("step", fontsize=9)
    ax.set_xscale("log")
    ax.set_xlim(1, n_steps)
    ax.minorticks_off()
    ticks = [tick for tick in (1, 10, 100, 1000) if tick <= n_steps]
    ax.set_xticks(ticks, map(str, ticks))
    ax.set_ylim(0, limit)


def _losses_in_words(arms: Mapping[str, np.ndarray], references: Mapping[str, float], title: str) -> str:
    lines = ", ".join(f"{number(y)} is {name}" for name, y in references.items())
    medians = {name: np.median(losses, axis=1) for name, losses in arms.items()}
    words = [f"{name} from {number(median[0], 1)} to {number(median[-1], 1)}" for name, median in medians.items()]
    seeds = next(iter(arms.values())).shape[1]
    return f"Loss curves of {seeds} seeds{', ' + title if title else ''}. Their median: {'; '.join(words)}. {lines}."


def _at_home(answers: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Of each answer, whether the spot nearest to it is its own."""
    distances = np.linalg.norm(answers[:, None] - targets, axis=-1)  # (n_people, n_spots)
    return distances.argmin(axis=1) == np.arange(len(targets))


def _floor(ax: Axes, low: np.ndarray, high: np.ndarray, name: str) -> None:
    ax.set_facecolor(WOOD)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_xticks(np.arange(np.ceil(low[0]), high[0]))
    ax.set_yticks(np.arange(np.ceil(low[1]), high[1]))
    ax.set_xlabel("x in metres", fontsize=8.5)
    ax.set_title(name, fontsize=10, color=COLOURS["ink"], pad=6)
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color(WALL)
    for y in np.arange(np.ceil(2 * low[1]) / 2, high[1], 0.5):
        ax.axhline(y, color="#F0E9DA", linewidth=0.8, zorder=0)


def _spots(ax: Axes, targets: np.ndarray) -> None:
    """The spots, each with its person's number on the side away from the middle."""
    ax.scatter(*targets.T, s=330, facecolor="white", edgecolor=COLOURS["V"], linewidth=2, zorder=2)
    middle = targets.mean(axis=0)
    for person, (x, y) in enumerate(middle + 1.24 * (targets - middle), start=1):
        ax.text(x, y, str(person), ha="center", va="center", fontsize=10, color="#00634A", weight="bold")


def _answers(ax: Axes, path: np.ndarray, targets: np.ndarray, right: np.ndarray) -> None:
    """Full stars for answers that are right; hollow ones for others, with a dashed line to where they belong."""
    for person, (x, y) in enumerate(path[-1]):
        ax.plot(*path[:, person].T, "-", color=COLOURS["weights"], linewidth=1, alpha=0.45, zorder=3)
        if not right[person]:
            home = targets[person]
            ax.plot([x, home[0]], [y, home[1]], "--", color=COLOURS["K"], linewidth=1.1, zorder=3)
        style = RIGHT if right[person] else WRONG
        ax.plot(x, y, "*", **style)
