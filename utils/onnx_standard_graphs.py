# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws of ops that a node with tensors alone does not call: those with graphs, of sequences and of optional values.

As in onnx_standard_calls.py, which has the others; but a maker here sets `Draw.nodes`, the whole graph, from
`x0`, `x1`, ... to `y0`, `y1`, ..., and may set `Draw.define`, what NumPy gives for the operands of a call.
"""

import numpy as np
from ml_dtypes import bfloat16
from onnx import helper, numpy_helper

from onnx_standard_calls import CODES, DTYPES, I64, ints, makes

#: Ops that no maker draws, and why. A maker for one of them must go with a definition.
WITHOUT = {
    **dict.fromkeys(["Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"],
                    "no definition: random numbers"),
    **dict.fromkeys(["RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"], "no definition: strings"),
    "ImageDecoder": "no definition: compressed images", "MaxRoiPool": "no definition: replaced by RoiAlign",
}


def tensor(name, values):
    return numpy_helper.from_array(np.asarray(values), name)


def element(d):
    """The type of the tensors, also of those in sequences."""
    return DTYPES[next(d.types[name] for name in ("T", "V", "S", "O") if name in d.types)]


def info(name, dtype, dims=None):
    return helper.make_tensor_value_info(name, CODES[np.dtype(dtype).name], dims)


def graph(nodes, outputs, inputs=(), initializers=()):
    """Of a branch or a loop; those of outputs have no extents."""
    return helper.make_graph(nodes, "body", list(inputs), [info(*each) if isinstance(each, tuple) else each for each in outputs],
                             list(initializers))


def changed(d, x, y, tag):
    """A node that may change extents, and reads x; of every type in every version."""
    dtype = element(d)
    kinds = ["Identity", "Transpose", "Slice"]
    if d.version >= 4 and dtype != bfloat16 or d.version >= 13:
        kinds.append("Concat")
    kind = d.pick(*kinds)
    if kind == "Concat":
        return [helper.make_node("Concat", [x, x], [y], axis=0)], []
    if kind == "Slice" and d.version < 10:
        return [helper.make_node("Slice", [x], [y], axes=[0], starts=[1], ends=[9])], []
    if kind == "Slice":
        return [helper.make_node("Slice", [x, tag + "s", tag + "e", tag + "a"], [y])], [
            tensor(tag + "s", [1]), tensor(tag + "e", [9]), tensor(tag + "a", [0])]
    return [helper.make_node(kind, [x], [y])], []


@makes("If")
def branches(d):
    rank, dtype, isNested = d.whole(1, 4), element(d), d.chance(0.3)
    def branch(tag):
        nodes, more = changed(d, "x1", tag, tag)
        return graph(nodes, [(tag, dtype)], initializers=more)
    then, other = branch("t"), branch("e")
    if isNested:
        other = graph([helper.make_node("If", ["x2"], ["n"], then_branch=branch("nt"), else_branch=branch("ne"))], [("n", dtype)])
    d.nodes = [helper.make_node("If", ["x0"], ["y0"], then_branch=then, else_branch=other)]
    while True:
        yield [np.array(d.chance(0.5)), d.array(d.dims(rank), dtype), *([np.array(d.chance(0.5))] if isNested else [])]


@makes("Loop")
def loop(d):
    """The state changes in each turn, or an outer value is appended to it; each turn also yields what it was given."""
    rank, dtype = d.whole(1, 3), element(d)
    hasCount, hasCondition = d.pick((True, True), (True, False), (False, True))
    grows = d.chance(0.5) and (d.version >= 4 and dtype != bfloat16 or d.version >= 13)
    swaps = not grows and rank > 1 and d.chance(0.5)
    isScanned = not grows and not swaps
    nodes = [helper.make_node("Gather", ["x2", "i"], ["more"], axis=0)]
    if grows:
        nodes += [helper.make_node("Concat", ["s", "x1"], ["t"], axis=0)]
    else:
        perm = [1, 0, *range(2, rank)] if swaps else [*range(rank)]
        nodes += [helper.make_node("Transpose", ["s"], ["t"], perm=perm)]
    outputs = [("more", np.bool_, []), ("t", dtype)]
    if isScanned:
        nodes += [helper.make_node("Identity", ["s"], ["u"])] if dtype != bfloat16 or d.version >= 13 else \
            [helper.make_node("Transpose", ["s"], ["u"], perm=[*range(rank)])]
        outputs.append(("u", dtype))
    d.outputs = 1 + isScanned
    inputs = [info("i", I64, []), info("c", np.bool_, []), info("s", dtype)]
    d.nodes = [helper.make_node("Loop", ["x3" if hasCount else "", "x4" if hasCondition else "", "x0"], [f"y{i}" for i in range(d.outputs)],
                                body=graph(nodes, outputs, inputs))]

    def define(state, added, flags, count=None, goes=None):
        """Without a condition, that of the body is ignored. No turn gives no element, whose extents are still known."""
        turn, given = 0, [np.zeros([0, *state.shape], state.dtype)]
        while (count is None or turn < count) and (goes is None or goes):
            given += [state[None]] if isScanned else []
            state = np.concatenate([state, added]) if grows else state.swapaxes(0, 1) if swaps else state
            goes, turn = (None if goes is None else flags[turn]), turn + 1
        return [state, *([np.concatenate(given)] if isScanned else [])]

    d.define = define
    while True:
        side = d.extent()
        dims = [side] * min(rank, 2) + d.dims(rank - 2) if rank > 1 else [side]
        other = [d.extent() if grows else dims[0], *dims[1:]]
        flags = np.append(d.random.random(6) < 0.8, False)
        yield [d.array(dims, dtype), d.array(other, dtype) if grows else None, flags,
               np.array(d.whole(0, 6), I64) if hasCount else None, np.array(d.chance(0.8)) if hasCondition else None]


@makes("Scan")
def scan(d):
    """The state is the element before."""
    rank, dtype = d.whole(1, 3), element(d)
    def copy(x, y):
        return helper.make_node("Transpose", [x], [y], **({"perm": [*range(rank - 1)]} if rank > 1 else {}))
    inputs = [info("s", dtype), info("e", dtype)]
    body = graph([copy("e", "t"), copy("s", "u")], [("t", dtype), ("u", dtype)], inputs)
    attributes = {"num_scan_inputs": 1}
    d.outputs = 2
    if d.version == 8:
        isGiven = d.chance(0.5)
        if d.chance(0.5):
            attributes["directions"] = [d.whole(0, 1)]

        def define(lengths, state, x):
            y, given = state.copy(), np.zeros(x.shape, x.dtype)
            for n, length in enumerate([x.shape[1]] * x.shape[0] if lengths is None else lengths):
                rows = x[n, :length][::-1 if attributes.get("directions") == [1] else 1]
                y[n], given[n, :length] = rows[-1], np.concatenate([state[n][None], rows[:-1]])
            return [y, given]

        d.define = define
        d.nodes = [helper.make_node("Scan", ["x0" if isGiven else "", "x1", "x2"], ["y0", "y1"], body=body, **attributes)]
        while True:
            dims = [d.extent(1), d.extent(1), *d.dims(rank - 1)]
            yield [d.random.integers(1, dims[1] + 1, dims[:1]).astype(I64) if isGiven else None,
                   d.array([dims[0], *dims[2:]], dtype), d.array(dims, dtype)]
    axis = d.whole(-rank, rank - 1)
    out = d.whole(0, rank - 1)
    for name, value in (("scan_input_axes", axis if d.version >= 11 else axis % rank), ("scan_input_directions", d.whole(0, 1)),
                        ("scan_output_axes", out), ("scan_output_directions", d.whole(0, 1))):
        if d.chance(0.6):
            attributes[name] = [value]
    axis = attributes.get("scan_input_axes", [0])[0] % rank

    def define(state, x):
        rows = np.moveaxis(x, axis, 0)[::-1 if attributes.get("scan_input_directions") == [1] else 1]
        given = np.stack([state, *rows[:-1]])[::-1 if attributes.get("scan_output_directions") == [1] else 1]
        return [rows[-1], np.moveaxis(given, 0, attributes.get("scan_output_axes", [0])[0])]

    d.define = define
    d.nodes = [helper.make_node("Scan", ["x0", "x1"], ["y0", "y1"], body=body, **attributes)]
    while True:
        dims = d.dims(rank)
        dims[axis] = max(1, dims[axis])
        yield [d.array(dims[:axis] + dims[axis + 1:], dtype), d.array(dims, dtype)]


@makes("Constant")
def constants(d):
    names = [name for name in d.schema.attributes if name not in ("value_string", "value_strings", "sparse_value")]
    name, dtype = d.pick(*names), DTYPES[d.types["T"]]
    value = {"value_float": 1.5, "value_int": -7, "value_floats": [0.5, -0.0, float("inf")], "value_ints": [3, -2**63, 2**63 - 1]}.get(name)
    if value is None:
        value = numpy_helper.from_array(np.asarray(d.array(d.dims(d.whole(0, 3)), dtype)), "value")
    d.nodes = [helper.make_node("Constant", [], ["y0"], **{name: value})]
    while True:
        yield []


@makes("SequenceConstruct", "SequenceAt", "SequenceErase", "SequenceInsert", "SequenceLength", "SequenceEmpty", "SequenceMap",
       "ConcatFromSequence")
def sequences(d):
    dtype, count, rank = element(d), d.whole(1, 4), d.whole(1, 3)
    names = [f"x{i}" for i in range(count)]
    nodes, at, length = [helper.make_node("SequenceConstruct", names, ["q"])], d.whole(-count, count - 1), count
    if d.op == "SequenceEmpty":
        nodes = [helper.make_node("SequenceEmpty", [], ["q0"], dtype=CODES[dtype.name]), helper.make_node("SequenceInsert", ["q0", "x0"], ["q"])]
        at, length = d.whole(-1, 0), 1
    elif d.op == "SequenceErase":
        isLast = d.chance(0.3)
        nodes += [helper.make_node("SequenceInsert", ["q", "x0"], ["q1"]),
                  helper.make_node("SequenceErase", ["q1"] if isLast else ["q1", "place"], ["q2"])]
    elif d.op == "SequenceInsert":
        place = d.whole(-count, count)
        nodes.append(helper.make_node("SequenceInsert", ["q", "x0"] if d.chance(0.3) else ["q", "x0", "place"], ["q2"]))
        d.constants["place"], length = np.array(place, DTYPES[d.types["I"]]), count + 1
    elif d.op == "SequenceMap":
        body = graph([helper.make_node("Transpose", ["e"], ["f"])], [("f", dtype)], [info("e", dtype)])
        nodes.append(helper.make_node("SequenceMap", ["q"], ["q2"], body=body))
    last = "q2" if nodes[-1].output[0] == "q2" else "q"
    if d.op == "SequenceErase":
        d.constants["place"] = np.array(d.whole(-count - 1, count), DTYPES[d.types["I"]])
    d.constants["at"] = np.array(at, DTYPES[d.types.get("I", "tensor(int64)")])
    isJoined = d.op == "ConcatFromSequence"
    axis, isNew = d.whole(-rank, rank - 1), isJoined and d.chance(0.4)
    if isJoined:
        nodes.append(helper.make_node("ConcatFromSequence", ["q"], ["y0"], axis=axis, new_axis=int(isNew)))
    else:
        nodes += [helper.make_node("SequenceAt", [last, "at"], ["y0"]), helper.make_node("SequenceLength", [last], ["y1"])]
    d.nodes, d.outputs = nodes, 1 if isJoined else 2
    used = {name for node in nodes for name in node.input}
    while True:
        dims = d.dims(rank)
        shapes = [[d.extent() if not isNew and i == axis % rank else e for i, e in enumerate(dims)] if isJoined else
                  dims if length > 6 else d.dims(rank) for _ in range(count)]
        yield [d.array(shape, dtype) if f"x{i}" in used else None for i, shape in enumerate(shapes)]


@makes("SplitToSequence")
def split_to_sequence(d):
    """How many tensors there are must be known: from a list of parts."""
    rank, parts = d.whole(1, 4), [d.whole(0, 3) for _ in range(d.whole(1, 4))]
    axis = d.whole(-rank, rank - 1)
    d.constants.update({1: np.array(parts, d.dtype(1)), "at": np.array(d.whole(-len(parts), len(parts) - 1), I64)})
    attributes = {"axis": axis} if axis or d.chance(0.5) else {}
    d.nodes, d.outputs = [helper.make_node("SplitToSequence", ["x0", "x1"], ["q"], **attributes),
                          helper.make_node("SequenceAt", ["q", "at"], ["y0"]), helper.make_node("SequenceLength", ["q"], ["y1"])], 2
    while True:
        dims = d.dims(rank)
        dims[axis] = sum(parts)
        yield [d.array(dims), d.constants[1]]


@makes("Optional", "OptionalGetElement", "OptionalHasElement")
def optionals(d):
    dtype, rank = element(d), d.whole(0, 3)
    isBare = d.version >= 18 and d.op != "Optional" and d.chance(0.5)
    nodes = [] if isBare else [helper.make_node("Optional", ["x0"], ["o"])]
    inner = "x0" if isBare else "o"
    if d.op == "OptionalHasElement":
        nodes.append(helper.make_node("OptionalHasElement", [inner], ["y0"]))
    else:
        nodes.append(helper.make_node("OptionalGetElement", [inner], ["y0"]))
    d.nodes = nodes
    # The evaluator has a list of one for an optional value, and takes that for its element.
    d.define = lambda x: [np.asarray(True) if d.op == "OptionalHasElement" else x]
    while True:
        yield [d.array(d.dims(rank), dtype)]


@makes("TfIdfVectorizer")
def grams(d):
    low = d.whole(1, 2)
    high = d.whole(low, 3)
    counts, pool, total = [], [], 0
    for size in range(1, high + 1):
        counts.append(len(pool))
        each = {tuple(d.random.integers(0, 3, size).tolist()) for _ in range(d.whole(1, 4))}
        pool += [number for one in sorted(each) for number in one]
        total += len(each)
    d.attributes.update(mode=d.pick("TF", "IDF", "TFIDF"), ngram_counts=counts, pool_int64s=pool, min_gram_length=low,
                        max_gram_length=high, max_skip_count=d.whole(0, 2),
                        ngram_indexes=[int(i) for i in d.random.permutation(total)])
    if d.chance(0.6):
        d.attributes["weights"] = [float(w) for w in d.random.integers(1, 9, total) / 4]
    rank = d.whole(1, 2)
    while True:
        yield [d.random.integers(0, 3, [*d.dims(rank - 1, 1), d.extent(1)]).astype(d.dtype(0))]


@makes("CausalConvWithState")
def causal_convolution(d):
    bias, state, k = d.chance(0.5), d.chance(0.5), d.whole(1, 4)
    d.set("activation", "silu", "swish", "none")
    d.outputs = 2
    while True:
        b, c, length = d.extent(1, 3), d.extent(1, 4), d.extent(1)
        yield [d.array([b, c, length], wild=False), d.array([c, 1, k], wild=False), d.array([c], wild=False) if bias else None,
               d.array([b, c, k - 1], wild=False) if state else None]


@makes("LinearAttention")
def linear_attention(d):
    rule = d.set("update_rule", "linear", "gated", "delta", "gated_delta") or "gated_delta"
    kv, group = d.whole(1, 2), d.whole(1, 2)
    d.attributes.update(q_num_heads=kv * group, kv_num_heads=kv)
    d.set("scale", 0.0, 0.5)
    d.set("chunk_size", 2, 64)
    state, perKey, isShared = d.chance(0.5), d.chance(0.5), d.chance(0.3)
    d.outputs = 2
    while True:
        b, length, dk, dv = d.extent(1, 3), d.extent(1, 4), d.extent(1, 3), d.extent(1, 3)
        yield [d.array([b, length, kv * group * dk], 0, -1, 1, wild=False), d.array([b, length, kv * dk], 0, -1, 1, wild=False),
               d.array([b, length, kv * dv], 0, -1, 1, wild=False), d.array([b, kv, dk, dv], 3, -1, 1, wild=False) if state else None,
               d.array([b, length, kv * (dk if perKey else 1)], 0, -2, 0, wild=False) if "gated" in rule else None,
               d.array([b, length, 1 if isShared else kv], 0, 0, 1, wild=False) if "delta" in rule else None]


@makes("FlexAttention")
def flexible_attention(d):
    kv, group = d.whole(1, 2), d.whole(1, 2)
    dtype = d.dtype(0)
    d.set("scale", 0.5, 1.0)
    inner = np.float64 if dtype == np.float64 else np.float32
    for name in ("score_mod", "prob_mod"):
        if d.chance(0.5):
            nodes = [helper.make_node(d.pick("Tanh", "Abs", "Identity"), ["s"], ["t"])]
            four = ["B", "H", "L", "S"]
            d.attributes[name] = graph(nodes, [info("t", inner, four)], [info("s", inner, four)])
    while True:
        b, length, keys, width, out = d.extent(1, 3), d.extent(1, 4), d.extent(1, 5), d.extent(1, 4), d.extent(1, 4)
        yield [d.array([b, kv * group, length, width], wild=False), d.array([b, kv, keys, width], wild=False),
               d.array([b, kv, keys, out], wild=False)]
