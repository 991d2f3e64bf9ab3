"""What a caller got wrong is told by the argument's name, its shape and the shape that was wanted."""

import warnings

import numpy as np
import pytest

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
from helpers.validation import validated

Q, K, V = np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2))
nan, inf = np.nan, np.inf
layer = SelfAttention(np.ones((6, 4)), np.ones((6, 4)), np.ones((6, 3)))


def spoilt(array, value):
    """The array with its entry [1, 0] replaced."""
    array = array.copy()
    array[1, 0] = value
    return array


WRONG = [  # a call, and the whole message
    # Shapes
    (lambda: attention(Q, K[:, :3], V), "K has shape (5, 3); wanted (..., n_keys, d_k) with d_k = 4 as in Q"),
    (
        lambda: attention_in_blocks(Q, K, V[:4]),
        "V has shape (4, 2); wanted (..., n_keys, d_v) with n_keys = 5 as in K",
    ),
    (lambda: attention(Q[0], K, V), "Q has shape (4,); wanted (..., n_queries, d_k)"),
    (lambda: dot_product_scores(Q, 7), "K has shape (); wanted (..., n_keys, d_k) with d_k = 4 as in Q"),
    (lambda: softmax(3), "scores has shape (); wanted (..., n_keys)"),
    (
        lambda: weigh_values(Q, V),
        "V has shape (5, 2); wanted (..., n_keys, d_v) with n_keys = 4 as in weights",
    ),
    (lambda: attention(Q, K, V, scale=[1, 2]), "scale has shape (2,); wanted a single number, shape ()"),
    (
        lambda: SelfAttention(np.ones((6, 4)), np.ones((5, 3)), V),
        "W_k has shape (5, 3); wanted (..., d_model, d_k) with d_model = 6 as in W_q and d_k = 4 as in W_q",
    ),
    (lambda: layer(Q), "X has shape (3, 4); wanted (..., n_tokens, d_model) with d_model = 6 as in W_q"),
    (
        lambda: attention(np.ones((2, 3, 4)), np.ones((3, 5, 4)), V),
        "the leading axes are (2,) in Q, (3,) in K, () in V; wanted shapes that broadcast",
    ),
    (lambda: attention([[1, 2], [3]], K, V), "Q can't be made an array; wanted rows of one length"),
    # Empty axes
    (lambda: attention(Q[:0], K, V), "Q has shape (0, 4); wanted (..., n_queries, d_k), no axis empty"),
    (lambda: softmax([]), "scores has shape (0,); wanted (..., n_keys), no axis empty"),
    (lambda: softmax(np.ones((0, 3))), "scores has shape (0, 3); wanted (..., n_keys), no axis empty"),
    # Numbers that aren't finite
    (lambda: attention(Q, spoilt(K, nan), V), "K[1, 0] is nan, shape (5, 4); wanted finite numbers"),
    (
        lambda: attention_in_blocks(Q, spoilt(K, -inf), V),
        "K[1, 0] is -inf, shape (5, 4); wanted finite numbers",
    ),
    (
        lambda: weigh_values(np.ones((3, 5)), spoilt(V, inf)),
        "V[1, 0] is inf, shape (5, 2); wanted finite numbers",
    ),
    (lambda: softmax(spoilt(Q, nan)), "scores[1, 0] is nan, shape (3, 4); wanted finite numbers"),
    (lambda: softmax([0, -inf, inf]), "scores[2] is inf, shape (3,); wanted finite numbers"),
    (lambda: attention(Q, K, V, scale=inf), "scale is inf, shape (); wanted finite numbers"),
    (
        lambda: softmax([[[1, 2], [-inf, -inf]]]),
        "scores[0, 1, :] is -inf throughout, shape (1, 2, 2); wanted a finite number there",
    ),
    (lambda: softmax([-inf]), "scores[:] is -inf throughout, shape (1,); wanted a finite number there"),
    # Masks
    (
        lambda: attention(Q, K, V, may_attend=np.ones((5, 3), dtype=bool)),
        "may_attend has shape (5, 3); wanted what broadcasts to (..., n_queries, n_keys) "
        "with n_queries = 3 as in Q and n_keys = 5 as in K",
    ),
    (
        lambda: attention(Q, K, V, may_attend=np.ones((0, 3, 5), dtype=bool)),
        "may_attend has shape (0, 3, 5); wanted what broadcasts to (..., n_queries, n_keys) "
        "with n_queries = 3 as in Q and n_keys = 5 as in K",
    ),
    (
        lambda: attention(np.ones((2, 3, 4)), K, V, may_attend=np.ones((4, 3, 5), dtype=bool)),
        "the leading axes are (2,) in Q, () in K, () in V, (4,) in may_attend; wanted shapes that broadcast",
    ),
    (
        lambda: attention(Q, K, V, may_attend=np.tri(3, 5, -1, dtype=bool)),
        "may_attend[0, :] is False throughout, shape (3, 5); wanted a True there",
    ),
    (
        lambda: attention(Q, K, V, may_attend=[[True], [False], [True]]),
        "may_attend[1, :] is False throughout, shape (3, 1); wanted a True there",
    ),
    (
        lambda: attention(Q, K, V, may_attend=False),
        "may_attend is False throughout, shape (); wanted a True there",
    ),
    (
        lambda: multi_head_attention(Q, K, V, np.ones((2, 6)), 2, may_attend=np.zeros((2, 1, 5), dtype=bool)),
        "may_attend[0, 0, :] is False throughout, shape (2, 1, 5); wanted a True there",
    ),
    (
        lambda: multi_head_attention(Q, K, V, np.ones((2, 6)), 2, may_attend=np.ones((3, 3, 5), dtype=bool)),
        "may_attend has shape (3, 3, 5); wanted what broadcasts to (..., n_heads, n_queries, n_keys) "
        "with n_heads = 2 as in n_heads and n_queries = 3 as in Q and n_keys = 5 as in K",
    ),
    (
        lambda: attention(Q, K, V, may_attend=[[True], [True, False]]),
        "may_attend can't be made an array; wanted rows of one length",
    ),
    # Heads
    (lambda: split_heads(Q, 3), "n_heads is 3; wanted a divisor of n_heads*d = 4 as in A"),
    (lambda: split_heads(Q, 0), "n_heads is 0; wanted a divisor of n_heads*d = 4 as in A"),
    (lambda: split_heads(Q, -2), "n_heads is -2; wanted a divisor of n_heads*d = 4 as in A"),
    (
        lambda: multi_head_attention(Q, K, V, np.ones((2, 6)), 4),
        "n_heads is 4; wanted a divisor of n_heads*d_v = 2 as in V",
    ),
    (
        lambda: multi_head_attention(Q, K, V, np.ones((4, 6)), 2),
        "W_o has shape (4, 6); wanted (..., n_heads*d_v, d_model) with n_heads*d_v = 2 as in V",
    ),
    (lambda: merge_heads(Q), "outputs has shape (3, 4); wanted (..., n_heads, n_tokens, d)"),
    # Results that aren't finite
    (
        lambda: attention(1e200 * Q, 1e200 * K, V, may_attend=True),
        "Q, K, V: too large together, dot_product_scores overflows float64",
    ),
    (
        lambda: dot_product_scores(1e200 * Q, 1e200 * K),
        "Q, K: too large together, dot_product_scores overflows float64",
    ),
    (
        lambda: dot_product_scores(1e200 * Q, -1e200 * K),
        "Q, K: too large together, dot_product_scores overflows float64",
    ),
    (
        lambda: attention(1e200 * Q, -1e200 * K, V, 1e-300),
        "Q, K, V, scale: too large together, dot_product_scores overflows float64",
    ),
    (
        lambda: attention(*(array.astype(np.float32) for array in (Q, K, V)), scale=1e300),
        "Q, K, V, scale: too large together, softmax overflows float32",
    ),
    (
        lambda: layer(np.full((2, 6), 1e308)),
        "W_q, W_k, W_v, X: too large together, dot_product_scores overflows float64",
    ),
    (
        lambda: attention_in_blocks(1e200 * Q, 1e200 * K, V),
        "Q, K, V: too large together, attention_in_blocks overflows float64",
    ),
]
NOT_NUMBERS = [
    (lambda: attention("abc", K, V), "Q has dtype <U3 and shape (); wanted real numbers"),
    (lambda: attention(Q, None, V), "K has dtype object and shape (); wanted real numbers"),
    (lambda: attention(Q, K, V * 1j), "V has dtype complex128 and shape (5, 2); wanted real numbers"),
    (lambda: attention(Q, K, V, scale="0.5"), "scale has dtype <U3 and shape (); wanted real numbers"),
    (
        lambda: softmax(np.array([1, 2], "m8[s]")),
        "scores has dtype timedelta64[s] and shape (2,); wanted real numbers",
    ),
    (
        lambda: attention(Q, K, V, may_attend=np.ones((3, 5))),
        "may_attend has dtype float64 and shape (3, 5); wanted booleans",
    ),
    (
        lambda: attention(Q, K, V, may_attend=[[1, 0, 0, 1, 1]]),
        "may_attend has dtype int64 and shape (1, 5); wanted booleans",
    ),
    (lambda: split_heads(Q, 2.0), "n_heads is 2.0; wanted a whole number"),
    (lambda: split_heads(Q, True), "n_heads is True; wanted a whole number"),
    (lambda: attention(Q, K), "missing a required argument: 'V'"),
]


