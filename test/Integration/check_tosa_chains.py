# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random chains of TOSA's ops with strides: each accepts exactly the heights that arithmetic does.

    check_tosa_chains.py SEED COUNT LIBRARY
"""

import random
import sys
import tempfile
from pathlib import Path

import numpy as np

import symshape_c
from checking import Checks

TYPE = "tensor<1x?x2x1xf32>"
HEIGHTS = range(40)
FLOOR = 0.1  # of all heights, at least as many are accepted, and refused


def shape(name, *values):
    return (f"%{name} = tosa.const_shape {{values = dense<{list(values)}> : tensor<{len(values)}xindex>}} "
            f": () -> !tosa.shape<{len(values)}>\n")


def pool(rng, source, result):
    kernel, stride = rng.randint(1, 4), rng.randint(1, 3)
    before, behind = rng.randrange(kernel), rng.randrange(kernel)

    def height(h):
        room = h + before + behind - kernel
        return room // stride + 1 if room >= 0 and room % stride == 0 else None
    return (f"{result} = tosa.max_pool2d {source} {{kernel = array<i64: {kernel}, 1>, pad = array<i64: {before}, {behind}, 0, 0>, "
            f"stride = array<i64: {stride}, 1>}} : ({TYPE}) -> {TYPE}\n"), height


def pad(rng, source, result):
    rows = rng.randint(0, 2)
    name = result[1:] + "p"
    return (shape(name, 0, 0, rows, 0, 0, 0, 0, 0) +
            f"{result} = tosa.pad {source}, %{name}, %z : ({TYPE}, !tosa.shape<8>, tensor<1xf32>) -> {TYPE}\n"), lambda h: h + rows


def first_part(rng, source, result):
    """The first rows, of which there are a half or a third: any height will do."""
    parts, name = rng.randint(2, 3), result[1:]
    return (f"%{name}h = tosa.dim {source} {{axis = 1 : i32}} : ({TYPE}) -> !tosa.shape<1>\n" + shape(name + "d", parts) +
            f"%{name}q = tosa.div_floor_shape %{name}h, %{name}d : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>\n"
            f"%{name}s = tosa.concat_shape %one, %{name}q, %rest : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<2>) "
            f"-> !tosa.shape<4>\n{result} = tosa.slice {source}, %start, %{name}s : ({TYPE}, !tosa.shape<4>, "
            f"!tosa.shape<4>) -> {TYPE}\n"), lambda h: h // parts


def resize(rng, source, result):
    (n, d), offset, border, name = rng.choice([(4, 2), (3, 2), (1, 2), (2, 3), (2, 1)]), 0, 0, result[1:]
    if n == 4:
        offset, border = -1, 1

    def height(h):
        reach = (h - 1) * n - offset + border
        return reach // d + 1 if h >= 1 and reach >= 0 and reach % d == 0 else None
    return (shape(name + "c", n, d, 1, 1) + shape(name + "o", offset, 0) + shape(name + "b", border, 0) +
            f"{result} = tosa.resize {source}, %{name}c, %{name}o, %{name}b {{mode = NEAREST_NEIGHBOR}} : "
            f"({TYPE}, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> {TYPE}\n"), height


def chain(rng):
    """A program, and the height of its result for a height; none if that is refused."""
    body, heights = "", []
    for number in range(rng.randint(2, 5)):
        make = rng.choice([pool, pool, pool, first_part, pad, resize])
        text, height = make(rng, f"%v{number}", f"%v{number + 1}")
        body += text
        heights.append(height)
    text = (f"func.func @main(%v0: {TYPE}) -> {TYPE} {{\n" + shape("one", 1) + shape("rest", 2, 1) + shape("start", 0, 0, 0, 0) +
            '%z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n' +
            f"{body}return %v{len(heights)} : {TYPE}\n}}\n")

    def result(h):
        for height in heights:
            h = height(h) if h is not None else None
        return h
    return text, result


def main():
    seed, count = map(int, sys.argv[1:3])
    library = symshape_c.load(sys.argv[3])
    rng, checks, accepted, refused = random.Random(seed), Checks(), 0, 0
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        path = Path(folder) / "m.mlir"
        for number in range(count):
            text, result = chain(rng)
            path.write_text(text)
            expected = [result(h) for h in HEIGHTS]
            try:
                program = symshape_c.Program(path, library=library)
            except symshape_c.Error as error:
                checks.that(not any(h is not None for h in expected) and "can never hold" in str(error),
                            f"chain {number} compiles", f"{error}\n{text}")
                continue
            for h, wanted in zip(HEIGHTS, expected):
                try:
                    actual = program(np.zeros((1, h, 2, 1), np.float32))[0].shape[1]
                except symshape_c.Error as error:
                    actual = None if error.status == 3 else error
                checks.that(actual == wanted, f"chain {number}, height {h}: {wanted}", f"  {actual}\n{text}")
                accepted, refused = accepted + (wanted is not None), refused + (wanted is None)
    least = FLOOR * count * len(HEIGHTS)
    checks.that(accepted >= least and refused >= least, "both verdicts occur", f"  {accepted} accepted, {refused} refused")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
