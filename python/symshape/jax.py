# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of JAX, by way of jax.export."""

from __future__ import annotations

from ._errors import InputError
from ._program import Program, loads


def from_jax(function, *specs, name=None, **options) -> Program:
    """Compiles a function of JAX, or an export of one, for all sizes that it allows.

    function   a function, jitted or not, which is exported at `specs`: arrays or
               `jax.ShapeDtypeStruct`s, whose dims may be those of
               `jax.export.symbolic_shape`; or what `jax.export.export` gave
    name       stands for the file in messages (default: the name of the function)
    options    those of `symshape.load`

    The program's inputs are the leaves of the arguments, in order, without those that the
    function does not use; its results are the leaves of what it returns. A call that breaks
    a constraint of the export is a GuardError.
    """
    exported = function
    if not hasattr(function, "mlir_module_serialized"):
        if not callable(function):
            raise InputError(f"expected a function or an export of JAX, but got {function!r}")
        import jax
        from jax import export
        jitted = function if hasattr(function, "lower") else jax.jit(function)
        exported = export.export(jitted)(*specs)
    elif specs:
        raise InputError("expected an export alone, for it has its shapes")
    name = name or f"{getattr(exported, 'fun_name', None) or 'function'}.mlirbc"
    return loads(exported.mlir_module_serialized, name=name, **options)


def __getattr__(name):
    if name == "jit":  # needs JAX itself
        from ._jax_jit import jit
        return jit
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["from_jax", "jit"]
