# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Larger random programs, and what they do, step by step, with NumPy.

A program has the ops of check_random_versions.py and, beside them, tensors that loops make longer
or shorter, windows, borders, functions whose arguments are static in part, facts that its signature
declares, and asserts. Every value is used or returned, so that no pass may drop an op with what it
requires. `run` raises Invalid where a call must be refused. Not for: modes (modes.py).
"""

import re

import numpy as np

import check_random_versions as base
from check_random_versions import DATA, EXTENTS, MATRIX, SHAPES, VECTOR, Invalid, need

FUNCTIONS = f"""
func.func private @product(%x: {VECTOR}, %y: {VECTOR}) -> {VECTOR} {{
  %r = linalg.mul ins(%x, %y : {VECTOR}, {VECTOR}) outs(%x : {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
func.func private @front(%x: {VECTOR}, %n: index) -> {VECTOR} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : {VECTOR}
  %long = arith.cmpi sgt, %d, %c1 : index
  scf.if %long {{
    symshape.assert "n <= 3" (n = %n), "of the callee"
  }}
  %p = tensor.extract_slice %x[0] [%n] [1] : {VECTOR} to {VECTOR}
  %r = linalg.exp ins(%p : {VECTOR}) outs(%p : {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
func.func private @of_two_rows(%x: tensor<2x?xf32>, %y: {VECTOR}) -> {VECTOR} {{
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?xf32>
  %p = tensor.extract_slice %x[1, 0] [1, %n] [1, 1] : tensor<2x?xf32> to {VECTOR}
  %r = linalg.add ins(%p, %y : {VECTOR}, {VECTOR}) outs(%p : {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
func.func private @of_three(%x: tensor<3xf32>, %y: {VECTOR}) -> {VECTOR} {{
  %a = tensor.cast %y : {VECTOR} to tensor<3xf32>
  %b = arith.mulf %x, %a : tensor<3xf32>
  %r = tensor.cast %b : tensor<3xf32> to {VECTOR}
  return %r : {VECTOR}
}}
func.func private @row_sums(%x: {MATRIX}, %y: {MATRIX}) -> ({VECTOR}, {MATRIX}) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = linalg.mul ins(%x, %y : {MATRIX}, {MATRIX}) outs(%x : {MATRIX}) -> {MATRIX}
  %n = tensor.dim %t, %c0 : {MATRIX}
  %e = tensor.empty(%n) : {VECTOR}
  %z = linalg.fill ins(%zero : f32) outs(%e : {VECTOR}) -> {VECTOR}
  %r = linalg.reduce {{ arith.addf }} ins(%t : {MATRIX}) outs(%z : {VECTOR}) dimensions = [1]
  return %r, %t : {VECTOR}, {MATRIX}
}}
func.func private @declared(%x: {VECTOR} {{symshape.shape = #symshape.shape<[A]>}}, %y: {VECTOR} {{symshape.shape = #symshape.shape<[B]>}})
    -> {VECTOR} attributes {{symshape.symbols = [#symshape.symbol<"A", range = [0, 6]>], symshape.assume = [#symshape.fact<"A <= B + 1">]}} {{
  %r = tensor.concat dim(0) %x, %y : ({VECTOR}, {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
func.func private @nested(%x: {VECTOR}, %y: {VECTOR}, %m: {MATRIX}) -> {VECTOR} {{
  %r, %t = call @row_sums(%m, %m) : ({MATRIX}, {MATRIX}) -> ({VECTOR}, {MATRIX})
  %d = call @declared(%x, %r) : ({VECTOR}, {VECTOR}) -> {VECTOR}
  %p = call @product(%d, %y) : ({VECTOR}, {VECTOR}) -> {VECTOR}
  return %p : {VECTOR}
}}
"""


class Program(base.Program):
    """One program: grow it, then ask for its text and run it."""

    def __init__(self, rng):
        super().__init__(rng)
        self.static = {}  # symbol to the extent that the types of arguments have
        self.declared = self.random_facts()
        if rng.random() < 0.4:
            self.static = {rng.choice(["M", "N", "P", "K"]): rng.choice([0, 1, 2, 3])}

    def random_facts(self):
        """Up to two: the text of an attribute's entry, whether it is of one symbol, and the condition."""
        (s, t), n = self.rng.sample(base.SYMBOLS, 2), self.rng.choice([1, 2])
        facts = [(f'#symshape.symbol<"{s}", range = [0, {n + 1}]>', True, lambda d: d[s] <= n + 1),
                 (f'#symshape.symbol<"{t}", multiple_of = {n}>', True, lambda d: d[t] % n == 0),
                 (f'#symshape.fact<"{s} <= {t} + {n}">', False, lambda d: d[s] <= d[t] + n),
                 (f'#symshape.fact<"{s} != {n}">', False, lambda d: d[s] != n)]
        return self.rng.sample(facts, self.rng.choice([0, 0, 1, 2]))

    def op_concat(self):
        x, y = self.pick(1), self.pick(1)
        self.add(1, [f"%RESULT = tensor.concat dim(0) {x}, {y} : ({VECTOR}, {VECTOR}) -> {VECTOR}"],
                 lambda values: np.concatenate([values[x], values[y]]))

    def op_transpose(self):
        x, m, n, e = self.pick(2), *(self.fresh() for _ in range(3))
        self.add(2, [f"{m} = tensor.dim {x}, %c0 : {MATRIX}", f"{n} = tensor.dim {x}, %c1 : {MATRIX}",
                     f"{e} = tensor.empty({n}, {m}) : {MATRIX}",
                     f"%RESULT = linalg.transpose ins({x} : {MATRIX}) outs({e} : {MATRIX}) permutation = [1, 0]"],
                 lambda values: values[x].T)

    def op_sum(self):
        x, m, e, z = self.pick(2), *(self.fresh() for _ in range(3))
        self.add(1, [f"{m} = tensor.dim {x}, %c0 : {MATRIX}", f"{e} = tensor.empty({m}) : {VECTOR}",
                     f"{z} = linalg.fill ins(%zero : f32) outs({e} : {VECTOR}) -> {VECTOR}",
                     f"%RESULT = linalg.reduce {{ arith.addf }} ins({x} : {MATRIX}) outs({z} : {VECTOR}) dimensions = [1]"],
                 lambda values: values[x].sum(1))

    def op_pad(self):
        x, low, high = self.pick(1), self.rng.choice([0, 1, 2]), self.rng.choice([0, 1])
        self.add(1, [f"%RESULT = tensor.pad {x} low[{low}] high[{high}] {{",
                     "^bb0(%i: index):", "  tensor.yield %zero : f32", f"}} : {VECTOR} to {VECTOR}"],
                 lambda values: np.pad(values[x], (low, high)))

    def op_window(self):
        x, k, n, m, r, e, z = self.pick(1), self.pick(1), *(self.fresh() for _ in range(5))

        def run(values):
            image, window = values[x], values[k]
            need(len(window) <= len(image) + 1)  # or the result has less than no elements
            length = len(image) + 1 - len(window)
            need(not length or not len(window) or length + len(window) - 1 <= len(image))
            return np.array([image[i:i + len(window)] @ window for i in range(length)] if len(window) else
                            np.zeros(length), np.float32)

        self.add(1, [f"{n} = tensor.dim {x}, %c0 : {VECTOR}", f"{m} = tensor.dim {k}, %c0 : {VECTOR}",
                     f"{r} = affine.apply affine_map<(a, b) -> (a - b + 1)>({n}, {m})",
                     f"{e} = tensor.empty({r}) : {VECTOR}",
                     f"{z} = linalg.fill ins(%zero : f32) outs({e} : {VECTOR}) -> {VECTOR}",
                     f"%RESULT = linalg.conv_1d ins({x}, {k} : {VECTOR}, {VECTOR}) outs({z} : {VECTOR}) -> {VECTOR}"], run)

    def op_lengthen(self):
        """A loop whose turns append."""
        x, y, of, d, acc, i, t = self.pick(1), self.pick(1), self.pick(2), *(self.fresh() for _ in range(4))
        self.add(1, [f"{d} = tensor.dim {of}, %c0 : {MATRIX}",
                     f"%RESULT = scf.for {i} = %c0 to {d} step %c1 iter_args({acc} = {x}) -> {VECTOR} {{",
                     f"  {t} = tensor.concat dim(0) {acc}, {y} : ({VECTOR}, {VECTOR}) -> {VECTOR}",
                     f"  scf.yield {t} : {VECTOR}", "}"],
                 lambda values: np.concatenate([values[x]] + [values[y]] * len(values[of])))

    def op_shorten(self):
        """A loop whose turns take the first element away, until a number of them is left."""
        x, left = self.pick(1), self.rng.choice([0, 1, 2])
        k, acc, d, more, now, n, rest = (self.fresh() for _ in range(7))
        self.add(1, [f"{k} = arith.constant {left} : index",
                     f"%RESULT = scf.while ({acc} = {x}) : ({VECTOR}) -> {VECTOR} {{",
                     f"  {d} = tensor.dim {acc}, %c0 : {VECTOR}", f"  {more} = arith.cmpi ugt, {d}, {k} : index",
                     f"  scf.condition({more}) {acc} : {VECTOR}", "} do {", f"^bb0({now}: {VECTOR}):",
                     f"  {n} = tensor.dim {now}, %c0 : {VECTOR}", f"  {n}m = arith.subi {n}, %c1 : index",
                     f"  {rest} = tensor.extract_slice {now}[1] [{n}m] [1] : {VECTOR} to {VECTOR}",
                     f"  scf.yield {rest} : {VECTOR}", "}"],
                 lambda values: values[x][max(0, len(values[x]) - left):])

    def op_call_two_rows(self):
        x, y, c = self.pick(2), self.pick(1), self.fresh()

        def run(values):
            need(len(values[x]) == 2 and values[x].shape[1:] == values[y].shape)
            return values[x][1] + values[y]

        self.add(1, [f"{c} = tensor.cast {x} : {MATRIX} to tensor<2x?xf32>",
                     f"%RESULT = call @of_two_rows({c}, {y}) : (tensor<2x?xf32>, {VECTOR}) -> {VECTOR}"], run)

    def op_call_three(self):
        x, y, c = self.pick(1), self.pick(1), self.fresh()

        def run(values):
            need(len(values[x]) == len(values[y]) == 3)
            return values[x] * values[y]

        self.add(1, [f"{c} = tensor.cast {x} : {VECTOR} to tensor<3xf32>",
                     f"%RESULT = call @of_three({c}, {y}) : (tensor<3xf32>, {VECTOR}) -> {VECTOR}"], run)

    def known_in_part(self, x):
        """The lines of a matrix whose type said extents before it was open, its name, and what that requires."""
        extents = self.rng.choice([(2, None), (None, 3), (2, 3), (0, None), *[(None, None)] * 4])
        if extents == (None, None):
            return [], x, lambda values: None
        said, known = self.fresh(), self.fresh()
        type_ = "tensor<" + "".join(f"{'?' if n is None else n}x" for n in extents) + "f32>"
        return [f"{said} = tensor.cast {x} : {MATRIX} to {type_}", f"{known} = tensor.cast {said} : {type_} to {MATRIX}"], known, \
            lambda values: need(all(n is None or n == m for n, m in zip(extents, values[x].shape)))

    def op_call_row_sums(self):
        """A function that is open, called with types that are known, known in part or open; both results are used."""
        x = self.pick(2)
        y = self.rng.choice([x, x, self.pick(2)])
        (before, one, fits), (more, two, also_fits) = self.known_in_part(x), self.known_in_part(y)
        products = self.fresh()

        def run(values):
            fits(values)
            also_fits(values)
            need(values[x].shape == values[y].shape)
            values[products] = values[x] * values[y]
            return values[products].sum(1)

        self.add(1, [*before, *more, f"%RESULT, {products} = call @row_sums({one}, {two}) : "
                     f"({MATRIX}, {MATRIX}) -> ({VECTOR}, {MATRIX})"], run)
        self.steps.append((products, lambda values: values[products]))
        self.ranks[products] = 2

    @staticmethod
    def join(x, y):
        """What @declared does."""
        need(len(x) <= 6 and len(x) <= len(y) + 1)
        return np.concatenate([x, y])

    def op_call_declared(self):
        x, y = self.pick(1), self.pick(1)
        self.add(1, [f"%RESULT = call @declared({x}, {y}) : ({VECTOR}, {VECTOR}) -> {VECTOR}"],
                 lambda values: self.join(values[x], values[y]))

    def op_call_nested(self):
        x, y, m = self.pick(1), self.pick(1), self.pick(2)

        def run(values):
            joined = self.join(values[x], (values[m] * values[m]).sum(1))
            need(joined.shape == values[y].shape)
            return joined * values[y]

        self.add(1, [f"%RESULT = call @nested({x}, {y}, {m}) : ({VECTOR}, {VECTOR}, {MATRIX}) -> {VECTOR}"], run)

    def op_bind(self):
        """Two extents get one name."""
        x, name = self.pick(2), f"Q{self.fresh()[1:]}"

        def run(values):
            need(values[x].shape[0] == values[x].shape[1])
            return values[x]

        self.add(2, [f"%RESULT = symshape.bind_shape {x} [{name}, {name}] : {MATRIX}"], run)

    def op_rows(self):
        """A vector as a matrix of two rows."""
        x, d, n, two = self.pick(1), *(self.fresh() for _ in range(3))

        def run(values):
            need(len(values[x]) % 2 == 0)
            return values[x].reshape(2, -1)

        e = self.fresh()
        self.add(2, [f"{d} = tensor.dim {x}, %c0 : {VECTOR}", f"{two} = arith.constant 2 : index",
                     f"{n} = arith.divui {d}, {two} : index",
                     f"{e} = tensor.expand_shape {x} [[0, 1]] output_shape [2, {n}] : {VECTOR} into tensor<2x?xf32>",
                     f"%RESULT = tensor.cast {e} : tensor<2x?xf32> to {MATRIX}"], run)

    def op_turn(self):
        """A loop that carries a matrix, both of whose extents change, and a vector that becomes longer."""
        x, v, of, d, acc, long, i, m, n, e, t, s = self.pick(2), self.pick(1), self.pick(1), *(self.fresh() for _ in range(9))
        longer = self.fresh()

        def run(values):
            matrix, vector = values[x], values[v]
            for _ in range(len(values[of])):
                matrix, vector = matrix.T, np.concatenate([vector, values[v]])
            values[longer] = vector
            return matrix

        self.add(2, [f"{d} = tensor.dim {of}, %c0 : {VECTOR}",
                     f"%RESULT, {longer} = scf.for {i} = %c0 to {d} step %c1 iter_args({acc} = {x}, {long} = {v}) -> ({MATRIX}, {VECTOR}) {{",
                     f"  {m} = tensor.dim {acc}, %c0 : {MATRIX}", f"  {n} = tensor.dim {acc}, %c1 : {MATRIX}",
                     f"  {e} = tensor.empty({n}, {m}) : {MATRIX}",
                     f"  {t} = linalg.transpose ins({acc} : {MATRIX}) outs({e} : {MATRIX}) permutation = [1, 0]",
                     f"  {s} = tensor.concat dim(0) {long}, {v} : ({VECTOR}, {VECTOR}) -> {VECTOR}",
                     f"  scf.yield {t}, {s} : {MATRIX}, {VECTOR}", "}"], run)
        self.steps.append((longer, lambda values: values[longer]))
        self.ranks[longer] = 1

    def op_divide(self):
        """As many elements as a quotient."""
        x, n, d, quotient = self.pick(1), self.rng.choice(self.scalars), self.fresh(), self.fresh()

        def run(values):
            need(len(values[x]) != 0)
            part = abs(values[n]) // len(values[x])
            return self.take(values[x], part if values[n] >= 0 else -part)

        self.add(1, [f"{d} = tensor.dim {x}, %c0 : {VECTOR}", f"{quotient} = arith.divsi {n}, {d} : index",
                     *self.take_text("%RESULT", x, quotient)], run)

    def op_assert_dims(self):
        x, y, d, e, result = self.pick(1), self.pick(1), *(self.fresh() for _ in range(3))
        line, holds = self.assert_text(d, e)
        self.lines += [f"{d} = tensor.dim {x}, %c0 : {VECTOR}", f"{e} = tensor.dim {y}, %c0 : {VECTOR}", line]
        self.steps.append((result, lambda values: need(holds(len(values[x]), len(values[y])))))

    def grow(self, length):
        self.op_read()
        often = [self.op_add, self.op_call, self.op_matmul, self.op_flatten, self.op_if, self.op_for, self.op_concat,
                 self.op_transpose, self.op_sum, self.op_pad, self.op_lengthen, self.op_shorten, self.op_window,
                 self.op_call_row_sums, self.op_turn]
        seldom = [self.op_slice, self.op_take, self.op_assert, self.op_if_data, self.op_loop, self.op_call_data,
                  self.op_call_two_rows, self.op_call_three, self.op_assert_dims, self.op_read,
                  self.op_call_declared, self.op_call_nested, self.op_bind, self.op_rows, self.op_divide]
        for _ in range(length):
            self.rng.choice(often if self.rng.random() < 0.7 else seldom)()

    def results(self):
        """The tensors that nothing uses, or only an extent of: that does not keep the op alive."""
        used = {word for line in self.lines if " = tensor.dim " not in line for word in re.findall(r"%\w+", line.split(" = ", 1)[-1])}
        return [name for name, _ in self.steps if name in self.ranks and name not in used] or ["%v"]

    def run(self, inputs):
        """The results; raises Invalid where a call is to be refused."""
        dims = {}
        for name, letters in SHAPES.items():
            for letter, extent in zip(letters, inputs[name].shape):
                need(dims.setdefault(letter, extent) == extent)
        need(all(dims[letter] == extent for letter, extent in self.static.items()))
        need(all(holds(dims) for _, _, holds in self.declared))
        values = dict(inputs)
        for name, function in self.steps:
            values[name] = function(values)
        return [values[name] for name in self.results()]

    def argument(self, name, letters, known):
        """The type of an argument whose `known` symbols are static, and its declaration."""
        type_ = "tensor<" + "".join(f"{known.get(letter, '?')}x" for letter in letters) + "f32>"
        return type_, f"{name}_in: {type_} {{symshape.name = \"{name[1:]}\", symshape.shape = #symshape.shape<[{', '.join(letters)}]>}}"

    def text(self, extents=None):
        """With `extents` of all symbols, arguments are static."""
        known = extents or self.static
        arguments, casts = [], []
        for name, letters in SHAPES.items():
            own = MATRIX if len(letters) == 2 else VECTOR
            type_, declaration = self.argument(name, letters, known)
            arguments.append(declaration)
            casts.append(f"{name} = tensor.cast {name}_in : {type_} to {own}" if type_ != own else "")
            if not casts[-1]:
                arguments[-1] = declaration.replace("_in:", ":")
        results = self.results()
        types = ", ".join(MATRIX if self.ranks[name] == 2 else VECTOR for name in results)
        parts = {"symshape.symbols": [text for text, of_one, _ in self.declared if of_one],
                 "symshape.assume": [text for text, of_one, _ in self.declared if not of_one]}
        attributes = ", ".join(f"{key} = [{', '.join(texts)}]" for key, texts in parts.items() if texts)
        lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
                 "%zero = arith.constant 0.0 : f32", *filter(None, casts), *self.lines]
        body = "\n".join("  " + line for line in lines)
        return (f"{FUNCTIONS}func.func @main({', '.join(arguments)}, {DATA}: tensor<2xi64>) -> ({types})"
                f"{f' attributes {{{attributes}}}' if attributes else ''} {{\n{body}\n"
                f"  return {', '.join(results)} : {types}\n}}\n")


def inputs_of(rng, numbers, program):
    """Random inputs; extents that types have are kept more often than not."""
    dims = {symbol: rng.choice(EXTENTS) for symbol in base.SYMBOLS}
    if rng.random() < 0.7:  # or hardly any call is valid
        dims = {symbol: rng.choice([dims["M"], extent]) for symbol, extent in dims.items()}
    if rng.random() < 0.85:
        dims.update(program.static)
    shapes = {name: [dims[symbol] for symbol in symbols] for name, symbols in SHAPES.items()}
    if rng.random() < 0.05:
        shapes["%c"][0] += 1  # breaks what the signature declares
    inputs = {name: numbers.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    data = [rng.choice([*EXTENTS, *dims.values()]) if rng.random() < 0.95 else -1 for _ in range(2)]
    return dims, {**inputs, DATA: np.array(data, np.int64)}


def draw_calls(rng, numbers, program, served, refused):
    """Up to so many calls of each kind: pairs of (dims, inputs, results or None)."""
    found = {True: [], False: []}
    for _ in range(200):
        dims, inputs = inputs_of(rng, numbers, program)
        try:
            results = program.run(inputs)
        except Invalid:
            results = None
        kind = found[results is not None]
        if len(kind) < (refused if results is None else served):
            kind.append((dims, inputs, results))
    return found[True] + found[False]
