# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles beside symshape-run: everything that both print and write.

    check_bundles.py TARGET GROUP...

TARGET is cpu or nvvm; the groups are functions of this file.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from bundles import execute, save, same
from checking import Checks
from weights_file import safetensors

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples"

PAIR = """
func.func @pair(%q: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, L]>},
                %k: tensor<?x?xf32> {symshape.shape = #symshape.shape<[C, L]>}, %n: i64)
    -> (tensor<?x?xf32>, i64, tensor<?x4xf32>) attributes {symshape.assume = [#symshape.fact<"B <= 4">]} {
  %r = math.exp %q : tensor<?x?xf32>
  %s = arith.addf %r, %k : tensor<?x?xf32>
  %c = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %d = tensor.cast %c : tensor<1x4xf32> to tensor<?x4xf32>
  return %s, %n, %d : tensor<?x?xf32>, i64, tensor<?x4xf32>
}
"""

# Every element type goes in and comes out.
TYPES = ["i1", "i8", "i16", "i32", "i64", "ui8", "si16", "f16", "bf16", "f32", "f64", "index", "i48"]
ECHO = "func.func @main({0}) -> ({1}) {{\n  return {2} : {1}\n}}\n".format(
    ", ".join(f"%a{i}: tensor<?x{t}>" for i, t in enumerate(TYPES)),
    ", ".join(f"tensor<?x{t}>" for t in TYPES), ", ".join(f"%a{i}" for i in range(len(TYPES))))
SCALARS = "func.func @main({0}) -> ({1}) {{\n  return {2} : {1}\n}}\n".format(
    ", ".join(f"%a{i}: {t}" for i, t in enumerate(TYPES)), ", ".join(TYPES),
    ", ".join(f"%a{i}" for i in range(len(TYPES))))

TRANSPOSED = """
func.func @main(%a: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %t = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  return %t, %t : tensor<?x?xf32>, tensor<?x?xf32>
}
"""


class Case:
    """One program, saved once and run beside symshape-run."""

    def __init__(self, checks, folder, target, name, text, *options):
        self.checks, self.folder, self.name = checks, Path(folder), name
        self.options = [f"--target={target}", *options]
        self.program = text if isinstance(text, Path) else self.folder / f"{name}.mlir"
        if not isinstance(text, Path):
            self.program.write_text(text)
        self.bundle = self.folder / f"{name}.bundle"
        save(self.program, self.bundle, self.options, self.folder)

    def same(self, *calls, status=None, run_options=()):
        return same(self.checks, self.program, self.bundle, [*self.options, *run_options], calls, self.folder,
                    f"{self.name} {' '.join(calls)[:80]}", status)


def guards(checks, folder, target):
    case = Case(checks, folder, target, "pair", PAIR, "--entry=pair")
    for b, length in [(2, 3), (0, 3), (1, 1), (4, 0), (3, 33)]:
        case.same(f"--input={b}x{length}xf32=random:1", f"--input={b}x{length}xf32=random:2:-3:5", "--input=i64=-7",
                  status=0)
    # Everything that fails at once, types before extents; what is refused is refused as by symshape-run.
    case.same("--input=5x3xf32=zeros", "--input=2x3xf32=iota", "--input=i64=5", status=3)
    case.same("--input=5x3xf64=zeros", "--input=2xf32=iota", "--input=i64=5", status=2)
    case.same("--input=2x3xf32=iota", "--input=i64=5", status=2)
    case.same("--input=2x3xf32=iota", "--input=2x3=iota", "--input=i64=x", "--input=f32=random:q", status=2)
    case.same("--input=@none.npy", "--input=2x3xf32=iota", "--input=i64=1", "--output=no/a.npy", status=2)
    case.same(*["--input=2x3xf32=iota"] * 2, "--input=i64=1", *["--output=out.npy"] * 4, status=2)
    (Path(folder) / "calls").write_text("1x2xf32=iota 1x2xf32=zeros i64=1\n\n 2x2xf32=random:3\t2x2xf32=iota i64=-2\n")
    case.same("--calls=calls", status=0)
    case.same("--calls=calls", "--output=out{call}.npy", "--output=out{call}_{call}.npy", status=0)
    case.same("--calls=calls", "--output=out.npy", status=2)
    case.same("--calls=none", status=2)
    (Path(folder) / "calls").write_text("1x2xf32=iota 1x2xf32=zeros i64=1\n5x2xf32=iota 5x2xf32=zeros i64=1\n")
    case.same("--calls=calls", status=3)
    (Path(folder) / "calls").write_text("1x2xf32=iota 1x2xf32=zeros i64=1\n5x2xf32 5x2xf32=zeros i64=1\n")
    case.same("--calls=calls", status=2)
    # What one call writes, the next one reads.
    (Path(folder) / "calls").write_text("1x2xf32=iota 1x2xf32=zeros i64=1\n@out0.npy 1x2xf32=iota i64=1\n")
    case.same("--calls=calls", "--output=out{call}.npy", status=0)
    if target == "cpu":
        unguarded = Case(checks, folder, target, "unguarded", PAIR, "--entry=pair", "--guards=off")
        unguarded.same("--input=5x3xf32=zeros", "--input=5x3xf32=iota", "--input=i64=5", status=0)
        threaded = Case(checks, folder, target, "threaded", PAIR, "--entry=pair", "--threads=3")
        serial = Case(checks, folder, target, "serial", PAIR, "--entry=pair", "--threads=1")
        call = ["--input=4x3333xf32=random:4", "--input=4x3333xf32=iota", "--input=i64=5"]
        one = threaded.same(*call, status=0)
        for bundle, status in [(threaded.bundle, 0), (serial.bundle, 2)]:
            done = execute(["symshape-bundle-run", bundle, "--threads=3", *call], folder)
            checks.that(done.returncode == status, "--threads is for parallel code", f"  {done.returncode}\n{done.stderr}")
            checks.that(status or done.stdout == one.stdout, "threads change no result")


