"""For tests in a browser: notebooks made on the spot, executed, opened in Jupyter, or exported and served."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]


def write_notebook(path: Path, *cells: str) -> Path:
    """Write a notebook of code cells that can import the course's helpers."""
    setup = f"import sys\nsys.path.insert(0, {str(ROOT)!r})"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    sources = map(nbformat.v4.new_code_cell, (setup, *cells))
    notebook = nbformat.v4.new_notebook(cells=list(sources), metadata={"kernelspec": kernel})
    nbformat.write(notebook, path)
    return path


def execute(path: Path, python: str | Path = sys.executable) -> nbformat.NotebookNode:
    """Execute a notebook in the environment of `python`, and store its widgets' state for an export."""
    command = [python, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", path]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return nbformat.read(path, as_version=4)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which the folder is served, with no kernel anywhere."""
    handler = partial(_QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        if self.path == "/favicon.ico":  # browsers ask for it unbidden
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


def lab(folder: Path) -> AbstractContextManager[str]:
    """The address of a JupyterLab on the folder."""
    options = ("--IdentityProvider.token=", "--expose-app-in-browser")
    return _jupyter(folder, sys.executable, "jupyterlab", *options)


def notebook_6(folder: Path, python: str | Path) -> AbstractContextManager[str]:
    """The address of the classic Notebook on the folder, run by a Python that has it."""
    return _jupyter(folder, python, "notebook", "--NotebookApp.token=")


@contextmanager
def _jupyter(folder: Path, python: str | Path, *command: str) -> Iterator[str]:
    """A Jupyter server with settings of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = folder / "settings"
    (settings / "labconfig").mkdir(parents=True)
    quiet = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}  # no news, offline
    (settings / "labconfig" / "page_config.json").write_text(json.dumps(quiet), encoding="utf-8")
    places = ("JUPYTER_CONFIG_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")
    options = [f"--port={port}", "--ip=127.0.0.1", "--no-browser", "--allow-root"]
    with (folder / "jupyter.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [python, "-m", *command, *options], cwd=folder, stdout=log, stderr=log,
            env={**os.environ, **dict.fromkeys(places, str(settings))},
        )  # fmt: skip
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(f"{url}/api", process)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait_for(url: str, process: subprocess.Popen) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            assert process.poll() is None, "Jupyter has ended"
            time.sleep(0.2)
    raise TimeoutError(f"nothing at {url}")


def open_in_lab(page, url: str, name: str) -> None:
    """Open a notebook in JupyterLab and run all of it."""
    page.goto(f"{url}/lab/tree/{name}")
    page.wait_for_function(
        "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=60_000,
    )
    page.evaluate("jupyterapp.shell.collapseLeft()")  # it would take all the room of a narrow window
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")


def open_in_notebook_6(page, url: str, name: str) -> None:
    """Open a notebook in the classic Notebook and run all of it."""
    page.goto(f"{url}/notebooks/{name}")
    ready = "window.Jupyter?.notebook?._fully_loaded && Jupyter.notebook.kernel?.widget_manager"
    page.wait_for_function(f"!!({ready}) && Jupyter.notebook.kernel.is_connected()", timeout=60_000)
    # It first asks the kernel for its widgets; one made before the answer is there would not be shown.
    page.evaluate("Jupyter.notebook.execute_cells([0])")
    page.wait_for_function("Jupyter.notebook.get_cell(0).input_prompt_number === 1")
    page.wait_for_timeout(1_000)
    page.evaluate("Jupyter.notebook.execute_all_cells()")
