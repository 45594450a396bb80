// RUN: symshape-run %s --entry=transpose --input=2x3xf32=iota | FileCheck %s --check-prefix=TRANSPOSE
// RUN: symshape-run %s --entry=transpose --input=1x1xf32=zeros | FileCheck %s --check-prefix=ONE
// RUN: symshape-run %s --entry=transpose --input=0x3xf32=zeros | FileCheck %s --check-prefix=EMPTY
// RUN: symshape-run %s --entry=mixed --input=i64=-4 --input=f64=0.1 --input=i1=true --input=index=9 --input=3xi8=iota | FileCheck %s --check-prefix=MIXED
// RUN: symshape-run %s --entry=special --input=f32=0 | FileCheck %s --check-prefix=SPECIAL
// RUN: symshape-run %s --entry=nothing | FileCheck %s --check-prefix=NOTHING --allow-empty

// TRANSPOSE: {{^}}3x2xf32: {{\[\[0, 3\], \[1, 4\], \[2, 5\]\]$}}
// ONE: {{^}}1x1xf32: {{\[\[0\]\]$}}
// EMPTY: {{^}}3x0xf32: []{{$}}
func.func @transpose(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) permutation = [1, 0]
  return %t : tensor<?x?xf32>
}

// Results in order: scalars by value, tensors by descriptor, an argument copied.
// MIXED:      {{^}}i1: true
// MIXED-NEXT: {{^}}3xi8: [0, 1, 2]
// MIXED-NEXT: {{^}}f64: 0.20000000000000001
// MIXED-NEXT: {{^}}i64: -8
// MIXED-NEXT: {{^}}index: 9
func.func @mixed(%a: i64, %b: f64, %c: i1, %d: index, %t: tensor<?xi8>) -> (i1, tensor<?xi8>, f64, i64, index) {
  %s = arith.addi %a, %a : i64
  %f = arith.addf %b, %b : f64
  return %c, %t, %f, %s, %d : i1, tensor<?xi8>, f64, i64, index
}

// Values that are no numbers, and a constant as result.
// SPECIAL: {{^}}4xf32: [nan, inf, -inf, 1.00000002e+30]
func.func @special(%x: f32) -> tensor<4xf32> {
  %c = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 1.0e30]> : tensor<4xf32>
  return %c : tensor<4xf32>
}

// NOTHING-NOT: {{.}}
func.func @nothing() {
  return
}