def types(checks, folder, target):
    case = Case(checks, folder, target, "echo", ECHO)
    for count in (0, 1, 2, 5):
        case.same(*[f"--input={count}x{t}=random:{count}" for t in TYPES], status=0)
        case.same(*[f"--input={count}x{t}=iota" for t in TYPES], *["--output=out{call}a.npy"] * 1, status=0)
        case.same(*[f"--input={count}x{t}=random:9:{'-8:7.5' if 'f' in t else '0:1'}" for t in TYPES], status=0)
    wide = np.random.default_rng(1).integers(0, 1 << 16, 3000).astype(np.uint16)
    np.save(Path(folder) / "half.npy", wide.view(np.float16))
    others = [f"--input=0x{t}=iota" for t in TYPES]
    others[TYPES.index("f16")] = "--input=@half.npy"
    case.same(*others, status=0)
    for i, array in enumerate([np.arange(12, dtype=">i4"), np.asfortranarray(np.arange(12, dtype=np.int32)),
                               np.arange(12, dtype=np.int64), np.zeros((2, 2), np.int32), np.array(["a"]),
                               np.array([2**40] * 3)]):
        np.save(Path(folder) / "other.npy", array)
        others = [f"--input=3x{t}=zeros" for t in TYPES]
        others[TYPES.index("i48" if i == 5 else "i32")] = "--input=@other.npy"
        case.same(*others)
    np.save(Path(folder) / "other.npy", np.array([2**50] * 3))
    others = [f"--input=3x{t}=zeros" for t in TYPES]
    others[TYPES.index("i48")] = "--input=@other.npy"
    case.same(*others, status=2)
    (Path(folder) / "cut.npy").write_bytes((Path(folder) / "other.npy").read_bytes()[:-3])
    case.same(*[spec if "other" not in spec else "--input=@cut.npy" for spec in others], status=2)
    case = Case(checks, folder, target, "scalars", SCALARS)
    for values in (["true", 1, -2, 3, -4, 255, -6, 0.1, 0.3, "nan", "-inf", 9, -10],
                   [0, -128, 7, 3, 1 << 62, 0, 1, "inf", "1e-40", "1e300", "0x1p-3", -1, 0],
                   [2, 400, 7, 3, 1 << 64, -1, 1, "", "1e-4 ", "1,3", "q", -1, 1 << 63]):
        case.same(*[f"--input={t}={v}" for t, v in zip(TYPES, values)])


def results(checks, folder, target):
    case = Case(checks, folder, target, "transposed", TRANSPOSED)
    for shape in ("2x3", "0x2", "1x1", "5x0"):
        case.same(f"--input={shape}xf32=iota", status=0)
    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.save(Path(folder) / "order.npy", np.asfortranarray(rows))
    case.same("--input=@order.npy", "--output=out0.npy", "--output=out1.npy", status=0)
    case.same("--input=2x2xf32=random:5", "--repeat=3", status=0)


