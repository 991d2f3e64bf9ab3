"""The maths: against plain loops, SciPy and PyTorch, and by the properties it must have.

For machines without PyTorch its answers are stored in fixtures/torch_attention.npz and torch_heads.npz; where
it is installed, it is asked anew. `python tests/make_fixtures.py` rebuilds the files.
"""

import math
import re
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.special
from conftest import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.attention import (
    SelfAttention,
    attention,
    attention_in_blocks,
    dot_product_scores,
    merge_heads,
    multi_head_attention,
    softmax,
    split_heads,
    weigh_values,
)

FIXTURES = np.load(Path(__file__).parent / "fixtures" / "torch_attention.npz")
HEADS = np.load(Path(__file__).parent / "fixtures" / "torch_heads.npz")
TOLERANCE = {"float32": 1e-6, "float64": 1e-14}
pytestmark = pytest.mark.filterwarnings("error")
settings.register_profile("maths", deadline=None, derandomize=True, max_examples=tries(25))
settings.load_profile("maths")


def draw(*shapes, dtype=np.float64, seed=0):
    """Normal arrays of these shapes."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def blocks_and_nothing(Q, K, V):
    """`attention_in_blocks` with the signature of `attention`."""
    return attention_in_blocks(Q, K, V), None


BOTH = pytest.mark.parametrize("attend", [attention, blocks_and_nothing])


# --- Plain loops ------------------------------------------------------------------------------------------


def loop_attention(Q, K, V, scale):
    """Attention in plain Python floats: output and weights as lists."""
    outputs, all_weights = [], []
    for q in Q:
        scores = [scale * math.fsum(a * b for a, b in zip(q, k)) for k in K]
        exps = [math.exp(score - max(scores)) for score in scores]
        weights = [e / math.fsum(exps) for e in exps]
        all_weights.append(weights)
        outputs.append([math.fsum(w * v[j] for w, v in zip(weights, V)) for j in range(len(V[0]))])
    return outputs, all_weights


@pytest.mark.parametrize("scale", [None, 1.0, -2, 0.25])
def test_attention_equals_plain_loops(scale):
    Q, K, V = draw((3, 4), (5, 4), (5, 2))
    output, weights = attention(Q, K, V, scale)
    wanted_output, wanted_weights = loop_attention(Q.tolist(), K.tolist(), V.tolist(), scale or 0.5)
    np.testing.assert_allclose(output, wanted_output, rtol=1e-13)
    np.testing.assert_allclose(weights, wanted_weights, rtol=1e-13)


def test_each_step_by_hand():
    """Digits worked out on paper."""
    np.testing.assert_array_equal(dot_product_scores([[1, 2], [3, 4]], [[1, 0], [2, 1]]), [[1, 4], [3, 10]])
    np.testing.assert_allclose(softmax([[1, 2], [3, 3]]), [[0.269, 0.731], [0.5, 0.5]], atol=5e-4)
    np.testing.assert_allclose(weigh_values([[0.9, 0.1], [0.4, 0.6]], [[10, 0], [0, 20]]), [[9, 2], [4, 12]])


def test_the_axes_are_those_of_queries_and_keys():
    """In a matrix that isn't symmetric, a key moves its own column and a query its own row."""
    Q, K = draw((3, 4), (5, 4))
    K2, Q2 = K.copy(), Q.copy()
    K2[1] += 1
    Q2[1] += 1
    moved_by_key = dot_product_scores(Q, K2) != dot_product_scores(Q, K)
    moved_by_query = dot_product_scores(Q2, K) != dot_product_scores(Q, K)
    assert moved_by_key.any(axis=0).tolist() == [False, True, False, False, False]
    assert moved_by_query.any(axis=1).tolist() == [False, True, False]


def test_self_attention_is_attention_of_three_products():
    X, W_q, W_k, W_v = draw((7, 6), (6, 4), (6, 4), (6, 3))
    output, weights = SelfAttention(W_q, W_k, W_v)(X)
    Q, K, V = (
        [[math.fsum(x * w for x, w in zip(token, column)) for column in W.T] for token in X]
        for W in (W_q, W_k, W_v)
    )
    wanted_output, wanted_weights = loop_attention(Q, K, V, 1 / 2)
    np.testing.assert_allclose(output, wanted_output, rtol=1e-12)
    np.testing.assert_allclose(weights, wanted_weights, rtol=1e-12)


