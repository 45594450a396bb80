# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What serves the first calls while better code is compiled: its results, what it refuses, and what is kept.

The network has convolutions, of which one is of each channel by itself, a pool, rows and a product; NumPy
computes the same one element of a window at a time.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import symrun
import symshape_c
from checking import Checks

LIBRARY = sys.argv[1]
CHANNELS, CLASSES, PATIENCE = 24, 10, 240  # seconds for better code, on a busy machine
#: Half as many again as are asked where vectors have 512 bits: other tiles ask for a little more or less.
MOST_ASKED, MOST_STEPS = {"sync": 2200, "quick": 1200}, 20000
SHAPES = [(1, 9, 7), (2, 5, 5), (1, 4, 11), (0, 6, 6), (3, 4, 4)]

PROGRAM = f"""
#image = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
#row = affine_map<(n, k) -> (n, k)>
#first = affine_map<(n, k) -> (n)>
func.func @main(%x: tensor<?x?x?x3xf32> {{symshape.shape = #symshape.shape<[N, H, W, 3]>}},
                %a: tensor<3x3x3x{CHANNELS}xf32>, %d: tensor<3x3x{CHANNELS}xf32>, %s: tensor<{CHANNELS}xf32>,
                %w: tensor<?x{CLASSES}xf32> {{symshape.shape = #symshape.shape<[K, {CLASSES}]>}})
    -> tensor<?x{CLASSES}xf32> attributes {{symshape.assume = [#symshape.fact<"H >= 4">, #symshape.fact<"W >= 4">]}} {{
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?x3xf32>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x3xf32>
  %v = tensor.dim %x, %c2 : tensor<?x?x?x3xf32>
  %e0 = tensor.empty(%n, %h, %v) : tensor<?x?x?x{CHANNELS}xf32>
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {{
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  }} : tensor<?x?x?x3xf32> to tensor<?x?x?x3xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x?x?x{CHANNELS}xf32>) -> tensor<?x?x?x{CHANNELS}xf32>
  %y0 = linalg.conv_2d_nhwc_hwcf ins(%padded, %a : tensor<?x?x?x3xf32>, tensor<3x3x3x{CHANNELS}xf32>)
      outs(%z0 : tensor<?x?x?x{CHANNELS}xf32>) -> tensor<?x?x?x{CHANNELS}xf32>
  %y1 = linalg.generic {{indexing_maps = [#image, #channel, #image],
                        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%y0, %s : tensor<?x?x?x{CHANNELS}xf32>, tensor<{CHANNELS}xf32>)
      outs(%e0 : tensor<?x?x?x{CHANNELS}xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  }} -> tensor<?x?x?x{CHANNELS}xf32>
  %h2 = arith.subi %h, %c2 : index
  %v2 = arith.subi %v, %c2 : index
  %e2 = tensor.empty(%n, %h2, %v2) : tensor<?x?x?x{CHANNELS}xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?x?x{CHANNELS}xf32>) -> tensor<?x?x?x{CHANNELS}xf32>
  %y2 = linalg.depthwise_conv_2d_nhwc_hwc ins(%y1, %d : tensor<?x?x?x{CHANNELS}xf32>, tensor<3x3x{CHANNELS}xf32>)
      outs(%z2 : tensor<?x?x?x{CHANNELS}xf32>) -> tensor<?x?x?x{CHANNELS}xf32>
  %h3 = arith.subi %h2, %c1 : index
  %v3 = arith.subi %v2, %c1 : index
  %window = tensor.empty() : tensor<2x2xf32>
  %e3 = tensor.empty(%n, %h3, %v3) : tensor<?x?x?x{CHANNELS}xf32>
  %z3 = linalg.fill ins(%least : f32) outs(%e3 : tensor<?x?x?x{CHANNELS}xf32>) -> tensor<?x?x?x{CHANNELS}xf32>
  %y3 = linalg.pooling_nhwc_max ins(%y2, %window : tensor<?x?x?x{CHANNELS}xf32>, tensor<2x2xf32>)
      outs(%z3 : tensor<?x?x?x{CHANNELS}xf32>) -> tensor<?x?x?x{CHANNELS}xf32>
  %flat = tensor.collapse_shape %y3 [[0], [1, 2, 3]] : tensor<?x?x?x{CHANNELS}xf32> into tensor<?x?xf32>
  %e4 = tensor.empty(%n) : tensor<?x{CLASSES}xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<?x{CLASSES}xf32>) -> tensor<?x{CLASSES}xf32>
  %y4 = linalg.matmul ins(%flat, %w : tensor<?x?xf32>, tensor<?x{CLASSES}xf32>)
      outs(%z4 : tensor<?x{CLASSES}xf32>) -> tensor<?x{CLASSES}xf32>
  %en = tensor.empty(%n) : tensor<?xf32>
  %l5 = linalg.fill ins(%least : f32) outs(%en : tensor<?xf32>) -> tensor<?xf32>
  %most = linalg.generic {{indexing_maps = [#row, #first], iterator_types = ["parallel", "reduction"]}}
      ins(%y4 : tensor<?x{CLASSES}xf32>) outs(%l5 : tensor<?xf32>) {{
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %p, %o : f32
    linalg.yield %0 : f32
  }} -> tensor<?xf32>
  %exps = linalg.generic {{indexing_maps = [#row, #first, #row], iterator_types = ["parallel", "parallel"]}}
      ins(%y4, %most : tensor<?x{CLASSES}xf32>, tensor<?xf32>) outs(%e4 : tensor<?x{CLASSES}xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }} -> tensor<?x{CLASSES}xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%en : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {{indexing_maps = [#row, #first], iterator_types = ["parallel", "reduction"]}}
      ins(%exps : tensor<?x{CLASSES}xf32>) outs(%z5 : tensor<?xf32>) {{
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %p, %o : f32
    linalg.yield %0 : f32
  }} -> tensor<?xf32>
  %y5 = linalg.generic {{indexing_maps = [#row, #first, #row], iterator_types = ["parallel", "parallel"]}}
      ins(%exps, %sum : tensor<?x{CLASSES}xf32>, tensor<?xf32>) outs(%e4 : tensor<?x{CLASSES}xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.divf %p, %q : f32
    linalg.yield %0 : f32
  }} -> tensor<?x{CLASSES}xf32>
  return %y5 : tensor<?x{CLASSES}xf32>
}}
"""


