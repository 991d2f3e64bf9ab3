"""The stored head and layer of the real model: made by the tool, reached by the course's own attention."""

import numpy as np
import pytest

from helpers.attention import attention
from helpers.minilm import DATA, stored

N_HEADS = 12


@pytest.fixture(scope="module")
def head():
    return stored("real_head")


@pytest.fixture(scope="module")
def layer():
    return stored("real_layer")


@pytest.fixture(scope="module")
def tool(lack, torch):
    try:
        from tools import real_head
    except ImportError as missing:
        lack(f"{missing.name} is not installed")
    return real_head


def ask(X, arrays):
    """Queries, keys and values of X."""
    return [X @ arrays[f"W_{name}"] + arrays[f"b_{name}"] for name in "qkv"]


def split(A):
    """(n_tokens, d_model) to (n_heads, n_tokens, d_k)."""
    return np.stack(np.split(A, N_HEADS, axis=1))


@pytest.mark.parametrize("name", ["pen", "blog", "laptop", "wrong", "alone"])
def test_our_attention_gives_the_models_weights(head, name):
    _, weights = attention(*ask(head[f"{name}_X"], head))
    np.testing.assert_allclose(weights, head[f"{name}_weights"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(weights, head[f"{name}_atlas"][3, 1], rtol=0, atol=1e-3)


def test_our_attention_gives_the_whole_layers_output(head, layer):
    outputs, weights = attention(*map(split, ask(head["pen_X"], layer)))
    merged = np.concatenate(list(outputs), axis=1)  # (n_tokens, d_model)
    np.testing.assert_allclose(weights, layer["weights"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(merged @ layer["W_o"] + layer["b_o"], layer["output"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["W_q", "W_k", "W_v", "b_q", "b_k", "b_v"])
def test_the_head_is_the_second_of_the_layer(head, layer, name):
    np.testing.assert_array_equal(head[name], np.split(layer[name], N_HEADS, axis=-1)[1])


@pytest.mark.parametrize(
    "name, query, key, weight",
    [
        ("pen", "it", "pen", 0.50),
        ("pen", "it", "my", 0.33),
        ("pen", "my", "pen", 0.73),
        ("pen", "the", "desk", 0.38),
        ("blog", "it", "blog", 0.55),
        ("laptop", "it", "laptop", 0.44),
        ("wrong", "it", "pen", 0.45),
        ("alone", "it", "[CLS]", 0.84),
    ],
)
def test_the_story_holds(head, name, query, key, weight):
    tokens = head[f"{name}_tokens"]
    found = head[f"{name}_weights"][tokens.index(query)]
    assert round(found[tokens.index(key)], 2) == weight


def test_the_atlas_holds_every_heads_weights(head):
    atlas = head["pen_atlas"]
    assert atlas.shape == (6, 12, 20, 20)
    np.testing.assert_allclose(atlas.sum(axis=-1), 1, rtol=0, atol=20 * 0.0005 + 1e-3)
    assert atlas[0, 2, np.arange(1, 20), np.arange(19)].min() > 0.99  # the head that looks one token back


def test_the_files_are_small():
    sizes = [path.stat().st_size for path in sorted(DATA.glob("*.npz"))]
    assert len(sizes) == 2 and sizes[0] <= 600_000 and sum(sizes) <= 3_000_000


def test_the_tool_makes_these_files(tool, tmp_path):
    tool.main(tmp_path)
    for file in sorted(DATA.glob("*.npz")):
        old, new = np.load(file), np.load(tmp_path / file.name)
        assert old.files == new.files
        for name in old.files:
            assert old[name].dtype == new[name].dtype and old[name].shape == new[name].shape
            if old[name].dtype.kind == "U":
                assert old[name].tolist() == new[name].tolist()
            else:
                tolerance = 1e-3 if name.endswith("atlas") else 1e-6  # a rounded digit may tip over
                np.testing.assert_allclose(new[name], old[name], rtol=0, atol=tolerance)
