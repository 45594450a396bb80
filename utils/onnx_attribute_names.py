#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which attributes ONNX ops have, in any version: lib/Import/ONNX/AttributeNames.inc.

    onnx_attribute_names.py > lib/Import/ONNX/AttributeNames.inc
    onnx_attribute_names.py --check lib/Import/ONNX/AttributeNames.inc

The table is written with the newest package that tests use. With --check, fails unless the file has what the schemas of
the package have, which may be an older one.
"""

import re
import sys
from pathlib import Path

from onnx import defs


def names():
    """By op of ai.onnx, its attributes in order of their names."""
    found = {}
    for schema in defs.get_all_schemas_with_history():
        if not schema.domain:
            found.setdefault(schema.name, set()).update(schema.attributes)
    return {op: sorted(each) for op, each in sorted(found.items())}


def main():
    known = names()
    if len(sys.argv) == 1:
        print("// Written by utils/onnx_attribute_names.py.")
        for op, attributes in known.items():
            print(f'{{"{op}", "{" ".join(attributes)}"}},')
        return
    written = {op: row.split() for op, row in re.findall(r'\{"(\w+)", "([^"]*)"\}', Path(sys.argv[2]).read_text())}
    missing = [op for op, attributes in known.items() if not set(attributes) <= set(written.get(op, ["none"]))
               or op not in written]
    print(f"{len(written)} ops, {len(missing)} with other attributes: {', '.join(missing)}")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
