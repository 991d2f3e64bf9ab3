"""The maths of the course, word for word as the lessons derive it.

Rows are tokens. In scores and weights a row is a query and a column is a key. Every function takes any number
of further axes in front (a batch), which broadcast as in `numpy.matmul`. Floats keep their dtype, integers
become float64, and no input is changed. All checks are in `validated`: a wrong shape, NaN or an infinity is a
ValueError, and what isn't a real number a TypeError; both name the argument.

Source of the formulas: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .validation import validated


@validated(Q="n_queries d_k", K="n_keys d_k")
def dot_product_scores(Q: ArrayLike, K: ArrayLike) -> np.ndarray:
    """Score every query against every key: QKᵀ.

    Parameters
    ----------
    Q : array_like, shape (..., n_queries, d_k)
        One query a row.
    K : array_like, shape (..., n_keys, d_k)
        One key a row.

    Returns
    -------
    ndarray, shape (..., n_queries, n_keys)
        The scores, any real numbers: ``scores[i, j]`` is the dot product of query i and key j.
    """
    return Q @ K.mT  # (n_queries, n_keys)


@validated(scores="n_keys, -inf")
def softmax(scores: ArrayLike) -> np.ndarray:
    """Turn each row of scores into weights: shares that sum to 1.

    Parameters
    ----------
    scores : array_like, shape (..., n_keys)
        Any real numbers; -inf gets the weight 0 (a mask), if its row has a finite score too.

    Returns
    -------
    ndarray, shape (..., n_keys)
        The weights, each 0 ... 1.
    """
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))  # the largest is exp(0) = 1
    return exps / exps.sum(axis=-1, keepdims=True)


@validated(weights="n_queries n_keys", V="n_keys d_v")
def weigh_values(weights: ArrayLike, V: ArrayLike) -> np.ndarray:
    """Mix the values, each row of weights its own mixture.

    Parameters
    ----------
    weights : array_like, shape (..., n_queries, n_keys)
        How much each query takes of each value.
    V : array_like, shape (..., n_keys, d_v)
        One value a row.

    Returns
    -------
    ndarray, shape (..., n_queries, d_v)
        The output: what each query takes home.
    """
    return weights @ V  # (n_queries, d_v)


@validated(Q="n_queries d_k", K="n_keys d_k", V="n_keys d_v", scale="", may_attend="n_queries n_keys, mask")
def attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    scale: float | None = None,
    may_attend: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Scaled dot-product attention: softmax(QKᵀ/√d_k)V.

    Parameters
    ----------
    Q, K, V : array_like, shapes (..., n_queries, d_k), (..., n_keys, d_k) and (..., n_keys, d_v)
        One query, key or value a row.
    scale : float, optional
        What the scores are multiplied by; None is 1/√d_k.
    may_attend : array_like of bool, optional
        True where a query may attend to a key; broadcast to the shape of the weights. None hides nothing.

    Returns
    -------
    output : ndarray, shape (..., n_queries, d_v)
        What each query takes home.
    weights : ndarray, shape (..., n_queries, n_keys)
        How much of each value that is; each row sums to 1, and what is hidden gets exactly 0.
    """
    if scale is None:
        scale = 1 / math.sqrt(Q.shape[-1])  # a Python float leaves float32 as it is
    scores = scale * dot_product_scores(Q, K)  # (n_queries, n_keys)
    if may_attend is not None:
        scores = np.where(may_attend, scores, -np.inf)  # (n_queries, n_keys)
    weights = softmax(scores)  # (n_queries, n_keys)
    output = weigh_values(weights, V)  # (n_queries, d_v)
    return output, weights


