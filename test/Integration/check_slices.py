# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices of lower rank than what they are of, beside NumPy.

    check_slices.py [PROGRAMS [SEED]]

Random ones of tensors and memrefs, taken and put in. Offsets, sizes and steps are numbers,
constants or arguments; of the dimensions of size 1 some are dropped and others kept, so that
which of them is which follows from all sizes, or from strides, or does not matter.
"""

import random
import sys

import numpy as np

import symrun
from checking import Groups



def spell(shape, layout=""):
    return "x".join(["?" if s is None else str(s) for s in shape] + ["f32"]) + layout


def number(value):
    return "?" if value is None else str(value)


class Program:
    """One function with slices of its arguments; their extents; an element of each."""

    def __init__(self, rng):
        self.rng = rng
        self.lines, self.arguments, self.inputs = [], [], []
        self.results, self.expected = [], []
        self.mixed = 0  # slices that drop a dimension of size 1 and keep another
        for make in (self.extract, self.insert, self.view) * 2:
            make(len(self.results))

    def constant(self, value):
        name = f"%k{len(self.lines)}"
        self.lines.append(f"{name} = arith.constant {value} : index")
        return name

    def argument(self, type, value):
        name = f"%a{len(self.inputs)}"
        self.arguments.append(f"{name}: {type}")
        self.inputs.append(value)
        return name

    def pick(self, value, share):
        """(what the type knows of the value, the value in the text)"""
        draw = self.rng.random()
        if draw < share:
            return value, str(value)
        if draw < (1 + share) / 2:
            return None, self.constant(value)
        return None, self.argument("index", np.int64(value))

    def draw(self):
        """Extents of a source, and a slice of it."""
        rng = self.rng
        extents = [rng.choice([1, 1, 2, 3, 5]) for _ in range(rng.randint(2, 4))]
        self.shape = [e if rng.random() < 0.6 else None for e in extents]
        self.source = rng.randint(1, 99) + np.arange(np.prod(extents), dtype=np.float32).reshape(extents)
        self.tensor = self.argument(f"tensor<{spell(self.shape)}>", self.source)
        self.sizes, self.steps, self.offsets, self.places, text = [], [], [], [], []
        for extent in extents:
            size = rng.choice([1, 1, 1, rng.randint(0, extent)])
            offset = rng.randint(0, extent - max(size, 1))
            step = 1
            if rng.random() < 0.25:
                step = rng.choice([2, 3]) if size < 2 else 2 if offset + 2 * size - 1 <= extent else 1
            values = [self.pick(offset, 0.6), self.pick(size, 0.7), self.pick(step, 0.8)]
            for known, (value, _) in zip((self.offsets, self.sizes, self.steps), values):
                known.append(value)
            text.append([spelt for _, spelt in values])
            self.places.append(np.arange(size) * step + offset)
        self.text = " ".join(f"[{', '.join(part)}]" for part in zip(*text))
        units = [d for d, size in enumerate(self.sizes) if size == 1]
        dropped = [d for d in units if rng.random() < 0.6]
        self.kept = [d for d in range(len(extents)) if d not in dropped]
        self.mixed += 0 < len(dropped) < len(units)
        self.type = [self.sizes[d] for d in self.kept]
        full = self.source[np.ix_(*self.places)]
        self.full = full.shape
        self.part = full.reshape([full.shape[d] for d in self.kept])

    def tell(self, name, shape, value):
        """Returns the value, its extents, and its last element."""
        type = f"tensor<{spell(shape)}>"
        self.results.append((name, type))
        self.expected.append(value)
        for d, extent in enumerate(value.shape):
            at = self.constant(d)
            self.lines.append(f"{name}_d{d} = tensor.dim {name}, {at} : {type}")
            self.results.append((f"{name}_d{d}", "index"))
            self.expected.append(np.int64(extent))
        if value.size:
            at = ", ".join([self.constant(extent - 1) for extent in value.shape])
            self.lines.append(f"{name}_e = tensor.extract {name}[{at}] : {type}")
            self.results.append((f"{name}_e", "f32"))
            self.expected.append(value.reshape(-1)[-1])

    def extract(self, k):
        self.draw()
        self.lines.append(f"%r{k} = tensor.extract_slice {self.tensor}{self.text} : "
                          f"tensor<{spell(self.shape)}> to tensor<{spell(self.type)}>")
        self.tell(f"%r{k}", self.type, self.part)

    def insert(self, k):
        self.draw()
        piece = -1 - np.arange(self.part.size, dtype=np.float32).reshape(self.part.shape)
        name = self.argument(f"tensor<{spell(self.type)}>", piece)
        self.lines.append(f"%r{k} = tensor.insert_slice {name} into {self.tensor}{self.text} : "
                          f"tensor<{spell(self.type)}> into tensor<{spell(self.shape)}>")
        whole = self.source.copy()
        whole[np.ix_(*self.places)] = piece.reshape(self.full)
        self.tell(f"%r{k}", self.shape, whole)

    def view(self, k):
        """A view whose type MLIR accepts: there, strides say which dimensions are dropped."""
        while True:
            arguments, lines, mixed = len(self.inputs), len(self.lines), self.mixed
            self.draw()
            strides = [1]
            for extent in self.shape[:0:-1]:
                strides.insert(0, None if None in (extent, strides[0]) else extent * strides[0])
            made = [None if None in pair else pair[0] * pair[1] for pair in zip(strides, self.steps)]
            units = [d for d, size in enumerate(self.sizes) if size == 1]
            if len(self.kept) in (len(strides), len(strides) - len(units)) or \
                    all(made[d] == strides[d] is not None for d in units) and len(set(strides)) == len(strides):
                break
            del self.inputs[arguments:], self.arguments[arguments:], self.lines[lines:]
            self.mixed = mixed
        terms = [0 if pair[0] == 0 else None if None in pair else pair[0] * pair[1]
                 for pair in zip(self.offsets, strides)]
        offset = None if None in terms else sum(terms)
        layout = f", strided<[{', '.join([number(made[d]) for d in self.kept])}], offset: {number(offset)}>"
        whole, part = f"memref<{spell(self.shape)}>", f"memref<{spell(self.type, layout)}>"
        self.lines += [
            f"%b{k} = bufferization.to_buffer {self.tensor} : tensor<{spell(self.shape)}> to {whole}",
            f"%v{k} = memref.subview %b{k}{self.text} : {whole} to {part}",
            f"%r{k} = bufferization.to_tensor %v{k} restrict : {part} to tensor<{spell(self.type)}>"]
        self.tell(f"%r{k}", self.type, self.part)

    def text_of(self):
        types = ", ".join([type for _, type in self.results])
        lines = "\n  ".join(self.lines)
        return (f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n  {lines}\n"
                f"  return {', '.join([name for name, _ in self.results])} : {types}\n}}\n")


def check(checks, path, seed, options):
    """Returns how many slices of the program drop some dimensions of size 1 and keep others."""
    program = Program(random.Random(seed))
    with open(path, "w") as file:
        file.write(program.text_of())
    run = symrun.run(path, [program.inputs], results=len(program.expected), options=options)
    if not checks.ran(run, 1, f"program {seed}"):
        print(program.text_of(), file=sys.stderr)
        return 0
    for (name, type), seen, expected in zip(program.results, run.results[0], program.expected):
        checks.that(np.shape(seen) == np.shape(expected) and np.array_equal(seen, expected),
                    f"program {seed}: {name} of {type}", f"  {seen}, not {expected}\n{program.text_of()}")
    return program.mixed


def main(count=16, seed=1):
    test = Groups()

    @test
    def slices(runner):
        checks, folder = runner
        mixed = sum([check(checks, f"{folder}/slices.mlir", seed * 1000 + k, ["--guard-pages"] if k % 4 == 0 else [])
                     for k in range(count)])
        checks.that(mixed >= count, f"at least {count} slices drop some dimensions of size 1 and keep others",
                    f"  {mixed}")

    return test.run([], lambda *runner: runner)


if __name__ == "__main__":
    sys.exit(main(*[int(a) for a in sys.argv[1:]]))
