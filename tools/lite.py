"""The course in JupyterLite: JupyterLab and a Python in the reader's browser, with the lessons and helpers in it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.lessons import ROOT, reference_pins

WHEELS = ROOT / ".cache" / "wheels"
CONTENTS = ("notebooks", "helpers")
# Loaded while the kernel starts: a lesson's first cell then waits less.
PRELOADED = ["numpy", "matplotlib"]
# Pyodide has no widgets: these wheels are served beside the site, and the setup cell installs them.
BUNDLED = ["ipywidgets", "jupyterlab_widgets", "comm"]
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"


def build_lite(folder: Path) -> None:
    """Write JupyterLite, with the course in it, into a folder.

    Raises
    ------
    subprocess.CalledProcessError
        If the wheels can't be had, or the build fails; its output is in the error.
    """
    with TemporaryDirectory() as work:
        content = Path(work) / "content"
        for part in CONTENTS:
            left_out = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
            shutil.copytree(ROOT / part, content / part, ignore=left_out)
        (Path(work) / "jupyter-lite.json").write_text(json.dumps(settings()), encoding="utf-8")
        wheels = [option for wheel in bundled_wheels() for option in ("--piplite-wheels", wheel)]
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", work, "--contents", content]
        command += ["--output-dir", folder.resolve(), "--apps", "lab", "--no-sourcemaps", *wheels]
        subprocess.run(command, cwd=work, check=True, capture_output=True)


def settings() -> dict:
    """The settings of the site: what its Python loads before anything is asked of it."""
    kernel = {"loadPyodideOptions": {"packages": PRELOADED}}
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": {"litePluginSettings": {KERNEL: kernel}}}


def bundled_wheels() -> list[Path]:
    """The wheels of the widgets, as the reference environment has them."""
    pins = reference_pins()
    return [wheel(name, pins[name]) for name in BUNDLED]


def wheel(name: str, version: str) -> Path:
    """A pure wheel for the browser's Python, downloaded once."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    pattern = f"{name.replace('-', '_')}-{version}-*none-any.whl"
    if not any(WHEELS.glob(pattern)):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", WHEELS]
        browser = ["--only-binary=:all:", "--python-version=3.14"]
        subprocess.run([*pip, *browser, f"{name}=={version}"], check=True, capture_output=True)
    return next(WHEELS.glob(pattern))
