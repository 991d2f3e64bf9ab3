"""Turn executed notebooks into web pages with sliders that need no kernel: `python -m tools.export SITE …`.

The pages ask no other host for anything. Formulas are set by the MathJax that `--mathjax` names, an address
relative to the pages; without it they stay as TeX.
"""
from __future__ import annotations

import argparse
import copy
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import HTMLExporter
from nbformat import NotebookNode

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"

# The lab template, but for the scripts that it fetches from elsewhere.
TEMPLATE = """
{%- extends 'index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}
{%- if resources.mathjax_url -%}
<script>MathJax = {tex: {inlineMath: [['$', '$'], ['\\\\(', '\\\\)']]}};</script>
<script defer src="{{ resources.mathjax_url }}"></script>
{%- endif -%}
{%- endblock -%}
"""


def page(notebook: NotebookNode, title: str, mathjax: str = "") -> str:
    """The web page of an executed notebook.

    Parameters
    ----------
    notebook
        With its widgets' state, as `nbconvert --execute` stores it. It is not changed.
    title
        The page's title, where the notebook's metadata name none.
    mathjax
        The address of MathJax 3, relative to the page; none: formulas stay as TeX.

    Returns
    -------
    str
        One HTML document. A widget that is still in the state stands there as plain HTML.
    """
    exporter = HTMLExporter(raw_template=TEMPLATE, mathjax_url=mathjax)
    return exporter.from_notebook_node(with_widgets_as_html(notebook), {"metadata": {"name": title}})[0]


def with_widgets_as_html(notebook: NotebookNode) -> NotebookNode:
    """A copy of the notebook that shows its widgets as plain HTML and carries no widget state."""
    notebook = copy.deepcopy(notebook)
    states = notebook.metadata.pop("widgets", {}).get(STATE, {}).get("state", {})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown = [_without_view(output, states) for output in cell.outputs]
            cell.outputs = [output for output in shown if output.get("data") != {}]
    return notebook


def _without_view(output: NotebookNode, states: dict[str, Any]) -> NotebookNode:
    """The output with HTML in its widget's place; of a progress bar nothing is left."""
    view = output.get("data", {}).pop(VIEW, None)
    html = _widget_html(view["model_id"], states) if view else ""
    if html:
        output.data["text/html"] = html
    return output


def _widget_html(model_id: str, states: dict[str, Any]) -> str:
    """HTML as it is, a box as what is in it, a text field as what it holds, anything else as nothing."""
    model = states.get(model_id, {})
    kind, state = model.get("model_name"), model.get("state")
    if kind == "VBoxModel":
        return "".join(_widget_html(child.removeprefix("IPY_MODEL_"), states) for child in state["children"])
    if kind == "TextModel":
        return f"<p>{escape(state['description'])}: {escape(state['value'])}</p>"
    return state["value"] if kind == "HTMLModel" else ""


def main() -> None:
    """Write one page a notebook into a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path, help="the folder for the pages")
    parser.add_argument("notebooks", type=Path, nargs="+")
    parser.add_argument("--mathjax", default="", help="the address of MathJax 3, relative to the pages")
    arguments = parser.parse_args()
    arguments.site.mkdir(parents=True, exist_ok=True)
    for path in arguments.notebooks:
        html = page(nbformat.read(path, as_version=4), path.stem, arguments.mathjax)
        (arguments.site / f"{path.stem}.html").write_text(html, encoding="utf-8")


if __name__ == "__main__":
    main()
