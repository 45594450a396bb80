# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares files that `symshape-onnx infer` wrote with what should be in them.

    check_infer.py FOLDER

Reads files with onnx_file.py, which shares no code with what is tested.
"""

import subprocess
import sys
from pathlib import Path

from onnx_extents import check_syntax
from onnx_file import declared, field, fields, text

INPUT, OUTPUT, VALUE = 11, 12, 13
#: What bodies declare in the end, in their order. A loop's own extents are not known outside.
BODIES = [({}, {"v": [4, "T"]}, {"u": ["T", 4], "t": ["N", 4]}),
          ({}, {"e": [4, "N"]}, {"t": ["N", 4]}),
          ({"turn": [], "on": [], "state": ["N", 4]}, {"goes": [], "next": ["N", 4], "added": []},
           {"end": [1], "few": [None, 4]})]
#: What each file declares in the end.
EXPECTED = {
    "declared": ({"x": ["past", 4], "y": ["seq", 4]}, {"z": [4, "total"]}, {"t": ["total", 4]}),
    "wrong": ({"x": ["N", 4]}, {"z": ["2*N", 4]}, {"t": ["2*N", 4]}),
    "rankless": ({"x": ["N", 4]}, {"z": ["N", 4]}, {}),
    "solved": ({"x": ["2*H + 1"], "y": ["floor(H/2 - 1/2)"]}, {"z": ["2*H + ((H + 1)//2)"]}, {}),
    # Two extents that must be equal have one name; an author's _d0 is no generated one.
    "nameless": ({"x": ["_d1", "_d2"], "y": ["_d2", "_d0"]}, {"z": ["_d1", "_d0"]}, {}),
    "frobnicated": ({"x": ["N"]}, {"z": ["2*N"], "v": None, "q": ["_d0", "A"]}, {"k": ["A", 3], "t": ["N"]}),
    "back_Concat": ({"x": ["M", 3]}, {"z": ["M", 2]}, {"t": ["M", 6]}),
    "back_Flatten": ({"x": ["M", 2, 3]}, {"z": ["M", 2]}, {"t": ["M", 6]}),
    "back_Pad": ({"x": ["M", 2]}, {"z": ["M", 2]}, {"t": ["M", 6]}),
    "back_Reshape": ({"x": [1, 12]}, {"z": [2, 2]}, {"t": [2, 6]}),
    "back_Squeeze": ({"x": ["M", 1, 6]}, {"z": ["M", 2]}, {"t": ["M", 6]}),
    "back_Transpose": ({"x": [6, "M"]}, {"z": ["M", 2]}, {"t": ["M", 6]}),
    "back_Unsqueeze": ({"x": ["M", 6]}, {"z": ["M", 1, 2]}, {"t": ["M", 1, 6]}),
}
#: The same with other policies, where that is something else.
BY_POLICY = {
    # What an input does not name, nothing can be said in terms of.
    ("skip", "nameless"): ({"x": ["?", None], "y": ["", "_d0"]}, {"z": [None, "_d0"]}, {}),
    ("skip", "wrong"): ({"x": ["N", 4]}, {"z": ["N", "M"]}, {"t": ["2*N", 5]}),
    ("skip", "rankless"): ({"x": ["N", 4]}, {"z": ["N"]}, {}),
    ("skip", "solved"): ({"x": ["2*H + 1"], "y": ["floor(H/2 - 1/2)"]}, {"z": ["2*H + ((H + 1)//2)"]}, {}),
    ("skip", "back_Reshape"): ({"x": [1, "N"]}, {"z": [2, 2]}, {"t": [2, 6]}),
    ("override", "declared"): ({"x": ["past", 4], "y": ["seq", 4]}, {"z": [4, "past + seq"]}, {"t": ["past + seq", 4]}),
    ("override", "frobnicated"): ({"x": ["N"]}, {"z": ["2*N"], "v": None, "q": ["_d0", "A"]},
                                  {"k": ["A", "_d0"], "t": ["N"]}),
    ("override", "rankless"): EXPECTED["rankless"],
    ("strict", "nameless"): EXPECTED["nameless"],
    ("strict", "declared"): EXPECTED["declared"],
}
REFUSED = ["wrong", "rankless", "frobnicated"]  # by --policy=strict


def infer(model, output, *arguments):
    subprocess.run(["symshape-onnx", "infer", model, "-o", output, *arguments], check=True, capture_output=True)
    return output.read_bytes()


def others(file):
    """All fields but declarations, of the file and of its graph."""
    graph = [each for each in fields(field(file, 7)) if each[0] not in (INPUT, OUTPUT, VALUE)]
    return [each for each in fields(file) if each[0] != 7], graph


def bodies(file):
    """The graphs inside of the main one, each as a file that has it."""
    for number, node in fields(field(file, 7)):
        if number == 1:
            graphs = [field(attribute, 6) for each, attribute in fields(node) if each == 5]
            yield from (text(7, graph) for graph in graphs if graph)


def check_bodies(path, output):
    """Shapes of values inside of branches and loops; nothing else there changes."""
    written = list(bodies(infer(path, output)))
    got = [tuple(declared(body, kind) for kind in (INPUT, OUTPUT, VALUE)) for body in written]
    assert got == BODIES, f"expected {BODIES}, but got {got}"
    assert [others(body) for body in written] == [others(body) for body in bodies(path.read_bytes())]
    assert infer(output, output.with_name("again.onnx")) == output.read_bytes()
    return len(got)


def check_policies(folder, output):
    for (policy, name), expected in BY_POLICY.items():
        written = infer(folder / f"{name}.onnx", output, f"--policy={policy}")
        got = tuple(declared(written, kind) for kind in (INPUT, OUTPUT, VALUE))
        assert got == expected, f"{policy}, {name}: expected {expected}, but got {got}"
    for name in REFUSED:
        output.unlink(missing_ok=True)
        done = subprocess.run(["symshape-onnx", "infer", "--policy=strict", folder / f"{name}.onnx", "-o", output],
                              capture_output=True)
        assert done.returncode == 3 and not output.exists(), name
    return len(BY_POLICY) + len(REFUSED)


def main():
    folder = Path(sys.argv[1])
    output = folder / "inferred.onnx"
    unchanged = narrowed = 0
    for name, expected in EXPECTED.items():
        path = folder / f"{name}.onnx"
        written = infer(path, output)
        got = tuple(declared(written, kind) for kind in (INPUT, OUTPUT, VALUE))
        assert got == expected, f"{name}: expected {expected}, but got {got}"
        for shapes in got:
            for dims in shapes.values():
                for dim in dims or []:
                    check_syntax(dim)
        assert others(written) == others(path.read_bytes()), f"{name}: something else was changed"
        narrowed += name.startswith("back_") and expected[0] != declared(path.read_bytes(), INPUT)
        # A second time nothing is left to do.
        again = infer(output, folder / "again.onnx")
        assert again == written, f"{name}: expected the same bytes the second time"
        unchanged += 1
    print(f"{len(EXPECTED)} models written, {unchanged} unchanged where nothing follows")
    print(f"{narrowed} inputs narrowed")
    print(f"{check_bodies(folder / 'bodies.onnx', output)} bodies written")
    print(f"{check_policies(folder, output)} cases of policies")


if __name__ == "__main__":
    main()
