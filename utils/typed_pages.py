# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which pages type_pages.py types, and which blocks of them not, with the reason."""

PAGES = ["docs/*.md", "docs/HowTo/*.md", "examples/**/*.md"]

#: Modules that a page needs besides the package.
NEEDS = {"docs/HowTo/RunAJaxProgram.md": "jax", "docs/HowTo/UseFromPyTorch.md": "torch"}

HOURS = "a verb of bootstrap, which takes minutes to hours; utils/first_hour.py types those of README"
SYSTEM = "changes the system; test/Integration/installed.test and packages.test do it in a folder"
CPP = "a part of a program in C++"
TABLE = "is compared with what the tools print by a test of its own"

#: By page: what a block has, and why it is not typed.
NOT_TYPED = {
    "docs/Diagnostics.md": {"": f"{TABLE}: test/Tools/symshape-report/violations.test"},
    "docs/GettingStarted.md": {
        r"^\./bootstrap": HOURS,
        "^export SYMSHAPE=": "is what every page begins with here",
        "^source utils/completion": "needs an interactive shell; test/Tools/completion.test has one",
        r"^cmake --install": SYSTEM,
        r"^cc program\.c": "needs the packages; test/Integration/packages.test has them",
        r"^project\(mine": "a part of examples/downstream, which test/Integration/downstream.test builds",
    },
    "docs/HowTo/AddAnOnnxOp.md": {
        "^static LogicalResult frames": f"{CPP}, which test/Integration/add-an-op.test builds and compares",
        r"^options\.onnxOps": CPP,
        "^cmake --install build": SYSTEM,
        "^ops/frames-run": "needs what is built before; test/Integration/add-an-op.test runs it",
    },
    "docs/HowTo/AskTheEngine.md": {
        "^symbol B in": f"{TABLE}: test/Integration/ask-the-engine.test",
        r'^#include "symshape/': CPP,
    },
    "docs/HowTo/AutomaticShapes.md": {
        r"is=\"serves calls|serves calls until": "which code is there first depends on the machine",
        r'^#include "symshape/': CPP,
    },
    "docs/HowTo/DifferentiateAProgram.md": {"^build/venv": "examples/ragged, which test/Integration/ragged.test runs"},
    "docs/HowTo/GuardsInYourPipeline.md": {r'^#include "symshape/': CPP},
    "docs/HowTo/MakeItFaster.md": {r"^dense\.mlir:\d+:8: remark": "needs AVX-512; test/Integration/make-it-faster.test compares it for that"},
    "docs/HowTo/RunAnOnnxModel.md": {
        r"^\./bootstrap": HOURS,
        "^error: ": "an example of a message; docs/HowTo/Troubleshooting.md has such, typed",
        r"^import symshape\n\n@symshape.onnx.rule": "needs a model with such an op; test/Python/test_rules.py has one",
    },
    "docs/HowTo/RunOnAGPU.md": {"nvvm|gpu": "needs a GPU"},
    "docs/HowTo/RunPTXWithoutAGPU.md": {"^import sys": "has an argument; test/Integration/run-ptx-without-a-gpu.test gives it"},
    "docs/HowTo/UseFromPyTorch.md": {"^error: ": "an example of a message; test/Torch has its program"},
    "docs/HowTo/UseFromPython.md": {
        r"^\./bootstrap": HOURS,
        "symshape.from_torch": "needs PyTorch; test/Torch has such calls",
        "^import jax": "needs JAX; test/Python/test_jax.py runs it",
    },
    "docs/HowTo/UseInAnEditor.md": {"": f"{TABLE}: test/Tools/symshape-lsp-server/page.test"},
    "docs/HowTo/WriteLitTests.md": {"": f"{TABLE}: test/Integration/write-lit-tests.test"},
    "examples/batch/README.md": {"--on=": "needs Dask and Ray; test/Python/test_examples.py runs them where they are installed"},
    "examples/serve/README.md": {
        r"classify\.py": "needs a network and pictures; test/Python/test_examples.py makes some",
        r"detect_text\.py": "needs a detector and a page; test/Python/test_examples.py makes some",
    },
    "examples/add-an-op/README.md": {"": "test/Integration/add-an-op.test builds and runs it"},
}
