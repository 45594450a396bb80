#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of the extents of each op's results: a table over all ops that have some.

    check_extents.py PLUGIN [--ops=REGEX] [--seed=SEED]

The ops are those that are registered; each needs a program in extent_programs.py. Its operands
have extents that are exact (dims of arguments), bounded (data, clamped to a dim), or unknown
(data). Of exact ones the result must be exact, of bounded ones exact or bounded, of unknown ones
not more than holds. Values of the names are drawn, and what is printed is compared with the
extents that the program states, by Python: equal if exact, no less if a bound. Beside that, no
bound of MLIR's value bounds and no range of its integer ranges is tighter. Prints the table, and
fails for an op without a program, for what is wrong or weaker, and for what is not as exact.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "utils"))
from extent_programs import WITHOUT_EXTENTS, programs_of  # noqa: E402
from vector_enumeration import Reader  # noqa: E402

DIALECTS = ["affine", "arith", "bufferization", "linalg", "math", "memref", "scf", "shape", "symshape", "tensor", "vector"]
SOURCES = ["exact", "bounded", "unknown"]
VALUES = 40  # drawn for each program
LEAST_OPS, LEAST_COMPARED, LEAST_BOUNDS = 200, 20_000, 1000
#: Results that are bounded where the operands are exact, as data decide them.
BY_DATA = ["symshape.dynamic_truncate of data", "symshape.nonzero", "scf.if of two"]
#: Nothing is known of these: what a body gives of tensors of any extents.
UNKNOWN = ["scf.parallel"]


