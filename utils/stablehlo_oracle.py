# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What XLA computes of a dynamic program of StableHLO, by jaxlib, for given extents."""

import itertools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_,
          **{f"{sign}{width}": np.dtype(f"{name}int{width}").type
             for sign, name in (("i", ""), ("ui", "u")) for width in (8, 16, 32, 64)},
          "complex<f32>": np.complex64, "complex<f64>": np.complex128}


def entry_of(module):
    return next(op for op in module.body.operations if op.attributes["sym_name"].value == "main")


def shape_of(type_):
    """Extents, None for an open one, and the type of elements."""
    type_ = ir.RankedTensorType(type_)
    return ([None if type_.is_dynamic_dim(i) else type_.get_dim_size(i) for i in range(type_.rank)],
            DTYPES[str(type_.element_type)])


def serialize(text, version=None):
    """The portable artifact of a module in StableHLO's text, for a version such as "0.9.0"."""
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        return stablehlo.serialize_portable_artifact(ir.Module.parse(text),
                                                     version or stablehlo.get_current_version())


class Artifact:
    """A portable artifact in a context of its own."""

    def __init__(self, data):
        self.context = jax_mlir.make_ir_context()
        with self.context, ir.Location.unknown():
            self.module = stablehlo.deserialize_portable_artifact(self.context, data)
            self.inputs = [shape_of(type_) for type_ in entry_of(self.module).type.inputs]

    def run(self, arguments):
        """The results for NumPy arrays. Raises jax.errors.JaxRuntimeError where XLA refuses them.

        Integers that are scalars become constants, since sizes are computed from them.
        """
        refined = self.refine(arguments)
        client = jax.devices()[0].client
        with self.context, jax.enable_x64(True):
            module = ir.Module.parse(refined)
            devices = _jax.DeviceList(tuple(jax.devices()[:1]))
            program = client.compile_and_load(jax_mlir.module_to_bytecode(module), devices, _jax.CompileOptions())
            given = [jax.device_put(array) for array in arguments if not is_size(array)]
            results = program.execute_sharded(given).disassemble_into_single_device_arrays()
            return [np.asarray(array) for array, in results]

    def refine(self, arguments):
        """The static program for these arguments."""
        with self.context, ir.Location.unknown():
            text = self.with_static_entry(ir.Module.parse(str(self.module)), arguments)
        return _jax.mlir.refine_polymorphic_shapes(text, enable_shape_assertions=True, validate_static_shapes=True,
                                                   enable_shardy=False)

    @staticmethod
    def with_static_entry(module, arguments):
        entry = entry_of(module)
        wanted = entry.type.inputs
        static = [ir.RankedTensorType.get(array.shape, ir.RankedTensorType(type_).element_type)
                  for array, type_ in zip(arguments, wanted, strict=True)]
        entry.attributes["sym_name"] = ir.StringAttr.get("dynamic_main")
        entry.attributes["sym_visibility"] = ir.StringAttr.get("private")
        results = list(entry.type.results)
        own = [type_ for array, type_ in zip(arguments, static) if not is_size(array)]
        with ir.InsertionPoint.at_block_begin(module.body):
            function = func.FuncOp("main", ir.FunctionType.get(own, results), visibility="public")
        with ir.InsertionPoint(function.add_entry_block()):
            rest = iter(function.arguments)
            values = []
            for array, type_ in zip(arguments, wanted):
                if is_size(array):
                    element = ir.RankedTensorType(type_).element_type
                    number = ir.IntegerAttr.get(element, int(array))
                    values.append(stablehlo.constant(ir.DenseElementsAttr.get_splat(type_, number)))
                else:
                    value = next(rest)
                    values.append(value if value.type == type_ else stablehlo.convert(type_, value))
            call = func.CallOp(results, ir.FlatSymbolRefAttr.get("dynamic_main"), values)
            func.ReturnOp(call.results)
        return jax_mlir.module_to_bytecode(module)


def is_size(array):
    return array.shape == () and array.dtype.kind == "i"


def draw(shape, dtype, random):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.random(shape) > 0.5
    if kind in "iu":
        return random.integers(0, 4, shape).astype(dtype)
    if kind == "c":
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)
    return np.asarray(random.standard_normal(shape)).astype(dtype)


def find_calls(artifact, most=200):
    """Arguments at several extents, and what XLA computes of them.

    How the open extents hang together is not said: likely ones are tried, and those kept that XLA refines to
    a static program.
    """
    random = np.random.default_rng(7)
    sizes = [i for i, (shape, dtype) in enumerate(artifact.inputs) if shape == [] and np.dtype(dtype).kind == "i"]
    numbers = range(sum(extent is None for shape, _ in artifact.inputs for extent in shape))
    tried = 0
    for first, second in ((5, 7), (8, 4), (3, 9), (16, 12), (2, 6), (12, 24)):
        likely = (first, second, 2 * first, first + 1, first - 1, 3 * first, first * second)
        for choice in itertools.chain(([value] * len(numbers) for value in likely[:1]),
                                      itertools.product(likely, repeat=len(numbers))):
            tried += 1
            if tried % most == 0:
                break
            extents = iter(choice)
            values = iter((first, second, first + second))
            arguments = []
            for i, (shape, dtype) in enumerate(artifact.inputs):
                if i in sizes:
                    arguments.append(np.array(next(values, first), dtype))
                else:
                    own = [next(extents) if extent is None else extent for extent in shape]
                    arguments.append(draw(own, dtype, random))
            try:
                yield arguments, artifact.run(arguments)
                break
            except (jax.errors.JaxRuntimeError, ir.MLIRError):
                continue
