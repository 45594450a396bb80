# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random branches and loops around random ops, and whole functions."""

from .basics import MAX_TRIPS, Function, Op, Value, indented, require, run_all, wrap
from .carried import Carried, count_turn


def names(values):
    return ", ".join(v.name for v in values)


def types(values):
    return ", ".join(v.text for v in values)


class Generator(Carried):
    def __init__(self, seed, no_wrap=False):
        super().__init__(seed, no_wrap)
        self.stepped = []  # what the loops around carry

    def body(self, arguments, budget, depth, yielded=()):
        """Ops in a scope of their own, and visible values of the types of `yielded`. A loop changes the
        tensors among its last arguments now and then."""
        outer, self.ops = self.ops, []
        self.levels.append(list(arguments))
        self.statements(budget, depth)
        changing = arguments[-len(yielded):] if arguments and yielded else [None] * len(yielded)
        results = [self.change(a) if a and a.is_tensor and self.chance(60) else self.pick_type(v.type)
                   for a, v in zip(changing, yielded)]
        self.levels.pop()
        ops, self.ops = self.ops, outer
        return ops, results

    def statements(self, budget, depth):
        simple = [(self.binary, 24), (self.affine, 10), (self.compare, 6), (self.logic, 3), (self.select, 6),
                  (self.cast, 8), (self.read, 3), (self.linearize, 2), (self.delinearize, 2), (self.dim, 8),
                  (self.empty, 4),
                  (self.extract_slice, 6), (self.insert_slice, 2), (self.pad, 5), (self.collapse, 3), (self.expand, 4),
                  (self.concat, 4), (self.tensor_cast, 4), (self.reduced_slice, 5), (self.reduced_insert, 2),
                  (self.subview_dim, 2),
                  (self.assertion, 4), (self.assumption, 4), (self.step, 20 if self.stepped else 0)]
        nested = [(self.if_op, 8), (self.for_op, 8), (self.while_op, 4), (self.affine_for, 3), (self.affine_if, 3)]
        choices = simple + (nested if depth else [])
        for _ in range(budget):
            make, = self.random.choices([c for c, _ in choices], [w for _, w in choices])
            make(depth) if make in [c for c, _ in nested] else make()
        self.probe()

    def carried(self):
        """Values that a loop carries, or that branches choose between."""
        values = [self.open_tensor() if self.chance(25) else self.pick(lambda v: v.type == "index" or v.is_tensor)
                  for _ in range(self.random.randint(0, 2))]
        return [v for v in values if v]

    def step(self):
        """What a loop carries, changed by a constant on some paths."""
        carried = [v for v in self.stepped[-1] if v.type == "index"] if self.stepped else []
        if not carried:
            return
        value = self.random.choice(carried)
        for _ in range(self.random.randint(1, 2)):
            name, other = self.random.choice(["addi", "addi", "subi"]), self.constant()
            sign = 1 if name == "addi" else -1
            changed = self.define("index", f"arith.{name} {value.name}, {other.name} : index",
                                  lambda a, b, sign=sign: self.result(a + sign * b, "index"),
                                  (value, other))
            if self.chance(40):
                condition = self.boolean()
                changed = self.define("index", f"arith.select {condition.name}, {changed.name}, {value.name} : index",
                                      lambda c, a, b: a if c else b, (condition, changed, value))
            value = changed

    def with_results(self, like):
        """The names of an op with several results."""
        base = self.name()
        results = [Value(f"{base}#{i}" if len(like) > 1 else base, v.type) for i, v in enumerate(like)]
        return (f"{base}:{len(like)} = " if len(like) > 1 else f"{base} = ") if like else "", results

    def region_op(self, lines, results, run):
        def execute(env, trace):
            values = run(env, trace)
            for result, value in zip(results, values):
                env[result.name] = value

        self.ops.append(Op(lines, execute))
        for result in results:
            self.add(result)
        for result in results:
            if result.is_tensor and self.chance(60):
                self.extent_of(result, self.random.randrange(len(result.type)))

    def branches(self, header, condition, depth, word, arrow):
        like = self.carried()
        left, yields_left = self.body([], self.random.randint(1, 4), depth - 1, like)
        right, yields_right = self.body([], self.random.randint(0, 4), depth - 1, like)
        prefix, results = self.with_results(like)

        def lines(ops, values):
            tail = [f"  {word} {names(values)} : {types(values)}"] if values else []
            return indented(ops) + tail

        def run(env, trace):
            ops, values = (left, yields_left) if condition(env) else (right, yields_right)
            run_all(ops, env, trace)
            return [env[v.name] for v in values]

        arrow = f" -> {arrow(like)}" if like else ""
        self.region_op([f"{prefix}{header}{arrow} {{", *lines(left, yields_left), "} else {",
                        *lines(right, yields_right), "}"], results, run)

    def if_op(self, depth):
        condition = self.boolean()
        self.branches(f"scf.if {condition.name}", lambda env: env[condition.name], depth, "scf.yield",
                      lambda like: f"({types(like)})")

    def affine_operand(self):
        return self.random.choice([v for v in self.arguments if v.type == "index"])

    def affine_if(self, depth):
        text, value = self.affine_expression(1)
        a, b = self.affine_operand(), self.affine_operand()
        is_equality = self.chance(20)

        def condition(env):
            seen = value((env[a.name], env[b.name]))
            return seen == 0 if is_equality else seen >= 0

        header = f"affine.if affine_set<(d0, d1) : ({text} {'==' if is_equality else '>='} 0)>({a.name}, {b.name})"
        self.branches(header, condition, depth, "affine.yield",
                      lambda like: types(like) if len(like) == 1 else f"({types(like)})")

    def loop(self, header, counter, inits, depth, word, counts):
        """`counts(env)` are the values of the counter, in order."""
        carried = [Value(self.name(), v.type) for v in inits]
        self.stepped.append(carried)
        self.loops.append(word.replace("yield", "for"))
        ops, yielded = self.body([counter, *carried], self.random.randint(1, 5), depth - 1, inits)
        self.loops.pop()
        self.stepped.pop()
        prefix, results = self.with_results(inits)
        clause = ""
        if inits:
            pairs = ", ".join(f"{c.name} = {v.name}" for c, v in zip(carried, inits))
            clause = f" iter_args({pairs}) -> ({types(inits)})"
        tail = [f"  {word} {names(yielded)} : {types(yielded)}"] if inits else []

        def run(env, trace):
            values = [env[v.name] for v in inits]
            for trip, count in enumerate(counts(env)):
                require(trip < MAX_TRIPS)
                env[counter.name] = count
                for c, value in zip(carried, values):
                    env[c.name] = value
                run_all(ops, env, trace)
                before, values = values, [env[v.name] for v in yielded]
                count_turn(before, values)
            return values

        self.region_op([f"{prefix}{header}{clause} {{", *indented(ops), *tail, "}"], results, run)

    @staticmethod
    def counted(low, high, step, end):
        """A loop whose counter wraps has no meaning, from its start on."""
        counts = range(low, high, step)
        require(not counts or counts[-1] + step < end)
        return [wrap(count) for count in counts[:MAX_TRIPS + 1]]

    def for_op(self, depth):
        low, high = self.index(), self.index()
        step = self.constant(self.random.choice([1, 1, 1, 2, 3])) if self.chance(85) else self.index()
        is_unsigned = self.chance(5)
        counter = Value(self.name(), "index")

        def counts(env):
            count, end, stride = env[low.name], env[high.name], env[step.name]
            require(stride > 0)
            if is_unsigned:
                count, end = count % 2**64, end % 2**64
            return self.counted(count, end, stride, 2**64 if is_unsigned else 2**63)

        word = "scf.for unsigned" if is_unsigned else "scf.for"
        self.loop(f"{word} {counter.name} = {low.name} to {high.name} step {step.name}", counter, self.carried(),
                  depth, "scf.yield", counts)

    def affine_for(self, depth):
        low, high = self.affine_operand(), self.affine_operand()
        step, shift = self.random.choice([1, 2, 3]), self.random.choice([-2, 0, 1, 5])
        is_zero = self.chance(50)
        counter = Value(self.name(), "index")

        def counts(env):
            start = 0 if is_zero else env[low.name]
            return self.counted(start, self.fits(env[high.name] + shift), step, 2**63)

        start = "0" if is_zero else low.name
        self.loop(f"affine.for {counter.name} = {start} to affine_map<(d0) -> (d0 + {shift})>({high.name}) step {step}",
                  counter, self.carried(), depth, "affine.yield", counts)

    def while_op(self, depth):
        inits = self.carried() + [self.index()]
        before = [Value(self.name(), v.type) for v in inits]
        after = [Value(self.name(), v.type) for v in inits]
        outer, self.ops = self.ops, []
        self.levels.append(list(before))
        self.statements(self.random.randint(0, 2), 0)
        a, b = before[-1], self.index()
        condition = self.define("i1", f"arith.cmpi slt, {a.name}, {b.name} : index", lambda x, y: x < y, (a, b))
        passed = [self.pick_type(v.type) for v in inits]
        self.levels.pop()
        first, self.ops = self.ops, outer
        self.stepped.append(after)
        self.loops.append("scf.while")
        second, yielded = self.body(after, self.random.randint(1, 4), depth - 1, inits)
        self.loops.pop()
        self.stepped.pop()
        prefix, results = self.with_results(inits)

        def run(env, trace):
            values = [env[v.name] for v in inits]
            for _ in range(MAX_TRIPS):
                env.update(zip([v.name for v in before], values))
                run_all(first, env, trace)
                values = [env[v.name] for v in passed]
                if not env[condition.name]:
                    return values
                env.update(zip([v.name for v in after], values))
                run_all(second, env, trace)
                before_turn, values = values, [env[v.name] for v in yielded]
                count_turn(before_turn, values)
            return require(False)

        pairs = ", ".join(f"{c.name} = {v.name}" for c, v in zip(before, inits))
        arguments = ", ".join(f"{v.name}: {v.text}" for v in after)
        self.region_op([f"{prefix}scf.while ({pairs}) : ({types(inits)}) -> ({types(inits)}) {{", *indented(first),
                        f"  scf.condition({condition.name}) {names(passed)} : {types(inits)}", "} do {",
                        f"^bb0({arguments}):", *indented(second),
                        f"  scf.yield {names(yielded)} : {types(inits)}", "}"], results, run)

    def function(self, name):
        kinds = ["index"] * self.random.randint(1, 3)
        for _ in range(self.random.randint(0, 2)):
            kinds.append(tuple(self.random.choice([None, None, None, 1, 4])
                               for _ in range(self.random.choice([1, 2, 2, 3]))))
        self.arguments = [self.add(Value(f"%arg{i}", kind)) for i, kind in enumerate(kinds)]
        self.ops = [Op(["%zero = arith.constant 0.0 : f32"], lambda env, trace: None)]
        for _ in range(self.random.randint(1, 3)):
            self.statements(self.random.randint(2, 7), 2)
        return Function(name, self.arguments, self.ops)
