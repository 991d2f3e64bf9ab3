"""The checking of what a figure is made from: what can't be drawn is told by its name and shape, before it is."""

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure


def drawn_from(**specs: str) -> Callable[[Callable[..., Figure]], Callable[..., Figure]]:
    """Decorate a figure function: check the named arguments before it draws.

    Parameters
    ----------
    **specs : str
        For each argument the sizes of its axes. The name of another argument is that one's length, a number is
        itself, any other word has one size throughout an array or dict of arrays, ``*`` is free, and ``...`` stands
        for any axes at all. ``"bool: ..."`` wants a mask. In a dict of arrays each must fit.

    Raises
    ------
    TypeError
        By the decorated function: an argument isn't real numbers.
    ValueError
        By the decorated function: a shape doesn't fit, a number isn't finite, or whatever else keeps the arguments,
        which the message lists, from being drawn.
    """

    def decorate(draw: Callable[..., Figure]) -> Callable[..., Figure]:
        signature = inspect.signature(draw)

        @functools.wraps(draw)
        def checked(*args: Any, **kwargs: Any) -> Figure:
            given = signature.bind(*args, **kwargs).arguments
            for name, spec in specs.items():
                if name in given and given[name] is not signature.parameters[name].default:
                    _check(name, given[name], spec, given)
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore", UserWarning)  # as of what a later version will drop
                    warnings.simplefilter("error", RuntimeWarning)
                    return draw(*args, **kwargs)
            except Exception as error:
                listed = ", ".join(f"{name} ({type(value).__name__})" for name, value in given.items())
                raise ValueError(f"{draw.__name__} can't draw this: {error}. Look at {listed}") from error

        return checked

    return decorate


def _check(name: str, value: Any, spec: str, given: Mapping[str, Any]) -> None:
    """Compare an array, or a dict of arrays, with its spec."""
    parts = value if isinstance(value, Mapping) else {}
    panels = {f"{name}[{key!r}]": array for key, array in parts.items()} if parts is value else {name: value}
    kinds, axes = ("b", spec.removeprefix("bool: ")) if spec.startswith("bool: ") else ("fiub", spec)
    if not panels:
        raise ValueError(f"{name} is empty; wanted something to draw")
    sizes: dict[str, int] = {}
    for part, content in panels.items():
        array = _as_array(part, content)
        if array.dtype.kind not in kinds:
            wanted = "booleans" if kinds == "b" else "real numbers"
            raise TypeError(f"{part} has dtype {array.dtype} and shape {array.shape}; wanted {wanted}")
        if array.size == 0 or not (axes == "..." or _fits(array.shape, axes.split(), sizes, given)):
            raise ValueError(f"{part} has shape {array.shape}; wanted ({', '.join(axes.split())}), no axis empty")
        if not np.isfinite(array).all():
            raise ValueError(f"{part} holds nan or inf, shape {array.shape}; wanted finite numbers")


def _as_array(name: str, value: Any) -> np.ndarray:
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} can't be made an array; wanted rows of one length") from None


def _fits(shape: tuple[int, ...], axes: list[str], sizes: dict[str, int], given: Mapping[str, Any]) -> bool:
    """Whether each axis has its size; an argument's length is looked up, another word's is kept in `sizes`."""
    return len(shape) == len(axes) and all(
        axis == "*" or size == _size(axis, size, sizes, given) for size, axis in zip(shape, axes)
    )


def _size(axis: str, found: int, sizes: dict[str, int], given: Mapping[str, Any]) -> int:
    if axis not in given:
        return int(axis) if axis.isdigit() else sizes.setdefault(axis, found)
    try:
        return len(given[axis])
    except TypeError:
        raise TypeError(f"{axis} is {given[axis]!r}; wanted a list") from None
