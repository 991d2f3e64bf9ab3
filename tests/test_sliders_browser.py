"""The sliders in a browser: in Jupyter and, with no kernel, on exported pages; with ipywidgets 8 and 7.7.1.

What is read at a moment (positions, values, picture, words) is read inside one animation frame, so that it is
what that frame paints.
"""

import subprocess
import sys
from contextlib import contextmanager

import pytest
from pages import (
    execute,
    lab,
    notebook_6,
    open_in_lab,
    open_in_notebook_6,
    served,
    write_notebook,
)

from tools.environments import Missing, environments, python_of
from tools.export import page as exported_page

pytestmark = pytest.mark.browser

NASTY = "</output><script>window.broken = 1</script> \"&amp;\""
REFUSAL = "no <b>squares</b> today"
NUMBERS, TOKENS = list(range(40)), ["i", "saw", NASTY]
PLACES = ["JupyterLab", "exported", "exported from ipywidgets 7.7.1", "Notebook 6 with ipywidgets 7.7.1"]

# Each setting has a colour of its own: the picture itself tells which one it is.
CELL = f"""
from helpers.figures.canvas import canvas
from helpers.sliders import player

def square(d_k, token="i"):
    if (d_k, token) == (1, "saw"):
        raise ValueError({REFUSAL!r})
    figure = canvas(3, 2)
    figure.set_facecolor((d_k / 51, {TOKENS!r}.index(token) / 51, 0.8))
    return figure, f"square {{d_k}} {{token}}"
"""
ONE = f"player(square, caption='One & only', start=4, play=True, d_k={NUMBERS})"
TWO = f"player(square, caption='Two', start={{'token': 'saw'}}, d_k=range(3), token={TOKENS!r})"

READ = """
window.read = player => {
  const all = selector => [...player.querySelectorAll(selector)];
  const texts = selector => all(selector).map(element => element.textContent);
  const inputs = all('input'), shown = all('.pa-frames > *').filter(frame => frame.getClientRects().length);
  const colours = shown.filter(frame => frame.tagName === 'IMG').map(picture => {
    const canvas = new OffscreenCanvas(1, 1), context = canvas.getContext('2d');
    context.drawImage(picture, -9, -9);
    return [...context.getImageData(0, 0, 1, 1).data];
  });
  return {
    positions: inputs.map(input => Number(input.value)),
    said: inputs.map(input => input.getAttribute('aria-valuetext')),
    outputs: texts('output'),
    frames: shown.map(frame => frame.alt ?? frame.textContent),
    words: texts('details p')[0],
    colours,
  };
};
window.watch = player => {
  window.seen = [];
  const look = () => { if (window.seen) { window.seen.push(read(player)); requestAnimationFrame(look); } };
  requestAnimationFrame(look);
};
null;  // or Playwright would call what was defined last
"""
NOW = "player => new Promise(done => requestAnimationFrame(() => done(read(player))))"
SEEN = "() => { const seen = window.seen; window.seen = null; return seen; }"


@pytest.fixture(scope="session")
def colab(lack):
    """The Python of an environment like Colab's."""
    try:
        return python_of(environments()["Colab"])
    except Missing as missing:
        lack(str(missing))


@pytest.fixture(scope="module", params=PLACES)
def place(request, browser, tmp_path_factory):
    """The page with two players, and a list of what went wrong on it so far."""
    python = request.getfixturevalue("colab") if "7.7.1" in request.param else sys.executable
    path = write_notebook(tmp_path_factory.mktemp("place") / "sliders.ipynb", CELL, ONE, TWO)
    page, errors = browser.new_page(viewport={"width": 1000, "height": 900}), []
    page.on("pageerror", lambda error: errors.append(error.stack))
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    page.on("request", lambda asked: "127.0.0.1" in asked.url or errors.append(f"asks {asked.url}"))
    with opened_at(request.param, page, path, python):
        page.locator(".pa-player").nth(1).wait_for(timeout=60_000)
        page.evaluate(READ)
        yield page, errors
        page.close()


@contextmanager
def opened_at(place, page, path, python):
    """Show the notebook on the page."""
    if place.startswith("exported"):
        html = exported_page(execute(path, python), "Sliders")
        path.with_suffix(".html").write_text(html, encoding="utf-8")
        with served(path.parent) as url:
            page.goto(f"{url}/{path.stem}.html")
            yield
    elif place == "JupyterLab":
        with lab(path.parent) as url:
            open_in_lab(page, url, path.name)
            yield
    else:
        with notebook_6(path.parent, python) as url:
            open_in_notebook_6(page, url, path.name)
            yield


