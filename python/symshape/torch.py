# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs from PyTorch and inside of PyTorch. Needs torch, onnx and onnxscript.

A module goes through `torch.export`, then `torch.onnx.export(dynamo=True)`, then the ONNX
door of symshape. Names and ranges of the user's `Dim`s become symbols and facts; weights
stay where the module has them.
"""

from __future__ import annotations

import threading

from ._errors import InputError
from ._program import Program, loads

# Tensors of fewer bytes stay in the model, where the importer may look at them.
WEIGHT_BYTES = 1024


def _export(module, args, kwargs, dynamic_shapes):
    import torch
    was_training = module.training
    module.eval()
    try:
        return torch.onnx.export(module, args, kwargs=kwargs, dynamic_shapes=dynamic_shapes, dynamo=True,
                                 verbose=False)
    finally:
        module.train(was_training)


def _take_weights(model):
    """Makes large initializers of an onnx_ir model inputs; gives their arrays by name."""
    weights = {}
    graph = model.graph
    for name, value in list(graph.initializers.items()):
        tensor = value.const_value
        if tensor is None or tensor.nbytes < WEIGHT_BYTES or not tensor.dtype.is_floating_point():
            continue
        weights[name] = tensor.numpy()
        value.shape, value.dtype = tensor.shape, tensor.dtype
        del graph.initializers[name]
        value.const_value = None
        graph.inputs.append(value)
    return weights


def _declared_dims(dynamic_shapes):
    """The `Dim`s in a structure of dynamic shapes that the user has named, by name."""
    found, waiting = {}, [dynamic_shapes]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one
        elif hasattr(one, "__name__"):
            found[one.__name__] = one
            if hasattr(one, "root"):  # a derived one, such as 2*s
                waiting.append(one.root)
    return found


def _names_of_symbols(program, exported):
    """The names that the model gives to symbols of an exported program, by symbol."""
    values = {node.name: node.meta.get("val") for node in exported.graph.nodes if node.op == "placeholder"}
    names = {}
    for given in program.model.graph.inputs:
        shape = getattr(values.get(given.name), "shape", ())
        for extent, dim in zip(shape, given.shape or ()):
            text = getattr(dim, "value", None)
            if not isinstance(extent, int) and isinstance(text, str) and text.isidentifier():
                names.setdefault(str(extent), text)
    return names


def _ranges(program, dynamic_shapes):
    """Facts for the ranges that the user declares, and those that the export has found out.

    The exporter takes 0 and 1 for special cases unless it is told otherwise: a lower bound
    of 2 that nobody declares is none of the module's.
    """
    exported = program.exported_program
    declared = _declared_dims(dynamic_shapes)
    names = _names_of_symbols(program, exported)
    facts = []
    for symbol, found in exported.range_constraints.items():
        name = names.get(str(symbol))
        if name is None:
            continue
        dim = declared.get(name)
        low = getattr(dim, "min", None) if dim is not None else None
        if low is None and found.lower.is_Integer and found.lower > 2:
            low = found.lower
        if low is not None and int(low) > 0:
            facts.append(f"{name} >= {int(low)}")
        if found.upper.is_Integer and found.upper < 2**48:
            facts.append(f"{name} <= {int(found.upper)}")
    return facts


def from_torch(module, args, dynamic_shapes=None, *, kwargs=None, parameters="weights", name=None,
               **options) -> Program:
    """Exports a module of PyTorch, and compiles it for all shapes that its dims allow.

    args, kwargs    example arguments, tensors; their sizes do not matter unless a dim is
                    not in dynamic_shapes
    dynamic_shapes  as for `torch.export.export`: names of arguments and the dims of each
                    that are `Dim`s
    parameters      "weights": they are bound once, and share the module's memory, so that
                    changes in place are seen unless the program has packed them; "inputs":
                    those of WEIGHT_BYTES or more are inputs after the others
    name            stands for the file in messages (default: the name of the class)
    options         those of `symshape.load`

    The module is exported in evaluation mode, on the CPU. Raises what `torch.export` does
    where it cannot be exported, and CompileError where an op has no lowering. Names of
    `Dim`s are those of the program's symbols; a call that breaks their ranges or what the
    module needs is a GuardError.
    """
    import onnx_ir
    if parameters not in ("weights", "inputs"):
        raise InputError(f"expected parameters to be 'weights' or 'inputs', but got {parameters!r}")
    exported = _export(module, tuple(args), kwargs, dynamic_shapes)
    weights = _take_weights(exported.model)
    facts = [*_ranges(exported, dynamic_shapes), *options.pop("facts", ())]
    model = onnx_ir.to_proto(exported.model).SerializeToString()
    program = loads(model, format="onnx", name=name or f"{type(module).__name__}.onnx", facts=facts,
                    weights=weights if parameters == "weights" else None, **options)
    program._parameters = list(weights)  # names, in the order of the inputs that they may be
    program._module = module  # whose memory it may share
    return program


def as_function(program: Program):
    """A function of tensors that runs `program`, and that PyTorch can differentiate.

    Tensors are exchanged by DLPack, without copies where they are row-major. The program
    of the derivative is compiled when it is first needed. Returns a tensor, or a tuple of
    them if the program has several results. Raises as a call of the program does.
    """
    import torch
    derived = {}
    lock = threading.Lock()
    floats = [number for number, one in enumerate(program._result_types) if one in ("f16", "bf16", "f32", "f64")]

    def derivative(wanted):
        with lock:
            if wanted not in derived:
                names = [program._inputs[number]["name"] for number in wanted]
                derived[wanted] = program.vjp(wrt=names, results=floats)
            return derived[wanted]

    def run(called, tensors):
        return [torch.from_dlpack(one) for one in called.dlpack(*(tensor.detach() for tensor in tensors))]

    class Call(torch.autograd.Function):
        @staticmethod
        def forward(context, *tensors):
            results = run(program, tensors)
            context.save_for_backward(*tensors)
            context.likes = [results[number] for number in floats]
            context.mark_non_differentiable(
                *(one for number, one in enumerate(results) if number not in floats))
            return results[0] if len(results) == 1 else tuple(results)

        @staticmethod
        def backward(context, *cotangents):
            wanted = tuple(number for number, needs in enumerate(context.needs_input_grad) if needs)
            given = [torch.zeros_like(like) if cotangents[number] is None else cotangents[number]
                     for number, like in zip(floats, context.likes)]
            results = run(derivative(wanted), [*context.saved_tensors, *given])
            gradients = [None] * len(context.needs_input_grad)
            for number, gradient in zip(wanted, results[len(program._result_types):]):
                gradients[number] = gradient
            return tuple(gradients)

    def call(*tensors):
        return Call.apply(*tensors)

    return call


__all__ = ["as_function", "from_torch"]
