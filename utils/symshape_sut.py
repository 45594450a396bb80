# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""symshape as the system under test of TOSA's official test runner.

    python -m runner.tosa_verif_run_tests --sut-module symshape_sut \
        --sut-module-args symshape_sut:build=build symshape_sut:form=erased ...

A test is read by tosa-opt of the same package, and run by symshape-run in one form:
static, erased (every extent open, 1 expands at run time as in NumPy), or keep1 (but the
literal 1). A test that must be refused has the form in which symshape must see it (`form_of_kind`).
What went wrong begins with a word of WORDS, so that who reads the report can count.
"""

import re
import subprocess
from pathlib import Path

from runner.tosa_test_runner import TosaTestRunner

Graph = TosaTestRunner.TosaGraphResult

WORDS = ("not read", "refused", "does not lower", "crashed", "ran", "left out")

ERASE = {"erased": "", "keep1": "{keep-ones=1}", "arguments": "{arguments-only=1}"}

# Kinds of tests that must be refused. Relations between operands only sizes at run time can break.
OPERANDS = {"BroadcastShapesMismatch", "ConcatInputDimMismatch", "ChannelMismatch", "ConvOutputShapeNonInteger",
            "PoolingOutputShapeNonInteger", "ResizeOutputShapeNonInteger", "KernelNotPowerOfTwo",
            "FFTInputShapeMismatch", "StartSizeOutsideBounds", "InputDimensionMismatch", "ConvBiasShapeMismatch"}
# A declared result that is not what the op gives: without it, the program is right.
RESULTS = {"ArgmaxOutputShapeMismatch", "BatchMismatch", "ConcatShapeSumMismatch", "ConvOutputShapeMismatch",
           "DimensionMismatch", "FFTOutputShapeMismatch", "PadOutputShapeMismatch", "PoolingOutputShapeMismatch",
           "ResizeOutputShapeMismatch", "ShapeOfAxisNotOne", "SizeOutputShapeMismatch",
           "TensorSizeInputOutputMismatch", "TileMultiplesOutputShapeMismatch", "TransposePermsOutputShapeMismatch"}
# What a program of MLIR cannot say, or says without being wrong.
LEFT_OUT = {"InputListOutputListMismatch": "a result of another type, which tosa-opt corrects",
            "WrongInputList": "another number of operands, which MLIR does not write down",
            "WrongOutputList": "another number of results, which MLIR does not write down"}
RANK = 6  # the specification's limit, which symshape does not have

# What upstream's verifiers refuse is for symshape to refuse, or not.
UNVERIFIED = ("--mlir-very-unsafe-disable-verifier-on-parsing", "--verify-each=0")

# Of a program that is not refused for what is wrong in it.
UNABLE = re.compile(r"can lower|failed to legalize|does not say why|cannot translate|no message")


def kind_of(name):
    """Of a test that must be refused, what is wrong in it."""
    match = re.search(r"_ERRORIF_([A-Za-z0-9]+)_", name)
    return match[1] if match else ""


def form_of_kind(kind, name):
    if kind == "ChannelMismatch" and name.startswith("resize"):
        return "arguments"  # of the image and the declared result
    return "erased" if kind in OPERANDS else "arguments" if kind in RESULTS else "static"


def first_error(text):
    lines = [line for line in text.splitlines() if line.strip()]
    line = next((line for line in lines if "error:" in line or "Assertion" in line), lines[0] if lines else "")
    message = line.split("error:")[-1].strip() or "no message"
    return "".join(c if c.isprintable() else "?" for c in message)


class Failure(Exception):
    """A test that did not run to its end: one of WORDS, and what the tool said."""

    def __init__(self, word, message, output=""):
        super().__init__(f"{word}: {message}")
        self.word, self.message, self.output = word, message, output


class TosaSUTRunner(TosaTestRunner):
    def __init__(self, arguments, own, folder):
        super().__init__(arguments, own, folder)
        values = dict(pair.split("=", 1) for pair in own)
        self.build, self.form = Path(values["build"]), values["form"]
        self.reference = Path(arguments.ref_model_path)
        self.opt = self.reference.parent / "tosa-opt"
        self.must_fail = self.testDesc["expected_failure"]
        self.kind = kind_of(self.testName)
        if self.must_fail:
            self.form = form_of_kind(self.kind, self.testName)

    def tool(self, *command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL)

    def write_program(self):
        """The test as a program of MLIR in the form asked for."""
        program = self.testDirPath / "test.mlir"
        if not program.exists():
            empty = self.testDirPath / "empty.mlir"
            empty.write_text("module {}\n")
            done = self.tool(self.opt, empty, *UNVERIFIED, "--mlir-print-op-generic",
                             f"--tosa-deserialize=tosa-flatbuffer-filename={self.testDirPath / self.testDesc['tosa_file']}",
                             "--mlir-print-elementsattrs-with-hex-if-larger=-1", "-o", program)
            if done.returncode:
                raise Failure("not read", first_error(done.stderr))
        if self.form == "static":
            return program
        erased = self.testDirPath / f"test.{self.form}.mlir"
        done = self.tool("mlir-opt-22", program, *UNVERIFIED, "--mlir-print-op-generic",
                         f"--load-pass-plugin={self.build / 'test' / 'lib' / 'SymShapeTestPasses.so'}",
                         f"--pass-pipeline=builtin.module(symshape-erase-extents{ERASE[self.form]})",
                         "--mlir-print-elementsattrs-with-hex-if-larger=-1", "-o", erased)
        if done.returncode:
            raise Failure("not read", first_error(done.stderr))
        if self.form == "erased":
            text = erased.read_text()
            if "symshape.tosa_numpy_broadcast" not in text:
                erased.write_text(re.sub(r"\}\)( \{(.*)\})? : \(\) -> \(\)\s*$", self.numpy_rule, text))
        return erased

    @staticmethod
    def numpy_rule(match):
        attributes = ", ".join(filter(None, ("symshape.tosa_numpy_broadcast", match[2])))
        return f"}}) {{{attributes}}} : () -> ()\n"

    def run_program(self, program):
        files = [self.testDirPath / name for name in self.testDesc["ifm_file"]]
        results = [self.testDirPath / name for name in self.testDesc["ofm_file"]]
        done = self.tool(self.build / "bin" / "symshape-run", program, "--entry=main",
                         *(f"--input=@{path}" for path in files), *(f"--output={path}" for path in results))
        if done.returncode == 0:
            return
        word = {1: "does not lower", 2: "not read", 3: "refused"}.get(done.returncode, "crashed")
        status = f"status {done.returncode}: " * (word == "crashed")
        raise Failure(word, status + first_error(done.stderr), done.stderr)

    def reason_to_leave_out(self):
        ranks = [len(tensor["shape"]) for tensor in self.testDesc["meta"]["data_gen"]["tensors"].values()]
        if self.kind == "WrongRank" and max(ranks, default=0) > RANK:
            return f"a rank above {RANK}, which symshape has"
        return LEFT_OUT.get(self.kind)

    def is_refused_rightly(self, failure):
        """By a check that names the op and the field, or by a diagnostic about what is wrong."""
        if failure.word == "refused":
            return self.form != "static" and re.search(r"needed by tosa\.\w+ at .* \(.+\)", failure.output)
        return failure.word == "does not lower" and not UNABLE.search(failure.message)

    def run_refused(self):
        if why := self.reason_to_leave_out():
            raise Failure("left out", why)
        try:
            program = self.write_program()
        except Failure as failure:
            raise Failure("left out", "tosa-opt cannot write it as MLIR") from failure
        if self.kind.endswith("GraphMismatch") and "<?" in (self.testDirPath / "test.mlir").read_text():
            raise Failure("left out", "a wrong extent of -1, which stands for any")
        try:
            self.run_program(program)
        except Failure as failure:
            if self.is_refused_rightly(failure):
                return
            raise
        raise Failure("ran", f"{self.kind}, {self.form}")

    def run_positive(self):
        try:
            self.run_program(self.write_program())
        except Failure as failure:
            if self.is_invalid():
                raise Failure("left out", "the generator writes a program that the reference model refuses") from failure
            raise

    def is_invalid(self):
        """Whether the reference model refuses the program before it runs it."""
        done = self.tool(self.reference, f"--test_desc={self.testDirPath / 'desc.json'}",
                         f"--output_dir={self.testDirPath}", "--tosa_level=NONE")
        return "Failed to validate graph" in done.stdout + done.stderr

    def runTestGraph(self):  # noqa: N802, the name that the runner calls
        try:
            if self.must_fail:
                self.run_refused()
                return (Graph.TOSA_ERROR, None)
            self.run_positive()
            return (Graph.TOSA_VALID, None)
        except Failure as failure:
            return (Graph.OTHER_ERROR, str(failure))
