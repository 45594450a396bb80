# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""H1 to H6 (see derivatives.py) on programs that break implementations.

    check_derivative_cases.py [--only=NAME,...]
"""

import argparse
import sys

from derivative_cases import all_cases
from derivatives import Failure, check


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    only = [name for name in parser.parse_args().only.split(",") if name]
    cases = [one for one in all_cases() if not only or one[0].name in only]
    failed = 0
    for number, (case, bindings, second) in enumerate(cases):
        try:
            check(case, bindings, seed=number, second=second)
        except Failure as failure:
            failed += 1
            print(f"{case.name}: {failure}", flush=True)
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
