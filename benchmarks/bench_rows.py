# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""P7: softmax, layer norm, gelu, the parts of a feed-forward block, and attention."""

import numpy as np
import symshape_c

import onnx_graphs
from contest import ORT, Group, Ratio, aligned
from onnx_graphs import node

OURS = "symshape"
SOFTMAX = [(1, 128), (12, 77), (128, 7), (128, 16), (128, 33), (128, 128), (128, 512), (512, 1000), (8, 4096)]
LAYER_NORM = [(1, 768), (7, 768), (128, 768), (512, 768), (128, 384), (128, 100), (128, 33)]
GELU = [(1, 1536), (33, 1536), (128, 1536), (512, 1536)]
FEED_FORWARD = [1, 8, 33, 128, 512]
ATTENTION = [1, 7, 16, 33, 64, 77, 128, 256, 500, 512]
TOLERANCE = 1e-4

TWO = '#rc = affine_map<(r, c) -> (r, c)>\n#r = affine_map<(r, c) -> (r)>\n#c = affine_map<(r, c) -> (c)>\n'
ROWS = "tensor<?x?xf32>"
PARALLEL, REDUCTION = '["parallel", "parallel"]', '["parallel", "reduction"]'

SOFTMAX_TEXT = f"""func.func @main(%x: {ROWS}) -> {ROWS} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : {ROWS}
  %n = tensor.dim %x, %c1 : {ROWS}
  %e = tensor.empty(%m, %n) : {ROWS}
  %y = linalg.softmax dimension(1) ins(%x : {ROWS}) outs(%e : {ROWS}) -> {ROWS}
  return %y : {ROWS}
}}
"""

LAYER_NORM_TEXT = TWO + f"""func.func @main(%x: {ROWS}, %scale: tensor<?xf32>, %shift: tensor<?xf32>) -> {ROWS} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %m = tensor.dim %x, %c0 : {ROWS}
  %n = tensor.dim %x, %c1 : {ROWS}
  %int = arith.index_cast %n : index to i64
  %width = arith.sitofp %int : i64 to f32
  %e = tensor.empty(%m, %n) : {ROWS}
  %column = tensor.empty(%m) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%column : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {{indexing_maps = [#rc, #r], iterator_types = {REDUCTION}}}
      ins(%x : {ROWS}) outs(%zeros : tensor<?xf32>) {{
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  }} -> tensor<?xf32>
  %squares = linalg.generic {{indexing_maps = [#rc, #r, #r], iterator_types = {REDUCTION}}}
      ins(%x, %sum : {ROWS}, tensor<?xf32>) outs(%zeros : tensor<?xf32>) {{
  ^bb0(%v: f32, %s: f32, %acc: f32):
    %mean = arith.divf %s, %width : f32
    %centred = arith.subf %v, %mean : f32
    %square = arith.mulf %centred, %centred : f32
    %0 = arith.addf %acc, %square : f32
    linalg.yield %0 : f32
  }} -> tensor<?xf32>
  %y = linalg.generic {{indexing_maps = [#rc, #r, #r, #c, #c, #rc], iterator_types = {PARALLEL}}}
      ins(%x, %sum, %squares, %scale, %shift : {ROWS}, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%e : {ROWS}) {{
  ^bb0(%v: f32, %s: f32, %q: f32, %g: f32, %t: f32, %out: f32):
    %mean = arith.divf %s, %width : f32
    %centred = arith.subf %v, %mean : f32
    %variance = arith.divf %q, %width : f32
    %safe = arith.addf %variance, %epsilon : f32
    %deviation = math.sqrt %safe : f32
    %normal = arith.divf %centred, %deviation : f32
    %scaled = arith.mulf %normal, %g : f32
    %0 = arith.addf %scaled, %t : f32
    linalg.yield %0 : f32
  }} -> {ROWS}
  return %y : {ROWS}
}}
"""

# The gelu of %v, as %g.
GELU_BODY = """
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %sqrt_half = arith.constant 0.707106769 : f32
    %g1 = arith.mulf %v, %sqrt_half : f32
    %g2 = math.erf %g1 : f32
    %g3 = arith.addf %g2, %one : f32
    %g4 = arith.mulf %v, %half : f32
    %g = arith.mulf %g4, %g3 : f32"""

