# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of kernels share: results that are compared, and faults that are named. The first
that is otherwise ends the test."""

import re
import sys

import numpy as np
from ptx_device import DriverError


class Tally:
    def __init__(self):
        self.compared = self.named = 0

    def equal(self, what, got, want):
        if not np.array_equal(got, want):
            sys.exit(f"{what}: expected\n{want}\nbut got\n{got}")
        self.compared += np.size(want)

    def fails(self, what, result, message, run):
        """`run()` fails with this result and message; returns the error."""
        try:
            run()
        except DriverError as error:
            if error.result != result or not re.search(message, error.message):
                sys.exit(f"{what}: expected {result} and '{message}', but got {error}")
            self.named += 1
            return error
        sys.exit(f"{what}: expected {result} and '{message}', but nothing failed")
