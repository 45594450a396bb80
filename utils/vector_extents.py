# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metadata cases of the test vectors: extents that inference must find.

An extent is a pair (kind, text), kind being `exact`, `upper_bound` or `unknown`.
A case becomes a function of one op (vector_programs.py), whose arguments declare
the extents they are given. Extents that are not exact are named in its body, `u0`
and so on, so that the answer can be said of them: where an axis of at most 4 is
truncated to S, it is min(S, u0), and u0 <= 4 is what the prover is told.

An answer passes when it implies what is expected, and is so by the definition of the
op (`defined`): at all small values of the names, where facts and what the op itself
requires (`required`) hold, and where NumPy computes on such extents
(vector_enumeration.py). Then the prover, which is told nothing else, must say the
same of all values.
"""

import re

import vector_enumeration
from vector_enumeration import Reader
from vector_programs import ELEMENTWISE, Builder, Unsupported, Value, listed

KINDS = ["unknown", "upper_bound", "exact"]
FUNCTIONS = re.compile(r"\b(min|max|bc|select|size)\b(?!\s*\()")
WORDS = {"min", "max", "floordiv", "ceildiv", "mod", "bc", "select", "size"}
ANNOTATION = "symshape.extents = ["
SIZE = re.compile(r"size\(%(\w+)\)")
DEFAULTS = {"gather": {"mode": "clip"}, "gather_dynamic_slice_sizes": {"mode": "clip"},
            "scatter": {"mode": "clip", "combiner": "add"}, "dynamic_truncate": {"axis": 0},
            "pad_to_match": {"axis": 0}, "concatenate": {"axis": 0},
            "dot_general": {"lhs_batch": [], "rhs_batch": []}}
# Operands that are no floats, by op and number.
DTYPES = {("gather", 1): "i64", ("gather_dynamic_slice_sizes", 1): "i64", ("scatter", 1): "i64",
          ("dynamic_slice", 1): "i64", ("dynamic_update_slice", 2): "i64", ("select", 0): "i1",
          ("convert_i_to_f", 0): "i64", ("if", 0): "i1", ("for", 0): "i64"}
ARITHMETIC = {"expr_min": "arith.minsi {0}, {1} : index", "expr_max": "arith.maxsi {0}, {1} : index",
              "expr_add": "arith.addi {0}, {1} overflow<nsw> : index",
              "expr_sub": "arith.subi {0}, {1} overflow<nsw> : index",
              "expr_mul": "arith.muli {0}, {1} overflow<nsw> : index",
              "expr_floordiv": "arith.floordivsi {0}, {1} : index", "normalize": None}
# The operand whose extents the result has.
SAME = {"select": 1, "clamp": 1, **dict.fromkeys(
    ("neg", "convert_f_to_i", "convert_i_to_f", "reverse", "cumsum", "sort", "scatter", "dynamic_update_slice"), 0)}
FORMULAS = {"expr_min": "min({0}, {1})", "expr_max": "max({0}, {1})", "expr_add": "{0} + {1}",
            "expr_sub": "{0} - {1}", "expr_mul": "{0} * {1}", "expr_floordiv": "{0} floordiv {1}", "normalize": "{0}"}
# Of one axis, by an op whose extent it is.
AS_OP = {"expr_min": "dynamic_truncate", "expr_max": "pad_to_match", "expr_add": "concatenate"}


def words(text):
    return set(re.findall(r"[A-Za-z_]\w*", str(text))) - WORDS


class Question:
    """The program of a case, and what the prover is told of its names."""

    def __init__(self, case):
        self.op, self.builder = case["op"], Builder()
        self.expected = [[[e[0], *map(self.text, e[1:])] for e in shape] for shape in case["output_extents"]]
        rank = len(case["input_extents"][0])
        defaults = {"slice": {"strides": [1] * rank}, "pad": {"interior": [0] * rank}, **DEFAULTS}
        self.attrs = {**defaults.get(self.op, {}), **case.get("attrs", {})}
        given = [[[e[0], *map(self.text, e[1:])] for e in shape] for shape in case["input_extents"]]
        if len(given) == 1 and self.op in ("dynamic_truncate", "dynamic_slice"):  # the second is not said
            given.append([["exact", str(rank)]] if self.op == "dynamic_slice" else [])
        self.names = set().union(*(words(e[1]) for shape in given + self.expected for e in shape if e[1:]))
        self.names |= {word for value in self.attrs.get("shape", []) + self.attrs.get("slice_sizes", [])
                       if isinstance(value, str) for word in words(self.text(value))}
        self.facts, self.arguments, self.bound = [], [], {}
        self.extents = [self.declare(number, shape) for number, shape in enumerate(given)]
        self.operands = [Value(f"%x{i}", self.dtype(i), self.types(i, shape)) for i, shape in enumerate(given)]
        self.given, self.size = given, self.size_operand(given)

    @staticmethod
    def text(expression):
        """An expression in our spelling, in which a size operand has a name."""
        ours = str(expression).replace("//", "floordiv").replace(" % ", " mod ")
        return FUNCTIONS.sub(r"\1_", SIZE.sub(r"size_\1", ours))

    def size_operand(self, given):
        """The name of the size that the op is given: one that only the results know, if there is one."""
        if self.op != "dynamic_truncate":
            return ""
        before, after = (set(re.findall(r"\bsize_\w+", str(shapes))) for shapes in (given, self.expected))
        names = after - before or after
        if len(names) > 1:
            raise Unsupported(f"choice among the sizes {', '.join(sorted(names))}")
        return names.pop() if names else ""

    def fresh(self, stem):
        number = 0
        while (name := f"{stem}{number or ''}") in self.names:
            number += 1
        self.names.add(name)
        return name

    def dtype(self, number):
        return DTYPES.get((self.op, number), "f64")

    def declare(self, number, shape):
        """The extents of an operand as texts, of which some are new names."""
        texts = []
        for kind, *bound in shape:
            name = bound[0] if kind == "exact" else self.fresh(f"u{number}_{len(texts)}")
            texts.append(name)
            if kind != "exact":
                self.bound[name] = "".join(bound)
            self.facts.append(f"{name} >= 0")
            if kind == "upper_bound":
                self.facts.append(f"{name} <= {bound[0]}")
        return texts

    def types(self, number, shape):
        """Dynamic, but for an axis that the op wants to be literal."""
        literal = set(self.attrs.get("expanding", []))
        if number == 1 and "index_vector_dim" in self.attrs:
            literal = {self.attrs["index_vector_dim"]}
        return [int(e[1]) if d in literal and e[1:] and e[1].isdigit() else None for d, e in enumerate(shape)]

    def argument(self, name, dtype, shape, declared):
        value = Value(name, dtype, shape)
        attribute = f" {{symshape.shape = #symshape.shape<{listed(declared)}>}}" if declared else ""
        self.arguments.append(f"{name}: {value.type}{attribute}")
        return value

    def holder(self, expressions):
        """An argument whose extents are these."""
        name = f"%h{len(self.arguments)}"
        return self.argument(name, "i1", [None] * len(expressions), expressions)

    def sources(self, attrs, key, count):
        """An argument for the sizes of an attribute that are expressions; they become its extents."""
        expressions = [self.text(size) for size in attrs.get(key, []) if isinstance(size, str)]
        if not expressions:
            return []
        axes = iter(range(len(expressions)))
        attrs[key] = [{"operand": count, "axis": next(axes)} if isinstance(size, str) else size
                      for size in attrs[key]]
        return [self.holder(expressions)]

    def name_extents(self, number, value):
        """The operand, of which the extents that are not exact have their names."""
        extents = self.extents[number]
        if not self.bound.keys() & set(extents):
            return value
        names = listed(e if e in self.bound else "?" for e in extents)
        return self.builder.define(f"symshape.bind_shape {value.name} {names} : {value.type}", value.dtype,
                                   value.shape)

    def module(self):
        """The module that returns what the op gives."""
        symbols = sorted(self.names - self.bound.keys())
        for number, shape in enumerate(self.given):
            declared = [f'"<= {e[1]}"' if e[0] == "upper_bound" else name
                        for e, name in zip(shape, self.extents[number])]
            value = self.operands[number]
            self.argument(value.name, value.dtype, value.shape, declared)
        if symbols:
            names = self.holder(symbols)
        operands = [self.name_extents(number, value) for number, value in enumerate(self.operands)]
        if self.size:
            at = self.builder.dim(names, symbols.index(self.size))
            operands[1] = IndexValue(at)
        results = self.results(operands)
        types = ", ".join(value.type for value in results)
        return "\n".join([f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{", *self.builder.lines,
                          f"  return {', '.join(value.name for value in results)} : {types}", "}"]) + "\n"

    def results(self, operands):
        builder, op = self.builder, self.op
        rank = len(operands[0].shape)
        if op in ARITHMETIC and (op not in AS_OP or rank != 1):
            sizes = [[builder.dim(value, d) for value in operands] for d in range(rank)]
            sizes = [builder.scalar(ARITHMETIC[op].format(*pair)) if ARITHMETIC[op] else pair[0] for pair in sizes]
            return [builder.empty("f64", [None] * rank, sizes)]
        attrs = dict(self.attrs)
        if op == "expr_min":
            operands[1] = IndexValue(builder.dim(operands[1], 0))
        if op in AS_OP:
            op, attrs = AS_OP[op], {"axis": 0}
        if op == "transpose" and not attrs["perm"]:
            return operands
        extra = [source for key in ("shape", "slice_sizes") for source in self.sources(attrs, key, len(operands))]
        if extra and op == "gather":
            op = "gather_dynamic_slice_sizes"
        builder.values = {f"x{i}": value for i, value in enumerate([*operands, *extra])}
        names = list(builder.values)
        builder.run([{"op": op, "operands": names, "attrs": attrs, "results": [f"r{i}" for i in
                                                                               range(len(self.expected))]}])
        return [builder.values[f"r{i}"] for i in range(len(self.expected))]

    def required(self):
        """What the op requires of its operands, from its definition."""
        e, attrs = self.extents, self.attrs
        if self.op in ELEMENTWISE or self.op in ("select", "clamp"):
            return [f"{a} == {b}" for other in e[1:] for a, b in zip(e[0], other) if len(e[0]) == len(other)]
        if self.op == "concatenate":
            return [f"{e[0][d]} == {other[d]}" for other in e[1:] for d in range(len(other)) if d != attrs["axis"]]
        if self.op == "dot_general":
            pairs = [*zip(attrs["lhs_contracting"], attrs["rhs_contracting"]),
                     *zip(attrs["lhs_batch"], attrs["rhs_batch"])]
            return [f"{e[0][a]} == {e[1][b]}" for a, b in pairs]
        if self.op.startswith("gather"):
            pairs = zip(attrs.get("operand_batching_dims", []), attrs.get("start_indices_batching_dims", []))
            return [f"{e[0][a]} == {e[1][b]}" for a, b in pairs]
        if self.op == "broadcast_in_dim":
            return [f"{e[0][i]} == {self.size_text(attrs['shape'][d])}" for i, d in enumerate(attrs["dims"])
                    if i not in attrs.get("expanding", [])]
        if self.op == "slice":
            return [f"{limit} <= {extent}" for limit, extent in zip(attrs["limits"], e[0])]
        if self.op == "expr_floordiv":
            return [f"{divisor} >= 1" for divisor in e[1]]
        return [f"{a} >= {b}" for a, b in zip(*e)] if self.op == "expr_sub" else []

    def size_text(self, size):
        """The extent that an entry of `shape` or `slice_sizes` says."""
        return self.extents[size["operand"]][size["axis"]] if isinstance(size, dict) else self.text(size)

    def any_size(self):
        """The name of the size of a truncation, which may be any."""
        self.size = self.size or self.fresh("t")
        return self.size

    def gathered(self):
        """Batch extents from the indices, around the windows at `offset_dims`."""
        attrs, (x, indices) = self.attrs, self.extents[:2]
        gone = [*attrs["collapsed_slice_dims"], *attrs.get("operand_batching_dims", [])]
        windows = iter([self.size_text(attrs["slice_sizes"][d]) for d in range(len(x)) if d not in gone])
        batch = iter([extent for d, extent in enumerate(indices) if d != attrs["index_vector_dim"]])
        return [next(windows if d in attrs["offset_dims"] else batch) for d in range(len(self.expected[0]))]

    def defined(self):
        """The extents of the result by the definition of the op; None: not known here."""
        op, attrs, e = self.op, self.attrs, [[f"({extent})" for extent in shape] for shape in self.extents]
        axis = attrs.get("axis")
        if op in FORMULAS:
            return [FORMULAS[op].format(*extents) for extents in zip(*e)]
        if op in ELEMENTWISE or op in SAME:
            return e[SAME.get(op, 0)]
        if op == "dynamic_truncate":
            return [f"min({self.any_size()}, {extent})" if d == axis else extent for d, extent in enumerate(e[0])]
        if op == "pad_to_match":
            return [f"max({extent}, {e[1][d]})" if d == axis else extent for d, extent in enumerate(e[0])]
        if op == "concatenate":
            return [" + ".join(piece[d] for piece in e) if d == axis else extent for d, extent in enumerate(e[0])]
        if op == "transpose":
            return [e[0][p] for p in attrs["perm"]]
        if op.startswith("reduce_"):
            return [extent for d, extent in enumerate(e[0]) if d not in attrs["axes"]]
        if op.startswith("gather"):
            return self.gathered()
        if op in ("reshape", "broadcast_in_dim", "dynamic_slice"):
            return [self.size_text(size) for size in attrs["slice_sizes" if op == "dynamic_slice" else "shape"]]
        if op == "slice":
            return [str(max(0, -((start - limit) // stride)))
                    for start, limit, stride in zip(attrs["starts"], attrs["limits"], attrs["strides"])]
        if op == "pad":
            return [f"max(0, ({extent} - 1)*{gap + 1} + 1) + {low + high}" for extent, low, high, gap in
                    zip(e[0], attrs["low"], attrs["high"], attrs["interior"])]
        if op == "dot_general":
            free = [[extent for d, extent in enumerate(e[i]) if d not in attrs[side + "_contracting"] +
                     attrs[side + "_batch"]] for i, side in enumerate(("lhs", "rhs"))]
            return [e[0][d] for d in attrs["lhs_batch"]] + free[0] + free[1]
        return None


class IndexValue:
    """A size that is an index, where a tensor of rank 0 may stand too."""

    def __init__(self, name):
        self.name, self.type, self.dtype, self.shape = name, "index", "index", []


def split(text):
    """The parts between the commas that are in no parentheses."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    return [part.strip().strip('"') for part in [*parts, text[begin:]] if part.strip()]


