#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which attributes ONNX ops have and need, by opset: lib/Import/ONNX/AttributeNames.inc.

    onnx_attribute_names.py > lib/Import/ONNX/AttributeNames.inc
    onnx_attribute_names.py --check lib/Import/ONNX/AttributeNames.inc

The table is written with the newest package that tests use. With --check, fails unless the file has what the schemas of
the package have, which may be an older one.
"""

import re
import sys
from pathlib import Path

from onnx import defs


def attributes_of(versions):
    """The attributes of an op in order of their names: NAME[>N][<N][@N], which versions from opset N on have, no more
    have, and need."""
    versions = sorted(versions, key=lambda schema: schema.since_version)

    def mark(sign, holds):
        """From when on all versions are so; "" for none, and for what all versions have."""
        first = next((i for i in range(len(versions)) if all(map(holds, versions[i:]))), None)
        return "" if first is None or (sign == ">" and first == 0) else f"{sign}{versions[first].since_version}"

    words = []
    for name in sorted({name for schema in versions for name in schema.attributes}):
        words.append(name + mark(">", lambda schema: name in schema.attributes)
                     + mark("<", lambda schema: name not in schema.attributes)
                     + mark("@", lambda schema: name in schema.attributes and schema.attributes[name].required))
    return words


def names():
    """By op of ai.onnx, its attributes; ops that are no more are asked for nothing."""
    found = {}
    for schema in defs.get_all_schemas_with_history():
        if not schema.domain:
            found.setdefault(schema.name, []).append(schema)
    return {op: attributes_of(each) for op, each in sorted(found.items())}


def main():
    known = names()
    if len(sys.argv) == 1:
        print("// Written by utils/onnx_attribute_names.py.")
        for op, attributes in known.items():
            print(f'{{"{op}", "{" ".join(attributes)}"}},')
        return
    written = {op: row.split() for op, row in re.findall(r'\{"(\w+)", "([^"]*)"\}', Path(sys.argv[2]).read_text())}
    missing = [op for op, attributes in known.items() if op not in written or not set(attributes) <= set(written[op])]
    print(f"{len(written)} ops, {len(missing)} with other attributes: {', '.join(missing)}")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
