# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`symshape-onnx show` of each model of a folder, beside what its bytes say, and its text beside its JSON.

    check_show.py FOLDER
"""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

from onnx_file import field, fields

ELEMENTS = {1: "f32", 2: "ui8", 3: "i8", 6: "i32", 7: "i64", 9: "i1", 10: "f16", 11: "f64"}
BYTES = {1: 4, 2: 1, 3: 1, 6: 4, 7: 8, 8: 0, 9: 1, 10: 2, 11: 8}
GRAPH, OPSET, FUNCTION = 7, 8, 25
NODE, INITIALIZER, INPUT = 1, 5, 11


def graphs(graph):
    """The graph, and those in attributes of its nodes."""
    yield graph
    for number, node in fields(graph):
        for each, attribute in fields(node) if number == NODE else ():
            for kind, inner in fields(attribute) if each == 5 else ():
                if kind == 6:
                    yield from graphs(inner)


def tensors(graph):
    """Initializers, and values of nodes `Constant`."""
    for number, each in fields(graph):
        if number == INITIALIZER:
            yield each
        elif number == NODE and field(each, 4) == b"Constant":
            yield from (field(attribute, 5) for kind, attribute in fields(each) if kind == 5 and field(attribute, 5))


def read(data):
    """Inputs that are no initializers, nodes, parameters, bytes, and opsets, as the file has them."""
    graph = field(data, GRAPH)
    stored = {field(tensor, 8) for number, tensor in fields(graph) if number == INITIALIZER}
    inputs = []
    for number, info in fields(graph):
        if number == INPUT and field(info, 1) not in stored:
            type_ = field(field(info, 2), 1)
            dims = [dict(fields(dim)) for each, dim in fields(field(type_, 2)) if each == 1]
            inputs.append((field(info, 1), field(type_, 1, 0), [dim.get(1, dim.get(2)) for dim in dims]))
    nodes = parameters = size = 0
    for inner in graphs(graph):
        for number, each in fields(inner):
            nodes += number == NODE
        for tensor in tensors(inner):
            count = math.prod(extent for key, extent in fields(tensor) if key == 1)
            parameters += count
            size += count * BYTES[field(tensor, 2, 0)]
    opsets = {field(each, 1).decode() or "ai.onnx": field(each, 2, 0) for number, each in fields(data) if number == OPSET}
    return inputs, nodes, parameters, size, opsets


def line_of(one):
    extents = one["extents"]
    shape = "" if extents is None else "[" + ", ".join("?" if each is None else str(each) for each in extents) + "] "
    end = " of unknown rank" if extents is None else ", as it is declared" if one.get("isDeclared") else ""
    return f"  {one['name']}: {shape}" + (one["element"] + end if one["element"] else "unknown")


def text_of(found, data):
    """The lines that the text must end with."""
    nodes, parameters = found["numNodes"], found["parameters"]
    plural = lambda count, word: f"{count} {word}" + ("" if count == 1 else "s")
    opsets = "".join(f", {'opset' if domain == 'ai.onnx' else domain} {version}" for domain, version in data[4].items())
    return ["inputs:", *map(line_of, found["inputs"]), "outputs:", *map(line_of, found["outputs"]),
            f"{plural(nodes, 'node')}, {plural(parameters['count'], 'parameter')} ({plural(parameters['bytes'], 'byte')})"
            + (f", {plural(found['numFunctions'], 'function')}" if found["numFunctions"] else "") + opsets,
            *found["sentence"].splitlines()]


def compare(path, text, found, checked):
    """What differs."""
    data = read(path.read_bytes())
    inputs, nodes, parameters, size, opsets = data
    if found["numNodes"] != nodes or found["parameters"] != {"count": parameters, "bytes": size} or found["opsets"] != opsets:
        yield f"{found['numNodes']} nodes, {found['parameters']}, {found['opsets']} beside {nodes}, {parameters}, {size}, {opsets}"
    if len(found["inputs"]) != len(inputs):
        yield f"{len(found['inputs'])} inputs beside {len(inputs)}"
    for one, (name, kind, dims) in zip(found["inputs"], inputs):
        if name.isascii() and one["name"] != name.decode("ascii") or one["element"] != ELEMENTS.get(kind, one["element"]):
            yield f"{one} beside {name}, {kind}"
        for got, dim in zip(one["extents"] or (), dims):
            is_name = isinstance(dim, bytes) and re.fullmatch(rb"[A-Za-z][A-Za-z ]*", dim)
            if isinstance(dim, int) and got != dim or is_name and got != dim.decode():
                yield f"{name}: {got} beside {dim}"
    lines = text.splitlines()
    wanted = text_of(found, data)
    if lines[-len(wanted):] != wanted:
        yield f"the text ends with {lines[-len(wanted):]} beside {wanted}"
    if checked.stdout and not checked.stdout.startswith(found["sentence"] + "\n"):
        yield f"{found['sentence']} beside {checked.stdout.splitlines()[0]}"


def run(*arguments):
    return subprocess.run(["symshape-onnx", *arguments], capture_output=True, text=True, check=False)


def main():
    wrong, shown = [], 0
    paths = sorted(Path(sys.argv[1]).glob("*.onnx"))
    for path in paths:
        text, printed, checked = run("show", path, "--all"), run("show", path, "--json"), run("check", path)
        if text.returncode != printed.returncode or bool(text.stdout) != bool(checked.stdout):
            wrong.append(f"{path.name}: exit status {text.returncode} and {printed.returncode}")
        if text.returncode == 0:
            shown += 1
            wrong += [f"{path.name}: {each}" for each in compare(path, text.stdout, json.loads(printed.stdout), checked)]
    print("\n".join(wrong))
    print(f"{len(paths)} models, {shown} shown, {len(wrong)} wrong")
    return bool(wrong) or shown < 40


if __name__ == "__main__":
    sys.exit(main())
