"""What `helpers.attention` holds stands word for word in the lesson that derives it."""

import ast

import pytest

from tools.lessons import ROOT, Lesson, lessons

LESSONS = lessons()
TAUGHT_IN = {
    "03": {"dot_product_scores"},
    "04": {"softmax"},
    "05": {"weigh_values"},
    "07": {"attention", "SelfAttention"},
    "09": {"attention", "split_heads", "merge_heads", "multi_head_attention"},
}
ADDED_LATER = "may_attend"  # the argument that `attention` has since lesson 09
FASTER_FORMS = {"attention_in_blocks", "mix_block"}  # of what a lesson derives


class Bare(ast.NodeTransformer):
    """Drops decorators, docstrings and type hints: what remains is what a definition does."""

    def visit_FunctionDef(self, node):
        node.decorator_list, node.returns = [], None
        return self._without_docstring(node)

    def visit_ClassDef(self, node):
        node.decorator_list = []
        return self._without_docstring(node)

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        return node.value and ast.Assign(targets=[node.target], value=node.value)

    def _without_docstring(self, node):
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)


def definitions(python: str) -> dict[str, str]:
    """The functions and classes that a piece of Python defines, each as its bare syntax tree written out."""
    found = [node for node in ast.parse(python).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return {node.name: ast.unparse(ast.fix_missing_locations(Bare().visit(node))) for node in found}


def taught(lesson: Lesson) -> dict[str, str]:
    """The lesson's own definitions; of one that is written twice, the last."""
    return {name: bare for cell in lesson.python for name, bare in definitions(cell).items()}


HELPERS = definitions((ROOT / "helpers" / "attention.py").read_text(encoding="utf-8"))
LAST = {name: lesson.name for lesson in LESSONS for name in taught(lesson)}  # who has the last word


class Without(ast.NodeTransformer):
    """Drops a parameter, which has a default, and each statement that uses it."""

    def __init__(self, name: str):
        self.name = name

    def visit_arguments(self, node):
        if node.args and node.args[-1].arg == self.name:
            node.args.pop()
            node.defaults.pop()
        return node

    def visit(self, node):
        names = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef) and self.name in names:
            return None
        return super().visit(node)


def without(bare: str, name: str) -> str:
    return ast.unparse(Without(name).visit(ast.parse(bare)))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_lesson_and_helpers_are_the_same_code(lesson):
    """In the last lesson that defines a function; in an earlier one, but for what was added later."""
    own = taught(lesson)
    shared = own.keys() & HELPERS.keys()
    now = {name for name in shared if LAST[name] == lesson.name}
    wanted = {name: HELPERS[name] if name in now else without(HELPERS[name], ADDED_LATER) for name in shared}
    assert {name: own[name] for name in shared} == wanted


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_lesson_derives_what_it_is_there_for(lesson):
    assert TAUGHT_IN.get(lesson.name.split("_")[0], set()) <= taught(lesson).keys()


def test_every_public_function_has_its_lesson():
    public = {name for name in HELPERS if not name.startswith("_")}
    assert public == set.union(*TAUGHT_IN.values()) | FASTER_FORMS


def test_what_was_added_later_is_dropped_and_nothing_else():
    later = "def f(a, b=1, c=None):\n    a = a + b\n    if c is not None:\n        a = a * c\n    return a"
    assert without(later, "c") == "def f(a, b=1):\n    a = a + b\n    return a"
    assert without(later, "d") == later


AS_IN_A_HELPER = '''
@checked
def halves(X: np.ndarray, by: float = 2) -> np.ndarray:
    """One half."""
    half: np.ndarray = X / by  # (n,)
    return half
'''


def test_decorators_docstrings_hints_and_comments_do_not_count():
    bare = "def halves(X, by=2):\n    half = X / by\n    return half\n"
    assert definitions(bare) == definitions(AS_IN_A_HELPER)


@pytest.mark.parametrize("old, new", [("X / by", "by / X"), ("= 2", "= 3"), ("X / by", "(X / by)[0]")])
def test_code_does_count(old, new):
    assert definitions(AS_IN_A_HELPER) != definitions(AS_IN_A_HELPER.replace(old, new))