# --- SciPy and PyTorch ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5)])
def test_softmax_equals_scipy(shape, dtype):
    (scores,) = draw(shape, dtype=dtype)
    for factor in (1, 30, 1e4):
        wanted = scipy.special.softmax(scores * scores.dtype.type(factor), axis=-1)
        np.testing.assert_allclose(
            softmax(scores * scores.dtype.type(factor)), wanted, rtol=10 * TOLERANCE[dtype]
        )


@pytest.mark.parametrize("case", sorted({name.split("/")[0] for name in FIXTURES}))
def test_equals_stored_pytorch(case):
    names = ("Q", "K", "V", "scale", "may_attend", "output")
    Q, K, V, scale, may_attend, wanted = (FIXTURES[f"{case}/{name}"] for name in names)
    output, weights = attention(Q, K, V, None if np.isnan(scale) else scale, may_attend)
    assert output.dtype == wanted.dtype
    assert not weights[..., ~may_attend].any()
    np.testing.assert_allclose(output, wanted, atol=TOLERANCE[wanted.dtype.name])
    if np.isnan(scale) and may_attend.all():
        np.testing.assert_allclose(attention_in_blocks(Q, K, V), wanted, atol=TOLERANCE[wanted.dtype.name])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("scale", [None, 0.7])
def test_equals_live_pytorch(torch, dtype, scale):
    Q, K, V = draw((2, 3, 300, 8), (2, 3, 700, 8), (2, 3, 700, 5), dtype=dtype)
    tensors = map(torch.from_numpy, (Q, K, V))
    wanted = torch.nn.functional.scaled_dot_product_attention(*tensors, scale=scale).numpy()
    np.testing.assert_allclose(
        attention(Q, K, V, scale)[0], wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype]
    )
    if scale is None:
        np.testing.assert_allclose(
            attention_in_blocks(Q, K, V), wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype]
        )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("mask_shape", [(6, 7), (3, 6, 7), (2, 1, 6, 7), (7,), (6, 1), (2, 3, 1, 7)])
def test_a_mask_equals_live_pytorch(torch, dtype, mask_shape):
    """To this function of PyTorch, as here, True is what may be looked at."""
    Q, K, V = draw((2, 3, 6, 8), (2, 3, 7, 8), (2, 3, 7, 5), dtype=dtype)
    may_attend = np.random.default_rng(3).random(mask_shape) < 0.6
    may_attend[..., 0] = True
    tensors = map(torch.from_numpy, (Q, K, V))
    mask = torch.from_numpy(np.broadcast_to(may_attend, (2, 3, 6, 7)).copy())
    wanted = torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=mask).numpy()
    output, weights = attention(Q, K, V, may_attend=may_attend)
    assert output.dtype == weights.dtype == dtype
    np.testing.assert_allclose(output, wanted, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_heads_equal_stored_pytorch(dtype):
    names = "X W b W_o b_o may_attend output weights".split()
    X, W, b, W_o, b_o, may_attend, wanted, wanted_weights = (HEADS[f"{dtype}/{name}"] for name in names)
    Q, K, V = np.split(X @ W + b, 3, axis=-1)
    output, weights = multi_head_attention(Q, K, V, W_o, 3, may_attend)
    assert output.dtype == weights.dtype == dtype
    np.testing.assert_allclose(output + b_o, wanted, atol=5 * TOLERANCE[dtype])
    np.testing.assert_allclose(weights, wanted_weights, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("masked", [False, True])
def test_heads_equal_live_pytorch(torch, dtype, masked):
    """To this layer of PyTorch, unlike here, True is what may not be looked at."""
    asking, asked, W, W_o = draw((2, 4, 24), (2, 7, 24), (24, 72), (24, 24), dtype=dtype)
    W, W_o = W / 5, W_o / 5
    may_attend = np.tri(4, 7, 3, dtype=bool) if masked else np.ones((4, 7), dtype=bool)
    layer = torch.nn.MultiheadAttention(24, 6, bias=False, batch_first=True, dtype=getattr(torch, dtype))
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.from_numpy(W).mT)
        layer.out_proj.weight.copy_(torch.from_numpy(W_o).mT)
        texts = [torch.from_numpy(text) for text in (asking, asked, asked)]
        wanted = layer(*texts, attn_mask=torch.from_numpy(~may_attend), average_attn_weights=False)
    W_q, W_k, W_v = np.split(W, 3, axis=1)
    found = multi_head_attention(asking @ W_q, asked @ W_k, asked @ W_v, W_o, 6, may_attend)
    for ours, theirs in zip(found, wanted):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=10 * TOLERANCE[dtype])


