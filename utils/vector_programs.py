# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the test vectors as MLIR text.

`build(case, dynamic)` writes the function `@main` of a numeric case: with static
types, or with every extent `?` that the case does not declare to be constant.
"""

import math
import re
import struct

TYPES = {"f64": "f64", "f32": "f32", "i64": "i64", "i32": "i32", "i1": "i1"}
ELEMENTWISE = {"add": "addf", "sub": "subf", "mul": "mulf", "div": "divf", "maximum": "maximumf",
               "minimum": "minimumf"}
INTEGER = {"add": "addi", "sub": "subi", "mul": "muli", "div": "divsi", "maximum": "maxsi",
           "minimum": "minsi"}
# Of i1, which is 0 or 1 and not 0 or -1.
BOOLEAN = {**INTEGER, "maximum": "maxui", "minimum": "minui"}
LOWEST = {"f64": -math.inf, "f32": -math.inf, "i64": -2**63, "i32": -2**31, "i1": 0}
HIGHEST = {"f64": math.inf, "f32": math.inf, "i64": 2**63 - 1, "i32": 2**31 - 1, "i1": 1}
REDUCTIONS = {"reduce_sum": ("add", dict.fromkeys(TYPES, 0)), "reduce_prod": ("mul", dict.fromkeys(TYPES, 1)),
              "reduce_max": ("maximum", LOWEST), "reduce_min": ("minimum", HIGHEST)}
NAME = re.compile(r"[A-Za-z_]\w*")


class Unsupported(Exception):
    """An op that the builder, or the dialect, does not have yet."""


def known(sizes):
    """The extents that texts of sizes say; None for the name of a value."""
    return [int(size) if size.isdigit() else None for size in sizes]


class Value:
    """An SSA value: its name, element type and extents (None: not known)."""

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, list(shape)

    @property
    def type(self):
        return tensor_type(self.dtype, self.shape)


def tensor_type(dtype, shape):
    return "tensor<" + "".join(f"{'?' if e is None else e}x" for e in shape) + TYPES[dtype] + ">"


def is_float(dtype):
    return dtype.startswith("f")


def arith(op, dtype):
    """The op of arith that computes on elements of this type."""
    names = ELEMENTWISE if is_float(dtype) else BOOLEAN if dtype == "i1" else INTEGER
    return f"arith.{names[op]}"


def number(dtype, value):
    """A number as MLIR reads it: floats with a point, or as bits where they are not finite."""
    if not is_float(dtype):
        return str(int(value))
    value = float(value)
    if math.isfinite(value):
        text = repr(value)
        return text if "." in text else text.replace("e", ".0e")
    code, digits = ("<d", 16) if dtype == "f64" else ("<f", 8)
    return f"0x{int.from_bytes(struct.pack(code, value), 'little'):0{digits}X}"


def symbol(extent):
    """An extent in a shape attribute. A name is in quotes: it may be a word of the syntax."""
    return f'"\\"{extent}\\""' if isinstance(extent, str) and NAME.fullmatch(extent) else str(extent)


def array(values):
    values = list(values)
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def listed(values):
    return "[" + ", ".join(map(str, values)) + "]"


class Builder:
    """Writes the ops of one function; `values` maps names of the case to values."""

    def __init__(self):
        self.lines, self.values, self.count, self.indent = [], {}, 0, 2

    def emit(self, text):
        self.lines.append(" " * self.indent + text)

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def define(self, text, dtype, shape):
        """A new value of this type, which `text` computes."""
        value = Value(self.fresh(), dtype, shape)
        self.emit(f"{value.name} = {text}")
        return value

    def scalar(self, text):
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return name

    def constant(self, dtype, value):
        return self.scalar(f"arith.constant {number(dtype, value)} : {TYPES[dtype]}")

    def index(self, number):
        return self.scalar(f"arith.constant {number} : index")

    def dim(self, value, axis):
        """The extent as text: a number, or the name of an index."""
        if value.shape[axis] is not None:
            return str(value.shape[axis])
        return self.scalar(f"tensor.dim {value.name}, {self.index(axis)} : {value.type}")

    def cast(self, value, shape):
        if value.shape == list(shape):
            return value
        result = Value("", value.dtype, shape)
        return self.define(f"tensor.cast {value.name} : {value.type} to {result.type}", value.dtype, shape)

    def unify(self, *values):
        """The values with one shape, in which only common extents are known."""
        shape = [extents[0] if len(set(extents)) == 1 else None
                 for extents in zip(*(value.shape for value in values))]
        return [self.cast(value, shape) for value in values]

    def extract(self, value, *position):
        at = ", ".join(self.index(p) for p in position)
        return self.scalar(f"tensor.extract {value.name}[{at}] : {value.type}")

    def starts(self, value, count):
        """The elements of a tensor of rank 1 as indices."""
        return [self.scalar(f"arith.index_cast {self.extract(value, i)} : {TYPES[value.dtype]} to index")
                for i in range(count)]

    def empty(self, dtype, shape, sizes):
        """A tensor whose dynamic extents are those of `sizes`."""
        dynamic = [size for size, extent in zip(sizes, shape) if extent is None]
        return self.define(f"tensor.empty({', '.join(dynamic)}) : {tensor_type(dtype, shape)}", dtype, shape)

    def filled(self, dtype, shape, sizes, value):
        empty = self.empty(dtype, shape, sizes)
        scalar = self.constant(dtype, value)
        return self.define(f"linalg.fill ins({scalar} : {TYPES[dtype]}) outs({empty.name} : {empty.type})"
                           f" -> {empty.type}", dtype, shape)

    def generic(self, maps, loops, inputs, init, body, result="%r"):
        """A linalg.generic; `body` is text over %a0, %a1, ... and %o."""
        dims = ", ".join(f"d{i}" for i in range(len(loops)))
        texts = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{d}' for d in m)})>" for m in maps)
        kinds = ", ".join(f'"{loop}"' for loop in loops)
        names = ", ".join(value.name for value in inputs)
        types = ", ".join(value.type for value in inputs)
        arguments = ", ".join([f"%a{i}: {TYPES[value.dtype]}" for i, value in enumerate(inputs)] +
                              [f"%o: {TYPES[init.dtype]}"])
        ins = f"ins({names} : {types}) " if inputs else ""
        value = Value(self.fresh(), init.dtype, init.shape)
        self.emit(f"{value.name} = linalg.generic {{indexing_maps = [{texts}], iterator_types = [{kinds}]}} "
                  f"{ins}outs({init.name} : {init.type}) {{")
        self.emit(f"^bb0({arguments}):")
        for line in body:
            self.emit("  " + line)
        self.emit(f"  linalg.yield {result} : {TYPES[init.dtype]}")
        self.emit(f"}} -> {init.type}")
        return value

    def run(self, program):
        for step in program:
            operands = [self.values[name] for name in step["operands"]]
            method = getattr(self, "op_" + step["op"], None)
            if step["op"] in ELEMENTWISE:
                results = [self.elementwise(step["op"], *operands)]
            elif step["op"] in REDUCTIONS:
                results = [self.reduce(step["op"], *operands, **step.get("attrs", {}))]
            elif method:
                results = method(*operands, **step.get("attrs", {}))
                results = results if isinstance(results, list) else [results]
            else:
                raise Unsupported(f"op {step['op']}")
            names = step.get("results") or [step["result"]]
            self.values.update(zip(names, results))

    # --- elementwise ---------------------------------------------------------

    def elementwise(self, op, *operands):
        a, b = self.unify(*operands)
        return self.define(f"{arith(op, a.dtype)} {a.name}, {b.name} : {a.type}", a.dtype, a.shape)

    def op_neg(self, x):
        if not is_float(x.dtype):
            sizes = [self.dim(x, d) for d in range(len(x.shape))]
            return self.elementwise("sub", self.filled(x.dtype, x.shape, sizes, 0), x)
        return self.define(f"arith.negf {x.name} : {x.type}", x.dtype, x.shape)

    def op_select(self, pred, a, b):
        pred, a, b = self.unify(pred, a, b)
        return self.define(f"arith.select {pred.name}, {a.name}, {b.name} : {pred.type}, {a.type}",
                           a.dtype, a.shape)

    def op_clamp(self, lower, x, upper):
        lower, x, upper = self.unify(lower, x, upper)
        if not is_float(x.dtype):
            return self.elementwise("minimum", self.elementwise("maximum", x, lower), upper)
        return self.define(f"math.clampf {x.name} to [{lower.name}, {upper.name}] : {x.type}",
                           x.dtype, x.shape)

    def op_convert_f_to_i(self, x):
        return self.define(f"arith.fptosi {x.name} : {x.type} to {tensor_type('i64', x.shape)}", "i64", x.shape)

    def op_convert_i_to_f(self, x):
        name = "uitofp" if x.dtype == "i1" else "sitofp"
        return self.define(f"arith.{name} {x.name} : {x.type} to {tensor_type('f64', x.shape)}", "f64", x.shape)

    # --- gather, scatter -----------------------------------------------------

    def op_gather(self, x, indices, *sources, **attrs):
        return self.gather(x, indices, self.sizes([x, indices, *sources], attrs["slice_sizes"]), attrs)

    op_gather_dynamic_slice_sizes = op_gather

    def sizes(self, operands, sizes):
        """Sizes as text; one may be the extent of an operand."""
        return [str(size) if isinstance(size, int) else self.dim(operands[size["operand"]], size["axis"])
                for size in sizes]

    def gather(self, x, indices, sizes, attrs):
        batching = attrs.get("operand_batching_dims", [])
        windows = [size for d, size in enumerate(sizes)
                   if d not in attrs["collapsed_slice_dims"] and d not in batching]
        batch = [e for d, e in enumerate(indices.shape) if d != attrs["index_vector_dim"]]
        shape = [None] * (len(windows) + len(batch))
        for axis, size in zip(attrs["offset_dims"], windows):
            shape[axis] = int(size) if size.isdigit() else None
        others = [d for d in range(len(shape)) if d not in attrs["offset_dims"]]
        for axis, extent in zip(others, batch):
            shape[axis] = extent
        texts = [f"{key} = {array(attrs.get(key, []))}" for key in
                 ("offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                  "start_indices_batching_dims", "start_index_map")]
        texts.append(f"index_vector_dim = {attrs['index_vector_dim']} : i64")
        if attrs["mode"] == "fill":
            texts.append(f"fill_value = {number(x.dtype, attrs.get('fill_value', 0))} : {TYPES[x.dtype]}")
        return self.define(
            f"symshape.gather {attrs['mode']} {x.name}[{indices.name}] slice_sizes {listed(sizes)} "
            f"{{{', '.join(texts)}}} : {x.type}[{indices.type}] to {tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_scatter(self, x, indices, updates, **attrs):
        texts = [f"{key} = {array(attrs.get(key, []))}" for key in
                 ("update_window_dims", "inserted_window_dims", "operand_batching_dims",
                  "scatter_indices_batching_dims", "scatter_dims_to_operand_dims")]
        texts.append(f"index_vector_dim = {attrs['index_vector_dim']} : i64")
        if attrs.get("unique_indices"):
            texts.append("unique_indices")
        return self.define(
            f"symshape.scatter {attrs['combiner']} {attrs['mode']} {updates.name} into {x.name}[{indices.name}] "
            f"{{{', '.join(texts)}}} : {updates.type} into {x.type}[{indices.type}]", x.dtype, x.shape)

    # --- truncation, slices, pads --------------------------------------------

    def op_dynamic_truncate(self, x, size, axis):
        shape = list(x.shape)
        shape[axis] = None
        return self.define(f"symshape.dynamic_truncate {x.name}, {size.name} axis {axis} : {x.type}, "
                           f"{size.type} to {tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_pad_to_match(self, x, ref, axis):
        shape = list(x.shape)
        own, other = x.shape[axis], ref.shape[axis]
        shape[axis] = None if own is None or other is None else max(own, other)
        return self.define(f"symshape.pad_to_match {x.name}, {ref.name} axis {axis} : {x.type}, {ref.type} "
                           f"to {tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_slice(self, x, starts, limits, strides):
        shape = [max(0, -((start - limit) // stride))
                 for start, limit, stride in zip(starts, limits, strides)]
        # By its definition a slice ends within the tensor, also one without elements; for tensor.extract_slice, one
        # without elements reads nothing and may be anywhere.
        for axis, (limit, extent) in enumerate(zip(limits, x.shape)):
            if extent is None or limit > extent:
                size = self.dim(x, axis) if extent is None else self.index(extent)
                self.emit(f'symshape.assert "{limit} <= extent" (extent = {size}), "a slice ends within its operand"')
        if any(extent is not None and start >= extent for start, extent in zip(starts, x.shape)):
            # MLIR refuses a slice that begins where the tensor ends.
            return self.empty(x.dtype, shape, [])
        return self.define(f"tensor.extract_slice {x.name}{listed(starts)} {listed(shape)} {listed(strides)} : "
                           f"{x.type} to {tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_pad(self, x, value=None, *, low, high, interior):
        shape = [None if extent is None else lo + hi + ((extent - 1) * (gap + 1) + 1 if extent else 0)
                 for extent, lo, hi, gap in zip(x.shape, low, high, interior)]
        scalar = self.extract(value) if value else self.constant(x.dtype, 0)
        return self.define(f"symshape.pad {x.name}, {scalar} low {listed(low)} high {listed(high)} interior "
                           f"{listed(interior)} : {x.type} to {tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_dynamic_slice(self, x, starts, *sources, slice_sizes):
        sizes = self.sizes([x, starts, *sources], slice_sizes)
        shape = known(sizes)
        at = ", ".join(self.starts(starts, len(x.shape)))
        return self.define(f"symshape.dynamic_slice {x.name}[{at}] sizes {listed(sizes)} : {x.type} to "
                           f"{tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_dynamic_update_slice(self, x, update, starts):
        at = ", ".join(self.starts(starts, len(x.shape)))
        return self.define(f"symshape.dynamic_update_slice {update.name} into {x.name}[{at}] : {update.type} "
                           f"into {x.type}", x.dtype, x.shape)

    def op_concatenate(self, *pieces, axis):
        shape = [extents[0] if len(set(extents)) == 1 else None
                 for extents in zip(*(piece.shape for piece in pieces))]
        total = [piece.shape[axis] for piece in pieces]
        shape[axis] = None if None in total else sum(total)
        pieces = [self.cast(piece, shape[:axis] + [piece.shape[axis]] + shape[axis + 1:]) for piece in pieces]
        names = ", ".join(piece.name for piece in pieces)
        types = ", ".join(piece.type for piece in pieces)
        return self.define(f"tensor.concat dim({axis}) {names} : ({types}) -> "
                           f"{tensor_type(pieces[0].dtype, shape)}", pieces[0].dtype, shape)

    # --- shapes --------------------------------------------------------------

    def op_reshape(self, x, *sources, shape):
        sizes = self.sizes([x, *sources], shape)
        shape = known(sizes)
        return self.define(f"symshape.reshape {x.name} to {listed(sizes)} : {x.type} to "
                           f"{tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_transpose(self, x, perm):
        if not perm:
            return x
        shape = [x.shape[p] for p in perm]
        init = self.empty(x.dtype, shape, [self.dim(x, p) for p in perm])
        return self.define(f"linalg.transpose ins({x.name} : {x.type}) outs({init.name} : {init.type}) "
                           f"permutation = {listed(perm)}", x.dtype, shape)

    def op_broadcast_in_dim(self, x, *sources, shape, dims, expanding=()):
        sizes = self.sizes([x, *sources], shape)
        shape = known(sizes)
        x = self.cast(x, [1 if d in expanding else extent for d, extent in enumerate(x.shape)])
        return self.define(f"symshape.broadcast {x.name} to {listed(sizes)} dims {listed(dims)} expanding "
                           f"{listed(expanding)} : {x.type} to {tensor_type(x.dtype, shape)}", x.dtype, shape)

    def op_reverse(self, x, axes):
        return self.define(f"symshape.reverse {x.name} axes {listed(axes)} : {x.type}", x.dtype, x.shape)

    def op_cumsum(self, x, axis, reverse=False):
        word = " reverse" if reverse else ""
        return self.define(f"symshape.cumsum {x.name} axis {axis}{word} : {x.type}", x.dtype, x.shape)

    def op_sort(self, x, axis):
        value = Value(self.fresh(), x.dtype, x.shape)
        self.emit(f"{value.name}, {self.fresh()} = symshape.sort {x.name} axis {axis} : {x.type}, "
                  f"{tensor_type('i64', x.shape)}")
        return value

    def op_shape_of(self, x, axis):
        extent = self.dim(x, axis)
        if extent.isdigit():
            extent = self.index(extent)
        scalar = self.scalar(f"arith.index_cast {extent} : index to i64")
        return self.define(f"tensor.from_elements {scalar} : tensor<i64>", "i64", [])

    # --- reductions, contractions --------------------------------------------

    def reduce(self, op, x, axes):
        name, neutral = REDUCTIONS[op]
        kept = [d for d in range(len(x.shape)) if d not in axes]
        init = self.filled(x.dtype, [x.shape[d] for d in kept], [self.dim(x, d) for d in kept], neutral[x.dtype])
        loops = ["reduction" if d in axes else "parallel" for d in range(len(x.shape))]
        return self.generic([range(len(x.shape)), kept], loops, [x], init,
                            [f"%r = {arith(name, x.dtype)} %o, %a0 : {TYPES[x.dtype]}"])

    def op_dot_general(self, x, y, lhs_contracting, rhs_contracting, lhs_batch, rhs_batch):
        free_x = [d for d in range(len(x.shape)) if d not in [*lhs_contracting, *lhs_batch]]
        free_y = [d for d in range(len(y.shape)) if d not in [*rhs_contracting, *rhs_batch]]
        results = [(x, d) for d in [*lhs_batch, *free_x]] + [(y, d) for d in free_y]
        of_x, of_y = {}, {}
        for i, (value, d) in enumerate(results):
            (of_x if value is x and i < len(lhs_batch) + len(free_x) else of_y)[d] = i
        of_y.update({d: i for i, d in enumerate(rhs_batch)})
        for i, (a, b) in enumerate(zip(lhs_contracting, rhs_contracting)):
            of_x[a] = of_y[b] = len(results) + i
        shape = [value.shape[d] for value, d in results]
        init = self.filled(x.dtype, shape, [self.dim(value, d) for value, d in results], 0)
        loops = ["parallel"] * len(results) + ["reduction"] * len(lhs_contracting)
        maps = [[of_x[d] for d in range(len(x.shape))], [of_y[d] for d in range(len(y.shape))],
                range(len(results))]
        return self.generic(maps, loops, [x, y], init,
                            [f"%p = {arith('mul', x.dtype)} %a0, %a1 : {TYPES[x.dtype]}",
                             f"%r = {arith('add', x.dtype)} %o, %p : {TYPES[x.dtype]}"])

    # --- control flow --------------------------------------------------------

    def scope(self, args, operands, program, results):
        """Runs a body over its arguments; returns what it yields."""
        outer, self.values = self.values, dict(zip(args, operands))
        self.indent += 2
        self.run(program)
        values = [self.values[name] for name in results]
        self.values = outer
        return values

    def finish(self, values, shapes):
        values = [self.cast(value, shape) for value, shape in zip(values, shapes)]
        self.emit(f"scf.yield {', '.join(value.name for value in values)} : "
                  f"{', '.join(value.type for value in values)}")
        self.indent -= 2

    def op_if(self, pred, *operands, **attrs):
        condition = self.extract(pred)
        # The extents of the two branches may differ.
        marks = len(self.lines), self.count
        branches = []
        for side in ("then", "else"):
            branches.append(self.scope(attrs["args"], operands, attrs[side], attrs[side + "_results"]))
            self.indent -= 2
        del self.lines[marks[0]:]
        shapes = [[a if a == b else None for a, b in zip(one.shape, two.shape)] for one, two in zip(*branches)]
        results = [Value(self.fresh(), value.dtype, shape) for value, shape in zip(branches[0], shapes)]
        self.emit(f"{', '.join(value.name for value in results)} = scf.if {condition} -> "
                  f"({', '.join(value.type for value in results)}) {{")
        self.finish(self.scope(attrs["args"], operands, attrs["then"], attrs["then_results"]), shapes)
        self.emit("} else {")
        self.finish(self.scope(attrs["args"], operands, attrs["else"], attrs["else_results"]), shapes)
        self.emit("}")
        return results

    def kept_shapes(self, attrs, operands, induction=()):
        """The extents of what a loop carries, of which the body keeps those that are known."""
        count = len(attrs["results"])
        shapes = [value.shape for value in operands[:count]]
        while True:
            marks = len(self.lines)
            carried = [Value("%x", value.dtype, shape) for value, shape in zip(operands, shapes)]
            yielded = self.scope(attrs["args"], [*induction, *carried, *operands[count:]], attrs["body"],
                                 attrs["results"])
            self.indent -= 2
            del self.lines[marks:]
            joined = [[a if a == b else None for a, b in zip(value.shape, shape)]
                      for value, shape in zip(yielded, shapes)]
            if joined == shapes:
                return shapes
            shapes = joined

    def loop_values(self, operands, shapes):
        """Initial values, results and carried values of a loop, and their types."""
        inits = [self.cast(value, shape) for value, shape in zip(operands, shapes)]
        results, carried = [[Value(self.fresh(), init.dtype, init.shape) for init in inits] for _ in range(2)]
        return inits, results, carried, ", ".join(init.type for init in inits)

    def op_for(self, n, *operands, **attrs):
        count = attrs["num_carry"]
        bound = self.scalar(f"arith.index_cast {self.extract(n)} : {TYPES[n.dtype]} to index")
        zero, one = self.index(0), self.index(1)
        shapes = self.kept_shapes(attrs, operands, [Value("%x", "i64", [])])
        inits, results, carried, types = self.loop_values(operands, shapes)
        induction = self.fresh()
        pairs = ", ".join(f"{one_.name} = {init.name}" for one_, init in zip(carried, inits))
        self.emit(f"{', '.join(value.name for value in results)} = scf.for {induction} = {zero} to {bound} "
                  f"step {one} iter_args({pairs}) -> ({types}) {{")
        self.indent += 2
        scalar = self.scalar(f"arith.index_cast {induction} : index to i64")
        step = self.define(f"tensor.from_elements {scalar} : tensor<i64>", "i64", [])
        self.indent -= 2
        self.finish(self.scope(attrs["args"], [step, *carried, *operands[count:]], attrs["body"],
                               attrs["results"]), shapes)
        self.emit("}")
        return results

    def op_while_lt(self, *operands, **attrs):
        count = len(attrs["results"])
        shapes = self.kept_shapes(attrs, operands)
        inits, results, carried, types = self.loop_values(operands, shapes)
        tested = [Value(self.fresh(), value.dtype, value.shape) for value in carried]
        pairs = ", ".join(f"{value.name} = {init.name}" for value, init in zip(tested, inits))
        self.emit(f"{', '.join(value.name for value in results)} = scf.while ({pairs}) : ({types}) -> ({types}) {{")
        self.indent += 2
        first = tested[0]
        # Below 2.5 is below 3 for an integer.
        bound = attrs["bound"] if is_float(first.dtype) else math.ceil(attrs["bound"])
        test = "arith.cmpf olt" if is_float(first.dtype) else "arith.cmpi slt"
        runs = self.scalar(f"{test}, {self.extract(first)}, {self.constant(first.dtype, bound)} : "
                           f"{TYPES[first.dtype]}")
        names = ", ".join(value.name for value in tested)
        self.emit(f"scf.condition({runs}) {names} : {types}")
        self.indent -= 2
        self.emit("} do {")
        self.emit(f"^bb0({', '.join(f'{value.name}: {value.type}' for value in carried)}):")
        self.finish(self.scope(attrs["args"], [*carried, *operands[count:]], attrs["body"], attrs["results"]),
                    shapes)
        self.emit("}")
        return results


def constant_axes(case):
    """The axes of inputs whose extent is a literal: those that expand."""
    axes = {}
    for step in case["program"]:
        if step["op"] == "broadcast_in_dim":
            axes.setdefault(step["operands"][0], set()).update(step["attrs"].get("expanding", []))
    return axes


def build(case, dynamic, builder=None):
    """The module of a numeric case, with `@main`."""
    builder = builder or Builder()
    arguments = []
    literal, symbolic = constant_axes(case), case.get("symbolic_dims")
    for i, (name, given) in enumerate(case["inputs"].items()):
        shape, attribute = list(given["shape"]), ""
        if dynamic and symbolic is not None:
            declared = symbolic.get(name, shape)
            shape = [extent if isinstance(extent, int) else None for extent in declared]
            if None in shape:
                attribute = f" {{symshape.shape = #symshape.shape<[{', '.join(map(symbol, declared))}]>}}"
        elif dynamic:
            shape = [extent if d in literal.get(name, ()) else None for d, extent in enumerate(shape)]
        value = Value(f"%arg{i}", given["dtype"], shape)
        builder.values[name] = value
        arguments.append(f"{value.name}: {value.type}{attribute}")
    builder.run(case["program"])
    results = [builder.values[name] for name in case["results"]]
    types = ", ".join(value.type for value in results)
    names = ", ".join(value.name for value in results)
    lines = [f"func.func @main({', '.join(arguments)}) -> ({types}) {{", *builder.lines,
             f"  return {names} : {types}", "}"]
    return "\n".join(lines) + "\n"
