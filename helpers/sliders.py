"""Sliders whose picture follows the hand, with a kernel or without one.

`player` draws every frame once and puts them all, with a small script, into one HTML widget: a move only shows
another image, so it works in any notebook and on a plain web page. `typed` stays live: it asks the kernel again at
each change of a text that a reader types.
"""
from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from typing import Any

import ipywidgets
import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import publish_display_data
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from helpers.figures import png

FRAME_LIMIT = 60_000  # bytes of one picture
PLAYER_LIMIT = 3_000_000  # bytes of one player
PATIENCE = 1.0  # seconds of building before a progress bar shows

_STYLE = """<style>
.pa-player { margin: 0; line-height: 1.5; color: inherit; }
.pa-player .pa-controls { display: grid; grid-template-columns: max-content minmax(5rem, 1fr) minmax(4ch, max-content);
  gap: 0 .9em; align-items: center; max-width: 40em; }
.pa-player label { display: contents; }
.pa-player input { width: 100%; height: 2.6em; margin: 0; accent-color: #2f7fc1; cursor: pointer; }
.pa-player output { font-weight: 600; font-variant-numeric: tabular-nums; }
.pa-player button { grid-column: 1 / -1; justify-self: start; min-width: 5em; min-height: 2.4em; margin: 0 0 .5em;
  font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: .4em;
  cursor: pointer; }
.pa-player :focus-visible { outline: 2px solid #2f7fc1; outline-offset: 2px; border-radius: .3em; }
.pa-player img { display: block; max-width: 100%; height: auto; margin: 0; }
.pa-player [hidden] { display: none !important; }
.pa-player .pa-trouble { margin: 0; padding: .6em .9em; border-left: 4px solid #c4513c; white-space: pre-wrap; }
.pa-player figcaption { margin: .4em 0 0; font-style: normal; }
.pa-player summary { width: max-content; cursor: pointer; }
.pa-player details p { margin: .2em 0 0; max-width: 45em; white-space: pre-wrap; }
@media (prefers-reduced-motion: reduce) { .pa-player button { display: none; } }
</style>"""

# Runs at each move, on the figure. Frames stand in the order of itertools.product over the controls. The picture,
# its words and the values change in this one go, so no paint ever shows one without the others.
_SHOW = """
const frames = this.querySelector('.pa-frames').children, button = this.querySelector('button');
let at = 0;
for (const input of this.querySelectorAll('input')) {
  const values = JSON.parse(input.dataset.values), value = values[input.value];
  at = at * values.length + Number(input.value);
  input.setAttribute('aria-valuetext', value);
  input.parentElement.nextElementSibling.textContent = value;
}
for (let i = 0; i < frames.length; i++) frames[i].hidden = i !== at;
this.querySelector('details p').textContent = frames[at].alt ?? frames[at].textContent;
if (event && button?.timer) button.click();
"""

# Runs at a press of Play: one step of the first control at a time, up to its end.
_PLAY = """
const figure = this.closest('figure'), input = figure.querySelector('input');
const stop = () => { clearInterval(this.timer); this.timer = 0; this.textContent = 'Play'; };
if (this.timer) return stop();
if (input.value === input.max) { input.value = 0; figure.oninput(); }
this.textContent = 'Stop';
this.timer = setInterval(() => {
  if (!figure.isConnected || matchMedia('(prefers-reduced-motion: reduce)').matches) return stop();
  input.stepUp();
  figure.oninput();
  if (input.value === input.max) stop();
}, 700);
"""


class View:
    """A widget and the one line of text that stands for it on paper, on GitHub and in the regression."""

    def __init__(self, widget: ipywidgets.Widget, text: str) -> None:
        self.widget = widget
        self.text = " ".join(text.split())

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {**_view(self.widget), "text/plain": self.text}


def player(draw: Callable[..., Figure | tuple[Figure, str]], /, *, caption: str, start: Any = None,
           play: bool = False, **controls: Sequence[Any]) -> View:
    """Turn a figure function into a slider, or into several.

    Parameters
    ----------
    draw
        Called once for each combination of settings, by keyword. Returns a figure whose label holds its words, or
        a figure and its words.
    caption
        What to see in the picture, in words; shown under it.
    start
        The setting shown first: a value for a single slider, a dict by name for several. None: the first of each.
    play
        Whether a button plays the first slider through to its end.
    **controls
        The values of each slider, by the name of `draw`'s argument, such as ``d_k=[1, 2, 4]``.

    Returns
    -------
    View
        To be shown as a cell's last line. A setting at which `draw` raises shows the error in words.

    Raises
    ------
    TypeError
        If `draw` can't be called, returns something else, or a control's values aren't a list.
    ValueError
        If there is no control, one is empty or repeats a value, `start` isn't one of the settings, a frame weighs
        more than 60 KB, or the player more than 3 MB.
    """
    if not callable(draw):
        raise TypeError(f"draw must be a function that returns a Figure, not {draw!r}")
    sliders = _sliders(controls, start)
    settings = [dict(zip(controls, values)) for values in product(*(slider.values for slider in sliders))]
    first = {slider.name: slider.values[slider.start] for slider in sliders}
    frames = _frames(draw, settings, caption)
    shown = next(index for index, setting in enumerate(settings) if setting == first)
    html = _player_html(sliders, frames, shown, caption, play)
    choices = "; ".join(f"{_spoken(slider.name)}: {', '.join(slider.texts)}" for slider in sliders)
    return View(ipywidgets.HTML(value=html), f"Slider. {caption} ({choices}. Shown: {_words(first)}.)")