# --- Blocks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_queries", [1, 255, 256, 257, 600])
@pytest.mark.parametrize("n_keys", [1, 511, 512, 513, 1100])
@pytest.mark.parametrize("size", [1, 40])  # at 40 exp would overflow, were the largest score not subtracted
def test_blocks_equal_the_whole(n_queries, n_keys, size):
    Q, K, V = draw((n_queries, 8), (n_keys, 8), (n_keys, 3), dtype=np.float32)
    Q *= size
    output = attention_in_blocks(Q, K, V)
    assert output.dtype == np.float32
    if size == 1:
        np.testing.assert_allclose(output, attention(Q, K, V)[0], atol=1e-6)
    else:  # scores near 100 are themselves known to 1e-5 only: compare both with the truth
        truth, _ = attention(Q.astype(np.float64), K, V)
        np.testing.assert_allclose(output, truth, atol=2e-4)


def test_blocks_meet_the_largest_score_late():
    """What was added up before a larger score came must shrink, in each row by its own measure."""
    Q, V = draw((3, 4), (1500, 2))
    K = np.linspace(-1, 1, 1500)[:, None] * np.array([[300.0, -200, 100, 50]])
    np.testing.assert_allclose(attention_in_blocks(Q, K, V), attention(Q, K, V)[0], atol=1e-12)


@pytest.mark.parametrize("batch", [(), (1,)])
def test_blocks_know_a_long_key_by_all_its_numbers(batch):
    """Each of them is small, yet together they make a score of 800, whose exp overflows."""
    Q, K = np.full((*batch, 1, 400), 20.0), np.full((*batch, 2, 400), 2.0)
    V = np.broadcast_to([[1.0], [3]], (*batch, 2, 1))
    np.testing.assert_allclose(attention_in_blocks(Q, K, V), np.full((*batch, 1, 1), 2))


def test_memory():
    """`attention` holds three n x n arrays at most, `attention_in_blocks` none."""
    n = 1024
    Q, K, V = draw((n, 4), (n, 4), (n, 4), dtype=np.float32)

    def peak(function, *arguments):
        tracemalloc.start()
        function(*arguments)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(attention, Q, K, V) < 3.1 * 4 * n**2
    assert peak(attention, Q, K, V, None, np.tri(n, dtype=bool)) < 3.1 * 4 * n**2
    assert peak(attention_in_blocks, Q, K, V) < 0.5 * 4 * n**2
    twice = [np.concatenate([array, array]) for array in (Q, K, V)]
    assert peak(attention_in_blocks, *twice) < 1.5 * peak(attention_in_blocks, Q, K, V)


# --- Properties -------------------------------------------------------------------------------------------

finite = st.floats(-50, 50, width=32)
rows = hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=finite)


@st.composite
def triples(draw, elements=finite, dtype=np.float64):
    """Q, K and V that fit."""
    n_queries, n_keys, d_k, d_v = (draw(st.integers(1, 5)) for _ in range(4))
    shapes = (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    return [draw(hnp.arrays(dtype, shape, elements=elements)) for shape in shapes]


@given(rows)
def test_softmax_makes_shares(scores):
    weights = softmax(scores)
    assert ((weights >= 0) & (weights <= 1)).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)


@given(rows, st.floats(-1000, 1000))
def test_softmax_ignores_a_shift(scores, shift):
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), rtol=1e-11)


@given(rows)
def test_softmax_keeps_the_order(scores):
    weights = softmax(scores)
    higher = scores[:, :, None] > scores[:, None, :]
    assert (weights[:, :, None] >= weights[:, None, :])[higher].all()


