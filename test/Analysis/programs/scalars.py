# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ops of arith, index, affine and cf, and facts that the program states."""

from .basics import BINARY, COMPARE, INDEX, USUAL, WIDTHS, Op, Scope, Value, require, wrap


class Scalars(Scope):
    def define(self, type, text, run, operands=()):
        """An op with one result; `run` takes the values of `operands`."""
        result = Value(self.name(), type)

        def execute(env, trace):
            env[result.name] = run(*(env[operand.name] for operand in operands))

        self.ops.append(Op([f"{result.name} = {text}"], execute))
        return self.add(result)

    def effect(self, text, run, operands):
        self.ops.append(Op([text], lambda env, trace: run(*(env[o.name] for o in operands))))

    def constant(self, value=None, type="index"):
        if value is None:
            value = self.random.choice([0, 1, 2, 3, 4, 5, 7, 8, 16, -1, -2, -3])
        return self.define(type, f"arith.constant {value} : {type}", lambda: value)

    def index(self):
        return self.scalar("index")

    def scalar(self, type):
        found = None if self.chance(15) else self.pick_type(type)
        return found or self.constant(type=type)

    def boolean(self):
        found = None if self.chance(50) else self.pick_type("i1")
        return found or self.compare()

    def binary(self):
        type = "index"
        if self.chance(20):
            narrow = self.pick(lambda v: v.type in ("i8", "i16", "i32", "i64"))
            type = narrow.type if narrow else type
        name = self.random.choice(USUAL if self.chance(60) else list(BINARY))
        width, operation = WIDTHS[type], BINARY[name]
        flag = name in ("addi", "subi", "muli") and self.chance(15)
        a, b = self.scalar(type), self.scalar(type)
        if name.endswith(("divsi", "divui", "remsi", "remui")) and self.chance(70):
            b = self.constant(self.random.choice([1, 2, 3, 4, 8, -1, -2, -3]), type)

        def run(x, y):
            exact = operation(x, y, width)
            require(not flag or exact == wrap(exact, width))
            return self.result(exact, type)

        words = " overflow<nsw>" if flag else ""
        if type == "index" and not flag and self.chance(15):
            return self.define(type, f"index.{INDEX[name]} {a.name}, {b.name}", run, (a, b))
        return self.define(type, f"arith.{name} {a.name}, {b.name}{words} : {type}", run, (a, b))

    def compare(self):
        predicate = self.random.choice(list(COMPARE))
        a, b = self.index(), self.index()
        if self.chance(10):
            return self.define("i1", f"index.cmp {predicate}({a.name}, {b.name})", COMPARE[predicate], (a, b))
        return self.define("i1", f"arith.cmpi {predicate}, {a.name}, {b.name} : index", COMPARE[predicate], (a, b))

    def logic(self):
        name = self.random.choice(["andi", "ori", "xori"])
        a, b = self.boolean(), self.boolean()
        operation = {"andi": lambda x, y: x and y, "ori": lambda x, y: x or y, "xori": lambda x, y: x != y}[name]
        return self.define("i1", f"arith.{name} {a.name}, {b.name} : i1", operation, (a, b))

    def select(self):
        condition = self.boolean()
        a = self.pick(lambda v: v.is_tensor) if self.chance(25) else None
        a = a or self.index()
        b = self.pick_type(a.type)
        return self.define(a.type, f"arith.select {condition.name}, {a.name}, {b.name} : {a.text}",
                           lambda c, x, y: x if c else y, (condition, a, b))

    # Affine maps: text, and a function of the values of d0, d1.
    def affine_expression(self, depth):
        if depth == 0 or self.chance(30):
            if self.chance(75):
                position = self.random.randrange(2)
                return f"d{position}", lambda d: d[position]
            number = self.random.choice([-3, -1, 0, 1, 2, 4, 8])
            return str(number), lambda d: number
        text, value = self.affine_expression(depth - 1)
        kind = self.random.choice(["+", "-", "*", "floordiv", "ceildiv", "mod"])
        if kind in "+-":
            other, right = self.affine_expression(depth - 1)
            sign = 1 if kind == "+" else -1
            return f"({text} {kind} ({other}))", lambda d: self.fits(value(d) + sign * right(d))
        number = self.random.choice([1, 2, 3, 4, 8])
        if kind == "*":
            number *= self.random.choice([1, 1, -1])
        operation = {"*": lambda x: x * number, "floordiv": lambda x: x // number,
                     "ceildiv": lambda x: -(-x // number), "mod": lambda x: x % number}[kind]
        return f"({text} {kind} {number})", lambda d: self.fits(operation(value(d)))

    @staticmethod
    def fits(value):
        require(value == wrap(value))
        return value

    def affine(self):
        kind = self.random.choice(["apply", "apply", "min", "max"])
        count = 1 if kind == "apply" else self.random.randint(1, 3)
        results = [self.affine_expression(2) for _ in range(count)]
        a, b = self.index(), self.index()
        texts = ", ".join(text for text, _ in results)
        operation = min if kind == "min" else max
        return self.define("index", f"affine.{kind} affine_map<(d0, d1) -> ({texts})>({a.name}, {b.name})",
                           lambda x, y: operation(value((x, y)) for _, value in results), (a, b))

    def linearize(self):
        outer, inner = self.random.choice([None, 2, 9]), self.random.choice([1, 3, 4])
        a, b, is_disjoint = self.index(), self.index(), self.chance(50)

        def run(x, y):
            require(not is_disjoint or (0 <= y < inner and (outer is None or x < outer)))
            return self.fits(x * inner + y)

        basis = f"{inner}" if outer is None else f"{outer}, {inner}"
        word = " disjoint" if is_disjoint else ""
        return self.define("index", f"affine.linearize_index{word} [{a.name}, {b.name}] by ({basis}) : index", run,
                           (a, b))

    def delinearize(self):
        outer, inner = self.random.choice([None, 2, 9]), self.random.choice([1, 3, 4])
        source, name = self.index(), self.name()
        digits = [self.add(Value(f"{name}#{i}", "index")) for i in range(2)]

        def run(env, trace):
            high, low = divmod(env[source.name], inner)
            require(outer is None or 0 <= high < outer)
            env[digits[0].name], env[digits[1].name] = high, low

        basis = f"{inner}" if outer is None else f"{outer}, {inner}"
        self.ops.append(Op([f"{name}:2 = affine.delinearize_index {source.name} into ({basis}) : index, index"], run))

    # What the program states.
    def assertion(self):
        condition = self.boolean()
        text = f"llvm.intr.assume {condition.name} : i1" if self.chance(20) else f'cf.assert {condition.name}, "stated"'
        return self.effect(text, require, (condition,))

    def assumption(self):
        value, number = self.index(), self.random.choice([-2, 0, 1, 3, 4, 8])
        divisor = abs(number) + 2
        relation, holds = self.random.choice([
            (f"n <= {number}", lambda n: n <= number), (f"n >= {number}", lambda n: n >= number),
            (f"n != {number}", lambda n: n != number), (f"{divisor} | n", lambda n: n % divisor == 0)])

        def run(n):
            require(holds(n))
            return n

        return self.define("index", f'symshape.assume {value.name} ["{relation}"] (n) : index', run, (value,))

    def probe(self):
        """Records the values of a few names where it stands."""
        values = []
        for _ in range(self.random.randint(2, 4)):
            value = self.pick(lambda v: v.type in ("index", "i1", "i32", "i16", "i8") or v.is_tensor)
            if value and value not in values:
                values.append(value)
        if not values:
            return
        self.probes += 1
        number = self.probes

        def run(env, trace):
            quantities, conditions = [], []
            for value in values:
                seen = env[value.name]
                if value.type == "i1":
                    conditions.append(seen)
                else:
                    quantities += seen if value.is_tensor else [seen]
            trace.append((number, quantities, conditions))

        names, types = ", ".join(v.name for v in values), ", ".join(v.text for v in values)
        self.ops.append(Op([f'"probe.at"({names}) {{id = {number}}} : ({types}) -> ()'], run))
