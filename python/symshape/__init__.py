# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic shapes for MLIR: named, proved and guarded extents, from Python.

    program = symshape.load("model.onnx")
    y, = program(x)

See docs/HowTo/UseFromPython.md.
"""

from . import _core, onnx
from ._compare import Difference, compare
from ._errors import (CompileError, CompileWarning, Diagnostic, Error, Failure, GuardError, InputError, Reason,
                      SymbolValue)
from ._facts import Answer, Extent, Facts, prove
from ._linalg import from_linalg
from ._program import Guard, Program, Symbol, Tensor, Version, load, loads
from ._profile import Profile, ProfileNode
from ._report import Report
from ._results import Results

__version__ = _core.release()
api_version = _core.version()


def from_torch(module, args=(), dynamic_shapes=None, **options) -> Program:
    """Exports a module of PyTorch and compiles it; see `symshape.torch.from_torch`."""
    from . import torch
    return torch.from_torch(module, args, dynamic_shapes, **options)


def from_jax(function, *specs, **options) -> Program:
    """Compiles a function of JAX, or an export of one; see `symshape.jax.from_jax`."""
    from . import jax
    return jax.from_jax(function, *specs, **options)


__all__ = [
    "Answer", "CompileError", "CompileWarning", "Diagnostic", "Difference", "Error", "Extent", "Facts", "Failure",
    "Guard", "GuardError", "InputError", "Profile", "ProfileNode", "Program", "Reason", "Report", "Results", "Symbol",
    "SymbolValue", "Tensor", "Version", "__version__", "api_version", "compare", "from_jax", "from_linalg", "from_torch",
    "load", "loads", "onnx", "prove",
]