@BOTH
@given(triples(), st.randoms())
def test_shuffled_queries_shuffle_the_output(attend, QKV, random):
    Q, K, V = QKV
    order = random.sample(range(len(Q)), len(Q))
    np.testing.assert_allclose(attend(Q[order], K, V)[0], attend(Q, K, V)[0][order], atol=1e-11)


@BOTH
@given(triples(), st.randoms())
def test_shuffled_keys_change_nothing(attend, QKV, random):
    Q, K, V = QKV
    order = random.sample(range(len(K)), len(K))
    np.testing.assert_allclose(attend(Q, K[order], V[order])[0], attend(Q, K, V)[0], atol=1e-10)


@given(triples(), st.floats(-4, 4))
def test_scale_multiplies_the_scores(QKV, scale):
    """Be it given, or done to the queries beforehand."""
    Q, K, V = QKV
    for scaled, beforehand in zip(attention(Q, K, V, scale), attention(scale * Q, K, V, 1)):
        np.testing.assert_allclose(scaled, beforehand, atol=1e-9)


@given(triples())
def test_the_scale_is_one_over_the_root_of_d_k(QKV):
    Q, K, V = QKV
    for without, with_scale in zip(attention(Q, K, V), attention(Q, K, V, Q.shape[1] ** -0.5)):
        np.testing.assert_allclose(without, with_scale, atol=1e-10)


@BOTH
@given(triples())
def test_the_output_stays_among_the_values(attend, QKV):
    output, _ = attend(*QKV)
    V = QKV[2]
    room = 1e-12 * np.abs(V).max()
    assert ((output >= V.min(axis=0) - room) & (output <= V.max(axis=0) + room)).all()


# --- Masks and heads --------------------------------------------------------------------------------------


def test_heads_by_hand():
    """Head by head in plain loops, the sizes all different."""
    Q, K, V, W_o = draw((3, 8), (5, 8), (5, 6), (6, 7))
    output, weights = multi_head_attention(Q, K, V, W_o, 2)
    assert output.shape == (3, 7) and weights.shape == (2, 3, 5)
    merged = [[], [], []]
    for h in range(2):
        q, k, v = ([row[h * d : (h + 1) * d] for row in A.tolist()] for A, d in ((Q, 4), (K, 4), (V, 3)))
        outputs, head_weights = loop_attention(q, k, v, 1 / 2)
        np.testing.assert_allclose(weights[h], head_weights, rtol=1e-12)
        merged = [before + found for before, found in zip(merged, outputs)]
    wanted = [[math.fsum(x * w for x, w in zip(row, column)) for column in W_o.T] for row in merged]
    np.testing.assert_allclose(output, wanted, rtol=1e-12)


def test_heads_own_columns():
    heads = split_heads(np.arange(12).reshape(3, 4), 2)
    np.testing.assert_array_equal(heads, [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]])


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.sampled_from([(), (2,), (3, 1)]))
def test_merging_undoes_splitting(n_heads, n_tokens, d, batch):
    (A,) = draw((*batch, n_tokens, n_heads * d))
    heads = split_heads(A, n_heads)
    assert heads.shape == (*batch, n_heads, n_tokens, d)
    np.testing.assert_array_equal(merge_heads(heads), A)


def test_one_head_is_attention():
    Q, K, V = draw((3, 4), (5, 4), (5, 2))
    output, weights = multi_head_attention(Q, K, V, np.eye(2), 1)
    np.testing.assert_array_equal(output, attention(Q, K, V)[0])
    np.testing.assert_array_equal(weights[0], attention(Q, K, V)[1])


def test_heads_of_a_batch_with_a_mask_each():
    Q, K, V, W_o = draw((2, 3, 8), (2, 5, 8), (2, 5, 6), (6, 7))
    may_attend = np.random.default_rng(3).random((2, 2, 3, 5)) < 0.5
    may_attend[..., 1] = True
    output, weights = multi_head_attention(Q, K, V, W_o, 2, may_attend)
    for i in range(2):
        one_output, one_weights = multi_head_attention(Q[i], K[i], V[i], W_o, 2, may_attend[i])
        np.testing.assert_allclose(output[i], one_output, rtol=1e-12)
        np.testing.assert_allclose(weights[i], one_weights, rtol=1e-12)


