# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--quiet and --json of each tool that has them, beside what it prints without.

    check_quiet.py FOLDER

With --quiet, standard output is empty, standard error has no warning, and the exit status is that of the same call
without; errors are the same. What --json prints has the values of what is printed for people.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from onnx_file import FLOAT, model, node

PROGRAM = """func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = arith.addf %x, %x : tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
"""
SPECIAL = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = math.log %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
"""
PTX = """.version 7.0
.target sm_80
.address_size 64
.visible .entry set(.param .u64 to) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [to];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, 7;
  st.global.u32 [%rd2], %r1;
  ret;
}
"""

QUESTIONS = "symbol x in [1, 4]\nassume y >= x\nprove x >= 1\nprove y >= 2\nbounds x - 1\n"


class Check:
    def __init__(self, tools, folder):
        self.tools, self.folder, self.wrong, self.seen = tools, folder, [], set()

    def run(self, *command):
        tool, *arguments = command
        done = subprocess.run([self.tools / tool, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def quiet(self, *command):
        self.seen.add(command[0])
        loud, quiet = self.run(*command), self.run(*command, "--quiet")
        errors = [line for line in loud[2].splitlines() if "error: " in line]
        still = [line for line in quiet[2].splitlines() if "error: " in line]
        if quiet[0] != loud[0] or quiet[1] or "warning" in quiet[2] or errors != still or not loud[1] + loud[2]:
            self.wrong.append(f"{command}: {loud} beside {quiet}")

    def json(self, *command):
        status, out, errors = self.run(*command, "--json")
        try:
            return json.loads(out)
        except ValueError:
            self.wrong.append(f"{command} --json: {status}, {out[:200]!r}, {errors}")
            return {}

    def expect(self, what, got, wanted):
        if got != wanted:
            self.wrong.append(f"{what}: expected {wanted}, but got {got}")


def check_run(check):
    call = ("symshape-run", "p.mlir", "--input=2x2xf32=iota")
    check.quiet(*call)
    check.quiet("symshape-run", "p.mlir", "--input=2x3xf32=iota")  # refused
    check.quiet("symshape-run", "none.mlir")
    result = check.json(*call)["results"][0]
    check.expect("a result", [result["element"], result["shape"], result["values"]], ["f32", [2, 2], [[0, 2], [4, 6]]])
    check.expect("no rows", check.json("symshape-run", "p.mlir", "--input=0x2xf32=zeros")["results"][0]["values"], [])
    (check.folder / "in.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}".ljust(117)
                                          + b"\n" + b"\x00\x00\x80\xbf" + b"\x00\x00\x00\x00" + b"\x00\x00\x80\x7f")
    special = check.json("symshape-run", "s.mlir", "--input=@in.npy")["results"][0]["values"]
    check.expect("what is no number", special, ["nan", "-inf", "inf"])
    named = check.json(*call, "--output=out.npy")["results"][0]
    check.expect("a file", ["values" in named, named.get("file")], [False, "out.npy"])


def check_bundle(check):
    """As symshape-run, and with a bundle that it has saved."""
    call = ("symshape-bundle-run", "p.bundle", "--input=2x2xf32=iota")
    check.expect("a bundle", check.run("symshape-run", "p.mlir", "--save-bundle=p.bundle")[0], 0)
    check.quiet(*call)
    check.quiet("symshape-bundle-run", "p.bundle", "--input=2x3xf32=iota")  # refused
    check.quiet("symshape-bundle-run", "none.bundle")
    for option in ("--input=2x2xf32=iota", "--input=0x2xf32=zeros"):
        ours, other = (check.json(tool, file, option) for tool, file in (("symshape-bundle-run", "p.bundle"), ("symshape-run", "p.mlir")))
        check.expect("results", [{key: one[key] for key in ("element", "shape", "values")} for one in ours["results"]],
                     [{key: one[key] for key in ("element", "shape", "values")} for one in other["results"]])
    check.expect("runs", len(check.json(*call, "--repeat=3")["seconds"]), 3)
    check.expect("its file", check.json(*call, '--output=a"b.npy')["results"][0]["file"], 'a"b.npy')
    check.expect("a bundle", check.run("symshape-run", "s.mlir", "--save-bundle=s.bundle")[0], 0)
    special = check.json("symshape-bundle-run", "s.bundle", "--input=@in.npy")["results"][0]["values"]
    check.expect("what is no number", special, ["nan", "-inf", "inf"])


def check_prove(check):
    """Each question with its line; what is printed for people besides."""
    check.quiet("symshape-prove", "q")
    lines = [json.loads(line) for line in check.run("symshape-prove", "q", "--json", "--explain")[1].splitlines()]
    asked = [(number, line) for number, line in enumerate(QUESTIONS.splitlines(), 1) if not line.startswith(("symbol", "assume"))]
    check.expect("questions", [(one["line"], one["question"]) for one in lines], asked)
    check.expect("answers", [one["answer"] for one in lines], ["yes", "unknown", "[0, 3]"])
    said = "".join(f"{one['answer']}\n" + "".join(f"  {each}\n" for each in one["because"]) for one in lines)
    check.expect("reasons", said, check.run("symshape-prove", "q", "--explain")[1])
    broken = check.run("symshape-prove", "b", "--json")
    check.expect("up to an error", [broken[0], json.loads(broken[1])["answer"], "b:2:7: error: " in broken[2]], [1, "yes", True])


def check_ptx(check):
    check.quiet("symshape-ptx-run", "k.ptx", "--arg=1xi32=zeros")
    found = check.json("symshape-ptx-run", "k.ptx", "--arg=1xi32=zeros")
    check.expect("what a kernel wrote", found["arguments"], [{"number": 0, "element": "i32", "shape": [1], "values": [7]}])
    check.expect("what ran", [found["blocks"], found["threadInstructions"] > 0], [1, True])
    found = check.json("symshape-ptx-run", "k.ptx", "--arg=1xi32=zeros", "--output=0=k.npy")
    check.expect("its file", [found["arguments"][0].get("file"), (check.folder / "k.npy").exists()], ["k.npy", True])
    check.expect("nothing is new", check.json("symshape-ptx-run", "k.ptx", "--arg=1xi32=[7]")["arguments"], [])
    (kernel,) = check.json("symshape-ptx-run", "k.ptx", "--list")["kernels"]
    check.expect("a kernel", [kernel["name"], [one["bytes"] for one in kernel["parameters"]]], ["set", [8]])


def check_onnx(check, one, other):
    for verb in ("show", "check", "explain"):
        check.quiet("symshape-onnx", verb, one)
    check.quiet("symshape-onnx", "infer", one, "-o", "new.onnx")
    check.quiet("symshape-onnx", "diff", one, other)
    check.quiet("symshape-onnx", "check", "none.onnx")
    differs = check.json("symshape-onnx", "diff", one, other)
    lines = check.run("symshape-onnx", "diff", one, other)[1].splitlines()
    check.expect("differences", [differs["isSame"], differs["differences"]], [False, lines])
    check.expect("the same", check.json("symshape-onnx", "diff", one, one), {"isSame": True, "differences": []})
    ops = check.run("symshape-onnx", "ops")[1].splitlines()
    check.expect("ops", check.json("symshape-onnx", "ops")["ops"], ops)
    check_written(check, one)
    values, said = check.json("symshape-onnx", "explain", one)["values"], check.run("symshape-onnx", "explain", one)[1]
    told = "".join(f"{one['says']}\n" + "".join(f"  dim {i} = {dim['extent']}\n" + "".join(f"    {step}\n" for step in dim["because"])
                                               for i, dim in enumerate(one["extents"])) for one in values)
    check.expect("explain", told, said)


def check_written(check, one):
    """What `infer` and `fix` say of the models that they write, which are those that they write without --json."""
    for verb, more in (("infer", ()), ("infer", ("--policy=strict",)), ("fix", ("n=3", "m=3")), ("fix", ("n=2", "m=3"))):
        call = ("symshape-onnx", verb, one, *more, "-o")
        status, _, said = check.run(*call, "plain.onnx")
        found = check.json(*call, "told.onnx")
        check.expect(f"{verb} {more}: lines", found["lines"], said.splitlines())
        check.expect("its status", check.run(*call, "told.onnx", "--json")[0], status)
        check.expect("what is written", found["output"], None if status else "told.onnx")
        counts = [found[key] for key in ("numNumbers", "numByInputs", "numByData", "numUnknownValues")]
        known = [int(number) for number in re.findall(r"\d+", "".join(line for line in said.splitlines() if " extents: " in line))]
        check.expect("extents", [sum(counts[:3]), *counts], known or [0] * 5)
        check.expect("validity", [found["schemaVersion"], found["valid"]], [1, "n=2" not in more])
        if not status:
            check.expect("the model", (check.folder / "told.onnx").read_bytes(), (check.folder / "plain.onnx").read_bytes())
    status, _, errors = check.run("symshape-onnx", "infer", one, "-o", "-", "--json")
    check.expect("two outputs", [status, "expected the file of a model for -o with --json" in errors], [2, True])


def main():
    tools = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        check = Check(tools, Path(folder))
        for name, text in (("p.mlir", PROGRAM), ("s.mlir", SPECIAL), ("k.ptx", PTX), ("q", QUESTIONS), ("b", "prove 1 >= 1\nprove \n")):
            Path(folder, name).write_text(text, encoding="utf-8")
        check_run(check)
        check.quiet("symshape-report", "p.mlir")
        check.quiet("symshape-report", "none.mlir")
        check.expect("a report", check.json("symshape-report", "p.mlir")["functions"][0]["name"], "main")
        check_bundle(check)
        check_prove(check)
        check_ptx(check)
        for name, width in (("a.onnx", 4), ("b.onnx", 5)):
            made = model([node("Add", "x y", "z")], {"x": (FLOAT, ["n", width]), "y": (FLOAT, ["m", width])}, ["z"])
            Path(folder, name).write_bytes(made)
        check_onnx(check, "a.onnx", "b.onnx")
    print("\n".join(check.wrong))
    print(f"{len(check.seen)} tools, {len(check.wrong)} wrong")
    return bool(check.wrong)


if __name__ == "__main__":
    sys.exit(main())
