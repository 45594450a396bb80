# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NULL for every pointer of every function in include/symshape-c: an error that says so, and no crash.

    check_null.py LIBRARY INCLUDE

Functions and their parameters are read from the headers, so that one that is added is tested. Each call is made in a
process of its own.
"""

import ctypes
import os
import re
import sys
from pathlib import Path

HEADERS = ("Execution.h", "Facts.h", "Inspect.h")
# Where NULL means something: (function, parameter).
OPTIONAL = {("symshape_compile", "options"), ("symshape_compile_memory", "options"), ("symshape_destroy", "program"),
            ("symshape_last_error", "status"), ("symshape_free_text", "text"), ("symshape_facts_destroy", "facts"),
            ("symshape_release_results", "results")}
PROGRAM = b"func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"
BAD_INPUT = 2
P, I32, I64, SIZE = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_size_t


def struct(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


Tensor = struct("Tensor", ("data", P), ("owner", P), ("type", I32), ("rank", I32), ("extents", I64 * 16))
Named = struct("Named", ("name", ctypes.c_char_p), ("tensor", Tensor))
Version = struct("Version", ("name", ctypes.c_char_p), ("condition", ctypes.c_char_p))
Symbol = struct("Symbol", ("size", SIZE), ("name", ctypes.c_char_p), ("has_min", I32), ("has_max", I32), ("min", I64),
                ("max", I64), ("modulus", I64), ("remainder", I64))
Derivative = struct("Derivative", ("size", SIZE), ("kind", I32), ("wrt", P), ("num_wrt", I64), ("results", P),
                    ("num_results", I64), ("on_diagnostic", P), ("diagnostic_context", P))
Times = struct("Times", *[(name, ctypes.c_double) for name in ("parse", "passes", "jit", "weights")])
Options = struct("Options", ("size", SIZE), ("entry", P), ("weights", P), ("no_guards", I32), ("threads", I32), ("cpu", P),
                 ("no_memory_plan", I32), ("dynamic", I32), ("first_inputs", P), ("num_first_inputs", I64),
                 ("tosa_broadcast", P), ("weight_tensors", P), ("num_weight_tensors", I64), ("versions", P),
                 ("num_versions", I64), ("facts", P), ("num_facts", I64), ("rest", ctypes.c_char * 200))


def functions(include):
    """(result, name, [(type, name)]) of what the headers export."""
    for header in HEADERS:
        text = re.sub(r"/\*.*?\*/", "", (include / header).read_text(), flags=re.S)
        for result, name, parameters in re.findall(r"SYMSHAPE_C_EXPORTED\s+([\w\s*]+?)(symshape_\w+)\(([^)]*)\);", text):
            parameters = [p.strip() for p in parameters.split(",") if p.strip() != "void"]
            yield result.strip(), name, [re.match(r"(.*?[\s*])(\w+)$", p, re.S).groups() for p in parameters]


class Values:
    """A good value for each parameter."""

    def __init__(self, library):
        self.keep = []
        self.data = (ctypes.c_float * 64)()
        self.input = Tensor(ctypes.cast(self.data, P), None, 11, 1, (64,))
        self.strides = (I64 * 16)(1)
        self.result = Tensor()
        self.options = Options(size=Options.first_inputs.offset)
        self.program = library.symshape_compile_memory(P(self.text(PROGRAM)), SIZE(len(PROGRAM)), I32(0),
                                                       P(self.text(b"m.mlir")), P(0))
        self.facts = library.symshape_facts_create()
        self.symbol = Symbol(ctypes.sizeof(Symbol), b"N")
        self.derivative = Derivative(size=ctypes.sizeof(Derivative), kind=2)
        self.status = I32(0)

    def text(self, value):
        self.keep.append(ctypes.create_string_buffer(value))
        return ctypes.addressof(self.keep[-1])

    def of(self, function, kind, name):
        known = {"path": b"/none", "name": b"m.mlir", "bytes": PROGRAM, "format": b"text", "relation": b"N <= 4",
                 "expression": b"N + 1"}
        if "*" not in kind:
            return {"num_inputs": I64(1), "num_results": I64(1), "num_values": I64(1), "repeat": I64(1), "size": SIZE(len(PROGRAM)),
                    "format": I32(0), "input": I64(0)}[name]
        if name == "names":
            self.keep.append((ctypes.c_char_p * 1)(b"N"))
            return P(ctypes.addressof(self.keep[-1]))
        if name == "values":
            self.keep.append((I64 * 1)(3))
            return P(ctypes.addressof(self.keep[-1]))
        if name in known:
            return P(self.text(known[name]))
        if name in ("program", "facts"):
            return P(getattr(self, name))
        if name == "text":
            return P(0)
        chosen = {"inputs": self.input, "results": self.result, "strides": self.strides, "symbol": self.symbol, "status": self.status,
                  "options": self.derivative if "derivative" in kind else self.options}[name]
        return P(ctypes.addressof(chosen))


def in_child(work):
    """What `work` says, or how it died."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, repr(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    status = os.waitpid(child, 0)[1]
    return said if status == 0 else f"died: {status}"


