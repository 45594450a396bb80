# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of the example; the target check-audio sets the variables."""

import os

import lit.formats

config.name = "audio"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir"]
config.test_exec_root = os.environ["AUDIO_TEST_OUTPUT"]
folders = [os.environ[name] for name in ("AUDIO_TOOLS", "SYMSHAPE_TOOLS", "LLVM_TOOLS")]
config.environment["PATH"] = os.pathsep.join([*folders, os.environ["PATH"]])
