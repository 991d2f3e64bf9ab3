"""A pytest plugin for the lessons: pictures are compared too, and kernels in parallel never meet on a port.

nbval runs each lesson in a kernel of its own and compares every output but the pictures. Those are compared
here, as part of the same run.
"""

import os
import socket
import sys
import zlib
from collections.abc import Callable, Iterator
from importlib.metadata import version
from io import BytesIO
from itertools import cycle

import numpy as np
import pytest
from jupyter_client.manager import KernelManager
from nbval.plugin import IPyNbCell
from PIL import Image

from tools.lessons import pictures, reference_pins

RENDERERS = ("matplotlib", "pillow")  # the packages that decide on pixels
LEVELS = 2  # of 255: how far a channel may be off
FIRST_PORT, PORTS_A_RUN, PORTS_A_WORKER = 12_000, 2_000, 250  # below those that systems hand out themselves


def pytest_configure(config: pytest.Config) -> None:
    """Wrap nbval's comparison and its starting of kernels."""
    IPyNbCell.compare_outputs = _with_pictures(IPyNbCell.compare_outputs)
    KernelManager.start_kernel = _on_own_ports(KernelManager.start_kernel, _free_ports(config))


def pytest_report_header() -> str:
    """Say in pytest's first lines whether pictures are compared."""
    return f"pictures of the lessons: {other_renderer() or 'compared pixel for pixel'}"


def other_renderer() -> str:
    """Why pixels can't be compared here, or nothing if they can.

    Another minor version of matplotlib moves pixels by more than one changed cell of a heatmap does, so that
    no tolerance could tell the two apart.
    """
    pins = reference_pins()
    for package in RENDERERS:
        here, there = (".".join(text.split(".")[:2]) for text in (version(package), pins[package]))
        if here != there:
            return f"not compared: {package} {here} is not the reference's {there}"
    return "" if sys.platform == "linux" else "not compared: the reference is Linux"


def picture_difference(stored: list[bytes], drawn: list[bytes], pixels: bool = True) -> str:
    """What tells the stored PNG pictures of a cell from those newly drawn.

    Parameters
    ----------
    stored, drawn : list of bytes
        PNG files.
    pixels : bool
        Whether to compare the pixels, or just how many pictures there are.

    Returns
    -------
    str
        Empty if there is no difference.
    """
    if len(stored) != len(drawn):
        return f"{len(stored)} pictures are stored, {len(drawn)} were drawn"
    for number, pair in enumerate(zip(stored, drawn), start=1):
        if pixels and (difference := _pixel_difference(*pair)):
            return f"picture {number} of the cell differs: {difference}"
    return ""


def _pixel_difference(stored: bytes, drawn: bytes) -> str:
    if stored == drawn:
        return ""
    old, new = (np.int16(Image.open(BytesIO(png)).convert("RGBA")) for png in (stored, drawn))
    if old.shape != new.shape:
        return f"{old.shape[1]}×{old.shape[0]} pixels are stored, {new.shape[1]}×{new.shape[0]} were drawn"
    off = np.abs(old - new).max(axis=2)
    return f"{(off > LEVELS).sum()} pixels, by up to {off.max()} levels of 255" if off.max() > LEVELS else ""


def _with_pictures(compare_texts: Callable) -> Callable:
    def compare_outputs(cell, test, ref, skip_compare=None):
        if not compare_texts(cell, test, ref, skip_compare):
            return False
        difference = picture_difference(pictures(ref), pictures(test), pixels=not other_renderer())
        cell.comparison_traceback.append(difference)
        return not difference

    return compare_outputs


def _free_ports(config: pytest.Config) -> Iterator[int]:
    """Ports from a range of this worker's own; another run on the machine most likely has another range."""
    worker = getattr(config, "workerinput", {"workerid": "gw0", "testrunuid": str(os.getpid())})
    run, number = zlib.crc32(worker["testrunuid"].encode()) % 8, int(worker["workerid"].removeprefix("gw"))
    first = FIRST_PORT + run * PORTS_A_RUN + number * PORTS_A_WORKER
    return filter(_is_free, cycle(range(first, first + PORTS_A_WORKER)))


def _is_free(port: int) -> bool:
    with socket.socket() as trial:
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _on_own_ports(start_kernel: Callable, ports: Iterator[int]) -> Callable:
    def start(manager, **kwargs):
        manager.cache_ports = False  # or the manager would choose them itself
        for channel in ("shell", "iopub", "stdin", "hb", "control"):
            setattr(manager, f"{channel}_port", next(ports))
        return start_kernel(manager, **kwargs)

    return start
