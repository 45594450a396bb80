# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of a long chain, or row, takes as many bytes for each link as that of a short one.

In a chain of roundings, each link uses the size before it twice, so that maps or questions that hold all links
before would double with each. Bytes of the LLVM dialect do not depend on the machine's load. What takes longer
than LIMIT grows, too.
"""

import subprocess
import sys

MOST_GROWTH = 1.5
LIMIT = 60  # seconds; a second is enough

PAD = """
  %a{j} = tensor.pad %a{i} low[{low}] high[%p{i}] {{
  ^bb0(%k: index):
    tensor.yield %z : f32
  }} : tensor<?xf32> to tensor<?xf32>"""
SIZE = "\n  %d{i} = tensor.dim %a{i}, %c0 : tensor<?xf32>"
ROUNDED = "\n  %p{i} = affine.apply affine_map<()[s] -> ((s ceildiv {k}) * {k} - s)>()[%d{i}]"
BY_ARITH = """
  %k{i} = arith.constant {k} : index
  %l{i} = arith.constant {l} : index
  %s{i} = arith.addi %d{i}, %l{i} : index
  %q{i} = arith.floordivsi %s{i}, %k{i} : index
  %r{i} = arith.muli %q{i}, %k{i} : index
  %p{i} = arith.subi %r{i}, %d{i} : index"""
CUT = """
  %e{i} = tensor.dim %b{j}, %c0 : tensor<?xf32>
  %f{i} = affine.apply affine_map<()[s] -> ((s floordiv {k}) * {k})>()[%e{i}]
  %a{j} = tensor.extract_slice %b{j}[0] [%f{i}] [1] : tensor<?xf32> to tensor<?xf32>"""
CONCATENATION = "\n  %a{j} = tensor.concat dim(0) %a{i}, %a0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>"
BRANCH = """
  %c{j} = arith.constant {j} : index
  %d{i} = tensor.dim %a{i}, %c0 : tensor<?xf32>
  %l{i} = arith.cmpi slt, %d{i}, %c{j} : index
  %a{j} = scf.if %l{i} -> (tensor<?xf32>) {{
    %s = linalg.add ins(%a{i}, %a0 : tensor<?xf32>, tensor<?xf32>) outs(%a{i} : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }} else {{
    scf.yield %a{i} : tensor<?xf32>
  }}"""
# The rows of each expert follow those of the one before it.
EXPERT = """
  %k{i} = arith.constant {i} : index
  %i{i} = tensor.extract %counts[%k{i}] : tensor<?xi64>
  %n{i} = arith.index_cast %i{i} : i64 to index
  %s{i} = tensor.extract_slice %x[%o{i}, 0] [%n{i}, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
  %e{i} = tensor.empty(%n{i}) : tensor<?x16xf32>
  %z{i} = linalg.fill ins(%zero : f32) outs(%e{i} : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p{i} = linalg.matmul ins(%s{i}, %w{i} : tensor<?x16xf32>, tensor<16x16xf32>)
      outs(%z{i} : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y{j} = tensor.insert_slice %p{i} into %y{i}[%o{i}, 0] [%n{i}, 16] [1, 1] : tensor<?x16xf32> into tensor<?x16xf32>
  %o{j} = arith.addi %o{i}, %n{i} : index"""
FUNCTION = """
func.func @f{i}(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {{
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}}"""
LINKS = {
    "concatenations": CONCATENATION,
    "branches": BRANCH,
    "experts": EXPERT,
    "functions": FUNCTION,
    "pads": SIZE + ROUNDED + PAD.replace("{low}", "0"),
    "pads by arith": SIZE + BY_ARITH + PAD.replace("{low}", "0"),
    "pads and slices": SIZE + ROUNDED + PAD.replace("{low}", "1").replace("%a{j}", "%b{j}") + CUT,
    "sizes alone": "\n  %d{j} = affine.apply affine_map<()[s] -> ((s ceildiv {k}) * {k})>()[%d{i}]",
    "sizes read twice": "\n  %d{j} = affine.apply affine_map<()[s] -> (s - s mod {k} + s floordiv 2)>()[%d{i}]",
    "greatest sizes": "\n  %m{j} = affine.max affine_map<()[s] -> ((s ceildiv {k}) * {k}, s + {j})>()[%d{i}]"
                      "\n  %d{j} = affine.apply affine_map<()[s] -> ((s ceildiv {l}) * {l})>()[%m{j}]",
}
SIZES = {"concatenations": (30, 200), "experts": (8, 32), "functions": (50, 400),
         "pads": (24, 96), "pads by arith": (48, 96)}  # extents of more than 45 links are not kept as they are


def write(link, links):
    body = "".join(link.format(i=i, j=i + 1, k=i % 10 + 2, l=i % 10 + 1) for i in range(links))
    if link is FUNCTION:
        return body
    if link is EXPERT:
        weights = "".join(f', %w{i}: tensor<16x16xf32> {{symshape.weight = "w{i}"}}' for i in range(links))
        return f"""
func.func @main(%x: tensor<?x16xf32>, %y0: tensor<?x16xf32>, %counts: tensor<?xi64>{weights}) -> tensor<?x16xf32> {{
  %o0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32{body}
  return %y{links} : tensor<?x16xf32>
}}
"""
    if "%a{j}" in link:
        end = f"\n  return %a{links} : tensor<?xf32>"
    else:
        body = "\n  %d0 = tensor.dim %a0, %c0 : tensor<?xf32>" + body
        end = f"\n  %r = tensor.empty(%d{links}) : tensor<?xf32>\n  %y = linalg.fill ins(%z : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>\n  return %y : tensor<?xf32>"
    return f"""
func.func @main(%a0: tensor<?xf32>) -> tensor<?xf32> {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32{body}{end}
}}
"""


def lower(link, links):
    """Bytes of the code, without texts of failures."""
    done = subprocess.run(["symshape-opt", "-", "--symshape-cpu"], input=write(link, links), check=True,
                          capture_output=True, text=True, timeout=LIMIT)
    return sum(len(line) for line in done.stdout.splitlines() if "llvm.mlir.global" not in line)


def main():
    failures = 0
    for kind, link in LINKS.items():
        sizes = SIZES.get(kind, (6, 24))
        alone, *both = (lower(link, links) for links in (1, *sizes))
        short, long = ((bytes_ - alone) / (links - 1) for bytes_, links in zip(both, sizes))
        grows = long > MOST_GROWTH * short
        failures += grows
        print(f"{kind}: {short:.0f} bytes a link of {sizes[0]}, {long:.0f} of {sizes[1]}{', too many' * grows}")
    print(f"{len(LINKS)} kinds, {failures} grow")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
