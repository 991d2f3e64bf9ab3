"""The course as a site: its lessons as pages that need no kernel, a map, and JupyterLite to run them in.

    python -m tools.site [FOLDER]

Everything that a page needs is in the site: KaTeX comes from its npm package when the site is built.
"""

import re
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from tools.export import page, render
from tools.lessons import NOTEBOOKS, ROOT, Lesson, lessons
from tools.links import README, address, open_links
from tools.lite import build_lite

PACKAGES = ROOT / ".cache" / "npm"
KATEX = "katex-0.19.1"
FORMULAS = ("dist/katex.min.js", "dist/katex.min.css", "dist/contrib/auto-render.min.js", "dist/fonts/*.woff2")
PICTURE = ".github/floor_plan.png"
AT_ONCE = 2


@dataclass(frozen=True)
class Chapter:
    """What the site says of a lesson, all of it read out of the lesson.

    Parameters
    ----------
    lesson : Lesson
    """

    lesson: Lesson

    @property
    def page(self) -> str:
        return f"{self.lesson.name}.html"

    @property
    def number(self) -> str:
        return self._heading[1]

    @property
    def title(self) -> str:
        return self._heading[2]

    @property
    def skills(self) -> str:
        """What the reader will be able to do, as an HTML list."""
        from nbconvert.filters import markdown2html  # takes most of a second: only where a page is made

        return markdown2html(self._find(r"\*\*You will be able to\*\*\n\n((?:- .*\n)+)"))

    @property
    def time(self) -> str:
        return " ".join(self._find(r"\*\*Time:\*\*\s+([^.]+\.)").split())

    @property
    def equation(self) -> str:
        return self._find(r"\*\*The equation[^:*]*:\*\*\s+(.+)")

    @property
    def open(self) -> dict[str, str]:
        """The places where the lesson can be run, with their links."""
        links = open_links(self.lesson.name, address())
        return {place: link for place, link in links.items() if place != "page"}

    @cached_property
    def _heading(self) -> re.Match:
        return re.match(r"# (\w+) · (.+)", self.lesson.prose[0].source)

    def _find(self, pattern: str) -> str:
        return re.search(pattern, "\n\n".join(cell.source for cell in self.lesson.prose))[1]


def executed(lesson: Lesson) -> NotebookNode:
    """A copy of the lesson's notebook, run now, for only a run leaves the widgets' state."""
    resources = {"metadata": {"path": str(lesson.path.parent)}}
    client = NotebookClient(deepcopy(lesson.notebook), timeout=120, iopub_timeout=120, resources=resources)
    return client.execute(stderr=subprocess.DEVNULL)  # the kernel's own; a cell's is an output


def for_the_site(notebook: NotebookNode) -> NotebookNode:
    """The notebook with links to pages instead of notebooks, and without its open-in links: the page has them."""
    notebook = deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\((\w+)\.(?:ipynb|md)\b", r"](\1.html", cell.source)
            cell.source = re.sub(r"^Open this lesson in \[.*\n", "", cell.source, flags=re.M)
    return notebook


def write_lessons(folder: Path, chapters: list[Chapter]) -> None:
    """Run the lessons, two at a time, and write their pages."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        notebooks = list(pool.map(executed, [chapter.lesson for chapter in chapters]))
    for previous, chapter, following, notebook in zip([None, *chapters], chapters, [*chapters[1:], None], notebooks):
        html = page(
            for_the_site(notebook), f"{chapter.number} · {chapter.title}", formulas="katex",
            chapters=chapters, this=chapter, previous=previous, next=following,
        )  # fmt: skip
        (folder / chapter.page).write_text(html, encoding="utf-8")


def write_papers(folder: Path, chapters: list[Chapter]) -> dict[str, str]:
    """Write the pages of what stands beside the lessons in Markdown; the titles by page."""
    titles = {}
    for path in sorted(NOTEBOOKS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        title, name = re.match("# (.+)", text)[1], f"{path.stem}.html"
        notebook = for_the_site(new_notebook(cells=[new_markdown_cell(text)]))
        html = page(notebook, title, formulas="katex", chapters=chapters)
        (folder / name).write_text(html, encoding="utf-8")
        titles[name] = title
    return titles


def write_map(folder: Path, chapters: list[Chapter], papers: dict[str, str]) -> None:
    """Write the first page: the course at a glance. Its picture and the words for it are the README's."""
    words = re.search(rf"!\[(.+?)\]\({re.escape(PICTURE)}\)", README.read_text(encoding="utf-8"))[1]
    shutil.copy(ROOT / PICTURE, folder)
    html = render(
        "map.html.j2", title="Paying Attention", formulas="katex", chapters=chapters, papers=papers,
        floor_plan=words, repository=f"https://github.com/{address().repository}",
    )  # fmt: skip
    (folder / "index.html").write_text(html, encoding="utf-8")


def npm_package(name: str) -> Path:
    """The archive of an npm package, named as in `katex-0.19.1`; fetched once."""
    archive = PACKAGES / f"{name}.tgz"
    if not archive.exists():
        PACKAGES.mkdir(parents=True, exist_ok=True)
        npm = [shutil.which("npm") or "npm", "pack", "--silent", "@".join(name.rsplit("-", 1))]
        subprocess.run(npm, cwd=PACKAGES, check=True, stdout=subprocess.DEVNULL)
    return archive


def unpack(name: str, patterns: tuple[str, ...], folder: Path) -> None:
    """Write the files of an npm package that match a pattern into a folder; fonts keep their own folder."""
    with tarfile.open(npm_package(name)) as archive:
        for member in archive:
            path = PurePosixPath(member.name).relative_to("package")
            if any(path.match(pattern) for pattern in patterns):
                goal = folder / ("fonts" if path.parent.name == "fonts" else "") / path.name
                goal.parent.mkdir(parents=True, exist_ok=True)
                goal.write_bytes(archive.extractfile(member).read())


def build_pages(folder: Path) -> None:
    """Write the static part of the site into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    unpack(KATEX, FORMULAS, folder / "katex")
    (folder / ".nojekyll").touch()  # GitHub Pages takes the files as they are
    chapters = [Chapter(lesson) for lesson in lessons()]
    write_lessons(folder, chapters)
    write_map(folder, chapters, write_papers(folder, chapters))


def main(folder: Path) -> None:
    """Build the whole site anew."""
    shutil.rmtree(folder, ignore_errors=True)
    build_pages(folder)
    build_lite(folder / "lite")
    print(f"The site is in {folder}: python -m http.server -d {folder}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["_site"]))
