"""The lessons in environments unlike the reference, and a table of what ran where.

    python -m tools.environments [NAME ...]

Each environment is made once, in `.cache/environments`. In it all lessons run with their stored outputs compared
strictly; the pictures' pixels only where matplotlib is the reference's. An interpreter that is missing is named;
with REQUIRE_EVERYTHING=1, as in CI, it counts as a failure.
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from packaging.requirements import Requirement

from tools.lessons import ROOT, lessons

CACHE = ROOT / ".cache" / "environments"
SHOWN = ("numpy", "matplotlib", "ipywidgets")  # in the table
WIDTHS = (22, 8, 10, 10, 11, 7)

# What Colab runs, as far as it matters here, and what compares the outputs.
COLAB = """
ipywidgets==7.7.1 ipykernel==6.17.1 ipython==7.34.0 jupyter_client==7.4.9 jupyter_core==5.9.1 traitlets==5.7.1
matplotlib==3.10.0 matplotlib-inline==0.2.2 numpy==2.1.3 nbclient==0.10.4 nbformat==5.11.1 notebook==6.5.7
widgetsnbextension==3.6.10 jupyterlab_widgets==3.0.16 setuptools==80.9.0 pytest==8.4.2 nbval==0.11.0
""".split()
# The numpy and matplotlib of Pyodide 314, the Python of JupyterLite; they run natively here.
PYODIDE = ["-r", "requirements.txt", "numpy==2.4.6", "matplotlib==3.10.8"]


class Missing(Exception):
    """What an environment needs and this machine hasn't; the message names it."""


@dataclass(frozen=True)
class Environment:
    """One place where the lessons must run.

    Parameters
    ----------
    name : str
        Also of its folder.
    python : str
        The interpreter's version, as "3.12"; empty: the one that runs this, with the packages that it has.
    packages : sequence of str
        What pip is told to install, with the project's root as its current folder.
    settings : mapping of str to str
        Environment variables for the lessons.
    """

    name: str
    python: str = ""
    packages: Iterable[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


def _oldest() -> list[str]:
    """The lower end of each range in the requirements."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    ranges = [Requirement(line) for line in lines if line and not line.startswith("#")]
    lower = {each.name: s.version for each in ranges for s in each.specifier if s.operator == ">="}
    return [f"{name}=={version}" for name, version in lower.items()]


def _other_arithmetic() -> Iterator[Environment]:
    """The reference on the kernels that OpenBLAS picks on other processors, each with one thread and two.

    Haswell stands for AVX2, SkylakeX for AVX-512 (its kernels run only where the processor has it), Sandybridge
    for AVX, and Nehalem for anything older.
    """
    for kernel in ("Nehalem", "Sandybridge", "Haswell", *(["SkylakeX"] if _has_avx512() else [])):
        for threads in ("1", "2"):
            settings = {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
            yield Environment(f"{kernel}, {threads} thread{'s' * (threads != '1')}", settings=settings)


def _has_avx512() -> bool:
    cpu = Path("/proc/cpuinfo")
    return cpu.exists() and "avx512vl" in cpu.read_text(encoding="utf-8")


def environments() -> dict[str, Environment]:
    """All of them, by name."""
    newest = ["-r", "requirements.txt"]
    return {
        each.name: each
        for each in (
            Environment("oldest", "3.10", _oldest()),
            *(Environment(f"newest on {python}", python, newest) for python in ("3.10", "3.13")),
            Environment("Binder", "3.12", ["-r", ".binder/requirements.txt"]),
            Environment("Colab", "3.13", COLAB),
            Environment("Pyodide", "3.13", PYODIDE),
            *_other_arithmetic(),
        )
    }


def interpreter(version: str) -> str:
    """A Python of that version.

    Raises
    ------
    Missing
        If neither the PATH nor pyenv has one.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = (f"python{version}", f"python{version}.exe", *pyenv.glob(f"versions/{version}.*/bin/python"))
    for python in filter(None, map(shutil.which, found)):
        asked = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]  # pyenv's stand-ins may fail
        if subprocess.run(asked, capture_output=True, encoding="utf-8", check=False).stdout.strip() == version:
            return python
    raise Missing(f"no Python {version} was found")