@pytest.fixture
def one(place):
    """The player with one control."""
    return place[0].locator(".pa-player").first


@pytest.fixture
def two(place):
    """The player with two controls, one of them of words."""
    return place[0].locator(".pa-player").nth(1)


def is_in_step(seen) -> bool:
    """Whether picture, words and values are all those of the sliders' positions."""
    d_k, *rest = seen["positions"]
    token = TOKENS[rest[0] if rest else 0]
    values = [str(d_k), token][: 1 + len(rest)]
    failed = (d_k, token) == (1, "saw")
    words = f"square {d_k} {token}" if not failed else f"No picture for d_k = 1, token = saw: {REFUSAL}"
    return seen == {
        "positions": seen["positions"],
        "said": values,
        "outputs": values,
        "frames": [words],
        "words": words,
        "colours": [] if failed else [[5 * d_k, 5 * TOKENS.index(token), 204, 255]],
    }


def position(player, expected):
    seen = player.evaluate(NOW)
    assert is_in_step(seen), seen
    assert seen["positions"] == expected


def thumb(slider, value):
    """Where the thumb stands (or would stand) at a value: x and y on the page."""
    box, last = slider.bounding_box(), int(slider.get_attribute("max"))
    edge = 8 + slider.evaluate("slider => parseFloat(getComputedStyle(slider).paddingLeft)")  # 8: half a thumb
    return box["x"] + edge + (box["width"] - 2 * edge) * value / last, box["y"] + box["height"] / 2


def test_it_opens_at_its_start(place, one, two):
    position(two, [0, 1])
    assert one.evaluate(NOW)["positions"] == [4]


def test_the_keyboard_moves_it_up_to_both_ends(one):
    slider = one.get_by_role("slider", name="d_k")
    slider.focus()
    for key, expected in [("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowDown", 1),
                          ("End", 39), ("ArrowRight", 39), ("ArrowLeft", 38)]:  # fmt: skip
        slider.press(key)
        position(one, [expected])


def test_each_control_moves_by_itself(two):
    d_k, token = two.get_by_role("slider", name="d_k"), two.get_by_role("slider", name="token")
    for slider, key, expected in [(d_k, "Home", [0, 1]), (token, "End", [0, 2]), (d_k, "ArrowRight", [1, 2]),
                                  (token, "ArrowLeft", [1, 1]), (d_k, "End", [2, 1])]:  # fmt: skip
        slider.press(key)
        position(two, expected)


LISTEN = """() => {
  const decode = HTMLImageElement.prototype.decode;
  window.decoded = [];
  HTMLImageElement.prototype.decode = function () { window.decoded.push(this.alt); return decode.call(this); };
}"""


def test_the_neighbours_are_decoded_ahead(place, two):
    page, _ = place
    page.evaluate(LISTEN)
    d_k, token = two.get_by_role("slider", name="d_k"), two.get_by_role("slider", name="token")
    d_k.press("End")
    for slider, key, expected in [(token, "Home", ["square 2 saw"]), (d_k, "Home", ["square 1 i"]),
                                  (d_k, "ArrowRight", ["square 0 i", "square 2 i"])]:  # fmt: skip
        page.evaluate("window.decoded = []")
        slider.press(key)
        all_of_them = "expected => expected.every(words => window.decoded.includes(words))"
        page.wait_for_function(all_of_them, arg=expected, timeout=5_000)


@pytest.mark.parametrize("steps", [1, 25], ids=["fast", "slow"])
def test_the_mouse_drags_it_in_step(place, one, steps):
    page, slider = place[0], one.get_by_role("slider")
    slider.press("Home")
    one.evaluate("player => watch(player)")
    page.mouse.move(*thumb(slider, 0))
    page.mouse.down()
    page.mouse.move(*thumb(slider, 39), steps=steps)
    page.mouse.move(*thumb(slider, 7), steps=steps)
    page.mouse.up()
    position(one, [7])
    seen = page.evaluate(SEEN)
    assert len({moment["positions"][0] for moment in seen}) > 1
    assert [moment for moment in seen if not is_in_step(moment)] == []


def test_a_click_on_the_track_moves_it(place, one):
    place[0].mouse.click(*thumb(one.get_by_role("slider"), 20))
    position(one, [20])