@st.composite
def masked_triples(draw):
    """Q, K and V, and which key each query may attend to."""
    Q, K, V = draw(triples())
    may_attend = draw(hnp.arrays(bool, (len(Q), len(K))))
    may_attend[:, draw(st.integers(0, len(K) - 1))] = True
    return Q, K, V, may_attend


@given(masked_triples())
def test_a_hidden_key_might_as_well_not_be_there(masked):
    Q, K, V, may_attend = masked
    output, weights = attention(Q, K, V, may_attend=may_attend)
    assert not weights[~may_attend].any()
    for i, seen in enumerate(may_attend):
        one_output, one_weights = attention(Q[i : i + 1], K[seen], V[seen])
        np.testing.assert_allclose(weights[i, seen], one_weights[0], rtol=1e-9)
        np.testing.assert_allclose(output[i], one_output[0], atol=1e-9)


def test_hidden_keys_get_nothing_however_low_the_seen_scores_are():
    _, weights = attention([[1e6]], [[-1e6], [-2e6], [-2e6]], [[1], [2], [3]], may_attend=[[True, False, False]])
    np.testing.assert_array_equal(weights, [[1, 0, 0]])


@given(triples())
def test_a_mask_that_hides_nothing_changes_nothing(QKV):
    for masked, plain in zip(attention(*QKV, may_attend=True), attention(*QKV)):
        np.testing.assert_array_equal(masked, plain)


def test_with_a_causal_mask_no_token_learns_of_later_ones():
    X, W_q, W_k, W_v = draw((7, 6), (6, 4), (6, 4), (6, 5))
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    output, _ = attention(Q, K, V, may_attend=np.tri(7, dtype=bool))
    for n in range(1, 8):
        first, _ = attention(Q[:n], K[:n], V[:n], may_attend=np.tri(n, dtype=bool))
        np.testing.assert_allclose(output[:n], first)
        np.testing.assert_allclose(output[n - 1], attention(Q[n - 1 : n], K[:n], V[:n])[0][0])


# --- The ends of the float range --------------------------------------------------------------------------

REAL = [np.float16, np.float32, np.float64]


@pytest.mark.parametrize("dtype", REAL)
def test_softmax_at_the_ends_of_the_float_range(dtype):
    limits = np.finfo(dtype)
    for scores, wanted in [
        ([limits.max, limits.min], [1, 0]),
        ([limits.max, limits.max], [0.5, 0.5]),
        ([limits.min, limits.min], [0.5, 0.5]),
        ([limits.smallest_subnormal, -limits.smallest_subnormal], [0.5, 0.5]),
        ([limits.tiny, 0, -limits.tiny, 0], [0.25] * 4),
        ([limits.max, -np.inf], [1, 0]),
        ([-np.inf, limits.min], [0, 1]),
        ([1000, 1001], [1 / (1 + math.e), 1 / (1 + 1 / math.e)]),
    ]:
        weights = softmax(np.array(scores, dtype))
        assert weights.dtype == dtype
        np.testing.assert_allclose(weights, wanted, rtol=4 * limits.eps)


@pytest.mark.parametrize("dtype", REAL)
@BOTH
def test_the_largest_and_smallest_values_pass_through(attend, dtype):
    """A single key gets all the attention, so its value comes out as it is."""
    limits = np.finfo(dtype)
    V = np.array([[limits.max, limits.min, limits.tiny, limits.smallest_subnormal, 0]], dtype)
    output, _ = attend(np.ones((1, 2), dtype), np.zeros((1, 2), dtype), V)
    np.testing.assert_array_equal(output, V)


def test_softmax_with_a_mask():
    np.testing.assert_allclose(softmax([[0, -np.inf, 0], [-np.inf, 5, -np.inf]]), [[0.5, 0, 0.5], [0, 1, 0]])


# --- Batches, dtypes, inputs ------------------------------------------------------------------------------


@BOTH
def test_a_batch_is_a_loop_over_it(attend):
    Q, K, V = draw((2, 1, 3, 4), (3, 5, 4), (2, 3, 5, 2))
    output, weights = attend(Q, K, V)
    assert output.shape == (2, 3, 3, 2)
    for i in range(2):
        for j in range(3):
            one_output, one_weights = attend(Q[i, 0], K[j], V[i, j])
            np.testing.assert_allclose(output[i, j], one_output, rtol=1e-12)
            if weights is not None:
                np.testing.assert_allclose(weights[i, j], one_weights, rtol=1e-12)


