# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests count what is compiled: code that an earlier run kept would not be."""

import os

os.environ["SYMSHAPE_CACHE"] = "off"