GELU_TEXT = TWO + f"""func.func @main(%x: {ROWS}) -> {ROWS} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : {ROWS}
  %n = tensor.dim %x, %c1 : {ROWS}
  %e = tensor.empty(%m, %n) : {ROWS}
  %y = linalg.generic {{indexing_maps = [#rc, #rc], iterator_types = {PARALLEL}}}
      ins(%x : {ROWS}) outs(%e : {ROWS}) {{
  ^bb0(%v: f32, %out: f32):{GELU_BODY}
    linalg.yield %g : f32
  }} -> {ROWS}
  return %y : {ROWS}
}}
"""


def linear_text(k, n, residual):
    """x W + bias, then gelu, or plus a residual of the result's shape."""
    x, w, y, bias = f"tensor<?x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<?x{n}xf32>", f"tensor<{n}xf32>"
    argument = f", %residual: {y}" if residual else ""
    body = "\n    %g = arith.addf %v, %s : f32" if residual else GELU_BODY
    return TWO + f"""func.func @main(%x: {x}{argument}, %w: {w} {{symshape.weight = "w"}},
    %bias: {bias} {{symshape.weight = "bias"}}) -> {y} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : {x}
  %e = tensor.empty(%m) : {y}
  %f = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
  %p = linalg.matmul ins(%x, %w : {x}, {w}) outs(%f : {y}) -> {y}
  %y = linalg.generic {{indexing_maps = [#rc, #c{', #rc' if residual else ''}, #rc], iterator_types = {PARALLEL}}}
      ins(%p, %bias{', %residual' if residual else ''} : {y}, {bias}{', ' + y if residual else ''}) outs(%e : {y}) {{
  ^bb0(%a: f32, %b: f32{', %s: f32' if residual else ''}, %out: f32):
    %v = arith.addf %a, %b : f32{body}
    linalg.yield %g : f32
  }} -> {y}
  return %y : {y}
}}
"""


ITEMS, ITEMS_T, PAIRS = "tensor<12x?x32xf32>", "tensor<12x32x?xf32>", "tensor<12x?x?xf32>"
ATTENTION_TEXT = f"""!items = {ITEMS}
func.func @main(%q: !items {{symshape.shape = #symshape.shape<[12, L, 32]>}},
                %k: !items {{symshape.shape = #symshape.shape<[12, L, 32]>}},
                %v: !items {{symshape.shape = #symshape.shape<[12, L, 32]>}}) -> !items {{
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %l = tensor.dim %q, %c1 : !items
  %e_t = tensor.empty(%l) : {ITEMS_T}
  %k_t = linalg.transpose ins(%k : !items) outs(%e_t : {ITEMS_T}) permutation = [0, 2, 1]
  %e_p = tensor.empty(%l, %l) : {PAIRS}
  %z_p = linalg.fill ins(%zero : f32) outs(%e_p : {PAIRS}) -> {PAIRS}
  %s = linalg.batch_matmul ins(%q, %k_t : !items, {ITEMS_T}) outs(%z_p : {PAIRS}) -> {PAIRS}
  %p = linalg.softmax dimension(2) ins(%s : {PAIRS}) outs(%e_p : {PAIRS}) -> {PAIRS}
  %e = tensor.empty(%l) : !items
  %z = linalg.fill ins(%zero : f32) outs(%e : !items) -> !items
  %o = linalg.batch_matmul ins(%p, %v : {PAIRS}, !items) outs(%z : !items) -> !items
  return %o : !items
}}
"""


