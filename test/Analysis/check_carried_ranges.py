#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges of integers that loops, branches and blocks carry, beside MLIR's analysis and runs.

    check_carried_ranges.py PLUGIN [--programs=20] [--seed=SEED] [--runs=20] [--show]

Random functions of nested scf.for (signed and unsigned), scf.while, scf.if, scf.index_switch
and scf.execute_region with branches and loops of blocks, over i8, i16, i32, i64 and index.
Each is run in Python for random arguments, as machines compute; every number that an op
gives, in every iteration, must lie in its range. Fails where one does not, where ours is apart
from upstream's or weaker, unless numbers of a run show that upstream's is wrong or it read
numbers without signs as signed ones, and where too few numbers were compared.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))
from check_integer_ranges import PREDICATES, TYPES, WIDTHS, Undefined, compare, evaluate, holds, signed  # noqa: E402

BINARY = ["addi", "addi", "addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "andi", "ori", "xori", "maxsi",
          "maxui", "minsi", "minui", "shrsi", "shrui"]
MOST_STEPS = 3000
LEAST = 150  # numbers compared of a program


class Stop(Exception):
    """The run is long enough."""


class Run:
    def __init__(self, values):
        self.values, self.seen, self.steps = values, defaultdict(set), 0

    def set(self, name, value):
        self.values[name] = value
        self.seen[name].add(value)

    def step(self):
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Stop


