# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call gives back: results by name, as arrays of the caller's library."""

from __future__ import annotations

import functools
import sys
from typing import Any

LIBRARIES = {"torch": "torch", "jax": "jax", "jaxlib": "jax"}  # by the module of a type


class Results(list):
    """The results of a call in order; `results.logits` and `results["logits"]` find one by name.

    A name that a list has for something else, such as `index`, is found in brackets only.
    `dict(results)` has all that have names.
    """

    __slots__ = ("_names",)

    def __init__(self, values, names):
        super().__init__(values)
        self._names = names

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


def convert(library: str, results: list) -> list:
    """Objects of DLPack as arrays of a library that is imported, without copies."""
    module = sys.modules[library]
    read = module.from_dlpack if library == "torch" else module.numpy.from_dlpack
    return [read(one) for one in results]


__all__ = ["Results", "convert", "library_of"]
