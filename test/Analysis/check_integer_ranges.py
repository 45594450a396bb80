#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges of integers beside those of MLIR's own analysis, op by op.

    check_integer_ranges.py PLUGIN [--programs=20] [--seed=SEED] [--files FILE...]

Random functions over arith, index, gpu, vector and loops, whose operands are narrowed in
the ways that both engines read; or the given files. Prints of each op how often our range
is the same as upstream's, tighter, weaker (by itself, or as that of an operand is), or apart
from it. The functions are also evaluated for random arguments: each value must lie in its
range. Fails where one does not, where one of ours is apart, where more than one in 2,000 is
weaker by itself, and where an op was met less often than once in four programs.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

TYPES = ["i8", "i16", "i32", "i64", "index"]
WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
BINARY = ["addi", "subi", "muli", "divsi", "divui", "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui", "andi",
          "ori", "xori", "maxsi", "maxui", "minsi", "minui", "shli", "shrsi", "shrui"]
INDEX = ["add", "sub", "mul", "divs", "divu", "ceildivs", "ceildivu", "floordivs", "rems", "remu", "and", "or", "xor",
         "maxs", "maxu", "mins", "minu", "shl", "shrs", "shru"]
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
GPU = ["thread_id", "block_id", "block_dim", "grid_dim", "global_id", "lane_id", "subgroup_id", "num_subgroups",
       "subgroup_size", "cluster_id", "cluster_dim", "cluster_block_id", "cluster_dim_blocks"]
SHIFTS = ("shl", "shr")
UPSTREAM_IS_WRONG = ["arith.ceildivsi", "index.ceildivs"]  # of the least number, see lib/Analysis/Defaults.cpp
OUTCOMES = ["same", "tighter", "follows", "unreachable", "upstream wrong", "weaker", "apart"]


class Undefined(Exception):
    """What the op has no value for, such as a division by 0."""


def signed(value, width):
    return (value + 2**(width - 1)) % 2**width - 2**(width - 1)


def quotient(a, b, rounded):
    """Of a by b: "zero", "floor" or "ceil"."""
    if b == 0:
        raise Undefined
    down = a // b
    if rounded == "floor" or a % b == 0:
        return down
    return down + 1 if rounded == "ceil" or (a < 0) != (b < 0) else down