def read(part):
    return ("unknown",) if part == "?" else ("upper_bound", part[2:].strip()) if part.startswith("<=") else \
        ("exact", part)


def definition(name, text):
    """The op that defines a value, with its regions."""
    value = re.escape(name.partition("#")[0])
    return re.search(rf"^    (?:%\w+, )*{value}(?::\d+)?(?:, %\w+)* = (?:.|\n)*?(?=^    (?:%|return|symshape))", text,
                     re.M)[0]


def inferred(text):
    """The extents of what the function returns, as its ops are annotated, casts apart."""
    returned = re.search(r"^    return (.*) : ", text, re.M)[1]
    answers = []
    for name in returned.split(", "):
        while not name.startswith("%arg"):
            op = definition(name, text)
            cast = re.search(r" = tensor\.cast (%[\w#]+) ", op)
            if not cast or cast[1].startswith("%arg"):
                break
            name = cast[1]
        if name.startswith("%arg"):
            answers.append([])  # Only one of rank 0 is returned as it is.
            continue
        shapes = re.findall(r"#symshape\.shape<\[(.*?)\]>", op.rpartition(ANNOTATION)[2])
        names = op.partition(" = ")[0].strip().split(", ")
        number = int(name.partition("#")[2]) if "#" in name else names.index(name) if name in names else 0
        answers.append([read(part) for part in split(shapes[number])])
    return answers


