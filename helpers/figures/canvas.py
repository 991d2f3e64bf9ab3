"""What all the figures share: colours, axes laid out in inches, numbers in cells, the PNG, and `show`."""

import gc
import html
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from io import BytesIO

import numpy as np
from IPython.display import Markdown, display
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D
from PIL import Image

CSS_DPI = 96  # a CSS pixel is 1/96 inch by definition
SHARPNESS = 2  # PNG pixels a CSS pixel: crisp on a high-density display
# What Matplotlib says of a reader's emoji or script that the font lacks: the words still have it.
MISSING = "Glyph .* missing|Matplotlib currently does not support"

# Okabe and Ito's palette, which readers with any colour vision can tell apart (https://jfly.uni-koeln.de/color/).
COLOURS = {"Q": "#0072B2", "K": "#D55E00", "V": "#009E73", "X": "#4D4D4D", "weights": "#5B2A86", "ink": "#222222"}
GREY = "#8A8A8A"

# In every PNG's palette: letters in these colours cover too little to be found by area. With them, their soft edges.
_LETTERS = np.float32([to_rgb(colour) for colour in COLOURS.values()]) * 255
LETTERS = np.vstack([_LETTERS, (_LETTERS + 255) / 2, [[170] * 3]]).round()  # (13, 3)
SOLID = 32  # pixels of one colour that are an area, and no mere edge of letters


# What is below zero in Q, K, V and X: as dark as the letter's own colour, and no shade of it.
BELOW_ZERO = {"Q": "#6D6D6D", "K": "#828282", "V": "#8B8B8B", "X": "#75401A"}

MAPS = {  # one map a meaning, through the whole course
    "weights": LinearSegmentedColormap.from_list("weights", ["#FCFBFD", "#D4CDE6", "#9E8AC2", "#6F4BA0", "#3A0F6B"]),
    "scores": LinearSegmentedColormap.from_list("scores", ["#4F2500", "#C98F4A", "#FFFFFF", "#A590CC", "#3A0F6B"]),
    **{name: LinearSegmentedColormap.from_list(name, [BELOW_ZERO[name], "#FFFFFF", COLOURS[name]]) for name in "QKVX"},
}


