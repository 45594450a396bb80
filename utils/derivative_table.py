#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of ops that have derivatives, as MLIR has them and as they come in.

    derivative_table.py SUITE > docs/DerivativeOps.md

SUITE is the folder of the package `onnx` with its test models. Ops of MLIR are those of the manifest that
unittests/Transforms holds against the code; an op of ONNX is taken to have what its test models have, each
differentiated by all inputs of floats; ops of TOSA are those of test/Integration/Inputs/tosa-derivatives.mlir, of
StableHLO those of test/Import/StableHLO/Inputs/check_op_derivatives.py, kinds of functions of PyTorch those of
test/Torch/test_derivatives.py, networks of JAX those of test/Jax/test_gradients.py.
"""

import ast
import collections
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
FLOATS = {1, 10, 11, 16}  # FLOAT, FLOAT16, DOUBLE, BFLOAT16 of TensorProto
MODELS = 3  # of an op, the smallest ones that have a float
HEAD = """\
# Ops with derivatives

Which ops can be on a path that [a derivative](HowTo/DifferentiateAProgram.md) takes. An op that cannot is an error \
there, which names it; where no result depends on its floats, it does not matter. `utils/derivative_table.py` writes \
this page."""


def manifest():
    """Lists of names, and of names with reasons."""
    text = (ROOT / "unittests/Transforms/DerivativeManifest.h").read_text()
    lists = {}
    for name, body in re.findall(r"(k\w+)\[\] = \{(.*?)\n\};", text, re.S):
        pairs = re.findall(r'\{"([^"]+)",\s*"([^"]+)"\}', body)
        lists[name] = pairs or re.findall(r'"([^"]+)"', body)
    return lists


def models_of(suite):
    """Op to its models of one node, of which an input is of floats and an output too, the smallest first."""
    import onnx
    found = collections.defaultdict(list)
    for path in sorted((suite / "onnx/backend/test/data/node").glob("*/model.onnx")):
        graph = onnx.load(path).graph
        if len(graph.node) != 1:
            continue
        types = [{one.type.tensor_type.elem_type for one in side} for side in (graph.input, graph.output)]
        if all(side & FLOATS for side in types):
            found[graph.node[0].op_type].append((path.stat().st_size, path))
    return {op: [path for _, path in sorted(paths)[:MODELS]] for op, paths in found.items()}


def fix_integers(path, to):
    """Writes a model whose inputs of integers, such as axes, are what its test gives them."""
    import onnx
    model = onnx.load(path)
    for number, one in reversed(list(enumerate(model.graph.input))):
        given = path.parent / "test_data_set_0" / f"input_{number}.pb"
        if one.type.tensor_type.elem_type not in FLOATS and given.exists():
            tensor = onnx.TensorProto.FromString(given.read_bytes())
            tensor.name = one.name
            model.graph.initializer.append(tensor)
            del model.graph.input[number]
    onnx.save(model, to)


def derive(path):
    """What keeps a model from having a derivative; None if nothing does."""
    with tempfile.TemporaryDirectory(prefix="derivatives") as folder:
        fixed, text = Path(folder) / "m.onnx", Path(folder) / "m.mlir"
        fix_integers(path, fixed)
        done = subprocess.run(["symshape-onnx", "import", fixed, "-o", text], capture_output=True, text=True)
        if done.returncode:
            return "its test models are not imported"
        done = subprocess.run(["symshape-opt", text, "--symshape-vjp=function=main", "-o", "/dev/null"],
                              capture_output=True, text=True)
    return re.search(r"error: (.*)", done.stderr).group(1) if done.returncode else None


def verdict(paths):
    reason = None
    for path in paths:
        reason = derive(path)
        if not reason:
            return None
    return reason


def names_in(path, *tables):
    """The keys of dictionaries, and the lists of `parametrize`, of a test in Python, in order."""
    found = []
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in tables:
            found += [key.value for key in node.value.keys]
        if not tables and isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize":
            found += ast.literal_eval(node.args[1])
    return sorted(found)


def main():
    print(HEAD)
    lists = manifest()
    print("\n## Ops of MLIR\n\n| | ops |\n|---|---|")
    for title, key in [("forward and transposed", "kLinear"), ("by other ops", "kForward"), ("of no floats, or flat", "kNone")]:
        print(f"| {title} | {', '.join(f'`{op}`' for op in sorted(lists[key]))} |")
    print("\nNot these:\n\n| op | why |\n|---|---|")
    for op, reason in sorted([*lists["kUnsupported"], *((op, "of integers") for op in lists["kOfIntegers"])]):
        print(f"| `{op}` | {reason} |")
    listed = subprocess.run(["symshape-onnx", "ops"], capture_output=True, text=True, check=True).stdout.split()
    models = models_of(Path(sys.argv[1]))
    known = [op for op in listed if op in models]
    with ThreadPoolExecutor(2) as pool:
        verdicts = dict(zip(known, pool.map(lambda op: verdict(models[op]), known)))
    print("\n## Ops of ONNX\n\n"
          f"{sum(not one for one in verdicts.values())} have derivatives by floats: "
          f"{', '.join(op for op in known if not verdicts[op])}.\n\n"
          f"No test model takes and gives floats: {', '.join(op for op in listed if op not in models)}.\n\n"
          "Not these:\n\n| op | why |\n|---|---|")
    for op in known:
        if verdicts[op]:
            print(f"| {op} | {verdicts[op]} |")
    tosa = (ROOT / "test/Integration/Inputs/tosa-derivatives.mlir").read_text()
    ops = sorted(set(re.findall(r"\btosa\.([a-z0-9_]+)\b", tosa)) - {"shape", "const", "const_shape", "yield"})
    print("\n## Ops of TOSA\n\nThey are [lowered first](HowTo/RunATosaProgram.md#differentiate-it), to ops of MLIR above. "
          f"Tested beside differences: {', '.join(ops)}.")
    kinds = names_in("test/Torch/test_derivatives.py", "SAME", "OTHER")
    print("\n## Functions of PyTorch\n\nA program that `torch.export` makes becomes ops of ONNX and of MLIR above. First and "
          "second derivatives are tested beside those of PyTorch, at extents 0 and 1 among others, and so are chains of "
          f"these {len(kinds)} kinds: {', '.join(kinds)}.")
    sys.path += [str(ROOT / folder) for folder in ("test/Integration", "test/Import/StableHLO/Inputs")]
    import check_op_derivatives as stablehlo
    networks = names_in("test/Jax/test_gradients.py")
    print("\n## Ops of StableHLO\n\nThey become ops of MLIR above as they come in; windows, sorts and scatters become loops and "
          f"ops of `symshape`. Tested beside differences: {', '.join(sorted(stablehlo.OPS))}. Whole networks beside "
          f"JAX: {', '.join(networks)}.\n\nNot these: {', '.join(sorted(stablehlo.REFUSED))}, and what else has complex "
          "numbers.")


if __name__ == "__main__":
    main()