def claims(got, expected, defined):
    """What must hold of the names if `got` says at least `expected`, and no more than is so:
    triples (left, relation, right). None: it says less."""
    found = []
    if got[0] != "unknown" and defined:
        found.append((defined, "==" if got[0] == "exact" else "<=", got[1]))
    if KINDS.index(got[0]) < KINDS.index(expected[0]):
        return None
    if expected[0] != "unknown":
        found.append((got[1], "==" if expected[0] == "exact" else "<=", expected[1]))
    return found


class Judge:
    """Small values first, then the prover; `counts` says how much of each."""

    def __init__(self, question, facts, texts, prove, counts):
        self.question, self.facts, self.prove, self.counts = question, facts, prove, counts
        names = set().union(*(Reader(text).names for text in texts)) | question.names
        self.bindings = vector_enumeration.bindings(names, facts, texts)
        if not self.bindings:
            raise Unsupported(f"values of which hold: {', '.join(facts)}")
        counts["bindings"] += len(self.bindings)

    def confirm(self, defined):
        """Whether NumPy gives what the definition says."""
        question = self.question
        op = AS_OP.get(question.op, question.op) if len(question.extents[0]) == 1 else question.op
        attrs = {"axis": 0} if op != question.op else question.attrs
        size = question.size or (question.extents[1][0] if question.op == "expr_min" else "0")
        dtypes = [operand.dtype for operand in question.operands]
        for names in vector_enumeration.spread(self.bindings):
            shapes = vector_enumeration.computed(op, attrs, question.extents, dtypes, size, names)
            if shapes is None:
                continue
            self.counts["runs of NumPy"] += 1
            if [[Reader(extent).at(names) for extent in defined]] != shapes:
                return f"the definition {defined} is not what NumPy gives: {shapes} at {names}"
        return None

    def wrong(self, claim):
        """Why a claim does not hold, None if it does."""
        left, relation, right = claim
        one, two = Reader(left), Reader(right)
        for names in self.bindings:
            self.counts["comparisons"] += 1
            a, b = one.at(names), two.at(names)
            if a > b or (relation == "==" and a != b):
                return f"{left} {relation} {right} is {a} {relation} {b} at {names}"
        said = self.prove([f"assume {fact}" for fact in self.facts], [f"{left} {relation} {right}"])
        self.counts["proofs"] += 1
        return None if said == ["yes"] else f"the prover answers {said} to {left} {relation} {right}"