class Program:
    """Text, and what runs it: each statement is a function of a Run. `visible` holds the names in scope."""

    def __init__(self, seed):
        self.random, self.name, self.count = random.Random(seed), f"f{seed}", 0
        self.visible = {type: [f"%{type}_{i}" for i in range(2)] for type in TYPES}
        self.arguments = {name: type for type, names in self.visible.items() for name in names}
        lines, self.body = self.statements(6, 3)
        arguments = ", ".join(f"{name}: {type}" for name, type in self.arguments.items())
        self.text = f"func.func @{self.name}({arguments}) {{\n" + "\n".join(lines) + "\n  return\n}\n"

    def run(self, seed):
        draw = random.Random(seed)
        values = {name: signed(draw.choice([draw.randint(-5, 20), draw.getrandbits(WIDTHS[type]),
                                            2**(WIDTHS[type] - 1) - draw.randint(0, 3)]), WIDTHS[type])
                  for name, type in self.arguments.items()}
        run = Run(values)
        try:
            self.body(run)
        except (Stop, Undefined):
            pass  # what was computed until then counts
        return run.seen

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def statements(self, number, depth):
        """Lines and what runs them; names of an inner scope are gone after it."""
        lines, steps = [], []
        simple = [self.binary] * 6 + [self.cast, self.select]
        nested = [self.branch, self.switch, self.counted, self.counted, self.repeated, self.blocks, self.block_loop]
        for _ in range(number):
            kind = self.random.choice(simple + nested * (2 if depth > 0 else 0))
            new, step = kind(depth - 1) if kind in nested else kind()
            lines += new
            steps.append(step)

        def run(state):
            for step in steps:
                state.step()
                step(state)

        return lines, run

    def scope(self, arguments, number, depth, finish):
        """Statements that see `arguments`; `finish` makes of the names in scope what ends them."""
        saved = {type: list(names) for type, names in self.visible.items()}
        lines, steps = [], []
        for name, type in arguments:
            new, step = self.define(type, f"arith.addi {name}, {self.zero(lines, steps, type)} : {type}",
                                    lambda x: x, name)
            lines += new
            steps.append(step)
        inner, run = self.statements(number, depth)
        last, result = finish()
        self.visible = saved

        def all_of(state):
            for step in steps:
                step(state)
            run(state)
            return result(state)

        return lines + inner + last, all_of

    def zero(self, lines, steps, type):
        new, step = self.constant(type, 0)
        lines.extend(new)
        steps.append(step)
        return self.visible[type].pop()

    def define(self, type, text, run, *operands):
        name = self.fresh()
        self.visible.setdefault(type, []).append(name)
        return [f"{name} = {text} loc(\"{name}\")"], lambda state: state.set(
            name, run(*(state.values[one] for one in operands)))

    def constant(self, type, value=None):
        if value is None:
            value = self.random.choice([self.random.randint(-3, 12), self.random.randint(0, 120)])
        return self.define(type, f"arith.constant {value} : {type}", lambda: value)

    def operand(self, type, lines, steps):
        if self.random.random() < 0.6:
            return self.random.choice(self.visible[type][-6:])
        new, step = self.constant(type)
        lines.extend(new)
        steps.append(step)
        return self.visible[type][-1]

    @staticmethod
    def chain(steps):
        def run(state):
            for step in steps:
                step(state)
        return run

    def binary(self):
        type, name = self.random.choice(TYPES), self.random.choice(BINARY)
        lines, steps = [], []
        a = self.operand(type, lines, steps)
        if name.startswith("sh") or "div" in name or "rem" in name:
            new, step = self.constant(type, self.random.randint(1, 7))
            lines += new
            steps.append(step)
            b = self.visible[type][-1]
        else:
            b = self.operand(type, lines, steps)
        new, step = self.define(type, f"arith.{name} {a}, {b} : {type}",
                                lambda x, y: evaluate(name, x, y, WIDTHS[type]), a, b)
        return lines + new, self.chain(steps + [step])

    def cast(self):
        a, b = self.random.sample(TYPES, 2)
        name = ("index_cast" if "index" in (a, b) else "trunci" if WIDTHS[a] > WIDTHS[b] else "extsi")
        if name != "trunci" and self.random.random() < 0.5:
            name = {"index_cast": "index_castui", "extsi": "extui"}[name]
        value = self.random.choice(self.visible[a][-6:])
        return self.define(b, f"arith.{name} {value} : {a} to {b}", lambda x: signed(
            x % 2**WIDTHS[a] if name.endswith("ui") else x, WIDTHS[b]), value)

    def condition(self, ends_loop=False):
        """That of a loop may hold or not: the result of one that never ends has no range."""
        type, predicate = self.random.choice(TYPES), self.random.choice(PREDICATES)
        lines, steps = [], []
        a = self.operand(type, lines, steps)
        b = f"%{type}_{self.random.randrange(2)}" if ends_loop else self.operand(type, lines, steps)
        name = self.fresh()
        lines.append(f"{name} = arith.cmpi {predicate}, {a}, {b} : {type}")
        steps.append(lambda state: state.values.update(
            {name: holds(predicate, state.values[a], state.values[b], WIDTHS[type])}))
        return lines, self.chain(steps), name

    def select(self):
        lines, before, condition = self.condition()
        type, steps = self.random.choice(TYPES), [before]
        a, b = self.operand(type, lines, steps), self.operand(type, lines, steps)
        new, step = self.define(type, f"arith.select {condition}, {a}, {b} : {type}", lambda c, x, y: x if c else y,
                                condition, a, b)
        return lines + new, self.chain(steps + [step])

    # Regions: `types` are carried, and results are known by names that compare_ranges reads.

    def types(self):
        return [self.random.choice(TYPES) for _ in range(self.random.randint(1, 2))]

    def pick(self, types):
        """Operands for `types`, with what makes them."""
        lines, steps = [], []
        names = [self.operand(type, lines, steps) for type in types]
        return lines, self.chain(steps), names

    def ending(self, types, form):
        """Ends a scope with the text `form` of picked names, and gives their numbers."""
        def finish():
            lines, before, names = self.pick(types)

            def result(state):
                before(state)
                return [state.values[name] for name in names]

            return lines + [form(", ".join(names))], result
        return finish

    def results(self, types, head, lines):
        """The op, each result of which is named by an op that adds 0 to it."""
        name = self.fresh()
        lines[0] = f"{name}:{len(types)} = {head}"
        steps, texts = [], []
        for number, type in enumerate(types):
            part = f"{name}#{number}"
            zero = self.zero(texts, steps, type)
            new, step = self.define(type, f"arith.addi {part}, {zero} : {type}", lambda x: x, part)
            texts += new
            steps.append(step)

        def finish(state, values):
            for number, value in enumerate(values):
                state.values[f"{name}#{number}"] = value
            self.chain(steps)(state)

        return lines + texts, finish

    def of(self, types):
        return ", ".join(types)

    def branch(self, depth):
        before, run_before, condition = self.condition()
        types = self.types()
        end = self.ending(types, lambda names: f"scf.yield {names} : {self.of(types)}")
        one, run_one = self.scope([], 2, depth, end)
        other, run_other = self.scope([], 2, depth, end)
        lines, finish = self.results(types, f"scf.if {condition} -> ({self.of(types)}) {{",
                                     [""] + one + ["} else {"] + other + ["}"])

        def run(state):
            run_before(state)
            finish(state, (run_one if state.values[condition] else run_other)(state))

        return before + lines, run

    def switch(self, depth):
        types, (before, run_before, (index,)) = self.types(), self.pick(["index"])
        end = self.ending(types, lambda names: f"scf.yield {names} : {self.of(types)}")
        lines, runs = [""], {}
        for case in (0, 3):
            part, runs[case] = self.scope([], 1, depth, end)
            lines += [f"case {case} {{"] + part + ["}"]
        part, otherwise = self.scope([], 1, depth, end)
        lines, finish = self.results(types, f"scf.index_switch {index} -> {self.of(types)}",
                                     lines + ["default {"] + part + ["}"])

        def run(state):
            run_before(state)
            finish(state, runs.get(state.values[index], otherwise)(state))

        return before + lines, run

    def counted(self, depth):
        types, kind = self.types(), self.random.choice(["index", "index", "i32", "i8"])
        before, run_before, (low, high, *inits) = self.pick([kind, kind] + types)
        step = self.random.choice([1, 1, 2, 5])
        new, run_step = self.constant(kind, step)
        stride = self.visible[kind].pop()
        unsigned = self.random.random() < 0.3
        counter, carried = self.fresh(), [self.fresh() for _ in types]
        body, run_body = self.scope([(counter, kind)] + list(zip(carried, types)), 3, depth, self.ending(
            types, lambda names: f"scf.yield {names} : {self.of(types)}"))
        given = ", ".join(f"{a} = {b}" for a, b in zip(carried, inits))
        lines, finish = self.results(
            types, f"scf.for {'unsigned ' * unsigned}{counter} = {low} to {high} step {stride} iter_args({given}) -> "
            f"({self.of(types)}) : {kind} {{", [""] + body + ["}"])

        def run(state):
            run_before(state)
            run_step(state)
            first, end = state.values[low], state.values[high]
            if unsigned:
                first, end = first % 2**WIDTHS[kind], end % 2**WIDTHS[kind]
            if first < end and first - (first - end) // step * step >= 2**(WIDTHS[kind] - (not unsigned)):
                raise Undefined  # the counter wraps
            values = [state.values[init] for init in inits]
            while first < end:
                state.step()
                state.values.update(zip(carried, values))
                state.values[counter] = signed(first, WIDTHS[kind])
                values = run_body(state)
                first += step
            finish(state, values)

        return before + new + lines, run

    def repeated(self, depth):
        types = self.types()
        before, run_before, inits = self.pick(types)
        first, second = [self.fresh() for _ in types], [self.fresh() for _ in types]

        def condition():
            texts, before_test, test = self.condition(ends_loop=True)
            lines, before_names, names = self.pick(types)

            def result(state):
                before_test(state)
                before_names(state)
                return state.values[test], [state.values[name] for name in names]

            return texts + lines + [f"scf.condition({test}) {', '.join(names)} : {self.of(types)}"], result

        head, run_head = self.scope(list(zip(first, types)), 2, depth, condition)
        body, run_body = self.scope(list(zip(second, types)), 2, depth, self.ending(
            types, lambda names: f"scf.yield {names} : {self.of(types)}"))
        given = ", ".join(f"{a} = {b}" for a, b in zip(first, inits))
        arguments = ", ".join(f"{a}: {b}" for a, b in zip(second, types))
        lines, finish = self.results(types, f"scf.while ({given}) : ({self.of(types)}) -> ({self.of(types)}) {{",
                                     [""] + head + ["} do {", f"^bb0({arguments}):"] + body + ["}"])

        def run(state):
            run_before(state)
            values = [state.values[init] for init in inits]
            while True:
                state.step()
                state.values.update(zip(first, values))
                goes_on, values = run_head(state)
                if not goes_on:
                    return finish(state, values)
                state.values.update(zip(second, values))
                values = run_body(state)

        return before + lines, run

    def label(self, name, arguments):
        text = ", ".join(f"{a}: {b}" for a, b in arguments)
        return f"{name}({text}):"

    def blocks(self, depth):
        """A branch to one of two blocks, one of which ends the region by itself."""
        types = self.types()
        test, run_test, condition = self.condition()
        number = self.fresh()[1:]
        left, right, end = (f"^{part}_{number}" for part in ("left", "right", "end"))
        given, run_given, names = self.pick(types + types)
        arguments = [[(self.fresh(), type) for type in types] for _ in range(3)]
        yields = self.ending(types, lambda names: f"scf.yield {names} : {self.of(types)}")
        passes = self.ending(types, lambda names: f"cf.br {end}({names} : {self.of(types)})")
        leaves = self.random.random() < 0.3
        parts = [self.scope(arguments[0], 2, depth, passes), self.scope(arguments[1], 2, depth, yields if leaves else passes),
                 self.scope(arguments[2], 1, depth, yields)]
        one, other = (", ".join(names[i:i + len(types)]) for i in (0, len(types)))
        lines, finish = self.results(
            types, f"scf.execute_region -> ({self.of(types)}) {{",
            ["", f"cf.cond_br {condition}, {left}({one} : {self.of(types)}), {right}({other} : {self.of(types)})",
             self.label(left, arguments[0])] + parts[0][0] + [self.label(right, arguments[1])] + parts[1][0] +
            [self.label(end, arguments[2])] + parts[2][0] + ["}"])

        def enter(state, block, values):
            state.values.update(zip((name for name, _ in arguments[block]), values))
            return parts[block][1](state)

        def run(state):
            run_test(state)
            run_given(state)
            values = [state.values[name] for name in names]
            isLeft = state.values[condition]
            values = enter(state, 0, values[:len(types)]) if isLeft else enter(state, 1, values[len(types):])
            finish(state, values if leaves and not isLeft else enter(state, 2, values))

        return test + given + lines, run

    def block_loop(self, depth):
        """A block that branches to itself."""
        types = self.types()
        number = self.fresh()[1:]
        head, end = f"^head_{number}", f"^end_{number}"
        before, run_before, inits = self.pick(types)
        carried, last = ([(self.fresh(), type) for type in types] for _ in range(2))

        def again():
            texts, before_test, test = self.condition(ends_loop=True)
            lines, before_names, names = self.pick(types + types)
            one, other = (", ".join(names[i:i + len(types)]) for i in (0, len(types)))

            def result(state):
                before_test(state)
                before_names(state)
                values = [state.values[name] for name in names]
                return (True, values[:len(types)]) if state.values[test] else (False, values[len(types):])

            return texts + lines + [f"cf.cond_br {test}, {head}({one} : {self.of(types)}), "
                                    f"{end}({other} : {self.of(types)})"], result

        body, run_body = self.scope(carried, 2, depth, again)
        rest, run_rest = self.scope(last, 1, depth, self.ending(
            types, lambda names: f"scf.yield {names} : {self.of(types)}"))
        lines, finish = self.results(
            types, f"scf.execute_region -> ({self.of(types)}) {{",
            ["", f"cf.br {head}({', '.join(inits)} : {self.of(types)})", self.label(head, carried)] + body +
            [self.label(end, last)] + rest + ["}"])

        def run(state):
            run_before(state)
            goes_on, values = True, [state.values[init] for init in inits]
            while goes_on:
                state.step()
                state.values.update(zip((name for name, _ in carried), values))
                goes_on, values = run_body(state)
            state.values.update(zip((name for name, _ in last), values))
            finish(state, run_rest(state))

        return before + lines, run