def test_the_words_can_be_read(one):
    one.locator("summary").click()
    one.get_by_role("slider").press("Home")
    assert one.get_by_text("square 0 i").is_visible()
    one.locator("summary").click()


def test_play_goes_to_the_end_and_stops(place, one):
    page, slider = place[0], one.get_by_role("slider")
    slider.press("End")
    slider.press("ArrowLeft")
    one.get_by_role("button", name="Play").click()
    assert one.get_by_role("button", name="Stop").is_visible()
    one.get_by_role("button", name="Play").wait_for(timeout=5_000)
    position(one, [39])
    one.get_by_role("button", name="Play").click()  # at the end it starts anew
    page.wait_for_function("player => player.querySelector('input').value === '1'", arg=one.element_handle())
    slider.press("ArrowRight")  # a hand stops it
    assert one.get_by_role("button", name="Play").is_visible()
    position(one, [2])


def test_play_ends_with_its_player(place, one):
    """No timer goes on once the output is cleared."""
    page = place[0]
    left = page.evaluate("""async player => {
      const copy = player.cloneNode(true), button = copy.querySelector('button');
      document.body.append(copy);
      copy.querySelector('input').value = 0;
      button.click();
      copy.remove();
      await new Promise(done => setTimeout(done, 900));
      return [copy.querySelector('input').value, button.textContent];
    }""", one.element_handle())
    assert left == ["0", "Play"]


def test_nothing_plays_for_those_who_asked_for_less_motion(place, one):
    place[0].emulate_media(reduced_motion="reduce")
    assert one.get_by_role("slider").is_visible()
    assert not one.get_by_role("button").is_visible()
    place[0].emulate_media(reduced_motion="no-preference")


def test_fifty_moves_leave_nothing_behind(place, one):
    page, slider = place[0], one.get_by_role("slider")
    session = page.context.new_cdp_session(page)

    def nodes():
        session.send("HeapProfiler.collectGarbage")
        inside = one.evaluate("player => player.querySelectorAll('*').length")
        return session.send("Memory.getDOMCounters")["nodes"], inside

    slider.press("Home")
    before = nodes()
    for _ in range(25):
        slider.press("ArrowRight")
        slider.press("ArrowLeft")
    after = nodes()
    assert after[1] == before[1]
    assert after[0] <= before[0]


def test_it_fits_a_phone(place, one):
    page = place[0]
    page.set_viewport_size({"width": 360, "height": 700})
    inside = one.evaluate("""player => [...player.querySelectorAll('input, output, img, button')].every(
      element => element.getBoundingClientRect().right <= innerWidth)""")
    page.set_viewport_size({"width": 1000, "height": 900})
    assert inside


def test_axe_finds_nothing_serious(place, lack):
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        lack("axe-playwright-python is not installed")
    found = Axe().run(place[0], context=".pa-player").response
    assert len(found["passes"]) > 10
    assert [v["id"] for v in found["violations"] if v["impact"] in ("serious", "critical")] == []


def test_nothing_was_run_and_nothing_complained(place):
    page, errors = place
    assert page.evaluate("window.broken") is None
    assert errors == []


def test_the_text_is_the_same_with_ipywidgets_8_and_7(colab, tmp_path):
    path = write_notebook(tmp_path / "sliders.ipynb", CELL, ONE, TWO)
    notebooks = [execute(path, python) for python in (sys.executable, colab)]
    texts = [[cell.outputs[-1].data["text/plain"] for cell in each.cells[2:]] for each in notebooks]
    assert texts[0] == texts[1]
    assert texts[0][0].startswith("Slider. One & only (d_k: 0, 1, 2")


SLOW_PLAYER = """
import os, time
from helpers.figures.canvas import canvas
from helpers.sliders import player

def draw(x):
    time.sleep(float(os.environ["NAP"]))
    return canvas(1, 1), "a square"

player(draw, caption="Squares.", x=range(4))
"""


def test_strict_nbval_does_not_depend_on_the_speed(tmp_path, monkeypatch):
    monkeypatch.setenv("NAP", "0.5")
    notebook = execute(write_notebook(tmp_path / "slow.ipynb", SLOW_PLAYER))
    assert len(notebook.cells[1].outputs) == 2  # a progress bar, and the player
    monkeypatch.setenv("NAP", "0")  # this time, no progress bar
    strict = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--nbval", "--nbval-current-env"]
    result = subprocess.run([*strict, "slow.ipynb"], cwd=tmp_path, capture_output=True, text=True)
    assert "2 passed" in result.stdout
