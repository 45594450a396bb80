// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --mlir-print-op-generic | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=SHAPES
// RUN: symshape-opt %s --resolve-ranked-shaped-type-result-dims | FileCheck %s --check-prefix=DIMS

// CHECK-LABEL: func.func @no_zeros(
// SHAPES-LABEL: func.func @no_zeros(
func.func @no_zeros(%q: tensor<?x64xi8> {symshape.shape = #symshape.shape<[N, 64]>},
                    %s: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>}) -> tensor<?x128xf32> {
  // CHECK: symshape.dequantize %{{.*}} scales %{{.*}} bits 4 block 32 : tensor<?x64xi8>, tensor<?x4xf32> to tensor<?x128xf32>
  // SHAPES: symshape.dequantize {{.*}}symshape.extents = [#symshape.shape<[N, 128]>]
  %r = symshape.dequantize %q scales %s bits 4 block 32
      : tensor<?x64xi8>, tensor<?x4xf32> to tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// Codes, scales and zeros may have more than the terms take, and the terms may
// end within a block.
// CHECK-LABEL: func.func @bytes_as_zeros(
// SHAPES-LABEL: func.func @bytes_as_zeros(
func.func @bytes_as_zeros(%q: tensor<?x30xi8> {symshape.shape = #symshape.shape<[N, 30]>},
                          %s: tensor<?x5xf16>, %z: tensor<?x?xi8>) -> tensor<?x100xf32> {
  // CHECK: symshape.dequantize %{{.*}} scales %{{.*}} zeros %{{.*}} bits 2 block 28 : tensor<?x30xi8>, tensor<?x5xf16>, tensor<?x?xi8> to tensor<?x100xf32>
  // SHAPES: symshape.dequantize {{.*}}symshape.extents = [#symshape.shape<[N, 100]>]
  %r = symshape.dequantize %q scales %s zeros %z bits 2 block 28
      : tensor<?x30xi8>, tensor<?x5xf16>, tensor<?x?xi8> to tensor<?x100xf32>
  return %r : tensor<?x100xf32>
}

// Zeros of the type of the scales; a byte for each code, and a block of one.
// CHECK-LABEL: func.func @floats_as_zeros(
func.func @floats_as_zeros(%q: tensor<3x7xi8>, %s: tensor<3x7xf64>, %z: tensor<?x7xf64>) -> tensor<?x7xf64> {
  // CHECK: symshape.dequantize %{{.*}} scales %{{.*}} zeros %{{.*}} bits 8 block 1 : tensor<3x7xi8>, tensor<3x7xf64>, tensor<?x7xf64> to tensor<?x7xf64>
  %r = symshape.dequantize %q scales %s zeros %z bits 8 block 1
      : tensor<3x7xi8>, tensor<3x7xf64>, tensor<?x7xf64> to tensor<?x7xf64>
  return %r : tensor<?x7xf64>
}

// Rows are those of the codes, and so are those of a result that does not say.
// DIMS-LABEL: func.func @extents(
// DIMS-SAME:    %[[CODES:[^:]*]]: tensor<?x8xi8>
// DIMS:         %[[ROWS:.*]] = tensor.dim %[[CODES]], %c0
// DIMS:         return %[[ROWS]]
func.func @extents(%q: tensor<?x8xi8>, %s: tensor<?x1xf32>) -> index {
  %c0 = arith.constant 0 : index
  %r = symshape.dequantize %q scales %s bits 4 block 16
      : tensor<?x8xi8>, tensor<?x1xf32> to tensor<?x16xf32>
  %d = tensor.dim %r, %c0 : tensor<?x16xf32>
  return %d : index
}