class SelfAttention:
    """A layer whose tokens attend to one another, and each to itself too.

    Parameters
    ----------
    W_q : array_like, shape (..., d_model, d_k)
        Makes a query of each token.
    W_k : array_like, shape (..., d_model, d_k)
        Makes a key of each token.
    W_v : array_like, shape (..., d_model, d_v)
        Makes a value of each token.
    """

    @validated(W_q="d_model d_k", W_k="d_model d_k", W_v="d_model d_v")
    def __init__(self, W_q: ArrayLike, W_k: ArrayLike, W_v: ArrayLike) -> None:
        self.W_q, self.W_k, self.W_v = W_q, W_k, W_v

    @validated(W_q="d_model d_k", W_k="d_model d_k", W_v="d_model d_v", X="n_tokens d_model")
    def __call__(self, X: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Let the tokens attend.

        Parameters
        ----------
        X : array_like, shape (..., n_tokens, d_model)
            One token a row.

        Returns
        -------
        output : ndarray, shape (..., n_tokens, d_v)
            What each token takes home.
        weights : ndarray, shape (..., n_tokens, n_tokens)
            How much it takes of each token's value; each row sums to 1.
        """
        Q = X @ self.W_q  # (n_tokens, d_k)
        K = X @ self.W_k  # (n_tokens, d_k)
        V = X @ self.W_v  # (n_tokens, d_v)
        return attention(Q, K, V)


@validated(A="n_tokens n_heads*d", n_heads="divisor")
def split_heads(A: ArrayLike, n_heads: int) -> np.ndarray:
    """Give each head its own columns.

    Parameters
    ----------
    A : array_like, shape (..., n_tokens, n_heads*d)
        Queries, keys or values, the heads side by side.
    n_heads : int
        How many heads there are.

    Returns
    -------
    ndarray, shape (..., n_heads, n_tokens, d)
        Head h has the columns h*d ... (h + 1)*d - 1. A view, if `A` is an array of floats.
    """
    side_by_side = A.reshape(*A.shape[:-1], n_heads, -1)  # (n_tokens, n_heads, d)
    return side_by_side.swapaxes(-3, -2)  # (n_heads, n_tokens, d)


@validated(outputs="n_heads n_tokens d")
def merge_heads(outputs: ArrayLike) -> np.ndarray:
    """Put the heads side by side again: undoes `split_heads`.

    Parameters
    ----------
    outputs : array_like, shape (..., n_heads, n_tokens, d)
        One matrix a head.

    Returns
    -------
    ndarray, shape (..., n_tokens, n_heads*d)
        One token a row.
    """
    side_by_side = outputs.swapaxes(-3, -2)  # (n_tokens, n_heads, d)
    return side_by_side.reshape(*side_by_side.shape[:-2], -1)  # (n_tokens, n_heads*d)


@validated(
    Q="n_queries n_heads*d_k",
    K="n_keys n_heads*d_k",
    V="n_keys n_heads*d_v",
    W_o="n_heads*d_v d_model",
    n_heads="divisor",
    may_attend="n_heads n_queries n_keys, mask",
)
def multi_head_attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    W_o: ArrayLike,
    n_heads: int,
    may_attend: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Attend with several heads at once, and mix what they found (section 3.2.2 of the paper).

    Parameters
    ----------
    Q, K : array_like, shapes (..., n_queries, n_heads*d_k) and (..., n_keys, n_heads*d_k)
        One query or key a row, the heads side by side. Each head's scores are scaled by 1/√d_k.
    V : array_like, shape (..., n_keys, n_heads*d_v)
        One value a row, the heads side by side.
    W_o : array_like, shape (n_heads*d_v, d_model)
        Mixes the merged outputs of the heads.
    n_heads : int
        How many heads there are.
    may_attend : array_like of bool, optional
        True where a query may attend to a key; broadcast to the shape of the weights. None hides nothing.

    Returns
    -------
    output : ndarray, shape (..., n_queries, d_model)
        What each query takes home from all heads.
    weights : ndarray, shape (..., n_heads, n_queries, n_keys)
        The weights of each head.
    """
    Q, K, V = (split_heads(A, n_heads) for A in (Q, K, V))  # (n_heads, ..., d_k or d_v)
    outputs, weights = attention(Q, K, V, may_attend=may_attend)  # (n_heads, n_queries, d_v)
    return merge_heads(outputs) @ W_o, weights  # (n_queries, d_model), (n_heads, ...)


@validated(Q="n_queries d_k", K="n_keys d_k", V="n_keys d_v")
def attention_in_blocks(Q: ArrayLike, K: ArrayLike, V: ArrayLike) -> np.ndarray:
    """The output of `attention` for long texts: block by block, never all scores at once.

    Parameters
    ----------
    Q, K, V : array_like, shapes (..., n_queries, d_k), (..., n_keys, d_k) and (..., n_keys, d_v)
        One query, key or value a row.

    Returns
    -------
    ndarray, shape (..., n_queries, d_v)
        What each query takes home.
    """
    V = np.concatenate([V, np.ones_like(V[..., :1])], axis=-1)  # (n_keys, d_v + 1): the ones add up exps
    longest = np.linalg.norm(K, axis=-1).max()
    room = (np.log(np.finfo(K.dtype).max) - np.log(K.shape[-2])) / 4  # far from overflow: V needs room too
    blocks = []
    for start in range(0, Q.shape[-2], 256):
        queries = Q[..., start : start + 256, :] / math.sqrt(Q.shape[-1])  # (256, d_k)
        risky = not np.linalg.norm(queries, axis=-1).max() * longest < room  # |q·k| is at most |q||k|
        blocks.append(mix_block(queries, K, V, risky))
    return np.concatenate(blocks, axis=-2)  # (n_queries, d_v)


def mix_block(queries: np.ndarray, K: np.ndarray, V: np.ndarray, risky: bool) -> np.ndarray:
    """Mix the values for a few queries, 512 keys at a time, so that all that is in use stays in the cache.

    Parameters
    ----------
    queries : ndarray, shape (..., n_queries, d_k)
        Scaled queries.
    K, V : ndarray, shapes (..., n_keys, d_k) and (..., n_keys, d_v + 1)
        One key or value a row; the last number of each value is 1.
    risky : bool
        Whether exp might overflow. If so the largest score so far is subtracted, and when a larger one comes,
        what was added up before shrinks to match it.

    Returns
    -------
    ndarray, shape (..., n_queries, d_v)
        What each query takes home.
    """
    sums, top = 0.0, -np.inf
    for start in range(0, K.shape[-2], 512):
        scores = queries @ K[..., start : start + 512, :].mT  # (n_queries, 512)
        if risky:
            higher = np.maximum(top, scores.max(axis=-1, keepdims=True))  # (n_queries, 1)
            sums, top = sums * np.exp(top - higher), higher
            scores -= top
        exps = np.exp(scores, out=scores)  # written over the scores
        sums = sums + exps @ V[..., start : start + 512, :]  # (n_queries, d_v + 1)
    return sums[..., :-1] / sums[..., -1:]  # the last column is the sum of the exps
