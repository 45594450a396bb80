#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which types the operands of ONNX ops may have, in any version: lib/Import/ONNX/OperandTypes.inc.

    onnx_operand_types.py > lib/Import/ONNX/OperandTypes.inc
    onnx_operand_types.py --check lib/Import/ONNX/OperandTypes.inc

Masks with a bit for each TensorProto.DataType, by operand; the last one stands for all further ones. 0: no tensor is
asked for. The table is written with the newest package that tests use. With --check, fails unless the file allows what the schemas of the package do, which may be an older one.
"""

import itertools
import re
import sys
from pathlib import Path

from onnx import TensorProto, defs


def number(type_):
    name = type_[len("tensor("):-1].upper()
    return TensorProto.DataType.Value({"FLOAT32": "FLOAT"}.get(name, name))


def same(schemas):
    """For each operand, the first one that has its type in all versions with both; itself if it is a list of one type."""
    count = max(len(schema.inputs) for schema in schemas)
    first = []
    for i in range(count):
        both = [schema.inputs for schema in schemas if len(schema.inputs) > i]
        is_list = both[-1][i].option == defs.OpSchema.FormalParameterOption.Variadic
        others = range(i + 1 if is_list else i) if all(inputs[i].is_homogeneous for inputs in both) else ()
        first.append(next((str(other) for other in others if all(inputs[i].type_str == inputs[other].type_str for inputs in both)), "own"))
    return first


def masks():
    """By op, which types operands may have, and which operands share one."""
    schemas = {}
    for schema in defs.get_all_schemas_with_history():
        if not schema.domain and not schema.deprecated:
            schemas.setdefault(schema.name, []).append(schema)
    found = {op: [0] * max(len(schema.inputs) for schema in versions) for op, versions in schemas.items()}
    for schema in itertools.chain(*schemas.values()):
        allowed = {each.type_param_str: each.allowed_type_strs for each in schema.type_constraints}
        operands, formal = found[schema.name], list(schema.inputs)
        if formal and formal[-1].option == defs.OpSchema.FormalParameterOption.Variadic:
            formal += formal[-1:] * (len(operands) - len(formal))  # where another version has one more before it
        for i, operand in enumerate(formal):
            for type_ in allowed.get(operand.type_str, [operand.type_str]):
                if type_.startswith("tensor("):
                    operands[i] |= 1 << number(type_)
    return {op: (operands, same(schemas[op])) for op, operands in sorted(found.items()) if any(operands)}


def main():
    known = masks()
    if len(sys.argv) == 1:
        print("// Written by utils/onnx_operand_types.py.")
        for op, (operands, first) in known.items():
            print(f'{{"{op}", {{{{{", ".join(hex(mask) for mask in operands)}}}, {{{", ".join(first)}}}}}}},')
        return
    rows = re.findall(r'\{"(\w+)", \{\{([^}]*)\}, \{([^}]*)\}\}\}', Path(sys.argv[2]).read_text())
    written = {op: ([int(mask, 16) for mask in row.split(",")], first.split(", ")) for op, row, first in rows}
    narrow = [op for op, (operands, first) in known.items() if any(mask & ~own for mask, own in zip(operands, written.get(op, ([0],))[0]))
              or len(operands) > len(written.get(op, ([],))[0]) or first != written[op][1][:len(first)]]
    print(f"{len(written)} ops, {len(narrow)} narrower than their schemas: {', '.join(narrow)}")
    sys.exit(bool(narrow))


if __name__ == "__main__":
    main()
