// Machine code of the loops over terms, per CPU: sums stay in registers, and
// nothing is called or masked. Where B passes by sums in memory, LLVM may make a
// loop of its own for fewer columns than a vector holds, with a sum for each of
// one or two rows; that one has a mask.

// DEFINE: %{cpu} =
// DEFINE: %{instruction} =
// DEFINE: %{entry} = contraction
// DEFINE: %{loops} = symshape-run %s --entry=%{entry} %{cpu} --assembly=%t.s && %python %S/Inputs/inner_loops.py %{instruction} < %t.s

// REDEFINE: %{instruction} = fmla
// REDEFINE: %{cpu} = --mtriple=aarch64-linux-gnu
// RUN: %{loops} | FileCheck %s --check-prefixes=ALL,NEON
// REDEFINE: %{cpu} = --mtriple=aarch64-linux-gnu --cpu=neoverse-n1
// RUN: %{loops} | FileCheck %s --check-prefixes=ALL,NEON
// REDEFINE: %{instruction} = mulps
// REDEFINE: %{cpu} = --mtriple=x86_64-linux-gnu --cpu=x86-64-v2
// RUN: %{loops} | FileCheck %s --check-prefixes=ALL,SMALL
// REDEFINE: %{instruction} = vfmadd231ps
// REDEFINE: %{cpu} = --mtriple=x86_64-linux-gnu --cpu=x86-64-v3
// RUN: %{loops} | FileCheck %s --check-prefixes=ALL,SMALL
// REDEFINE: %{cpu} = --mtriple=x86_64-linux-gnu --cpu=x86-64-v4
// RUN: %{loops} | FileCheck %s --check-prefixes=ALL,LARGE

// ALL-NOT:   {{[1-9][0-9]* (stack|calls)|([3-9]|[0-9][0-9]) [a-z0-9]+, 0 stack, [1-9][0-9]* masked}}
// NEON-DAG:  {{^}}26 fmla, 0 stack, 0 masked, 0 calls
// SMALL-DAG: {{^}}12 {{[a-z0-9]+}}, 0 stack, 0 masked, 0 calls
// LARGE-DAG: {{^}}28 vfmadd231ps, 0 stack, 0 masked, 0 calls
// ALL-NOT:   {{[1-9][0-9]* (stack|calls)|([3-9]|[0-9][0-9]) [a-z0-9]+, 0 stack, [1-9][0-9]* masked}}
func.func @contraction(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %bias: tensor<?xf32>, %e: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                                        affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// What else has loops of its own is in vectors, and calls nothing.
// REDEFINE: %{instruction} = fmla
// REDEFINE: %{cpu} = --mtriple=aarch64-linux-gnu
// REDEFINE: %{entry} = softmax
// RUN: %{loops} | FileCheck %s --check-prefix=SOFTMAX
// RUN: FileCheck %s --check-prefix=VECTORS < %t.s
// SOFTMAX-NOT: {{[1-9][0-9]* (stack|calls)}}
// SOFTMAX:     fmla, 0 stack, 0 masked, 0 calls
// SOFTMAX-NOT: {{[1-9][0-9]* (stack|calls)}}
// VECTORS:     fmla v{{[0-9]+}}.4s
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// REDEFINE: %{entry} = convolution
// RUN: %{loops} | FileCheck %s --check-prefix=WINDOWS
// RUN: FileCheck %s --check-prefix=VECTORS < %t.s
// WINDOWS: {{^}}216 fmla, {{[0-9]+}} stack, 0 masked, 0 calls
func.func @convolution(%x: tensor<?x?x?x?xf32>, %f: tensor<?x?x3x3xf32>, %e: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %f : tensor<?x?x?x?xf32>, tensor<?x?x3x3xf32>)
                                outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