def evaluate(name, a, b, width):
    """A binary op of arith, or of index by the name of that."""
    if name.endswith("u") or name.endswith("ui"):
        a, b = a % 2**width, b % 2**width
    kind = name.removesuffix("i") if name not in ("ori",) else "or"
    kind = {"andi": "and", "xori": "xor"}.get(name, kind)
    if "div" in kind or "rem" in kind:
        if not kind.endswith("u") and a == -2**(width - 1) and b == -1:
            raise Undefined
        if b == 0:
            raise Undefined
    if kind.startswith("sh") and not 0 <= b < width:
        raise Undefined
    result = {
        "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b,
        "divs": lambda: quotient(a, b, "zero"), "divu": lambda: a // b,
        "ceildivs": lambda: quotient(a, b, "ceil"), "ceildivu": lambda: -(-a // b),
        "floordivs": lambda: a // b,
        "rems": lambda: a - b * quotient(a, b, "zero"), "remu": lambda: a % b,
        "and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b,
        "maxs": lambda: max(a, b), "maxu": lambda: max(a, b), "mins": lambda: min(a, b), "minu": lambda: min(a, b),
        "shl": lambda: a << b, "shrs": lambda: a >> b, "shru": lambda: a >> b,
    }[kind]()
    return signed(result, width)


def holds(predicate, a, b, width):
    if predicate.startswith("u"):
        a, b = a % 2**width, b % 2**width
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[
        predicate if predicate in ("eq", "ne") else predicate[1:]]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.values = defaultdict(list)
        self.count = 0
        self.steps = []  # name, function of the operands, operands
        self.types = {}
        self.name = f"f{seed}"

    def define(self, type, text, run, *operands):
        """`run` gives the value from those of the operands; the location says the name."""
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text} loc(\"{name}\")")
        self.values[type].append(name)
        self.types[name] = type
        self.steps.append((name, run, operands))
        return name

    def run(self, seed):
        """The value of each name, up to the first op that has none."""
        draw = random.Random(seed)
        values = {}
        for name, type in self.arguments.items():
            width = WIDTHS[type]
            values[name] = signed(draw.choice([draw.randint(-20, 20), draw.getrandbits(width), 2**(width - 1) - draw.randint(0, 3),
                                               -2**(width - 1) + draw.randint(0, 3)]), width)
        for name, run, operands in self.steps:
            try:
                values[name] = run(*(values[one] for one in operands))
            except Undefined:
                break
        return values

    def constant(self, type, least=None, most=None):
        """Small, or near a power of two, or near an end of the type."""
        width = WIDTHS[type]
        kind = self.random.randrange(4)
        value = (self.random.randint(-9, 20) if kind < 2 else
                 self.random.choice([-1, 1]) * 2**self.random.randrange(width - 1) + self.random.randint(-2, 2)
                 if kind == 2 else self.random.choice([-2**(width - 1), 2**(width - 1) - 1]))
        value = max(-2**(width - 1) if least is None else least, value)
        value = min(2**(width - 1) - 1 if most is None else most, value)
        return self.define(type, f"arith.constant {value} : {type}", lambda: value)

    def draw(self, type):
        return self.random.choice(self.values[type][-12:])

    def narrow(self, type):
        """A value with a range; anything may be in the rest of the program."""
        value = self.draw(type)
        kind = self.random.randrange(4)
        if kind == 0:
            return self.apply("andi", type, value, self.constant(type, 1))
        if kind == 1:
            return self.apply("remui", type, value, self.constant(type, 1))
        if kind == 2:
            return self.apply("shrui", type, value, self.constant(type, 0, WIDTHS[type] - 1))
        return self.apply("minsi", type, self.apply("maxsi", type, value, self.constant(type)), self.constant(type))

    def apply(self, name, type, a, b):
        text = f"index.{name} {a}, {b}" if name in INDEX else f"arith.{name} {a}, {b} : {type}"
        return self.define(type, text, lambda x, y: evaluate(name, x, y, WIDTHS[type]), a, b)

    def operand(self, type):
        return self.draw(type) if self.random.random() < 0.6 else self.constant(type)

    def rhs(self, type, name):
        """Shifts beyond the width and divisors of 0 have no meaning."""
        if name.startswith(SHIFTS):
            return self.constant(type, 0, WIDTHS[type] - 1)
        if "div" in name or "rem" in name:
            return self.constant(type, 1) if self.random.random() < 0.5 else self.operand(type)
        return self.operand(type)

    def binary(self):
        type = self.random.choice(TYPES)
        name = self.random.choice(BINARY)
        self.apply(name, type, self.operand(type), self.rhs(type, name))

    def index(self):
        name = self.random.choice(INDEX)
        self.apply(name, "index", self.operand("index"), self.rhs("index", name))

    def cast(self):
        a, b = self.random.sample(TYPES, 2)
        value = self.draw(a)
        if "index" in (a, b):
            name = self.random.choice(["arith.index_cast", "arith.index_castui", "index.casts", "index.castu"])
        elif WIDTHS[a] > WIDTHS[b]:
            name = "arith.trunci"
        else:
            name = self.random.choice(["arith.extsi", "arith.extui"])
        unsigned = name.endswith(("ui", "castu"))
        self.define(b, f"{name} {value} : {a} to {b}",
                    lambda x: signed(x % 2**WIDTHS[a] if unsigned else x, WIDTHS[b]), value)

    def choose(self):
        type = self.random.choice(TYPES)
        condition = self.compare()
        one, other = self.operand(type), self.operand(type)
        text = f"arith.select {condition}, {one}, {other} : {type}"
        if self.random.random() < 0.5:
            text = (f"scf.if {condition} -> ({type}) {{\n    scf.yield {one} : {type}\n  }} else {{\n"
                    f"    scf.yield {other} : {type}\n  }}")
        self.define(type, text, lambda c, x, y: x if c else y, condition, one, other)

    def compare(self):
        type = self.random.choice(TYPES)
        predicate = self.random.choice(PREDICATES)
        a, b = self.operand(type), self.operand(type)
        text = f"arith.cmpi {predicate}, {a}, {b} : {type}"
        if type == "index" and self.random.random() < 0.5:
            text = f"index.cmp {predicate}({a}, {b})"
        return self.define("i1", text, lambda x, y: holds(predicate, x, y, WIDTHS[type]), a, b)

    def truth(self):
        """A truth value as a number."""
        type = self.random.choice(TYPES)
        name = "arith.index_castui" if type == "index" else self.random.choice(["arith.extui", "arith.extsi"])
        condition = self.compare()
        self.define(type, f"{name} {condition} : i1 to {type}", lambda c: (-1 if name == "arith.extsi" else 1) * c, condition)

    def gpu(self):
        name = self.random.choice(GPU)
        axis = "" if name in GPU[5:9] else " " + self.random.choice("xyz")
        bound = f" upper_bound {self.random.randint(1, 300)}" if self.random.random() < 0.5 else ""
        ends = " : index" if name in ("subgroup_id", "num_subgroups", "subgroup_size") else ""
        least = int("dim" in name or name in ("num_subgroups", "subgroup_size"))
        self.define("index", f"gpu.{name}{axis}{bound}{ends}", lambda: least)

    def vector(self):
        kind = self.random.randrange(3)
        if kind == 0:
            self.define("index", "vector.vscale", lambda: 1)
            return
        type = self.random.choice(TYPES)
        if kind == 1:
            size = self.random.randint(1, 9)
            place = self.random.randrange(size)
            step = self.define("steps", f"vector.step : vector<{size}xindex>", lambda: None)
            self.define("index", f"vector.extract {step}[{place}] : index from vector<{size}xindex>", lambda: place)
            return
        value = self.draw(type)
        filled = self.define("filled", f"vector.broadcast {value} : {type} to vector<4x{type}>", lambda: None)
        self.define(type, f"vector.extract {filled}[2] : {type} from vector<4x{type}>", lambda x: x, value)

    def loop(self):
        """A loop over constant or open bounds, whose induction variable is used inside."""
        step = self.constant("index", 1, 2**40)
        unsigned = self.random.random() < 0.3  # of numbers that are not negative: upstream takes others for signed ones
        low, high = (self.constant("index", 0, 2**40) if unsigned else self.operand("index") for _ in range(2))
        self.count += 1
        iv, sum, other = f"%iv{self.count}", f"%sum{self.count}", self.operand("index")
        self.lines.append(f"  scf.for {'unsigned ' * unsigned}{iv} = {low} to {high} step {step} {{\n"
                          f"    {sum} = arith.addi {iv}, {other} : index\n"
                          f"    \"some.use\"({sum}) : (index) -> ()\n  }}")

        def run(first, end, by):
            if unsigned:
                first, end = first % 2**64, end % 2**64
            if first < end and first + -((first - end) // by) * by >= 2**(64 if unsigned else 63):
                raise Undefined  # the counter wraps

        self.steps.append((iv, run, (low, high, step)))

    def dim(self):
        self.define("index", f"tensor.dim %t, {self.constant('index', 0, 0)} : tensor<?xf32>", lambda: 7)

    def text(self):
        self.arguments = {f"%{type}{i}": type for type in TYPES for i in range(2)}
        for name, type in self.arguments.items():
            self.values[type].append(name)
        for type in TYPES:
            for _ in range(2):
                self.narrow(type)
        kinds = [self.binary] * 10 + [self.index] * 6 + [self.cast] * 5 + [self.choose] * 2 + \
            [self.truth, self.gpu, self.gpu, self.vector, self.loop, self.dim]
        for _ in range(80):
            self.random.choice(kinds)()
        arguments = ", ".join(f"{name}: {type}" for name, type in self.arguments.items())
        return f"func.func @{self.name}(%t: tensor<?xf32>, {arguments}) {{\n" + "\n".join(self.lines) + "\n  return\n}\n"


def compare(plugin, text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.mlir"
        path.write_text(text)
        done = subprocess.run(
            ["mlir-opt-22", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}",
             "--allow-unregistered-dialect", "--split-input-file", "--pass-pipeline=builtin.module(symshape-compare-ranges)",
             str(path), "-o", "/dev/null"], capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_runs(program, records, seed, runs):
    """How often a value was compared, and what was outside of its range; marks where upstream's is wrong."""
    ranges = {record["name"]: record for record in records if record["name"]}
    compared, outside = 0, []
    for run in range(runs):
        for name, value in program.run(seed + run).items():
            if name in ranges:
                low, high = ranges[name]["ours"]
                compared += 1
                low_of_theirs, high_of_theirs = ranges[name]["upstream"]
                if not low_of_theirs <= value <= high_of_theirs:
                    ranges[name]["outcome"] = "upstream wrong"
                if not low <= value <= high:
                    outside.append(f"outside: {ranges[name]['text']}: {value}, ours {ranges[name]['ours']}")
    return compared, outside


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--runs", type=int, default=20, help="evaluations of each program")
    parser.add_argument("--files", nargs="*", type=Path)
    args = parser.parse_args()
    outcomes = defaultdict(Counter)
    weaker, wrong, compared = [], [], 0
    if args.files:
        records = [record for path in args.files for record in compare(args.plugin, path.read_text())]
    else:
        print(f"seed {args.seed}")
        records = []
        for start in range(0, args.programs, 20):
            programs = [Program(args.seed * 100_000 + k) for k in range(start, min(start + 20, args.programs))]
            found = compare(args.plugin, "\n".join(program.text() for program in programs))
            for program in programs:
                count, outside = check_runs(program, [one for one in found if one["function"] == program.name],
                                            args.seed, args.runs)
                compared += count
                wrong += outside
            records += found
    for record in records:
        if record["outcome"] == "apart" and record["op"] in UPSTREAM_IS_WRONG:
            record["outcome"] = "upstream wrong"
        outcomes[record["op"]][record["outcome"]] += 1
        if record["outcome"] in ("weaker", "apart"):
            line = f"{record['outcome']}: {record['text']}: upstream {record['upstream']}, ours {record['ours']}"
            (weaker if record["outcome"] == "weaker" else wrong).append(line)
    for op, counts in sorted(outcomes.items()):
        print(f"{op:28} " + ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome]))
    for line in (wrong + weaker)[:60]:
        print(line)
    print(f"{len(records)} ranges of {len(outcomes)} ops, {compared} values in them, {len(weaker)} weaker, "
          f"{len(wrong)} apart or outside")
    if not args.files:
        names = [f"arith.{n}" for n in BINARY] + [f"index.{n}" for n in INDEX]
        rare = [name for name in names if 4 * outcomes[name].total() < args.programs]
        if rare or compared < 100 * args.programs:
            sys.exit(f"{compared} values, too few of {', '.join(rare) or 'them'}")
    sys.exit(bool(wrong) or len(weaker) * 2000 > len(records))


if __name__ == "__main__":
    main()
