"""What `helpers.attention` holds stands word for word in the lesson that derives it."""

import ast

import pytest

from tools.lessons import ROOT, Lesson, lessons

LESSONS = lessons()
TAUGHT_IN = {
    "dot_product_scores": "03",
    "softmax": "04",
    "weigh_values": "05",
    "attention": "07",
    "SelfAttention": "07",
}
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


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_lesson_and_helpers_are_the_same_code(lesson):
    own = taught(lesson)
    shared = own.keys() & HELPERS.keys()
    assert {name: own[name] for name in shared} == {name: HELPERS[name] for name in shared}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_lesson_derives_what_it_is_there_for(lesson):
    wanted = {name for name, number in TAUGHT_IN.items() if lesson.name.startswith(f"{number}_")}
    assert wanted <= taught(lesson).keys()


def test_every_public_function_has_its_lesson():
    assert {name for name in HELPERS if not name.startswith("_")} == TAUGHT_IN.keys() | FASTER_FORMS


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
