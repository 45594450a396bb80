# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op of the dialect in a program that is made static, beside the program that allows all sizes.

    check_fixate_ops.py LIBRARY INCLUDE [OP]...

A program is one function with open extents and scalars. symshape-fixate binds all of them, in the
function that is called and in one that it calls in turn; then no extent is open but those that only
data tells, and the program computes, bit for bit, what it did. Fails if INCLUDE, the folder of the
definitions, has an op that the table lacks.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import symshape_c
from checking import Checks

FLOOR = 100

# Nobody writes it: it is what a check becomes.
NO_PROGRAM = {"fail"}
# Extents that no type can have, for data tells them: where `?` stays.
BY_DATA = {"nonzero": "tensor<?x2xindex>", "dynamic_truncate of a float": "tensor<?x3xf64>",
           "sort of what a loop halves": "tensor<?xf64>"}

GATHER = ("{offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, "
          "index_vector_dim = 1 : i64, fill_value = 1.0 : f64}")
SCATTER = ("{update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, "
           "scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}")


def floats(*shape):
    return np.random.default_rng(len(shape) + sum(shape)).uniform(-1, 1, shape)


def places(*numbers, shape=None):
    return np.array(numbers, np.int64).reshape(shape or (-1,))


# Arguments, types of results, ops that give %r (and %q), and for each call its inputs. What comes
# after " of " in a name tells programs of one op apart.
X = "%x: tensor<?x?xf64>"
PROGRAMS = {
    "assert": (f"{X}, %n: index", "tensor<?x?xf64>",
               'symshape.assert "n <= 7" (n = %n), "small"\n'
               "%r = symshape.cumsum %x axis 0 : tensor<?x?xf64>", [(floats(2, 3), 7), (floats(0, 3), 0)]),
    "assume": ("%n: index", "tensor<?xi64>",
               '%m = symshape.assume %n ["m <= 9"] (m) : index\n'
               "%r = symshape.iota [0, %m, 1] : tensor<?xi64>", [(9,), (0,), (1,)]),
    "bind_shape": (X, "tensor<?x?xf64>",
                   "%y = symshape.bind_shape %x [M, N] : tensor<?x?xf64>\n"
                   "%r = symshape.reverse %y axes [1] : tensor<?x?xf64>", [(floats(2, 3),), (floats(1, 0),)]),
    "broadcast": ("%x: tensor<?x1xf64>, %n: index", "tensor<?x?x?xf64>",
                  "%c0 = arith.constant 0 : index\n%m = tensor.dim %x, %c0 : tensor<?x1xf64>\n"
                  "%r = symshape.broadcast %x to [%n, %m, %n] dims [1, 2] expanding [1] : tensor<?x1xf64> to tensor<?x?x?xf64>",
                  [(floats(3, 1), 2), (floats(1, 1), 1), (floats(2, 1), 0)]),
    "cumsum": (X, "tensor<?x?xf64>", "%r = symshape.cumsum %x axis 1 reverse : tensor<?x?xf64>",
               [(floats(2, 3),), (floats(0, 1),)]),
    "cumsum of what loops carry": (
        f"{X}, %n: index", "tensor<?x?xf64>",
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?x?xf64>) {\n"
        "%b = scf.for %j = %c0 to %i step %c1 iter_args(%t = %a) -> (tensor<?x?xf64>) {\n"
        "%s = symshape.cumsum %t axis 0 : tensor<?x?xf64>\n%m = arith.mulf %s, %x : tensor<?x?xf64>\n"
        "scf.yield %m : tensor<?x?xf64>\n}\n%e = arith.addf %a, %b : tensor<?x?xf64>\nscf.yield %e : tensor<?x?xf64>\n}",
        [(floats(2, 3), 3), (floats(0, 1), 2), (floats(1, 1), 0)]),
    "reverse of what branches give": (
        f"{X}, %n: index", "tensor<?x?xf64>",
        "%c2 = arith.constant 2 : index\n%p = arith.cmpi sgt, %n, %c2 : index\n"
        "%a = scf.if %p -> tensor<?x?xf64> {\n%e = arith.addf %x, %x : tensor<?x?xf64>\nscf.yield %e : tensor<?x?xf64>\n"
        "} else {\nscf.yield %x : tensor<?x?xf64>\n}\n"
        "%q = scf.index_switch %n -> tensor<?x?xf64>\ncase 4 {\n%e = arith.negf %a : tensor<?x?xf64>\n"
        "scf.yield %e : tensor<?x?xf64>\n}\ndefault {\nscf.yield %x : tensor<?x?xf64>\n}\n"
        "%both = tensor.concat dim(0) %a, %q : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>\n"
        "%r = symshape.reverse %both axes [0] : tensor<?x?xf64>",
        [(floats(2, 3), 4), (floats(2, 3), 2), (floats(0, 1), 3)]),
    "sort of what a loop halves": (
        "%x: tensor<?xf64>, %n: index", "tensor<?xf64>, tensor<?xi64>",
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%t = scf.while (%a = %x) : (tensor<?xf64>) -> tensor<?xf64> {\n%l = tensor.dim %a, %c0 : tensor<?xf64>\n"
        "%more = arith.cmpi sgt, %l, %n : index\nscf.condition(%more) %a : tensor<?xf64>\n} do {\n^bb0(%a: tensor<?xf64>):\n"
        "%l = tensor.dim %a, %c0 : tensor<?xf64>\n%h = arith.shrui %l, %c1 : index\n"
        "%s = tensor.extract_slice %a[0] [%h] [1] : tensor<?xf64> to tensor<?xf64>\nscf.yield %s : tensor<?xf64>\n}\n"
        "%r, %q = symshape.sort %t axis 0 : tensor<?xf64>, tensor<?xi64>", [(floats(9), 3), (floats(1), 1)]),
    "dequantize": ("%q: tensor<?x?xi8>, %s: tensor<?x?xf64>, %z: tensor<?x1xi8>", "tensor<?x3xf64>",
                   "%r = symshape.dequantize %q scales %s zeros %z bits 4 block 4 : tensor<?x?xi8>, tensor<?x?xf64>, "
                   "tensor<?x1xi8> to tensor<?x3xf64>",
                   [(np.array([[33, -2], [3, 4]], np.int8), floats(2, 1), np.array([[1], [8]], np.int8)),
                    (np.zeros((0, 2), np.int8), floats(0, 2), np.zeros((0, 1), np.int8))]),
    "dynamic_slice": (f"{X}, %i: index, %m: index, %n: index", "tensor<?x?xf64>",
                      "%r = symshape.dynamic_slice %x[%i, %i] sizes [%m, %n] : tensor<?x?xf64> to tensor<?x?xf64>",
                      [(floats(4, 5), 2, 2, 3), (floats(1, 5), 0, 1, 0)]),
    "dynamic_slice of a whole": ("%x: tensor<?xf64>, %i: index", "tensor<?xf64>",
                                 "%c0 = arith.constant 0 : index\n%n = tensor.dim %x, %c0 : tensor<?xf64>\n"
                                 "%r = symshape.dynamic_slice %x[%i] sizes [%n] : tensor<?xf64> to tensor<?xf64>",
                                 [(floats(4), 2)]),
    "dynamic_truncate": (f"{X}, %n: index", "tensor<?x?xf64>",
                         "%r = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x?xf64> to tensor<?x?xf64>",
                         [(floats(4, 3), 2), (floats(4, 3), 7), (floats(1, 2), 0)]),
    "dynamic_truncate of a float": ("%x: tensor<?x?xf64>, %n: f64", "tensor<?x?xf64>",
                                    "%r = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x?xf64>, f64 to tensor<?x?xf64>",
                                    [(floats(4, 3), np.float64(1.5))]),
    "dynamic_update_slice": (f"{X}, %u: tensor<?x?xf64>, %i: index", "tensor<?x?xf64>",
                             "%r = symshape.dynamic_update_slice %u into %x[%i, %i] : tensor<?x?xf64> into tensor<?x?xf64>",
                             [(floats(4, 5), floats(2, 1), 1), (floats(2, 2), floats(0, 2), 0)]),
    "gather": (f"{X}, %i: tensor<?x1xi64>, %n: index", "tensor<?x?xf64>",
               f"%r = symshape.gather fill %x[%i] slice_sizes [1, %n] {GATHER} : tensor<?x?xf64>[tensor<?x1xi64>] to tensor<?x?xf64>",
               [(floats(4, 3), places(3, 0, 9, shape=(3, 1)), 2), (floats(1, 3), places(shape=(0, 1)), 1)]),
    "iota": ("%a: index, %n: index, %s: index", "tensor<?xindex>", "%r = symshape.iota [%a, %n, %s] : tensor<?xindex>",
             [(1, 8, 3), (5, 5, 1), (9, 2, -2)]),
    "nonzero": (X, "tensor<?x?xindex>", "%r = symshape.nonzero %x : tensor<?x?xf64> to tensor<?x?xindex>",
                [(np.eye(3),), (floats(0, 2),)]),
    "pad": (f"{X}, %v: f64, %l: index, %h: index", "tensor<?x?xf64>",
            "%r = symshape.pad %x, %v low [%l, -1] high [%h, 2] interior [1, 0] : tensor<?x?xf64> to tensor<?x?xf64>",
            [(floats(3, 4), np.float64(7), 2, -1), (floats(0, 1), np.float64(7), 0, 1)]),
    "pad_to_match": (f"{X}, %n: index", "tensor<?x?xf64>",
                     "%r = symshape.pad_to_match %x, %n axis 1 : tensor<?x?xf64>, index to tensor<?x?xf64>",
                     [(floats(3, 2), 4), (floats(3, 2), 1), (floats(1, 0), 1)]),
    "pad_to_match of a tensor": (f"{X}, %y: tensor<?x?xf64>", "tensor<?x?xf64>",
                                 "%r = symshape.pad_to_match %x, %y axis 1 : tensor<?x?xf64>, tensor<?x?xf64> to tensor<?x?xf64>",
                                 [(floats(3, 2), floats(0, 5))]),
    "resample": (f"{X}, %i: tensor<2x?xi64>, %w: tensor<2x?xf64>", "tensor<?x?xf64>",
                 "%r = symshape.resample %x along [1] at %i weights %w : tensor<?x?xf64> at tensor<2x?xi64> "
                 "weights tensor<2x?xf64> to tensor<?x?xf64>",
                 [(floats(2, 3), places(0, 0, 1, 2, 1, 2, 2, 2, shape=(2, 4)), floats(2, 4))]),
    "reshape": (f"{X}, %m: index, %n: index", "tensor<?x?xf64>",
                "%r = symshape.reshape %x to [%m, %n] : tensor<?x?xf64> to tensor<?x?xf64>",
                [(floats(2, 6), 4, 3), (floats(0, 6), 5, 0), (floats(1, 1), 1, 1)]),
    "stop_gradient": (X, "tensor<?x?xf64>", "%r = symshape.stop_gradient %x : tensor<?x?xf64>",
                      [(floats(2, 3),), (floats(0, 1),)]),
    "reverse": (X, "tensor<?x?xf64>", "%r = symshape.reverse %x axes [0, 1] : tensor<?x?xf64>",
                [(floats(2, 3),), (floats(1, 0),)]),
    "scatter": (f"{X}, %i: tensor<?x1xi64>, %u: tensor<?x?xf64>", "tensor<?x?xf64>",
                f"%r = symshape.scatter add drop %u into %x[%i] {SCATTER} : tensor<?x?xf64> into tensor<?x?xf64>[tensor<?x1xi64>]",
                [(floats(4, 3), places(3, 0, 9, shape=(3, 1)), floats(3, 2))]),
    "size": (f"{X}, %n: index", "tensor<?xi64>",
             "%c0 = arith.constant 0 : index\n%m = tensor.dim %x, %c0 : tensor<?x?xf64>\n"
             '%k = symshape.size "m * n + 1" (m = %m, n = %n)\n%r = symshape.iota [0, %k, 1] : tensor<?xi64>',
             [(floats(2, 1), 3), (floats(0, 1), 3)]),
    "sort": (X, "tensor<?x?xf64>, tensor<?x?xi64>", "%r, %q = symshape.sort %x axis 1 : tensor<?x?xf64>, tensor<?x?xi64>",
             [(floats(3, 5),), (floats(1, 0),)]),
    "top_k": (f"{X}, %k: index", "tensor<?x?xf64>, tensor<?x?xi64>",
              "%r, %q = symshape.top_k %x, %k axis 1 : tensor<?x?xf64> to tensor<?x?xf64>, tensor<?x?xi64>",
              [(floats(3, 5), 2), (floats(1, 5), 0)]),
    "truncate_size": (f"{X}, %n: i64", "tensor<?xi64>",
                      "%c1 = arith.constant 1 : index\n%m = tensor.dim %x, %c1 : tensor<?x?xf64>\n"
                      "%k = symshape.truncate_size %n, %m : i64\n%r = symshape.iota [0, %k, 1] : tensor<?xi64>",
                      [(floats(1, 4), 3), (floats(1, 4), 9), (floats(1, 4), -2)]),
    "windows": ("%x: tensor<?x?x?xf64>, %v: f64, %k: index, %h: index, %s: index, %d: index", "tensor<?x?x?x?xf64>",
                "%r = symshape.windows %x, %v kernel [%k] low [1] high [%h] stride [%s] dilation [%d] spread [%s] : "
                "tensor<?x?x?xf64> to tensor<?x?x?x?xf64>",
                [(floats(2, 4, 3), np.float64(7), 2, 2, 2, 3), (floats(1, 1, 1), np.float64(7), 1, -1, 1, 1)]),
    "with_extents": (f"{X}, %n: index", "tensor<?x?xf64>",
                     "%c0 = arith.constant 0 : index\n%m = tensor.dim %x, %c0 : tensor<?x?xf64>\n"
                     "%r = symshape.with_extents %x [%m, %n] : tensor<?x?xf64>", [(floats(2, 3), 3)]),
}


def read_ops(include):
    """The ops that the definitions have."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(include).glob("*.td")))
    return set(re.findall(r"^def SymShape_\w+\s*:\s*SymShape_\w+Op<\"(\w+)\"", text, re.M)) | set(
        re.findall(r"^def SymShape_\w+\s*:\s*SymShape_Op<\"(\w+)\"", text, re.M))


def is_scalar(type_):
    return re.fullmatch(r"index|i\d+", type_) is not None


def write(arguments, results, ops, is_called):
    """The program, its function @f or one that @f calls."""
    pairs = re.findall(r"(%\w+): (tensor<[^>]*>|\w+)", arguments)
    named = ", ".join(f'{name}: {type_} {{symshape.name = "{name}"}}' for name, type_ in pairs)
    types = ", ".join(type_ for _, type_ in pairs)
    given = "%r, %q" if "," in results else "%r"
    body = f"{ops}\nreturn {given} : {results}\n}}\n"
    if not is_called:
        return pairs, f"func.func @f({named}) -> ({results}) {{\n{body}"
    return pairs, (f"func.func @f({named}) -> ({results}) {{\n"
                   f"{given.replace(', ', ', ')} = call @g({', '.join(name for name, _ in pairs)}) : ({types}) -> ({results})\n"
                   f"return {given} : {results}\n}}\nfunc.func private @g({arguments}) -> ({results}) {{\n{body}")


class Test:
    def __init__(self, checks, library, folder):
        self.checks, self.library, self.path = checks, library, Path(folder) / "program.mlir"
        self.compared = 0

    def fixate(self, pairs, text, inputs):
        shapes = ["x".join(map(str, value.shape)) if type_.startswith("tensor") else "-"
                  for (_, type_), value in zip(pairs, inputs)]
        bound = [f"{name[1:]} = {value}" for (name, type_), value in zip(pairs, inputs) if is_scalar(type_)]
        options = f"function=f bind='{', '.join(bound)}' shapes='{', '.join(shapes)}'"
        return subprocess.run(["symshape-opt", "-", f"--symshape-fixate={options}"], input=text, capture_output=True,
                              text=True, check=False)

    def run(self, text, pairs, inputs):
        self.path.write_text(text, encoding="utf-8")
        arrays = [value if type_.startswith("tensor") or not is_scalar(type_) else np.array(value, np.int64)
                  for (_, type_), value in zip(pairs, inputs)]
        return symshape_c.Program(self.path, library=self.library, entry="f")(*arrays)

    def agree(self, name, inputs, is_called):
        pairs, text = write(*PROGRAMS[name][:3], is_called)
        shapes = [value.shape if isinstance(value, np.ndarray) else value for value in inputs]
        what = f"symshape.{name}{' in a callee' * is_called} for {shapes}"
        done = self.fixate(pairs, text, inputs)
        if not self.checks.that(done.returncode == 0, f"{what} becomes static", done.stderr):
            return
        closed = done.stdout
        for allowed in [BY_DATA[name]] if name in BY_DATA else []:
            self.checks.that(allowed in closed, f"{what} has {allowed}", closed)
            closed = re.sub(r"tensor<\?x", "tensor<", closed)
        self.checks.that("?" not in closed, f"{what} has no open extent", done.stdout)
        self.checks.that("tensor.cast" not in closed or name in BY_DATA, f"{what} has no cast", done.stdout)
        wanted, actual = self.run(text, pairs, inputs), self.run(done.stdout, pairs, inputs)
        self.checks.that(len(wanted) == len(actual) and all(
            a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(wanted, actual)),
            f"{what} computes the same", f"{wanted}\n{actual}\n{done.stdout}")
        self.compared += 1


def main():
    library, include, *names = sys.argv[1:]
    checks = Checks()
    missing = read_ops(include) - NO_PROGRAM - {name.split(" of ")[0] for name in PROGRAMS}
    checks.that(not missing, "each op has a program", f"  missing: {sorted(missing)}")
    checks.that(len(read_ops(include)) >= 24, "the definitions are read", f"  {sorted(read_ops(include))}")
    with tempfile.TemporaryDirectory(prefix="fixate") as folder:
        test = Test(checks, symshape_c.load(library), folder)
        for name, program in PROGRAMS.items():
            for inputs in program[3] if not names or name.split(" of ")[0] in names else []:
                for is_called in (False, True):
                    test.agree(name, inputs, is_called)
        print(f"{test.compared} static programs equal")
        if not names:
            checks.that(test.compared >= FLOOR, f"{FLOOR} programs")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
