"""Stored outputs hold on other machines' arithmetic: other kernels of OpenBLAS add in another order.

All kernels, each with one thread and with two, take their turn in `make test-environments`; here are three.
"""

import os
import subprocess
import sys

import pytest

from tools.environments import environments, run_lessons
from tools.lessons import lessons

# Asks the very library that numpy has loaded for the kernel that it runs.
ASK = """
import ctypes, numpy, pathlib
(library,) = pathlib.Path(numpy.__file__).parents[1].glob("numpy.libs/*openblas*")
ask = ctypes.CDLL(str(library)).scipy_openblas_get_corename64_
ask.restype = ctypes.c_char_p
print(ask().decode())
"""


def kernel(settings: dict[str, str]) -> str:
    """The kernel of OpenBLAS that numpy runs with these settings, or nothing if it has another library."""
    ran = subprocess.run(
        [sys.executable, "-c", ASK], env={**os.environ, **settings}, capture_output=True, encoding="utf-8", check=False
    )
    return ran.stdout.strip()


@pytest.mark.long
@pytest.mark.parametrize("name", ["Nehalem, 1 thread", "Sandybridge, 2 threads", "Haswell, 1 thread"])
def test_lessons_hold_with(name, lack):
    environment = environments()[name]
    if kernel(environment.settings) != environment.settings["OPENBLAS_CORETYPE"]:
        lack(f"numpy's library here has no kernel for {name}")
    ran = run_lessons(environment, [lesson.path for lesson in lessons()])
    assert ran.returncode == 0, ran.stdout
