"""Wrong versions of the course, put in one at a time: if one is not found, the checks can be fooled.

    python -m tools.mutants [WORD ...]

With words, only the wrong versions in whose file, kind or description one of them stands. Those of meaning are judged
by the lessons' stored outputs alone, the others by the unit tests; each row says which cell or test failed first.
"""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from tools.lessons import ROOT, Lesson
from tools.mutants_table import MUTANTS, Mutant

PARTS = (".binder", "helpers", "notebooks", "tests", "tools")
FILES = ("README.md", "pyproject.toml", "requirements.txt")
UNIT_TESTS = {  # the tests of each file, the quick ones first
    "helpers/attention.py": ("tests/test_validation.py", "tests/test_attention.py"),
    "helpers/validation.py": ("tests/test_validation.py", "tests/test_attention.py"),
    "helpers/figures/training.py": ("tests/test_words.py",),
    "helpers/figures/": ("tests/test_heads.py", "tests/test_figures.py"),
    "helpers/sliders.py": ("tests/test_sliders.py",),
    "helpers/player.html": ("tests/test_sliders_browser.py", "-k", "exported and not ipywidgets"),
}


def copy_course(folder: Path) -> Path:
    """Copy what the lessons and the tests need into a folder."""
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in FILES:
        shutil.copy(ROOT / file, folder)
    return folder


def put_in(mutant: Mutant, course: Path) -> None:
    """Change a copy of the course.

    Raises
    ------
    ValueError
        If the old text doesn't stand exactly once where it should.
    """
    path = course / mutant.file
    if path.suffix == ".ipynb":
        lesson = Lesson(path)
        for cell, source in zip(lesson.code, _changed(mutant, [cell.source for cell in lesson.code])):
            cell.source = source
        path.write_text(nbformat.writes(lesson.notebook), encoding="utf-8")
    else:
        (text,) = _changed(mutant, [path.read_text(encoding="utf-8")])
        path.write_text(text, encoding="utf-8")


def _changed(mutant: Mutant, texts: list[str]) -> list[str]:
    times = sum(text.count(mutant.old) for text in texts)
    if times != 1:
        raise ValueError(f"{mutant.file} holds {mutant.old!r} {times} times")
    return [text.replace(mutant.old, mutant.new) for text in texts]


def judges(mutant: Mutant, course: Path) -> list[str]:
    """What pytest is to run: the lessons that the mutant may change, or the unit tests of its file."""
    if mutant.kind != "meaning":
        return [*next(tests for start, tests in UNIT_TESTS.items() if mutant.file.startswith(start))]
    if mutant.file.endswith(".ipynb"):
        return [mutant.file]
    codes = {path: "\n".join(Lesson(path).python) for path in sorted(course.glob("notebooks/*.ipynb"))}
    users = [path for path, code in codes.items() if re.search(r"from helpers(\.| import )attention", code)]
    before = (ROOT / mutant.file).read_text(encoding="utf-8").split(mutant.old)[0]
    name = re.findall(r"^(?:def|class) (\w+)", before, re.M)[-1]
    users.sort(key=lambda path: not re.search(rf"\b{name}\b", codes[path]))  # quicker: those that name it first
    return [path.relative_to(course).as_posix() for path in users]


def first_failure(course: Path, selection: Sequence[str]) -> str:
    """Run tests in a copy of the course up to the first that fails, and name that one; empty if none does.

    Raises
    ------
    RuntimeError
        If pytest itself fails, which is no verdict on the course.
    """
    command = [sys.executable, "-m", "pytest", "-n0", "-x", "--junitxml=result.xml", "-pno:cacheprovider"]
    run = subprocess.run([*command, *selection], cwd=course, capture_output=True, text=True, errors="replace")
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stdout + run.stderr)
    cases = ElementTree.parse(course / "result.xml").iter("testcase")
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return " ".join(f"{_where(case)}: {case.get('name')}"[:90] for case in failed)


def _where(case: ElementTree.Element) -> str:
    """The lesson or the file of tests that a case stands in."""
    return re.sub(r"^(notebooks|tests)\.|\.ipynb$", "", case.get("classname"))


def killer(mutant: Mutant) -> str:
    """The first cell or test that tells a mutant from the course; empty if it survives."""
    with TemporaryDirectory() as folder:
        course = copy_course(Path(folder))
        put_in(mutant, course)
        return first_failure(course, judges(mutant, course))


def row(mutant: Mutant, killed_by: str) -> str:
    """A mutant's row of the table; ✗ marks what isn't as it should be."""
    found = killed_by or (f"survives: {mutant.harmless}" if mutant.harmless else "SURVIVES")
    mark = "✓" if is_well(mutant, killed_by) else "✗"
    return f"{mark} {mutant.kind:10} {Path(mutant.file).name:29} {mutant.what or 'harmless':36} {found}"


def is_well(mutant: Mutant, killed_by: str) -> bool:
    """Whether a wrong version was found, or a harmless one was left in peace."""
    return bool(killed_by) != bool(mutant.harmless)


def judge(mutants: list[Mutant]) -> int:
    """Judge mutants one after the other, print their rows, and return how many aren't as they should be."""
    wrong = 0
    for mutant in mutants:
        killed_by = killer(mutant)
        print(row(mutant, killed_by), flush=True)
        wrong += not is_well(mutant, killed_by)
    return wrong


def main(words: list[str]) -> None:
    """Judge all mutants, or those that the words pick."""
    chosen = [m for m in MUTANTS if not words or any(word in " ".join(m[:3]) for word in words)]
    # Lessons beside unit tests, never beside lessons: two kernels might meet on a port.
    halves = [[m for m in chosen if (m.kind == "meaning") is of_meaning] for of_meaning in (True, False)]
    with ThreadPoolExecutor(len(halves)) as pool:
        wrong = sum(pool.map(judge, halves))
    print(f"{len(chosen)} mutants, {wrong} not as they should be")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main(sys.argv[1:])
