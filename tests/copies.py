"""Copies of the course for tests: a folder of it, and a repository that stands in for the published one."""

import shutil
import subprocess
from pathlib import Path

from tools.lessons import ROOT
from tools.links import address

PARTS = ("helpers", "notebooks", ".binder", "README.md", "requirements.txt")
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
PUBLISHED = f"https://github.com/{address().repository}"


def copy_course(folder: Path) -> Path:
    """Copy what a reader has of the course into a new folder."""
    folder.mkdir(parents=True)
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / part, folder)
    return folder


def git(folder: Path, *command: str) -> str:
    """Run git in a folder, as somebody, whatever the machine's own settings."""
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    ran = subprocess.run(["git", *who, *command], cwd=folder, check=True, capture_output=True, encoding="utf-8")
    return ran.stdout


def publish(folder: Path) -> Path:
    """Make a repository of the course as it is here, with the branch that the links name."""
    copy_course(folder)
    git(folder, "init", "--quiet", f"--initial-branch={address().ref}")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=The course")
    return folder


def published_at(repository: Path) -> dict[str, str]:
    """Environment variables with which git finds the course's public address in a local repository."""
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": PUBLISHED,
        "GIT_TERMINAL_PROMPT": "0",
    }


def colab_stub(folder: Path) -> dict[str, str]:
    """Environment variables with which each Python has `google.colab` loaded from its start, as on Colab."""
    (folder / "google" / "colab").mkdir(parents=True)
    for module in ("google/__init__.py", "google/colab/__init__.py"):
        (folder / module).touch()
    (folder / "sitecustomize.py").write_text("import google.colab\n", encoding="utf-8")
    return {"PYTHONPATH": str(folder)}
