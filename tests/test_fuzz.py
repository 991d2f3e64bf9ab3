"""Anything at all, given to every public function: out comes something right, or an error that names the argument.

The maths has its own such test, in test_attention.py, which also compares with exact fractions.
"""

import inspect
import re
import warnings

import numpy as np
import pytest
from conftest import tries
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from matplotlib.figure import Figure

from helpers import checks, figures, story
from helpers.checks import Verdict
from helpers.figures import training
from helpers.minilm import MiniLM, stored
from helpers.sliders import View, player, typed

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("error")]
TOY = MiniLM({}, {token: i for i, token in enumerate("[UNK] [CLS] [SEP] pen oct ##ane".split())})
KINDS = [bool, np.int8, np.uint64, np.float16, np.float64, complex, "U2", object, "M8[s]"]
ARRAYS = hnp.arrays(st.sampled_from(KINDS), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
ODD = [None, "", "i", "$x^{$", 0, -1, 7, 1e300, float("nan"), float("inf"), 1j, object(), [], {}, [[1], [2, 3]], ...]
ANYTHING = st.sampled_from(ODD) | ARRAYS | st.lists(st.sampled_from(ODD), max_size=3) | st.text(max_size=3)


def quickly(examples: int):
    """Few examples, none of them shrunk: some of them draw."""
    phases, healthy = [Phase.generate], [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(
        max_examples=tries(examples), deadline=None, derandomize=True, phases=phases, suppress_health_check=healthy
    )


def result_or_error(function, **arguments):
    """The result; None if there is an error of the right kind, which names one of the arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return function(**arguments)
        except (ValueError, TypeError) as error:
            assert re.search(rf"\b({'|'.join(arguments)})\b", str(error)), error


# --- The pictures --------------------------------------------------------------------------------------------------

SQUARE, PAIR, NAMES = np.eye(3), np.ones((3, 2)), ["i", "saw", "it"]
ARRAYS_OF_A_LAYER = dict.fromkeys(["X", "Q", "K", "V", "scores", "weights", "output"], SQUARE)
GOOD = {  # arguments that each figure can be drawn from
    figures.weights_heatmap: dict(weights=SQUARE, queries=NAMES, keys=NAMES, lit=1, may_attend=SQUARE > 0, title=""),
    figures.scores_heatmap: dict(scores=SQUARE, queries=NAMES, keys=NAMES, limit=2, lit=0, title="t"),
    figures.scores_with_histogram: dict(scores=SQUARE, queries=NAMES, keys=NAMES, more=SQUARE, limit=2),
    figures.vectors_heatmap: dict(vectors={"Q": SQUARE}, rows=NAMES, columns=NAMES),
    figures.heads_heatmap: dict(weights=SQUARE, tokens=NAMES, lit=2, title="t"),
    figures.bars: dict(panels={"": [1, 2, 3]}, labels=NAMES, limits=(0, 4), name="share", decimals=1),
    figures.curves: dict(x=[1, 2], lines={"a": [1, 2]}, x_name="x", y_name="y", limits=(0, 3), at=1, title="t"),
    figures.walks: dict(paths=SQUARE, envelope=np.arange(3), x_name="x", y_name="y", title="t"),
    figures.histogram: dict(values=SQUARE, name="scores", limit=2, title="t", bins=5),
    figures.arrows: dict(query=(1, 2), keys={"k": (0, 1)}, title="t"),
    figures.floor_plan: dict(
        places=NAMES, spots=PAIR, people=NAMES, seats=PAIR, me=[1, 1], weights=np.ones(3), output=[2, 2], path=PAIR
    ),
    figures.pipeline: dict(arrays=ARRAYS_OF_A_LAYER, tokens=NAMES, step="softmax"),
    figures.asking: dict(weights=SQUARE, tokens=NAMES, query=1, title="t"),
    training.loss_curves: dict(arms={"raw": SQUARE}, references={"middle": 1.0}, limit=3, title="t"),
    training.training_plan: dict(paths={"raw": np.ones((2, 3, 2))}, targets=PAIR, title="t"),
}


def test_every_figure_function_is_tried():
    public = {thing for module in (figures, training) for _, thing in inspect.getmembers(module, inspect.isfunction)}
    drawn = {function for function in public if inspect.signature(function).return_annotation is Figure}
    assert drawn - {figures.canvas.canvas} == set(GOOD)


@pytest.mark.parametrize("draw", GOOD, ids=lambda draw: draw.__name__)
@quickly(12)
@given(data=st.data())
def test_a_figure_is_drawn_in_words_or_an_argument_is_named(draw, data):
    """One argument is anything at all, the others are good; or a dict of arrays holds one that isn't."""
    arguments = dict(GOOD[draw])
    name = data.draw(st.sampled_from(sorted(arguments)))
    anything = data.draw(ANYTHING)
    whole = not isinstance(arguments[name], dict) or data.draw(st.booleans())
    arguments[name] = anything if whole else {**arguments[name], "X": anything}
    figure = result_or_error(draw, **arguments)
    assert figure is None or (isinstance(figure, Figure) and figure.get_label() != "")


@pytest.mark.parametrize("draw", GOOD, ids=lambda draw: draw.__name__)
def test_good_arguments_are_drawn(draw):
    assert draw(**GOOD[draw]).get_label()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(weights=SQUARE[:2]), "weights has shape (2, 3); wanted (queries, keys), no axis empty"),
        (
            dict(weights={"a": SQUARE, "b": PAIR}),
            "weights['b'] has shape (3, 2); wanted (queries, keys), no axis empty",
        ),
        (dict(weights=SQUARE * np.nan), "weights holds nan or inf, shape (3, 3); wanted finite numbers"),
        (dict(weights=[[1], [1, 2]]), "weights can't be made an array; wanted rows of one length"),
        (dict(weights={}), "weights is empty; wanted something to draw"),
        (dict(keys=3), "keys is 3; wanted a list"),
    ],
)
def test_what_can_not_be_drawn_is_named_with_its_shape(arguments, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message) + "$"):
        figures.weights_heatmap(**{**GOOD[figures.weights_heatmap], **arguments})


