"""The checking of arguments, kept apart from the maths: one decorator, `validated`.

A function that is decorated with it may trust its arguments: they are arrays of finite floats whose shapes
go together. What a caller got wrong is told by name: the argument, its shape, and the shape that was wanted.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np


class NotFinite(ValueError):
    """Not a number, or infinite, where only finite numbers have a meaning."""


def validated(**specs: str) -> Callable[[Callable], Callable]:
    """Check and convert the named arguments before the function sees them, and its result after.

    Parameters
    ----------
    **specs : str
        For each argument the names of its last axes, for instance ``K="n_keys d_k"``. Any number of axes may
        stand before them, and those broadcast between arguments as `numpy.matmul` lets them. An axis name has
        one size throughout a call. ``"n_keys, -inf"`` also lets minus infinity in (a mask), if not all along
        the last axis. ``""`` is a single number, handed on as a Python float so that it changes no dtype.
        A name that isn't a parameter is looked up as an attribute of the method's ``self``.

    Returns
    -------
    callable
        A decorator. Floats keep their dtype, integers and booleans become float64; no input is changed. An
        argument whose default is None may be None. No numpy warning leaves the function.

    Raises
    ------
    TypeError
        By the decorated function: an argument isn't real numbers.
    ValueError
        By the decorated function: a shape doesn't fit, an axis is empty, a number isn't finite, or the result
        would overflow.
    """

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            call = signature.bind(*args, **kwargs)
            with np.errstate(all="ignore"):
                _check_arguments(signature, specs, call.arguments)
                try:
                    result = function(*call.args, **call.kwargs)
                    _check_result(result)
                except NotFinite as inside:  # the arguments are finite, so this is what they do together
                    names = ", ".join(name for name in specs if name in call.arguments)
                    _, _, what = str(inside).rpartition(": ")
                    raise NotFinite(f"{names} together overflow in {function.__qualname__}: {what}") from None
            return result

        return checked

    return decorate


def _check_arguments(signature: inspect.Signature, specs: dict[str, str], arguments: dict[str, Any]) -> None:
    """Replace each argument by a float array that meets its spec, or say what is wrong with it."""
    sizes: dict[str, tuple[int, str]] = {}  # axis name -> its size, and the argument that set it
    batches: dict[str, tuple[int, ...]] = {}  # argument -> the sizes before the named axes
    for name, spec in specs.items():
        axes, _, extra = spec.partition(",")
        if name not in signature.parameters:
            value = getattr(arguments["self"], name)
        elif name in arguments and not (arguments[name] is signature.parameters[name].default is None):
            value = arguments[name]
        else:
            continue
        array = _as_floats(name, value)
        batches[name] = _check_shape(name, array, axes.split(), sizes)
        _check_values(name, array, minus_infinity=extra.strip() == "-inf")
        if name in arguments:
            arguments[name] = array if axes else float(array)
    _check_batches(batches)


def _as_floats(name: str, value: Any) -> np.ndarray:
    """`value` as an array of floats."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} can't be made an array, its rows must be of one length: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {array.dtype} and shape {array.shape}; wanted real numbers")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _check_shape(name: str, array: np.ndarray, axes: list[str], sizes: dict) -> tuple[int, ...]:
    """Compare the last axes with their names and return the sizes of the axes before them."""
    if not axes:
        if array.ndim:
            raise ValueError(f"{name} has shape {array.shape}; wanted a single number, shape ()")
        return ()
    batch, named = array.shape[: -len(axes)], array.shape[-len(axes) :]
    known = [f"{axis} = {sizes[axis][0]} as in {sizes[axis][1]}" for axis in axes if axis in sizes]
    fits = len(named) == len(axes) and all(
        sizes.setdefault(axis, (size, name))[0] == size for axis, size in zip(axes, named)
    )
    if not fits or 0 in array.shape:
        wanted = f"(..., {', '.join(axes)})" + (" with " if known else "") + ", ".join(known)
        raise ValueError(f"{name} has shape {array.shape}; wanted {wanted}" + ", no axis empty" * fits)
    return batch


def _check_batches(batches: dict[str, tuple[int, ...]]) -> None:
    """The axes before the named ones must broadcast."""
    try:
        np.broadcast_shapes(*batches.values())
    except ValueError:
        found = ", ".join(f"{batch} in {name}" for name, batch in batches.items())
        raise ValueError(f"the leading axes are {found}; wanted shapes that broadcast") from None


def _check_values(name: str, array: np.ndarray, minus_infinity: bool = False) -> None:
    """Refuse NaN and infinities; let -inf pass if asked to, where something else is left in its row."""
    if minus_infinity:
        best = array.max(axis=-1)
        if np.isneginf(best).any():
            row = [*_first(np.isneginf(best)), ":"]
            raise NotFinite(
                f"{name} of shape {array.shape} is -inf all along [{', '.join(map(str, row))}]; "
                "wanted at least one finite number there"
            )
    else:
        best = array.sum()  # one pass, no copy: NaN and infinities survive a sum ...
    if not np.isfinite(best).all():
        bad = np.isnan(array) | np.isposinf(array) if minus_infinity else ~np.isfinite(array)
        if bad.any():  # ... but finite numbers may overflow it
            place = _first(bad)
            raise NotFinite(f"{name} of shape {array.shape} holds {array[place]} at {list(place)}; wanted finite numbers")


def _check_result(result: Any) -> None:
    """Refuse a result, or a tuple of them, that isn't finite."""
    for array in result if isinstance(result, tuple) else (result,):
        if array is not None:
            _check_values("the result", array)


def _first(found: np.ndarray) -> tuple[int, ...]:
    """The index of the first True."""
    return tuple(map(int, np.argwhere(found)[0]))
