"""Sliders whose picture follows the hand, with a kernel or without one.

`player` draws every frame once and puts them all, with the small script of player.html, into one HTML widget:
a move shows another image, so it works in any notebook and on a plain web page. `typed` stays live: the
kernel answers at each change of a text that a reader types.
"""

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from itertools import product
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import ipywidgets
import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import publish_display_data
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from helpers.figures import png

FRAME_LIMIT = 60_000  # bytes of one picture
PLAYER_LIMIT = 3_000_000  # bytes of one player
PATIENCE = 1.0  # seconds of drawing before a progress bar shows

_BUTTON = '<button type="button" data-lm-suppress-shortcuts="true">Play</button>'

# The page of a player: its looks, and the script that runs at each move.
_PAGE = Template(Path(__file__).with_name("player.html").read_text(encoding="utf-8"))


class View:
    """A widget, and the one line of text that stands for it in print, on GitHub and in the regression."""

    def __init__(self, widget: ipywidgets.Widget, text: str) -> None:
        self.widget = widget
        self.text = " ".join(text.split())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {**_mime_bundle(self.widget), "text/plain": self.text}


def player(draw: Callable[..., Any], /, *, caption: str, start: Any = None, play: bool = False,
           **controls: Sequence[Any]) -> View:
    """Turn a figure function into a slider, or into several.

    Parameters
    ----------
    draw
        Called by keyword, once for each combination of settings. Returns a figure whose label holds its
        words, or a figure and its words. If it raises, the player says so in words at that setting.
    caption
        What to see in the picture, in words; shown under it.
    start
        The setting shown first: a value if there is one control, else a dict by name. Default: each first.
    play
        Whether a button plays the first control through to its end.
    **controls
        The settings of each slider, named as `draw` names them, such as ``d_k=[1, 2, 4]``.

    Returns
    -------
    View
        For a cell's last line.

    Raises
    ------
    TypeError
        If `draw` is not a function, returns no figure, a control's settings are not a list, `caption` is no text,
        or `play` neither True nor False.
    ValueError
        If there is no control, one has no settings or the same twice, `start` is none of them, a frame weighs
        over 60 KB or the player over 3 MB.
    """
    if not callable(draw):
        raise TypeError(f"draw must be a function that returns a Figure, not {draw!r}")
    if not isinstance(play, bool):
        raise TypeError(f"play must be True or False, not {play!r}")
    _check_texts(caption=caption)
    sliders = _sliders(controls, start)
    settings = [dict(zip(controls, values)) for values in product(*(slider.values for slider in sliders))]
    frames = _frames(draw, settings, caption)
    positions = list(product(*(range(len(slider.values)) for slider in sliders)))
    first = positions.index(tuple(slider.start for slider in sliders))
    choices = "; ".join(f"{_spoken(slider.name)}: {', '.join(slider.texts)}" for slider in sliders)
    text = f"Slider. {caption} ({choices}. Shown: {_words(settings[first])}.)"
    controls_html = "".join(map(_slider_html, sliders)) + _BUTTON * play
    return View(ipywidgets.HTML(_page(controls_html, frames, first, caption)), text)


def typed(answer: Callable[[str], Any], /, *, label: str, caption: str, start: str = "") -> View:
    """Answer each text that the reader types, while it is typed. This one needs a kernel.

    Parameters
    ----------
    answer
        Called with the text. Returns a figure whose label holds its words, a figure and its words, or a plain
        text, which is shown as it is, never as markup. If it raises, the error is shown in words.
    label
        The name of the text field.
    caption
        What to see in the answer, in words; shown under it.
    start
        The text at the beginning.

    Returns
    -------
    View
        For a cell's last line.

    Raises
    ------
    TypeError
        If `answer` is not a function, or another argument no text.
    """
    if not callable(answer):
        raise TypeError(f"answer must be a function of the text, not {answer!r}")
    _check_texts(label=label, caption=caption, start=start)
    field = ipywidgets.Text(start, description=label, style={"description_width": "initial"},
                            layout={"width": "100%", "max_width": "40em"})
    below = ipywidgets.HTML()

    def refresh(change: Any = None) -> None:
        below.value = _answer_html(answer, field.value, caption)

    field.observe(refresh, names="value")
    refresh()
    return View(ipywidgets.VBox([field, below]), f"Text field. {caption} ({label}: {start!r}.)")


class _Slider(NamedTuple):
    """One control: its settings, how each is written, and the position of the first one shown."""

    name: str
    values: list[Any]
    texts: list[str]
    start: int


