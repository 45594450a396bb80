# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""H1 to H6 (see derivatives.py) on programs that break implementations.

    check_derivative_cases.py [--only=NAME,...]
"""

import argparse
import sys
from functools import partial

from derivative_cases import all_cases
from derivatives import check, report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    only = [name for name in parser.parse_args().only.split(",") if name]
    cases = [one for one in all_cases() if not only or one[0].name in only]
    return report("cases", [(case.name, partial(check, case, bindings, seed=number, second=second))
                            for number, (case, bindings, second) in enumerate(cases)])


if __name__ == "__main__":
    sys.exit(main())
