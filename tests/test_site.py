"""The static site in a browser: each page by itself, with no kernel and no other host."""

import re
import shutil
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from pages import served

from tools.lessons import NOTEBOOKS, lessons
from tools.links import address, open_links
from tools.site import build_pages

pytestmark = pytest.mark.browser

LESSONS = [lesson.name for lesson in lessons()]
PAGES = ["index", *LESSONS, *(path.stem for path in sorted(NOTEBOOKS.glob("*.md")))]
MAX_PAGE, MAX_SHARED = 4_000_000, 2_500_000  # bytes

SHOWN = """() => [...document.querySelectorAll('.pa-player')].map(player => ({
  shown: [...player.querySelectorAll('.pa-frames > *')].map(frame => frame.getClientRects().length > 0),
  at: [...player.querySelectorAll('input')].reduce((at, input) =>
    at * (Number(input.max) + 1) + Number(input.value), 0),
}))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory, lack):
    if not shutil.which("npm"):
        lack("no npm: the site's formulas come from an npm package")
    folder = tmp_path_factory.mktemp("site") / "site"
    build_pages(folder)
    return folder


@pytest.fixture(scope="module")
def visit(site, browser):
    """A function that opens a page of the site, and the list of what went wrong on any page so far."""
    errors = []
    tab = browser.new_page(viewport={"width": 1360, "height": 900})
    tab.on("pageerror", lambda error: errors.append(error.stack))
    tab.on("console", lambda said: said.type == "error" and errors.append(said.text))
    tab.on("response", lambda response: response.status < 400 or errors.append(f"{response.status} {response.url}"))
    with served(site) as url:
        tab.on("request", lambda asked: asked.url.startswith((url, "data:")) or errors.append(f"asks {asked.url}"))

        def go(name: str):
            tab.goto(f"{url}/{name}.html")
            return tab

        yield go, errors
        tab.close()


@pytest.fixture
def page(visit, name):
    return visit[0](name)


each_page = pytest.mark.parametrize("name", PAGES)
each_lesson = pytest.mark.parametrize("name", LESSONS)


@each_page
def test_formulas_are_set(page, name):
    assert name == "questions" or page.locator(".katex").count() > 3
    assert page.locator(".katex-error").count() == 0
    left = page.locator(".prose, .map").evaluate_all(
        "all => all.flatMap(one => one.innerText.match(/\\$[^$\\n]*\\\\[^$\\n]*\\$/g) ?? [])"
    )
    assert left == []


@each_page
def test_every_picture_has_words(page, name):
    words = page.locator("img").evaluate_all("all => all.map(image => image.alt)")
    assert all(len(each) > 20 for each in words)


@each_lesson
def test_all_pictures_of_the_lesson_are_there(page, name):
    (lesson,) = (lesson for lesson in lessons() if lesson.name == name)
    stored = sum("image/png" in output.get("data", {}) for cell in lesson.code for output in cell.outputs)
    assert page.locator("img.picture").count() == stored
    assert page.locator("img").evaluate_all("all => all.every(image => image.complete && image.naturalWidth)")


@each_lesson
def test_sliders_are_alive_without_a_kernel(page, name):
    (lesson,) = (lesson for lesson in lessons() if lesson.name == name)
    made = sum(cell.source.count("player(") for cell in lesson.code)
    assert page.locator(".pa-player:has(input)").count() == made
    before = page.evaluate(SHOWN)
    for slider in page.locator(".pa-player input").all():
        slider.press("ArrowRight" if slider.input_value() != slider.get_attribute("max") else "ArrowLeft")
    after = page.evaluate(SHOWN)
    for old, new in zip(before, after, strict=True):
        assert old["at"] == old["shown"].index(True) and new["at"] == new["shown"].index(True)
        assert old["at"] != new["at"] or len(new["shown"]) == 1
        assert sum(new["shown"]) == 1


@each_page
def test_it_fits_a_phone(page, name):
    page.set_viewport_size({"width": 360, "height": 740})
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1360, "height": 900})
    assert width == 360


@each_page
@pytest.mark.parametrize("width", [1360, 360])
def test_axe_finds_nothing_serious(page, name, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("dispatchEvent(new Event('resize'))")
    found = Axe().run(page).response
    page.set_viewport_size({"width": 1360, "height": 900})
    assert len(found["passes"]) > 20
    serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in serious] == []


@each_lesson
def test_links_lead_through_the_course(page, name):
    hrefs = page.locator("a").evaluate_all("all => all.map(link => link.getAttribute('href'))")
    assert {f"{lesson}.html" for lesson in LESSONS} | {"index.html"} <= set(hrefs)
    opened = open_links(name, address())
    assert {opened[place] for place in ("Colab", "Binder", "JupyterLite")} <= set(hrefs)


def test_previous_and_next_form_one_row(visit):
    go, _ = visit
    neighbours = {
        name: [
            link.get_attribute("href") if (link := go(name).locator(f"a[rel={rel}]")).count() else None
            for rel in ("prev", "next")
        ]
        for name in LESSONS
    }
    for before, after in pairwise(LESSONS):
        assert neighbours[before][1] == f"{after}.html" and neighbours[after][0] == f"{before}.html"
    assert neighbours[LESSONS[0]][0] is neighbours[LESSONS[-1]][1] is None


def test_every_relative_link_leads_to_a_page_and_a_place_on_it(visit, site):
    go, _ = visit
    anchors, targets = {}, []
    for name in PAGES:
        page = go(name)
        anchors[f"{name}.html"] = set(page.locator("[id]").evaluate_all("all => all.map(one => one.id)"))
        links = page.locator("a").evaluate_all("all => all.map(link => link.getAttribute('href'))")
        targets += [(f"{name}.html", link) for link in links if not re.match(r"https?:", link)]
    for source, link in targets:
        parts = urlsplit(link)
        goal = parts.path or source
        assert goal in anchors, (source, link)
        assert not parts.fragment or {parts.fragment, unquote(parts.fragment)} & anchors[goal], (source, link)


def test_pages_are_light(site):
    sizes = {path.name: path.stat().st_size for path in site.glob("*.html")}
    assert sorted(sizes) == sorted(f"{name}.html" for name in PAGES)
    assert max(sizes.values()) <= MAX_PAGE
    assert sum(path.stat().st_size for path in (site / "katex").rglob("*")) <= MAX_SHARED


def test_nothing_complained_and_no_other_host_was_asked(visit):
    assert visit[1] == []
