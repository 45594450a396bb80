# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an exported program of PyTorch to an archive that the compiler reads.

It is what `torch.export.save` writes, but for this: large weights, and parameters and buffers
that calls give, are named without their data; symbols have the names of the user's `Dim`s; a
tensor that the module has twice is there once; what the program changes is a result.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import io
import json
import operator
import re
import zipfile

from ._errors import InputError

ROOT = "program/"
#: Numbers of the schema, and whose tensors may lie outside of the archive.
FLOATS = {6: "f16", 7: "f32", 8: "f64", 13: "bf16"}
#: Tensors of fewer bytes stay in the archive, where the compiler may look at them.
WEIGHT_BYTES = 1024
#: What expressions have other uses for.
WORDS = {"max", "min", "mod", "bc", "floordiv", "ceildiv", "floor", "ceiling", "Max", "Min", "Mod", "and", "or", "not"}


@dataclasses.dataclass
class Archive:
    """The bytes of an archive, and what it leaves to calls."""

    data: bytes
    weights: dict[str, object]  # tensors of torch, by name
    parameters: list[str]  # inputs of calls behind those of the user
    state: dict[str, object]  # buffers that calls change, which are inputs behind these
    written: list[int]  # the inputs of the user that calls change; with the state, the last results
    inputs: list[tuple[str, object]]  # by leaf of the example: the name of the input, or None and a constant


def rename(name, taken=()):
    """A name for a symbol that is like the user's."""
    name = name if name not in WORDS else name + "_"
    while name in taken:
        name += "_"
    return name


def _unwritten(graph):
    import torch
    ops = [operator.abs, *([torch.sym_sum] if hasattr(torch, "sym_sum") else [])]
    return [node for node in graph.nodes if node.target in ops]


def write_sizes(graph):
    """Computes sizes by ops that PyTorch can write alone: `abs` and `sym_sum` are none of them."""
    import torch
    for node in _unwritten(graph):
        def call(op, *operands, node=node):
            with graph.inserting_before(node):
                made = graph.call_function(op, operands)
            values = [one.meta["val"] if isinstance(one, torch.fx.Node) else one for one in operands]
            made.meta = {**node.meta, "val": op(*values)}
            return made
        (given,) = node.args
        made = call(torch.sym_max, given, call(operator.neg, given)) if node.target is operator.abs else \
            functools.reduce(functools.partial(call, operator.add), given)
        node.replace_all_uses_with(made)
        graph.erase_node(node)
        made.name = node.name  # by which a signature calls a result


def _with_flat_arguments(exported):
    """The program whose arguments and results are lists: the archive needs no trees, and PyTorch cannot write all."""
    from torch.utils import _pytree
    root = exported.module_call_graph[0]
    arguments = _pytree.tree_structure(((0,) * len(root.signature.inputs), {}))
    results = _pytree.tree_structure((0,) * len(root.signature.outputs))
    signature = dataclasses.replace(root.signature, in_spec=arguments, out_spec=results)
    made = copy.copy(exported)
    made._module_call_graph = [dataclasses.replace(root, signature=signature)]
    return made


def _document(exported):
    from torch._export.serde import serialize
    exported = _with_flat_arguments(exported)
    if _unwritten(exported.graph):
        exported = copy.deepcopy(exported)
        write_sizes(exported.graph)
    if "serialize_state_dict" in inspect.signature(serialize.serialize).parameters:
        text = serialize.serialize(exported, serialize_state_dict=False, serialize_constants=False).exported_program
        return text if isinstance(text, str) else bytes(text).decode()
    import torch
    stream = io.BytesIO()
    torch.export.save(exported, stream)
    with zipfile.ZipFile(stream) as archive:
        (name,) = (one for one in archive.namelist() if re.search(r"models/[^/]*\.json$", one))
        return archive.read(name).decode()


