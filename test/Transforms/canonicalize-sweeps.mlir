// RUN: mlir-opt --load-pass-plugin=%test_plugin --load-dialect-plugin=%test_plugin %s \
// RUN:   --pass-pipeline="builtin.module(symshape-apply-patterns{set=expand-reshapes})" --log-actions-to=%t -o %t.mlir
// RUN: grep -c "begins.*GreedyPatternRewriteIteration" %t | FileCheck %s

// A pattern of upstream makes ops here, and fails. They are dead, and make the
// next sweep: without an end, and 60 of them for 60 ops.
// CHECK: {{^1?[0-9]$}}
func.func @main(%a: index, %t0: tensor<1x?xi64>) -> (tensor<?x1xi64>, index) {
  %cst = arith.constant -1 : i64
  %v3 = tensor.collapse_shape %t0 [[0, 1]] : tensor<1x?xi64> into tensor<?xi64>
  %v0 = tensor.cast %t0 : tensor<1x?xi64> to tensor<?x?xi64>
  %v5 = tensor.empty(%a) : tensor<?x1xi64>
  %v6 = linalg.fill ins(%cst : i64) outs(%v5 : tensor<?x1xi64>) -> tensor<?x1xi64>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2)>,
                                        affine_map<(d0, d1, d2) -> (d2, d0)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%v0, %v3 : tensor<?x?xi64>, tensor<?xi64>) outs(%v6 : tensor<?x1xi64>) {
  ^bb0(%x0: i64, %x1: i64, %y0: i64):
    %s = arith.addi %x0, %x1 : i64
    %c = arith.minsi %y0, %s : i64
    linalg.yield %c : i64
  } -> tensor<?x1xi64>
  %f0 = arith.addi %a, %a : index
  %f1 = arith.addi %f0, %a : index
  %f2 = arith.addi %f1, %a : index
  %f3 = arith.addi %f2, %a : index
  %f4 = arith.addi %f3, %a : index
  %f5 = arith.addi %f4, %a : index
  %f6 = arith.addi %f5, %a : index
  %f7 = arith.addi %f6, %a : index
  %f8 = arith.addi %f7, %a : index
  %f9 = arith.addi %f8, %a : index
  %f10 = arith.addi %f9, %a : index
  %f11 = arith.addi %f10, %a : index
  %f12 = arith.addi %f11, %a : index
  %f13 = arith.addi %f12, %a : index
  %f14 = arith.addi %f13, %a : index
  %f15 = arith.addi %f14, %a : index
  %f16 = arith.addi %f15, %a : index
  %f17 = arith.addi %f16, %a : index
  %f18 = arith.addi %f17, %a : index
  %f19 = arith.addi %f18, %a : index
  %f20 = arith.addi %f19, %a : index
  %f21 = arith.addi %f20, %a : index
  %f22 = arith.addi %f21, %a : index
  %f23 = arith.addi %f22, %a : index
  %f24 = arith.addi %f23, %a : index
  %f25 = arith.addi %f24, %a : index
  %f26 = arith.addi %f25, %a : index
  %f27 = arith.addi %f26, %a : index
  %f28 = arith.addi %f27, %a : index
  %f29 = arith.addi %f28, %a : index
  %f30 = arith.addi %f29, %a : index
  %f31 = arith.addi %f30, %a : index
  %f32 = arith.addi %f31, %a : index
  %f33 = arith.addi %f32, %a : index
  %f34 = arith.addi %f33, %a : index
  %f35 = arith.addi %f34, %a : index
  %f36 = arith.addi %f35, %a : index
  %f37 = arith.addi %f36, %a : index
  %f38 = arith.addi %f37, %a : index
  %f39 = arith.addi %f38, %a : index
  %f40 = arith.addi %f39, %a : index
  %f41 = arith.addi %f40, %a : index
  %f42 = arith.addi %f41, %a : index
  %f43 = arith.addi %f42, %a : index
  %f44 = arith.addi %f43, %a : index
  %f45 = arith.addi %f44, %a : index
  %f46 = arith.addi %f45, %a : index
  %f47 = arith.addi %f46, %a : index
  %f48 = arith.addi %f47, %a : index
  %f49 = arith.addi %f48, %a : index
  %f50 = arith.addi %f49, %a : index
  %f51 = arith.addi %f50, %a : index
  %f52 = arith.addi %f51, %a : index
  %f53 = arith.addi %f52, %a : index
  %f54 = arith.addi %f53, %a : index
  %f55 = arith.addi %f54, %a : index
  %f56 = arith.addi %f55, %a : index
  %f57 = arith.addi %f56, %a : index
  %f58 = arith.addi %f57, %a : index
  %f59 = arith.addi %f58, %a : index
  return %v7, %f59 : tensor<?x1xi64>, index
}