def make_call(rng, n, h, w, columns=None):
    def normal(*shape, scale=1.0):
        return (rng.standard_normal(shape) * scale).astype(np.float32)
    features = (h - 3) * (w - 3) * CHANNELS if columns is None else columns
    return [normal(n, h, w, 3), normal(3, 3, 3, CHANNELS, scale=0.2), normal(3, 3, CHANNELS, scale=0.3),
            normal(CHANNELS), normal(features, CLASSES, scale=0.1)]


def windows(x, taps):
    """Pairs of a tap's place and what it sees at each place of the result."""
    h, w = x.shape[1] - taps + 1, x.shape[2] - taps + 1
    return [(i, j, x[:, i:i + h, j:j + w]) for i in range(taps) for j in range(taps)]


def network(x, a, d, s, w):
    x, a, d, s, w = (np.asarray(v, np.float64) for v in (x, a, d, s, w))
    x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    x = np.maximum(sum(seen @ a[i, j] for i, j, seen in windows(x, 3)) + s, 0)
    x = sum(seen * d[i, j] for i, j, seen in windows(x, 3))
    x = np.max([seen for _, _, seen in windows(x, 2)], axis=0)
    x = x.reshape(x.shape[0], w.shape[0]) @ w
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


class Events:
    """What a program tells, on whatever thread."""

    def __init__(self):
        self.lock, self.all, self.isReplaced = threading.Lock(), [], threading.Event()

    def __call__(self, line):
        event = json.loads(line)
        with self.lock:
            self.all.append(event)
        if event["event"] == "replaced":
            self.isReplaced.set()

    def served(self):
        """The codes that served calls, in order."""
        with self.lock:
            return [e["code"] for e in self.all if e["event"] == "served"]


def refuse(program, call):
    try:
        program(*call)
    except symshape_c.Error as error:
        return error.status, str(error)
    return None


def check_results(checks, path):
    rng, events = np.random.default_rng(3), Events()
    alone = symshape_c.Program(path, library=LIBRARY)
    program = symshape_c.Program(path, library=LIBRARY, compile="async", on_event=events)
    wrong = [make_call(rng, 1, 5, 5, columns=7), make_call(rng, 2, 3, 6, columns=0)]
    refused = [refuse(alone, call) for call in wrong]
    checks.that(all(r and r[0] == 3 and "guard failed" in r[1] for r in refused), "refused in any case", str(refused))
    for what in ("quick", "full"):
        calls = [make_call(rng, *shape) for shape in SHAPES]
        for shape, call in zip(SHAPES, calls):
            result, = program(*call)
            checks.close(result, network(*call), 1e-5, f"{what} code at {shape}")
            checks.close(result, alone(*call)[0], 1e-5, f"{what} code beside that of a program alone at {shape}")
        served = events.served()[-len(calls):]
        if what == "quick":
            checks.that("(quick)" in served[0], "the first call is served by quick code", str(served))
        else:
            checks.that(not any("(quick)" in code for code in served), "better code takes over", str(served))
        checks.that([refuse(program, call) for call in wrong] == refused, f"{what} code refuses with the same words")
        checks.that(events.isReplaced.wait(PATIENCE), "better code is there")
    with events.lock:
        told = [(e["event"], e["code"].endswith("(quick)")) for e in events.all if e["category"] == "compiles"]
    checks.that(told == [("compiled", True), ("compiled", False), ("replaced", True)], "events", str(told))


