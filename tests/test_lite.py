"""JupyterLite: it boots in a browser with the course in it, and its Python has all that the lessons need.

Its numpy and matplotlib are built for the browser and come from Pyodide's own host, so here the kernel starts
without them. What they would do is seen elsewhere: every import is in Pyodide's lock, and the lessons run natively
with the versions that stand there.
"""

import ast
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import nbformat
import pytest
from pages import served

from tools.environments import PYODIDE, Missing, environments, python_of, run_lessons
from tools.lessons import ROOT, lessons
from tools.links import address, open_links
from tools.lite import BUNDLED, KERNEL, PRELOADED, wheel
from tools.site import npm_package

PYODIDE_PACKAGE = "pyodide-314.0.6"  # the one that jupyterlite-pyodide-kernel asks for
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
KERNEL_HAS = ["ipython", "jedi", "traitlets", "micropip", "packaging"]  # what the kernel loads for itself

CELLS = [
    "import os, sys\nprint(sys.platform, sorted(os.listdir('..')))",
    "%pip install -q ipywidgets",
    "import ipywidgets\nipywidgets.HTML('<b id=\"alive\">alive</b>')",
]
READY = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory, lack):
    """The folder of Pyodide's core, unpacked from its npm package."""
    if not shutil.which("npm"):
        lack("no npm: Pyodide comes from an npm package")
    folder = tmp_path_factory.mktemp("pyodide")
    with tarfile.open(npm_package(PYODIDE_PACKAGE)) as archive:
        for name in CORE:
            (folder / name).write_bytes(archive.extractfile(f"package/{name}").read())
    return folder


@pytest.fixture(scope="module")
def lock(pyodide):
    return json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]


def closure(names: list[str], lock: dict) -> set[str]:
    """The packages of the lock that these need, and themselves."""
    found: set[str] = set()
    waiting = [name.lower().replace("_", "-") for name in names]
    while waiting:
        name = waiting.pop()
        if name in lock and name not in found:
            found.add(name)
            waiting += [each.lower().replace("_", "-") for each in lock[name]["depends"]]
    return found


def imports(python: str) -> set[str]:
    """The top-level names of the modules that a piece of Python imports."""
    nodes = list(ast.walk(ast.parse(python)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names = plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.split(".")[0] for name in names}


def test_every_import_is_loaded_with_what_the_setup_cell_names(lock):
    """Pyodide loads what a cell's own source names; what only the helpers import must come along with it."""
    sources = [cell for lesson in lessons() for cell in lesson.python]
    sources += [path.read_text(encoding="utf-8") for path in (ROOT / "helpers").rglob("*.py")]
    needed = set().union(*map(imports, sources)) - set(sys.stdlib_module_names) - {"helpers"}
    loaded = closure([*PRELOADED, *KERNEL_HAS], lock)
    provided = {module.split(".")[0] for name in loaded for module in lock[name]["imports"]}
    assert needed <= provided | set(BUNDLED), needed - provided - set(BUNDLED)
    assert {"numpy", "matplotlib", "PIL", "ipywidgets"} <= needed  # or this test would look at nothing


@pytest.mark.long
def test_the_lessons_run_with_the_versions_of_the_lock(lock, lack):
    assert {f"{name}=={lock[name]['version']}" for name in PRELOADED} <= set(PYODIDE)
    environment = environments()["Pyodide"]
    try:
        python_of(environment)
    except Missing as missing:
        lack(str(missing))
    ran = run_lessons(environment, [lesson.path for lesson in lessons()])
    assert ran.returncode == 0, ran.stdout


@pytest.fixture(scope="module")
def lite(tmp_path_factory, site_python):
    folder = tmp_path_factory.mktemp("lite") / "lite"
    build = f"from pathlib import Path; from tools.lite import build_lite; build_lite(Path({str(folder)!r}))"
    subprocess.run([site_python, "-c", build], cwd=ROOT, check=True)
    return folder


@pytest.mark.long
def test_the_links_of_the_lessons_open_them(lite):
    """JupyterLite ignores a path that it hasn't got, and opens without a word."""
    listed = json.loads((lite / "api" / "contents" / "notebooks" / "all.json").read_text(encoding="utf-8"))
    paths = {entry["path"] for entry in listed["content"]}
    for lesson in lessons():
        place, _, path = open_links(lesson.name, address())["JupyterLite"].partition("?path=")
        assert path in paths
        assert (lite / place.removeprefix(f"{address().pages}/lite/")).is_file()
        assert (lite / "files" / path).read_bytes() == lesson.path.read_bytes()


@pytest.mark.long
def test_numpy_and_matplotlib_are_preloaded(lite):
    config = json.loads((lite / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    assert config["litePluginSettings"][KERNEL]["loadPyodideOptions"]["packages"] == ["numpy", "matplotlib"]


def put_pyodide_in(lite: Path, pyodide: Path, lock: dict) -> None:
    """Let the site start its Python from itself: the core, and the pure wheels that the kernel asks of the lock."""
    goal = lite / "static" / "pyodide"
    shutil.copytree(pyodide, goal)
    whole = json.loads((goal / "pyodide-lock.json").read_text(encoding="utf-8"))
    for name in closure(KERNEL_HAS, lock):
        file = wheel(name, lock[name]["version"])
        shutil.copy(file, goal / lock[name]["file_name"])
        whole["packages"][name]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (goal / "pyodide-lock.json").write_text(json.dumps(whole), encoding="utf-8")
    config = json.loads((lite / "jupyter-lite.json").read_text(encoding="utf-8"))
    kernel = config["jupyter-config-data"]["litePluginSettings"][KERNEL]
    config["jupyter-config-data"]["exposeAppInBrowser"] = True  # as `jupyterapp`, for this test alone
    kernel |= {"pyodideUrl": "./static/pyodide/pyodide.mjs", "loadPyodideOptions": {"packages": []}}
    (lite / "jupyter-lite.json").write_text(json.dumps(config), encoding="utf-8")


@pytest.mark.browser
def test_it_boots_with_the_course_and_shows_a_widget(lite, pyodide, lock, browser):
    put_pyodide_in(lite, pyodide, lock)
    cells = list(map(nbformat.v4.new_code_cell, CELLS))
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=lessons()[0].notebook.metadata)
    elsewhere = []
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.on("request", lambda asked: asked.url.startswith((url, "data:", "blob:")) or elsewhere.append(asked.url))
    with served(lite) as url:
        page.goto(f"{url}/lab/index.html?path=notebooks/01_tokens.ipynb")
        page.get_by_role("heading", name="01 · Turn a sentence into tokens and vectors").wait_for(timeout=120_000)
        page.evaluate(
            """async content => {
              const model = {type: 'notebook', format: 'json', content};
              await jupyterapp.serviceManager.contents.save('notebooks/boot.ipynb', model);
              await jupyterapp.commands.execute('docmanager:open', {path: 'notebooks/boot.ipynb'});
            }""",
            notebook,
        )
        page.wait_for_function(READY, timeout=180_000)
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        page.locator("#alive").wait_for(timeout=180_000)
        shown = page.locator(".jp-OutputArea-output pre:visible").first.inner_text()
        page.close()
    assert shown.startswith("emscripten ") and "'helpers'" in shown and "'notebooks'" in shown
    assert elsewhere == []
