// RUN: symshape-opt %s --symshape-infer-shapes | FileCheck %s
// RUN: symshape-opt %s --symshape-discharge | FileCheck %s --check-prefix=MIN
// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=EXTENTS

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

// Tiles of tiles, along two axes of one declared multiple and of one from a type.
// EXTENTS-LABEL: func.func @nested(
// EXTENTS:         tensor.extract_slice {{.*}}symshape.extents = [#symshape.shape<[16, 32]>]
// EXTENTS:         tensor.extract_slice {{.*}}symshape.extents = [#symshape.shape<[4, 32]>]
func.func @nested(%t: tensor<?x96xf32> {symshape.shape = #symshape.shape<[M, 96]>}) -> f32
    attributes {symshape.symbols = [#symshape.symbol<"M", multiple_of = 16>]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %t, %c0 : tensor<?x96xf32>
  %r = scf.for %i = %c0 to %m step %c16 iter_args(%a = %z) -> f32 {
    %p = scf.for %j = %c0 to %c96 step %c32 iter_args(%b = %a) -> f32 {
      %rows = affine.min affine_map<(d0)[s0] -> (s0 - d0, 16)>(%i)[%m]
      %columns = affine.min affine_map<(d0) -> (96 - d0, 32)>(%j)
      %tile = tensor.extract_slice %t[%i, %j] [%rows, %columns] [1, 1] : tensor<?x96xf32> to tensor<?x?xf32>
      %q = scf.for %k = %c0 to %rows step %c4 iter_args(%c = %b) -> f32 {
        %few = affine.min affine_map<(d0)[s0] -> (s0 - d0, 4)>(%k)[%rows]
        %part = tensor.extract_slice %tile[%k, 0] [%few, %columns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
        %v = tensor.extract %part[%c0, %c0] : tensor<?x?xf32>
        %s = arith.addf %c, %v : f32
        scf.yield %s : f32
      }
      scf.yield %q : f32
    }
    scf.yield %p : f32
  }
  return %r : f32
}

// A loop that begins behind a whole number of tiles; and one that does not.
// EXTENTS-LABEL: func.func @later(
// EXTENTS:         tensor.extract_slice {{.*}}symshape.extents = [#symshape.shape<[8]>]
// EXTENTS:         tensor.extract_slice {{.*}}symshape.extents = [#symshape.shape<["<= 8"]>]
func.func @later(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) -> (f32, f32)
    attributes {symshape.symbols = [#symshape.symbol<"M", range = [24, 4096], multiple_of = 8>]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %t, %c0 : tensor<?xf32>
  %r = scf.for %i = %c24 to %m step %c8 iter_args(%a = %z) -> f32 {
    %s = affine.min affine_map<(d0)[s0] -> (s0 - d0, 8)>(%i)[%m]
    %slice = tensor.extract_slice %t[%i] [%s] [1] : tensor<?xf32> to tensor<?xf32>
    %v = tensor.extract %slice[%c0] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  %q = scf.for %i = %c4 to %m step %c8 iter_args(%a = %z) -> f32 {
    %s = affine.min affine_map<(d0)[s0] -> (s0 - d0, 8)>(%i)[%m]
    %slice = tensor.extract_slice %t[%i] [%s] [1] : tensor<?xf32> to tensor<?xf32>
    %v = tensor.extract %slice[%c0] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  return %r, %q : f32, f32
}
