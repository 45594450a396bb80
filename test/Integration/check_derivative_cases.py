# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""H1 to H6 (see derivatives.py) on programs that break implementations.

    check_derivative_cases.py [--only=NAME,...] [GROUP...]
"""

import argparse
import sys
from functools import partial

import derivative_bodies
import derivative_cases
import window_cases
from derivatives import check, report

GROUPS = {"programs": derivative_cases.all_cases, "bodies": derivative_bodies.all_cases, "convolutions": window_cases.convolutions,
          "pools": window_cases.pools, "generics": window_cases.generics}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    args = parser.parse_args()
    only = [name for name in args.only.split(",") if name]
    cases = [one for group in args.groups or GROUPS for one in GROUPS[group]()
             if not only or one[0].name in only]
    return report("cases", [(case.name, partial(check, case, bindings, seed=number, second=second))
                            for number, (case, bindings, second) in enumerate(cases)])


if __name__ == "__main__":
    sys.exit(main())
