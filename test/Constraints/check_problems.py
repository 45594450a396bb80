# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs problem files through symshape-prove, and each answer past an oracle.

    check_problems.py FILE...

A question ends with `# expect ANSWER`, which was worked out from the mathematics.
The oracle (Z3, and enumeration of small values where Z3 gives up) must agree with
the expectation, and so must the tool: no expectation is a copy of its output.
"""

import re
import subprocess
import sys

import z3

from oracle import Oracle, Parser, check_files

def check(path):
    text = open(path).read()
    done = subprocess.run(["symshape-prove", path], capture_output=True, text=True)
    failures = [done.stderr] if done.returncode else []
    answers = iter(done.stdout.splitlines())
    oracle, questions = Oracle(), 0
    for number, line in enumerate(text.splitlines(), 1):
        statement, _, comment = line.partition("#")
        word, _, rest = statement.strip().partition(" ")
        if not word:
            continue
        if word in ("prove", "simplify", "bounds", "solve"):
            questions += 1
            expected = re.fullmatch(r"\s*expect (.*)", comment)[1].strip()
            actual = next(answers, "no answer")
            if actual != expected:
                failures.append(f"{path}:{number}: expected {expected}, but got {actual}")
        if word == "push":
            oracle.scopes.append(({}, []))
        elif word == "pop":
            oracle.scopes.pop()
        elif word == "symbol":
            oracle.declare(rest)
        elif word == "assume":
            oracle.scopes[-1][1].append(Parser(rest, oracle.symbol).relation())
        elif word == "prove":
            allowed = oracle.decide(Parser(rest, oracle.symbol).relation())
            if expected not in allowed:
                failures.append(f"{path}:{number}: the oracle says {' or '.join(sorted(allowed))}")
        elif word == "bounds":
            if not oracle.is_bound(Parser(rest, oracle.symbol).sum(), expected):
                failures.append(f"{path}:{number}: the oracle has other bounds")
        elif word == "simplify":
            same = Parser(rest, oracle.symbol).sum() == Parser(expected, oracle.symbol).sum()
            if oracle.can_hold(z3.Not(same)):
                failures.append(f"{path}:{number}: the oracle has another value")
        elif word == "solve" and expected != "none":
            relation, _, name = rest.rpartition(" for ")
            given = Parser(relation, oracle.symbol).relation()
            bound = re.match(r".* [<>]= ", expected)
            found = expected if bound else f"{name} == {expected}"
            holds = Parser(found, oracle.symbol).relation()
            if oracle.can_hold(z3.And(given, z3.Not(holds))):
                failures.append(f"{path}:{number}: the oracle has another solution")
    return questions, failures


if __name__ == "__main__":
    sys.exit(check_files(sys.argv[1:], check))
