"""How long from the press of a key to the painted picture: our player, and `interact` with the same figure and with
one drawn the ordinary way.

    python -m tools.bench_sliders

All is measured in one run and one Chromium. The clock starts at the key event's own time stamp, before any
script runs. In each animation frame from then on the page looks whether another picture is on display. Once that
frame is styled, laid out, painted and handed on, and the picture is decoded in the cache that the screen is drawn
from (`HTMLImageElement.decode` says when), the next task stops the clock. Waiting for the display's 60 Hz is part
of the time.
"""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Locator, Page, sync_playwright

from tools.export import page as exported_page

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # where it stands how to find and use a browser
from conftest import BROWSER_OPTIONS, BROWSERS  # noqa: E402
from pages import execute, lab, open_in_lab, served, write_notebook  # noqa: E402

MOVES = 100  # key presses a player
SLOW_MOVES = 40  # and for interact, whose every move takes long

DRAW = """
import matplotlib.pyplot as plt
import numpy as np
from helpers.attention import softmax
from helpers.figures import weights_heatmap
from helpers.sliders import player
from ipywidgets import IntSlider, interact

tokens = "i saw it on the blue desk .".split()

def scores(d_k):
    rng = np.random.default_rng(0)
    Q, K = rng.normal(size=(8, d_k)), rng.normal(size=(8, d_k))
    return Q @ K.T

def draw(d_k):
    panels = {"without": softmax(scores(d_k)), "with": softmax(scores(d_k) / d_k**0.5)}
    return weights_heatmap(panels, tokens, tokens, lit=2)

def ordinary(d_k):
    fig, ax = plt.subplots(layout="constrained")
    image = ax.imshow(scores(d_k), cmap="PuOr")
    ax.set(xlabel="key", ylabel="query")
    ax.set_xticks(range(8), tokens)
    ax.set_yticks(range(8), tokens)
    for (row, column), score in np.ndenumerate(scores(d_k)):
        ax.text(column, row, f"{score:.1f}", ha="center", va="center")
    fig.colorbar(image, label="score")
    plt.show()
"""
PLAYER = "player(draw, caption='Scores spread out as d_k grows.', d_k=range(1, 33))"
INTERACT = {"same": "draw", "ordinary": "ordinary"}  # which figure: the function that draws it
CELL = "%matplotlib inline\ninteract({draw}, d_k=IntSlider(1, 1, 32)).widget.add_class('{name}');"

CLOCK = """selector => {
  const picture = () => [...document.querySelectorAll(selector)].find(image => image.getClientRects().length);
  const channel = new MessageChannel();
  window.clock?.abort();
  window.clock = new AbortController();
  let pressed;
  channel.port1.onmessage = () => { window.took = performance.now() - pressed; };
  addEventListener('keydown', event => {
    const before = picture().src;
    pressed = event.timeStamp;
    const look = () => {
      const now = picture();
      if (!now?.complete || now.src === before) return requestAnimationFrame(look);
      now.decode().then(() => channel.port2.postMessage(null));
    };
    requestAnimationFrame(look);
  }, {capture: true, signal: window.clock.signal});
}"""


def time_moves(page: Page, slider: Locator, pictures: str, moves: int) -> np.ndarray:
    """Milliseconds to the painted picture, of each of so many moves up and down.

    Parameters
    ----------
    page : Page
    slider : Locator
        What takes the keys.
    pictures : str
        The selector of the images of which one is on display.
    moves : int
    """
    slider.focus()
    page.evaluate(CLOCK, pictures)
    times = []
    for move in range(moves):
        page.wait_for_timeout(40 + 7 * move % 17)  # so that the presses fall on all phases of the display
        page.evaluate("window.took = null")
        page.keyboard.press("ArrowRight" if move // 25 % 2 == 0 else "ArrowLeft")
        page.wait_for_function("window.took !== null", polling=5)
        times.append(page.evaluate("window.took"))
    return np.array(times)


def time_all(page: Page, folder: Path) -> dict[str, np.ndarray]:
    """Milliseconds of each move, for each way of showing the figure."""
    cells = [CELL.format(name=name, draw=draw) for name, draw in INTERACT.items()]
    path = write_notebook(folder / "bench.ipynb", DRAW, PLAYER, *cells)
    times = {}
    with lab(folder) as url:
        open_in_lab(page, url, path.name)
        page.locator(".widget-output img").nth(len(INTERACT) - 1).wait_for(timeout=120_000)
        player = page.locator(".pa-player input")
        player.scroll_into_view_if_needed()
        times["player, JupyterLab"] = time_moves(page, player, ".pa-frames > img", MOVES)
        for name in INTERACT:
            handle = page.locator(f".{name} .noUi-handle")
            handle.scroll_into_view_if_needed()
            times[f"interact, {name} figure"] = time_moves(page, handle, f".{name} img", SLOW_MOVES)
    path.with_suffix(".html").write_text(exported_page(execute(path), "Bench"), encoding="utf-8")
    with served(folder) as url:
        page.goto(f"{url}/bench.html")
        player = page.locator(".pa-player input")
        times["player, exported page"] = time_moves(page, player, ".pa-frames > img", MOVES)
    return times


def main() -> None:
    """Print the medians, the 95th percentiles and the ratios."""
    executable = next(filter(None, map(shutil.which, filter(None, BROWSERS))))
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=executable, args=BROWSER_OPTIONS)
        times = time_all(browser.new_page(viewport={"width": 1000, "height": 900}), Path(folder))
        browser.close()
    print("from key press to painted picture, in milliseconds")
    medians = {}
    for name, moves in times.items():
        medians[name], high = np.percentile(moves, [50, 95])
        print(f"  {name:26} median {medians[name]:6.1f}   95th percentile {high:6.1f}   {len(moves)} moves")
    player, *others = medians
    for name in others:
        print(f"{name} takes {medians[name] / medians[player]:.2g} times as long as the player in JupyterLab")


if __name__ == "__main__":
    main()
