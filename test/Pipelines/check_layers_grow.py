# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the code of a program grows with its number of equal layers: what is the same in each is there once.

A layer has a product with a weight, which is packed before the calls, rows (a softmax) and a sum. Counted are
lines of the LLVM dialect, which do not depend on the machine's load.
"""

import subprocess
import sys
import tempfile

FEW, MANY = 4, 32

LAYER = """
  %z{i} = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %p{i} = linalg.matmul ins({x}, %w{i} : tensor<?x64xf32>, tensor<64x64xf32>)
      outs(%z{i} : tensor<?x64xf32>) -> tensor<?x64xf32>
  %s{i} = linalg.softmax dimension(1) ins(%p{i} : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y{i} = linalg.add ins(%s{i}, {x} : tensor<?x64xf32>, tensor<?x64xf32>)
      outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>"""


def write(layers):
    weights = "".join(f', %w{i}: tensor<64x64xf32> {{symshape.weight = "w{i}"}}' for i in range(layers))
    body = "".join(LAYER.format(i=i, x=f"%y{i - 1}" if i else "%x") for i in range(layers))
    return f"""
func.func @main(%x: tensor<?x64xf32>{weights}) -> tensor<?x64xf32> {{
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>{body}
  return %y{layers - 1} : tensor<?x64xf32>
}}
"""


def lower(layers):
    """Lines of the whole, and of the function of what is before the calls."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(write(layers))
        file.flush()
        lines = subprocess.run(["symshape-opt", file.name, "--symshape-cpu"], check=True, capture_output=True,
                               text=True).stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if "llvm.func @main.prepare(" in line)
    return {"all of it": len(lines), "before the calls": lines.index("  }", first) - first}


def main():
    few, many = lower(FEW), lower(MANY)
    growth = {part: many[part] / few[part] for part in few}
    print(growth)
    # What is before the calls has a few lines for each weight.
    right = growth["all of it"] <= 3 and growth["before the calls"] <= MANY / FEW and many["before the calls"] > 500
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
