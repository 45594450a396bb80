// RUN: symshape-opt %s --symshape-form-contractions=winograd=true | FileCheck %s --check-prefix=FORM
// RUN: symshape-opt %s --symshape-form-contractions | FileCheck %s --check-prefix=DIRECT
// RUN: symshape-opt %s --symshape-form-contractions=winograd=true --symshape-hoist-weights --symshape-lower-packs --one-shot-bufferize="bufferize-function-boundaries" --symshape-lower-winograd --canonicalize | FileCheck %s
// RUN: symshape-opt %s --symshape-form-contractions=winograd=true --symshape-hoist-weights --symshape-lower-packs --one-shot-bufferize="bufferize-function-boundaries" --symshape-lower-winograd=parallel=true --canonicalize | FileCheck %s --check-prefix=THREADS

#image = affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>
#strided = affine_map<(n, h, w, f, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>
#kernel = affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>
#result = affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>

// Weights are transformed once, and packed for the same tile as without.
// FORM-LABEL: func.func @convolution(
// FORM:         linalg.generic {{.*}} outs({{.*}} : tensor<6x3x16x32xf32>)
// FORM:         linalg.generic {{.*}} outs({{.*}} : tensor<6x6x16x32xf32>)
// FORM:         %[[U:.*]] = linalg.pack {{.*}} -> tensor<6x6x1x16x32xf32>
// FORM:         symshape_kernel.contract {{.*}} transformed(%[[U]] : tensor<6x6x1x16x32xf32>)
// DIRECT-LABEL: func.func @convolution(
// DIRECT-NOT:     transformed

// The choice is one test of extents; the other branch is the contraction as it was.
// CHECK-LABEL: func.func @convolution(
// CHECK:         %[[FASTER:.*]] = arith.cmpi ult
// CHECK:         scf.if %[[FASTER]] {
// CHECK:           memref.alloc({{.*}}) {{.*}} : memref<6x?x16xf32>
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               call @symshape.winograd.input(
// CHECK:             call @symshape.winograd.product.32(
// CHECK:             scf.for
// CHECK:               call @symshape.winograd.output(
// CHECK:               linalg.generic {{.*}} outs({{.*}} : memref<?x?x32xf32,
// CHECK:         } else {
// CHECK:           symshape_kernel.contract
// CHECK-NOT:       transformed
// THREADS-LABEL: func.func @convolution(
// THREADS:         scf.parallel
// THREADS:           memref.alloc({{.*}}) {{.*}} : memref<6x?x16xf32>
// A few blocks come one after the other; threads share the products of each.
// THREADS:           scf.for
// THREADS:             call @symshape.winograd.product.32(
// THREADS:       func.func private @symshape.winograd.input({{.*}} one_thread
// THREADS:       func.func private @symshape.winograd.product.32(
// THREADS-NOT:   one_thread
// THREADS:         symshape_kernel.contract
func.func @convolution(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16x32xf32> {symshape.weight = "w"}, %e: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %r = linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?x16xf32>, tensor<3x3x16x32xf32>) outs(%init : tensor<?x?x?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x32xf32>
  return %r : tensor<?x?x?x32xf32>
}

// A stride, weights of each call, sums that go on from others: directly.
// FORM-LABEL: func.func @strided(
// FORM-NOT:     transformed
func.func @strided(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16x32xf32> {symshape.weight = "w"}, %e: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %r = linalg.generic {indexing_maps = [#strided, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?x16xf32>, tensor<3x3x16x32xf32>) outs(%init : tensor<?x?x?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x32xf32>
  return %r : tensor<?x?x?x32xf32>
}

func.func @weights_of_each_call(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16x32xf32>, %e: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %r = linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?x16xf32>, tensor<3x3x16x32xf32>) outs(%init : tensor<?x?x?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x32xf32>
  return %r : tensor<?x?x?x32xf32>
}

func.func @accumulated(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16x32xf32> {symshape.weight = "w"}, %e: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %r = linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?x16xf32>, tensor<3x3x16x32xf32>) outs(%e : tensor<?x?x?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x32xf32>
  return %r : tensor<?x?x?x32xf32>
}
