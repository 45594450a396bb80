# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random problems over all operators: no answer may contradict Z3.

    check_random.py [--seed N] [--problems N] [--linear | --affine] [--least SHARE] [--show]

The facts of a problem hold of values that are chosen first, so that none contradicts
another; that one does is a failure. Fails as well if less than SHARE of what Z3 decides
was decided, or if Z3 decides less than a third of the questions. With --linear there are constant divisors and no products of symbols: then
everything that Z3 decides must be decided, too. With --affine there are only sums,
and bounds are asked for, which must be attained or infinite. Prints how much of
what Z3 decides was decided, and the shapes of what was not; with --show, the problems.
"""

import argparse
import random
import re
import subprocess
import sys
from collections import Counter

from oracle import Oracle, Parser
from vector_enumeration import Reader

NAMES = "abcdef"
RELATIONS = ["==", "!=", "<=", "<", ">=", ">"]
OPPOSITE = {"==": "!=", "!=": "==", "<=": ">", ">": "<=", "<": ">=", ">=": "<"}


class Generator:
    def __init__(self, seed, linear, affine):
        self.random = random.Random(seed)
        self.affine = affine
        self.kinds = 6 if affine else 9 if linear else 13

    def number(self, low=-9, high=9):
        return str(self.random.randint(low, high))

    def expression(self, names, depth):
        kind = self.random.randrange(self.kinds) if depth else self.random.randrange(3)
        pick = lambda: self.expression(names, depth - 1)
        if kind <= 1:
            return self.random.choice(names)
        if kind == 2:
            return self.number(0)
        if kind in (3, 4):
            return f"({pick()} {self.random.choice('+-')} {pick()})"
        if kind == 5:
            return f"{self.number(2, 5)}*{pick()}"
        if kind == 6:
            word = self.random.choice(["floordiv", "ceildiv", "mod"])
            return f"(({pick()}) {word} {self.number(2, 6)})"
        if kind in (7, 8):
            return f"{self.random.choice(['min', 'max'])}({pick()}, {pick()})"
        if kind in (9, 10):
            return f"({pick()})*({pick()})"
        if kind == 11:
            return f"bc({pick()}, {pick()})"
        return f"(({pick()}) {self.random.choice(['floordiv', 'mod'])} p)"

    def relation(self, names):
        if self.random.random() < 0.15:
            return f"{self.number(2, 6)} | {self.expression(names, 2)}"
        depth = self.random.choice([1, 1, 2])
        return (f"{self.expression(names, depth)} {self.random.choice(RELATIONS)} "
                f"{self.expression(names, self.random.choice([0, 0, 1]))}")

    def fact(self, names, witness):
        """A relation that holds of the witness."""
        text = self.relation(names)
        if Reader(text).at(witness):
            return text
        if "|" in text:
            divisor, _, dividend = text.partition(" | ")
            return f"{divisor} | {dividend} - {Reader(dividend).at(witness) % int(divisor)}"
        left, relation, right = re.fullmatch(r"(.*) (==|!=|<=|<|>=|>) (.*)", text).groups()
        if relation == "==":
            off = Reader(left).at(witness) - Reader(right).at(witness)
            return f"{left} == {right} + {off}" if off > 0 else f"{left} == {right} - {-off}"
        return f"{left} {OPPOSITE[relation]} {right}"

    def declaration(self, name, witness):
        """The symbol, and its witness: a value that the declaration admits."""
        clauses, low, high, modulus, remainder = "", 0, 20, 1, 0
        if self.random.random() < 0.7:
            low = self.random.choice(["-inf", "0", "1", self.number(-6, 3)])
            high = self.random.choice(["inf", "inf", self.number(4, 20)])
            clauses += f" in [{low}, {high}]"
            low, high = (-9 if low == "-inf" else int(low)), (20 if high == "inf" else int(high))
        if self.random.random() < 0.25:
            modulus = self.random.randint(2, 6)
            remainder = self.random.randrange(modulus)
        values = [v for v in range(low, high + 1) if v % modulus == remainder]
        if modulus > 1 and values:
            clauses += f" residue {remainder} mod {modulus}"
        witness[name] = self.random.choice(values or range(low, high + 1))
        return f"symbol {name}{clauses}"

    def problem(self):
        """Declarations and facts, and questions about them."""
        return self.problem_and_values()[:2]

    def problem_and_values(self):
        """The same, and values at which the facts hold."""
        names, witness = NAMES[: self.random.randint(2, len(NAMES))], {"p": self.random.randint(1, 6)}
        lines = [self.declaration(name, witness) for name in names] + ["symbol p in [1, inf]"]
        lines += [f"assume {self.fact(names, witness)}" for _ in range(self.random.randint(0, 8))]
        if self.affine:
            return lines, [f"bounds {self.expression(names, 2)}" for _ in range(4)], witness
        return lines, [f"prove {self.relation(names)}" for _ in range(6)], witness


OPERATIONS = {"product": r"\)\*\(|[a-z]\*[a-z]", "quotient by a symbol": r"floordiv p|mod p",
              "quotient": r"(floordiv|ceildiv|mod) \d", "min or max": "min|max", "bc": "bc", "divides": r"\|"}


def shape(lines, question):
    """Which operations a question has, and whether its facts have products or quotients of symbols."""
    found = [name for name, pattern in OPERATIONS.items() if re.search(pattern, question)]
    facts = " ".join(line for line in lines if line.startswith("assume"))
    has_products = any(re.search(OPERATIONS[name], facts) for name in ("product", "quotient by a symbol"))
    return f"{', '.join(found) or 'linear'}; facts {'with' if has_products else 'without'} products"


class Report:
    def __init__(self, show):
        self.show = show
        self.shapes = Counter()
        self.failures, self.decided, self.missed, self.unsure, self.open = [], 0, 0, 0, 0
        self.questions = 0

    def compare(self, lines, question, answer, oracle):
        self.questions += 1
        word, _, rest = question.partition(" ")
        if word == "bounds":
            return self.compare_bounds(lines, rest, answer, oracle)
        relation = Parser(rest, oracle.symbol).relation()
        allowed = oracle.decide(relation)
        if answer not in allowed:
            if answer != "unknown":
                self.failures.append("\n".join([*lines, f"{question}  # {answer}, Z3: {allowed}"]))
                return
            self.missed += 1
            self.shapes[shape(lines, question)] += 1
            if self.show:
                print("\n".join([*lines, f"{question}  # Z3: {allowed}", ""]))
        elif answer != "unknown":
            # Where Z3 allows several answers, a proof of ours is not confirmed.
            self.decided += len(allowed) == 1
            self.unsure += len(allowed) > 1
        else:
            self.open += 1  # it does not follow, or Z3 cannot say

    def compare_bounds(self, lines, text, answer, oracle):
        e = Parser(text, oracle.symbol).sum()
        if oracle.is_bound(e, answer):
            self.decided += 1
        elif oracle.is_sound_bound(e, answer):
            self.missed += 1
            if self.show:
                print("\n".join([*lines, f"bounds {text}  # {answer} is not attained", ""]))
        else:
            self.failures.append("\n".join([*lines, f"bounds {text}  # {answer} does not hold"]))


def read(oracle, lines):
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "symbol":
            oracle.declare(rest)
        else:
            oracle.scopes[-1][1].append(Parser(rest, oracle.symbol).relation())


def check(report, lines, questions):
    text = "\n".join([*lines, *questions])
    done = subprocess.run(["symshape-prove", "-"], input=text, capture_output=True, text=True)
    oracle = Oracle()
    read(oracle, lines)
    answers = done.stdout.splitlines()
    if done.returncode or len(answers) != len(questions):
        report.failures.append(f"{text}\n# exit status {done.returncode}, {len(answers)} answers\n{done.stderr}")
        return
    for question, answer in zip(questions, answers):
        report.compare(lines, question, answer, oracle)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--linear", action="store_true")
    parser.add_argument("--affine", action="store_true")
    parser.add_argument("--least", type=float, default=0, help="share of what Z3 decides that must be decided")
    parser.add_argument("--show", action="store_true", help="print what Z3 decides and we do not")
    args = parser.parse_args()
    generator, report = Generator(args.seed, args.linear, args.affine), Report(args.show)
    for _ in range(args.problems):
        check(report, *generator.problem())
    for failure in report.failures:
        print(failure + "\n")
    for name, count in report.shapes.most_common():
        print(f"Z3 alone decides {count}: {name}")
    asked = report.decided + report.missed
    print(f"{report.questions} questions, {report.decided} of {asked} that Z3 decides, {report.open} open, "
          f"{report.unsure} proofs that Z3 does not confirm, {len(report.failures)} failures")
    if asked < report.questions / 3:
        print("Z3 decides too few of the questions")
        return 1
    least = 1 if args.linear or args.affine else args.least
    return 1 if report.failures or report.decided < least * asked or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