def split(text):
    """The parts of a list, whose blanks are outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[<") - (letter in "]>")
        if letter == " " and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]


class Shaped:
    """`&f32[M, N]@1`: a type with extents, which are texts; an index with `#`, or a scalar."""

    def __init__(self, text):
        self.text = text
        match = re.fullmatch(r"(&?)([^\[]+)\[([^]]*)\](?:@(\d+)|:(.*))?", text)
        self.isShaped, self.size = bool(match), text[1:] if text.startswith("#") else None
        if not match:
            return
        self.isMemref, self.element = bool(match[1]), match[2]
        parts = re.split(r",(?![^(]*\))", match[3])  # not those of min(a, b)
        self.extents = [part.strip() for part in parts if part.strip()]
        self.tail = f", {match[4] or match[5]}" if match[4] or match[5] else ""

    def type(self):
        if not self.isShaped:
            return "index" if self.size else self.text
        dims = "".join(f"{extent if extent.isdigit() else '?'}x" for extent in self.extents)
        return f"{'memref' if self.isMemref else 'tensor'}<{dims}{self.element}{self.tail}>"


class Program:
    """A function @f that makes operands of one source of extents, and runs the op."""

    def __init__(self, program, source, number):
        self.name, operands, self.body, results = program
        self.source, self.function = source, f"f{number}"
        self.operands, self.results = [Shaped(part) for part in split(operands)], [Shaped(part) for part in split(results)]
        sizes = [text for one in self.operands for text in (one.extents if one.isShaped else [one.size] if one.size else [])]
        self.names = sorted({name for text in sizes for name in Reader(text).names})
        #: An extent such as X + U - 1 is one only from 1 on.
        self.least = int(any("-" in text for text in sizes))

    def define(self, name, at):
        """The index %NAME, an extent of an argument or less, or anything from `least` on."""
        lines = [f"%dim_{name} = tensor.dim %p_{name}, %zero : tensor<?xi1>"]
        if self.source == "exact":
            return [lines[0].replace("%dim_", "%")]
        lines.append(f"%at_{name} = arith.constant {at} : index\n"
                     f"%data_{name} = tensor.extract %data[%at_{name}] : tensor<16xindex>")
        clamped = f"%data_{name}"
        if self.source == "bounded":
            lines.append(f"%min_{name} = arith.minsi {clamped}, %dim_{name} : index")
            clamped = f"%min_{name}"
        return lines + [f"%{name} = arith.maxsi {clamped}, %least : index"]

    def size(self, text):
        """Ops that compute an expression, and its name."""
        if re.fullmatch(r"\w+", text):
            return [], f"%{text}"
        names = list(dict.fromkeys(re.findall(r"[A-Z]\w*", text)))
        value = "%size_" + re.sub(r"\W", lambda match: f"{ord(match[0])}", text)
        return [f"{value} = symshape.size \"{text}\" ({', '.join(f'{name} = %{name}' for name in names)})"], value

    def operand(self, number, one):
        """Ops that make an operand; scalars are arguments."""
        if not one.isShaped and not one.size:
            return []
        lines, values = [], []
        for text in one.extents if one.isShaped else [one.size]:
            if not text.isdigit():
                more, value = self.size(text)
                lines += [line for line in more if line not in self.made]
                self.made.update(more)
                values.append(value)
        if one.size:
            self.renamed[f"%{number}"] = values[0]
            return lines
        made = "memref.alloc" if one.isMemref else "tensor.empty"
        return lines + [f"%{number} = {made}({', '.join(values)}) : {one.type()}"]

    def text(self, probe):
        self.made, self.renamed = set(), {}
        arguments = [f"%p_{name}: tensor<?xi1> {{symshape.shape = #symshape.shape<[{name}]>}}" for name in self.names]
        arguments += ["%data: tensor<16xindex>"]
        arguments += [f"%s{i}: {one.text}" for i, one in enumerate(self.operands) if not one.isShaped and not one.size]
        lines = ["%zero = arith.constant 0 : index", f"%least = arith.constant {self.least} : index"]
        for at, name in enumerate(self.names):
            lines += self.define(name, at)
        for number, one in enumerate(self.operands):
            lines += self.operand(number, one)
        lines.append(self.op())
        symbols = ", ".join(f'#symshape.symbol<"{name}", range = [{self.least}, 1048576]>' for name in self.names)
        values = ["%r", "%q"] if len(self.results) == 2 else ["%r"]
        lines += probe(self, values)
        return (f"func.func @{self.function}({', '.join(arguments)}) attributes {{symshape.symbols = [{symbols}]}} {{\n"
                + "\n".join(lines) + "\nreturn\n}\nmemref.global \"private\" @data : memref<4x3xf32>\n")

    def op(self):
        text = self.body
        if not re.search(r"^%r ?(=|,)", text, re.M):
            text = f"{'%r, %q' if len(self.results) == 2 else '%r'} = {text}"
        text = re.sub(r"\bT(\d)\b", lambda match: self.operands[int(match[1])].type(), text)
        text = re.sub(r"\bR(\d)\b", lambda match: self.results[int(match[1])].type(), text)

        def rename(match):
            one = self.operands[int(match[1])] if int(match[1]) < len(self.operands) else None
            if one and not one.isShaped and not one.size:
                return f"%s{match[1]}"
            return self.renamed.get(match[0], match[0])

        return re.sub(r"%(\d)\b", rename, text)


def probe_extents(program, values):
    return [f"\"probe.extents\"({', '.join(values)}) : ({', '.join(one.type() for one in program.results)}) -> ()"]


def probe_bounds(program, values):
    return [f"\"test.reify_bound\"({value}) {{dim = {dim} : i64, type = \"{type}\"}} : ({one.type()}) -> index"
            for value, one in zip(values, program.results) for dim in range(len(one.extents)) for type in ("EQ", "LB", "UB")]


class Tool:
    def __init__(self, plugin):
        self.plugin, self.crashes = plugin, []

    def run(self, text, *passes, split=True, timeout=900):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            return subprocess.run(
                ["mlir-opt-22", f"--load-dialect-plugin={self.plugin}", f"--load-pass-plugin={self.plugin}",
                 "--allow-unregistered-dialect", *["--split-input-file"] * split, f"--pass-pipeline=builtin.module({','.join(passes)})",
                 file.name, "-o", "/dev/null"], capture_output=True, text=True, timeout=timeout, check=False)

    def lines(self, programs, probe, name):
        """The lines of JSON that a pass prints, of the programs that parse; and what was said of the others."""
        done = self.run("\n// -----\n".join(program.text(probe) for program in programs), name)
        if done.returncode < 0:
            sys.exit(done.stderr[-3000:])
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def lines_in_halves(self, programs, probe, name):
        """The same of a pass that crashes on some or never ends, as upstream's analyses do: of the others."""
        text = "\n// -----\n".join(program.text(probe) for program in programs)
        try:
            done = self.run(text, name, timeout=60 + 10 * len(programs))
            if done.returncode >= 0:
                return [json.loads(line) for line in done.stdout.splitlines()]
        except subprocess.TimeoutExpired:
            if len(programs) == 1:
                self.run(text, "symshape-insert-guards", timeout=70)  # ours ends
        if len(programs) == 1:
            self.crashes.append(f"{programs[0].name}, {programs[0].source}")
            return []
        half = len(programs) // 2
        return self.lines_in_halves(programs[:half], probe, name) + self.lines_in_halves(programs[half:], probe, name)


