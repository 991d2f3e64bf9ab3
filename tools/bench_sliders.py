"""How long from the press of a key to the painted picture: our player, and `interact` with the same figure.

    python -m tools.bench_sliders

All is measured in one run and one Chromium. The clock starts at the key event's own time stamp, before any
script runs. In each animation frame from then on the page looks whether another picture is on display. The one
that finds it draws it into a canvas, which forces the image to be decoded, and is then styled, laid out and
painted; the next task after that stops the clock. Waiting for the display's 60 Hz is part of the time.
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
import numpy as np
from helpers.figures import scores_heatmap
from helpers.sliders import player
from ipywidgets import IntSlider, interact

tokens = "i saw it on the blue desk .".split()

def draw(d_k):
    rng = np.random.default_rng(0)
    Q, K = rng.normal(size=(8, d_k)), rng.normal(size=(8, d_k))
    return scores_heatmap(Q @ K.T, tokens, tokens)
"""
PLAYER = "player(draw, caption='Scores spread out as d_k grows.', d_k=range(1, 33))"
INTERACT = "%matplotlib inline\ninteract(draw, d_k=IntSlider(1, 1, 32));"

CLOCK = """selector => {
  const picture = () => [...document.querySelectorAll(selector)].find(image => image.getClientRects().length);
  const canvas = new OffscreenCanvas(1, 1).getContext('2d'), channel = new MessageChannel();
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
      canvas.drawImage(now, 0, 0);
      canvas.getImageData(0, 0, 1, 1);
      channel.port2.postMessage(null);
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
    path = write_notebook(folder / "bench.ipynb", DRAW, PLAYER, INTERACT)
    times = {}
    with lab(folder) as url:
        open_in_lab(page, url, path.name)
        page.locator(".widget-output img").wait_for(timeout=120_000)
        player, interact = page.locator(".pa-player input"), page.locator(".noUi-handle")
        player.scroll_into_view_if_needed()
        times["player, JupyterLab"] = time_moves(page, player, ".pa-frames > img", MOVES)
        interact.scroll_into_view_if_needed()
        times["interact, JupyterLab"] = time_moves(page, interact, ".widget-output img", SLOW_MOVES)
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
        print(f"  {name:22} median {medians[name]:6.1f}   95th percentile {high:6.1f}   {len(moves)} moves")
    for name in list(medians)[1:]:
        ratio = medians[name] / medians["player, JupyterLab"]
        print(f"{name} takes {ratio:.2g} times as long as the player in JupyterLab")


if __name__ == "__main__":
    main()
