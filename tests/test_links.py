"""Links: relative ones reach a file and a heading, absolute ones are built from the course's one address."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from tools.lessons import Lesson, lessons
from tools.links import README, SETTINGS, Address, address, open_links, readdressed

LESSONS = lessons()
DOCUMENTS = [README, *(lesson.path for lesson in LESSONS)]

# All that the course refers to outside itself, or how such links begin. None of it is fetched.
OUTSIDE = [
    "https://colab.research.google.com/assets/colab-badge.svg",
    "https://mybinder.org/badge_logo.svg",
    "https://arxiv.org/abs/",
    "https://nlp.seas.harvard.edu/annotated-transformer/",
    "https://github.com/rasbt/LLMs-from-scratch",
    "https://numpy.org/doc/",
    "https://www.python.org/",
]

FENCE = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)
TARGET = re.compile(r"""\]\(\s*<?([^)\s>]+)|(?:href|src)=["']([^"']+)""")
URL = re.compile(r"""https?://[^\s"'<>)\]`\\]+""")
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$", re.M)


def pages(path: Path) -> list[str]:
    """The Markdown of a document: of a notebook, cell by cell."""
    if path.suffix == ".ipynb":
        return [cell.source for cell in Lesson(path).prose]
    return [path.read_text(encoding="utf-8")]


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings: as JupyterLab, GitHub and exported pages make them.

    In a notebook they are the heading's text with dashes for spaces; in a Markdown file GitHub's rule holds,
    which also makes it lower case and drops the punctuation.
    """
    found = [title for page in pages(path) for title in HEADING.findall(FENCE.sub("", page))]
    titles = [re.sub(r"[*`]|<[^>]+>|\[([^]]*)\]\([^)]*\)", r"\1", title) for title in found]
    if path.suffix == ".ipynb":
        return {title.replace(" ", "-") for title in titles}
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(path: Path) -> Iterator[str]:
    """The relative links of a document that lead nowhere."""
    for page in pages(path):
        for target in filter(None, (a or b for a, b in TARGET.findall(FENCE.sub("", page)))):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = unquote(target).partition("#")
            goal = (path.parent / file).resolve() if file else path
            if not goal.exists() or (anchor and anchor not in anchors(goal)):
                yield target


def strange_links(path: Path, at: Address) -> Iterator[str]:
    """The absolute links of a document, code included, that neither the address nor `OUTSIDE` explains."""
    is_lesson = path.suffix == ".ipynb"
    texts = [cell.source for cell in Lesson(path).notebook.cells] if is_lesson else pages(path)
    ours = [rf"{re.escape(form)}(?![\w-])" for form in at.forms()]
    known = re.compile("|".join([*ours, *map(re.escape, OUTSIDE)]))
    in_refs = rf"(?:--branch=|https://github\.com/{at.repository}/(?:blob|tree|raw)/)"
    for text in texts:
        yield from re.findall(rf"{in_refs}(?!{re.escape(at.ref)}(?![\w-]))\S+", text)
        yield from (url for url in URL.findall(text) if not known.match(url))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_relative_links_reach_a_file_and_a_heading(path):
    assert not list(broken_links(path))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_absolute_links_are_built_from_the_one_address(path):
    assert not list(strange_links(path, address()))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_first_cell_opens_this_very_lesson(lesson):
    first = lesson.notebook.cells[0].source
    places = [first.find(f"({link})") for link in open_links(lesson.name, address()).values()]
    assert -1 not in places and places == sorted(places)


OLD, NEW = Address("OWNER/paying-attention", "main"), Address("someone/paying-attention-2", "v1")


def test_a_new_address_changes_all_links_and_nothing_else():
    rest = "paying-attention, OWNER, main\n  é {}  https://github.com/OWNER/paying-attention-too\n"

    def links(at: Address) -> str:
        return "\n".join([*at.forms(), *open_links("01_tokens", at).values(), f"{at.forms()[-2]}.git"])

    assert readdressed(rest + links(OLD), OLD, NEW) == rest + links(NEW)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_new_address_and_back_leaves_no_trace(path):
    text = path.read_bytes().decode()
    moved = readdressed(text, address(), NEW)
    assert moved != text and readdressed(moved, NEW, address()) == text


@pytest.mark.parametrize("repository, ref", [("a", "main"), ("a/b/c", "main"), ("a/b", ""), ("a b/c", "d")])
def test_an_address_that_is_none_is_refused(repository, ref):
    with pytest.raises(ValueError, match="owner/name"):
        Address(repository, ref)


def test_the_address_stands_in_the_settings(tmp_path):
    settings = tmp_path / SETTINGS.name
    settings.write_text(f'[x]\nrepository = "{NEW.repository}"\nref = "{NEW.ref}"\n', encoding="utf-8")
    assert address(settings) == NEW
