"""Executed notebooks as web pages, with sliders that need no kernel. `tools.site` makes a course of them.

The pages ask no other host for anything.
"""

import copy
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from jinja2 import Environment, FileSystemLoader
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from tools.lessons import ROOT

TEMPLATES = ROOT / "tools" / "templates"
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)<a class="anchor-link"', re.S)


def page(notebook: NotebookNode, title: str, **course: Any) -> str:
    """The web page of an executed notebook.

    Parameters
    ----------
    notebook : NotebookNode
        With its widgets' state, as `nbconvert --execute` stores it. It is not changed.
    title : str
        The page's title.
    **course
        What else `lesson.html.j2` may show: `chapters`, `this`, `previous` and `next` link the page into a
        course; `formulas` is the folder of KaTeX, relative to the page. Without it formulas stay as TeX.

    Returns
    -------
    str
        One HTML document. A widget that is still in the state stands there as plain HTML.
    """
    html = cells(notebook)
    return render("lesson.html.j2", title=title, cells=html, headings=HEADING.findall(html), **course)


def render(template: str, **content: Any) -> str:
    """A page from one of the templates, with the style that all pages share."""
    style = (TEMPLATES / "course.css").read_text(encoding="utf-8")
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=False)
    return environment.get_template(template).render(style=style + colours, **content)


def cells(notebook: NotebookNode) -> str:
    """The cells of an executed notebook as HTML: sources, outputs and widgets."""
    from nbconvert import HTMLExporter  # takes most of a second: only where a page is made

    template = (TEMPLATES / "cells.html.j2").read_text(encoding="utf-8")
    exporter = HTMLExporter(template_name="basic", raw_template=template, exclude_output_prompt=True)
    html = exporter.from_notebook_node(with_widgets_as_html(notebook))[0]
    return re.sub(r"<table>.*?</table>", r'<div class="wide">\g<0></div>', html, flags=re.S)  # it may scroll


def with_widgets_as_html(notebook: NotebookNode) -> NotebookNode:
    """A copy of the notebook that shows its widgets as plain HTML and carries no widget state."""
    notebook = copy.deepcopy(notebook)
    states = notebook.metadata.pop("widgets", {}).get(STATE, {}).get("state", {})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown = [_without_view(output, states) for output in cell.outputs]
            cell.outputs = [output for output in shown if output.get("data") != {}]
    return notebook


def _without_view(output: NotebookNode, states: Mapping[str, Any]) -> NotebookNode:
    """The output with HTML in its widget's place; of a progress bar nothing is left."""
    view = output.get("data", {}).pop(VIEW, None)
    html = _widget_html(view["model_id"], states) if view else ""
    if html:
        output.data["text/html"] = html
    return output


def _widget_html(model_id: str, states: Mapping[str, Any]) -> str:
    """HTML as it is, a box as what is in it, a text field as what it holds, anything else as nothing."""
    model = states.get(model_id, {})
    kind, state = model.get("model_name"), model.get("state")
    if kind == "VBoxModel":
        return "".join(_widget_html(child.removeprefix("IPY_MODEL_"), states) for child in state["children"])
    if kind == "TextModel":
        return f"<p>{escape(state['description'])}: {escape(state['value'])}</p>"
    return state["value"] if kind == "HTMLModel" else ""
