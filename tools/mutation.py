"""A score line by line: cosmic-ray changes every operator, number and condition of a module, one at a time.

    python -m tools.mutation [MODULE ...]

The modules are attention, story and verdict; all together take an hour or two. Printed are the changes that a
module's tests don't find, and their share in per cent; more than `ALLOWED` is a failure.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.mutants import copy_course

ALLOWED = 10  # per cent
MODULES = {  # the file, and the tests that are to find what is wrong with it
    "attention": ("helpers/attention.py", "tests/test_validation.py tests/test_attention.py"),
    "story": ("helpers/story.py", "tests/test_story.py"),
    "verdict": ("helpers/checks/verdict.py", "tests/test_verdict.py tests/test_checks.py"),
}
# No `|` is calculated in these modules: it stands in type hints, which are never evaluated.
SETTINGS = """
[cosmic-ray]
module-path = ["{file}"]
timeout = 300.0
excluded-modules = []
test-command = "{python} -m pytest -n0 -x -q -p no:cacheprovider {tests}"
[cosmic-ray.distributor]
name = "local"
[cosmic-ray.filters.operators-filter]
exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]
"""
COMMANDS = (
    "cosmic-ray init settings.toml session.sqlite",
    "cr-filter-operators session.sqlite settings.toml",
    "cosmic-ray exec settings.toml session.sqlite",
    "cr-report --surviving-only --show-diff session.sqlite",
    f"cr-rate --fail-over {ALLOWED} session.sqlite",
)


def is_found_out(name: str) -> bool:
    """Change a module in a copy of the course, print what survives, and return whether that is little enough."""
    file, tests = MODULES[name]
    with TemporaryDirectory() as folder:
        course = copy_course(Path(folder))
        settings = SETTINGS.format(file=file, tests=tests, python=sys.executable)
        (course / "settings.toml").write_text(settings, encoding="utf-8")
        for command in COMMANDS:
            tool, *options = command.split()
            ran = subprocess.run([Path(sys.executable).with_name(tool), *options], cwd=course)
    return ran.returncode == 0


def main(names: list[str]) -> None:
    """Score the modules that are named, or all."""
    results = [is_found_out(name) for name in names or MODULES]
    sys.exit(not all(results))


if __name__ == "__main__":
    main(sys.argv[1:])