@pytest.mark.parametrize("call, message", WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_argument_is_named(call, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError) as raised:
            call()
    assert str(raised.value) == message


@pytest.mark.parametrize("call, message", NOT_NUMBERS, ids=[message for _, message in NOT_NUMBERS])
def test_what_is_not_a_number_is_named(call, message):
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == message


@validated(a="rows columns", b="columns, -inf", c="")
def echo(a, b, c=None):
    """Hand back what arrives."""
    echo.arrived = a, b, c
    return a


def test_arguments_arrive_as_float_arrays():
    echo([[1, 2]], np.array([3, -inf], np.float32), c=np.float32(0.5))
    a, b, c = echo.arrived
    assert (a.dtype, a.shape) == (np.float64, (1, 2)) and b.dtype == np.float32
    assert type(c) is float and c == 0.5


def test_an_argument_whose_default_is_none_may_be_left_out_or_none():
    for arguments in [([[1]], [2]), ([[1]], [2], None)]:
        echo(*arguments)
        assert echo.arrived[2] is None


def test_floats_are_not_copied():
    a = np.ones((2, 2), np.float16)
    assert echo(a, b=[1, 2]) is a


def test_large_finite_numbers_pass_though_their_sum_overflows():
    largest = np.full((2, 2), np.finfo(np.float32).max)
    assert echo(largest, [1, 2]) is largest


def test_a_failed_call_leaves_the_checks_in_force():
    for _ in range(2):
        with pytest.raises(ValueError, match="too large together"):
            dot_product_scores(1e200 * Q, 1e200 * K)
        with pytest.raises(ValueError, match="K has shape"):
            dot_product_scores(Q, K[:, :3])


def test_inside_a_checked_call_only_results_are_looked_at():
    """So a large array is read once for its check, though functions call one another."""

    @validated(a="n")
    def inner(a):
        return a

    @validated(a="n")
    def outer(a):
        return inner(a[:0].reshape(0, 3))

    assert outer([1.0]).shape == (0, 3)


def test_numpy_may_warn_again_afterwards():
    softmax([1000.0, -1000.0])
    with pytest.warns(RuntimeWarning):
        np.exp(np.array([1000.0]))


def test_the_function_keeps_its_name_and_words():
    assert softmax.__name__ == "softmax" and softmax.__doc__.startswith(
        "Turn each row of scores into weights"
    )
