# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One more true fact loses no answer.

    check_monotone.py [--seed N | --seeds FIRST LAST] [--variants N] [--least N] [--problems N] [FILE...]

The problems are those of files, and N random ones (`check_random.py`). To the facts of each are
added one to four more that hold of some values that satisfy them: ranges of symbols, narrowed
or said again, bounds of symbols and of what is asked about, and residues. Then what was decided
must be decided as before, each bound must be as narrow or narrower, and what was solved must
be solved. An answer about a random problem must be true at the values that the problem was made
of, and at those near them that satisfy its facts, too.

With --seeds, all of that for each seed from FIRST to LAST, so that a long run can be continued.
Prints of each seed how much was compared, and what was lost or wrong; fails if anything was, or
if less than --least answers were compared.
"""

import argparse
import random
import re
import subprocess
import sys

from check_random import Generator
from models import Declaration, Models, symbols_of
from vector_enumeration import Reader

#: Problems in one process.
BATCH = 100
#: Values near those of a problem that are tried.
NEAR = 8
QUESTIONS = ("prove", "bounds", "solve")


class Problem:
    """Statements, questions, and values of the symbols at which the statements hold."""

    def __init__(self, place, lines, questions, values, is_random=False):
        self.place, self.lines, self.questions, self.values = place, lines, questions, values
        self.is_random = is_random

    def text(self, lines, asked=None):
        return "\n".join(["push", *lines, *(self.questions if asked is None else asked), "pop", ""])


def read(path, rng):
    """The problems of a file: one for each set of facts that is asked about."""
    scopes, found = [[]], {}
    for line in open(path):
        word, _, rest = line.partition("#")[0].strip().partition(" ")
        if word == "push":
            scopes.append([])
        elif word == "pop":
            scopes.pop()
        elif word in ("symbol", "assume"):
            scopes[-1].append(f"{word} {rest.strip()}")
        elif word in QUESTIONS:
            held = tuple(entry for scope in scopes for entry in scope)
            found.setdefault(held, []).append(f"{word} {rest.strip()}")
    for lines, questions in found.items():
        values = values_of(lines, questions, rng)
        yield Problem(path, list(lines), questions, values)


def values_of(lines, questions, rng):
    """Some values of all symbols at which the statements hold; None if none are found."""
    declarations, facts, names = {}, [], set()
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "symbol":
            name, _, clauses = rest.partition(" ")
            declarations[name] = Declaration(clauses)
        else:
            facts.append(rest)
    for text in [*facts, *(q.partition(" ")[2].partition(" for ")[0] for q in questions)]:
        names |= symbols_of(text)
    try:
        models = Models(declarations, facts, " ".join(names | set(declarations)))
    except OverflowError:  # a number that an array does not hold
        return None
    if not models.count:
        return None
    row = rng.randrange(models.count)
    return {name: int(column[row]) for name, column in models.values.items()}


class Bounds:
    """Facts that hold of given values."""

    def __init__(self, rng):
        self.random = rng

    def above(self, value):
        choice = self.random.random()
        if choice < 0.4:
            return value + self.random.randrange(0, 12)
        power = self.random.choice([8, 10, 16, 31, 32, 47, 48, 53, 62, 63, 64])
        return max(value, 2**power - self.random.randrange(2))

    def below(self, value):
        if value >= 0 and self.random.random() < 0.6:
            return self.random.randrange(0, value + 1) if self.random.random() < 0.5 else min(value, 1)
        return value - (self.above(0) if self.random.random() < 0.3 else self.random.randrange(0, 4))

    def fact(self, problem):
        """A statement about one symbol, or about an expression of a question."""
        name = self.random.choice(sorted(problem.values))
        value, kind = problem.values[name], self.random.randrange(8)
        if kind == 0:
            modulus = self.random.choice([2, 3, 4, 8, 16])
            return f"assume {modulus} | {name} - {value % modulus}"
        if kind == 1:
            text = self.random.choice(problem.questions)
            sides = re.fullmatch(r"prove (.*?) (?:==|!=|<=|<|>=|>) (.*)", text)
            if sides:
                text = self.random.choice(sides.groups())
                try:
                    at = Reader(text).at(problem.values)
                except ZeroDivisionError:
                    return self.fact(problem)
                return f"assume {text} {self.random.choice([f'<= {self.above(at)}', f'>= {self.below(at)}'])}"
        if kind == 2:
            return f"assume {name} >= {self.below(value)}"
        if kind == 3:
            return f"assume {name} <= {self.above(value)}"
        if kind == 4:
            other = self.random.choice(sorted(problem.values))
            return f"assume {name} <= {other} + {self.above(value - problem.values[other])}"
        low = "-inf" if kind == 5 else self.below(value)
        return f"symbol {name} in [{low}, {'inf' if kind == 6 else self.above(value)}]"

    def variant(self, problem):
        """The statements with more facts: what is declared stands with what was declared."""
        lines = list(problem.lines)
        more = [self.fact(problem) for _ in range(self.random.randint(1, 4))]
        for line in more:
            if not line.startswith("symbol "):
                lines.append(line)
                continue
            name, low, high = re.fullmatch(r"symbol (\w+) in \[(\S+), (\S+)\]", line).groups()
            places = [i for i, old in enumerate(lines) if re.match(rf"symbol {name}\b", old)]
            if places and self.random.random() < 0.7:
                lines[places[0]] = narrowed(lines[places[0]], low, high)
                continue
            lines += [f"assume {name} >= {low}"] * (low != "-inf") + [f"assume {name} <= {high}"] * (high != "inf")
        return lines


def worlds_of(problem, rng):
    """Values at which the statements of a random problem hold: those that it was made of, and near ones."""
    symbols = {line.split(" ")[1]: Declaration(line.partition(" ")[2].partition(" ")[2])
               for line in problem.lines if line.startswith("symbol ")}
    facts = [Reader(line.partition(" ")[2]) for line in problem.lines if line.startswith("assume ")]
    worlds = [problem.values]
    for _ in range(NEAR):
        world = dict(rng.choice(worlds))
        for name in rng.sample(sorted(world), min(len(world), rng.choice([1, 1, 2]))):
            world[name] += rng.choice([-6, -2, -1, 1, 2, 6]) * symbols[name].step
        if all(is_declared(symbols[name], value) for name, value in world.items()) and \
                all(fact.at(world) for fact in facts):
            worlds.append(world)
    return worlds


def is_declared(declaration, value):
    return (declaration.low is None or value >= declaration.low) and \
        (declaration.high is None or value <= declaration.high) and \
        value % declaration.step == declaration.rest % declaration.step


def narrowed(line, low, high):
    """A declaration with the intersection of its range and that given."""
    old = re.search(r" in \[\s*(\S+)\s*,\s*(\S+)\s*\]", line)
    old_low, old_high = old.groups() if old else ("0", "inf")
    low = max((int(n) for n in (low, old_low) if n != "-inf"), default="-inf")
    high = min((int(n) for n in (high, old_high) if n != "inf"), default="inf")
    clause = f" in [{low}, {high}]"
    if old:
        return line.replace(old[0], clause)
    head, name, *rest = line.split(" ")
    return " ".join([head, name]) + clause + "".join(f" {word}" for word in rest)


def answers(texts):
    done = subprocess.run(["symshape-prove", "-"], input="".join(texts), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"exit status {done.returncode}\n{''.join(texts)}\n{done.stderr}")
    return done.stdout.splitlines()


def is_kept(question, before, after):
    word = question.partition(" ")[0]
    if word == "prove":
        return before in ("unknown", after)
    if word == "solve":
        return before == "none" or after != "none"
    ends = [[float(end) for end in re.fullmatch(r"\[(\S+), (\S+)\]", text).groups()] for text in (before, after)]
    return ends[1][0] >= ends[0][0] and ends[1][1] <= ends[0][1]


class Comparison:
    def __init__(self, bounds, variants):
        self.bounds, self.variants = bounds, variants
        self.compared, self.lost, self.wrong, self.skipped, self.worlds = 0, [], [], 0, 0

    def check_truth(self, problem, answers):
        """Compares what was decided of a random problem with values at which its facts hold."""
        worlds = worlds_of(problem, self.bounds.random)
        self.worlds += len(worlds)
        for question, answer in answers:
            holds = Reader(question.partition(" ")[2])
            if any(holds.at(world) != (answer == "yes") for world in worlds):
                self.wrong.append("\n".join(["push", *problem.lines, f"{question}  # {answer} is wrong", "pop"]))

    def compare(self, problems):
        told = [p for p in problems if p.values]
        self.skipped += len(problems) - len(told)
        before = iter(answers([p.text(p.lines) for p in told]))
        changed = [[self.bounds.variant(p) for _ in range(self.variants)] for p in told]
        decided = []  # of each problem, what is asked again
        for problem in told:
            first = [(question, next(before)) for question in problem.questions]
            decided.append([pair for pair in first if pair[1] not in ("unknown", "none")])
            if problem.is_random:
                self.check_truth(problem, decided[-1])
        after = iter(answers([p.text(lines, asked=[question for question, _ in first])
                              for p, all_lines, first in zip(told, changed, decided) for lines in all_lines]))
        for problem, all_lines, first in zip(told, changed, decided):
            for lines in all_lines:
                for question, old in first:
                    new = next(after)
                    self.compared += 1
                    if not is_kept(question, old, new):
                        kind = self.wrong if {old, new} == {"yes", "no"} else self.lost
                        kind.append("\n".join([f"# {problem.place}", "push", *lines,
                                                    f"{question}  # {old} before, {new} after", "pop"]))


def compare_all(seed, args):
    """The comparison of all problems of a seed."""
    chosen = random.Random(seed)
    comparison = Comparison(Bounds(chosen), args.variants)
    for path in args.files:
        comparison.compare(list(read(path, chosen)))
    for first in range(0, args.problems, BATCH):
        generator = Generator(f"{seed}.{first}", linear=first % 300 == 0, affine=False)
        batch = []
        for number in range(first, min(first + BATCH, args.problems)):
            lines, questions, values = generator.problem_and_values()
            batch.append(Problem(f"problem {number}", lines, questions, values, is_random=True))
        comparison.compare(batch)
    print(f"seed {seed}: {comparison.compared} answers compared, {len(comparison.lost)} lost, "
          f"{len(comparison.wrong)} wrong at {comparison.worlds} values, {comparison.skipped} problems without values")
    print("".join(text + "\n\n" for text in comparison.lost + comparison.wrong), end="", flush=True)
    return comparison


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "LAST"))
    parser.add_argument("--variants", type=int, default=1)
    parser.add_argument("--problems", type=int, default=0)
    parser.add_argument("--least", type=int, default=1)
    args = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    first, last = args.seeds or (seed, seed)
    done = [compare_all(each, args) for each in range(first, last + 1)]
    compared = sum(one.compared for one in done)
    is_bad = any(one.lost or one.wrong for one in done)
    return 1 if is_bad or compared < args.least else 0


if __name__ == "__main__":
    sys.exit(main())