class RowsBench:
    def __init__(self, bench):
        self.bench = bench
        self.rng = np.random.default_rng(0)
        self.fixed = None  # microseconds of a call that does nothing, by contestant

    def random(self, *shape):
        return aligned(self.rng.standard_normal(shape, np.float32))

    def group(self, title):
        return Group(f"P7 {title}", [Ratio(OURS, ORT, None, 1.0)])

    def add(self, group, label, program, session, inputs, output_shape, work=None):
        """One entry; `inputs` are in the order of the program's arguments."""
        call = symshape_c.Call(program, list(inputs.values()))
        bound = onnx_graphs.Bound(session, inputs, output_shape)
        row = self.bench.entry(group, label, {OURS: call, ORT: bound}, work)
        if self.fixed and row["us"][ORT] > 1.5 * self.fixed[ORT]:
            # Only where the call is more than its fixed cost does a difference mean something.
            ours, theirs = (max(row["us"][name] - self.fixed[name], 0.05) for name in (OURS, ORT))
            row["ratio_without_fixed_cost"] = theirs / ours
            row["remark"] = f"without the fixed cost {theirs / ours:.2f}"
        row["difference"] = float(np.abs(call.results()[0] - bound.output).max())
        if not row["difference"] <= TOLERANCE:
            row["remark"] = f"DIFFERS by {row['difference']:.1e}"

    def session(self, *arguments, **more):
        return onnx_graphs.session(onnx_graphs.graph(*arguments, **more), self.bench.threads)

    def fixed_cost(self):
        """A call that does next to nothing: what each engine takes per call, from Python."""
        group = Group("fixed cost of a call (a copy of one number)", [Ratio(OURS)])
        text = "func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }\n"
        session = self.session([node("Identity", "x", "y")], {"x": [1]}, ("y", [1]))
        self.add(group, "1", self.bench.compile("identity", text), session, {"x": self.random(1)}, (1,))
        self.fixed = group.rows[0]["us"]
        return group

    def softmax(self):
        group = self.group("softmax")
        program = self.bench.compile("softmax", SOFTMAX_TEXT)
        session = self.session([node("Softmax", "x", "y", axis=-1)], {"x": ["m", "n"]}, ("y", ["m", "n"]))
        for m, n in SOFTMAX:
            self.add(group, f"{m} x {n}", program, session, {"x": self.random(m, n) * 3}, (m, n))
        return group

    def layer_norm(self):
        group = self.group("layer norm")
        program = self.bench.compile("layer-norm", LAYER_NORM_TEXT)
        session = self.session([node("LayerNormalization", "x s b", "y", axis=-1, epsilon=1e-5)],
                               {"x": ["m", "n"], "s": ["n"], "b": ["n"]}, ("y", ["m", "n"]))
        for m, n in LAYER_NORM:
            inputs = {"x": self.random(m, n), "s": self.random(n), "b": self.random(n)}
            self.add(group, f"{m} x {n}", program, session, inputs, (m, n))
        return group

    def gelu(self):
        group = self.group("gelu")
        program = self.bench.compile("gelu", GELU_TEXT)
        session = self.session([node("Gelu", "x", "y")], {"x": ["m", "n"]}, ("y", ["m", "n"]))
        for m, n in GELU:
            self.add(group, f"{m} x {n}", program, session, {"x": self.random(m, n)}, (m, n))
        return group

    def feed_forward(self):
        """The two halves of MiniLM's feed-forward block, weights constant."""
        group = self.group("matmul + bias + gelu (384 to 1536), + bias + residual (1536 to 384)")
        for k, n, residual in ((384, 1536, False), (1536, 384, True)):
            weights = {"w": self.random(k, n) * np.float32(0.05), "bias": self.random(n)}
            program = self.bench.compile(f"linear-{k}-{n}", linear_text(k, n, residual), weights)
            nodes = [node("MatMul", "x w", "p"), node("Add", "p bias", "q"),
                     node("Add", "q r", "y") if residual else node("Gelu", "q", "y")]
            shapes = {"x": ["m", k], **({"r": ["m", n]} if residual else {})}
            session = self.session(nodes, shapes, ("y", ["m", n]), weights)
            for m in FEED_FORWARD:
                inputs = {"x": self.random(m, k), **({"r": self.random(m, n)} if residual else {})}
                label = f"{m} x {k} -> {n} {'residual' if residual else 'gelu'}"
                self.add(group, label, program, session, inputs, (m, n), 2.0 * m * n * k)
        return group

    def attention(self):
        group = self.group("attention core, 12 heads of 32")
        program = self.bench.compile("attention", ATTENTION_TEXT)
        nodes = [node("Transpose", "k", "t", perm=[0, 2, 1]), node("MatMul", "q t", "s"),
                 node("Softmax", "s", "p", axis=-1), node("MatMul", "p v", "o")]
        session = self.session(nodes, {name: [12, "l", 32] for name in "qkv"}, ("o", [12, "l", 32]))
        for length in ATTENTION:
            inputs = {name: self.random(12, length, 32) * np.float32(0.5) for name in "qkv"}
            self.add(group, f"L = {length}", program, session, inputs, (12, length, 32),
                     4.0 * 12 * 32 * length * length)
        return group


def groups(bench):
    rows = RowsBench(bench)
    return [rows.fixed_cost(), rows.softmax(), rows.layer_norm(), rows.gelu(), rows.feed_forward(),
            rows.attention()]
