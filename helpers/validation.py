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
        the last axis. ``"n_queries n_keys, mask"`` wants booleans that broadcast to axes which are known by
        then, with a True in each row. ``"divisor"`` is a whole number; it divides every axis that is named as
        a product with it (``"n_heads*d_k"``), and is the size of the axis named like itself. ``""`` is a
        single number, handed on as a Python float so that it changes no dtype.
        A name that isn't a parameter is looked up as an attribute of the method's ``self``.

    Returns
    -------
    callable
        A decorator. Floats keep their dtype, integers and booleans become float64; no input is changed. An
        argument whose default is None may be None. No numpy warning leaves the function.

    Raises
    ------
    TypeError
        By the decorated function: an argument isn't real numbers, a mask isn't booleans.
    ValueError
        By the decorated function: a shape doesn't fit, an axis is empty, a number isn't finite, or the result
        would not be, a mask leaves nothing in a row, or a size can't be divided.
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
    """Put what meets its spec in each argument's place, and return the names of the arrays of numbers."""
    sizes: dict[str, tuple[int, str]] = {}  # axis name -> its size, and the argument that set it
    batches: dict[str, tuple[int, ...]] = {}  # argument -> the sizes before the named axes
    masks = {name for name, spec in specs.items() if spec.endswith(", mask")}
    for name, spec in specs.items():
        value = arguments.get(name) if name in signature.parameters else getattr(arguments["self"], name)
        if value is None and name in signature.parameters and signature.parameters[name].default is None:
            continue
        axes, _, extra = spec.partition(", ")
        if spec == "divisor":
            checked = _as_divisor(name, value, sizes)
        elif name in masks:
            checked, batches[name] = _as_mask(name, value, axes.split(), sizes)
        else:
            checked, batches[name] = _as_numbers(name, value, axes.split(), sizes, allowed=extra)
        if name in arguments:
            arguments[name] = checked
    _check_batches(batches)
    return ", ".join(name for name in batches if name not in masks)


def _as_numbers(
    name: str, value: Any, axes: list[str], sizes: dict, allowed: str
) -> tuple[np.ndarray | float, tuple[int, ...]]:
    """`value` as an array of floats, or as one float, and the sizes of the axes before the named ones."""
    array = _as_array(name, value)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {array.dtype} and shape {array.shape}; wanted real numbers")
    array = array if array.dtype.kind == "f" else array.astype(np.float64)
    batch = _check_shape(name, array, axes, sizes)
    _check_values(name, array, allowed)
    return array if axes else float(array), batch


def _as_divisor(name: str, value: Any, sizes: dict) -> int:
    """`value` as an int that divides the axes which are products with it."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; wanted a whole number")
    for axis, (size, argument) in sizes.items():
        if axis.startswith(f"{name}*") and (value < 1 or size % value):
            raise ValueError(f"{name} is {value}; wanted a divisor of {axis} = {size} as in {argument}")
    sizes[name] = int(value), name
    return int(value)


def _as_mask(name: str, value: Any, axes: list[str], sizes: dict) -> tuple[np.ndarray, tuple[int, ...]]:
    """`value` as booleans that hide no row throughout, and the sizes of the axes before the named ones."""
    mask, wanted = _as_array(name, value), tuple(sizes[axis][0] for axis in axes)
    if mask.dtype != bool:
        raise TypeError(f"{name} has dtype {mask.dtype} and shape {mask.shape}; wanted booleans")
    inner = mask.shape[-len(axes) :]
    if 0 in mask.shape or any(size not in (1, known) for size, known in zip(inner[::-1], wanted[::-1])):
        known = " and ".join(f"{axis} = {sizes[axis][0]} as in {sizes[axis][1]}" for axis in axes)
        full = f"(..., {', '.join(axes)}) with {known}"
        raise ValueError(f"{name} has shape {mask.shape}; wanted what broadcasts to {full}")
    hidden = ~mask.any(axis=-1) if mask.ndim else ~mask
    if hidden.any():
        row = f"[{', '.join(map(str, [*_first(hidden), ':']))}]" if mask.ndim else ""
        raise ValueError(f"{name}{row} is False throughout, shape {mask.shape}; wanted a True there")
    return mask, mask.shape[: -len(axes)]


def _as_array(name: str, value: Any) -> np.ndarray:
    """`value` as an array of whatever it holds."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} can't be made an array; wanted rows of one length") from None


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