def exports(checks, folder, target):
    for name in ("pair", "gather", "encoder"):
        case = Case(checks, folder, target, f"exported-{name}", HERE / "Inputs" / f"{name}.mlir")
        data = np.load(HERE / "Inputs" / f"{name}.npz")
        inputs = []
        for key in sorted(k for k in data.files if k.startswith("c0_in")):
            np.save(Path(folder) / f"{key}.npy", data[key])
            inputs.append(f"--input=@{key}.npy")
        case.same(*inputs, status=0)
        case.same(*inputs, "--output=out.npy", status=0)
    # Checks of data, in the middle of a call.
    case = Case(checks, folder, target, "deferred", HERE.parent / "Tools" / "symshape-run" / "deferred.mlir")
    for count, turns, status in [(4, 3, 0), (5, 1, 3), (-1, 2, 3), (-1, 0, 0)]:
        case.same("--input=8xf32=iota", f"--input=i64={count}", f"--input=index={turns}", status=status)


def ragged(checks, folder, target):
    derived = Path(folder) / "ragged-grad.mlir"
    subprocess.run(["symshape-opt", EXAMPLES / "ragged" / "ragged.mlir", "--symshape-grad=function=loss wrt=0,1", "-o",
                    derived], check=True)
    case = Case(checks, folder, target, "ragged", derived, "--entry=loss.grad")
    for bags, tokens in [(1, 6), (7, 20), (5, 0), (1, 1)]:
        case.same("--input=40x8xf32=random:1", "--input=8xf32=random:2", f"--input={tokens}xi64=random:3:0:40",
                  f"--input={tokens}xi64=random:4:0:{max(bags, 1)}", f"--input=i64={tokens}", f"--input={bags}xf32=iota",
                  *[f"--output=out{i}.npy" for i in range(3)], status=0)
    case.same("--input=40x8xf32=random:1", "--input=8xf32=random:2", "--input=3xi64=random:3:0:40",
              "--input=3xi64=zeros", "--input=i64=3", "--input=0xf32=iota", status=3)


def minilm(checks, folder, target):
    sys.argv[1:2] = [str(EXAMPLES / "minilm")]
    import check_minilm
    weights = Path(folder) / "weights.safetensors"
    weights.write_bytes(safetensors(check_minilm.make_weights(1)))
    case = Case(checks, folder, target, "minilm", check_minilm.program.program(1), "--entry=encode",
                f"--weights={weights}")
    shapes = [(1, 8), (0, 5), (2, 1)] if target == "nvvm" else [(1, 1), (2, 7), (0, 5), (2, 0), (3, 33)]
    for batch, length in shapes:
        case.same(f"--input={batch}x{length}xi64=random:1:0:30522", f"--input={batch}x{length}xi64=random:2",
                  "--output=out.npy", status=0)
    case.same("--input=1x4xi64=zeros", "--input=2x4xi64=zeros", status=3)
    # Other weights of the same names; without any, the names are missed.
    again = Case(checks, folder, target, "minilm-bare", check_minilm.program.program(1), "--entry=encode")
    again.same("--input=1x4xi64=zeros", "--input=1x4xi64=zeros", status=2)
    again.same("--input=1x4xi64=iota", "--input=1x4xi64=iota", f"--weights={weights}", status=0)


def models(checks, folder, target):
    subprocess.run([sys.executable, HERE.parent / "Import" / "Inputs" / "write_models.py", folder], check=True,
                   stdout=subprocess.DEVNULL)
    calls = {"add": ["x=2x3xf32=iota y=3xf32=iota", "2x3xf32=iota 3xf32=iota", "2x3xf32=iota y=4xf32=iota", "x=i64=3"],
             "arms": ["3x1xf32=random:1", "x=0x1xf32=zeros", "x=2x2xf32=iota x=2x2xf32=iota"],
             "cache": ["x=5x64xf32=random:1 cache=0x64xf32=zeros", "3x64xf32=iota 1x64xf32=random:7", "x=5x64xf32=zeros"],
             "dense": ["1x2x8xf32=random:3", "0x1x8xf32=zeros", "x=1x1x7xf32=iota"],
             "product": ["2x3xf32=iota 3x4xf32=iota"]}
    for name, lines in calls.items():
        case = Case(checks, folder, target, f"{name}-model", Path(folder) / f"{name}.onnx")
        for line in lines:
            case.same(*[f"--input={spec}" for spec in line.split()])
        checks.that((case.bundle / "weights.safetensors").exists() == (name in ("cache", "dense")),
                    f"{name}: the weights are in the bundle")


def main():
    target, groups = sys.argv[1], sys.argv[2:]
    checks = Checks()
    for group in groups:
        with tempfile.TemporaryDirectory(prefix="bundle") as folder:
            globals()[group](checks, folder, target)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
