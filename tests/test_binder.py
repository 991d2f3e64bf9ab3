"""Binder: what repo2docker would build from `.binder`, and the lessons on that Python with those packages."""

import os
import re
import shutil
import subprocess

import pytest
from copies import copy_course

from tools.environments import Missing, environments, python_of, run_lessons
from tools.lessons import ROOT, lessons

BINDER = environments()["Binder"]


@pytest.fixture(scope="module")
def recipe(tmp_path_factory, site_python):
    """The Dockerfile that repo2docker writes for the course, and what it says meanwhile."""
    course = copy_course(tmp_path_factory.mktemp("binder") / "course")
    command = [site_python, "-m", "repo2docker", "--no-build", "--debug", course]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return ran.stdout + ran.stderr


def test_it_takes_the_python_that_is_asked_for(recipe):
    """Without `runtime.txt` it would be an older one."""
    assert f"python={BINDER.python}\n" in recipe
    assert (ROOT / ".binder" / "runtime.txt").read_text(encoding="utf-8") == f"python-{BINDER.python}\n"


def test_it_installs_the_requirements_when_the_course_is_there(recipe):
    """They refer to the file above, which is only there once all of the repository is copied."""
    copied = recipe.index("COPY --chown=0:0 src/ ${REPO_DIR}/")
    assert copied < recipe.index('-r ".binder/requirements.txt"') < recipe.index("RUN ./.binder/postBuild")
    assert len(re.findall("pip install", recipe)) == 1


@pytest.fixture(scope="module")
def python(lack):
    try:
        return python_of(BINDER)
    except Missing as missing:
        lack(str(missing))


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Binder runs Linux")
def test_the_font_cache_is_built_before_the_first_lesson(python, tmp_path):
    settings = {"MPLCONFIGDIR": str(tmp_path), "PATH": f"{python.parent}:{os.environ['PATH']}"}
    subprocess.run([shutil.which("bash"), ROOT / ".binder" / "postBuild"], env={**os.environ, **settings}, check=True)
    assert list(tmp_path.glob("fontlist*.json"))


@pytest.mark.long
def test_the_lessons_run_with_what_it_installs(python):
    ran = run_lessons(BINDER, [lesson.path for lesson in lessons()])
    assert ran.returncode == 0, ran.stdout
