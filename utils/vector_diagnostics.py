# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagnostic cases of the test vectors: programs, by the id of the case.

Each entry is (passes, module text, inputs): inputs of the call that is refused, or
None for a program that is not accepted.
"""

import re

import numpy as np

import vector_numerics

TRUNCATE = """func.func @main(%x: tensor<?xf64>, %s: {size}) -> tensor<?xf64> {{
  %r = symshape.dynamic_truncate %x, %s axis 0 : tensor<?xf64>, {size} to tensor<?xf64>
  return %r : tensor<?xf64>
}}
"""

REDUCE_MAX = """func.func @main(%x: tensor<?xf64>) -> tensor<f64> {
  %low = arith.constant dense<0xFFF0000000000000> : tensor<f64>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<?xf64>) outs(%low : tensor<f64>) dimensions = [0]
  return %r : tensor<f64>
}
"""

COLLAPSED = """func.func @main(%x: tensor<?xf64>, %i: tensor<?x1xi64>) -> tensor<?xf64> {
  %r = symshape.gather clip %x[%i] slice_sizes [2]
      {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64} : tensor<?xf64>[tensor<?x1xi64>] to tensor<?xf64>
  return %r : tensor<?xf64>
}
"""

WITHOUT_RULE = """func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : i32
  %n = tensor.dim %x, %zero : tensor<?xf64>
  %twos = tensor.splat %two[%n] : tensor<?xi32>
  %r = math.fpowi %x, %twos : tensor<?xf64>, tensor<?xi32>
  return %r : tensor<?xf64>
}
"""

BOUND_AS_TARGET = """func.func @main(%x: tensor<?xf64> {symshape.shape = #symshape.shape<["<= 7"]>}) -> tensor<7xf64> {
  %r = symshape.reshape %x to [7] : tensor<?xf64> to tensor<7xf64>
  return %r : tensor<7xf64>
}
"""

PROGRAMS = {
    "diag_reshape_target_upper_bound": (["--symshape-infer-shapes"], BOUND_AS_TARGET, None),
    "diag_truncate_size_vector": ([], TRUNCATE.format(size="tensor<1xf64>"), None),
    "diag_truncate_size_nan": ([], TRUNCATE.format(size="f64"), [np.zeros(3), np.float64("nan")]),
    "diag_gather_collapsed_slice_not_one": ([], COLLAPSED, None),
    "diag_reduce_max_empty_runtime": (["--symshape-jvp=function=main wrt=0"], REDUCE_MAX,
                                      [np.zeros(0), np.zeros(0)]),
    "diag_missing_rule": (["--symshape-jvp=function=main wrt=0"], WITHOUT_RULE, None),
}

# A case that speaks of no op in particular: the one that the program has.
PRIMITIVES = {"diag_missing_rule": "math.fpowi"}

TRIPLE = re.compile(r"\{primitive = (.*), field = (.*), observed = (.*)\}$")
# What a case may say instead of the value that is observed.
CLASSES = ("out of range", "size mismatch")
ARGUMENT = re.compile(r"%(\w+): (tensor<((?:(?:\?|\d+)x)*)(\w+)>|\w+)")
DTYPES = {**vector_numerics.DTYPES, "index": np.int64}


def read_triple(line):
    """[primitive, field, observed] at the end of a line; None where there is none."""
    match = TRIPLE.search(line.rstrip())
    return list(match.groups()) if match else None


def observed(value):
    """The value as text. Either side of an inequation may come first."""
    return " != ".join(sorted(str(value).split(" != ")))


def agrees(got, wanted):
    """A primitive in angle brackets stands for any."""
    return ((got[0] == wanted[0] or wanted[0].startswith("<")) and got[1] == wanted[1] and
            (observed(got[2]) == observed(wanted[2]) or wanted[2] in CLASSES))


def attempts_of(case, text):
    """Passes that a module of the case is run through until it is refused, and inputs of the call, if it is called."""
    function = "main" if "@main(" in text else re.search(r"func\.func @([\w.]+)\(", text)[1]
    wrt = f" wrt={','.join(map(str, case['wrt']))}" if "wrt" in case else ""
    options = f"function={function}{wrt}"
    if case["phase"] == "runtime":
        inputs = inputs_of(case, text)
        wrt_arrays = [inputs[i] for i in case["wrt"]] if "wrt" in case else inputs
        tangents = [a for a in wrt_arrays if a.dtype.kind == "f"]
        return [([], inputs), ([f"--symshape-jvp={options}"], inputs + tangents)]
    passes = {"verify": [[]],
              "verify_or_pass": [[], ["--symshape-infer-shapes"], ["--symshape-insert-guards"]],
              "ad": [[f"--symshape-jvp={options}"], [f"--symshape-vjp={options}"]]}
    return [(one, None) for one in passes[case["phase"]]]


def inputs_of(case, text):
    """Arrays for the arguments of @main, those of the case by name; others are zeros, of extent 3 where dynamic."""
    arrays = []
    for name, type_, extents, element in ARGUMENT.findall(re.split(r"\) (?:->|\{)", text[text.index("@main("):])[0]):
        dtype = DTYPES[element or type_]
        given = case.get("inputs", {}).get(name)
        if isinstance(given, dict):
            arrays.append(np.array([float(v) for v in given["data"]]).astype(dtype).reshape(given["shape"]))
        elif given is not None:
            arrays.append(np.asarray(np.array(given, dtype=np.float64), dtype=dtype))
        else:
            arrays.append(np.zeros([3 if e == "?" else int(e) for e in extents.split("x") if e], dtype))
    return arrays
