# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are not arrays in row-major order yet, arrays for buffers, and types by name."""

from __future__ import annotations

import reprlib

import numpy as np

from ._errors import InputError

# The numbers of `symshape_type` in include/symshape-c/Execution.h.
TYPES = ("i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "bf16", "f32", "f64",
         "index")
NUMPY = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
         "f16": np.float16, "f32": np.float32, "f64": np.float64, "index": np.int64}
BF16 = TYPES.index("bf16")
_NAMES = {np.dtype(type_): name for name, type_ in NUMPY.items() if name != "index"}


def bfloat16():
    """The NumPy type of `ml_dtypes`, or None where that is not installed."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)


def element_type(array, name: str = "an argument", wanted: str = "") -> str:
    """The name of the element type of an array, such as "f32"; `name` and `wanted` are for messages."""
    if not hasattr(array, "dtype"):
        raise InputError(f"{name}: expected an array, but got {reprlib.repr(array)}")
    dtype = np.dtype(array.dtype) if not isinstance(array.dtype, np.dtype) else array.dtype
    found = "bf16" if dtype.name == "bfloat16" else _NAMES.get(dtype.newbyteorder("="))
    if found is None:
        words = {"U": "text", "S": "bytes", "O": "objects of Python"}.get(dtype.kind, str(dtype))
        raise InputError(f"{name}: expected an array of {wanted or 'one of ' + ', '.join(map(str, _NAMES))}, but got one of {words}")
    return found


def check_layout(array, name: str) -> None:
    """Raises InputError unless an array can be read where it lies; `name` is for messages."""
    why = None
    if isinstance(array, np.ndarray):
        if not array.flags.c_contiguous:
            why = f"strides of {array.strides} bytes for extents {array.shape}"
        elif not array.flags.aligned:
            why = "elements at addresses that are no multiples of their size"
        elif not array.dtype.isnative:
            why = "bytes in the order of another processor"
    elif hasattr(array, "is_contiguous") and not array.is_contiguous():
        why = f"strides of {tuple(array.stride())} elements for extents {tuple(array.shape)}"
    if why:
        raise InputError(f"{name}: expected an array in row-major order, but got {why}: pass a copy, or compile "
                         "with layouts=\"copy\", so that each call makes one")


def check_memory(tensor, name: str) -> None:
    """Raises InputError where a tensor of torch has no elements in this process's memory, or not all of them."""
    device = getattr(getattr(tensor, "device", None), "type", "cpu")
    layout = str(getattr(tensor, "layout", "torch.strided"))
    if device != "cpu":
        raise InputError(f"{name}: expected a tensor in memory, but got one on the device {device!r}: pass its .cpu()")
    if layout != "torch.strided":
        raise InputError(f"{name}: expected a dense tensor, but got one with the layout {layout}: pass its .to_dense()")


def _strides_of(array) -> tuple[int, ...] | None:
    """In elements; None where these are not whole, or nobody says."""
    if isinstance(array, np.ndarray):
        if any(stride % array.itemsize for stride in array.strides):
            return None
        return tuple(stride // array.itemsize for stride in array.strides)
    return tuple(array.stride()) if hasattr(array, "stride") else None


def _takes(wanted, shape, strides) -> bool:
    """Whether a buffer with these strides in its type, None where any will do, takes an array."""
    return len(wanted) == len(shape) and (0 in shape or all(
        extent == 1 or one is None or one == stride for one, extent, stride in zip(wanted, shape, strides)))


def _without_marks(argument):
    """A tensor of torch without a gradient, and with the sign that its memory does not say."""
    if hasattr(argument, "detach"):
        argument = argument.detach()
    return argument.resolve_neg() if hasattr(argument, "resolve_neg") else argument


def place(argument, wanted, copies: bool):
    """The argument of a buffer as an array whose elements lie where the buffer takes them, and its type.

    A view is read where it lies, if it can be. Others are copied, if `copies` says so; where they are not, or no
    copy fits, the call is refused.
    """
    argument = _without_marks(argument)
    strides = _strides_of(argument) if hasattr(argument, "shape") else None
    plain = not isinstance(argument, np.ndarray) or argument.flags.aligned and argument.dtype.isnative
    if strides is not None and plain:
        if _takes(wanted["strides"], argument.shape, strides) or not copies:
            kind = element_type(argument, wanted["name"], wanted["element"]) if isinstance(argument, np.ndarray) else ""
            return (argument.view(np.uint16), BF16) if kind == "bf16" else (argument, None)
    elif not copies:
        check_layout(argument, wanted["name"])
    array, type_ = adapt(argument, wanted["element"], wanted["name"])
    if isinstance(array, np.ndarray) and not _takes(wanted["strides"], array.shape, _strides_of(array)):
        columns = np.asfortranarray(array)
        array = columns if _takes(wanted["strides"], array.shape, _strides_of(columns)) else array
    return array, type_


def adapt(argument, wanted: str, name: str):
    """The argument as an array in row-major order, and its type if the array does not say it.

    Python's numbers and lists take the type `wanted`; `name` is for messages. An array
    that cannot be read where it lies, such as a transposed one, is copied.
    """
    argument = _without_marks(argument)
    if not hasattr(argument, "dtype"):
        if wanted == "bf16":
            raise InputError(f"{name}: expected an array of bf16, but got {type(argument).__name__}")
        try:
            # NumPy would make NaN of None, and cut off what is after the point.
            if isinstance(argument, (str, bytes, type(None))):
                raise TypeError
            if np.asarray(argument).dtype.kind == "f" and NUMPY[wanted](0).dtype.kind in "biu" and np.size(argument):
                raise TypeError
            return np.ascontiguousarray(argument, NUMPY[wanted]).reshape(np.shape(argument)), None
        except (TypeError, ValueError, OverflowError) as error:
            rows = "rows of one length" if "inhomogeneous" in str(error) else f"an array or numbers of {wanted}"
            raise InputError(f"{name}: expected {rows}, but got {reprlib.repr(argument)}") from error
    if not isinstance(argument, (np.ndarray, np.generic)):
        check_memory(argument, name)
        argument = argument.contiguous() if hasattr(argument, "contiguous") else np.asarray(argument)
    if not isinstance(argument, (np.ndarray, np.generic)):
        return argument, None
    kind = element_type(argument, name, wanted)
    argument = np.asarray(argument)
    if argument.dtype.byteorder not in "=|" and not argument.dtype.isnative:
        argument = argument.astype(argument.dtype.newbyteorder("="))
    array = np.require(argument, requirements=["C", "A"]).reshape(argument.shape)
    return (array.view(np.uint16), BF16) if kind == "bf16" else (array, None)