def python_of(environment: Environment) -> Path:
    """The Python of an environment, which is made (in about a minute) if it isn't there as it should be.

    Raises
    ------
    Missing
        If there is no fitting interpreter, or its packages are not to be had.
    """
    if not environment.python:
        return Path(sys.executable)
    folder, wanted = CACHE / environment.name, json.dumps([environment.python, *environment.packages])
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    with _one_at_a_time(folder):
        stamp = folder / "made-of.json"
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *environment.packages]
            for command in ([interpreter(environment.python), "-m", "venv", "--clear", folder], install):
                ran = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
                if ran.returncode:
                    raise Missing(f"{environment.name} could not be made: {(ran.stdout + ran.stderr)[-500:]}")
            stamp.write_text(wanted, encoding="utf-8")
    return python


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """A lock that ends with its process: tests in parallel must not make the same environment."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(f"{folder}.lock", timeout=600)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def run_lessons(
    environment: Environment, paths: Iterable[Path], settings: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess:
    """Run notebooks in an environment, each in a kernel of its own, and compare with what is stored in them.

    Parameters
    ----------
    environment : Environment
    paths : iterable of Path
        Notebooks; each one's folder is its kernel's current folder.
    settings : mapping of str to str, optional
        More environment variables.

    Returns
    -------
    subprocess.CompletedProcess
        Of pytest: 0 if each cell gave what is stored; what it printed is in `stdout`.
    """
    nbval = ["-p", "tools.regression", "--nbval", "--nbval-current-env", "--nbval-cell-timeout=120"]
    return subprocess.run(
        [python_of(environment), "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider", *nbval, *paths],
        cwd=ROOT,
        env={**os.environ, **environment.settings, **(settings or {})},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


def _versions(python: Path) -> list[str]:
    ask = f"""if True:
        from importlib.metadata import version
        import platform
        print(platform.python_version(), *map(version, {SHOWN}))"""
    return subprocess.run([python, "-c", ask], capture_output=True, encoding="utf-8", check=True).stdout.split()


def row(environment: Environment) -> tuple[list[str], str]:
    """A line of the table, and what went wrong, if anything did."""
    try:
        versions = _versions(python_of(environment))
    except Missing as missing:
        return [environment.name, environment.python, *"–––", "did not run"], str(missing)
    ran = run_lessons(environment, [lesson.path for lesson in lessons()])
    failed = re.findall(r"^FAILED (\S+)::(Cell \d+)", ran.stdout, re.M)
    good = re.search(r"(\d+) passed", ran.stdout)
    result = f"{good[1] if good else 0} cells as stored" + f", {len(failed)} not" * bool(failed)
    return [environment.name, *versions, result], ran.stdout[-3000:] if ran.returncode else ""


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS)) + " |"


def main(names: list[str]) -> int:
    """Print the table, and below it what went wrong; non-zero if a lesson failed, or if all is required."""
    known = environments()
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no environment {', '.join(unknown)}; there are: {'; '.join(known)}")
    print(_line(["environment", "Python", *SHOWN, "lessons"]))
    print("|" + "|".join("-" * (width + 2) for width in WIDTHS) + "|")
    complaints = {}
    for environment in map(known.get, names or known):
        cells, complaint = row(environment)
        print(_line(cells), flush=True)
        if complaint:
            complaints[environment.name] = complaint, cells[-1]
    for name, (complaint, _) in complaints.items():
        print(f"\n{name}: {complaint}")
    required = os.environ.get("REQUIRE_EVERYTHING") == "1"
    return int(any(required or result != "did not run" for _, result in complaints.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
