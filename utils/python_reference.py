# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference of the Python package, from its sources: an entry for each public name, with signature, words and example.

    python_reference.py FILE.md

Nothing is imported: signatures and docstrings are read from python/symshape. The examples below are doctests, which
test/Python/package.test runs in a folder with examples/start.
"""

import ast
import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python/symshape"
ITEM = re.compile(r"^(\w[\w, ]*?)  +(\S.*)$")

SET_UP = """>>> import asyncio, numpy as np, symshape
>>> program = symshape.load("model.onnx")
>>> ids, mask = np.ones((2, 3), np.int64), np.ones((2, 3), np.int64)
"""
EXAMPLES = {
    "load": '>>> symshape.load("scores.mlir", entry="scores", facts="B <= 8").inputs[0].name\n\'%q\'\n',
    "loads": '>>> text = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"\n'
             ">>> symshape.loads(text)([1, 2])[0]\narray([1., 2.], dtype=float32)\n",
    "Program": ">>> program(ids, mask=mask).hidden.tolist()\n[[2, 2, 2], [2, 2, 2]]\n"
               '>>> program({"ids": ids, "mask": mask})["hidden"].shape\n(2, 3)\n'
               ">>> into = np.empty((2, 3), np.int64)\n>>> program(ids, mask, out=into).hidden is into\nTrue\n"
               ">>> import pickle\n>>> pickle.loads(pickle.dumps(program))(ids, mask).hidden.shape\n(2, 3)\n",
    "Program.inputs": ">>> print(program.inputs[1])\nmask: [batch, length] i64\n",
    "Program.prepare": ">>> call = program.prepare(ids, mask)\n>>> ids[:] = 5\n>>> call()[0][0].tolist()\n[6, 6, 6]\n",
    "Program.guards": ">>> print(program.guards[0].condition)\nextent of mask dim 0 must equal extent of ids dim 0 (batch)\n",
    "Program.prove": '>>> program.prove("batch >= 0").verdict\n\'yes\'\n',
    "Program.result_shapes": ">>> program.result_shapes(ids, mask)\n[(2, 3)]\n",
    "Program.acall": ">>> async def wait():\n...     return await program.acall(ids, mask)\n>>> asyncio.run(wait())[0].shape\n(2, 3)\n",
    "Program.map": ">>> [each[0].shape for each in program.map([(ids, mask), (ids[:1], mask[:1])])]\n[(2, 3), (1, 3)]\n",
    "Program.save": '>>> program.save("model.symshape")\n>>> symshape.load("model.symshape").compilations\n0\n',
    "Program.report": '>>> program.report().save("model.html")\n',
    "GuardError": ">>> try:\n...     program(ids, mask[:1])\n... except symshape.GuardError as error:\n"
                  "...     print(error.failures[0].message)\nextent of mask dim 0 (1) must equal extent of ids dim 0 (batch = 2)\n",
    "InputError": ">>> try:\n...     program(ids)\n... except symshape.InputError as error:\n...     print(str(error)[:38])\n"
                  "@main: expected 2 inputs, but got 1: i\n",
    "Facts": '>>> facts = symshape.Facts("8 | S", L=(1, 64))\n>>> facts.prove("S >= 8").verdict, facts.bounds("2*L")\n'
             "('unknown', (2, 128))\n",
    "prove": '>>> symshape.prove("A <= C", "A <= B", "B <= C").verdict\n\'yes\'\n',
    "onnx.infer": '>>> symshape.onnx.infer("model.onnx")["hidden"].shape\n(Extent(\'batch\'), Extent(\'length\'))\n',
}
#: What a class has from the bindings, whose stub has no words.
INHERITED = {"Program": {
    "prepare": "Reads the arguments once; calling what it returns runs the program on what the arrays hold then.",
    "dlpack": "A call whose results are objects for the `from_dlpack` of any library."}}


def modules_of_names(tree):
    """The module that each public name of the package is from, as its sources say."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            found.update({one.asname or one.name: node.module for one in node.names})
    return found