def typed(answer: Callable[[str], Figure | tuple[Figure, str] | str], /, *, label: str, caption: str,
          start: str = "") -> View:
    """Answer, live, each text that the reader types.

    Parameters
    ----------
    answer
        Called with the text at each change. Returns a figure whose label holds its words, a figure and its words,
        or a plain text, which is shown as it is and never read as markup. If it raises, the error shows in words.
    label
        The name of the text field.
    caption
        What to see below the field.
    start
        The text at the beginning.

    Returns
    -------
    View
        To be shown as a cell's last line.
    """
    if not callable(answer):
        raise TypeError(f"answer must be a function of the text, not {answer!r}")
    field = ipywidgets.Text(value=start, description=label, style={"description_width": "initial"},
                            layout={"width": "100%", "max_width": "40em"})
    below = ipywidgets.HTML()

    def refresh(change: Any = None) -> None:
        below.value = _answer_html(answer, field.value, caption)

    field.observe(refresh, names="value")
    refresh()
    return View(ipywidgets.VBox([field, below]), f"Text field. {caption} ({label}: {start!r}.)")


@dataclass(frozen=True)
class _Slider:
    """One control: its values, how each is written, and the position it starts at."""

    name: str
    values: list[Any]
    texts: list[str]
    start: int


@dataclass(frozen=True)
class _Frame:
    """One picture (None where it could not be drawn) and its words."""

    words: str
    picture: bytes | None = None

    def html(self, hidden: bool = False) -> str:
        """The frame as an element, twice as dense as the page's own pixels."""
        shown = " hidden" * hidden
        if self.picture is None:
            return f'<p class="pa-trouble"{shown}>{escape(self.words)}</p>'
        width, height = (int.from_bytes(self.picture[at:at + 4], "big") // 2 for at in (16, 20))
        return (f'<img{shown} alt="{escape(self.words)}" width="{width}" height="{height}" decoding="sync" '
                f'src="data:image/png;base64,{b64encode(self.picture).decode()}">')


def _sliders(controls: Mapping[str, Sequence[Any]], start: Any) -> list[_Slider]:
    """The controls, checked, with their starts."""
    if not controls:
        raise ValueError("player needs at least one control with its settings, such as d_k=[1, 2, 4]")
    if start is None:
        start = {}
    if not isinstance(start, Mapping):
        if len(controls) > 1:
            raise ValueError(f"start={start!r} could be any of {', '.join(controls)}: give a dict by name")
        start = {next(iter(controls)): start}
    for name in start:
        if name not in controls:
            raise ValueError(f"start names {name!r}, but the controls are {', '.join(controls)}")
    return [_slider(name, values, start) for name, values in controls.items()]


def _slider(name: str, values: Sequence[Any], start: Mapping[str, Any]) -> _Slider:
    """One control, checked."""
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)):
        raise TypeError(f"{name} must be a list of settings, such as {name}=[1, 2, 4], not {values!r}")
    values = list(values)
    texts = [_text(value) for value in values]
    if not values:
        raise ValueError(f"{name} has no settings: its list is empty")
    for text in texts:
        if texts.count(text) > 1:
            raise ValueError(f"{name} has the setting {text} more than once")
    first = _text(start.get(name, values[0]))
    if first not in texts:
        raise ValueError(f"start for {name} is {first}, which is none of its settings: {', '.join(texts)}")
    return _Slider(name, values, texts, texts.index(first))


