# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs from PyTorch and inside of PyTorch. Needs torch.

A module goes through `torch.export`, whose graph of ATen is compiled. Names and ranges of the
user's `Dim`s become symbols and facts; weights stay where the module has them.
"""

from __future__ import annotations

import functools
import logging
import re
import threading

from . import _exported
from ._errors import CompileError, GuardError, InputError
from ._options import read_facts
from ._program import Program, loads
from ._torch_check import compare_at_example
from ._torch_export import Exported, export, functional, needless, without
from ._torch_program import TorchProgram, plain

log = logging.getLogger("symshape.torch")

# Tensors of fewer bytes stay in the model, where the importer may look at them.
WEIGHT_BYTES = 1024


def _take(model, wanted):
    """Makes initializers of an onnx_ir model inputs; gives their arrays by name."""
    taken = {}
    graph = model.graph
    for name, value in list(graph.initializers.items()):
        tensor = value.const_value
        if tensor is None or not wanted(name, tensor):
            continue
        taken[name] = tensor.numpy()
        value.shape, value.dtype = tensor.shape, tensor.dtype
        del graph.initializers[name]
        value.const_value = None
        graph.inputs.append(value)
    return taken


def _is_large(_, tensor):
    return tensor.nbytes >= WEIGHT_BYTES and tensor.dtype.is_floating_point()


def _through_onnx(module, args, dynamic_shapes, kwargs, parameters, name, options):
    if not hasattr(module, "named_parameters"):
        raise InputError(f"expected a module, a torch.nn.Module, but got {module!r}")
    try:
        import onnx_ir
        import onnxscript  # noqa: F401, which the export needs
    except ImportError as error:
        raise ImportError(f"exporter=\"onnx\" needs onnx and onnxscript, but {error}: "
                          "pip install onnx onnxscript") from error
    from ._export import export
    exported = export(module, tuple(args), kwargs, dynamic_shapes)
    names = {one for one, _ in module.named_parameters()} if parameters == "inputs" else set()
    inputs = _take(exported.model, lambda one, _: one in names)
    weights = _take(exported.model, _is_large)
    facts = [*exported.facts, *read_facts(options.pop("facts", ()))]
    model = onnx_ir.to_proto(exported.model).SerializeToString()
    program = loads(model, format="onnx", name=name or f"{type(module).__name__}.onnx", facts=facts,
                    weights=weights, **options)
    program.parameters = list(inputs)
    program._module = module  # whose memory it shares
    return program


def _compile(made, parameters, asserts, facts, name, options):
    """A program, and how its archive was written. Ops that the compiler does not have are decomposed."""
    tried: set[str] = set()
    while True:
        only = asserts == "user"
        write = functools.partial(_exported.write, made.program, names=made.names, parameters=parameters,
                                  drop=needless(made) if only else (), sizes=made.sizes if only else ())
        archive = write()
        weights = {one: plain(tensor) for one, tensor in archive.weights.items()}
        try:
            return loads(archive.data, name=name, facts=facts, weights=weights, **options), archive, write
        except CompileError as error:
            ops = set(re.findall(r"^  (\w+\.\w+\.\w+): \d+ node", str(error), re.MULTILINE)) - tried
            simpler = without(made.program, ops) if ops else None
            if simpler is None:
                raise
            log.info("decomposed, as there is no entry for them: %s", ", ".join(sorted(ops)))
            tried |= ops
            made.program = simpler


def _natively(module, args, dynamic_shapes, kwargs, parameters, asserts, name, options, oblivious):
    import torch
    if isinstance(module, torch.export.ExportedProgram):
        if dynamic_shapes is not None:
            raise InputError("expected no dynamic_shapes with an exported program, which has its own")
        made, what = Exported(functional(module)), "exported"
    else:
        made = export(module, tuple(args), kwargs, dynamic_shapes, oblivious, asserts)
        what = module.__name__ if hasattr(module, "__name__") else type(module).__name__
    facts = [*made.facts, *read_facts(options.get("facts", ()))]
    options = {key: value for key, value in options.items() if key != "facts"}
    program, archive, write = _compile(made, parameters, asserts, facts, name or f"{what}.pt2", options)
    program.__class__ = TorchProgram
    return program._dress_as(module, made.program, archive, write)


def from_torch(module, args=(), dynamic_shapes=None, *, kwargs=None, parameters="weights", exporter="aten", asserts="user",
               check=True, name=None, **options) -> Program:
    """Exports a module or a function of PyTorch, and compiles it for all shapes that its dims allow.

    module          a `torch.nn.Module`, a function of tensors, or a `torch.export.ExportedProgram`
    args, kwargs    example arguments: tensors, trees of them such as lists, dictionaries and
                    caches, and numbers, which are part of the program; sizes do not matter
                    unless a dim is not in dynamic_shapes
    dynamic_shapes  as for `torch.export.export`: names of arguments and the dims of each
                    that are `Dim`s, or hints such as `Dim.AUTO`
    parameters      "weights": they are bound once; those of 1 KiB and more share the module's
                    memory. Do not change them while the program is used: it may have packed
                    some (`program.load_state_dict` takes others). "inputs": the parameters that
                    are used are inputs after the others, `program.parameters` has their names
    exporter        "aten": the exported program is read as it is; "onnx": it goes through
                    `torch.onnx.export`, which drops conditions on data
    asserts         "user": calls are checked for what code of the module asks of sizes, and for
                    what the program needs; "all": for all that the exporter asserts, too, such as
                    that a size is not that of a view (what is left out is told to the logger
                    `symshape.guards`)
    check           whether results at the example are compared with the module's
    name            stands for the file in messages (default: the name of the class)
    options         those of `symshape.load`

    The module is exported in evaluation mode, on the CPU. Raises what `torch.export` does
    where it cannot be exported, and CompileError where an op has no lowering. Names of
    `Dim`s are those of the program's symbols; a call that breaks their ranges or what the
    module needs is a GuardError, and so is one for which Python code of the module would
    take another branch than for the example.
    """
    if not callable(module):  # as an exported program is, too
        raise InputError(f"expected a module, a function or an exported program, but got {module!r}")
    try:
        import torch
    except ImportError as error:
        raise ImportError(f"from_torch needs torch, but {error}: pip install 'symshape[torch]'") from error
    if parameters not in ("weights", "inputs"):
        raise InputError(f"expected parameters to be 'weights' or 'inputs', but got {parameters!r}")
    if exporter not in ("aten", "onnx"):
        raise InputError(f"expected exporter to be 'aten' or 'onnx', but got {exporter!r}")
    if asserts not in ("user", "all"):
        raise InputError(f"expected asserts to be 'user' or 'all', but got {asserts!r}")
    if exporter == "onnx":
        return _through_onnx(module, args, dynamic_shapes, kwargs, parameters, name, options)
    is_exported = isinstance(module, torch.export.ExportedProgram)

    def compiled(oblivious):
        program = _natively(module, args, dynamic_shapes, kwargs, parameters, asserts, name, options, oblivious)
        if check and not is_exported:
            compare_at_example(program, module, tuple(args), kwargs or {})
        return program

    try:
        return compiled(oblivious=asserts == "user")
    except (CompileError, GuardError) as error:
        if is_exported or asserts == "all":
            raise
        refusal = error
    # Where the number of axes of a result depends on whether a size is 1, there may be
    # no program for all sizes, but one for those that are neither 0 nor 1.
    try:
        program = compiled(oblivious=False)
    except Exception:
        raise refusal from None
    log.info("exported for sizes of at least 2: %s", refusal)
    return program


def as_function(program: Program):
    """A function of tensors that runs `program`, and that PyTorch can differentiate, any number of times.

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
                derived[wanted] = as_function(program.vjp(wrt=names, results=floats))
            return derived[wanted]

    def run(called, tensors):
        return [torch.from_dlpack(one) for one in called.dlpack(*(tensor.detach() for tensor in tensors))]

    class Call(torch.autograd.Function):
        @staticmethod
        def forward(context, *tensors):
            results = run(program, tensors)
            # A result that the context held would hold the context: their memory would wait for the collector.
            context.save_for_backward(*tensors)
            context.mark_non_differentiable(
                *(one for number, one in enumerate(results) if number not in floats))
            return results[0] if len(results) == 1 else tuple(results)

        @staticmethod
        def backward(context, *cotangents):
            wanted = tuple(number for number, needs in enumerate(context.needs_input_grad) if needs)
            given = [cotangents[number] for number in floats]  # PyTorch makes zeros of what is missing
            results = derivative(wanted)(*context.saved_tensors, *given)
            gradients = [None] * len(context.needs_input_grad)
            for number, gradient in zip(wanted, results[len(program._result_types):]):
                gradients[number] = gradient
            return tuple(gradients)

    def call(*tensors):
        return Call.apply(*tensors)

    return call


__all__ = ["as_function", "from_torch"]
