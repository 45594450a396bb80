# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.compile(model, backend="symshape", dynamic=True)`.

PyTorch cuts a model into graphs, decides when each serves a call, and makes them functions of
ATen without changes in place; each is compiled once for all sizes of its open dims. A graph
that cannot be compiled runs as PyTorch would run it, and the logger `symshape.torch` is told.
"""

from __future__ import annotations

import copy
import json
import logging
import operator

from . import _exported
from ._errors import Error
from ._program import loads
from ._torch_views import take_inputs, take_results

log = logging.getLogger("symshape.torch")


def _describe(one):
    """An argument or a result of a graph, as a signature of the schema has it."""
    import torch
    value = one.meta["val"] if isinstance(one, torch.fx.Node) else one
    if isinstance(value, torch.Tensor):
        return {"as_tensor": {"name": one.name}}
    if isinstance(value, torch.SymInt):
        return {"as_sym_int": {"as_name": one.name}}
    if value is None:
        return {"as_none": True}
    if type(value) is int:
        return {"as_int": value}
    raise Error(f"expected tensors and sizes, but got {type(value).__name__}")


def _archive(graph_module):
    """The archive of a graph of ATen, and of each result what it is."""
    from torch._export.serde import schema, serialize
    from torch.export.graph_signature import ExportGraphSignature
    arguments = [_describe(node) for node in graph_module.graph.nodes if node.op == "placeholder"]
    (output,) = (node for node in graph_module.graph.nodes if node.op == "output")
    results = [_describe(one) for one in output.args[0]]
    _exported.write_sizes(graph_module.graph)
    for node in graph_module.graph.nodes:  # not in the form that a file has it, and not needed
        node.meta.pop("nn_module_stack", None)
    serializer = serialize.GraphModuleSerializer(ExportGraphSignature([], []), [])
    graph = json.loads(json.dumps(serialize._dataclass_to_dict(serializer.serialize_graph(graph_module)),
                                  cls=serialize.EnumEncoder))
    signature = {"input_specs": [{"user_input": {"arg": one}} for one in arguments],
                 "output_specs": [{"user_output": {"arg": one}} for one in results]}
    major, minor = schema.SCHEMA_VERSION
    document = {"graph_module": {"graph": graph, "signature": signature, "module_call_graph": []},
                "opset_version": {"aten": 10}, "range_constraints": {}, "verifiers": [], "guards_code": [],
                "schema_version": {"major": major, "minor": minor}, "torch_version": ""}
    return _exported.pack(document, {}, {}), [next(iter(one)) for one in results]


def _lift_constants(graph_module):
    """Makes the tensors that a graph holds inputs behind the others; gives them."""
    import torch
    graph, constants = graph_module.graph, []
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    held = [(node, operator.attrgetter(node.target)(graph_module)) for node in graph.nodes if node.op == "get_attr"]
    for node, value in held:
        if not isinstance(value, torch.Tensor):  # the graph of a branch
            continue
        constants.append(value)
        with graph.inserting_after(inputs[-1]) if inputs else graph.inserting_before(next(iter(graph.nodes))):
            made = graph.placeholder(f"constant_{len(constants)}")
        made.meta = dict(node.meta)
        made.meta.setdefault("val", value)
        node.replace_all_uses_with(made)
        graph.erase_node(node)
        inputs.append(made)
    if constants:
        graph_module.recompile()
    return constants


def compile_graph(graph_module, example_inputs, **options):
    """A function of the list of inputs of a graph of ATen."""
    import torch
    from torch._functorch.aot_autograd import make_boxed_func
    constants = []
    try:
        constants = _lift_constants(graph_module)
        computed = torch.fx.GraphModule(graph_module, copy.deepcopy(graph_module.graph))
        views, orders = take_results(computed), take_inputs(computed)
        data, kinds = _archive(computed)
        program = loads(data, name="graph.pt2", **options)
    except Exception as error:  # whatever a graph has that has no form here
        log.warning("a graph runs without symshape: %s", " ".join(str(error).splitlines()[:2]))
        return make_boxed_func(lambda *inputs: graph_module.forward(*inputs, *constants))

    has_tensors = any(isinstance(one, torch.Tensor) for one in (*example_inputs, *constants))

    def run(*inputs):
        given = [*inputs, *constants]
        taken = list(given)
        for number, order in orders.items():
            taken[number] = taken[number].permute(order)
        # Where no input is a tensor, a call would give arrays of NumPy, which has no bf16.
        results = iter(program(*taken) if has_tensors else map(torch.from_dlpack, program.dlpack(*taken)))
        return [view(given) if view is not None else None if kind == "as_none" else
                next(results) if kind == "as_tensor" else int(next(results)) for view, kind in zip(views, kinds)]

    return make_boxed_func(run)


def _attend(query, key, value, width, heads, weights, biases, mask, mask_type):
    """The heads of attention side by side, and the share of each key; a mask is true where a key is not seen."""
    import torch
    from torch.nn import functional
    batch = query.shape[0]
    parts = (functional.linear(one, weight, bias).view(batch, one.shape[1], heads, width // heads).transpose(1, 2)
             for one, weight, bias in zip((query, key, value), weights.chunk(3), biases.chunk(3)))
    query, key, value = parts
    scores = query @ key.transpose(-2, -1) * (width // heads) ** -0.5
    if mask is not None:
        mask = mask.to(torch.bool)  # of queries and keys; of a batch and keys; of all
        scores = scores.masked_fill(mask.view(batch, 1, 1, -1) if mask_type == 1 else mask, float("-inf"))
    shares = scores.softmax(-1)
    return (shares @ value).transpose(1, 2).reshape(batch, -1, width), shares


def _attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask=None,
               need_weights=True, average_attn_weights=True, mask_type=None):
    from torch.nn import functional
    made, shares = _attend(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, mask, mask_type)
    shares = shares.mean(1) if average_attn_weights else shares
    return functional.linear(made, proj_weight, proj_bias), shares if need_weights else None


def _encoder_layer(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps,
                   norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2,
                   ffn_bias_2, mask=None, mask_type=None):
    from torch.nn import functional

    def attend(x):
        made = _attend(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, mask, mask_type)[0]
        return functional.linear(made, proj_weight, proj_bias)

    def feed(x):
        inner = functional.linear(x, ffn_weight_1, ffn_bias_1)
        inner = functional.gelu(inner) if use_gelu else inner.relu()
        return functional.linear(inner, ffn_weight_2, ffn_bias_2)

    for part, weight, bias in ((attend, norm_weight_1, norm_bias_1), (feed, norm_weight_2, norm_bias_2)):
        shape = (embed_dim,)
        if norm_first:
            src = src + part(functional.layer_norm(src, shape, weight, bias, eps))
        else:
            src = functional.layer_norm(src + part(src), shape, weight, bias, eps)
    return src


def _decompositions():
    """Those of core ATen, of derivatives, and of layers in one op, which PyTorch has for inference."""
    from torch._decomp import core_aten_decompositions, get_decompositions
    from torch.ops import aten
    more = [aten.embedding_dense_backward, aten.native_batch_norm_backward, aten.native_dropout_backward,
            aten.native_group_norm_backward, aten.native_layer_norm_backward]
    layers = {aten._native_multi_head_attention.default: _attention,
              aten._transformer_encoder_layer_fwd.default: _encoder_layer}
    return {**core_aten_decompositions(), **get_decompositions(more), **layers}


def backend(graph_module, example_inputs, *, mode=None, options=None):
    """What `torch.compile` calls; `options` are those of `symshape.load`."""
    import contextlib

    import torch
    from torch._dynamo.backends.common import aot_autograd
    from torch.nn.attention import SDPBackend, sdpa_kernel
    given = dict(options or {})

    def compiler(graph, inputs):
        return compile_graph(graph, inputs, **given)

    # Attention whose derivative is asked for is traced as the ops that it is made of.
    tracing = sdpa_kernel(SDPBackend.MATH) if torch.is_grad_enabled() else contextlib.nullcontext()
    with tracing:
        return aot_autograd(fw_compiler=compiler, inference_compiler=compiler, bw_compiler=compiler,
                            decompositions=_decompositions())(graph_module, example_inputs)


__all__ = ["backend", "compile_graph"]
