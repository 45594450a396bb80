# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Archives that are cut off, changed or made to deceive: each is refused with a message, or is a program.

    check_broken_archives.py LIBRARY FOLDER
"""

import json
import random
import sys
import zipfile
from pathlib import Path

import numpy as np
import symshape_c
from exported_program import ROOT, Program, pack

MODEL, CONFIG = ROOT + "models/model.json", ROOT + "data/weights/model_weights_config.json"


def small():
    p = Program()
    w = p.parameter("w", np.arange(6, dtype="float32").reshape(2, 3))
    x = p.input("x", "float32", ["s0", 3])
    p.output(p.call("aten.linear.default", {"input": x, "weight": w}, "float32", ["s0", 2]))
    return p


def changed(files, name, change):
    """The archive with one document changed."""
    document = json.loads(files[name])
    change(document)
    return pack({**files, name: json.dumps(document).encode()})


def meta(**fields):
    return lambda config: config["config"]["w"]["tensor_meta"].update(fields)


def node(**fields):
    return lambda model: model["graph_module"]["graph"]["nodes"][0].update(fields)


def cases():
    """Words that the message must have, and the archive."""
    p = small()
    files = p.contents()
    yield "schema 8, but got 9.0", changed(files, MODEL, lambda m: m["schema_version"].update(major=9, minor=0))
    yield "schema 8, but got 7.3", changed(files, MODEL, lambda m: m["schema_version"].update(major=7, minor=3))
    yield "no object 'schema_version'", pack({"serialized_exported_program.json": b"{}", "version": b"2.6"})
    pickled = "serialized_state_dict.pt"
    yield f"'{pickled}' cannot be read: expected a zip archive", p.old_archive(**{pickled: b"x" * 100})
    yield "has no tensor 'w'", p.old_archive(**{pickled: b""})
    for code in (b"", b"\x80\x02}.x", b"\x80\x02cos\nsystem\nX\x02\0\0\0ls\x85R.", b"u" * 1000, b"\x80\x02]q\0h\0a."):
        words = "has no tensor 'w'" if b"}." in code else "expected the pickle of a dictionary"
        yield words, p.old_archive(**{pickled: pack({"archive/data.pkl": code})})
    yield "no file 'program/data/weights/model_weights", pack({k: v for k, v in files.items() if k != CONFIG})
    yield "has 2 programs", pack({**files, ROOT + "models/other.json": b"{}"})
    yield "no 'models/*.json'", pack({ROOT + "archive_format": b"pt2"})
    yield "no file 'program/data/weights/weight_0'", pack({k: v for k, v in files.items() if "weight_0" not in k})
    yield "nested", pack({**files, MODEL: b'{"a":' + b"[" * 100000 + b"]" * 100000 + b"}"})
    yield "not JSON", pack({**files, MODEL: files[MODEL][:-20]})
    yield "compressed", pack(files, zipfile.ZIP_DEFLATED)
    yield "byte order", pack({**files, ROOT + "byteorder": b"big"})
    yield "reaches outside", changed(files, CONFIG, meta(sizes=[{"as_int": 2}, {"as_int": 4}],
                                                         strides=[{"as_int": 4}, {"as_int": 1}]))
    yield "reaches outside", changed(files, CONFIG, meta(storage_offset={"as_int": 1}))
    yield "reaches outside", changed(files, CONFIG, meta(strides=[{"as_int": 1 << 39}, {"as_int": 7}]))
    yield "extents that are possible", changed(files, CONFIG, meta(sizes=[{"as_int": 1 << 62}, {"as_int": 1 << 62}]))
    yield "extents that are possible", changed(files, CONFIG, meta(sizes=[{"as_int": -1}, {"as_int": 3}]))
    yield "too large to be copied", changed(files, CONFIG, meta(sizes=[{"as_int": 1 << 19}, {"as_int": 1 << 19}],
                                                                strides=[{"as_int": 0}, {"as_int": 0}]))
    yield "strides that are possible", changed(files, CONFIG, meta(strides=[{"as_int": -3}, {"as_int": 1}]))
    yield "type that symshape has", changed(files, CONFIG, meta(dtype=9))
    yield "pickled", changed(files, CONFIG, lambda c: c["config"]["w"].update(use_pickle=True))
    yield "before this node", changed(files, MODEL, lambda m: node(inputs=[])(m) or m["graph_module"]["graph"]["nodes"][0]
                                      ["inputs"].append({"name": "input", "arg": {"as_tensor": {"name": "later"}}}))
    yield "aten.fft_fft.default: 1 node, first at model.py:1", changed(files, MODEL, node(target="torch.ops.aten.fft_fft.default"))
    yield "the exporter says that dim 1 is 5", changed(files, MODEL, lambda m: m["graph_module"]["graph"]["tensor_values"]
                                                       ["value2"]["sizes"].__setitem__(1, {"as_int": 5}))
    numbers = [{"name": name, "arg": {"as_int": 1}, "kind": 1} for name in "ab"]
    for target in ("_operator.eq", "_operator.and_", "_operator.add", "torch.sym_not"):  # of no results
        yield "", changed(files, MODEL, node(target=target, inputs=numbers, outputs=[]))
    whole = json.loads(files[MODEL])["graph_module"]["graph"]["nodes"][0]["inputs"][0] | {"name": "self"}
    yield "as many sizes as results", changed(files, MODEL, node(target="torch.ops.aten.split.Tensor", inputs=[whole], outputs=[]))
    def queries(model):
        call = model["graph_module"]["graph"]["nodes"][0]
        given = call["inputs"][0]["arg"]
        call.update(target="torch.ops.aten.scaled_dot_product_attention.default", inputs=[
            {"name": name, "arg": {"as_tensor": "x"} if name == "key" else given, "kind": 1} for name in ("query", "key", "value")])

    yield "expected a tensor '' before this node", changed(files, MODEL, queries)
    mutated = json.loads(files[MODEL])
    spec = mutated["graph_module"]["signature"]["output_specs"][0]["user_output"]
    mutated["graph_module"]["signature"]["output_specs"] = [{"buffer_mutation": {**spec["arg"]["as_tensor"], "arg":
                                                                                 spec["arg"]["as_tensor"],
                                                                                 "buffer_name": "cache"}}]
    yield "changes buffer 'cache'", pack({**files, MODEL: json.dumps(mutated).encode()})


def load(path, data, library):
    """The message, or none where it is a program."""
    path.write_bytes(data)
    try:
        symshape_c.Program(path, library=library)
    except symshape_c.Error as error:
        assert "internal error" not in str(error), f"{path}: {error}"
        return str(error)
    return None


def main():
    library, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    path, named = folder / "broken.pt2", 0
    for words, data in cases():
        message = load(path, data, library)
        assert message is not None and words in message, f"expected {words!r}, but got {message!r}"
        named += 1
    whole = small().archive()
    assert load(path, whole, library) is None
    old = small().old_archive()
    assert load(path, old, library) is None
    generator, cut, flipped, programs = random.Random(3), 0, 0, 0
    for length in list(range(4, len(whole), 211)) + [len(whole) - 1]:
        assert load(path, whole[:length], library) is not None, f"a program of {length} bytes of {len(whole)}"
        cut += 1
    for number in range(120):
        data = bytearray(old if number % 2 else whole)
        for _ in range(generator.choice((1, 1, 3))):
            data[generator.randrange(len(data))] = generator.choice((0, 255, 34, 45, 91, 57, generator.randrange(256)))
        programs += load(path, bytes(data), library) is None
        flipped += 1
    assert 3 < programs < flipped - 30, f"{programs} programs of {flipped}"
    print(f"{named} named, {cut} cut off, {flipped} changed")


main()
