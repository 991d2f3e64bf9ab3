"""The setup cell in odd places: it finds the course each time, or says in one plain sentence what to do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from copies import PUBLISHED, colab_stub, copy_course, publish, published_at

from tools.lessons import lessons

SETUP = lessons()[0].python[0]
REPORT = """
print(json.dumps([helpers.__path__, helpers.__doc__ is not None, np.get_printoptions()["precision"]]))
"""
NOT_HERE = f"ImportError: The course is not here: get {PUBLISHED} and open this notebook inside it."
OTHER_HELPERS = "ImportError: Another package named helpers is loaded: restart the kernel, run this first."


def run_setup(place: Path, settings: dict | None = None, before: str = "", prefix: tuple = ()) -> str:
    """Run the cell twice in a new Python in some place, as a kernel does, and return its last line.

    That is the folder of the course that it found, or what the first error says.
    """
    code = f"import json\n{before}\n{SETUP}\n{SETUP}\n{REPORT}"
    ran = subprocess.run(
        [*prefix, sys.executable, "-c", code], cwd=place, env={**os.environ, **(settings or {})},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if ran.returncode:
        return ran.stderr.rstrip().rsplit("\n", 1)[-1]
    assert ran.stderr == ""
    (helpers,), is_ours, precision = json.loads(ran.stdout)
    assert is_ours and precision == 3
    return str(Path(helpers).parent)


def more(*cases: str) -> list:
    """Cases that wait for CI: each starts a Python of its own."""
    return [pytest.param(case, marks=pytest.mark.long) for case in cases]


@pytest.fixture
def course(tmp_path):
    return copy_course(tmp_path / "paying-attention")


@pytest.mark.parametrize("place", [".", "notebooks", "..", "notebooks/mine/today"])
@pytest.mark.parametrize("name", ["paying-attention", *more("paying-attention-main", "Übung für 学生, β (1)")])
def test_it_finds_the_course_from(tmp_path, name, place):
    course = copy_course(tmp_path / name)
    (course / "notebooks/mine/today").mkdir(parents=True)
    assert run_setup((course / place).resolve()) == str(course)


def test_it_writes_nothing_into_a_read_only_checkout(course):
    for path in [course, *course.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    # A superuser may write all the same, unless that right is given up.
    is_superuser = hasattr(os, "geteuid") and os.geteuid() == 0
    prefix = ("setpriv", "--bounding-set=-dac_override") if is_superuser else ()
    before = "try: open('new', 'w')\nexcept OSError: pass\nelse: raise SystemExit('this folder can be written')"
    assert run_setup(course / "notebooks", before=before, prefix=prefix) == str(course)


def test_with_nothing_there_it_says_where_the_course_is(tmp_path):
    assert run_setup(tmp_path) == NOT_HERE


@pytest.mark.long
def test_on_colab_it_clones_the_course_once(tmp_path):
    settings = colab_stub(tmp_path / "stub") | published_at(publish(tmp_path / "published"))
    content = tmp_path / "content"
    content.mkdir()
    assert run_setup(content, settings) == str(content / "paying-attention")
    (content / "paying-attention" / "mine.txt").write_text("kept", encoding="utf-8")
    assert run_setup(content, settings) == str(content / "paying-attention")
    assert (content / "paying-attention" / "mine.txt").exists()
    assert [path.name for path in content.iterdir()] == ["paying-attention"]
    # Inside the clone it doesn't clone again.
    assert run_setup(content / "paying-attention" / "notebooks", settings) == str(content / "paying-attention")
    assert not list((content / "paying-attention").rglob("*/paying-attention"))


@pytest.mark.long
def test_on_colab_without_network_it_says_where_the_course_is(tmp_path):
    settings = colab_stub(tmp_path / "stub") | published_at(tmp_path / "nowhere")
    content = tmp_path / "content"
    content.mkdir()
    assert run_setup(content, settings) == NOT_HERE
    assert not list(content.iterdir())


def foreign(folder: Path, kind: str) -> dict[str, str]:
    """Settings with which another `helpers` is installed: a package, a package without __init__.py, or a module."""
    folder.mkdir()
    if kind == "module":
        (folder / "helpers.py").write_text("foreign = True\n", encoding="utf-8")
    else:
        (folder / "helpers").mkdir()
        (folder / "helpers" / ("__init__.py" if kind == "package" else "other.py")).touch()
    return {"PYTHONPATH": str(folder)}


KINDS = ["package", *more("namespace", "module")]


@pytest.mark.parametrize("kind", KINDS)
def test_it_goes_before_a_foreign_package(course, tmp_path, kind):
    assert run_setup(course / "notebooks", foreign(tmp_path / "site", kind)) == str(course)


@pytest.mark.parametrize("kind", KINDS)
def test_a_foreign_package_that_is_loaded_already_is_named(course, tmp_path, kind):
    settings = foreign(tmp_path / "site", kind)
    assert run_setup(course / "notebooks", settings, before="import helpers") == OTHER_HELPERS
