# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on tensors that are MLIR text and, beside it, an evaluation in f64.

Each op of a `Program` adds lines of text and a step of the evaluation, which
gives the value of each element and a bound of the error that rounding in the
types of the program may cause, for any order of the sums.
"""

import numpy as np

# Twice the relative error of one rounding.
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7, "i32": 0, "i8": 0, "i1": 0}
NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.float32, "i32": np.int32,
         "i8": np.int8, "i1": np.bool_}


def affine(rank, positions):
    """The map from `rank` loops to those at `positions`."""
    loops = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({loops}) -> ({', '.join(f'd{i}' for i in positions)})>"


def aligned(array, rank, positions):
    """`array`, whose dimensions are those at `positions` of `rank`, for broadcasting."""
    order = np.argsort(positions) if len(positions) else []
    shape = [1] * rank
    for axis in order:
        shape[positions[axis]] = array.shape[axis]
    return array.transpose(order).reshape(shape)


class Tensor:
    def __init__(self, name, dims, element, known=None):
        self.name, self.dims, self.element, self.known = name, tuple(dims), element, known

    def type(self, element=None):
        """Its type: `known` has the extents of the symbols that are static."""
        shape = "".join(f"{self.known.get(d, '?')}x" for d in self.dims)
        return f"tensor<{shape}{element or self.element}>"


class Program:
    def __init__(self):
        self.known = {}  # symbol to extent
        self.arguments, self.weights, self.results = [], [], []
        self.values = []  # in order
        self.lines, self.steps = [], []
        self.count = 0

    def tensor(self, dims, element, name=None):
        self.count += 1
        value = Tensor(name or f"%v{self.count}", dims, element, self.known)
        self.values.append(value)
        return value

    def argument(self, dims, element, weight=False):
        value = self.tensor(dims, element, f"%a{len(self.arguments)}")
        self.arguments.append(value)
        if weight:
            self.weights.append(value)
        return value

    def line(self, text):
        self.lines.append(f"  {text}")

    def fresh(self, text):
        """A name for the value of `text`."""
        self.count += 1
        self.line(f"%s{self.count} = {text}")
        return f"%s{self.count}"

    def extent(self, symbol):
        holder = next(a for a in self.arguments if symbol in a.dims)
        index = self.fresh(f"arith.constant {holder.dims.index(symbol)} : index")
        return self.fresh(f"tensor.dim {holder.name}, {index} : {holder.type()}")

    def empty(self, dims, element):
        sizes = [self.extent(d) for d in dims if d not in self.known]
        like = Tensor("", dims, element, self.known)
        return self.fresh(f"tensor.empty({', '.join(sizes)}) : {like.type()}")

    def constant(self, number, element):
        if element[0] != "i":
            lowest = "0xFF800000" if element == "f32" else "0xFFF0000000000000"
            number = lowest if number == "-inf" else float(number)
        return self.fresh(f"arith.constant {number} : {element}")

    def filled(self, dims, element, number):
        value = self.tensor(dims, element)
        like = self.empty(dims, element)
        self.line(f"{value.name} = linalg.fill ins({self.constant(number, element)} : {element})"
                  f" outs({like} : {value.type()}) -> {value.type()}")

        def step(env, sizes):
            filled = np.full([sizes[d] for d in dims], float(number))
            env[value.name] = filled, np.zeros_like(filled)

        self.steps.append(step)
        return value

    def generic(self, dims, inputs, result, body, evaluate, *, element=None, out=None):
        """A linalg.generic over loops of `dims`.

        inputs, result: positions of the loops; `inputs` pairs of a tensor and these.
        body: lines in which %0, %1, ... are the elements, %out that of the output,
        and %r what is yielded (%0 if there are none). evaluate: of pairs (value,
        bound), one for each input that has a value, and for an output that is read,
        aligned to the loops; None: the value stays out of the evaluation.
        """
        rank = len(dims)
        element = element or inputs[0][0].element
        value = self.tensor([dims[i] for i in result], element)
        init = out.name if out else self.empty(value.dims, element)
        maps = ", ".join(affine(rank, p) for p in [p for _, p in inputs] + [result])
        kinds = ", ".join('"parallel"' if i in result else '"reduction"' for i in range(rank))
        names = ", ".join([f"%{i}: {t.element}" for i, (t, _) in enumerate(inputs)] + [f"%out: {element}"])
        self.line(f"{value.name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}")
        self.line(f"    ins({', '.join(t.name for t, _ in inputs)} : {', '.join(t.type() for t, _ in inputs)})"
                  f" outs({init} : {value.type()}) {{")
        self.line(f"^bb0({names}):")
        for text in body:
            self.line("  " + text)
        self.line(f"  linalg.yield %{'r' if body else '0'} : {element}")
        self.line(f"}} -> {value.type()}")
        read = [*inputs, (out, result)] if any("%out" in text for text in body) else inputs

        def step(env, sizes):
            pairs = [tuple(aligned(x, rank, p) for x in env[t.name]) for t, p in read if t.name in env]
            full = [sizes[d] for d in dims]
            v, e = (np.broadcast_to(x, full) for x in evaluate(*pairs))
            e = e + EPSILON[element] * np.abs(v) * bool(body)
            env[value.name] = v.transpose(result), e.transpose(result)

        if evaluate:
            self.steps.append(step)
        return value

    def hide(self, *values):
        """Keeps other ops from reading `values`, which stay out of the evaluation."""
        for value in values:
            self.values.remove(value)

    def reduction(self, value, start, body):
        """Over the last dimension; stays out of the evaluation."""
        loops = range(len(value.dims))
        first = self.filled(value.dims[:-1], value.element, start)
        self.hide(first)
        return self.generic(value.dims, [(value, loops)], loops[:-1], [body], None, out=first)

    def length(self, symbol, element):
        """The extent as a number of type `element`."""
        size = self.fresh(f"arith.constant {self.known[symbol]} : index") if symbol in self.known else self.extent(symbol)
        integer = self.fresh(f"arith.index_cast {size} : index to i64")
        return self.fresh(f"arith.sitofp {integer} : i64 to {element}")

    def contract(self, a, b, start, subscripts, *, name=None, swap=False, exact=True):
        """The contraction with einsum's letters `subscripts`: of a, b, the result, all loops.

        exact: sums are formed in f32 at least.
        """
        value = self.tensor(start.dims, start.element)
        operands = [(a, subscripts[0]), (b, subscripts[1])]
        if swap and not name:
            operands.reverse()
        ins = (f"ins({', '.join(t.name for t, _ in operands)} : {', '.join(t.type() for t, _ in operands)})"
               f" outs({start.name} : {start.type()})")
        if name:
            self.line(f"{value.name} = linalg.{name} {ins} -> {value.type()}")
        else:
            self._generic_contraction(value, operands, subscripts, ins)
        text = f"{subscripts[0]},{subscripts[1]}->{subscripts[2]}"

        def step(env, sizes):
            (va, ea), (vb, eb), (vs, es) = env[a.name], env[b.name], env[start.name]
            product = lambda x, y: np.einsum(text, x, y, optimize=True)
            v = product(va, vb) + vs
            extents = {c: sizes[d] for t, s in operands for c, d in zip(s, t.dims)}
            terms = 2 + np.prod([n for c, n in extents.items() if c not in subscripts[2]])
            sums = max(EPSILON["f32"], EPSILON[value.element]) if not exact else min(
                EPSILON["f32"], EPSILON[value.element])
            e = terms * sums * (product(np.abs(va), np.abs(vb)) + np.abs(vs))
            if ea.any() or eb.any():
                e = e + product(ea, np.abs(vb) + eb) + product(np.abs(va), eb)
            env[value.name] = v, e + es + EPSILON[value.element] * np.abs(v)

        self.steps.append(step)
        return value

    def _generic_contraction(self, value, operands, subscripts, ins):
        loops = subscripts[3]
        maps = ", ".join(affine(len(loops), [loops.index(c) for c in s])
                         for s in [s for _, s in operands] + [subscripts[2]])
        kinds = ", ".join('"parallel"' if c in subscripts[2] else '"reduction"' for c in loops)
        x, y, s = operands[0][0].element, operands[1][0].element, value.element
        kind = "i" if s[0] == "i" else "f"
        self.line(f"{value.name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {ins} {{")
        self.line(f"^bb0(%x: {x}, %y: {y}, %out: {s}):")
        names = []
        for name, element in (("%x", x), ("%y", y)):
            if element != s:
                self.line(f"  {name}w = arith.ext{'si' if kind == 'i' else 'f'} {name} : {element} to {s}")
                name += "w"
            names.append(name)
        self.line(f"  %p = arith.mul{kind} {names[0]}, {names[1]} : {s}")
        self.line(f"  %r = arith.add{kind} %out, %p : {s}")
        self.line(f"  linalg.yield %r : {s}")
        self.line(f"}} -> {value.type()}")

    def text(self, inline):
        """@main, which converts bf16 and calls @body."""
        outer = lambda t: t.type("f32") if t.element == "bf16" else t.type()
        lines, passed, returned = [], [], []
        for a in self.arguments:
            name = a.name
            if a.element == "bf16" and a not in self.weights:
                name += "t"
                lines.append(f"  {name} = arith.truncf {a.name} : {outer(a)} to {a.type()}")
            passed.append(name)
        types = ", ".join(r.type() for r in self.results)
        lines.append(f"  %r:{len(self.results)} = call @body({', '.join(passed)})"
                     f" : ({', '.join(a.type() for a in self.arguments)}) -> ({types})")
        for i, r in enumerate(self.results):
            returned.append(f"%r#{i}")
            if r.element == "bf16":
                lines.append(f"  %w{i} = arith.extf %r#{i} : {r.type()} to {outer(r)}")
                returned[-1] = f"%w{i}"
        main = ", ".join(f"{a.name}: {a.type()} {{symshape.weight = \"{a.name[1:]}\"}}" if a in self.weights
                         else f"{a.name}: {outer(a)}" for a in self.arguments)
        outers = ", ".join(outer(r) for r in self.results)
        body = ", ".join(f"{a.name}: {a.type()}" for a in self.arguments)
        keep = "" if inline else " attributes {no_inline}"
        return "\n".join([f"func.func @main({main}) -> ({outers}) {{", *lines,
                          f"  return {', '.join(returned)} : {outers}", "}",
                          f"func.func private @body({body}) -> ({types}){keep} {{", *self.lines,
                          f"  return {', '.join(r.name for r in self.results)} : {types}", "}", ""])

    def evaluate(self, arrays, sizes):
        """Pairs (value, bound) of the results for the arrays of all arguments."""
        env = {}
        for argument, array in zip(self.arguments, arrays):
            number = array if argument.element == "i1" else array.astype(np.float64)
            env[argument.name] = number, np.zeros(array.shape)
        for step in self.steps:
            step(env, sizes)
        return [env[r.name] for r in self.results]