def kind_of(text):
    return "unknown" if text == "?" else "bounded" if text.startswith("<=") else "exact"


class Judge:
    """Compares printed extents with those that a program states, at drawn values of its names."""

    def __init__(self, seed):
        self.random, self.wrong, self.weak, self.compared = random.Random(seed), [], [], 0
        self.tight, self.loose = 0, []

    def draw(self, program):
        """Values of the names, and those of the dims that bound them."""
        actual, dims = {}, {}
        for name in program.names:
            dims[name] = self.random.choice([program.least, 1, 2, 3, 5, 8, 13])
            actual[name] = dims[name] if program.source == "exact" else self.random.randint(program.least, dims[name])
        if program.source == "unknown":
            actual = {name: self.random.choice([program.least, 1, 4, 100]) for name in program.names}
        return actual, dims

    def extent(self, program, wanted, printed):
        kind = kind_of(printed)
        if kind == "unknown":
            return
        low, _, high = wanted[1:].partition("..") if wanted.startswith("?") else (wanted, "", wanted)
        shown, least, most = Reader(printed.removeprefix("<= ")), Reader(low), Reader(high)
        isTight = False
        for _ in range(VALUES):
            actual, dims = self.draw(program)
            # Names that the program gives anew stand for what they name.
            known = {**dims, **{name + "1": value for name, value in actual.items()}}
            value = shown.at(known)
            ends = least.at(actual), most.at(actual)
            self.compared += 1
            isTight |= value == most.at(dims)
            if value < ends[1] if kind == "bounded" else not ends[0] == value == ends[1]:
                self.wrong.append(f"{program.name}, {program.source}: {printed} is {value} where it is {ends} at {actual} of {dims}")
                return
        if kind == "bounded":
            self.tight += isTight
            self.loose += [f"{program.name}: {printed} of {wanted}"] * (not isTight)

    def program(self, program, results):
        kinds = []
        for wanted, printed in zip(program.results, results):
            for one, text in zip(wanted.extents, printed):
                self.extent(program, one, text)
                kinds.append(kind_of(text))
                isFixed = not Reader(one.lstrip("?").partition("..")[0]).names and not one.startswith("?")
                allowed = (["exact"] if program.source == "exact" or isFixed else ["exact", "bounded"])
                if program.name in BY_DATA and not isFixed:
                    allowed = ["exact", "bounded"]
                if program.name in UNKNOWN:
                    allowed = ["unknown"]
                if program.source != "unknown" and kind_of(text) not in allowed:
                    self.weak.append(f"{program.name}, {program.source}: {text}, expected {' or '.join(allowed)}")
        return kinds


