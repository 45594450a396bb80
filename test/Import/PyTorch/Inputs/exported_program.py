# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes archives as `torch.export.save` does: a zip with the graph as JSON and the bytes of weights."""

import collections
import contextlib
import io
import json
import pickle
import sys
import types
import zipfile

import numpy as np

#: Numbers of the schema.
TYPES = {"uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6, "float32": 7, "float64": 8, "bool": 12}
VERSION = {"major": 8, "minor": 20}
ROOT = "program/"


def symbol(name):
    return f"Symbol('{name}', positive=True, integer=True)"


def size(extent):
    """An extent: a number, the name of a symbol, or an expression as `srepr` of SymPy writes it."""
    if isinstance(extent, int):
        return {"as_int": extent}
    return {"as_expr": {"expr_str": symbol(extent) if extent.isidentifier() else extent, "hint": None}}


class Value:
    """A tensor, integer or condition of a graph."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind


def argument(value):
    if value is None:
        return {"as_none": True}
    if isinstance(value, Value):
        return {f"as_{value.kind}": {"name" if value.kind == "tensor" else "as_name": value.name}}
    if isinstance(value, Program):
        return {"as_graph": {"name": "inner", "graph": value.graph}}
    if isinstance(value, np.dtype):
        return {"as_scalar_type": TYPES[value.name]}
    if isinstance(value, list):
        if value and isinstance(value[0], Value) and value[0].kind == "tensor":
            return {"as_tensors": [{"name": each.name} for each in value]}
        if any(isinstance(each, Value) for each in value):
            return {"as_sym_ints": [argument(each)["as_sym_int"] if isinstance(each, Value) else {"as_int": each}
                                    for each in value]}
        return {"as_ints": value}
    kind = {bool: "bool", int: "int", float: "float", str: "string"}[type(value)]
    return {f"as_{kind}": value}


class Program:
    """The graph of a program; or one that a node has, as an argument of that node."""

    def __init__(self):
        self.graph = {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}, "sym_int_values": {},
                      "sym_bool_values": {}, "is_single_tensor_return": False, "custom_obj_values": {},
                      "sym_float_values": {}}
        self.signature = {"input_specs": [], "output_specs": []}
        self.ranges, self.weights, self.files, self.guards = {}, {}, {}, []
        self.line, self.version = 0, dict(VERSION)

    def tensor(self, name, dtype, extents):
        self.graph["tensor_values"][name] = self.meta(dtype, [size(extent) for extent in extents])
        return Value(name, "tensor")

    @staticmethod
    def meta(dtype, sizes, strides=None, offset=0):
        return {"dtype": TYPES[np.dtype(dtype).name], "sizes": sizes, "requires_grad": False,
                "device": {"type": "cpu", "index": None}, "strides": strides or sizes,
                "storage_offset": {"as_int": offset}, "layout": 7}

    def input(self, name, dtype, extents):
        value = self.tensor(name, dtype, extents)
        self.graph["inputs"].append(argument(value))
        self.signature["input_specs"].append({"user_input": {"arg": argument(value)}})
        return value

    def parameter(self, name, array, strides=None, offset=0, extents=None):
        extents = list(array.shape) if extents is None else extents
        value = self.tensor("p_" + name.replace(".", "_"), array.dtype, extents)
        self.signature["input_specs"].append({"parameter": {"arg": {"name": value.name}, "parameter_name": name}})
        strides = [each // array.itemsize for each in array.strides] if strides is None else strides
        self.weights[name] = {"path_name": f"weight_{len(self.weights)}", "is_param": True, "use_pickle": False,
                              "tensor_meta": self.meta(array.dtype, [size(each) for each in extents],
                                                       [size(each) for each in strides], offset)}
        self.files[f"data/weights/{self.weights[name]['path_name']}"] = array.tobytes()
        return value

    def node(self, target, inputs, outputs):
        self.line += 1
        names = [f"node{self.line}"] if not outputs else [each.name for each in outputs]
        self.graph["nodes"].append({
            "target": target if target.startswith(("_operator", "torch.", "math.")) else f"torch.ops.{target}",
            # Higher-order ops have no schema, and their arguments no names.
            "inputs": [{"name": "" if name.startswith("#") else name, "arg": argument(value), "kind": 1} for name, value in inputs.items()],
            "outputs": [argument(each) for each in outputs],
            "metadata": {"stack_trace": f'  File "/home/user/model.py", line {self.line}, in forward\n    ...'},
            "is_hop_single_tensor_return": None, "name": names[0]})

    def call(self, target, inputs, dtype, extents):
        """A node with one tensor for a result."""
        return self.calls(target, inputs, (dtype, extents))[0]

    def calls(self, target, inputs, *results):
        """A node with several."""
        values = [self.tensor(f"value{len(self.graph['tensor_values'])}", *each) for each in results]
        self.node(target, inputs, values)
        return values

    def integer(self, target, inputs, expression):
        name = f"integer{len(self.graph['sym_int_values'])}"
        self.graph["sym_int_values"][name] = size(expression)
        value = Value(name, "sym_int")
        self.node(target, inputs, [value])
        return value

    def condition(self, target, inputs):
        name = f"condition{len(self.graph['sym_bool_values'])}"
        self.graph["sym_bool_values"][name] = {"as_expr": {"expr_str": "?"}}
        value = Value(name, "sym_bool")
        self.node(target, inputs, [value])
        return value

    def output(self, *values):
        for value in values:
            self.graph["outputs"].append(argument(value))
            self.signature["output_specs"].append({"user_output": {"arg": argument(value)}})

    def model(self):
        return {"graph_module": {"graph": self.graph, "signature": self.signature, "module_call_graph": []},
                "opset_version": {"aten": 10}, "range_constraints": self.ranges, "schema_version": self.version,
                "verifiers": ["TRAINING"], "torch_version": "2.15.0", "guards_code": self.guards}

    def contents(self):
        files = {"archive_format": b"pt2", "archive_version": b"0", "byteorder": b"little",
                 "models/model.json": json.dumps(self.model()).encode(),
                 "data/weights/model_weights_config.json": json.dumps({"config": self.weights}).encode(),
                 "data/constants/model_constants_config.json": b'{"config": {}}', **self.files}
        return {ROOT + name: data for name, data in files.items()}

    def archive(self):
        return pack(self.contents())

    def old_archive(self, **changes):
        """The form before torch 2.8: weights as `torch.save` wrote them."""
        files = {"serialized_exported_program.json": json.dumps({**self.model(), "torch_version": "2.6.0"}).encode(),
                 "serialized_state_dict.pt": self.saved_weights(), "serialized_constants.pt": b"",
                 "serialized_example_inputs.pt": b"", "version": b"8.2"}
        return pack({**files, **changes})

    def saved_weights(self):
        tensors = {name: Tensor(weight["tensor_meta"], self.files["data/weights/" + weight["path_name"]])
                   for name, weight in self.weights.items()}
        stream = io.BytesIO()
        pickler = Pickler(stream, protocol=2)
        with modules_of_torch():
            pickler.dump(tensors)
        files = {"archive/data.pkl": stream.getvalue(), "archive/byteorder": b"little", "archive/version": b"3\n"}
        return pack({**files, **{f"archive/data/{i}": data for i, data in enumerate(pickler.storages)}})


class Tensor:
    """What is pickled as PyTorch pickles a parameter."""

    def __init__(self, meta, data):
        self.meta, self.data = meta, data


class Pickler(pickle.Pickler):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.storages = []

    def persistent_id(self, value):
        if not isinstance(value, tuple) or value[:1] != ("bytes of",):
            return None
        self.storages.append(value[2])
        return ("storage", value[1], str(len(self.storages) - 1), "cpu", len(value[2]))

    def reducer_override(self, value):
        if not isinstance(value, Tensor):
            return NotImplemented
        extents, strides = (tuple(one["as_int"] for one in value.meta[key]) for key in ("sizes", "strides"))
        storage = ("bytes of", STORAGES[value.meta["dtype"]], value.data)
        data = Call(rebuild_tensor, (storage, value.meta["storage_offset"]["as_int"], extents, strides, False,
                                     collections.OrderedDict()))
        return rebuild_parameter, (data, True, collections.OrderedDict())


class Call:
    """What is pickled as the call of a function."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


def named(module, name):
    """A function that pickles as one of PyTorch."""
    def function():
        raise NotImplementedError
    function.__module__, function.__name__, function.__qualname__ = module, name, name
    return function


rebuild_tensor = named("torch._utils", "_rebuild_tensor_v2")
rebuild_parameter = named("torch._utils", "_rebuild_parameter")
STORAGES = {TYPES[dtype]: type(name + "Storage", (), {"__module__": "torch"}) for dtype, name in (
    ("uint8", "Byte"), ("int8", "Char"), ("int16", "Short"), ("int32", "Int"), ("int64", "Long"), ("float16", "Half"),
    ("float32", "Float"), ("float64", "Double"), ("bool", "Bool"))}


@contextlib.contextmanager
def modules_of_torch():
    """Modules in which pickle finds these names."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for storage in STORAGES.values():
        setattr(torch, storage.__name__, storage)
    utils._rebuild_tensor_v2, utils._rebuild_parameter = rebuild_tensor, rebuild_parameter
    sys.modules.update({"torch": torch, "torch._utils": utils})
    try:
        yield
    finally:
        del sys.modules["torch"], sys.modules["torch._utils"]


def pack(files, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()
