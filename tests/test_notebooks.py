"""The lint: what each stored lesson holds to, by the rules of the house's style. Nothing is executed here."""

import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator

import nbformat
import pytest
from nbval.plugin import find_comment_markers, find_metadata_tags

from tools.lessons import ROOT, Lesson, lessons, pictures, texts
from tools.refresh import normal_form

LESSONS = lessons()
CELLS_EXEMPT_FROM_COMPARISON = 0

MAX_CELLS, MAX_WORDS = 60, 2_000
MAX_CELLS_LONG, MAX_WORDS_LONG = 75, 2_600  # of lessons 06 and 07
MAX_BYTES, MAX_PICTURE_BYTES = 600 * 1024, 60 * 1024
MAX_PROSE_WORDS = 120
MAX_CODE_LINES, MAX_CODE_LINES_OF_NINE_IN_TEN, MAX_CODE_LINES_MEDIAN = 20, 10, 4

NOT_PROSE = re.compile(r"```.*?```|<[^>]+>|\$[^$]*\$|!?\[[^]]*\]\([^)]*\)", re.S)
OF_A_MACHINE = re.compile(
    r"0x[0-9a-f]{6,}|/(?:home|Users|root|tmp|var|usr|opt|content)/|\b[A-Z]:\\|site-packages"
    r"|localhost|\b\d{1,3}(?:\.\d{1,3}){3}\b"
)
BARE_NUMPY_SCALAR = re.compile(r"\bnp\.(?:float|int|uint|bool|str|complex)\w*\(")


def words(cell) -> int:
    return len(re.findall(r"[A-Za-z']+", NOT_PROSE.sub(" ", cell.source)))


def code_lines(cell) -> int:
    return sum(bool(line.strip()) for line in cell.source.splitlines())


# A rule takes a lesson and yields what is wrong with it.


def is_valid(lesson: Lesson) -> Iterator[str]:
    try:
        nbformat.validate(lesson.notebook)
    except nbformat.ValidationError as error:
        yield str(error)


def is_in_normal_form(lesson: Lesson) -> Iterator[str]:
    """No widget state or view, no machine's metadata, valid and unique cell ids: as `make refresh` writes."""
    stored, normal = lesson.path.read_bytes(), normal_form(lesson.notebook).encode()
    if stored != normal:
        same = os.path.commonprefix([stored, normal]).count(b"\n")
        yield f"make refresh would write the file another way, from line {same + 1} on"


def is_executed_from_a_clean_start(lesson: Lesson) -> Iterator[str]:
    counts = [cell.execution_count for cell in lesson.code]
    if counts != list(range(1, len(counts) + 1)):
        yield f"the counts are {counts}"


def has_no_errors(lesson: Lesson) -> Iterator[str]:
    for cell in lesson.code:
        yield from (f"{cell.id}: {out.ename}" for out in cell.outputs if out.output_type == "error")


def outputs_tell_nothing_of_a_machine(lesson: Lesson) -> Iterator[str]:
    for cell in lesson.code:
        for text in (text for output in cell.outputs for text in texts(output)):
            yield from (f"{cell.id}: {found[0]}" for found in OF_A_MACHINE.finditer(text))


def outputs_have_no_bare_numpy_scalar(lesson: Lesson) -> Iterator[str]:
    for cell in lesson.code:
        for text in (text for output in cell.outputs for text in texts(output)):
            yield from (f"{cell.id}: {found[0]}" for found in BARE_NUMPY_SCALAR.finditer(text))


def pictures_have_words(lesson: Lesson) -> Iterator[str]:
    for cell in lesson.code:
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data and not re.match(r"[^<\s].{20}", data.get("text/plain", ""), re.S):
                yield f"{cell.id}: a picture whose words are {data.get('text/plain')!r}"