def check_runs(program, records, seed, runs):
    """How many numbers were compared, and what lies outside; marks where upstream is shown to be wrong."""
    compared, outside = 0, []
    seen = defaultdict(set)
    for run in range(runs):
        for name, values in program.run(seed + run).items():
            seen[name] |= values
    for record in records:
        # Upstream reads the bounds of a loop without signs as signed.
        if record["unsigned"] and record["outcome"] in ("weaker", "apart"):
            record["outcome"] = "unsigned"
        values = seen.get(record["name"], ())
        compared += len(values)
        if values and record["outcome"] == "unreachable":
            outside.append(f"reached: @{program.name} {record['text']}: {min(values)}, though {record['reason']}")
            continue
        for ends in ("ours", "upstream"):
            low, high = record[ends]
            wrong = [value for value in values if not low <= value <= high]
            if wrong and ends == "ours":
                outside.append(f"outside: @{program.name} {record['text']}: {wrong[0]}, ours {record['ours']}")
            elif wrong:
                record["outcome"] = "upstream wrong"
    return compared, outside


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--show", action="store_true", help="print the programs of what is wrong")
    args = parser.parse_args()
    print(f"seed {args.seed}")
    outcomes, bad, compared = Counter(), [], 0
    for start in range(0, args.programs, 20):
        programs = [Program(args.seed * 100_000 + k) for k in range(start, min(start + 20, args.programs))]
        found = compare(args.plugin, "\n".join(program.text for program in programs))
        for program in programs:
            records = [one for one in found if one["function"] == program.name]
            count, worse = check_runs(program, records, args.seed, args.runs)
            compared += count
            worse += [f"{one['outcome']}: @{program.name} {one['text']}: upstream {one['upstream']}, ours {one['ours']}"
                      for one in records if one["outcome"] in ("weaker", "apart")]
            outcomes.update(one["outcome"] for one in records)
            bad += worse
            if worse and args.show:
                print(program.text)
    for line in bad[:60]:
        print(line)
    print(", ".join(f"{n} {what}" for what, n in sorted(outcomes.items())))
    print(f"{args.programs} programs, {compared} numbers in their ranges, {len(bad)} weaker, apart or outside")
    return 1 if bad or compared < LEAST * args.programs else 0


if __name__ == "__main__":
    sys.exit(main())