def main(path, include):
    library = ctypes.CDLL(path)
    for name in ("symshape_compile", "symshape_compile_memory", "symshape_facts_create", "symshape_last_error"):
        getattr(library, name).restype = P
    values = Values(library)
    assert values.program and values.facts
    failed = calls = 0

    def expect(what, call, is_optional):
        nonlocal failed, calls

        def work():
            status = I32(0)
            call()
            message = ctypes.string_at(library.symshape_last_error(ctypes.byref(status))).decode()
            return status.value, message

        said = in_child(work)
        calls += 1
        is_fine = said.startswith("(") if is_optional else said.startswith(f"({BAD_INPUT}, ") and ", but got NULL" in said
        if not is_fine:
            failed += 1
            print(f"not so: {what}: {said}")

    for result, name, parameters in functions(include):
        function = getattr(library, name)
        function.restype = P if "*" in result else Times if result == "symshape_times" else I64
        pointers = [i for i, (kind, _) in enumerate(parameters) if "*" in kind]
        for nulls in [[i] for i in pointers] + ([pointers] if len(pointers) > 1 else []):
            arguments = [P(0) if i in nulls else values.of(name, *parameter) for i, parameter in enumerate(parameters)]
            names = [parameters[i][1] for i in nulls]
            expect(f"{name} without {names}", lambda f=function, a=arguments: f(*a),
                   all((name, n) in OPTIONAL for n in names))

    def compiled(**fields):
        options = Options(size=ctypes.sizeof(Options), **fields)
        return lambda: library.symshape_compile_memory(P(values.text(PROGRAM)), SIZE(len(PROGRAM)), I32(0),
                                                       P(values.text(b"m")), ctypes.byref(options))

    def derived(**fields):
        options = Derivative(size=ctypes.sizeof(Derivative), kind=2, **fields)
        return lambda: library.symshape_differentiate(P(values.program), ctypes.byref(options))

    one = (P * 2)(None, None)
    no_name, no_data = Named(), Named(name=b"x", tensor=Tensor(None, None, 11, 1, (64,)))
    half = Version(name=b"v")
    for what, call in [
            ("facts", compiled(num_facts=1)), ("a fact", compiled(num_facts=1, facts=ctypes.addressof(one))),
            ("versions", compiled(num_versions=1)), ("a version", compiled(num_versions=1, versions=ctypes.addressof(half))),
            ("weight_tensors", compiled(num_weight_tensors=1)),
            ("a weight's name", compiled(num_weight_tensors=1, weight_tensors=ctypes.addressof(no_name))),
            ("a weight's data", compiled(num_weight_tensors=1, weight_tensors=ctypes.addressof(no_data))),
            ("wrt", derived(num_wrt=1)), ("a wrt", derived(num_wrt=1, wrt=ctypes.addressof(one))),
            ("results of a derivative", derived(num_results=1)),
            ("the name of a symbol", lambda: library.symshape_facts_declare(
                P(values.facts), ctypes.byref(Symbol(ctypes.sizeof(Symbol), None)))),
            ("a name", lambda: library.symshape_evaluate(P(values.text(b"N")), ctypes.byref(one), ctypes.byref(I64(1)), I64(1))),
            ("data of 64 elements", lambda: library.symshape_call(
                P(values.program), ctypes.byref(Tensor(None, None, 11, 1, (64,))), I64(1), ctypes.byref(Tensor()), I64(1)))]:
        expect(what, call, False)
    empty = Tensor(None, None, 11, 1, (0,))
    good = in_child(lambda: library.symshape_call(P(values.program), ctypes.byref(empty), I64(1), ctypes.byref(Tensor()), I64(1)))
    if good != "0":
        failed += 1
        print(f"not so: no data of no elements is fine: {good}")
    print(f"{calls} calls, {failed} failed")
    return 1 if failed or calls < 55 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
