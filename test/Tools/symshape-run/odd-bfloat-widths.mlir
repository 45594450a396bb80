// Vectors of 9, 17, 25 and 65 numbers of bf16, for a CPU that has vectors of bf16 and no scalar: LLVM has no code for
// a load of one element more than a multiple of 8.

// RUN: symshape-run %s --assembly=%t.s --cpu=znver4 --mtriple=x86_64-unknown-linux-gnu
// RUN: symshape-run %s --assembly=%t.s --cpu=sapphirerapids --mtriple=x86_64-unknown-linux-gnu
// RUN: symshape-run %s --assembly=%t.s --cpu=x86-64-v3 --mtriple=x86_64-unknown-linux-gnu

// RUN: symshape-run %s --input=9xbf16=iota --input=3x17xbf16=iota --input=25xbf16=iota --input=65xbf16=iota --input=bf16=7 | FileCheck %s
// RUN: symshape-run %s --compile=quick --input=9xbf16=iota --input=3x17xbf16=iota --input=25xbf16=iota --input=65xbf16=iota --input=bf16=7 | FileCheck %s

// CHECK: [7, 7, 7, 7, 7, 7, 7, 7, 8]
// CHECK: [-0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16]
// CHECK-SAME: -33]
// CHECK-SAME: -50]
// CHECK: [24, 23, 22,
// CHECK-SAME: 1, 0]
// CHECK: 63, 64, 0, 1, 2,
// CHECK-SAME: 63, 64]
func.func @main(%a: tensor<9xbf16>, %b: tensor<3x17xbf16>, %c: tensor<25xbf16>, %d: tensor<65xbf16>, %least: tensor<bf16>)
    -> (tensor<9xbf16>, tensor<3x17xbf16>, tensor<25xbf16>, tensor<130xbf16>) {
  %e0 = tensor.empty() : tensor<9xbf16>
  %r0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %least : tensor<9xbf16>, tensor<bf16>) outs(%e0 : tensor<9xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %m = arith.maximumf %x, %y : bf16
    %n = arith.cmpf uno, %y, %y : bf16
    %s = arith.select %n, %x, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<9xbf16>
  %e1 = tensor.empty() : tensor<3x17xbf16>
  %r1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<3x17xbf16>) outs(%e1 : tensor<3x17xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %n = arith.negf %x : bf16
    linalg.yield %n : bf16
  } -> tensor<3x17xbf16>
  %e2 = tensor.empty() : tensor<25xbf16>
  %r2 = linalg.generic {indexing_maps = [affine_map<(i) -> (24 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c : tensor<25xbf16>) outs(%e2 : tensor<25xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    linalg.yield %x : bf16
  } -> tensor<25xbf16>
  %r3 = tensor.concat dim(0) %d, %d : (tensor<65xbf16>, tensor<65xbf16>) -> tensor<130xbf16>
  return %r0, %r1, %r2, %r3 : tensor<9xbf16>, tensor<3x17xbf16>, tensor<25xbf16>, tensor<130xbf16>
}