def _rename_symbols(text, names):
    return re.sub(r"Symbol\('(\w+)'", lambda found: f"Symbol('{names.get(found[1], found[1])}'", text)


def _open(union):
    """The member of a union of the schema that is there."""
    return next(((key, value) for key, value in union.items() if value is not None), (None, None))


def _visit(value, change):
    """Calls `change` for each object in a document that has a name of a tensor."""
    if isinstance(value, dict):
        if "name" in value and len(value) <= 2:
            change(value)
        for each in value.values():
            _visit(each, change)
    elif isinstance(value, list):
        for each in value:
            _visit(each, change)


def _used(graph):
    """The names of tensors that nodes or results read."""
    names = set()
    for node in graph["nodes"]:
        _visit([one["arg"] for one in node["inputs"]], lambda one: names.add(one["name"]))
    _visit(graph["outputs"], lambda one: names.add(one["name"]))
    return names


def _identity(tensor):
    """Equal for tensors that are the same memory, read in the same way."""
    return tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()), tensor.numel() > 0 or id(tensor)


class _Writer:
    def __init__(self, exported, names, parameters, drop, tensors):
        self.tensors = {**exported.state_dict, **exported.constants}
        self.values = self.tensors | tensors
        self.model = json.loads(_rename_symbols(_document(exported), names))
        ranges = self.model["range_constraints"]
        self.model["range_constraints"] = {names.get(name, name): bounds for name, bounds in ranges.items()}
        self.graph = self.model["graph_module"]["graph"]
        self.signature = self.model["graph_module"]["signature"]
        self.as_inputs = parameters == "inputs"
        self.graph["nodes"] = [node for node in self.graph["nodes"] if node["name"] not in drop]
        self.config, self.files = {}, {}
        self.weights, self.parameters, self.state, self.written, self.inputs = {}, [], {}, [], []

    def keep(self, name, tensor, meta, path):
        """A tensor in the archive, or, without a path, what calls give."""
        strides, step = [], 1
        for extent in reversed(tensor.shape):
            strides.insert(0, {"as_int": step})
            step *= extent
        meta = {**meta, "strides": strides, "sizes": [{"as_int": extent} for extent in tensor.shape],
                "storage_offset": {"as_int": 0}}
        self.config[name] = {"path_name": path, "is_param": False, "use_pickle": False, "tensor_meta": meta}

    def add_inputs(self):
        """Inputs of the user in front of those that calls give."""
        import torch
        used, seen, same = _used(self.graph), {}, {}
        names = {}  # the first that the module has for a tensor
        for name, tensor in self.tensors.items():
            if isinstance(tensor, torch.Tensor):
                names.setdefault(_identity(tensor), name)
        changed = [value["buffer_name"] for kind, value in map(_open, self.signature["output_specs"])
                   if kind == "buffer_mutation"]
        users, given, others = [], [], []
        states = {}  # by the name of the module: its spec, and its name here
        taken = set()
        for spec in self.signature["input_specs"]:
            kind, value = _open(spec)
            if kind in ("user_input", "constant_input"):
                users.append(spec)
                if kind == "user_input":
                    taken.add(_open(value["arg"])[1].get("name") if isinstance(_open(value["arg"])[1], dict) else None)
        for spec in self.signature["input_specs"]:
            kind, value = _open(spec)
            if kind in ("user_input", "constant_input"):
                continue
            if kind not in ("parameter", "buffer", "tensor_constant"):
                others.append(spec)
                continue
            local = value["arg"]["name"]
            name = value[kind + "_name"]
            if local not in used and name not in changed:
                continue
            name = names[_identity(self.tensors[name])] if name not in changed else name
            tensor = self.values[name].detach()
            first = seen.setdefault(_identity(self.tensors[name]), local)
            if first != local and name not in changed:
                same[local] = first
                continue
            unique = rename(name, taken)
            taken.add(unique)
            value[kind + "_name"] = unique
            meta = self.graph["tensor_values"][local]
            large = tensor.numel() * tensor.element_size() >= WEIGHT_BYTES and meta["dtype"] in FLOATS
            if name in changed:
                self.state[unique] = tensor.clone()
                states[name] = spec, unique
            elif self.as_inputs and kind == "parameter":
                self.parameters.append(unique)
                given.append(spec)
            elif large:
                self.weights[unique] = tensor
                others.append(spec)
            else:
                path = f"weight_{len(self.files)}"
                self.files["data/weights/" + path] = tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
                self.keep(unique, tensor, meta, path)
                others.append(spec)
            if unique not in self.config:
                self.keep(unique, tensor, meta, None)
        if len(states) != len(changed):
            raise InputError("expected each buffer that the program changes among its inputs, and once")
        self.signature["input_specs"] = [*users, *given, *(states[name][0] for name in changed), *others]
        self.state = {states[name][1]: self.state[states[name][1]] for name in changed}
        # What has no node: the same tensor under the name that it has first.
        _visit([self.graph["nodes"], self.graph["outputs"], self.signature["output_specs"]],
               lambda one: one.update(name=same.get(one["name"], one["name"])))

    def add_outputs(self):
        """Results of the user in front of what the program changes."""
        results, buffers, inputs = [], [], []
        places = {}
        for spec in self.signature["input_specs"]:
            kind, value = _open(spec)
            if kind == "user_input":
                inner, argument = _open(value["arg"])
                if inner in ("as_tensor", "as_sym_int"):
                    name = argument.get("name", argument.get("as_name"))
                    places[name] = len(places)
        for spec in self.signature["output_specs"]:
            kind, value = _open(spec)
            if kind == "buffer_mutation":
                buffers.append({"user_output": {"arg": {"as_tensor": value["arg"]}}})
            elif kind == "user_input_mutation":
                self.written.append(places[value["user_input_name"]])
                inputs.append({"user_output": {"arg": {"as_tensor": value["arg"]}}})
            else:
                results.append(spec)
        self.signature["output_specs"] = [*results, *buffers, *inputs]

    def list_inputs(self):
        for spec in self.signature["input_specs"]:
            kind, value = _open(spec)
            if kind == "user_input":
                argument = _open(value["arg"])[1]
                name = argument.get("name", argument.get("as_name")) if isinstance(argument, dict) else None
                self.inputs.append((name, None if name else argument))
            elif kind == "constant_input":
                self.inputs.append((None, _open(value["value"])[1]))

    def write(self):
        self.add_inputs()
        self.add_outputs()
        self.list_inputs()
        return Archive(pack(self.model, self.config, self.files), self.weights, self.parameters, self.state,
                       self.written, self.inputs)


def pack(model, config, files):
    """The bytes of an archive: its graph, what is known of its tensors, and files of these."""
    members = {"archive_format": b"pt2", "archive_version": b"0", "byteorder": b"little",
               "models/model.json": json.dumps(model).encode(),
               "data/weights/model_weights_config.json": json.dumps({"config": config}).encode(),
               "data/constants/model_constants_config.json": b'{"config": {}}', **files}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(ROOT + name), data)
    return stream.getvalue()


def write(exported, *, names=None, parameters="weights", drop=(), sizes=(), tensors=None) -> Archive:
    """The archive of an exported program.

    names       what the exporter's symbols are called
    parameters  "inputs": calls give them
    drop        names of nodes that are left out: assertions that nothing needs
    sizes       symbols whose ranges and guards are left out, as they are facts
    tensors     values of parameters and buffers in place of those of the program
    """
    names = names or {}
    writer = _Writer(exported, names, parameters, set(drop), tensors or {})
    if sizes:
        left = {names.get(name, name) for name in sizes}
        ranges = writer.model["range_constraints"]
        writer.model["range_constraints"] = {name: bounds for name, bounds in ranges.items() if name not in left}
        writer.model["guards_code"] = []
    return writer.write()