def _frames(draw: Callable[..., Any], settings: list[dict[str, Any]], caption: str) -> list[_Frame]:
    """All frames, weighed; a progress bar shows if they take long."""
    frames, weight, bar, began = [], 0, None, time.monotonic()
    try:
        for setting in settings:
            frames.append(_frame(lambda: draw(**setting), _words(setting), caption))
            weight += len(frames[-1].html())
            if weight > PLAYER_LIMIT:
                raise ValueError(f"{len(frames)} of {len(settings)} frames already weigh {weight / 1e6:.2f} MB, and a "
                                 f"player may weigh {PLAYER_LIMIT / 1e6:.0f} MB: use fewer settings or a smaller figure")
            if bar is None and time.monotonic() - began > PATIENCE and InteractiveShell.initialized():
                bar = ipywidgets.IntProgress(max=len(settings), description="Drawing")
                publish_display_data(_view(bar))  # no text beside it: the regression must not see it
            if bar is not None:
                bar.value = len(frames)
    finally:
        if bar is not None:
            bar.close()
    return frames


def _frame(make: Callable[[], Any], where: str, caption: str) -> _Frame:
    """Draw one frame; an error becomes its words."""
    try:
        made = make()
    except Exception as error:
        return _Frame(f"No picture for {where}: {str(error) or type(error).__name__}")
    figure, words = made if isinstance(made, tuple) else (made, None)
    if not isinstance(figure, Figure):
        raise TypeError(f"for {where}, a Figure (or a Figure and its words) was expected, not {made!r}")
    FigureCanvasAgg(figure)  # a figure made by hand may have no canvas that can draw
    picture = png(figure)
    if len(picture) > FRAME_LIMIT:
        raise ValueError(f"the picture for {where} weighs {len(picture) / 1e3:.1f} KB, and a frame may weigh "
                         f"{FRAME_LIMIT / 1e3:.0f} KB: draw it smaller or simpler")
    return _Frame(words or figure.get_label() or f"{caption} {where}", picture)


def _player_html(sliders: list[_Slider], frames: list[_Frame], shown: int, caption: str, play: bool) -> str:
    """The whole player; `shown` is the index of the frame it starts with."""
    controls = "".join(_slider_html(slider) for slider in sliders)
    if play:
        controls += f'<button type="button" data-lm-suppress-shortcuts="true" onclick="{escape(_PLAY)}">Play</button>'
    pictures = "".join(frame.html(hidden=index != shown) for index, frame in enumerate(frames))
    return (f'{_STYLE}<figure class="pa-player" oninput="{escape(_SHOW)}"><div class="pa-controls">{controls}</div>'
            f'<div class="pa-frames">{pictures}</div>{_below_html(caption, frames[shown].words)}</figure>')


def _slider_html(slider: _Slider) -> str:
    """A label with its range input, then the value (autocomplete off: no browser may restore an old position)."""
    name, value = escape(_spoken(slider.name)), escape(slider.texts[slider.start])
    pretty = re.sub(r"^d_(k|v|model)$", r"<i>d</i><sub>\1</sub>", name)
    return (f'<label><span>{pretty}</span><input type="range" min="0" max="{len(slider.values) - 1}" '
            f'value="{slider.start}" aria-label="{name}" aria-valuetext="{value}" autocomplete="off" '
            f'data-values="{escape(json.dumps(slider.texts))}" data-lm-suppress-shortcuts="true"></label>'
            f'<output aria-live="off">{value}</output>')


def _answer_html(answer: Callable[[str], Any], text: str, caption: str) -> str:
    """The answer to one text; whatever goes wrong is said in words."""
    try:
        made = answer(text)
        frame = _Frame(made) if isinstance(made, str) else _frame(lambda: made, "this text", caption)
    except Exception as error:
        frame = _Frame(f"No answer to this text: {str(error) or type(error).__name__}")
    below = _below_html(caption, frame.words) if frame.picture else f"<figcaption>{escape(caption)}</figcaption>"
    return f'{_STYLE}<figure class="pa-player">{frame.html()}{below}</figure>'


def _below_html(caption: str, words: str) -> str:
    """What stands under a picture: the caption, and its words for those who want to read them."""
    return (f"<figcaption>{escape(caption)}</figcaption>"
            f"<details><summary>In words</summary><p>{escape(words)}</p></details>")


def _text(value: Any) -> str:
    """How a setting is written: a plain number, or its text."""
    return f"{value:g}" if isinstance(value, (float, np.floating)) else str(value)


def _spoken(name: str) -> str:
    """How a control's name is read."""
    if name == "β":
        return "sharpness β"
    return name if name in ("d_k", "d_v", "d_model") else name.replace("_", " ")


def _words(setting: Mapping[str, Any]) -> str:
    """A setting in words, such as "d_k = 4, token = saw"."""
    return ", ".join(f"{_spoken(name)} = {_text(value)}" for name, value in setting.items())


def _view(widget: ipywidgets.Widget) -> dict[str, Any]:
    """What makes a notebook show a widget."""
    return {"application/vnd.jupyter.widget-view+json":
            {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}
