"""Rebuild tests/fixtures/torch_*.npz, PyTorch's answers for machines without it.

python tests/make_fixtures.py
"""

from pathlib import Path

import numpy as np
import torch

FIXTURES = Path(__file__).parent / "fixtures" / "torch_attention.npz"
HEADS = FIXTURES.with_name("torch_heads.npz")

# Shapes of Q, K and V with all sizes different, the scale, and how far a mask lets the queries see. The
# batches are of heads that share their values.
CASES = {
    "plain": ((3, 4), (5, 4), (5, 2), None, None),
    "scaled": ((3, 4), (5, 4), (5, 2), 0.3, None),
    "batch": ((2, 3, 4, 6), (2, 3, 7, 6), (2, 1, 7, 5), None, None),
    "masked": ((3, 4), (5, 4), (5, 2), None, 2),
    "masked-batch": ((2, 3, 4, 6), (2, 3, 7, 6), (2, 1, 7, 5), 0.3, 3),
}


def main() -> None:
    rng = np.random.default_rng(1)
    arrays = {}
    for case, (*shapes, scale, sight) in CASES.items():
        for dtype in ("float32", "float64"):
            Q, K, V = (rng.normal(size=shape).astype(dtype) for shape in shapes)
            tensors = [
                torch.from_numpy(np.broadcast_to(a, Q.shape[:-2] + a.shape[-2:]).copy()) for a in (Q, K, V)
            ]
            may_attend = np.tri(Q.shape[-2], K.shape[-2], 10 if sight is None else sight, dtype=bool)
            output = torch.nn.functional.scaled_dot_product_attention(
                *tensors, attn_mask=torch.from_numpy(may_attend), scale=scale
            ).numpy()
            named = {
                "Q": Q,
                "K": K,
                "V": V,
                "scale": np.array(np.nan if scale is None else scale),
                "may_attend": may_attend,
                "output": output,
            }
            arrays |= {f"{case}-{dtype}/{name}": array for name, array in named.items()}
    np.savez(FIXTURES, **arrays)
    layers = {dtype: heads(dtype) for dtype in ("float32", "float64")}
    np.savez(HEADS, **{f"{dtype}/{name}": layers[dtype][name] for dtype in layers for name in layers[dtype]})


def heads(dtype: str) -> dict[str, np.ndarray]:
    """A layer of 3 random heads of width 4, and what it makes of two sentences, the future masked."""
    torch.manual_seed(2)
    layer = torch.nn.MultiheadAttention(12, 3, batch_first=True, dtype=getattr(torch, dtype))
    torch.nn.init.normal_(layer.in_proj_bias)
    torch.nn.init.normal_(layer.out_proj.bias)
    X = torch.randn(2, 5, 12, dtype=getattr(torch, dtype))
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)  # to this layer, True is what may not be looked at
    output, weights = layer(X, X, X, attn_mask=hidden, average_attn_weights=False)
    tensors = {
        "X": X,
        "W": layer.in_proj_weight.mT,  # the columns of W_q, W_k and W_v, in this order
        "b": layer.in_proj_bias,
        "W_o": layer.out_proj.weight.mT,
        "b_o": layer.out_proj.bias,
        "may_attend": ~hidden,
        "output": output,
        "weights": weights,
    }
    return {name: tensor.detach().numpy() for name, tensor in tensors.items()}


if __name__ == "__main__":
    main()
