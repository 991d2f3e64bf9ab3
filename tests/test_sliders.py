"""The sliders without a browser: what is drawn, written, escaped, weighed and refused."""

import re
import time
from html.parser import HTMLParser

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from matplotlib.figure import Figure

from helpers import sliders
from helpers.figures.canvas import canvas
from helpers.sliders import player, typed

VIEW = "application/vnd.jupyter.widget-view+json"
NASTY = "</p><script>alert('1')</script> \"&amp;\""


class Elements(HTMLParser):
    """The elements of a page, in order: (tag, attributes, text)."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[list] = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append([tag, dict(attributes), ""])

    def handle_endtag(self, tag):
        self.found.append(["", {}, ""])  # what follows belongs to no element that the tests look at

    def handle_data(self, data):
        if self.found:
            self.found[-1][2] += data

    def all(self, tag: str) -> list[tuple[dict, str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


def page(view) -> Elements:
    return Elements(view.widget.value)


def draw(**setting) -> Figure:
    figure = canvas(1, 1)
    figure.set_label(f"picture of {setting}")
    return figure


def noise(d_k: int) -> Figure:
    """A picture that packs badly: over 60 KB from about 300 pixels a side."""
    figure = canvas(d_k / 192, d_k / 192)
    figure.figimage(np.random.default_rng(0).random((d_k, d_k)))
    return figure


def frames(view) -> list[tuple[dict, str]]:
    return page(view).all("img")


def test_frames_stand_in_the_order_of_the_controls():
    view = player(draw, caption="c", d_k=[1, 2], token=["i", "saw", "it"])
    assert [attributes["alt"] for attributes, _ in frames(view)] == [
        f"picture of {{'d_k': {d_k}, 'token': '{token}'}}" for d_k in (1, 2) for token in ("i", "saw", "it")
    ]


@pytest.mark.parametrize(
    "start, shown",
    [(None, [1, "i"]), ({"d_k": 2}, [2, "i"]), ({"token": "it", "d_k": 2}, [2, "it"])],
)
def test_only_the_start_is_shown(start, shown):
    view = player(draw, caption="c", start=start, d_k=[1, 2], token=["i", "saw", "it"])
    visible = [attributes["alt"] for attributes, _ in frames(view) if "hidden" not in attributes]
    assert visible == [f"picture of {{'d_k': {shown[0]}, 'token': '{shown[1]}'}}"]
    assert [text for _, text in page(view).all("output")] == [str(value) for value in shown]
    said = [attributes["aria-valuetext"] for attributes, _ in page(view).all("input")]
    assert said == [str(value) for value in shown]
    assert page(view).all("p")[-1][1] == visible[0]


def test_a_single_control_takes_its_start_as_a_value():
    view = player(draw, caption="c", start=4, d_k=[1, 2, 4])
    assert page(view).all("input")[0][0]["value"] == "2"


def test_one_line_of_text_stands_for_the_player():
    view = player(draw, caption="How scores\n  spread", start=2, d_k=[1, 2])
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"] == "Slider. How scores spread (d_k: 1, 2. Shown: d_k = 2.)"
    assert bundle[VIEW]["model_id"] == view.widget.model_id
    assert bundle.keys() == {VIEW, "text/plain"}


@pytest.mark.parametrize(
    "values, written",
    [
        (range(1, 4), "1, 2, 3"),
        (np.arange(3), "0, 1, 2"),
        (np.linspace(0, 0.4, 5), "0, 0.1, 0.2, 0.3, 0.4"),
        ((np.float32(0.1), np.int64(7)), "0.1, 7"),
        ([True, None, "i saw"], "True, None, i saw"),
    ],
)
def test_settings_are_written_plainly(values, written):
    assert f"(x: {written}. Shown" in player(draw, caption="c", x=values).text


def test_names_are_written_for_people():
    view = player(draw, caption="c", d_k=[1], β=[2], which_token=["i"])
    assert [attributes["aria-label"] for attributes, _ in page(view).all("input")] == [
        "d_k", "sharpness β", "which token",
    ]  # fmt: skip
    assert "<i>d</i><sub>k</sub>" in view.widget.value


@pytest.mark.parametrize("make", [lambda x: (draw(), x), lambda x: draw()], ids=["given", "label"])
def test_everything_is_escaped(make):
    def labelled(x):
        made = make(x)
        if isinstance(made, Figure):
            made.set_label(x)
        return made

    view = player(labelled, caption=NASTY, x=[NASTY, "plain"])
    found = page(view)
    assert not found.all("script")
    assert found.all("img")[0][0]["alt"] == NASTY
    assert found.all("figcaption")[0][1] == NASTY
    assert found.all("output")[0][1] == NASTY
    assert found.all("p")[-1][1] == NASTY


def test_a_figure_without_words_is_called_by_its_setting():
    view = player(lambda x: Figure(figsize=(1, 1)), caption="A square.", x=[1])
    assert frames(view)[0][0]["alt"] == "A square. x = 1"


def test_words_beside_the_figure_win():
    assert frames(player(lambda x: (draw(), "mine"), caption="c", x=[1]))[0][0]["alt"] == "mine"


def test_pictures_are_twice_as_dense_as_the_page():
    attributes, _ = frames(player(lambda x: canvas(3, 2), caption="c", x=[1]))[0]
    assert (attributes["width"], attributes["height"]) == ("288", "192")
    assert attributes["decoding"] == "sync"


def test_an_error_is_said_at_its_own_setting():
    def fussy(d_k):
        if d_k == 2:
            raise ValueError(NASTY)
        return draw(d_k=d_k)

    view = player(fussy, caption="c", start=2, d_k=[1, 2, 4])
    assert len(frames(view)) == 2
    trouble, text = page(view).all("p")[0]
    assert text == f"No picture for d_k = 2: {NASTY}"
    assert "hidden" not in trouble


def test_an_error_without_words_is_named():
    def broken(x):
        raise ZeroDivisionError

    assert "No picture for x = 1: ZeroDivisionError" in player(broken, caption="c", x=[1]).widget.value


def test_play_only_where_asked():
    assert not page(player(draw, caption="c", x=[1])).all("button")
    assert page(player(draw, caption="c", play=True, x=[1])).all("button")[0][1] == "Play"


@pytest.mark.parametrize(
    "arguments, error, said",
    [
        ({}, ValueError, "at least one control"),
        ({"d_k": []}, ValueError, "d_k has no settings"),
        ({"d_k": np.array([])}, ValueError, "d_k has no settings"),
        ({"d_k": "124"}, TypeError, "d_k must be a list.*'124'"),
        ({"d_k": 4}, TypeError, "d_k must be a list.*4"),
        ({"d_k": {1, 2}}, TypeError, "d_k must be a list"),
        ({"d_k": [1, 2, 1]}, ValueError, "d_k has the setting 1 more than once"),
        ({"d_k": [1, 2], "start": 3}, ValueError, "start for d_k is 3, but its settings are 1, 2"),
        ({"d_k": [1, 2], "start": {"d_v": 1}}, ValueError, "start names 'd_v'.*d_k"),
        ({"d_k": [1, 2], "token": ["i"], "start": 2}, ValueError, "d_k, token: give a dict"),
        ({"d_k": [1, 2], "token": ["i"], "start": {"token": "saw"}}, ValueError, "start for token is saw"),
    ],
)
def test_bad_settings_are_refused_by_name(arguments, error, said):
    with pytest.raises(error, match=said):
        player(draw, caption="c", **arguments)


def test_a_draw_that_is_no_function_is_refused():
    with pytest.raises(TypeError, match="draw must be a function"):
        player(canvas(1, 1), caption="c", d_k=[1])


def test_a_draw_that_returns_no_figure_is_refused():
    with pytest.raises(TypeError, match="for d_k = 1, a Figure .* not 'text'"):
        player(lambda d_k: "text", caption="c", d_k=[1])


def test_too_heavy_a_frame_is_refused_with_both_figures():
    with pytest.raises(ValueError, match=r"d_k = 400 weighs 1\d\d\.\d KB; a frame may weigh 60\.0 KB"):
        player(noise, caption="c", d_k=[100, 400])


def test_too_heavy_a_player_is_refused_with_both_figures():
    with pytest.raises(ValueError, match=r"of 100 frames weigh 3\.\d\d MB; a player may weigh 3\.00 MB"):
        player(lambda i: noise(200), caption="c", i=range(100))


@pytest.fixture
def displayed(monkeypatch):
    """What the sliders display on their own, as if in a notebook."""
    shown: list[dict] = []
    monkeypatch.setattr(InteractiveShell, "initialized", classmethod(lambda cls: True))
    monkeypatch.setattr(sliders, "publish_display_data", shown.append)
    return shown


def test_no_progress_bar_for_a_quick_player(displayed):
    player(draw, caption="c", x=[1, 2])
    assert not displayed


def test_a_slow_player_shows_one_progress_bar_and_closes_it(displayed, monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    closed = []
    monkeypatch.setattr(sliders.ipywidgets.IntProgress, "close", lambda bar: closed.append(bar))
    player(draw, caption="c", x=range(5))
    assert [set(bundle) for bundle in displayed] == [{VIEW}]  # no text, which the regression would compare
    assert [bar.model_id for bar in closed] == [displayed[0][VIEW]["model_id"]]


def answered(view) -> Elements:
    return Elements(view.widget.children[1].value)


def write(view, text: str) -> Elements:
    view.widget.children[0].value = text
    return answered(view)


@pytest.mark.parametrize("text", ["", NASTY, "ἀτένισις 🖊️ \x00", "word " * 10_000])
def test_typed_text_is_shown_as_text(text):
    view = typed(lambda text: f"<{text}>", label="Your text", caption="c", start="before")
    assert answered(view).all("p")[0][1] == "<before>"
    found = write(view, text)
    assert found.all("p")[0][1] == f"<{text}>"
    assert not found.all("script")


def test_typed_text_can_be_answered_with_a_picture():
    view = typed(lambda text: (draw(), text), label="Your text", caption="c")
    assert write(view, NASTY).all("img")[0][0]["alt"] == NASTY


@pytest.mark.parametrize("answer, is_said_already", [(str, True), (lambda text: (draw(), text), False)])
def test_words_that_stand_there_already_are_not_offered_again(answer, is_said_already):
    view = typed(answer, label="Your text", caption="c", start="a")
    assert ("hidden" in answered(view).all("details")[0][0]) == is_said_already


@pytest.mark.parametrize("wrong", [lambda text: 1 / 0, lambda text: None, lambda text: noise(400)])
def test_trouble_with_typed_text_is_said_in_words(wrong):
    said = answered(typed(wrong, label="Your text", caption="c", start="x")).all("p")[0][1]
    assert re.match("No answer to this text: (division by zero|.*Figure.*expected|.*60.0 KB)", said)


def test_one_line_of_text_stands_for_the_field():
    view = typed(str.upper, label="Your text", caption="What is\nleft.", start="a 'b'")
    assert view._repr_mimebundle_()["text/plain"] == """Text field. What is left. (Your text: "a 'b'".)"""


def test_an_answer_that_is_no_function_is_refused():
    with pytest.raises(TypeError, match="answer must be a function"):
        typed("text", label="Your text", caption="c")