def run_tool(path, state, shape, *options):
    run = symrun.run(path, [make_call(np.random.default_rng(5), *shape)],
                     options=[f"--state={state}", *options] if state else list(options))
    return run, [line for line in run.stderr.splitlines() if line.startswith(("call ", "compilations"))]


def check_state(checks, path, folder):
    """The code that is kept is that of a process that waits for it."""
    kept = {}
    for when in ("sync", "async", "quick"):
        state = folder / when
        run, _ = run_tool(path, state, SHAPES[0], f"--compile={when}")
        checks.ran(run, 1, when)
        kept[when] = {file.name: file.read_bytes() for file in state.glob("*.code")}
    checks.that(len(kept["sync"]) == 1 and kept["async"] == kept["sync"], "async keeps full code alone",
                str({when: list(files) for when, files in kept.items()}))
    checks.that(not kept["quick"], "quick code is not kept")
    run, lines = run_tool(path, folder / "async", SHAPES[1], "--compile=async")
    checks.ran(run, 1, "loaded")
    checks.that(re.search("loaded", lines[0]) and lines[1] == "compilations: 0", "what is kept serves the next process",
                run.stderr)


LEAVE = """
import ctypes, sys, time
sys.path[:0] = {path!r}
import symshape_c
program = symshape_c.Program({program!r}, library={library!r}, compile="async")
time.sleep({delay})
ctypes.CDLL(None).exit(5)
"""


def check_exit(checks, path):
    """Processes that end while code is compiled: by themselves, after a refused call, and without a goodbye."""
    for i in range(4):
        begin = time.monotonic()
        run, lines = run_tool(path, None, SHAPES[i], "--compile=async")
        checks.ran(run, 1, "one call")
        checks.that("compiled quickly" in lines[0], "one call: quick code", run.stderr)
        checks.that(time.monotonic() - begin < PATIENCE, "one call: the process ends")
    call = make_call(np.random.default_rng(6), 1, 5, 5, columns=7)
    told = [symrun.run(path, [call], options=[f"--compile={when}"]) for when in ("sync", "async", "quick")]
    messages = [re.sub(r"^(compile|weights): .*\n", "", run.stderr, flags=re.M) for run in told]
    for run, message in zip(told, messages):
        checks.refused(run, ["guard failed"], "a refused call")
        checks.that(message == messages[0], "the same message", f"{message}\n{messages[0]}")
    for delay in (0, 0.01, 0.05, 0.2):
        script = LEAVE.format(path=sys.path, program=str(path), library=LIBRARY, delay=delay)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE)
        checks.that(done.returncode == 5 and not done.stderr, f"exit after {delay} s",
                    f"{done.returncode} {done.stderr}")


def chain(length):
    """A program of so many ops."""
    lines = [f"  %{i + 1} = math.sin %{i} : tensor<?xf32>" for i in range(length)]
    return ("func.func @main(%0: tensor<?xf32>) -> tensor<?xf32> {\n" + "\n".join(lines) +
            f"\n  return %{length} : tensor<?xf32>\n}}\n")


def products(count):
    """A matrix of 3 x 3 times itself, again and again: few ops whose code is long."""
    body = "".join(f"""
  %t{i + 1} = linalg.matmul ins(%t{i}, %t0 : tensor<3x3xf32>, tensor<3x3xf32>) outs(%z : tensor<3x3xf32>) -> tensor<3x3xf32>"""
                   for i in range(count))
    return f"""func.func @main(%t0: tensor<3x3xf32>) -> tensor<3x3xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x3xf32>) -> tensor<3x3xf32>{body}
  return %t{count} : tensor<3x3xf32>
}}
"""