@quickly(20)
@given(ANYTHING)
def test_what_is_no_figure_is_not_shown(anything):
    assert result_or_error(figures.png, figure=anything) is None
    assert result_or_error(figures.show, figure=anything, caption="c") is None


# --- The story, the sliders, the checks, the model -----------------------------------------------------------------


@quickly(60)
@given(ANYTHING | st.lists(st.sampled_from(story.vocabulary), max_size=4))
def test_words_are_looked_up_or_refused(words):
    X = result_or_error(story.embed, words=words)
    if X is not None:
        assert X.shape == (len(words), 8) and set(words) <= set(story.vocabulary)


def blank(**settings) -> Figure:
    figure = figures.canvas.canvas(0.5, 0.5)
    figure.set_label("blank")
    return figure


@quickly(40)
@given(st.data())
def test_a_player_is_made_or_an_argument_is_named(data):
    arguments = dict(caption="c", start=None, play=True, d_k=[1, 2])
    arguments[data.draw(st.sampled_from(sorted(arguments)))] = data.draw(ANYTHING)
    view = result_or_error(lambda **given: player(blank, **given), **arguments)
    assert view is None or isinstance(view, View)


@quickly(40)
@given(st.data())
def test_a_text_field_is_made_or_an_argument_is_named(data):
    arguments = dict(label="l", caption="c", start="")
    arguments[data.draw(st.sampled_from(sorted(arguments)))] = data.draw(ANYTHING)
    view = result_or_error(lambda **given: typed(str.upper, **given), **arguments)
    assert view is None or isinstance(view, View)


@quickly(40)
@given(ANYTHING)
def test_what_is_drawn_and_answered_may_be_anything(anything):
    assert isinstance(typed(lambda text: anything, label="l", caption="c"), View)
    assert result_or_error(lambda draw: player(draw, caption="c", x=[1]), draw=anything) is None
    assert result_or_error(lambda answer: typed(answer, label="l", caption="c"), answer=anything) is None
    assert result_or_error(lambda Figure: player(lambda x: Figure, caption="c", x=[1]), Figure=anything) is None


@pytest.mark.parametrize("name", [name for name, _ in inspect.getmembers(checks, inspect.isfunction)])
@quickly(15)
@given(ANYTHING)
def test_a_check_has_a_verdict_on_anything(name, anything):
    check = getattr(checks, name)
    assert isinstance(check(anything), Verdict) and isinstance(check(lambda *given: anything), Verdict)


@quickly(60)
@given(ANYTHING)
def test_a_text_is_cut_or_refused(text):
    tokens = result_or_error(TOY.tokenize, text=text)
    assert tokens is None or (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")


@quickly(20)
@given(ANYTHING)
def test_arrays_that_are_not_stored_are_refused(name):
    assert result_or_error(stored, name=name) is None
