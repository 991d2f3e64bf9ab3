"""The speed of the maths: `attention` and `attention_in_blocks` against the limit, and PyTorch beside them.

    python -m tools.bench_maths

The limit is what no numpy version of attention can do without: two matrix products and one exp over the
scores, in memory that is there already. float32, d_k = d_v = 64, one thread each. All functions take turns
within one run, and the clock counts processor time, so that other programs disturb the ratios little.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from helpers.attention import attention, attention_in_blocks

SIZES = (256, 512, 1024, 2048, 4096, 8192)
D = 64
ROUNDS = 7
SAMPLE = 0.05  # seconds: a shorter call is repeated until a sample is about that long
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


def contenders(n: int) -> dict[str, Callable[[], object]]:
    """What is measured for n tokens: by name, a function without arguments; "limit" comes first."""
    rng = np.random.default_rng(0)
    Q, K, V = (rng.standard_normal((n, D), dtype=np.float32) for _ in range(3))
    scores, output = np.empty((n, n), np.float32), np.empty((n, D), np.float32)
    scaled = Q / np.float32(8)  # √64

    def limit() -> None:
        np.matmul(scaled, K.mT, out=scores)
        np.exp(scores, out=scores)
        np.matmul(scores, V, out=output)

    found = {
        "limit": limit,
        "attention": lambda: attention(Q, K, V),
        "attention_in_blocks": lambda: attention_in_blocks(Q, K, V),
    }
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(1)
    tensors = [torch.from_numpy(array[None, None]) for array in (Q, K, V)]
    return {**found, "PyTorch": lambda: torch.nn.functional.scaled_dot_product_attention(*tensors)}


def measure(n: int) -> dict[str, float]:
    """The least seconds of processor time that each contender took for n tokens."""
    functions = contenders(n)
    calls, best = {}, {}
    for name, function in functions.items():
        start = time.process_time()
        function()  # the first call warms up
        calls[name] = 1 + int(SAMPLE / max(time.process_time() - start, 1e-6))
    for _ in range(ROUNDS):
        for name, function in functions.items():
            start = time.process_time()
            for _ in range(calls[name]):
                function()
            took = (time.process_time() - start) / calls[name]
            best[name] = min(took, best.get(name, took))
    return best


def table(rows: dict[int, dict[str, float]]) -> str:
    """Markdown: milliseconds of the limit, each contender as a multiple of it, and blocks by PyTorch."""
    names = [name for name in next(iter(rows.values())) if name != "limit"]
    header = ["n", "limit (ms)", *(f"{name} / limit" for name in names)]
    if "PyTorch" in names:
        header.append("attention_in_blocks / PyTorch")
    lines = [
        "| " + " | ".join(header) + " |",
        "|" + "|".join("-" * (len(title) + 1) + ":" for title in header) + "|",
    ]
    for n, best in rows.items():
        cells = [
            str(n),
            f"{1000 * best['limit']:.2f}",
            *(f"{best[name] / best['limit']:.2f}" for name in names),
        ]
        if "PyTorch" in names:
            cells.append(f"{best['attention_in_blocks'] / best['PyTorch']:.2f}")
        lines.append("| " + " | ".join(cell.rjust(len(title)) for cell, title in zip(cells, header)) + " |")
    return "\n".join(lines)


def main() -> int:
    """Print the table, from a process of its own if threads aren't limited yet: numpy reads that once."""
    if not ONE_THREAD.items() <= os.environ.items():
        command = [sys.executable, "-m", "tools.bench_maths"]
        return subprocess.run(command, env={**os.environ, **ONE_THREAD}, check=False).returncode
    print(table({n: measure(n) for n in SIZES}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
