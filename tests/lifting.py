"""Lift what a lesson defines out of its notebook, so that tests judge the reader's own lines."""

import ast
from pathlib import Path
from typing import Any

import numpy as np

from helpers.attention import softmax
from tools.lessons import Lesson

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def bound(python: str) -> set[str]:
    """The names that a cell binds at its top level: functions, classes and what it assigns."""
    statements = ast.parse(python).body
    defined = {node.name for node in statements if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = [node for statement in statements if isinstance(statement, ast.Assign) for node in statement.targets]
    return defined | {leaf.id for node in assigned for leaf in ast.walk(node) if isinstance(leaf, ast.Name)}


def lifted(lesson: str, *names: str) -> dict[str, Any]:
    """Run, in order, the first cell of a lesson that binds each name; returns all that they leave behind.

    Raises
    ------
    LookupError
        If the lesson defines one of the names nowhere.
    """
    space: dict[str, Any] = {"np": np, "softmax": softmax}
    wanted = set(names)
    for python in Lesson(NOTEBOOKS / f"{lesson}.ipynb").python:
        if bound(python) & wanted:
            wanted -= bound(python)
            exec(compile(python, lesson, "exec"), space)
    if wanted:
        raise LookupError(f"{lesson} defines no {', '.join(sorted(wanted))}")
    return space
