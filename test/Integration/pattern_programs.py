# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of structured ops and reshapes, and what they compute.

Elements are integers of 64 bits, so that results are exact. Extents are three symbols and small
constants, and sums and products of these.
"""

import itertools
import random
import re

import numpy as np

SYMBOLS = ("a", "b", "c")
ARITHMETIC = {
    "addi": lambda x, y: x + y,
    "subi": lambda x, y: x - y,
    "muli": lambda x, y: x * y,
    "maxsi": max,
    "minsi": min,
    "xori": lambda x, y: x ^ y,
}
ELEMENTWISE = {"addi": np.add, "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum, "xori": np.bitwise_xor}
NAMED = {"add": np.add, "mul": np.multiply, "max": np.maximum, "sub": np.subtract}
COMBINERS = ("addi", "maxsi", "minsi", "muli", "xori")


def wrap(value):
    return (int(value) + 2**63) % 2**64 - 2**63


class Dim:
    """An extent: its value for given symbols, the constant that it is or None, and its name in the text."""

    def __init__(self, key, value, static=None, name=None, factors=None, parts=()):
        self.key, self.value, self.static, self.name = key, value, static, name
        self.factors = factors  # of a product
        self.parts = parts  # (offset, Dim) of what it is the sum of

    def __str__(self):
        return "?" if self.static is None else str(self.static)


def constant(number):
    return Dim(str(number), lambda env: number, static=number)


class Tensor:
    def __init__(self, name, dims, is_open=None):
        self.name, self.dims = name, list(dims)
        self.is_open = is_open or [False] * len(self.dims)  # extents that the type does not say
        self.packed = None

    @property
    def keys(self):
        return [d.key for d in self.dims]

    @property
    def type(self):
        return "tensor<" + "".join(f"{'?' if o else d}x" for d, o in zip(self.dims, self.is_open)) + "i64>"


class Generator:
    """A program of `count` ops, as lines of text and functions that compute."""

    def __init__(self, seed, count=9, has_zeros=True):
        self.random = random.Random(seed)
        self.lines, self.steps, self.tensors = [], [], []
        self.names = itertools.count()
        self.symbols = [Dim(s, lambda env, s=s: env[s], name=f"%{s}") for s in SYMBOLS]
        self.pool = self.symbols * 2 + [constant(n) for n in (1, 2, 3)] + [constant(0)] * (self.random.random() < 0.1 and has_zeros)
        self.arguments = []
        for k in range(3):
            tensor = Tensor(f"%t{k}", [self.random.choice(self.pool) for _ in range(self.random.choice((1, 2, 2, 3)))])
            self.arguments.append(tensor)
        self.tensors += self.arguments
        structured = [self.broadcast, self.transpose, self.reduce, self.matmul, self.named, self.copy, self.arithmetic]
        windows = [self.concat, self.pad, self.slice, self.slice, self.insert]
        reshapes = [self.collapse, self.collapse, self.expand, self.expand, self.expand]
        others = [self.cast, self.generic_on_open, self.pack, self.unpack]
        kinds = [self.generic] * 5 + structured + self.random.choice((windows * 2, reshapes * 3, others, windows + reshapes + others))
        while len(self.steps) < count:
            self.random.choice(kinds)()
        text = "\n".join(self.lines)
        definitions = {t.name for t in self.tensors[3:] if "#" not in t.name}
        uses = [len(re.findall(re.escape(t.name) + r"\b", text)) - (t.name in definitions) for t in self.tensors]
        self.results = [t for t, n in zip(self.tensors, uses) if n == 0 or self.random.random() < 0.1][-5:]

    # Text.

    def fresh(self):
        return f"%v{next(self.names)}"

    def line(self, text):
        self.lines.append(text)

    def index(self, dim):
        """The name of an index with its value."""
        if dim.name:
            return dim.name
        name = self.fresh()
        self.line(f"{name} = arith.constant {dim.static} : index")
        return name

    def number(self, value):
        name = self.fresh()
        self.line(f"{name} = arith.constant {value} : i64")
        return name

    def size(self, dim):
        return dim.name or str(dim.static)

    def combine(self, op, key, x, y, value, **more):
        if x.static is not None and y.static is not None:
            return Dim(key, value, static=value({}), **more)
        left, right, name = self.index(x), self.index(y), self.fresh()
        self.line(f"{name} = arith.{op} {left}, {right} : index")
        return Dim(key, value, name=name, **more)

    def times(self, x, y):
        return self.combine("muli", f"({x.key}*{y.key})", x, y, lambda env: x.value(env) * y.value(env), factors=(x, y))

    def plus(self, x, y, part):
        """x + y, of which `part` is x if 0, y if 1, both if 2."""
        parts = [(constant(0), x), (x, y)]
        return self.combine("addi", f"({x.key}+{y.key})", x, y, lambda env: x.value(env) + y.value(env),
                            parts=parts if part == 2 else parts[part:part + 1])

    def add(self, dims, text, compute, is_open=None):
        """A line `name = text`, whose value is `compute` of those before."""
        tensor = Tensor(self.fresh(), dims, is_open)
        self.line(f"{tensor.name} = {text(tensor)}")
        self.steps.append((tensor, compute))
        self.tensors.append(tensor)
        return tensor

    def empty(self, dims):
        tensor = Tensor(self.fresh(), dims)
        opened = ", ".join(d.name for d in dims if d.static is None)
        self.line(f"{tensor.name} = tensor.empty({opened}) : {tensor.type}")
        return tensor

    def fill(self, dims, value):
        number, empty, name = self.number(value), self.empty(dims), self.fresh()
        self.line(f"{name} = linalg.fill ins({number} : i64) outs({empty.name} : {empty.type}) -> {empty.type}")
        return Tensor(name, dims)

    def pick(self, accepts=lambda t: True):
        """A tensor, a late one rather than an early one; None if none is accepted."""
        found = [t for t in self.tensors if accepts(t) and len(t.dims) <= 4]
        return self.random.choice(found[-4:] if self.random.random() < 0.7 else found) if found else None

    def plain(self, accepts=lambda t: True):
        return self.pick(lambda t: not any(t.is_open) and accepts(t))

    # Structured ops.

    def init(self, dims, is_read):
        """What an op writes to, and a function of its values before."""
        same = self.plain(lambda t: t.keys == [d.key for d in dims])
        if same and self.random.random() < 0.4:
            return same, lambda env: env[same.name]
        if is_read:
            value = self.random.randint(-3, 3)
            return self.fill(dims, value), lambda env: np.full([d.value(env) for d in dims], value)
        init = self.split_empty(dims) if len(dims) > 1 and self.random.random() < 0.3 else self.empty(dims)
        return init, lambda env: np.zeros([d.value(env) for d in dims], np.int64)

    def split_empty(self, dims):
        """An empty tensor, made with its last two dimensions as one."""
        whole = self.empty(dims[:-2] + [self.times(*dims[-2:])])
        groups = [[n] for n in range(len(dims) - 2)] + [[len(dims) - 2, len(dims) - 1]]
        tensor = Tensor(self.fresh(), dims)
        self.line(f"{tensor.name} = tensor.expand_shape {whole.name} {groups} output_shape [{', '.join(map(self.size, dims))}]"
                  f" : {whole.type} into {tensor.type}")
        return tensor

    def generic(self, is_open=False):
        loops, inputs, maps = [], [], []
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            tensor = self.pick(lambda t: any(t.is_open)) if is_open and not inputs else self.pick()
            if not tensor:
                return
            read = []
            for dim in tensor.dims:
                known = [n for n, d in enumerate(loops) if d.key == dim.key and n not in read]
                if known and self.random.random() < 0.85:
                    read.append(self.random.choice(known))
                else:
                    loops.append(dim)
                    read.append(len(loops) - 1)
            inputs.append(tensor)
            maps.append(read)
        if len(loops) < 3 and self.random.random() < 0.35:
            loops.append(self.random.choice(self.pool))  # the result repeats along it
        if len(loops) > 4:
            return
        read = set(itertools.chain(*maps))
        order = [n for n in range(len(loops)) if n not in read or self.random.random() < 0.75]
        self.random.shuffle(order)
        reduces = len(order) < len(loops)
        self.add_generic(loops, inputs, maps, order, reduces)

    def generic_on_open(self):
        self.generic(is_open=True)

    def add_generic(self, loops, inputs, maps, order, reduces):
        reads_out = reduces or self.random.random() < 0.35
        init, start = self.init([loops[n] for n in order], reads_out)
        results = [(init, start)]
        if self.random.random() < 0.2:
            results.append(self.init([loops[n] for n in order], reads_out))
        body, values, known = [], [], [f"%x{k}" for k in range(len(inputs))]
        if loops and self.random.random() < 0.3:
            loop = self.random.randrange(len(loops))
            body += [f"%i = linalg.index {loop} : index", "%j = arith.index_cast %i : index to i64"]
            known.append("%j")
            values.append(("%j", "index", loop, None))
        for k in range(self.random.randint(0 if len(results) == 1 else 1, 3)):
            op, x, y = self.random.choice(list(ARITHMETIC)), self.random.choice(known), self.random.choice(known)
            body.append(f"%s{k} = arith.{op} {x}, {y} : i64")
            values.append((f"%s{k}", op, x, y))
            known.append(f"%s{k}")
        yields = []
        for k in range(len(results)):
            name = self.random.choice(known[-2:])
            if reads_out:
                op = self.random.choice(COMBINERS)
                body.append(f"%c{k} = arith.{op} %y{k}, {name} : i64")
                values.append((f"%c{k}", op, f"%y{k}", name))
                name = f"%c{k}"
            yields.append(name)
        self.write_generic(loops, inputs, maps, order, results, body, values, yields)

    def write_generic(self, loops, inputs, maps, order, results, body, values, yields):
        names = ", ".join(f"d{n}" for n in range(len(loops)))
        text = [f"affine_map<({names}) -> ({', '.join(f'd{n}' for n in m)})>" for m in maps + [order] * len(results)]
        kinds = ", ".join('"parallel"' if n in order else '"reduction"' for n in range(len(loops)))
        arguments = [f"%x{k}: i64" for k in range(len(inputs))] + [f"%y{k}: i64" for k in range(len(results))]
        types = ", ".join(init.type for init, _ in results)
        opening = (f"linalg.generic {{indexing_maps = [{', '.join(text)}], iterator_types = [{kinds}]}} "
                   f"ins({', '.join(t.name for t in inputs)} : {', '.join(t.type for t in inputs)}) "
                   f"outs({', '.join(t.name for t, _ in results)} : {types}) {{\n"
                   f"  ^bb0({', '.join(arguments)}):\n    ")
        closing = f"\n    linalg.yield {', '.join(yields)} : {', '.join(['i64'] * len(yields))}\n  }} -> "
        many = len(results) > 1
        name = self.fresh()
        self.line(f"{name}{':2' if many else ''} = {opening}" + "\n    ".join(body) + closing + (f"({types})" if many else types))
        outs = [Tensor(f"{name}#{k}" if many else name, [loops[n] for n in order], init.is_open)
                for k, (init, _) in enumerate(results)]

        def compute(env):
            arrays = [env[t.name] for t in inputs]
            written = [start(env).copy() for _, start in results]
            for place in np.ndindex(*[d.value(env) for d in loops]):
                at = tuple(place[n] for n in order)
                scalars = {f"%x{k}": int(array[tuple(place[n] for n in m)]) for k, (array, m) in enumerate(zip(arrays, maps))}
                scalars.update({f"%y{k}": int(array[at]) for k, array in enumerate(written)})
                for result, op, x, y in values:
                    scalars[result] = place[x] if op == "index" else wrap(ARITHMETIC[op](scalars[x], scalars[y]))
                for array, value in zip(written, yields):
                    array[at] = scalars[value]
            for tensor, array in zip(outs, written):
                env[tensor.name] = array
            return written[0]

        self.steps.append((outs[0], compute))
        self.tensors += outs

    def broadcast(self):
        source = self.plain(lambda t: len(t.dims) < 3)
        if not source:
            return
        at, dim = self.random.randint(0, len(source.dims)), self.random.choice(self.pool)
        dims = source.dims[:at] + [dim] + source.dims[at:]
        empty = self.empty(dims)
        self.add(dims, lambda t: f"linalg.broadcast ins({source.name} : {source.type}) outs({empty.name} : {t.type}) dimensions = [{at}]",
                 lambda env: np.repeat(np.expand_dims(env[source.name], at), dim.value(env), at))

    def transpose(self):
        source = self.plain(lambda t: len(t.dims) > 1)
        if not source:
            return
        order = self.random.sample(range(len(source.dims)), len(source.dims))
        empty = self.empty([source.dims[n] for n in order])
        self.add(empty.dims, lambda t: f"linalg.transpose ins({source.name} : {source.type}) outs({empty.name} : {t.type}) permutation = {order}",
                 lambda env: np.transpose(env[source.name], order))

    def reduce(self):
        source = self.plain(lambda t: len(t.dims) > 1)
        if not source:
            return
        axis = self.random.randrange(len(source.dims))
        op, function = self.random.choice((("addi", np.add), ("xori", np.bitwise_xor), ("muli", np.multiply)))
        init, start = self.init(source.dims[:axis] + source.dims[axis + 1:], True)
        self.add(init.dims, lambda t: f"linalg.reduce {{ arith.{op} }} ins({source.name} : {source.type}) outs({init.name} : {t.type}) dimensions = [{axis}]",
                 lambda env: function(start(env), function.reduce(env[source.name], axis=axis)))

    def matmul(self):
        left = self.plain(lambda t: len(t.dims) == 2)
        right = self.plain(lambda t: left and len(t.dims) == 2 and t.dims[0].key == left.dims[1].key)
        if not right:
            return
        init, start = self.init([left.dims[0], right.dims[1]], True)
        self.add(init.dims, lambda t: f"linalg.matmul ins({left.name}, {right.name} : {left.type}, {right.type}) outs({init.name} : {t.type}) -> {t.type}",
                 lambda env: start(env) + env[left.name] @ env[right.name])

    def named(self):
        left = self.plain()
        right = self.plain(lambda t: t.keys == left.keys)
        name = self.random.choice(list(NAMED))
        init, _ = self.init(left.dims, False)
        self.add(init.dims, lambda t: f"linalg.{name} ins({left.name}, {right.name} : {left.type}, {right.type}) outs({init.name} : {t.type}) -> {t.type}",
                 lambda env: NAMED[name](env[left.name], env[right.name]))

    def copy(self):
        source = self.plain()
        init, _ = self.init(source.dims, False)
        self.add(init.dims, lambda t: f"linalg.copy ins({source.name} : {source.type}) outs({init.name} : {t.type}) -> {t.type}",
                 lambda env: env[source.name])

    def arithmetic(self):
        left = self.pick()
        right = self.pick(lambda t: t.type == left.type and t.keys == left.keys)
        name = self.random.choice(list(ELEMENTWISE))
        self.add(left.dims, lambda t: f"arith.{name} {left.name}, {right.name} : {left.type}",
                 lambda env: ELEMENTWISE[name](env[left.name], env[right.name]), left.is_open)

    # Tensors.

    def collapse(self):
        source = self.plain(lambda t: len(t.dims) > 1)
        if not source:
            return
        at = self.random.randrange(len(source.dims) - 1)
        dims = source.dims[:at] + [self.times(*source.dims[at:at + 2])] + source.dims[at + 2:]
        groups = [[n] for n in range(at)] + [[at, at + 1]] + [[n] for n in range(at + 2, len(source.dims))]
        self.add(dims, lambda t: f"tensor.collapse_shape {source.name} {groups} : {source.type} into {t.type}",
                 lambda env: env[source.name].reshape([d.value(env) for d in dims]))

    def expand(self):
        source = self.plain(lambda t: len(t.dims) < 4 and any(d.factors for d in t.dims))
        if not source:
            return
        at = self.random.choice([n for n, d in enumerate(source.dims) if d.factors])
        factors = self.random.sample(source.dims[at].factors, 2)
        dims = source.dims[:at] + factors + source.dims[at + 1:]
        groups = [[n] for n in range(at)] + [[at, at + 1]] + [[n] for n in range(at + 2, len(dims))]
        shape = ", ".join(self.size(d) for d in dims)
        self.add(dims, lambda t: f"tensor.expand_shape {source.name} {groups} output_shape [{shape}] : {source.type} into {t.type}",
                 lambda env: env[source.name].reshape([d.value(env) for d in dims]))

    def concat(self):
        left = self.plain()
        axis = self.random.randrange(len(left.dims)) if left.dims else None
        if axis is None:
            return
        fits = lambda t: len(t.dims) == len(left.dims) and all(
            x.key == y.key for n, (x, y) in enumerate(zip(t.dims, left.dims)) if n != axis)
        right = self.plain(fits)
        dims = list(left.dims)
        dims[axis] = self.plus(left.dims[axis], right.dims[axis], 2)
        self.add(dims, lambda t: f"tensor.concat dim({axis}) {left.name}, {right.name} : ({left.type}, {right.type}) -> {t.type}",
                 lambda env: np.concatenate([env[left.name], env[right.name]], axis))

    def pad(self):
        source = self.plain(lambda t: t.dims)
        if not source:
            return
        low, high = ([self.random.choice((0, 0, 1, 2)) for _ in source.dims] for _ in range(2))
        dims = []
        for dim, before, after in zip(source.dims, low, high):
            if before:
                dim = self.plus(constant(before), dim, 1)
            if after:
                dim = self.plus(dim, constant(after), 0)
            dims.append(dim)
        value = self.random.randint(-3, 3)
        number = self.number(value)
        indices = ", ".join(f"%p{n}: index" for n in range(len(dims)))
        self.add(dims, lambda t: f"tensor.pad {source.name} low{low} high{high} {{\n  ^bb0({indices}):\n    tensor.yield {number} : i64\n  }} : {source.type} to {t.type}",
                 lambda env: np.pad(env[source.name], list(zip(low, high)), constant_values=value))

    @staticmethod
    def has_parts(tensor):
        return any(d.parts for d in tensor.dims) and all(d.static != 0 for d in tensor.dims)

    def window(self, tensor):
        """Offsets and sizes of a part of a tensor: MLIR refuses offsets that lie outside by type, of empty parts too."""
        offsets, sizes = [], []
        for dim in tensor.dims:
            parts = [(o, s) for o, s in dim.parts if dim.static is None or o.static is None or o.static < dim.static]
            offset, size = self.random.choice(parts) if parts and self.random.random() < 0.8 else (constant(0), dim)
            offsets.append(offset)
            sizes.append(size)
        return offsets, sizes

    def places(self, offsets, sizes):
        ones = ", ".join("1" for _ in sizes)
        return f"[{', '.join(map(self.size, offsets))}] [{', '.join(map(self.size, sizes))}] [{ones}]"

    @staticmethod
    def slices(env, offsets, sizes):
        return tuple(slice(o.value(env), o.value(env) + s.value(env)) for o, s in zip(offsets, sizes))

    def slice(self):
        source = self.plain(self.has_parts)
        if not source:
            return
        offsets, sizes = self.window(source)
        text = self.places(offsets, sizes)
        kept = [s for s in sizes if s.static != 1] if self.random.random() < 0.3 else sizes
        self.add(kept, lambda t: f"tensor.extract_slice {source.name}{text} : {source.type} to {t.type}",
                 lambda env: env[source.name][self.slices(env, offsets, sizes)].reshape([d.value(env) for d in kept]))

    def insert(self):
        dest = self.plain(self.has_parts)
        if not dest:
            return
        offsets, sizes = self.window(dest)
        source = self.plain(lambda t: t.keys == [s.key for s in sizes])
        if not source:
            return
        text = self.places(offsets, sizes)

        def compute(env):
            result = env[dest.name].copy()
            result[self.slices(env, offsets, sizes)] = env[source.name]
            return result

        self.add(dest.dims, lambda t: f"tensor.insert_slice {source.name} into {dest.name}{text} : {source.type} into {t.type}", compute)

    def cast(self):
        source = self.plain(lambda t: any(d.static is not None for d in t.dims))
        if not source:
            return
        is_open = [self.random.random() < 0.7 and d.static is not None for d in source.dims]
        self.add(source.dims, lambda t: f"tensor.cast {source.name} : {source.type} to {t.type}",
                 lambda env: env[source.name], is_open)

    def pack(self):
        source = self.plain(lambda t: 0 < len(t.dims) < 3)
        if not source:
            return
        at, tile, value = self.random.randrange(len(source.dims)), self.random.choice((2, 3)), self.random.randint(-3, 3)
        dim = source.dims[at]
        outer = self.combine("ceildivsi", f"({dim.key}/{tile})", dim, constant(tile), lambda env: -(-dim.value(env) // tile))
        dims = source.dims[:at] + [outer] + source.dims[at + 1:] + [constant(tile)]
        number, empty = self.number(value), self.empty(dims)

        def compute(env):
            array = np.moveaxis(env[source.name], at, -1)
            rest = outer.value(env) * tile - dim.value(env)
            array = np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, rest)], constant_values=value)
            return np.moveaxis(array.reshape(*array.shape[:-1], outer.value(env), tile), -2, at)

        packed = self.add(dims, lambda t: f"linalg.pack {source.name} padding_value({number} : i64) inner_dims_pos = [{at}] inner_tiles = [{tile}] into {empty.name} : {source.type} -> {t.type}", compute)
        packed.packed = (at, tile, source.dims)

    def unpack(self):
        source = self.plain(lambda t: t.packed)
        if not source:
            return
        at, tile, dims = source.packed
        empty = self.empty(dims)

        def compute(env):
            array = np.moveaxis(env[source.name], at, -2)
            array = array.reshape(*array.shape[:-2], array.shape[-2] * tile)[..., :dims[at].value(env)]
            return np.moveaxis(array, -1, at)

        self.add(dims, lambda t: f"linalg.unpack {source.name} inner_dims_pos = [{at}] inner_tiles = [{tile}] into {empty.name} : {source.type} -> {t.type}", compute)

    # The program.

    def text(self, name):
        arguments = [f"%{s}: index" for s in SYMBOLS] + [f"{t.name}: {t.type}" for t in self.arguments]
        types = ", ".join(t.type for t in self.results)
        body = "\n  ".join(self.lines + [f"return {', '.join(t.name for t in self.results)} : {types}"])
        return f"func.func @{name}({', '.join(arguments)}) -> ({types}) {{\n  {body}\n}}\n"

    def call(self, values, seed):
        """The inputs of a call with such extents, and its results."""
        env = dict(zip(SYMBOLS, values))
        numbers = np.random.default_rng(seed)
        inputs = [np.int64(v) for v in values]
        for tensor in self.arguments:
            env[tensor.name] = numbers.integers(-9, 10, [d.value(env) for d in tensor.dims], np.int64)
            inputs.append(env[tensor.name])
        with np.errstate(over="ignore"):
            for tensor, compute in self.steps:
                env[tensor.name] = compute(env)
        return inputs, [env[t.name] for t in self.results]
