// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-lower-tensor-ops,canonicalize))' | FileCheck %s
// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-lower-tensor-ops{dequantize=false},canonicalize))' | FileCheck %s --check-prefix=LEFT

// CHECK: #[[$ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>

// Positive: a byte has two codes, the first one in its low bits. All are without
// sign, and become numbers in the type of the result. Must not fire without
// `dequantize`.
// CHECK-LABEL: func.func @codes(
// CHECK-SAME:    %[[Q:.*]]: tensor<?x64xi8>, %[[S:.*]]: tensor<?x4xf16>, %[[Z:.*]]: tensor<?x4xi8>)
// CHECK-DAG:     %[[MASK:.*]] = arith.constant 15 : i8
// CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : i8
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[BLOCK:.*]] = arith.constant 32 : index
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[Q]], %c0
// CHECK:         tensor.empty(%[[ROWS]]) : tensor<?x128xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[$ALL]]], iterator_types = ["parallel", "parallel"]}
// CHECK-DAG:       %[[N:.*]] = linalg.index 0
// CHECK-DAG:       %[[K:.*]] = linalg.index 1
// CHECK-DAG:       %[[G:.*]] = arith.divui %[[K]], %[[BLOCK]]
// CHECK-DAG:       %[[I8:.*]] = tensor.extract %[[Z]][%[[N]], %[[G]]]
// CHECK-DAG:       %[[ZERO:.*]] = arith.uitofp %[[I8]] : i8 to f32
// CHECK-DAG:       %[[F16:.*]] = tensor.extract %[[S]][%[[N]], %[[G]]]
// CHECK-DAG:       %[[SCALE:.*]] = arith.extf %[[F16]] : f16 to f32
// CHECK-DAG:       %[[PLACE:.*]] = arith.divui %[[K]], %[[TWO]]
// CHECK-DAG:       %[[BYTE:.*]] = tensor.extract %[[Q]][%[[N]], %[[PLACE]]]
// CHECK-DAG:       %[[NUMBER:.*]] = arith.remui %[[K]], %[[TWO]]
// CHECK-DAG:       %[[NARROW:.*]] = arith.index_cast %[[NUMBER]] : index to i8
// CHECK-DAG:       %[[SHIFT:.*]] = arith.muli %[[NARROW]], %[[FOUR]]
// CHECK-DAG:       %[[SHIFTED:.*]] = arith.shrui %[[BYTE]], %[[SHIFT]]
// CHECK-DAG:       %[[CODE:.*]] = arith.andi %[[SHIFTED]], %[[MASK]]
// CHECK-DAG:       %[[FLOAT:.*]] = arith.uitofp %[[CODE]] : i8 to f32
// CHECK:           %[[FROM:.*]] = arith.subf %[[FLOAT]], %[[ZERO]]
// CHECK:           %[[SCALED:.*]] = arith.mulf %[[FROM]], %[[SCALE]]
// CHECK:           linalg.yield %[[SCALED]]
// LEFT-LABEL: func.func @codes(
// LEFT-NOT:     linalg
// LEFT:         symshape.dequantize
func.func @codes(%q: tensor<?x64xi8>, %s: tensor<?x4xf16>, %z: tensor<?x4xi8>) -> tensor<?x128xf32> {
  %r = symshape.dequantize %q scales %s zeros %z bits 4 block 32
      : tensor<?x64xi8>, tensor<?x4xf16>, tensor<?x4xi8> to tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// Positive: a byte for each code has nothing to shift. Without zeros, codes count
// from the middle of them.
// CHECK-LABEL: func.func @bytes(
// CHECK-DAG:     %[[MIDDLE:.*]] = arith.constant 1.280000e+02 : f32
// CHECK-NOT:     arith.shrui
// CHECK-NOT:     arith.andi
// CHECK:         arith.uitofp
// CHECK:         arith.subf %{{.*}}, %[[MIDDLE]]
// CHECK:         arith.mulf
// LEFT-LABEL: func.func @bytes(
// LEFT-NOT:     linalg
// LEFT:         symshape.dequantize
func.func @bytes(%q: tensor<3x5xi8>, %s: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %r = symshape.dequantize %q scales %s bits 8 block 256
      : tensor<3x5xi8>, tensor<3x1xf32> to tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// Positive: zeros that are floats; the result is of another type than the scales.
// CHECK-LABEL: func.func @floats(
// CHECK-COUNT-2: arith.extf {{.*}} : f32 to f64
// CHECK:         arith.uitofp {{.*}} : i8 to f64
// CHECK:         arith.subf {{.*}} : f64
// LEFT-LABEL: func.func @floats(
// LEFT-NOT:     linalg
// LEFT:         symshape.dequantize
func.func @floats(%q: tensor<3x5xi8>, %s: tensor<3x2xf32>, %z: tensor<3x2xf32>) -> tensor<3x18xf64> {
  %r = symshape.dequantize %q scales %s zeros %z bits 2 block 12
      : tensor<3x5xi8>, tensor<3x2xf32>, tensor<3x2xf32> to tensor<3x18xf64>
  return %r : tensor<3x18xf64>
}