def canvas(width: float, height: float) -> Figure:
    """A new, empty figure.

    Parameters
    ----------
    width, height : float
        Its size in inches; on screen an inch is 96 CSS pixels.
    """
    size = (round(width * CSS_DPI) / CSS_DPI, round(height * CSS_DPI) / CSS_DPI)
    figure = Figure(figsize=size, dpi=CSS_DPI * SHARPNESS, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Plain axes at a fixed place, which costs a third of what an automatic layout does.

    Parameters
    ----------
    figure : Figure
    left, top, width, height : float
        Inches; `left` and `top` are measured from the figure's upper left corner.
    """
    total_width, total_height = figure.get_size_inches()
    left, top, width, height = (round(inches * CSS_DPI) / CSS_DPI for inches in (left, top, width, height))
    box = (left / total_width, 1 - (top + height) / total_height, width / total_width, height / total_height)
    ax = figure.add_axes(box)
    ax.tick_params(length=0, labelsize=9, labelcolor=COLOURS["ink"], pad=4)
    ax.spines[:].set_visible(False)
    return ax


def number(value: float, decimals: int | None = None) -> str:
    """A number as the figures write it: fixed decimals, or at most two with no trailing zeros; never "-0"."""
    text = f"{value:.{decimals}f}" if decimals is not None else f"{round(float(value), 2):g}"
    return text.lstrip("-") if float(text) == 0 else text


def minus(text: str) -> str:
    """A number's text with a minus sign for its hyphen."""
    return text.replace("-", "−")


def short(name: str) -> str:
    """A name as an axis has room for it: one line of at most 18 characters."""
    line = " ".join(name.split())
    return line if len(line) <= 18 else line[:17] + "…"


@lru_cache(maxsize=4096)
def _outline(text: str, size: float, align: float, middle: str) -> Path:
    """A text's outline in points: `align` of its width lies left of 0, the middle of the letter `middle` at height 0.

    One height for all, so that the letters of different texts align.
    """
    if not text.replace("\xad", "").strip():
        return Path([(0, 0)], [Path.MOVETO])  # there is nothing to see, but it has a place
    font = FontProperties(family="DejaVu Sans")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", MISSING)
        path = TextPath((0, 0), text.replace("$", r"\$"), size=size, prop=font)  # a dollar is no formula
    (x0, _), (x1, _) = _corners(path)
    (_, y0), (_, y1) = _corners(TextPath((0, 0), middle, size=size, prop=font))
    pixel = 72 / (CSS_DPI * SHARPNESS)  # in points: on whole pixels, equal texts are equal pixels, and pack well
    left, down = (round(offset / pixel) * pixel for offset in (x0 + align * (x1 - x0), (y1 - y0) / 2))
    return path.transformed(Affine2D().translate(-left, -down))


def _corners(path: Path) -> np.ndarray:
    """The lower left and the upper right corner of an outline, (2, 2).

    Those of its control points: a font has some wherever a curve turns. (`Path.get_extents` solves for each curve, and
    takes eight times as long as making the outline.)
    """
    points = path.vertices[path.codes != Path.CLOSEPOLY]
    return np.array([points.min(axis=0), points.max(axis=0)])


def width_of(texts: Iterable[str], size: float) -> float:
    """The width in inches of the widest of some texts, as `write` writes them."""
    return max((_width(text, size) for text in texts), default=0.0)


@lru_cache(maxsize=4096)
def _width(text: str, size: float) -> float:
    return np.ptp(_corners(_outline(text, size, 0, "x"))[:, 0]) / 72


def write(
    ax: Axes,
    texts: Sequence[str],
    x: np.ndarray,
    y: np.ndarray,
    colours: str | list[str],
    size: float,
    *,
    align: float = 0.5,
    turned: float = 0,
    middle: str = "x",
) -> None:
    """Write many short texts at data points, as one collection of outlines: much faster than tick labels or `ax.text`.

    Parameters
    ----------
    ax : Axes
    texts : sequence of str
    x, y : array_like of float, shape (n,)
        Where, in data coordinates.
    colours : str or list of str
    size : float
        Points.
    align : float
        What share of a text's width lies before its point: 0 begins there, 0.5 is centred, 1 ends there.
    turned : float
        Degrees, counterclockwise.
    middle : str
        The letter whose middle is at the point's height: "0" for numbers.
    """
    collection = PathCollection(
        [_outline(text, size, align, middle) for text in texts],
        offsets=np.column_stack([x, y]),
        offset_transform=ax.transData,
        facecolors=colours,
        linewidths=0,
        clip_on=False,
    )
    collection.set_transform(Affine2D().rotate_deg(turned).scale(ax.figure.dpi / 72))
    ax.add_collection(collection, autolim=False)


def readable_on(colours: np.ndarray) -> list[str]:
    """Black or white, whichever has more contrast on each colour.

    Parameters
    ----------
    colours : numpy.ndarray, shape (n, 4)
        RGBA in 0…1.

    Notes
    -----
    Relative luminance as in WCAG 2.2 (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance): black and white have
    equal contrast at a luminance of about .179.
    """
    rgb = colours[:, :3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ np.array([0.2126, 0.7152, 0.0722])
    return ["black" if light > 0.179 else "white" for light in luminance]


def colour_bar(figure: Figure, left: float, top: float, height: float, cmap: Colormap, norm: Normalize, label: str):
    """A thin vertical colour bar at a fixed place (inches), with its limits and its middle written beside it."""
    ax = axes(figure, left, top, 0.12, height)
    ax.set_axis_off()
    edges = np.linspace(norm.vmin, norm.vmax, 129)
    ax.pcolormesh([0, 1], edges, (edges[:-1, None] + edges[1:, None]) / 2, cmap=cmap, norm=norm)
    ax.set_ylim(norm.vmin, norm.vmax)
    ticks = _ticks(norm)
    write(ax, list(ticks), [1.4] * len(ticks), list(ticks.values()), COLOURS["ink"], 8, align=0, middle="0")
    ax.set_title(label, y=1, fontsize=8, color=COLOURS["ink"], pad=8)


def width_of_bar(norm: Normalize) -> float:
    """The inches that a colour bar takes with its numbers."""
    return max(0.55, 0.2 + width_of(_ticks(norm), 8))


def _ticks(norm: Normalize) -> dict[str, float]:
    """What is written beside a colour bar, and where."""
    return {minus(number(tick)): tick for tick in (norm.vmin, (norm.vmin + norm.vmax) / 2, norm.vmax)}


def png(figure: Figure) -> bytes:
    """The figure as a sharp, small PNG of at most 256 colours.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    bytes
        `SHARPNESS` pixels a CSS pixel. No date and no version inside: the same figure gives the same bytes.

    Raises
    ------
    TypeError
        If it is no figure.
    """
    _check_figure(figure)
    _set_aside_what_is_loaded()
    agg = figure.canvas
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", MISSING)
        agg.draw()
    buffer = BytesIO()
    _in_256_colours(np.asarray(agg.buffer_rgba())).save(buffer, "PNG", compress_level=7)
    gc.collect()  # figures are knots of references, and earlier ones would pile up: 20 MB in lesson 07
    return buffer.getvalue()


@cache
def _set_aside_what_is_loaded() -> None:
    """Before the first picture: modules stay for good, so the collections above need not look at them each time."""
    gc.freeze()


def _check_figure(figure: object) -> None:
    if not isinstance(figure, Figure):
        raise TypeError(f"figure must be a Figure, not {figure!r}")


def _in_256_colours(pixels: np.ndarray) -> Image.Image:
    """The picture, (height, width, 4) of uint8, with a palette of its own most frequent colours.

    Those stay exact: cells and lines cover the largest areas. What is left over takes the nearest, if it's an area, and
    the nearest of a few, if it's the soft edge of letters, or the file would be a quarter larger. (Pillow's own methods
    move pale cells by a visible step.)
    """
    packed = pixels.view(">u4").astype(np.uint32).ravel()  # red, green, blue and alpha in one number
    changes = packed[1:] != packed[:-1]
    starts = np.flatnonzero(np.concatenate([[True], changes]))  # of runs of one colour: far fewer than pixels
    lengths = np.diff(starts, append=packed.size)
    colours, which = np.unique(packed[starts], return_inverse=True)
    rgb = (colours[:, None] >> np.array([24, 16, 8], np.uint32) & 255).astype(np.float32)  # (n_colours, 3), exact
    areas = np.bincount(which, lengths)  # in pixels
    frequent = np.argsort(-areas, kind="stable")[: 256 - len(LETTERS)]
    palette = np.vstack([LETTERS, rgb[frequent]])
    place = _nearest(rgb, palette[:32])
    solid = areas >= SOLID
    place[solid] = _nearest(rgb[solid], palette)
    place[frequent] = np.arange(len(LETTERS), len(palette))
    indexed = Image.fromarray(np.repeat(place.astype(np.uint8)[which], lengths).reshape(pixels.shape[:2]))
    indexed.putpalette(palette.astype(np.uint8).tobytes())
    return indexed


def _nearest(rgb: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """For each colour the place in the palette of the one next to it: there |palette|² - 2 rgb·palette is least.

    Summed by hand: `rgb @ palette.T` would wake BLAS's threads for three columns, and they stay awake for longer than
    all of this takes.
    """
    products = sum(np.multiply.outer(rgb[:, i], palette[:, i]) for i in range(3))  # whole numbers: exact
    return (np.square(palette).sum(axis=1) - 2 * products).argmin(axis=1)


def show(figure: Figure, caption: str, alt: str | None = None) -> None:
    """Display a figure with its caption, and its words for readers who can't see it.

    Parameters
    ----------
    figure : Figure
    caption : str
        Markdown: what to see in the picture.
    alt : str, optional
        The words for the picture, with its main numbers. By default those that the figure carries as its label.

    Raises
    ------
    TypeError
        If it is no figure.
    ValueError
        If there are no words.
    """
    _check_figure(figure)
    words = figure.get_label() if alt is None else alt
    if not words.strip():
        raise ValueError("show: alt is empty and the figure carries no words of its own")
    width = round(figure.get_size_inches()[0] * CSS_DPI)
    display({"image/png": png(figure), "text/plain": words}, raw=True, metadata={"image/png": {"width": width}})
    plain = html.escape(" ".join(words.split()), quote=False)
    in_words = re.sub(r"[\\`*_$~|#[]", lambda mark: f"&#{ord(mark[0])};", plain)  # no mark acts as Markdown
    display(Markdown(f"*{caption}*\n\n<details><summary>In words</summary>\n\n{in_words}\n\n</details>"))