def test_a_batch_of_sentences_and_of_heads():
    X, W_q, W_k, W_v = draw((2, 1, 7, 6), (3, 6, 4), (3, 6, 4), (3, 6, 5))
    output, weights = SelfAttention(W_q, W_k, W_v)(X)
    assert output.shape == (2, 3, 7, 5) and weights.shape == (2, 3, 7, 7)
    np.testing.assert_allclose(output[1, 2], SelfAttention(W_q[2], W_k[2], W_v[2])(X[1, 0])[0], rtol=1e-12)


def every_result(Q, K, V):
    """What all the functions return."""
    layer = SelfAttention(K.mT, K.mT, K.mT)
    return [
        dot_product_scores(Q, K),
        softmax(Q),
        weigh_values(dot_product_scores(Q, K), V),
        *attention(Q, K, V),
        *attention(Q, K, V, scale=np.float64(0.5)),
        *attention(Q, K, V, may_attend=np.eye(len(Q), len(K), dtype=bool) | [True] + [False] * (len(K) - 1)),
        split_heads(Q, 2) + 0,  # by itself it may be a view
        merge_heads(np.stack([Q, Q])),
        *multi_head_attention(Q, K, V, np.ones((V.shape[-1], 3), V.dtype), 2, may_attend=True),
        attention_in_blocks(Q, K, V),
        *layer(np.ones((2, K.shape[-1]), K.dtype)),
    ]


@pytest.mark.parametrize(
    "given, wanted",
    [*((dtype, dtype) for dtype in REAL), *((d, np.float64) for d in (bool, np.int8, np.int64, np.uint64))],
)
def test_dtypes(given, wanted):
    Q, K, V = (np.ones(shape, given) for shape in ((3, 4), (5, 4), (5, 2)))
    assert {result.dtype for result in every_result(Q, K, V)} == {np.dtype(wanted)}


def test_lists_are_arrays():
    Q, K, V = [[1, 2]], [[3, 4], [5, 6]], [[1.5], [2.5]]
    for from_lists, from_arrays in zip(attention(Q, K, V), attention(*map(np.array, (Q, K, V)))):
        np.testing.assert_array_equal(from_lists, from_arrays)


def test_inputs_are_never_changed():
    inputs = draw((300, 4), (600, 4), (600, 4))
    copies = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    results = every_result(*inputs)
    assert not any(np.shares_memory(result, array) for result in results for array in inputs)
    np.testing.assert_equal(inputs, copies)


# --- Anything at all --------------------------------------------------------------------------------------


def exact_softmax(scores):
    """The weights of rows of fractions, or of -inf."""
    gaps = [[float(max(score - max(row), -10_000)) for score in row] for row in scores]
    return np.array([[math.exp(gap) / math.fsum(map(math.exp, row)) for gap in row] for row in gaps])


def exact_weights(Q, K, scale):
    """Weights of scores without rounding, and how far rounding in the dtype of Q may move a score."""
    q_rows, k_rows = ([[Fraction(x) for x in row] for row in array.tolist()] for array in (Q, K))
    products = [[[a * b for a, b in zip(q, k)] for k in k_rows] for q in q_rows]
    weights = exact_softmax([[Fraction(scale) * sum(pair) for pair in row] for row in products])
    limits, terms = np.finfo(Q.dtype), Q.shape[1] + 4
    largest = max(sum(map(abs, pair)) for row in products for pair in row)
    rounded = terms * Fraction(float(limits.eps)) * largest * abs(Fraction(scale))
    underflown = terms * Fraction(float(limits.smallest_subnormal)) * (abs(Fraction(scale)) + largest + 1)
    return weights, float(min(1, rounded + underflown))


def assert_right(Q, K, V, scale, output, weights=None):
    """Right but for rounding; no claim is made where rounding moves a score by over 0.01."""
    wanted, error = exact_weights(Q, K, scale)
    if error > 0.01:
        return
    limits = np.finfo(Q.dtype)
    error = 3 * error + 40 * len(K) * float(limits.eps)
    if weights is not None:
        np.testing.assert_allclose(weights, wanted, rtol=error, atol=4 * float(limits.smallest_subnormal))
    unit = max(1.0, float(np.abs(V).max()))  # keeps this test's own sums from overflowing
    V, output = V.astype(float) / unit, output.astype(float) / unit
    room = error * (wanted @ np.abs(V)) + math.exp(25) * float(limits.smallest_subnormal)
    assert (np.abs(output - wanted @ V) <= room).all()