def check_few_products(checks, folder):
    """What counts is how long compiling takes, not the number of ops."""
    x = np.arange(9, dtype=np.float32).reshape(3, 3) / 9
    for count, wanted in ((1, "compiled"), (4, "compiled quickly")):
        path = folder / f"products{count}.mlir"
        path.write_text(products(count))
        run = symrun.run(path, [[x]], options=["--compile=auto"])
        checks.ran(run, 1, f"{count} products")
        checks.that(f", {wanted}, checks" in run.stderr, f"{count} products: {wanted}", run.stderr)
        expected = np.linalg.matrix_power(x.astype(np.float64), count + 1)
        checks.close(run.results[0][0], expected.astype(np.float32), 1e-5, f"{count} products")


def check_auto(checks, folder):
    """Programs that are soon compiled have one code; the cache helps processes that end before the other is there."""
    x = np.linspace(0, 1, 7, dtype=np.float32)
    calls = folder / "calls.txt"
    calls.write_text("7xf32=zeros\n")
    for length, origin in ((12, "compiled"), (90, "compiled quickly")):
        path = folder / f"chain{length}.mlir"
        path.write_text(chain(length))
        expected = x
        for _ in range(length):
            expected = np.sin(expected)
        for when in ("auto", "sync"):
            run = symrun.run(path, [[x], [x[:3]]], options=[f"--compile={when}"])
            checks.ran(run, 2, f"{length} ops, {when}")
            wanted = "compiled" if when == "sync" else origin
            checks.that(f", {wanted}, checks" in run.stderr.splitlines()[2], f"{length} ops, {when}: {wanted}", run.stderr)
            for result, want in zip(run.results, (expected, expected[:3])):
                checks.close(result[0], want, 1e-6, f"{length} ops, {when}")
        for options, wanted in (([f"--calls={calls}"], origin), (["--input=7xf32=zeros"], "compiled")):
            done = subprocess.run(["symshape-run", path, "--verbose", *options], capture_output=True, text=True,
                                  check=True)
            checks.that(f", {wanted}, checks" in done.stderr, f"{length} ops, {options}: {wanted}", done.stderr)
    for wanted in ("compiled quickly", "loaded"):
        done = subprocess.run(["symshape-run", path, "--verbose", f"--calls={calls}"], capture_output=True, text=True,
                              env={**os.environ, "SYMSHAPE_CACHE": str(folder / "cache")}, check=True)
        checks.that(f", {wanted}, checks" in done.stderr, f"with a cache: {wanted}", done.stderr)
    for when in ("quick", "sync"):
        events = Events()
        program = symshape_c.Program(path, library=LIBRARY, compile=when, on_event=events)
        for _ in range(2):
            checks.close(program(x)[0], expected, 1e-6, f"the library, {when}")
        checks.that(["quick" in code for code in events.served()] == [when == "quick"] * 2, f"the library, {when}: its code", str(events.all))
    try:
        symshape_c.WHEN.append("never")
        symshape_c.Program(path, library=LIBRARY, compile="never")
        checks.that(False, "a manner that there is not")
    except symshape_c.Error as error:
        checks.that("symshape_compile_when, but got 4" in str(error), "a manner that there is not", str(error))


def check_questions(checks, path):
    """What a compilation asks the fact engine, and what a single question costs: counts, not times."""
    shapes = ["1x9x7x3", f"3x3x3x{CHANNELS}", f"3x3x{CHANNELS}", f"{CHANNELS}", f"{24 * CHANNELS}x{CLASSES}"]
    inputs = [f"--input={shape}xf32=zeros" for shape in shapes]
    environment = {**os.environ, "SYMSHAPE_CACHE": "off"}
    for when in ("sync", "quick"):
        done = subprocess.run(["symshape-run", path, "--time-report", f"--compile={when}", *inputs],
                              capture_output=True, text=True, env=environment, check=True)
        asked, decided = map(int, re.search(r"engine: (\d+), of which (\d+) decided anew", done.stderr).groups())
        steps = [int(number) for number in re.findall(r" s, (\d+) steps, asked", done.stderr)]
        checks.that(0 < decided < asked <= MOST_ASKED[when], f"{when}: questions", f"{asked}, {decided} of them anew")
        checks.that(len(steps) == 10 and max(steps) <= MOST_STEPS, f"{when}: steps of a question", str(steps))


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "network.mlir"
        path.write_text(PROGRAM)
        check_results(checks, path)
        check_state(checks, path, folder)
        check_exit(checks, path)
        check_few_products(checks, folder)
        check_auto(checks, folder)
        check_questions(checks, path)
    checks.that(checks.made > 99, "most checks were made", str(checks.made))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
