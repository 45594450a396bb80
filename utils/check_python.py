#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Report Python that says less than it seems to: tests that never run, results that nobody looks at.

    check_python.py FOLDER

  - a function, class or method that another one of its name, in the same scope, replaces
  - a key that stands twice in a dictionary
  - a local variable that is never read; one whose name begins with `_` may be
  - `except` with `pass` alone, without a comment that says why
  - a process whose exit status nobody looks at: `subprocess.run` without `check=True`, whose
    result is dropped or never asked for `returncode` or handed on

Looks at every .py file under FOLDER but those in build folders. Prints one line per finding;
exits 1 if there is one. `# lint: any status` on the line of a process lets it end as it likes.
"""

import ast
import os
import sys
from collections import Counter, deque
from pathlib import Path

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)


def own(scope):
    """The nodes of a scope, those of inner scopes left out."""
    waiting = deque(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.popleft()
        yield node
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def replaced(tree):
    """Definitions after another of the same name, side by side in one body."""
    for node in ast.walk(tree):
        for body in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            if not isinstance(body, list):
                continue
            seen = {}
            for statement in body:
                if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                    continue
                decorators = [ast.unparse(one) for one in statement.decorator_list]
                if any(text.startswith(statement.name + ".") for text in decorators):
                    continue  # the setter of a property
                if statement.name in seen:
                    yield statement, f"{statement.name} replaces that of line {seen[statement.name]}"
                seen[statement.name] = statement.lineno


def twice(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys = Counter(repr(key.value) for key in node.keys if isinstance(key, ast.Constant))
            for key, count in keys.items():
                if count > 1:
                    yield node, f"key {key} stands {count} times in a dictionary"


def unread(tree):
    """Local names that are bound alone, and never read in the function or inside of it."""
    for function in ast.walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        read = {node.id for node in ast.walk(function)
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)}
        shared = {name for node in ast.walk(function) if isinstance(node, (ast.Global, ast.Nonlocal))
                  for name in node.names}
        for node in own(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and \
                    not node.id.startswith("_") and node.id not in read | shared:
                yield node, f"{node.id} is never read"


def passed_over(tree, lines):
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and len(node.body) == 1 and isinstance(node.body[0], ast.Pass):
            if "#" not in lines[node.lineno - 1] + lines[node.body[0].lineno - 1]:
                yield node, "an exception is passed over without a reason"


def is_run(node):
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "run" and isinstance(function.value, ast.Name) and \
        function.value.id == "subprocess"


def unchecked(tree, lines):
    """Calls of subprocess.run whose exit status is not looked at in their function."""
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))]:
        nodes = list(own(scope))
        ways = {}  # of a call, what becomes of its result
        for node in nodes:
            for child in ast.iter_child_nodes(node):
                if is_run(child):
                    ways[child] = node
        if not ways:
            continue
        asked, handed = set(), set()
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in ("returncode", "check_returncode"):
                asked.add(ast.unparse(node.value))
            elif isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
                handed |= {ast.unparse(node.value)}
            elif isinstance(node, ast.Call):
                handed |= {ast.unparse(argument) for argument in node.args}
        for call, parent in ways.items():
            if any(word.arg == "check" and ast.unparse(word.value) == "True" for word in call.keywords):
                continue
            if "# lint: any status" in lines[call.lineno - 1] + lines[call.end_lineno - 1]:
                continue
            text = ast.unparse(parent)
            if isinstance(parent, ast.Assign):
                fine = ast.unparse(parent.targets[0]) in asked | handed
            elif isinstance(parent, ast.NamedExpr):
                fine = ast.unparse(parent.target) in asked | handed
            else:
                fine = isinstance(parent, (ast.Return, ast.Call)) or text.endswith(".returncode")
            if not fine:
                yield call, "nobody looks at the exit status of a process"


def findings(path):
    text = path.read_text()
    tree, lines = ast.parse(text), text.splitlines()
    for found in (replaced(tree), twice(tree), unread(tree), passed_over(tree, lines), unchecked(tree, lines)):
        yield from found


def main():
    root = Path(sys.argv[1])
    files = []
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not name.startswith(("build", "."))]
        files += [Path(folder, name) for name in names if name.endswith(".py") and not name.startswith(("build", "."))]
    files.sort()
    count = 0
    for path in files:
        for node, what in sorted(findings(path), key=lambda found: found[0].lineno):
            count += 1
            print(f"{path.relative_to(root)}:{node.lineno}: {what}")
    print(f"{len(files)} files, {count} findings")
    return 1 if count or not files else 0


if __name__ == "__main__":
    sys.exit(main())
