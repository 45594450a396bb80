# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C API (include/symshape-c/Execution.h) for NumPy, through ctypes.

    program = Program("m.mlir", library="build/lib/libSymShapeC.so")
    y, = program(x)

Errors are `Error`, with the message and the status. A call copies neither inputs
nor results; a result's memory is freed with the array.
"""

import ctypes
import os
import weakref

import numpy as np

import symrun

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None  # NumPy has no such type of its own

MAX_RANK = 16
TYPES = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32,
         np.uint64, np.float16, bfloat16, np.float32, np.float64, np.int64]
WHEN = ["sync", "async", "auto", "quick"]
DYNAMIC = ["always", "auto", "never"]  # which dims are symbols in the code
M_PERTURB = -6  # of mallopt
NUMBERS = {np.dtype(type_): number for number, type_ in reversed(list(enumerate(TYPES))) if type_}


class Error(Exception):
    """What went wrong, with the status of symshape_status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("owner", ctypes.c_void_p), ("type", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("extents", ctypes.c_int64 * MAX_RANK)]


_EVENT_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class _Options(ctypes.Structure):
    """The first fields; the library takes the others to be zero."""

    _fields_ = [("size", ctypes.c_size_t), ("entry", ctypes.c_char_p), ("weights", ctypes.c_char_p),
                ("no_guards", ctypes.c_int32), ("threads", ctypes.c_int32), ("cpu", ctypes.c_char_p),
                ("no_memory_plan", ctypes.c_int32), ("dynamic", ctypes.c_int32),
                ("first_inputs", ctypes.POINTER(_Tensor)), ("num_first_inputs", ctypes.c_int64),
                ("tosa_broadcast", ctypes.c_char_p), ("weight_tensors", ctypes.c_void_p),
                ("num_weight_tensors", ctypes.c_int64), ("versions", ctypes.c_void_p), ("num_versions", ctypes.c_int64),
                ("facts", ctypes.c_void_p), ("num_facts", ctypes.c_int64), ("target", ctypes.c_char_p),
                ("when", ctypes.c_int32), ("state", ctypes.c_char_p), ("state_limit", ctypes.c_uint64),
                ("on_diagnostic", ctypes.c_void_p), ("diagnostic_context", ctypes.c_void_p),
                ("on_event", _EVENT_HANDLER), ("event_context", ctypes.c_void_p), ("events", ctypes.c_char_p),
                ("chip", ctypes.c_char_p), ("device", ctypes.c_int32), ("show_progress", ctypes.c_int32),
                ("precision", ctypes.c_char_p), ("donations", ctypes.c_void_p), ("num_donations", ctypes.c_int64),
                ("donate_all", ctypes.c_int32)]


class Times(ctypes.Structure):
    """Seconds of wall time of a compilation."""

    _fields_ = [(name, ctypes.c_double) for name in ("parse", "passes", "jit", "weights")]


class Memory(ctypes.Structure):
    """Bytes that programs use on this thread."""

    _fields_ = [("live_bytes", ctypes.c_int64), ("peak_bytes", ctypes.c_int64)]


def load(path):
    """The library at `path`, with the types of its functions."""
    if os.environ.get("SYMRUN_EMPTY", "0") != "0":
        os.environ.setdefault("MALLOC_PERTURB_", "165")  # or the library keeps blocks, which then are not filled
    library = ctypes.CDLL(str(path))
    tensors, program = ctypes.POINTER(_Tensor), ctypes.c_void_p
    signatures = {
        "compile": (program, [ctypes.c_char_p, ctypes.POINTER(_Options)]),
        "destroy": (None, [program]),
        "differentiate": (program, [program, ctypes.POINTER(_DerivativeOptions)]),
        "num_inputs": (ctypes.c_int64, [program]),
        "num_results": (ctypes.c_int64, [program]),
        "get_times": (Times, [program]),
        "call": (ctypes.c_int32, [program, tensors, ctypes.c_int64, tensors, ctypes.c_int64]),
        "release_results": (None, [tensors, ctypes.c_int64]),
        "last_error": (ctypes.c_char_p, [ctypes.POINTER(ctypes.c_int32)]),
        "get_memory": (Memory, []),
        "reset_peak": (None, []),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, "symshape_" + name)
        function.restype, function.argtypes = result, arguments
    return library


class _Owned:
    """The result of a call, as NumPy reads it; frees it at the end."""

    def __init__(self, library, tensor):
        self.tensor = _Tensor.from_buffer_copy(tensor)
        ctypes.memset(ctypes.addressof(tensor), 0, ctypes.sizeof(tensor))
        type_ = TYPES[self.tensor.type]
        if type_ is None:
            raise Error("expected a type that NumPy has, but got bf16", 2)
        self.type = np.dtype(type_)
        self.__array_interface__ = {
            "version": 3, "typestr": "<u2" if type_ is bfloat16 else self.type.str, "data": (self.tensor.data, False),
            "shape": tuple(self.tensor.extents[: self.tensor.rank])}
        weakref.finalize(self, library.symshape_release_results, ctypes.byref(self.tensor), 1)


def _tensors(arrays):
    """Arrays as the library reads them, and a C array that points to these."""
    arrays = [np.asarray(array, order="C") for array in arrays]
    tensors = (_Tensor * max(len(arrays), 1))()
    for tensor, array in zip(tensors, arrays):
        if array.dtype not in NUMBERS or array.ndim > MAX_RANK:
            raise Error(f"expected a type and rank of the C API, but got {array.dtype}, {array.ndim}", 2)
        tensor.data, tensor.type, tensor.rank = array.ctypes.data, NUMBERS[array.dtype], array.ndim
        tensor.extents[: array.ndim] = array.shape
    return arrays, tensors


