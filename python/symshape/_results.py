# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call gives back: results by name, as arrays of the caller's library."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from ._arrays import element_type
from ._errors import InputError

LIBRARIES = {"torch": "torch", "jax": "jax", "jaxlib": "jax"}  # by the module of a type


class Results(list):
    """The results of a call in order; `results.logits` and `results["logits"]` find one by name.

    A name that a list has for something else, such as `index`, is found in brackets only.
    `dict(results)` has all that have names.
    """

    __slots__ = ("_names",)
    _names: tuple

    @classmethod
    def of(cls, values, names) -> Results:
        made = cls(values)  # no __init__ of Python: a call of a small program takes as long
        made._names = names
        return made

    def keys(self) -> list[str]:
        return [name for name in self._names if name is not None]

    def __getitem__(self, key) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self._names:
            raise KeyError(f"expected the name of a result ({', '.join(self.keys())}), but got {key!r}")
        return super().__getitem__(self._names.index(key))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"the results have no {name!r}, but {', '.join(self.keys())}"
                                 if not name.startswith("_") else name)
        return self[name]


@functools.lru_cache(maxsize=256)
def library_of(kind: type) -> str | None:
    """The library whose arrays are of this type, "torch" or "jax"; None: another one, or no arrays."""
    if not hasattr(kind, "__dlpack__"):
        return None
    found = (LIBRARIES.get(base.__module__.partition(".")[0]) for base in kind.__mro__)
    return next((one for one in found if one), None)


@functools.lru_cache(maxsize=16)
def exchange_of(kind: type):
    """The functions of DLPack for arrays of a type in C, which need no call of Python for each; None: there are none.

    Only of tensors and parameters of torch themselves: what derives from them may hold its elements elsewhere.
    """
    torch = sys.modules.get("torch")
    own = getattr(torch, "Tensor", None), getattr(getattr(torch, "nn", None), "Parameter", None)
    return getattr(kind, "__dlpack_c_exchange_api__", None) if kind in own else None


def convert(library: str, results: list) -> list:
    """Objects of DLPack as arrays of a library that is imported, without copies."""
    module = sys.modules[library]
    read = module.from_dlpack if library == "torch" else module.numpy.from_dlpack
    return [read(one) for one in results]


def fill(out, results: list, types: list[str], names: tuple | None) -> list:
    """Copies results into arrays that are given: the only one, or several in order or by name.

    Nothing is written unless all fit. Gives back the list of these arrays.
    """
    words = [name or f"result #{number}" for number, name in enumerate(names or [None] * len(results))]
    if hasattr(out, "keys"):
        unknown = [name for name in out if name not in words]
        if unknown:
            raise InputError(f"expected out to have names of results ({', '.join(words)}), but got {unknown[0]!r}")
        given = [out.get(name) for name in words]
    else:
        given = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(given) != len(results):
            raise InputError(f"expected out to be {len(results)} {'array' if len(results) == 1 else 'arrays'}, but got {len(given)}")
    targets = [None if one is None else _target(one, result, type_, name)
               for one, result, type_, name in zip(given, results, types, words)]
    for target, result in zip(targets, results):
        if target is not None:
            np.copyto(target, _bits(np.asarray(result), target.dtype))
    return [result if one is None else one for one, result in zip(given, results)]


def _bits(array, like):
    """Elements of bf16 are bits here, and may be of a type of their own there."""
    return array.view(like) if array.dtype != like and array.dtype.itemsize == like.itemsize else array


def _target(one, result, type_, name):
    """The array of NumPy to write to: `one`, or its memory if it is a tensor of torch."""
    array = np.asarray(one.detach()) if hasattr(one, "detach") else one
    if not isinstance(array, np.ndarray):
        raise InputError(f"expected out for {name} to be an array that can be written to, but got {one!r}")
    found = element_type(array, f"out for {name}")
    if found != type_ and not (type_ == "bf16" and found == "ui16") and not (type_ == "index" and found == "i64"):
        raise InputError(f"expected out for {name} to have elements of {type_}, but got {found}")
    if array.shape != tuple(result.shape):
        raise InputError(f"expected out for {name} to have the shape {tuple(result.shape)}, but got {array.shape}")
    if not array.flags.writeable:
        raise InputError(f"expected out for {name} to be an array that can be written to, but got one that cannot")
    return array


__all__ = ["Results", "convert", "fill", "library_of"]
