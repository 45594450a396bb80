# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metadata cases of the test vectors: extents that inference must find.

An extent is a pair (kind, text), kind being `exact`, `upper_bound` or `unknown`.
A size operand `%s` of an expected `size(%s)` is the extent S of a tensor.
"""

import re

from vector_programs import Unsupported, array, listed

ANNOTATED = re.compile(r"symshape\.extents = \[#symshape\.shape<\[(.*?)\]>\]")


def spell(extent):
    kind = extent[0]
    return "?" if kind == "unknown" else f'"<= {extent[1]}"' if kind == "upper_bound" else str(extent[1])


def tensor(extents):
    return "tensor<" + "".join(f"{e[1] if e[0] == 'exact' and isinstance(e[1], int) else '?'}x"
                               for e in extents) + "f64>"


def dynamic(rank):
    return "tensor<" + "?x" * rank + "f64>"


def body(case, types):
    """The op that is asked about, and the type of its result."""
    op, attrs, rank = case["op"], case["attrs"], len(case["output_extents"][0])
    result = dynamic(rank)
    if op in ("dynamic_truncate", "expr_min"):
        size = ("%n", "") if "%n" in types else ("%x1", f", {types['%x1']}")
        return (f"symshape.dynamic_truncate %x0, {size[0]} axis {attrs.get('axis', 0)} : {types['%x0']}"
                f"{size[1]} to {result}"), result
    if op in ("pad_to_match", "expr_max"):
        return (f"symshape.pad_to_match %x0, %x1 axis {attrs.get('axis', 0)} : {types['%x0']}, {types['%x1']} "
                f"to {result}"), result
    if op in ("concatenate", "expr_add"):
        return (f"tensor.concat dim({attrs.get('axis', 0)}) %x0, %x1 : ({types['%x0']}, {types['%x1']}) -> "
                f"{result}"), result
    if op == "gather":
        indices = types["%x1"].replace("f64", "i64")
        result = "tensor<?" + "".join(f"x{size}" for d, size in enumerate(attrs["slice_sizes"])
                                      if d not in attrs["collapsed_slice_dims"]) + "xf64>"
        keys = ("offset_dims", "collapsed_slice_dims", "start_index_map")
        text = ", ".join(f"{key} = {array(attrs[key])}" for key in keys)
        return (f"symshape.gather clip %x0[%x1] slice_sizes {listed(attrs['slice_sizes'])} {{{text}, "
                f"index_vector_dim = {attrs['index_vector_dim']} : i64}} : {types['%x0']}[{indices}] to "
                f"{result}"), result
    raise Unsupported(f"op {op}")


def transpose(case, types):
    perm = case["attrs"]["perm"]
    shape = re.findall(r"(\?|\d+)x", types["%x0"])
    result = "tensor<" + "".join(f"{shape[p]}x" for p in perm) + "f64>"
    lines, sizes = [], []
    for axis, p in enumerate(perm):
        if shape[p] == "?":
            lines.append(f"  %c{axis} = arith.constant {p} : index")
            lines.append(f"  %d{axis} = tensor.dim %x0, %c{axis} : {types['%x0']}")
            sizes.append(f"%d{axis}")
    lines.append(f"  %init = tensor.empty({', '.join(sizes)}) : {result}")
    lines.append(f"  %r = linalg.transpose ins(%x0 : {types['%x0']}) outs(%init : {result}) "
                 f"permutation = {listed(perm)}")
    return lines, result


def build(case):
    """The module of a metadata case, whose last op is the one that is asked about."""
    arguments, lines, types = [], [], {}
    named = "size(%s)" in str(case["output_extents"])
    for number, extents in enumerate(case["input_extents"]):
        name, type_ = f"%x{number}", tensor(extents)
        types[name] = type_
        if not extents and named:
            arguments.append("%s: tensor<?xi1> {symshape.shape = #symshape.shape<[S]>}")
            lines += ["  %c = arith.constant 0 : index", "  %n = tensor.dim %s, %c : tensor<?xi1>"]
            types["%n"] = "index"
            continue
        if case["op"] == "gather" and number == 1:
            type_ = type_.replace("f64", "i64")
        shape = f" {{symshape.shape = #symshape.shape<{listed(map(spell, extents))}>}}" if extents else ""
        arguments.append(f"{name}: {type_}{shape}")
    if case["op"] == "expr_min":
        lines += ["  %c = arith.constant 0 : index", f"  %n = tensor.dim %x1, %c : {types['%x1']}"]
        types["%n"] = "index"
    if case["op"] == "transpose":
        more, result = transpose(case, types)
        lines += more
    else:
        text, result = body(case, types)
        lines.append(f"  %r = {text}")
    return "\n".join([f"func.func @main({', '.join(arguments)}) -> {result} {{", *lines,
                      f"  return %r : {result}", "}"]) + "\n"


def inferred(text):
    """The extents of the last op that has them, casts apart, as pairs."""
    lines = [line for line in text.splitlines() if "= tensor.cast" not in line]
    found = ANNOTATED.findall("\n".join(lines))[-1]
    extents = []
    for part in re.split(r",\s*(?![^(]*\))", found):
        part = part.strip().strip('"')
        extents.append(("unknown", "") if part == "?" else ("upper_bound", part[2:].strip())
                       if part.startswith("<=") else ("exact", part))
    return extents


def question(got, expected):
    """The relation that shows that `got` says at least `expected`; None: it does not,
    an empty text: nothing is to be shown."""
    if expected[0] == "unknown":
        return ""
    wanted = str(expected[1]).replace("size(%s)", "S")
    if got[0] == "unknown" or (expected[0] == "exact" and got[0] != "exact"):
        return None
    return f"prove {got[1]} {'==' if expected[0] == 'exact' else '<='} {wanted}"
