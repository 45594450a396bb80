// RUN: symshape-run %s --input=5xi32=iota | FileCheck %s --check-prefix=SOME
// RUN: env MALLOC_PERTURB_=165 symshape-run %s --input=0xi32=iota | FileCheck %s --check-prefix=NONE
// RUN: env MALLOC_PERTURB_=165 symshape-run %s --input=0xi32=iota --compile=quick | FileCheck %s --check-prefix=NONE

// A reduction that reads no earlier result, over no elements, leaves what it began with.
// SOME: i32: 1
// NONE: i32: 7
func.func @main(%x: tensor<?xi32>) -> i32 {
  %c7 = arith.constant 7 : i32
  %c1 = arith.constant 1 : i32
  %e = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%c7 : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%x : tensor<?xi32>) outs(%f : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %c1 : i32
  } -> tensor<i32>
  %v = tensor.extract %r[] : tensor<i32>
  return %v : i32
}