def pictures_are_small(lesson: Lesson) -> Iterator[str]:
    for cell in lesson.code:
        for size in map(len, pictures(cell.outputs)):
            if size > MAX_PICTURE_BYTES:
                yield f"{cell.id}: a picture of {size} bytes"


def details_have_their_blank_lines(lesson: Lesson) -> Iterator[str]:
    """Without them a fence or a formula inside is shown raw."""
    shown = [(cell.id, text) for cell in lesson.code for output in cell.outputs for text in texts(output)]
    for name, text in shown + [(cell.id, cell.source) for cell in lesson.prose]:
        if re.search(r"</summary>(?![ \t]*\n[ \t]*\n)|(?<!\n\n)</details>", text):
            yield f"{name}: no blank line after </summary> or before </details>"
        if not text.count("<details") == text.count("</summary>") == text.count("</details>"):
            yield f"{name}: <details>, <summary> and their ends don't match"


def code_follows_prose(lesson: Lesson) -> Iterator[str]:
    cells = lesson.notebook.cells
    for before, cell in zip([None, *cells], cells):
        if cell.cell_type == "code" and (before is None or before.cell_type != "markdown"):
            yield cell.id


def code_cells_are_short(lesson: Lesson) -> Iterator[str]:
    lines = sorted(map(code_lines, lesson.code))
    if lines[-1] > MAX_CODE_LINES:
        yield f"a cell of {lines[-1]} lines"
    if (nine_in_ten := lines[int(0.9 * (len(lines) - 1))]) > MAX_CODE_LINES_OF_NINE_IN_TEN:
        yield f"nine cells in ten have up to {nine_in_ten} lines"
    if (median := statistics.median(lines)) > MAX_CODE_LINES_MEDIAN:
        yield f"the median cell has {median} lines"


def prose_cells_are_short(lesson: Lesson) -> Iterator[str]:
    for cell in lesson.prose:
        if (length := words(cell)) > MAX_PROSE_WORDS:
            yield f"{cell.id}: {length} words"


def is_short(lesson: Lesson) -> Iterator[str]:
    is_long = lesson.name.startswith(("06_", "07_"))
    max_cells, max_words = (MAX_CELLS_LONG, MAX_WORDS_LONG) if is_long else (MAX_CELLS, MAX_WORDS)
    if (cells := len(lesson.notebook.cells)) > max_cells:
        yield f"{cells} cells"
    if (length := sum(map(words, lesson.prose))) > max_words:
        yield f"{length} words"
    if (size := lesson.path.stat().st_size) > MAX_BYTES:
        yield f"{size} bytes"


RULES = [
    is_valid,
    is_in_normal_form,
    is_executed_from_a_clean_start,
    has_no_errors,
    outputs_tell_nothing_of_a_machine,
    outputs_have_no_bare_numpy_scalar,
    pictures_have_words,
    pictures_are_small,
    details_have_their_blank_lines,
    code_follows_prose,
    code_cells_are_short,
    prose_cells_are_short,
    is_short,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_lesson(lesson, rule):
    assert not list(rule(lesson))


def test_there_are_lessons():
    assert LESSONS


def test_setup_cell_is_the_same_in_all_lessons():
    assert len({lesson.code[0].source for lesson in LESSONS}) == 1


def exempt_cells(chosen: list[Lesson]) -> list[str]:
    """The cells that nbval is told not to compare, or to let fail."""
    return [
        f"{lesson.name} {cell.id}"
        for lesson in chosen
        for cell in lesson.code
        if [*find_comment_markers(cell.source), *find_metadata_tags(cell.metadata)]
    ]


def test_no_cell_is_exempt_from_comparison():
    assert len(exempt_cells(LESSONS)) == CELLS_EXEMPT_FROM_COMPARISON


def test_ruff_has_nothing_to_say():
    command = [sys.executable, "-m", "ruff", "check", "--output-format=concise", ROOT]
    ruff = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert ruff.returncode == 0, ruff.stdout + ruff.stderr