def mismatch(case, transform, prove, counts):
    """What is wrong with the extents that are inferred, None where nothing is.
    `transform` runs passes on a module, `prove` answers questions about facts."""
    try:
        question = Question(case)
        text = case.get("mlir") or question.module()
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise Unsupported(f"program of {case['op']}: {error!r}") from None
    answers = inferred(transform(text, "--symshape-infer-shapes=annotate"))
    defined = None if "mlir" in case else question.defined()
    question.free = question.bound.keys() | {question.size}
    if "mlir" in case:  # Its extents have names of their own.
        said = set().union(*(words(part) for shape in answers for e in shape for part in e[1:]))
        question.free |= said - question.names
    if [len(shape) for shape in answers] != [len(shape) for shape in question.expected]:
        return f"expected {question.expected}, but got {answers}"
    facts = [*question.facts, *question.required()]
    texts = [part for shape in answers + question.expected for e in shape for part in e[1:]] + (defined or [])
    judge = Judge(question, facts, texts, prove, counts)
    wrong = judge.confirm(defined) if defined is not None and len(answers) == 1 else None
    if wrong:
        return wrong
    for got, expected in zip(answers, question.expected):
        for one, wanted, actual in zip(got, expected, defined or [None] * len(got)):
            counts["extents"] += 1
            said = claims(one, wanted, actual)
            better = KINDS.index(one[0]) > KINDS.index(wanted[0])
            # Without a definition, only what has a name may be known better.
            if said is None or (better and not actual and not words(one[1]) & question.free):
                return f"expected {wanted}, but got {list(one)}"
            for claim in said:
                wrong = judge.wrong(claim)
                if wrong:
                    return f"expected {wanted}, but got {list(one)}: {wrong}"
    return None
