# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of programs that are measured on a GPU: rows and products.

Each is written for one variant: `general` knows nothing of its extents, `proved`
declares that rows have a multiple of 128 elements, `static` has numbers.
"""

MAPS = """#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
"""
PROVED = 'symshape.symbols = [#symshape.symbol<"N", multiple_of = 128>]'


class Program:
    """A function of matrices of M x N elements, in one variant: its text, line by line."""

    def __init__(self, variant, m, n):
        self.variant = variant
        self.m, self.n = (str(m), str(n)) if variant == "static" else ("?", "?")
        self.matrix, self.rows = f"tensor<{self.m}x{self.n}xf32>", f"tensor<{self.m}xf32>"
        self.columns = f"tensor<{self.n}xf32>"
        self.lines, self.count = [], 0

    def add(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def argument(self, name, kind, shape):
        facts = "" if self.variant == "static" else f" {{symshape.shape = #symshape.shape<[{shape}]>}}"
        return f"%{name}: {kind}{facts}"

    def begin(self, source="%a", rows=0, columns=1):
        """Constants, and the extents as far as they are dims of an argument."""
        self.lines += ["  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index",
                       "  %zero = arith.constant 0.0 : f32"]
        if self.variant != "static":
            self.lines += [f"  %m = tensor.dim {source}, %c{rows} : {self.matrix}",
                           f"  %n = tensor.dim {source}, %c{columns} : {self.matrix}"]

    def empty(self, kind):
        names = [name for name, extent in (("%m", self.m), ("%n", self.n))
                 if extent == "?" and (kind == self.matrix or (name == "%m") == (kind == self.rows))]
        return self.add(f"tensor.empty({', '.join(names)}) : {kind}")

    def map(self, body, operands, out="all"):
        """An elementwise op; `operands` are (value, type, map), `body` uses %x0, %x1, ... and gives %r."""
        kind = self.matrix if out == "all" else self.rows
        init = self.empty(kind)
        return self.generic(body, operands, init, kind, out, "parallel" if out == "all" else "reduction")

    def reduce(self, combine, value, start):
        """Along rows: `combine` uses %x0 and %o and gives %r."""
        init = self.empty(self.rows)
        filled = self.add(f"linalg.fill ins({start} : f32) outs({init} : {self.rows}) -> {self.rows}")
        return self.generic(combine, [(value, self.matrix, "all")], filled, self.rows, "row", "reduction")

    def generic(self, body, operands, init, kind, out, last):
        maps = ", ".join(f"#{m}" for _, _, m in operands)
        names = ", ".join(f"%x{i}: f32" for i in range(len(operands)))
        values, kinds = (", ".join(o[i] for o in operands) for i in (0, 1))
        return self.add(
            f'linalg.generic {{indexing_maps = [{maps}, #{out}], iterator_types = ["parallel", "{last}"]}}\n'
            f"      ins({values} : {kinds}) outs({init} : {kind}) {{\n  ^bb0({names}, %o: f32):\n    {body}\n"
            f"    linalg.yield %r : f32\n  }} -> {kind}")

    def text(self, arguments, result, kind):
        facts = f" attributes {{{PROVED}}}" if self.variant == "proved" else ""
        head = f"func.func @main({', '.join(arguments)}) -> {kind}{facts} {{"
        return "\n".join([MAPS + head, *self.lines, f"  return {result} : {kind}", "}", ""])


def add(variant, m, n):
    p = Program(variant, m, n)
    r = p.add(f"arith.addf %a, %b : {p.matrix}")
    return p.text([p.argument("a", p.matrix, "M, N"), p.argument("b", p.matrix, "M, N")], r, p.matrix)


def of_one(op):
    """The program of one op on one matrix."""
    def write(variant, m, n):
        p = Program(variant, m, n)
        r = p.add(f"{op} : {p.matrix}")
        return p.text([p.argument("a", p.matrix, "M, N")], r, p.matrix)
    return write


def sums(variant, m, n):
    p = Program(variant, m, n)
    p.begin()
    r = p.reduce("%r = arith.addf %o, %x0 : f32", "%a", "%zero")
    return p.text([p.argument("a", p.matrix, "M, N")], r, p.rows)


def softmax(variant, m, n):
    p = Program(variant, m, n)
    p.begin()
    p.lines.append("  %least = arith.constant 0xFF800000 : f32")
    largest = p.reduce("%r = arith.maximumf %o, %x0 : f32", "%a", "%least")
    powers = p.map("%d = arith.subf %x0, %x1 : f32\n    %r = math.exp %d : f32",
                   [("%a", p.matrix, "all"), (largest, p.rows, "row")])
    total = p.reduce("%r = arith.addf %o, %x0 : f32", powers, "%zero")
    r = p.map("%r = arith.divf %x0, %x1 : f32", [(powers, p.matrix, "all"), (total, p.rows, "row")])
    return p.text([p.argument("a", p.matrix, "M, N")], r, p.matrix)


def layer_norm(variant, m, n):
    p = Program(variant, m, n)
    p.begin()
    if variant == "static":
        p.lines.append(f"  %width = arith.constant {n}.0 : f32")
    else:
        p.lines += ["  %wide = arith.index_cast %n : index to i64", "  %width = arith.sitofp %wide : i64 to f32"]
    p.lines.append("  %eps = arith.constant 1.0e-5 : f32")
    total = p.reduce("%r = arith.addf %o, %x0 : f32", "%a", "%zero")
    centred = p.map("%q = arith.divf %x1, %width : f32\n    %r = arith.subf %x0, %q : f32",
                    [("%a", p.matrix, "all"), (total, p.rows, "row")])
    squares = p.reduce("%q = arith.mulf %x0, %x0 : f32\n    %r = arith.addf %o, %q : f32", centred, "%zero")
    r = p.map("%v = arith.divf %x1, %width : f32\n    %w = arith.addf %v, %eps : f32\n"
              "    %s = math.rsqrt %w : f32\n    %t = arith.mulf %x0, %s : f32\n"
              "    %u = arith.mulf %t, %x2 : f32\n    %r = arith.addf %u, %x3 : f32",
              [(centred, p.matrix, "all"), (squares, p.rows, "row"), ("%g", p.columns, "column"),
               ("%h", p.columns, "column")])
    return p.text([p.argument("a", p.matrix, "M, N"), p.argument("g", p.columns, "N"),
                   p.argument("h", p.columns, "N")], r, p.matrix)


def transpose(variant, m, n):
    p = Program(variant, m, n)
    p.begin()
    kind = f"tensor<{p.n}x{p.m}xf32>"
    init = p.add(f"tensor.empty({'' if variant == 'static' else '%n, %m'}) : {kind}")
    r = p.add(f"linalg.transpose ins(%a : {p.matrix}) outs({init} : {kind}) permutation = [1, 0]")
    return p.text([p.argument("a", p.matrix, "M, N")], r, kind)


def gather(variant, m, n):
    """M rows of a table of M rows, by number."""
    p = Program(variant, m, n)
    p.begin()
    width = n if variant == "static" else "%n"
    r = p.add(f"symshape.gather promise_in_bounds %a[%i] slice_sizes [1, {width}]\n"
              "      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,\n"
              f"       index_vector_dim = 1 : i64}} : {p.matrix}[tensor<{p.m}xi64>] to {p.matrix}")
    return p.text([p.argument("a", p.matrix, "M, N"), p.argument("i", f"tensor<{p.m}xi64>", "M")], r, p.matrix)


def scatter(variant, m, n):
    """M rows, added to the rows of a matrix by number."""
    p = Program(variant, m, n)
    r = p.add("symshape.scatter add drop %u into %a[%i]\n"
              "      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,\n"
              "       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}\n"
              f"      : {p.matrix} into {p.matrix}[tensor<{p.m}xi64>]")
    return p.text([p.argument("a", p.matrix, "M, N"), p.argument("i", f"tensor<{p.m}xi64>", "M"),
                   p.argument("u", p.matrix, "M, N")], r, p.matrix)


def sort(variant, m, n):
    """Each row, without the positions."""
    p = Program(variant, m, n)
    places = p.matrix.replace("f32", "i64")
    p.lines.append(f"  %v, %places = symshape.sort %a axis 1 : {p.matrix}, {places}")
    return p.text([p.argument("a", p.matrix, "M, N")], "%v", p.matrix)


def one(m, n):
    return [f"{m}x{n}xf32=random:1"]


# Name: text, bytes that a call reads or writes for each element of the matrix, inputs by (m, n).
ROWS = {
    "add": (add, 12, lambda m, n: [f"{m}x{n}xf32=random:1", f"{m}x{n}xf32=random:2"]),
    "exp": (of_one("math.exp %a"), 8, one),
    "row sums": (sums, 4, one),
    "softmax": (softmax, 8, one),
    "layer norm": (layer_norm, 8, lambda m, n: [f"{m}x{n}xf32=random:1", f"{n}xf32=random:2", f"{n}xf32=random:3"]),
    "transpose": (transpose, 8, one),
    "gather": (gather, 8, lambda m, n: [f"{m}x{n}xf32=random:1", f"{m}xi64=random:2:0:{m}"]),
    "cumsum": (of_one("symshape.cumsum %a axis 1"), 8, one),
    "sort": (sort, 8, one),
    "scatter": (scatter, 16, lambda m, n: [f"{m}x{n}xf32=random:1", f"{m}xi64=random:2:0:{m}", f"{m}x{n}xf32=random:3"]),
}


def product(n, k, element, m="?"):
    """C = A B, where B is a weight and C has sums of f32."""
    a, b, c = f"tensor<{m}x{k}x{element}>", f"tensor<{k}x{n}x{element}>", f"tensor<{m}x{n}xf32>"
    rows = f"  %m = tensor.dim %a, %c0 : {a}\n" if m == "?" else ""
    return f"""func.func @main(%a: {a}, %b: {b} {{symshape.weight = "B"}}) -> {c} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
{rows}  %e = tensor.empty({'%m' if rows else ''}) : {c}
  %f = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
  return %r : {c}
}}
"""
