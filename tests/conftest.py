"""What tests share: the browser, PyTorch, and the rule for what a machine lacks."""

import gc
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.lessons import ROOT

# With this set, as in CI, nothing may be skipped for want of something: the lack of it is a failure.
REQUIRE_EVERYTHING = os.environ.get("REQUIRE_EVERYTHING") == "1"


def tries(examples: int) -> int:
    """How many examples hypothesis tries: all where everything is required, an eighth elsewhere."""
    return examples if REQUIRE_EVERYTHING else max(1, examples // 8)


BROWSERS = [
    os.environ.get("CHROMIUM", ""),
    *("chromium", "chromium-browser", "google-chrome", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    *(
        os.path.expandvars(rf"%{folder}%\Google\Chrome\Application\chrome.exe")
        for folder in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
    ),
]
# --no-sandbox: the root user of a container has no other way. The rest keeps Chromium off the network.
BROWSER_OPTIONS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what takes minutes to CI."""
    if not REQUIRE_EVERYTHING:
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="takes long: REQUIRE_EVERYTHING=1 runs it, as in CI"))


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: spare the garbage collector, which each picture calls, a look at them."""
    gc.freeze()


@pytest.fixture(scope="session")
def lack() -> Callable[[str], None]:
    """A function to call with what is missing: it skips the test, saying so, or fails if all is required."""
    return _lack


def _lack(missing: str) -> None:
    if REQUIRE_EVERYTHING:
        pytest.fail(f"{missing} (REQUIRE_EVERYTHING is set, so this is not skipped)")
    pytest.skip(missing)


@pytest.fixture(scope="session")
def site_python() -> Path:
    """The Python of the environment that builds the site: see the Makefile."""
    places = [ROOT / ".venv" / "site" / place for place in ("bin/python", "Scripts/python.exe")]
    found = next((place for place in places if place.exists()), None)
    if found is None:
        _lack("the site's environment is missing: make .venv/site/ready")
    return found


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium, driven by Playwright: `browser.new_page()`."""
    executable = next(filter(None, map(shutil.which, filter(None, BROWSERS))), None)
    if executable is None:
        _lack("no Chromium found: install it, or say in CHROMIUM where it is")
    from playwright.sync_api import sync_playwright  # takes a while: only where a browser test runs

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=BROWSER_OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def torch():
    """PyTorch, for comparing with the original where it is installed."""
    try:
        import torch
    except ImportError:
        _lack("PyTorch is not installed")
    return torch