class Call:
    """Inputs prepared once, for many calls: `call()` runs, `results()` are the last ones.

    The arrays must not be moved or resized as long as this object is used.
    """

    def __init__(self, program, arrays):
        self.program = program
        self.arrays, self.inputs = _tensors(arrays)
        self.outputs = (_Tensor * max(program.num_results, 1))()
        self.function = program.library.symshape_call
        self.arguments = (program.handle, self.inputs, len(arrays), self.outputs, program.num_results)
        weakref.finalize(self, program.library.symshape_release_results, self.outputs, program.num_results)

    def __call__(self):
        if self.function(*self.arguments):
            raise self.program.error()

    def results(self):
        """Arrays that own what the last call returned."""
        owned = [_Owned(self.program.library, tensor) for tensor in self.outputs[: self.program.num_results]]
        return [np.asarray(each).view(each.type) for each in owned]


class _DerivativeOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("kind", ctypes.c_int32), ("wrt", ctypes.c_void_p), ("num_wrt", ctypes.c_int64),
                ("results", ctypes.c_void_p), ("num_results", ctypes.c_int64), ("on_diagnostic", ctypes.c_void_p),
                ("diagnostic_context", ctypes.c_void_p)]


class Program:
    """A compiled function; called with arrays it returns a list of arrays.

    `first` are the inputs of the first call, for ONNX models that need to know values of some.
    `on_event` is given each event, a line of JSON as bytes, on any thread. `donate` maps names of inputs to those
    of the results that may take their memory.
    """

    def __init__(self, path, *, library, entry="main", weights=None, guards=True, threads=1,
                 cpu=None, memory_plan=True, first=(), tosa_broadcast=None, target=None,
                 compile="sync", state=None, on_event=None, dynamic="always", precision=None, donate=None):
        # Calls that a test does not make would change what others find.
        is_plain = compile == "sync" and not state and not on_event and not target and dynamic == "always"
        self.is_drawn, self.path = is_plain and symrun.is_drawn(path), path
        if is_plain and symrun.is_quick(path):
            compile = "quick"
        self.library = library if isinstance(library, ctypes.CDLL) else load(library)
        options = _Options(ctypes.sizeof(_Options), entry.encode(), str(weights).encode() if weights else None,
                           not guards, threads, cpu.encode() if cpu else None, not memory_plan)
        kept, tensors = _tensors(first)
        options.first_inputs, options.num_first_inputs = tensors, len(kept)
        options.dynamic = DYNAMIC.index(dynamic)
        options.tosa_broadcast = tosa_broadcast.encode() if tosa_broadcast else None
        options.target = target.encode() if target else None
        options.precision = precision.encode() if precision else None
        if donate:
            names = [name.encode() for pair in donate.items() for name in pair]
            pairs = (ctypes.c_char_p * len(names))(*names)
            options.donations, options.num_donations = ctypes.cast(pairs, ctypes.c_void_p), len(donate)
        options.when, options.state = WHEN.index(compile), str(state).encode() if state else None
        if on_event:
            self.on_event = options.on_event = _EVENT_HANDLER(lambda context, line: on_event(line))
        self.handle = self.library.symshape_compile(str(path).encode(), ctypes.byref(options))
        if not self.handle:
            raise self.error()
        weakref.finalize(self, self.library.symshape_destroy, self.handle)
        self.num_results = self.library.symshape_num_results(self.handle)
        self.times = self.library.symshape_get_times(self.handle)

    def derive(self, kind):
        """`vjp`: (arguments, cotangent of each result) -> (all results, cotangent of each argument); `jvp`: (arguments,
        tangent of each) -> (all results, tangent of each). Of floats alone."""
        options = _DerivativeOptions(ctypes.sizeof(_DerivativeOptions), {"vjp": 1, "jvp": 2}[kind])
        derived = object.__new__(Program)
        derived.library, derived.is_drawn = self.library, False
        derived.handle = self.library.symshape_differentiate(self.handle, ctypes.byref(options))
        if not derived.handle:
            raise self.error()
        weakref.finalize(derived, self.library.symshape_destroy, derived.handle)
        derived.num_results = self.library.symshape_num_results(derived.handle)
        return derived

    def error(self):
        status = ctypes.c_int32()
        message = self.library.symshape_last_error(ctypes.byref(status))
        return Error(message.decode(), status.value)

    def __call__(self, *arrays):
        call = Call(self, arrays)
        call()
        results = call.results()
        if self.is_drawn:
            self.check_emptied(arrays)
        return results

    def check_emptied(self, arrays):
        """Makes the first call that is served with empty arrays as well, in memory that is filled with one byte and
        with another, as symrun.run does."""
        self.is_drawn = False
        for call in symrun.emptied(arrays):
            symrun.check_same(f"{self.path} at {[array.shape for array in call]}",
                              *(self.filled(call, byte) for byte in symrun.FILLED))

    def filled(self, arrays, byte):
        """The outcome of a call while freed memory is filled with `byte`."""
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_PERTURB, byte)
        try:
            return 0, [result.copy() for result in self(*arrays)], ""
        except Error as error:
            return error.status, [], str(error)
        finally:
            mallopt(M_PERTURB, int(os.environ.get("MALLOC_PERTURB_", "0")))
