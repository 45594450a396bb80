// RUN: symshape-opt %s --symshape-infer-shapes | FileCheck %s
// RUN: symshape-opt %s --symshape-discharge | FileCheck %s --check-prefix=MIN

// Tiles of a declared multiple are whole: the last one is no smaller.
// CHECK-LABEL: func.func @multiple(
// CHECK:         tensor.extract_slice %{{.*}}[%{{.*}}] [8] [1] : tensor<?xf32> to tensor<8xf32>
// MIN-LABEL:   func.func @multiple(
// MIN-NOT:       affine.min
// MIN:           return
func.func @multiple(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"M", multiple_of = 8>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = tensor.dim %t, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %m step %c8 iter_args(%acc = %t) -> (tensor<?xf32>) {
    %s = affine.min affine_map<(d0)[s0] -> (s0 - d0, 8)>(%i)[%m]
    %slice = tensor.extract_slice %t[%i] [%s] [1] : tensor<?xf32> to tensor<?xf32>
    %new = tensor.insert_slice %slice into %acc[%i] [%s] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %new : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The same from an assumption, by arith, and for tiles that divide the multiple.
// CHECK-LABEL: func.func @half(
// CHECK:         tensor.extract_slice %{{.*}}[%{{.*}}] [4] [1] : tensor<?xf32> to tensor<4xf32>
func.func @half(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) -> tensor<?xf32>
    attributes {symshape.assume = [#symshape.fact<"8 | M">]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = tensor.dim %t, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %m step %c4 iter_args(%acc = %t) -> (tensor<?xf32>) {
    %left = arith.subi %m, %i : index
    %s = arith.minsi %left, %c4 : index
    %slice = tensor.extract_slice %t[%i] [%s] [1] : tensor<?xf32> to tensor<?xf32>
    %new = tensor.insert_slice %slice into %acc[%i] [%s] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %new : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Must not fire: tiles of 16, of a multiple of 8.
// CHECK-LABEL: func.func @larger(
// CHECK:         tensor.extract_slice {{.*}} to tensor<?xf32>
// MIN-LABEL:   func.func @larger(
// MIN:           affine.min
func.func @larger(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"M", multiple_of = 8>]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = tensor.dim %t, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %m step %c16 iter_args(%acc = %t) -> (tensor<?xf32>) {
    %s = affine.min affine_map<(d0)[s0] -> (s0 - d0, 16)>(%i)[%m]
    %slice = tensor.extract_slice %t[%i] [%s] [1] : tensor<?xf32> to tensor<?xf32>
    %new = tensor.insert_slice %slice into %acc[%i] [%s] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %new : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
