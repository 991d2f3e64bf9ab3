"""Rebuild tests/fixtures/torch_attention.npz, PyTorch's answers for machines without it.

python tests/make_fixtures.py
"""

from pathlib import Path

import numpy as np
import torch

FIXTURES = Path(__file__).parent / "fixtures" / "torch_attention.npz"

# Shapes of Q, K and V with all sizes different; the last is a batch of heads that share their values.
CASES = {
    "plain": ((3, 4), (5, 4), (5, 2), None),
    "scaled": ((3, 4), (5, 4), (5, 2), 0.3),
    "batch": ((2, 3, 4, 6), (2, 3, 7, 6), (2, 1, 7, 5), None),
}


def main() -> None:
    rng = np.random.default_rng(1)
    arrays = {}
    for case, (*shapes, scale) in CASES.items():
        for dtype in ("float32", "float64"):
            Q, K, V = (rng.normal(size=shape).astype(dtype) for shape in shapes)
            tensors = [
                torch.from_numpy(np.broadcast_to(a, Q.shape[:-2] + a.shape[-2:]).copy()) for a in (Q, K, V)
            ]
            output = torch.nn.functional.scaled_dot_product_attention(*tensors, scale=scale).numpy()
            named = {
                "Q": Q,
                "K": K,
                "V": V,
                "scale": np.array(np.nan if scale is None else scale),
                "output": output,
            }
            arrays |= {f"{case}-{dtype}/{name}": array for name, array in named.items()}
    np.savez(FIXTURES, **arrays)


if __name__ == "__main__":
    main()
