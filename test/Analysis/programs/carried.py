# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random changes of the tensors that loops carry, of one dimension mostly, and slices that
drop dimensions of the size 1. Counts what is made and what runs see."""

from collections import Counter

from .basics import Op, Value, require, tensor_type
from .tensors import Tensors

# What the programs of this process have, and what their runs saw.
MADE, SEEN = Counter(), Counter()

# For each program that is made, at least so many; what is made often is not listed.
FLOORS_MADE = {"change of a dimension in scf.for": 0.1, "change of a dimension in scf.while": 0.04,
               "change of a dimension in affine.for": 0.02, "yield of another static size": 0.04,
               "cast in a loop": 0.1, "slice without a dimension": 0.2, "insertion of fewer dimensions": 0.05,
               "subview without a dimension": 0.05, "static beside dynamic": 0.2}
# For each run: turns that change or keep what they carry.
FLOORS_SEEN = {"turn that changes one dimension": 0.002, "turn that keeps all": 0.005}


def missing(programs, runs):
    """What was made or seen less often than it must be."""
    found = [f"{MADE[what]} of {what}, expected {share * programs:g}" for what, share in FLOORS_MADE.items()
             if MADE[what] < share * programs]
    return found + [f"{SEEN[what]} of {what}, expected {share * runs:g}" for what, share in FLOORS_SEEN.items()
                    if SEEN[what] < share * runs]


def count_turn(before, after):
    """Notes how the tensors that a loop carries changed in one turn."""
    for x, y in zip(before, after):
        if isinstance(x, tuple):
            changed = sum(p != q for p, q in zip(x, y))
            SEEN["turn that keeps all" if not changed else "turn that changes one dimension" if changed == 1
                 else "turn that changes some"] += 1


class Carried(Tensors):
    def __init__(self, seed, no_wrap=False):
        super().__init__(seed, no_wrap)
        self.loops = []  # what the loops around are called

    def tensor_cast(self):
        result = super().tensor_cast()
        MADE["cast in a loop"] += bool(self.loops)
        MADE["static beside dynamic"] += None in result.type and result.type != (None,) * len(result.type)
        return result

    def as_type(self, source, type):
        if source.type == type:
            return source
        MADE["cast in a loop"] += bool(self.loops)

        def run(shape, _):
            require(all(wanted in (None, extent) for wanted, extent in zip(type, shape)))
            return shape

        return self.shape_op(type, f"tensor.cast {source.name} : {source.text} to {tensor_type(type)}", [], (source,),
                             run)

    def extent_of(self, source, axis):
        """As an element of sizes: a number where the type says it."""
        if source.type[axis] is not None:
            return str(source.type[axis]), source.type[axis], None
        position = self.constant(axis)
        value = self.define("index", f"tensor.dim {source.name}, {position.name} : {source.text}",
                            lambda shape, _: shape[axis], (source, position))
        return value.name, None, value

    def empty_of(self, extents):
        type = tuple(number for _, number, _ in extents)
        dynamic = ", ".join(text for text, _, value in extents if value)
        MADE["static beside dynamic"] += None in type and type != (None,) * len(type)
        return self.shape_op(type, f"tensor.empty({dynamic}) : {tensor_type(type)}", extents, (), lambda n: n)

    def open_tensor(self):
        """A tensor of which nothing is static, by a cast of another one if need be."""
        source = self.tensor()
        return self.as_type(source, (None,) * len(source.type))

    def change(self, carried):
        """A value of the type of `carried`, a tensor, mostly with another extent in one dimension."""
        axes = [d for d, extent in enumerate(carried.type) if extent is None]
        if not axes:
            return self.pick_type(carried.type)
        axis = self.random.choice(axes)
        MADE[f"change of a dimension in {self.loops[-1] if self.loops else 'no loop'}"] += 1
        make, = self.random.choices([self.replaced, self.lengthened, self.shortened, self.borrowed, self.kept],
                                    [4, 3, 2, 2, 2])
        return self.as_type(make(carried, axis), carried.type)

    def with_extent(self, like, axis, extent):
        return self.empty_of([extent if d == axis else self.extent_of(like, d) for d in range(len(like.type))])

    def replaced(self, carried, axis):
        """By a static extent, the same in each turn."""
        MADE["yield of another static size"] += 1
        number = self.random.choice([0, 1, 2, 4, 7])
        return self.with_extent(carried, axis, (str(number), number, None))

    def lengthened(self, carried, axis):
        if self.chance(30):
            piece = carried
        else:
            piece = self.with_extent(carried, axis, self.mixed(70, [0, 1, 2]))
        return self.concatenated(carried, piece, axis)

    def concatenated(self, a, b, axis):
        total = None if None in (a.type[axis], b.type[axis]) else a.type[axis] + b.type[axis]
        type = tuple(total if d == axis else extent for d, extent in enumerate(a.type))

        def run(x, y, _):
            require(all(p == q for d, (p, q) in enumerate(zip(x, y)) if d != axis))
            return x[:axis] + (x[axis] + y[axis],) + x[axis + 1:]

        return self.shape_op(type, f"tensor.concat dim({axis}) {a.name}, {b.name} : ({a.text}, {b.text}) -> "
                             f"{tensor_type(type)}", [], (a, b), run)

    def shortened(self, carried, axis):
        """By a number, to zero at least."""
        _, _, extent = self.extent_of(carried, axis)
        most = self.constant(self.random.choice([0, 1, 3, 5]))
        size = self.define("index", f"arith.minsi {extent.name}, {most.name} : index", min, (extent, most))
        if self.chance(50):
            size = self.define("index", f"arith.subi {extent.name}, {size.name} : index",
                               lambda a, b: self.result(a - b, "index"), (extent, size))
        sizes = [(size.name, None, size) if d == axis else self.extent_of(carried, d)
                 for d in range(len(carried.type))]
        return self.sliced(carried, sizes, range(len(sizes)))

    def sliced(self, source, sizes, kept):
        """From the beginning, with the dimensions `kept`."""
        type = tuple(sizes[d][1] for d in kept)

        def run(shape, numbers):
            require(all(0 <= size <= extent for size, extent in zip(numbers, shape)))
            return [numbers[d] for d in kept]

        text = self.from_the_beginning(source.type, sizes)
        return self.shape_op(type, f"tensor.extract_slice {source.name}{text} : {source.text} to {tensor_type(type)}",
                             sizes, (source,), run)

    def from_the_beginning(self, type, sizes):
        """The slice of these sizes. The verifier refuses a number as offset into an extent of 0."""
        offsets = [self.constant(0).name if extent == 0 else "0" for extent in type]
        return f"[{', '.join(offsets)}][{', '.join(text for text, _, _ in sizes)}][{', '.join('1' * len(type))}]"

    def borrowed(self, carried, axis):
        """One extent of another tensor, which the loop may carry too."""
        others = [v for v in self.stepped[-1] if v.is_tensor] if self.stepped else []
        other = self.random.choice(others) if others and self.chance(70) else self.tensor()
        return self.with_extent(carried, axis, self.extent_of(other, self.random.randrange(len(other.type))))

    def kept(self, carried, axis):
        """The same extents, computed."""
        return self.with_extent(carried, axis, self.extent_of(carried, axis))

    # Slices that drop dimensions.
    def unit_sizes(self, rank):
        """Sizes, many of them 1 by type or by value, and a choice of those that are kept."""
        sizes = [self.random.choice([("1", 1, None), ("1", 1, None), self.mixed(0, []), self.mixed(100, [2, 4])])
                 for _ in range(rank)]
        if self.chance(40):
            one = self.constant(1)
            sizes[self.random.randrange(rank)] = (one.name, None, one)
        kept = [d for d, (_, number, _) in enumerate(sizes) if number != 1 or self.chance(30)]
        return sizes, kept or [rank - 1]

    def reduced_slice(self):
        source = self.tensor(3) if self.chance(60) else self.tensor()
        sizes, kept = self.unit_sizes(len(source.type))
        MADE["slice without a dimension"] += len(kept) < len(sizes)
        # The verifier may refuse a number that exceeds a static extent.
        sizes = [self.within(size, extent) for size, extent in zip(sizes, source.type)]
        kept = [d for d in range(len(sizes)) if d in kept or sizes[d][1] != 1]
        return self.sliced(source, sizes, kept)

    def within(self, size, extent, step=1):
        _, number, _ = size
        if number is None or extent is None or (number - 1) * step < extent:
            return size
        value = self.constant(number)
        return value.name, None, value

    def reduced_insert(self):
        """Into slices of one more dimension than the source has."""
        source = self.tensor(self.random.choice([1, 2]))
        rank = len(source.type) + 1
        target = self.tensor(rank)
        dropped = self.random.randrange(rank)
        sizes = [self.extent_of(source, d) for d in range(rank - 1)]
        sizes.insert(dropped, ("1", 1, None))
        if any(extent is not None and number is not None and number > extent
               for extent, (_, number, _) in zip(target.type, sizes)):
            return self.reduced_slice()
        MADE["insertion of fewer dimensions"] += 1

        def run(inserted, shape, numbers):
            require(all(size <= extent for size, extent in zip(numbers, shape)))
            return shape

        text = self.from_the_beginning(target.type, sizes)
        return self.shape_op(target.type, f"tensor.insert_slice {source.name} into {target.name}{text} : "
                             f"{source.text} into {target.text}", sizes, (source, target), run)

    def subview_dim(self):
        """An extent of a view of a buffer, with strides of which some are equal."""
        shape = tuple(self.random.choice([1, 1, 2, 5]) for _ in range(3))
        strides = [shape[1] * shape[2], shape[2], 1]
        sizes, kept = self.unit_sizes(3)
        steps = [self.random.choice([1, 1, 2]) for _ in range(3)]
        sizes = [self.within(*part) for part in zip(sizes, shape, steps)]
        # Where all strides differ, they say which sizes of 1 are left out.
        tell = len({stride * step for stride, step in zip(strides, steps)}) == 3
        kept = [d for d in range(3) if (d in kept and tell) or sizes[d][1] != 1]
        if not kept:
            return self.index()
        MADE["subview without a dimension"] += len(kept) < 3
        extents = "".join(f"{'?' if sizes[d][1] is None else sizes[d][1]}x" for d in kept)
        layout = ", ".join(str(strides[d] * steps[d]) for d in kept)
        whole = f"memref<{'x'.join(map(str, shape))}xf32>"
        part = f"memref<{extents}f32, strided<[{layout}]>>"
        axis = self.random.randrange(len(kept))
        buffer, view, result = self.name(), self.name(), Value(self.name(), "index")
        position = self.constant(axis)

        def run(env, trace):
            numbers = [number if value is None else env[value.name] for _, number, value in sizes]
            require(all(size >= 0 and (size == 0 or (size - 1) * step < extent)
                        for size, step, extent in zip(numbers, steps, shape)))
            env[result.name] = numbers[kept[axis]]

        self.ops.append(Op([f"{buffer} = memref.alloca() : {whole}",
                            f"{view} = memref.subview {buffer}[0, 0, 0][{', '.join(text for text, _, _ in sizes)}]"
                            f"[{', '.join(map(str, steps))}] : {whole} to {part}",
                            f"{result.name} = memref.dim {view}, {position.name} : {part}"], run))
        return self.add(result)
