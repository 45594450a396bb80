# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of vectors, buffers and the loops around them, and what they compute.

Elements are integers of 64 bits. Each program copies its arguments, of rank 2 and 1, to buffers of
its own, which it returns with its last vectors. A third of the programs take extents 0 and 1: in
these, all accesses but those that may leave the buffer are in loops, or behind masks.
"""

import itertools
import random

import numpy as np

BINARY = {"addi": np.add, "subi": np.subtract, "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum,
          "xori": np.bitwise_xor}
REDUCTIONS = {"add": np.add, "mul": np.multiply, "maxsi": np.maximum, "minsi": np.minimum, "xor": np.bitwise_xor}
NEUTRAL = {"add": 0, "mul": 1, "maxsi": -(2**63), "minsi": 2**63 - 1, "xor": 0}
SHAPES = [(4,), (4,), (8,), (16,), (4, 4), (2, 2), (2, 4), (4, 2), (1, 4), (2, 1, 2)]
SQUARE = "tensor<4x4xi64>"
ROWS = ("%m0", "memref<?x?xi64>")
LINE = ("%m1", "memref<?xi64>")


class Vector:
    def __init__(self, name, shape, element="i64"):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return f"vector<{''.join(f'{e}x' for e in self.shape)}{self.element}>"


class VectorProgram:
    """`steps` change the dictionary of values, in order."""

    def __init__(self, seed, count=14):
        self.random = random.Random(seed)
        self.is_small = self.random.random() < 0.34
        self.lines, self.steps, self.vectors, self.masks = [], [], [], []
        self.names = itertools.count()
        self.constants = {}
        self.tensors = ["%z4"]  # of 4 x 4, each from the one before it or from an earlier one
        anywhere = [self.read, self.read, self.read_rows, self.write, self.write_rows, self.masked_load, self.masked_store,
                    self.tensor_read, self.tensor_write, self.tensor_write, self.gather, self.element_loop, self.for_all, self.structured]
        inside = [self.load, self.load, self.store, self.element, self.view, self.vector_loop]
        values = [self.binary, self.binary, self.broadcast, self.transpose, self.reshape, self.extract, self.insert,
                  self.part, self.put_part, self.shuffle, self.reduce, self.reduce_masked, self.reduce_many, self.scan, self.contract, self.outer,
                  self.interleave, self.elements, self.mask, self.select, self.step]
        self.read()
        self.mask()
        while len(self.steps) < count:
            self.random.choice(self.random.choice([anywhere if self.is_small else anywhere + inside, values, values]))()
        self.results = [v for v in self.vectors if v.element == "i64"][-3:]

    # Text.

    def fresh(self):
        return f"%v{next(self.names)}"

    def constant(self, value, type_="index"):
        key = f"%{'c' if type_ == 'index' else 'k'}{value}".replace("-", "m")
        self.constants[key] = f"{key} = arith.constant {value} : {type_}"
        return key

    def small(self):
        """A number of 64 bits, and its name."""
        value = self.random.randint(-3, 3)
        return value, self.constant(value, "i64")

    def place(self, least, most):
        """The name of an index in this range, and a function of the values: often an argument, which is 0 or 1."""
        if least == 0 and most >= 1 and self.random.random() < 0.5:
            name = self.random.choice(("%i", "%j"))
            return name, lambda env: env[name]
        value = self.random.randint(least, most)
        return self.constant(value), lambda env: value

    def add(self, shape, text, compute, element="i64"):
        vector = Vector(self.fresh(), shape, element)
        self.lines.append(f"{vector.name} = {text(vector)}")

        def run(env):
            env[vector.name] = np.asarray(compute(env)).astype({"i64": np.int64, "index": np.int64, "i1": bool}[element])
            assert env[vector.name].shape == vector.shape, text(vector)
        self.steps.append(run)
        (self.masks if element == "i1" else self.vectors).append(vector)
        return vector

    def act(self, line, run):
        self.lines.append(line)
        self.steps.append(run)

    def pick(self, accepts=lambda v: True, element="i64"):
        found = [v for v in self.vectors if v.element == element and accepts(v)]
        return self.random.choice(found[-5:]) if found else None

    def mask_of(self, length):
        found = [m for m in self.masks if m.shape == (length,)]
        return self.random.choice(found) if found else self.mask((length,))

    # Buffers, of which a part may lie outside.

    @staticmethod
    def window(line, start, length, padding):
        """Elements of a line from a place, with padding beyond its end."""
        found = line[start:start + length]
        return np.concatenate([found, np.full(length - len(found), padding, np.int64)])

    def line_of(self):
        """A buffer of rank 1, or a row of one of rank 2: name, type, places but the last one, and a function."""
        if self.random.random() < 0.6 or self.is_small:
            return *LINE, "", lambda env: env["%m1"]
        row, at = self.place(0, 2)
        return *ROWS, f"{row}, ", lambda env: env["%m0"][at(env)]

    def masked(self, begin, mask, types, result=""):
        """An op with a mask as its last operand, or inside of one."""
        if not mask or self.random.random() < 0.5:
            return begin + (f", {mask.name}" if mask else "") + types
        return f"vector.mask {mask.name} {{ {begin}{types} }} : {mask.type}{f' -> {result}' if result else ''}"

    def read(self):
        length, (padding, number) = self.random.choice((4, 4, 8)), self.small()
        name, type_, outer, line = self.line_of()
        start, at = self.place(0, 3)
        masked = self.random.random() < 0.4
        mask = self.mask_of(length) if masked else None

        def compute(env):
            seen = self.window(line(env), at(env), length, padding)
            return np.where(env[mask.name], seen, padding) if masked else seen
        self.add((length,), lambda v: self.masked(f"vector.transfer_read {name}[{outer}{start}], {number}", mask, f" : {type_}, {v.type}", v.type), compute)

    def write(self):
        vector = self.pick(lambda v: len(v.shape) == 1)
        if not vector:
            return
        length = vector.shape[0]
        mask = self.mask_of(length)
        name, type_, outer, line = self.line_of()
        start, at = self.place(0, 3)

        def run(env):
            target, s = line(env), at(env)
            for k in np.flatnonzero(env[mask.name]):
                if s + k < len(target):
                    target[s + k] = env[vector.name][k]
        self.act(self.masked(f"vector.transfer_write {vector.name}, {name}[{outer}{start}]", mask, f" : {vector.type}, {type_}"), run)

    # What a dimension of a vector takes of the buffer of rank 2: a row or a column for each element, or one of each.
    MAPS = {"(r, c)": (0, 1), "(c, r)": (1, 0), "(0, c)": (None, 1), "(r, 0)": (0, None), "(r)": (0,)}

    def read_rows(self):
        map_ = self.random.choice(list(self.MAPS))
        axes, shape = self.MAPS[map_], (self.random.choice((2, 4)), 4)
        shape = shape[:len(axes)] if len(axes) == 2 else (4,)
        (padding, number), masked = self.small(), axes == (0,) and self.random.random() < 0.5
        mask = self.mask_of(4) if masked else None
        (row, at_row), (column, at_column) = self.place(0, 3), self.place(0, 3)
        if None in axes or len(axes) == 1:
            (row, at_row), (column, at_column) = ((row, at_row), self.zero()) if 1 not in axes else (self.zero(), (column, at_column))
        bounds = str([axis is None for axis in axes]).lower()

        def compute(env):
            buffer, found = env["%m0"], np.full(shape, padding, np.int64)
            for place in np.ndindex(*shape):
                at = [at_row(env), at_column(env)]
                for axis, step in zip(axes, place):
                    if axis is not None:
                        at[axis] += step
                if at[0] < buffer.shape[0] and at[1] < buffer.shape[1] and (not masked or env[mask.name][place]):
                    found[place] = buffer[tuple(at)]
            return found
        if len(axes) == 2 and None not in axes or not self.is_small:  # the dimension that is not read must have an element
            self.add(shape, lambda v: f"vector.transfer_read %m0[{row}, {column}], {number}{f', {mask.name}' if masked else ''} "
                     f"{{in_bounds = {bounds}, permutation_map = affine_map<(r, c) -> {map_}>}} : {ROWS[1]}, {v.type}", compute)

    # Tensors of 4 x 4: what is written is read again, and written over, in part or as a whole.

    def corner(self, whole):
        """Places of a transfer, and whether it is of the whole tensor."""
        return ("%c0", "%c0", lambda env: (0, 0)) if whole else self.corner_of(self.place(0, 2), self.place(0, 2))

    @staticmethod
    def corner_of(row, column):
        return row[0], column[0], lambda env: (row[1](env), column[1](env))

    def tensor_of(self):
        return self.random.choice(self.tensors[-3:])

    def tensor_mask(self, shape):
        if self.random.random() < 0.5:
            return None
        found = [m for m in self.masks if m.shape == shape]
        return self.random.choice(found) if found else self.mask(shape)

    def tensor_read(self):
        tensor, shape = self.tensor_of(), self.random.choice(((4, 4), (2, 4), (2, 2)))
        self.constant(0)
        row, column, at = self.corner(shape == (4, 4) or self.random.random() < 0.5)
        map_ = self.random.choice(("(r, c)", "(r, c)", "(c, r)"))
        axes = self.MAPS[map_]
        mask = self.tensor_mask(tuple(shape[axes.index(a)] for a in (0, 1)))  # in the order of the tensor's dimensions
        value, number = self.small()
        inside = str([row == column == "%c0"] * 2).lower()

        def compute(env):
            found = np.full(shape, value, np.int64)
            for place in np.ndindex(*shape):
                step = (place[axes.index(0)], place[axes.index(1)])
                where = (at(env)[0] + step[0], at(env)[1] + step[1])
                if max(where) < 4 and (not mask or env[mask.name][step]):
                    found[place] = env[tensor][where]
            return found
        self.add(shape, lambda v: self.masked(f"vector.transfer_read {tensor}[{row}, {column}], {number}", mask,
                                              f" {{in_bounds = {inside}, permutation_map = affine_map<(r, c) -> {map_}>}} : {SQUARE}, {v.type}", v.type), compute)

    def tensor_write(self):
        vector = self.pick(lambda v: len(v.shape) <= 2 and max(v.shape) <= 4)
        if not vector:
            return
        tensor, name = self.tensor_of(), self.fresh()
        self.constant(0)
        row, column, at = self.corner(vector.shape == (4, 4) or self.random.random() < 0.5)
        map_ = self.random.choice(("(r, c)", "(c, r)") if len(vector.shape) == 2 else ("(c)", "(r)"))
        axes = {"(c)": (1,), "(r)": (0,), **self.MAPS}[map_]
        order = sorted(range(len(axes)), key=lambda k: axes[k])  # masks are in the order of the tensor's dimensions
        mask = self.tensor_mask(tuple(vector.shape[k] for k in order))
        inside = str([row == column == "%c0"] * len(axes)).lower()

        def run(env):
            env[name] = env[tensor].copy()
            for place in np.ndindex(*vector.shape):
                where = list(at(env))
                for axis, step in zip(axes, place):
                    where[axis] += step
                if max(where) < 4 and (not mask or env[mask.name][tuple(place[k] for k in order)]):
                    env[name][tuple(where)] = env[vector.name][place]
        self.act(f"{name} = " + self.masked(f"vector.transfer_write {vector.name}, {tensor}[{row}, {column}]", mask,
                                            f" {{in_bounds = {inside}, permutation_map = affine_map<(r, c) -> {map_}>}} : {vector.type}, {SQUARE}", SQUARE), run)
        self.tensors.append(name)

    def zero(self):
        return self.constant(0), lambda env: 0

    def write_rows(self):
        vector = self.pick(lambda v: len(v.shape) == 2)
        if not vector:
            return
        map_ = self.random.choice(("(r, c)", "(c, r)"))
        axes = self.MAPS[map_]
        (row, at_row), (column, at_column) = self.place(0, 3), self.place(0, 3)

        def run(env):
            buffer = env["%m0"]
            for place in np.ndindex(*vector.shape):
                at = (at_row(env) + place[axes.index(0)], at_column(env) + place[axes.index(1)])
                if at[0] < buffer.shape[0] and at[1] < buffer.shape[1]:
                    buffer[at] = env[vector.name][place]
        self.act(f"vector.transfer_write {vector.name}, %m0[{row}, {column}] {{permutation_map = affine_map<(r, c) -> {map_}>}} : {vector.type}, {ROWS[1]}", run)

    def fitting_mask(self, start):
        """A mask of 4 lanes, none beyond the end of the line."""
        rest, mask = self.fresh(), Vector(self.fresh(), (4,), "i1")
        self.lines += [f"{rest} = arith.subi %n, {start} : index", f"{mask.name} = vector.create_mask {rest} : {mask.type}"]
        return mask

    def masked_load(self):
        pass_ = self.pick(lambda v: v.shape == (4,))
        if not pass_:
            return
        start, at = self.place(0, 2)
        mask = self.fitting_mask(start)

        def compute(env):
            seen = env["%m1"][at(env):at(env) + 4]
            return np.concatenate([seen, env[pass_.name][len(seen):]])
        self.add((4,), lambda v: f"vector.maskedload %m1[{start}], {mask.name}, {pass_.name} : {LINE[1]}, {mask.type}, {v.type} into {v.type}", compute)

    def masked_store(self):
        vector = self.pick(lambda v: v.shape == (4,))
        if not vector:
            return
        start, at = self.place(0, 2)
        mask = self.fitting_mask(start)

        def run(env):
            target = env["%m1"][at(env):at(env) + 4]
            target[:] = env[vector.name][:len(target)]
        self.act(f"vector.maskedstore %m1[{start}], {mask.name}, {vector.name} : {LINE[1]}, {mask.type}, {vector.type}", run)

    def gather(self):
        pass_ = self.pick(lambda v: v.shape == (4,))
        if not pass_:
            return
        order = self.random.choice(([0, 1, 2, 3], [3, 2, 1, 0], [1, 1, 0, 2]))
        is_constant = self.random.random() < 0.5
        places, mask, constant = self.fresh(), Vector(self.fresh(), (4,), "i1"), self.random.randint(0, 15)
        bits = [bool(constant >> k & 1) for k in range(4)]
        self.lines.append(f"{places} = arith.constant dense<{order}> : vector<4xindex>")
        if is_constant and not self.is_small:
            self.lines.append(f"{mask.name} = arith.constant dense<{str(bits).lower()}> : {mask.type}")
        else:
            bound = self.fresh()
            self.lines += [f"{bound} = vector.broadcast %n : index to vector<4xindex>",
                           f"{mask.name} = arith.cmpi slt, {places}, {bound} : vector<4xindex>"]
        self.constant(0)

        def compute(env):
            line = env["%m1"]
            on = bits if is_constant and not self.is_small else [o < len(line) for o in order]
            return [line[o] if b else p for o, b, p in zip(order, on, env[pass_.name])]
        self.add((4,), lambda v: f"vector.gather %m1[%c0][{places}], {mask.name}, {pass_.name} : {LINE[1]}, vector<4xindex>, {mask.type}, {v.type} into {v.type}", compute)

    # Buffers, within bounds.

    def load(self):
        name, type_, outer, line = self.line_of()
        start, at = self.place(0, 2)
        self.add((4,), lambda v: f"vector.load {name}[{outer}{start}] : {type_}, {v.type}", lambda env: line(env)[at(env):at(env) + 4].copy())

    def store(self):
        vector = self.pick(lambda v: v.shape == (4,))
        if not vector:
            return
        name, type_, outer, line = self.line_of()
        start, at = self.place(0, 2)

        def run(env):
            line(env)[at(env):at(env) + 4] = env[vector.name]
        self.act(f"vector.store {vector.name}, {name}[{outer}{start}] : {type_}, {vector.type}", run)

    def element(self):
        seen, (value, number) = self.fresh(), self.small()
        (source, at), (target, to) = self.place(0, 4), self.place(0, 4)

        def run(env):
            env["%m1"][to(env)] = env["%m1"][at(env)] + value
        self.act(f"{seen} = memref.load %m1[{source}] : {LINE[1]}\n  {seen}_ = arith.addi {seen}, {number} : i64\n"
                 f"  memref.store {seen}_, %m1[{target}] : {LINE[1]}", run)

    def view(self):
        """A part of a buffer, by way of casts or of a part of a part, that is added to."""
        row, at_row = self.place(0, 1)
        column, at = self.place(0, 1)
        part, inner, cast = self.fresh(), self.fresh(), self.fresh()
        strided = "strided<[?, 1], offset: ?>"
        columns = self.random.choice(("%i", "1"))
        value, number = self.small()
        name = self.fresh()

        def run(env):
            top, left = at_row(env) + 1, at(env) + (env["%i"] if columns == "%i" else 1)
            env["%m0"][top, left:left + 3] += value
        self.act(f"{part} = memref.subview %m0[{row}, {column}] [2, 5] [1, 1] : {ROWS[1]} to memref<2x5xi64, {strided}>\n"
                 f"  {cast} = memref.cast {part} : memref<2x5xi64, {strided}> to memref<?x5xi64, {strided}>\n"
                 f"  {inner} = memref.subview {cast}[1, {columns}] [1, 3] [1, 1] : memref<?x5xi64, {strided}> to memref<3xi64, strided<[1], offset: ?>>\n"
                 f"  affine.for %q = 0 to 3 {{\n    {name} = affine.load {inner}[%q] : memref<3xi64, strided<[1], offset: ?>>\n"
                 f"    {name}_ = arith.addi {name}, {number} : i64\n    affine.store {name}_, {inner}[%q] : memref<3xi64, strided<[1], offset: ?>>\n  }}", run)

    def vector_loop(self):
        """Vectors of two elements, of the first six, that are moved by affine loops."""
        shift, name = self.random.choice((0, 1)), self.fresh()

        def run(env):
            line = env["%m1"]
            for k in range(0, 4, 2):
                line[k:k + 2] = line[k + shift:k + shift + 2] * 2
        self.act(f"affine.for %q = 0 to 4 step 2 {{\n    {name} = affine.vector_load %m1[%q + {shift}] : {LINE[1]}, vector<2xi64>\n"
                 f"    {name}_ = arith.addi {name}, {name} : vector<2xi64>\n    affine.vector_store {name}_, %m1[%q] : {LINE[1]}, vector<2xi64>\n  }}", run)

    # Loops over whole buffers, of any extents.

    def element_loop(self):
        """An affine loop whose store is behind a condition."""
        divisor, value, name = self.random.choice((1, 2, 3)), self.random.randint(1, 3), self.fresh()
        step = self.random.choice((1, 2, 3))
        is_parallel = self.random.random() < 0.3 and divisor == 1

        def run(env):
            line = env["%m1"]
            for k in range(0, len(line), step):
                if k % 2 == 0 and (k // divisor) + 1 <= len(line):
                    line[k // divisor] = line[k] * value
        number = self.constant(value, "i64")
        header = f"affine.parallel (%q) = (0) to (%n) step ({step})" if is_parallel else f"affine.for %q = 0 to %n step {step}"
        self.act(f"{header} {{\n    affine.if affine_set<(q) : (q mod 2 == 0)>(%q) {{\n"
                 f"      {name} = affine.load %m1[%q] : {LINE[1]}\n      {name}_ = arith.muli {name}, {number} : i64\n"
                 f"      affine.store {name}_, %m1[%q floordiv {divisor}] : {LINE[1]}\n    }}\n  }}", run)

    def for_all(self):
        value, number = self.small()
        name, step = self.fresh(), self.random.choice((1, 1, 2))
        bound = self.random.choice(("%n", "%n", "%i"))

        def run(env):
            line = env["%m1"]
            end = min(len(line), env[bound])
            line[:end:step] += value * np.arange(0, end, step)
        upper = self.fresh()
        self.act(f"{upper} = arith.minsi %n, {bound} : index\n  scf.forall (%q) = (0) to ({upper}) step ({step}) {{\n    {name} = memref.load %m1[%q] : {LINE[1]}\n"
                 f"    {name}i = arith.index_cast %q : index to i64\n    {name}m = arith.muli {name}i, {number} : i64\n"
                 f"    {name}_ = arith.addi {name}, {name}m : i64\n    memref.store {name}_, %m1[%q] : {LINE[1]}\n  }}", run)

    def structured(self):
        """A structured op on buffers."""
        kind = self.random.choice(("fill", "sum", "add"))
        if kind == "fill" and self.random.random() < 0.7:
            kind = "sum"
        value, number = self.small()

        def run(env):
            if kind == "fill":
                env["%m0"][:] = value
            elif kind == "add":
                env["%m0"][:] = env["%m0"] + env["%m0"]
            else:
                env["%m0"][:] += np.arange(env["%m0"].shape[1])
        rows = ROWS[1]
        self.act({"fill": f"linalg.fill ins({number} : i64) outs(%m0 : {rows})",
                  "add": f"linalg.add ins(%m0, %m0 : {rows}, {rows}) outs(%m0 : {rows})",
                  "sum": "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]} "
                         f"outs(%m0 : {rows}) {{\n  ^bb0(%o: i64):\n    %x = linalg.index 1 : index\n    %y = arith.index_cast %x : index to i64\n"
                         "    %s = arith.addi %o, %y : i64\n    linalg.yield %s : i64\n  }"}[kind], run)

    # Vectors.

    def binary(self):
        left = self.pick()
        right = left and self.pick(lambda v: v.shape == left.shape)
        if not right:
            return
        op = self.random.choice(list(BINARY))
        self.add(left.shape, lambda v: f"arith.{op} {left.name}, {right.name} : {v.type}", lambda env: BINARY[op](env[left.name], env[right.name]))

    def broadcast(self):
        source = self.pick(lambda v: len(v.shape) < 3)
        if not source:
            return
        shape = (self.random.choice((1, 2)), *source.shape)
        if source.shape[0] == 1 and self.random.random() < 0.5:
            shape = (3, *source.shape[1:])
        self.add(shape, lambda v: f"vector.broadcast {source.name} : {source.type} to {v.type}", lambda env: np.broadcast_to(env[source.name], shape))

    def transpose(self):
        source = self.pick(lambda v: len(v.shape) > 1)
        if not source:
            return
        order = self.random.sample(range(len(source.shape)), len(source.shape))
        self.add([source.shape[d] for d in order], lambda v: f"vector.transpose {source.name}, {order} : {source.type} to {v.type}",
                 lambda env: np.transpose(env[source.name], order))

    def reshape(self):
        source = self.pick()
        fitting = source and [s for s in SHAPES if np.prod(s) == np.prod(source.shape)]
        if not fitting:
            return
        shape = self.random.choice(fitting)
        self.add(shape, lambda v: f"vector.shape_cast {source.name} : {source.type} to {v.type}", lambda env: env[source.name].reshape(shape))

    def extract(self):
        source = self.pick(lambda v: len(v.shape) > 1)
        if not source:
            return
        at = self.random.randrange(source.shape[0])
        self.add(source.shape[1:], lambda v: f"vector.extract {source.name}[{at}] : {v.type} from {source.type}", lambda env: env[source.name][at])

    def insert(self):
        target = self.pick(lambda v: len(v.shape) > 1)
        source = target and self.pick(lambda v: v.shape == target.shape[1:])
        if not source:
            return
        at = self.random.randrange(target.shape[0])

        def compute(env):
            result = env[target.name].copy()
            result[at] = env[source.name]
            return result
        self.add(target.shape, lambda v: f"vector.insert {source.name}, {target.name}[{at}] : {source.type} into {v.type}", compute)

    def bounds(self, shape):
        """Offsets and sizes of a part."""
        sizes = [self.random.randint(1, e) for e in shape]
        return [self.random.randint(0, e - s) for e, s in zip(shape, sizes)], sizes

    def part(self):
        source = self.pick()
        if not source:
            return
        offsets, sizes = self.bounds(source.shape)
        ones = [1] * len(sizes)
        at = tuple(slice(o, o + s) for o, s in zip(offsets, sizes))
        self.add(sizes, lambda v: f"vector.extract_strided_slice {source.name} {{offsets = {offsets}, sizes = {sizes}, strides = {ones}}} : {source.type} to {v.type}",
                 lambda env: env[source.name][at])

    def put_part(self):
        target = self.pick()
        source = target and self.pick(lambda v: len(v.shape) == len(target.shape) and all(a <= b for a, b in zip(v.shape, target.shape)))
        if not source:
            return
        offsets = [self.random.randint(0, b - a) for a, b in zip(source.shape, target.shape)]
        at = tuple(slice(o, o + s) for o, s in zip(offsets, source.shape))

        def compute(env):
            result = env[target.name].copy()
            result[at] = env[source.name]
            return result
        self.add(target.shape, lambda v: f"vector.insert_strided_slice {source.name}, {target.name} {{offsets = {offsets}, strides = {[1] * len(source.shape)}}} : {source.type} into {v.type}",
                 compute)

    def shuffle(self):
        left, right = (self.pick(lambda v: len(v.shape) == 1) for _ in range(2))
        if not right:
            return
        total = left.shape[0] + right.shape[0]
        order = self.random.choice((self.random.choices(range(total), k=4), list(range(left.shape[0])), list(range(total))))
        self.add((len(order),), lambda v: f"vector.shuffle {left.name}, {right.name} {order} : {left.type}, {right.type}",
                 lambda env: np.concatenate([env[left.name], env[right.name]])[order])

    def number(self, text, compute):
        """A number that becomes a vector of four."""
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        self.add((4,), lambda v: f"vector.broadcast {name} : i64 to {v.type}", lambda env: np.full(4, compute(env)))

    def reduce(self):
        source, kind = self.pick(lambda v: len(v.shape) == 1), self.random.choice(list(REDUCTIONS))
        if source:
            self.number(f"vector.reduction <{kind}>, {source.name} : {source.type} into i64", lambda env: REDUCTIONS[kind].reduce(env[source.name]))

    def reduce_masked(self):
        source, kind = self.pick(lambda v: len(v.shape) == 1), self.random.choice(list(REDUCTIONS))
        if not source:
            return
        mask, (value, start) = self.mask_of(source.shape[0]), self.small()
        self.number(f"vector.mask {mask.name} {{ vector.reduction <{kind}>, {source.name}, {start} : {source.type} into i64 }} : {mask.type} -> i64",
                    lambda env: REDUCTIONS[kind](REDUCTIONS[kind].reduce(np.where(env[mask.name], env[source.name], NEUTRAL[kind])), np.int64(value)))

    def reduce_many(self):
        source, kind = self.pick(lambda v: len(v.shape) > 1), self.random.choice(list(REDUCTIONS))
        if not source:
            return
        axes = sorted(self.random.sample(range(len(source.shape)), self.random.randint(1, len(source.shape) - 1)))
        shape = tuple(e for axis, e in enumerate(source.shape) if axis not in axes)
        start = self.pick(lambda v: v.shape == shape)
        if start:
            self.add(shape, lambda v: f"vector.multi_reduction <{kind}>, {source.name}, {start.name} {axes} : {source.type} to {v.type}",
                     lambda env: REDUCTIONS[kind](REDUCTIONS[kind].reduce(env[source.name], axis=tuple(axes)), env[start.name]))

    def scan(self):
        """Sums of what lies before, which a start begins; `inclusive` sums begin with the first element alone."""
        source = self.pick(lambda v: len(v.shape) > 1)
        axis = source and self.random.randrange(len(source.shape))
        start = source and self.pick(lambda v: v.shape == source.shape[:axis] + source.shape[axis + 1:])
        if not start:
            return
        kind, inclusive, last = self.random.choice(list(REDUCTIONS)), self.random.random() < 0.5, self.fresh()

        def compute(env):
            before, each = np.expand_dims(env[start.name], axis), env[source.name]
            if inclusive:
                return REDUCTIONS[kind].accumulate(each, axis=axis)
            every = np.concatenate([before, np.delete(each, -1, axis)], axis)
            return REDUCTIONS[kind].accumulate(every, axis=axis)
        self.add(source.shape, lambda v: f"arith.addi {last}, {last} : {v.type}", lambda env: 2 * compute(env))
        self.lines.insert(-1, f"{last}, {last}_ = vector.scan <{kind}>, {source.name}, {start.name} "
                          f"{{inclusive = {str(inclusive).lower()}, reduction_dim = {axis}}} : {source.type}, {start.type}")

    def contract(self):
        left, right = self.pick(lambda v: len(v.shape) == 2), self.pick(lambda v: len(v.shape) == 2)
        start = left and self.pick(lambda v: v.shape == (left.shape[0], right.shape[1]))
        if not start or left.shape[1] != right.shape[0]:
            return
        self.add(start.shape, lambda v: "vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], "
                 "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>} "
                 f"{left.name}, {right.name}, {start.name} : {left.type}, {right.type} into {v.type}",
                 lambda env: env[left.name] @ env[right.name] + env[start.name])

    def outer(self):
        left, right = (self.pick(lambda v: len(v.shape) == 1 and v.shape[0] < 5) for _ in range(2))
        if right:
            self.add((*left.shape, *right.shape), lambda v: f"vector.outerproduct {left.name}, {right.name} : {left.type}, {right.type}",
                     lambda env: np.multiply.outer(env[left.name], env[right.name]))

    def interleave(self):
        left = self.pick(lambda v: v.shape == (4,))
        right = self.pick(lambda v: v.shape == (4,))
        if right:
            self.add((8,), lambda v: f"vector.interleave {left.name}, {right.name} : {left.type} -> {v.type}",
                     lambda env: np.stack([env[left.name], env[right.name]], 1).reshape(-1))

    def elements(self):
        source = self.pick(lambda v: np.prod(v.shape) == 4)
        if not source:
            return
        name, order = self.fresh(), self.random.choice(([0, 1, 2, 3], [3, 1, 1, 0]))
        self.lines.append(f"{name}:4 = vector.to_elements {source.name} : {source.type}")
        self.add((2, 2), lambda v: f"vector.from_elements {', '.join(f'{name}#{o}' for o in order)} : {v.type}",
                 lambda env: env[source.name].reshape(-1)[order].reshape(2, 2))

    def mask(self, shape=None):
        shape = shape or self.random.choice(((4,), (8,), (2, 2)))
        if self.random.random() < 0.4:
            sizes = [self.random.randint(0, e) for e in shape]
            sizes = sizes if all(sizes) else [0] * len(sizes)
            names, counts, text = sizes, [lambda env, s=s: s for s in sizes], lambda v: f"vector.constant_mask {sizes} : {v.type}"
        else:
            names, counts = zip(*(self.random.choice((("%n", lambda env: env["%n"]), ("%i", lambda env: env["%i"]), self.place(0, e))) for e in shape))
            text = lambda v: f"vector.create_mask {', '.join(names)} : {v.type}"

        def compute(env):
            grids = np.indices(shape)
            return np.logical_and.reduce([g < c(env) for g, c in zip(grids, counts)])
        return self.add(shape, text, compute, "i1")

    def select(self):
        mask = self.random.choice(self.masks)
        left, right = (self.pick(lambda v: v.shape == mask.shape) for _ in range(2))
        if right:
            self.add(mask.shape, lambda v: f"arith.select {mask.name}, {left.name}, {right.name} : {mask.type}, {v.type}",
                     lambda env: np.where(env[mask.name], env[left.name], env[right.name]))

    def step(self):
        name = self.fresh()
        self.lines.append(f"{name} = vector.step : vector<4xindex>")
        self.add((4,), lambda v: f"arith.index_cast {name} : vector<4xindex> to {v.type}", lambda env: np.arange(4))

    # The program.

    def text(self, name="main"):
        zero, one = self.constant(0), self.constant(1)
        begin = [*self.constants.values(), f"%rows = tensor.dim %t0, {zero} : tensor<?x?xi64>", f"%columns = tensor.dim %t0, {one} : tensor<?x?xi64>",
                 f"%n = tensor.dim %t1, {zero} : tensor<?xi64>"]
        begin.append(f"%z4 = arith.constant dense<7> : {SQUARE}")
        end, results = [], [("%r0", "tensor<?x?xi64>"), ("%r1", "tensor<?xi64>"), (self.tensors[-1], SQUARE)]
        for k, (buffer, type_, sizes) in enumerate(((*ROWS, "%rows, %columns"), (*LINE, "%n"))):
            tensor = type_.replace("memref", "tensor")
            begin += [f"%b{k} = bufferization.to_buffer %t{k} read_only : {tensor} to {type_}", f"{buffer} = memref.alloc({sizes}) : {type_}",
                      f"memref.copy %b{k}, {buffer} : {type_} to {type_}"]
            end.append(f"%r{k} = bufferization.to_tensor {buffer} restrict : {type_} to {tensor}")
        for k, vector in enumerate(self.results):
            count = np.prod(vector.shape)
            end += [f"%f{k} = vector.shape_cast {vector.name} : {vector.type} to vector<{count}xi64>", f"%o{k} = memref.alloc() : memref<{count}xi64>",
                    f"vector.store %f{k}, %o{k}[{zero}] : memref<{count}xi64>, vector<{count}xi64>",
                    f"%s{k} = bufferization.to_tensor %o{k} restrict : memref<{count}xi64> to tensor<{count}xi64>"]
            results.append((f"%s{k}", f"tensor<{count}xi64>"))
        names, types = (", ".join(column) for column in zip(*results))
        body = "\n  ".join(begin + self.lines + end + [f"return {names} : {types}"])
        return f"func.func @{name}(%i: index, %j: index, %t0: tensor<?x?xi64>, %t1: tensor<?xi64>) -> ({types}) {{\n  {body}\n}}\n"

    def call(self, seed):
        """The inputs of a call, and its results."""
        choose = np.random.default_rng(seed)
        extents = choose.integers(0, 3, 3) if self.is_small else (choose.integers(3, 6), choose.integers(7, 10), choose.integers(8, 13))
        rows, line = choose.integers(-9, 10, extents[:2]), choose.integers(-9, 10, extents[2])
        i, j = (np.int64(choose.integers(0, 2)) for _ in range(2))
        env = {"%z4": np.full((4, 4), 7), "%i": int(i), "%j": int(j), "%n": len(line), "%m0": rows.copy(), "%m1": line.copy()}
        with np.errstate(over="ignore"):
            for step in self.steps:
                step(env)
        return [i, j, rows, line], [env["%m0"], env["%m1"], env[self.tensors[-1]], *(env[v.name].reshape(-1) for v in self.results)]