def result_or_error(function, names, *arguments):
    """The result; None if there is an error of the right kind that names one of the arguments."""
    try:
        return function(*arguments)
    except (ValueError, TypeError) as error:
        assert re.search(rf"\b({'|'.join(names)})\b", str(error))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data())
@settings(max_examples=tries(50))
def test_any_floats_give_the_right_attention_or_an_error(dtype, data):
    """NaN, infinities, the largest and the smallest numbers included."""
    anything = st.one_of(hnp.from_dtype(np.dtype(dtype)), st.sampled_from([0.0, 1.0, -2.0]))
    Q, K, V = data.draw(triples(anything, dtype))
    scale = data.draw(st.one_of(st.none(), st.floats(), st.floats(-2, 2)))
    usual = 1 / math.sqrt(Q.shape[1])
    result = result_or_error(attention, ("Q", "K", "V", "scale"), Q, K, V, scale)
    if result is not None:
        np.testing.assert_allclose(result[1].sum(axis=-1), 1, rtol=1e-5)
        assert_right(Q, K, V, usual if scale is None else scale, *result)
    output = result_or_error(attention_in_blocks, ("Q", "K", "V"), Q, K, V)
    if output is not None:
        assert_right(Q, K, V, usual, output)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data())
def test_any_floats_give_the_right_softmax_or_an_error(dtype, data):
    anything = st.one_of(hnp.from_dtype(np.dtype(dtype)), st.floats(-5, 5, width=32), st.just(-np.inf))
    scores = data.draw(hnp.arrays(dtype, (2, 3), elements=anything))
    weights = result_or_error(softmax, ("scores",), scores)
    legal = (np.isfinite(scores) | np.isneginf(scores)).all() and np.isfinite(scores).any(axis=-1).all()
    assert (weights is not None) == legal
    if legal:
        exact = [[Fraction(x) if math.isfinite(x) else x for x in row] for row in scores.tolist()]
        limits = np.finfo(dtype)
        np.testing.assert_allclose(
            weights, exact_softmax(exact), rtol=100 * limits.eps, atol=4 * limits.smallest_subnormal
        )


junk = st.one_of(
    st.none(),
    st.text(max_size=3),
    st.integers(),
    st.just(object()),
    st.recursive(
        st.one_of(st.integers(-9, 9), st.floats(), st.none()), lambda inner: st.lists(inner, max_size=3)
    ),
    hnp.arrays(
        st.sampled_from(
            [bool, np.int8, np.uint64, np.float16, np.float32, np.float64, complex, "U2", object, "M8[s]"]
        ),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3),
    ),
    hnp.arrays(np.float64, st.sampled_from([(2, 2), (3, 2), (2, 2, 2)])),
)
FUNCTIONS = {
    dot_product_scores: ("Q", "K"),
    softmax: ("scores",),
    weigh_values: ("weights", "V"),
    attention: ("Q", "K", "V", "scale", "may_attend"),
    split_heads: ("A", "n_heads"),
    merge_heads: ("outputs",),
    multi_head_attention: ("Q", "K", "V", "W_o", "n_heads", "may_attend"),
    attention_in_blocks: ("Q", "K", "V"),
    SelfAttention: ("W_q", "W_k", "W_v"),
    SelfAttention(np.eye(2), np.eye(2), np.eye(2)): ("X",),
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: getattr(function, "__name__", "layer"))
@given(data=st.data())
@settings(max_examples=tries(50))
def test_anything_gives_finite_numbers_or_an_error_that_names_an_argument(function, data):
    names = FUNCTIONS[function]
    arguments = [data.draw(junk, label=name) for name in names]
    result = result_or_error(function, names, *arguments)
    if isinstance(result, SelfAttention) or result is None:
        return
    assert all(np.isfinite(array).all() for array in (result if isinstance(result, tuple) else (result,)))
