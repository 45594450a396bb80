# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of 2^40 rows without columns, and the like: nothing is to be done, and it takes no time.

    check_many_empty_rows.py

Each program is called in one process with small empty arrays and with large ones; the
shapes of what comes out are compared with the rule of the op, and the calls must take
less than a second, compiling aside.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from checking import Checks

MANY, ROWS = 1 << 40, 1 << 20
SECONDS = 1

HEAD = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
"""
T2, T3 = "tensor<?x?xf32>", "tensor<?x?x?xf32>"


def of_matrix(body, result=T2):
    return f"func.func @main(%x: {T2}) -> {result} {{\n{HEAD}{body}  return %r : {result}\n}}\n"


NORMALISED = """  %v = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%v : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%s : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [1]
  %d = arith.subf %x, %b : tensor<?x?xf32>
  %q = arith.mulf %d, %d : tensor<?x?xf32>
  %t = linalg.reduce { arith.addf } ins(%q : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %c = linalg.broadcast ins(%t : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [1]
  %r = arith.divf %d, %c : tensor<?x?xf32>
"""
GATHERED = """  %i = arith.fptosi %x : tensor<?x?xf32> to tensor<?x?xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?x?xi64>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%k: i64, %o: f32):
    %kk = arith.index_cast %k : i64 to index
    %j = linalg.index 0 : index
    %v = tensor.extract %x[%j, %kk] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
"""
LOOP = """  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> tensor<?x?xf32> {
    %s = tensor.extract_slice %x[%i, 0] [1, %m] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    %t = math.exp %s : tensor<1x?xf32>
    %u = tensor.insert_slice %t into %a[%i, 0] [1, %m] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
    scf.yield %u : tensor<?x?xf32>
  }
"""
SUM = """  %f = tensor.from_elements %z : tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
"""
SOFTMAX3 = f"""func.func @main(%x: {T3}) -> {T3} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : {T3}
  %m = tensor.dim %x, %c1 : {T3}
  %k = tensor.dim %x, %c2 : {T3}
  %e = tensor.empty(%n, %m, %k) : {T3}
  %r = linalg.softmax dimension(2) ins(%x : {T3}) outs(%e : {T3}) -> {T3}
  return %r : {T3}
}}
"""
FEW = """func.func @main(%x: tensor<4x?x?xf32>) -> tensor<4x?x?xf32> {
  %r = math.exp %x : tensor<4x?x?xf32>
  return %r : tensor<4x?x?xf32>
}
"""
# A program and pairs of what goes in and what comes out.
SAME = [(f"{MANY}x0", f"{MANY}x0"), (f"0x{ROWS}", f"0x{ROWS}"), ("3x0", "3x0")]
PROGRAMS = {
    "softmax": (of_matrix("  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) "
                          "outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>\n"), SAME),
    "columns": (of_matrix("  %r = linalg.softmax dimension(0) ins(%x : tensor<?x?xf32>) "
                          "outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>\n"), SAME[::2]),
    "softmax3": (SOFTMAX3, [(s, s) for s in (f"{MANY}x{ROWS}x0", f"0x{MANY}x{ROWS}", f"{MANY}x0x{ROWS}")]),
    "normalised": (of_matrix(NORMALISED), SAME),
    "gathered": (of_matrix(GATHERED), SAME),
    "loop": (of_matrix(LOOP), SAME),
    "few": (FEW, [(s, s) for s in (f"4x{MANY}x0", f"4x0x{MANY}")]),
    "transposed": (of_matrix("  %o = tensor.empty(%m, %n) : tensor<?x?xf32>\n  %r = linalg.transpose "
                             "ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) permutation = [1, 0]\n"),
                   [(f"{MANY}x0", f"0x{MANY}"), (f"0x{MANY}", f"{MANY}x0")]),
    "padded": (of_matrix("  %r = tensor.pad %x low[0, %c0] high[%c1, 0] {\n  ^bb0(%i: index, %j: index):\n"
                         "    tensor.yield %z : f32\n  } : tensor<?x?xf32> to tensor<?x?xf32>\n"),
               [(f"{MANY}x0", f"{MANY + 1}x0")]),
    "concatenated": (of_matrix("  %r = tensor.concat dim(0) %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>\n"),
                     [(f"{MANY}x0", f"{2 * MANY}x0"), (f"0x{MANY}", f"0x{MANY}")]),
    "sum": (of_matrix(SUM, "tensor<f32>"), [(f"{MANY}x0", ""), (f"0x{MANY}", "")]),
}
MODES = [[], ["--compile=quick"], ["--threads=2"], ["--target=nvvm"]]
# Without fusion, a value per row takes memory; a loop on the host launches a kernel in each turn.
PER_ROW = ["softmax", "softmax3", "normalised"]
LEFT_OUT = {"--compile=quick": PER_ROW,
            "--target=nvvm": [*PER_ROW, "columns", "loop", "padded", "concatenated"]}


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        for name, (text, calls) in PROGRAMS.items():
            path = Path(folder) / f"{name}.mlir"
            path.write_text(text)
            lines = "".join(f"{given}xf32=zeros\n" for given, _ in calls)
            (Path(folder) / "calls").write_text(lines)
            for options in MODES:
                if name in LEFT_OUT.get(options[0] if options else "", ()):
                    continue
                what = f"{name} {options}"
                try:
                    done = subprocess.run(["symshape-run", path, f"--calls={folder}/calls", "--time", *options],
                                          capture_output=True, text=True, timeout=60)
                except subprocess.TimeoutExpired:
                    checks.that(False, f"{what}: ends")
                    continue
                shapes = [line.split(":")[0] for line in done.stdout.splitlines() if "f32: " in line]
                wanted = [f"{taken}xf32" if taken else "f32" for _, taken in calls]
                checks.that(done.returncode == 0 and shapes == wanted, f"{what}: {wanted}", done.stdout + done.stderr)
                times = [float(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("time: median")]
                checks.that(len(times) == len(calls) and max(times) < 1000 * SECONDS, f"{what}: {times} ms", done.stdout)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