class _Frame(NamedTuple):
    """What is shown at one setting: a picture and its words, or words alone."""

    words: str
    picture: bytes = b""

    def size(self) -> tuple[int, int]:
        """Width and height in CSS pixels: half of those in the PNG's header."""
        return tuple(int.from_bytes(self.picture[at:at + 4], "big") // 2 for at in (16, 20))

    def html(self, hidden: bool = False) -> str:
        attributes, words = " hidden" * hidden, escape(self.words)
        if not self.picture:
            return f'<p class="pa-text"{attributes}>{words}</p>'
        width, height = self.size()
        return (f'<img{attributes} alt="{words}" width="{width}" height="{height}" decoding="sync" '
                f'src="data:image/png;base64,{b64encode(self.picture).decode()}">')


def _check_texts(**texts: Any) -> None:
    for name, text in texts.items():
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a text, not {text!r}")


def _sliders(controls: Mapping[str, Any], start: Any) -> list[_Slider]:
    if not controls:
        raise ValueError("player needs at least one control with its settings, such as d_k=[1, 2, 4]")
    if start is not None and not isinstance(start, Mapping):
        if len(controls) > 1:
            raise ValueError(f"start={start!r} could be any of {', '.join(controls)}: give a dict by name")
        start = dict.fromkeys(controls, start)
    for name in start or {}:
        if name not in controls:
            raise ValueError(f"start names {name!r}, but the controls are {', '.join(controls)}")
    return [_slider(name, values, start or {}) for name, values in controls.items()]


def _slider(name: str, values: Any, start: Mapping[str, Any]) -> _Slider:
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)) or np.shape(values) == ():
        raise TypeError(f"{name} must be a list of settings, such as {name}=[1, 2, 4], not {values!r}")
    values = list(values)
    if not values:
        raise ValueError(f"{name} has no settings: its list is empty")
    texts = [_text(value) for value in values]
    for text in texts:
        if texts.count(text) > 1:
            raise ValueError(f"{name} has the setting {text} more than once")
    first = _text(start.get(name, values[0]))
    if first not in texts:
        raise ValueError(f"start for {name} is {first}, but its settings are {', '.join(texts)}")
    return _Slider(name, values, texts, texts.index(first))


def _frames(draw: Callable[..., Any], settings: list[dict[str, Any]], caption: str) -> list[_Frame]:
    frames, bar, began = [], None, time.monotonic()
    weight = 20_000  # style, script and text come to less
    try:
        for setting in settings:
            frames.append(_frame(partial(draw, **setting), _words(setting), caption))
            weight += len(frames[-1].html())
            if weight > PLAYER_LIMIT:
                raise ValueError(f"{len(frames)} of {len(settings)} frames weigh {weight / 1e6:.2f} MB; a "
                                 f"player may weigh {PLAYER_LIMIT / 1e6:.2f} MB. Draw less, or fewer frames")
            if bar is None and time.monotonic() - began > PATIENCE and InteractiveShell.initialized():
                bar = ipywidgets.IntProgress(max=len(settings), description="Drawing")
                publish_display_data(_mime_bundle(bar))  # with no text: the regression must not see it
            if bar:
                bar.value = len(frames)
    finally:
        if bar:
            bar.close()
    return frames


def _frame(make: Callable[[], Any], where: str, caption: str) -> _Frame:
    try:
        made = make()
    except Exception as error:
        return _Frame(f"No picture for {where}: {_reason(error)}")
    figure, words = made if isinstance(made, tuple) else (made, None)
    if not isinstance(figure, Figure):
        raise TypeError(f"for {where}, a Figure (or a Figure and its words) was expected, not {made!r}")
    FigureCanvasAgg(figure)  # one made by hand may have no canvas that can draw
    picture = png(figure)
    if len(picture) > FRAME_LIMIT:
        raise ValueError(f"the picture for {where} weighs {len(picture) / 1e3:.1f} KB; a frame may weigh "
                         f"{FRAME_LIMIT / 1e3:.1f} KB. Draw less, or smaller")
    return _Frame(words or figure.get_label() or f"{caption} {where}", picture)


def _page(controls: str, frames: list[_Frame], first: int, caption: str) -> str:
    return _PAGE.substitute(
        controls=controls,
        frames="".join(frame.html(hidden=index != first) for index, frame in enumerate(frames)),
        caption=escape(caption),
        words=escape(frames[first].words),
        no_picture=" hidden" * (len(frames) == 1 and not frames[first].picture),  # then the words stand there already
        width=max(320, *(frame.size()[0] for frame in frames)),  # the widest: a slider must not change in use
    )


def _slider_html(slider: _Slider) -> str:
    """A range input in its label, then its value. (Autocomplete: no browser may restore an old position.)"""
    name, value = escape(_spoken(slider.name)), escape(slider.texts[slider.start])
    width = max(map(len, slider.texts)) + 1
    pretty = re.sub(r"^d_(k|v|model)$", r"<i>d</i><sub>\1</sub>", name)
    return (f'<label><span>{pretty}</span><input type="range" min="0" max="{len(slider.values) - 1}" '
            f'value="{slider.start}" aria-label="{name}" aria-valuetext="{value}" autocomplete="off" '
            f'data-values="{escape(json.dumps(slider.texts))}" data-lm-suppress-shortcuts="true"></label>'
            f'<output aria-live="off" style="width: {width}ch">{value}</output>')


def _answer_html(answer: Callable[[str], Any], text: str, caption: str) -> str:
    try:
        made = answer(text)
        frame = _Frame(made) if isinstance(made, str) else _frame(lambda: made, "this text", caption)
    except Exception as error:
        frame = _Frame(f"No answer to this text: {_reason(error)}")
    return _page("", [frame], 0, caption)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _text(value: Any) -> str:
    """How a setting is written: 0.3 for 0.30000000000000004."""
    return f"{value:g}" if isinstance(value, (float, np.floating)) else str(value)


def _spoken(name: str) -> str:
    """How a control is called: its name, without underscores but in d_k and the like."""
    return "sharpness β" if name == "β" else name if re.match("d_", name) else name.replace("_", " ")


def _words(setting: Mapping[str, Any]) -> str:
    return ", ".join(f"{_spoken(name)} = {_text(value)}" for name, value in setting.items())


def _mime_bundle(widget: ipywidgets.Widget) -> dict[str, Any]:
    view = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
    return {"application/vnd.jupyter.widget-view+json": view}
