# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second opinion on problem files: their grammar read again, and asked of Z3."""

import itertools
import re

import z3

TOKEN = re.compile(r'\s*(?:(\d+)|("[^"]*"|[A-Za-z_][\w.]*)|(==|!=|<=|>=|[-+*()<>|,\[\]]))')
PRECEDENCE_WORDS = ("floordiv", "ceildiv", "mod")
ENUMERATED = range(-7, 14)


def minimum(a, b):
    return z3.If(a <= b, a, b)


def maximum(a, b):
    return z3.If(a <= b, b, a)


def divides(d, e):
    magnitude = z3.If(d < 0, -d, d)
    return z3.If(d == 0, e == 0, e % magnitude == 0)


class Parser:
    """A second reading of the grammar, to Z3 terms."""

    def __init__(self, text, symbols):
        self.tokens = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match:
                raise ValueError(f"cannot read {text[position:]!r}")
            self.tokens.append(match[0].strip())
            position = match.end()
        self.symbols = symbols

    def peek(self):
        return self.tokens[0] if self.tokens else ""

    def take(self, token=None):
        if token and self.peek() != token:
            raise ValueError(f"expected {token}, but got {self.peek()}")
        return self.tokens.pop(0)

    def sum(self):
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    @staticmethod
    def floordiv(a, b):
        # Z3 divides so that remainders are not negative: for b > 0 that is floor.
        return z3.If(b > 0, a / b, (-a) / (-b))

    def product(self):
        value = self.unary()
        while self.peek() == "*" or self.peek() in PRECEDENCE_WORDS:
            operator = self.take()
            right = self.unary()
            if operator == "*":
                value = value * right
            elif operator == "floordiv":
                value = self.floordiv(value, right)
            elif operator == "ceildiv":
                value = -self.floordiv(-value, right)
            else:
                value = value - right * self.floordiv(value, right)
        return value

    def unary(self):
        if self.peek() == "-":
            self.take()
            return -self.unary()
        token = self.take()
        if token == "(":
            value = self.sum()
            self.take(")")
            return value
        if token.isdigit():
            return z3.IntVal(token)
        if token in ("min", "max", "bc"):
            return self.call(token)
        return self.symbols(token)

    def call(self, function):
        self.take("(")
        operands = [self.sum()]
        while self.peek() == ",":
            self.take()
            operands.append(self.sum())
        self.take(")")
        if function == "bc":
            return z3.If(operands[0] == 1, operands[1], operands[0])
        combine = minimum if function == "min" else maximum
        value = operands[0]
        for operand in operands[1:]:
            value = combine(value, operand)
        return value

    def relation(self):
        left = self.sum()
        operator = self.take()
        right = self.sum()
        return {"==": left == right, "!=": left != right, "<=": left <= right, "<": left < right,
                ">=": left >= right, ">": left > right, "|": None}[operator] if operator != "|" \
            else divides(left, right)


class Oracle:
    def __init__(self):
        self.scopes = [({}, [])]

    def symbol(self, name):
        for names, _ in self.scopes:
            if name in names:
                return names[name]
        variable = z3.Int(name)
        names, facts = self.scopes[-1]
        names[name] = variable
        facts.append(variable >= 0)
        return variable

    def declare(self, text):
        name, _, clauses = text.strip().partition(" ")
        names, facts = self.scopes[-1]
        variable = names[name] = z3.Int(name)
        bounds = re.search(r"\bin \[\s*(-?\w+)\s*,\s*(-?\w+)\s*\]", clauses)
        low, high = bounds.groups() if bounds else ("0", "inf")
        if low != "-inf":
            facts.append(variable >= int(low))
        if high != "inf":
            facts.append(variable <= int(high))
        if multiple := re.search(r"multiple_of (\d+)", clauses):
            facts.append(variable % int(multiple[1]) == 0)
        if residue := re.search(r"residue (\d+) mod (\d+)", clauses):
            facts.append(variable % int(residue[2]) == int(residue[1]))

    def facts(self):
        return [fact for _, facts in self.scopes for fact in facts]

    def can_hold(self, condition):
        """True or False; None where Z3 gives up and no small values decide."""
        solver = z3.Solver()
        solver.set("timeout", 5000)
        solver.add(*self.facts(), condition)
        answer = solver.check()
        if answer != z3.unknown:
            return answer == z3.sat
        return self.enumerate(condition)

    def enumerate(self, condition):
        variables = [v for names, _ in self.scopes for v in names.values()]
        whole = z3.And(*self.facts(), condition)
        found = {str(v) for v in z3.z3util.get_vars(whole)}
        used = [v for v in variables if str(v) in found]
        for values in itertools.product(ENUMERATED, repeat=min(len(used), 3)):
            chosen = z3.substitute(whole, *[(v, z3.IntVal(x)) for v, x in zip(used, values)])
            if z3.is_true(z3.simplify(chosen)):
                return True
        return None

    def decide(self, relation):
        """The answers that the mathematics allow: a proof, or either."""
        negated = self.can_hold(z3.Not(relation))
        if negated is False:
            return {"yes"}
        held = self.can_hold(relation)
        if held is False:
            return {"no"}
        if held and negated:
            return {"unknown"}
        return {"unknown", "no"} if negated else {"unknown", "yes"} if held else {"yes", "no", "unknown"}

    def is_sound_bound(self, e, text):
        """Whether no value of `e` is outside of `[lo, hi]`."""
        low, high = re.fullmatch(r"\[(\S+), (\S+)\]", text).groups()
        return ((low == "-inf" or self.can_hold(e < int(low)) is not True)
                and (high == "inf" or self.can_hold(e > int(high)) is not True))

    def is_bound(self, e, text):
        """Whether `[lo, hi]` holds, and each end is attained or infinite."""
        low, high = re.fullmatch(r"\[(\S+), (\S+)\]", text).groups()
        for end, beyond in ((low, lambda n: e < n), (high, lambda n: e > n)):
            if end in ("-inf", "inf"):
                far = beyond(-10**6 if end == "-inf" else 10**6)
                if self.can_hold(far) is False:
                    return False
            elif self.can_hold(beyond(int(end))) is True or self.can_hold(e == int(end)) is False:
                return False
        return True


def check_files(paths, check):
    """Counts and prints what `check` finds in each; the exit status."""
    total, failures = 0, []
    for path in paths:
        questions, wrong = check(path)
        total += questions
        failures += wrong
    print("\n".join(failures))
    print(f"{total} questions, {len(failures)} failures")
    return 1 if failures or not total else 0
