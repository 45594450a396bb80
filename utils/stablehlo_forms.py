# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A static test program of StableHLO with open extents: its inputs as arguments, by jaxlib.

What an op cannot do without keeps its type: the extents that it makes are those of its result alone. Extents
of 1 stay, since an open one is never expanded.
"""

import stablehlo_oracle  # sets up jax
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo

# Extents of their results are said by the type of the result.
KEPT = {f"stablehlo.{name}" for name in (
    "constant", "iota", "reshape", "broadcast_in_dim", "broadcast", "slice", "rng_bit_generator", "custom_call",
    "dynamic_reshape", "dynamic_broadcast_in_dim", "dynamic_iota", "real_dynamic_slice", "get_dimension_size",
    "while", "case", "if", "composite", "bitcast_convert", "partition_id", "replica_id", "rng")}


def open_type(type_, keeps_first):
    if not isinstance(type_, ir.RankedTensorType):
        return type_
    tensor = ir.RankedTensorType(type_)
    shape = [extent if extent == 1 or (keeps_first and i == 0) else ir.ShapedType.get_dynamic_size()
             for i, extent in enumerate(tensor.shape)]
    return ir.RankedTensorType.get(shape, tensor.element_type)


def callee_of(op):
    return op.attributes["callee"].value if op.name == "func.call" else ""


def open_block(block, keeps_first):
    for argument in block.arguments:
        argument.set_type(open_type(argument.type, keeps_first))
    for op in block.operations:
        op = op.operation
        if op.name not in KEPT:
            for result in op.results:
                result.set_type(open_type(result.type, keeps_first))


def open_functions(module, keeps_first):
    for function in module.body.operations:
        name = function.attributes["sym_name"].value
        if name in ("inputs", "expected", "main"):
            continue
        block = function.regions[0].blocks[0]
        open_block(block, keeps_first)
        ends = block.operations[len(block.operations) - 1].operands
        type_ = ir.FunctionType.get([argument.type for argument in block.arguments], [end.type for end in ends])
        function.attributes["function_type"] = ir.TypeAttr.get(type_)


def open_main(module, keeps_first):
    """In place of @main, a function of the inputs, whose results are what it compares."""
    old = stablehlo_oracle.entry_of(module)
    body = old.regions[0].blocks[0]
    inputs = next((op.operation for op in body.operations if callee_of(op.operation) == "inputs"), None)
    types = [open_type(result.type, keeps_first) for result in inputs.results] if inputs else []
    old.attributes["sym_name"] = ir.StringAttr.get("old_main")
    with ir.InsertionPoint.at_block_begin(module.body):
        function = func.FuncOp("main", ir.FunctionType.get(types, []), visibility="public")
    block = function.add_entry_block()
    values = dict(zip(inputs.results, block.arguments)) if inputs else {}
    results = []
    with ir.InsertionPoint(block):
        for op in body.operations:
            op = op.operation
            if op.name == "stablehlo.custom_call" and op.attributes["call_target_name"].value.startswith("check."):
                results.append(values[op.operands[0]])
            elif callee_of(op) not in ("inputs", "expected") and op.name != "func.return":
                copy = op.clone()
                for i, operand in enumerate(op.operands):
                    if operand in values:
                        copy.operands[i] = values[operand]
                values.update(zip(op.results, copy.results))
        func.ReturnOp(results)
    open_block(block, keeps_first)
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get([argument.type for argument in block.arguments], [value.type for value in results]))
    has_inputs = inputs is not None
    old.erase()
    return has_inputs


def open_form(path, keeps_first):
    """The bytes of the artifact, and whether it has inputs."""
    with jax_mlir.make_ir_context() as context, ir.Location.unknown():
        module = stablehlo.deserialize_portable_artifact(context, path.read_bytes())
        open_functions(module, keeps_first)
        has_inputs = open_main(module, keeps_first)
        return stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version()), has_inputs