def read(name):
    return ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))


def definition(tree, name):
    return next((node for node in tree.body if getattr(node, "name", None) == name), None)


def is_property(node):
    return any(ast.unparse(each).split(".")[-1] in ("property", "cached_property") for each in node.decorator_list)


def signature(node, prefix, owner=None):
    if isinstance(node, ast.ClassDef):
        return f"class {prefix}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if is_property(node):
        return f"{owner}.{node.name}{returns.replace(' -> ', ': ')}"
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    start = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{start}{prefix}({arguments}){returns}"


def words(text):
    """A docstring as Markdown: paragraphs, lists of names with what they are, and what is indented as code."""
    parts = []
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = part.split("\n")
        if lines[0].startswith("    "):
            parts.append("```python\n" + "\n".join(line[4:] for line in lines) + "\n```")
        elif ITEM.match(lines[0]):
            items = []
            for line in lines:
                item = ITEM.match(line)
                if item:
                    items.append(f"- {', '.join(f'`{name}`' for name in item[1].split(', '))}: {escape(item[2])}")
                else:
                    items[-1] += " " + escape(line.strip())
            parts.append("\n".join(items))
        else:
            parts.append(escape(" ".join(line.strip() for line in lines)))
    return "\n\n".join(parts)


def escape(text):
    """What Markdown would take for markup, outside of code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<\[\]|])", r"\\\1", part) for part in parts)


def entry(title, node, prefix, level, owner=None):
    parts = [f"{'#' * level} `{title}`", f"```python\n{signature(node, prefix, owner)}\n```"]
    if text := ast.get_docstring(node):
        parts.append(words(text))
    if title in EXAMPLES:
        parts.append(f"```python\n{EXAMPLES[title]}\n```")
    return "\n\n".join(parts)


def of_class(name, node):
    """The class, then what is public of it and has words."""
    parts = [entry(name, node, f"symshape.{name}", 2)]
    stub = definition(ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8")), name)
    for member, text in INHERITED.get(name, {}).items():
        found = definition(stub, member)
        found.body.insert(0, ast.Expr(ast.Constant(text)))
        parts.append(entry(f"{name}.{member}", found, f"{name}.{member}", 3, name))
    for member in node.body:
        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)) and not member.name.startswith("_"):
            if ast.get_docstring(member) or is_property(member):
                parts.append(entry(f"{name}.{member.name}", member, f"{name}.{member.name}", 3, name))
    return parts


def reference():
    """The page, and how many entries it has."""
    package = read("__init__")
    names = next(ast.literal_eval(node.value) for node in package.body
                 if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    origins, parts = modules_of_names(package), []
    for name in sorted((name for name in names if not name.startswith("__") and name not in ("onnx", "api_version")),
                       key=lambda name: (name[0].isupper(), name)):
        node = definition(package, name) or definition(read(origins[name]), name)
        assert node is not None, name
        parts += of_class(name, node) if isinstance(node, ast.ClassDef) else [entry(name, node, f"symshape.{name}", 2)]
    onnx = read("onnx")
    parts += [entry(f"onnx.{node.name}", node, f"symshape.onnx.{node.name}", 2) for node in onnx.body
              if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_") and ast.get_docstring(node)]
    text = "\n\n".join(parts)
    missing = [name for name in EXAMPLES if f"`{name}`\n" not in text]
    assert not missing, f"examples of what is not there: {missing}"
    head = ("# The Python API\n\n`import symshape`. [How to use it](../docs/HowTo/UseFromPython.md); types of all of this are in the package, for mypy "
            "and pyright. `symshape.__version__` is the release. The examples go on from here, with `model.onnx` and `scores.mlir` of "
            f"`examples/start`:\n\n```python\n{SET_UP}\n```\n\n")
    return f"{head}{text}\n", len(parts)


def main():
    text, count = reference()
    Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print(f"{count} entries, {sum(each.count('>>> ') for each in EXAMPLES.values())} examples")
    return 0


if __name__ == "__main__":
    sys.exit(main())