def registered(tool):
    done = tool.run("", f"symshape-print-ops{{dialects={','.join(DIALECTS)}}}", split=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.split()


def has_extents(op):
    dialect, _, name = op.partition(".")
    if dialect == "vector":  # vectors have no extents that a program could not read off the type
        return bool(programs_of(op))
    return name not in WITHOUT_EXTENTS.get(dialect, "").split()


def show(rows):
    width = max(len(name) for name in rows)
    for name, cells in sorted(rows.items()):
        print(f"{name:{width}}  " + " | ".join(f"{source} {cells.get(source, '-')}" for source in SOURCES))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--ops", default=".")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    args = parser.parse_args()
    print(f"seed {args.seed}")
    tool, judge = Tool(args.plugin), Judge(args.seed)
    ops = [op for op in registered(tool) if has_extents(op) and re.search(args.ops, op)]
    programs = [Program(program, source, 0) for op in ops for program in programs_of(op) for source in SOURCES]
    for number, program in enumerate(programs):
        program.function = f"f{number}"
    found, said = tool.lines(programs, probe_extents, "symshape-print-extents")
    results = {line[0]: line[1:] for line in found}
    parsed = [program for program in programs if program.function in results]
    rows, kinds = defaultdict(dict), Counter()
    for program in parsed:
        printed = results[program.function]
        kinds.update((program.source, kind) for kind in judge.program(program, printed))
        rows[program.name][program.source] = " ".join(f"[{', '.join(one)}]" for one in printed)
    if not rows:
        sys.exit(said[-6000:])
    show(rows)
    missing = [op for op in ops if not any(name.split(" of ")[0] == op for name in rows)]
    missing += [f"{name} ({', '.join(set(SOURCES) - set(cells))})" for name, cells in rows.items() if len(cells) < len(SOURCES)]
    # Templates are tried; a program of its own must parse.
    missing += sorted({program.name for program in programs if program.name not in rows} - set(missing))
    bounds = tool.lines_in_halves(parsed, probe_bounds, "symshape-compare-bounds")
    outcomes = Counter(line["outcome"] for line in bounds)
    by_name = {program.function: f"{program.name}, {program.source}" for program in parsed}
    weaker = [f"{by_name[line['function']]}: {line['query']} upstream {line['upstream']}, ours {line['ours']}"
              for line in bounds if line["outcome"] in ("no witness", "weaker", "ours wrong")]
    ranges = tool.lines_in_halves(parsed, probe_extents, "symshape-compare-ranges")
    weaker += [f"{by_name.get(line['function'])}: range of {line['text']}, upstream {line['upstream']}, ours {line['ours']}"
               for line in ranges if line["outcome"] in ("weaker", "apart")]
    for title, lines in (("wrong", judge.wrong), ("not as exact", judge.weak), ("weaker than upstream", weaker),
                         ("without a program", missing), ("not the least bound", judge.loose),
                         ("upstream crashes", tool.crashes)):
        for line in lines:
            print(f"{title}: {line}")
    if missing:
        print(said[-6000:])
    for source in SOURCES:
        print(f"of {source} operands: " + ", ".join(f"{kinds[source, kind]} {kind}" for kind in SOURCES))
    print(f"bounds beside upstream's: {', '.join(f'{count} {name}' for name, count in sorted(outcomes.items()))}; {len(ranges)} ranges")
    print(f"{len(ops)} ops, {len(rows)} programs, {judge.compared} values compared, {len(judge.wrong)} wrong, "
          f"{len(judge.weak)} not as exact, {len(weaker)} weaker, {len(missing)} without a program")
    isFew = args.ops == "." and (len(ops) < LEAST_OPS or judge.compared < LEAST_COMPARED or len(bounds) < LEAST_BOUNDS)
    sys.exit(bool(judge.wrong or judge.weak or weaker or missing or isFew))


if __name__ == "__main__":
    main()
