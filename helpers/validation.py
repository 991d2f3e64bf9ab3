"""The checking of arguments, kept apart from the maths: one decorator, `validated`.

A function that is decorated with it may trust its arguments: they are arrays of finite floats whose shapes
go together. What a caller got wrong is told by name: the argument, its shape, and the shape that was wanted.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

# The arguments of the checked call that is running, for its messages. A function that it calls in turn gets
# what has been checked, so there only the result is looked at: large arrays aren't read more than needed.
_running: ContextVar[str] = ContextVar("running", default="")


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
        would not be.
    """

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            if _running.get():
                return _finite(function(*args, **kwargs), function.__name__)
            call = signature.bind(*args, **kwargs)
            with np.errstate(all="ignore"):
                names = _check_arguments(specs, signature, call.arguments)
                token = _running.set(names)
                try:
                    return _finite(function(*call.args, **call.kwargs), function.__name__)
                finally:
                    _running.reset(token)

        return checked

    return decorate


def _check_arguments(specs: dict[str, str], signature: inspect.Signature, arguments: dict[str, Any]) -> str:
    """Put an array that meets its spec in each argument's place, and return the names of all."""
    sizes: dict[str, tuple[int, str]] = {}  # axis name -> its size, and the argument that set it
    batches: dict[str, tuple[int, ...]] = {}  # argument -> the sizes before the named axes
    for name, spec in specs.items():
        value = arguments.get(name) if name in signature.parameters else getattr(arguments["self"], name)
        if value is None and name in signature.parameters and signature.parameters[name].default is None:
            continue
        axes, _, extra = spec.partition(",")
        array = _as_floats(name, value)
        batches[name] = _check_shape(name, array, axes.split(), sizes)
        _check_values(name, array, allowed=extra.strip())
        if name in arguments:
            arguments[name] = array if axes else float(array)
    _check_batches(batches)
    return ", ".join(batches)


def _as_floats(name: str, value: Any) -> np.ndarray:
    """`value` as an array of floats."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} can't be made an array; wanted rows of one length") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {array.dtype} and shape {array.shape}; wanted real numbers")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _check_shape(name: str, array: np.ndarray, axes: list[str], sizes: dict) -> tuple[int, ...]:
    """Compare the last axes with their names, and return the sizes of the axes before them."""
    found = array.shape[array.ndim - len(axes) :] if array.ndim >= len(axes) else ()
    known = [f"{axis} = {sizes[axis][0]} as in {sizes[axis][1]}" for axis in axes if axis in sizes]
    fits = len(found) == len(axes) and all(
        sizes.setdefault(axis, (size, name))[0] == size for axis, size in zip(axes, found)
    )
    if not axes and array.ndim:
        raise ValueError(f"{name} has shape {array.shape}; wanted a single number, shape ()")
    if not fits:
        wanted = f"(..., {', '.join(axes)})" + (" with " if known else "") + " and ".join(known)
        raise ValueError(f"{name} has shape {array.shape}; wanted {wanted}")
    if 0 in array.shape:
        raise ValueError(f"{name} has shape {array.shape}; wanted (..., {', '.join(axes)}), no axis empty")
    return array.shape[: array.ndim - len(axes)]


def _check_batches(batches: dict[str, tuple[int, ...]]) -> None:
    """The axes before the named ones must broadcast."""
    try:
        np.broadcast_shapes(*batches.values())
    except ValueError:
        found = ", ".join(f"{batch} in {name}" for name, batch in batches.items())
        raise ValueError(f"the leading axes are {found}; wanted shapes that broadcast") from None


def _check_values(name: str, array: np.ndarray, allowed: str) -> None:
    """Refuse NaN and infinities. An allowed -inf may stand beside something finite in its row."""
    if allowed == "-inf":
        empty = np.isneginf(array.max(axis=-1))
        if empty.any():
            row = f"{name}[{', '.join(map(str, [*_first(empty), ':']))}]"
            raise ValueError(f"{row} is -inf throughout, shape {array.shape}; wanted a finite number there")
    if not _is_finite(array.max() if allowed == "-inf" else array):
        bad = ~np.isfinite(array) & ~(np.isneginf(array) & (allowed == "-inf"))
        place = _first(bad)
        at = f"[{', '.join(map(str, place))}]" if place else ""
        raise ValueError(f"{name}{at} is {array[place]}, shape {array.shape}; wanted finite numbers")


def _is_finite(array: np.ndarray) -> bool:
    """A NaN or an infinity shows in the sum, read in one pass; the sum of finite numbers may overflow too."""
    return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def _finite(result: Any, function: str) -> Any:
    """Hand on a result if it's finite; of several, the first is made from the others."""
    array = result[0] if isinstance(result, tuple) else result
    if array is not None and not _is_finite(array):
        raise ValueError(f"{_running.get()}: too large together, {function} overflows {array.dtype}")
    return result


def _first(found: np.ndarray) -> tuple[int, ...]:
    """The index of the first True."""
    return tuple(map(int, np.argwhere(found)[0]))
