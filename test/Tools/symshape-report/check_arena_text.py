# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the report of the arena is, of many buffers that are in use together.

    check_arena_text.py FOLDER

Of one extent, of two, of neighbours that are no multiples of each other, and of all
four: offsets are sums, so a buffer more is some lines more, not twice the text.
"""

import json
import subprocess
import sys

KINDS = {"one": ["%n"], "two": ["%n", "%m"], "neighbours": ["%n", "%n1"], "four": ["%n", "%m", "%n1", "%m2"]}


def program(count, extents):
    types = [f"memref<?x{8 * (1 + i % 3)}xf32>" for i in range(count)]
    lines = ["func.func @main(%x: tensor<?x?xf32>) -> f32 {",
             *[f"  %c{i} = arith.constant {i} : index" for i in range(3)], "  %s = arith.constant 0.0 : f32",
             "  %n = tensor.dim %x, %c0 : tensor<?x?xf32>", "  %m = tensor.dim %x, %c1 : tensor<?x?xf32>",
             "  %n1 = arith.addi %n, %c1 : index", "  %m2 = arith.addi %m, %c2 : index"]
    for i, t in enumerate(types):
        lines += [f"  %b{i} = memref.alloc({extents[i % len(extents)]}) : {t}",
                  f"  linalg.fill ins(%s : f32) outs(%b{i} : {t})"]
    lines += [f"  %v{i} = memref.load %b{i}[%c0, %c0] : {t}" for i, t in enumerate(types)]
    last = "%s"
    for i in range(count):
        lines.append(f"  %s{i} = arith.addf {last}, %v{i} : f32")
        last = f"%s{i}"
    return "\n".join([*lines, f"  return {last} : f32", "}", ""])


def measure(folder, name, count):
    path = f"{folder}/{name}{count}.mlir"
    with open(path, "w") as file:
        file.write(program(count, KINDS[name]))
    done = subprocess.run(["symshape-report", "--format=json", path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    memory = json.loads(done.stdout)["functions"][0]["memory"]
    if len(memory["buffers"]) != count:
        sys.exit(f"{name}: {len(memory['buffers'])} of {count} buffers are in the arena")
    return sum(len(buffer["offset"]) for buffer in memory["buffers"]) + len(memory["arena"])


checked = 0
for kind in KINDS:
    few, many = measure(sys.argv[1], kind, 20), measure(sys.argv[1], kind, 40)
    if many > 4 * few or many > 20000:
        sys.exit(f"{kind}: the offsets of 20 buffers have {few} characters, those of 40 {many}")
    checked += 1
print(f"{checked} kinds of buffers")
