// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-lower-tensor-ops,canonicalize))' | FileCheck %s

// CHECK-DAG: #[[$IMAGE:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0, d1) -> (1, d1)>
// CHECK-DAG: #[[$LATE:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>

// Positive: a static number of taps is written out; the type of sums is that of
// the weights, and places are moved inside.
// CHECK-LABEL: func.func @taps(
// CHECK:         linalg.generic {indexing_maps = [#[[$FIRST]], #[[$FIRST]], #[[$SECOND]], #[[$SECOND]], #[[$IMAGE]]]
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK:         %[[X:.*]] = tensor.extract
// CHECK:         arith.extf %[[X]] : f16 to f32
// CHECK:         arith.mulf
// CHECK:         arith.addf
func.func @taps(%x: tensor<?x?xf16>, %p: tensor<2x?xi64>, %w: tensor<2x?xf32>) -> tensor<?x?xf32> {
  %r = symshape.resample %x along [1] at %p weights %w
      : tensor<?x?xf16> at tensor<2x?xi64> weights tensor<2x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Positive: taps of a late number are a loop.
// CHECK-LABEL: func.func @late(
// CHECK:         linalg.fill
// CHECK:         linalg.generic {indexing_maps = [#[[$LATE]], #[[$LATE]], {{.*}}], iterator_types = ["parallel", "parallel", "reduction"]}
func.func @late(%x: tensor<?x?xf64>, %p: tensor<?x?xi64>, %w: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %r = symshape.resample %x along [0] at %p weights %w
      : tensor<?x?xf64> at tensor<?x?xi64> weights tensor<?x?xf64> to tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// Positive: a generated table is computed where it is read, also behind a cast.
// CHECK-LABEL: func.func @generated(
// CHECK-NOT:     tensor.generate
// CHECK:         linalg.generic {indexing_maps = [#[[$IMAGE]]]
// CHECK:         arith.divui
func.func @generated(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %two = arith.constant 2 : index
  %t = tensor.generate {
  ^bb0(%tap: index, %o: index):
    %at = arith.divui %o, %two : index
    tensor.yield %at : index
  } : tensor<1x8xindex>
  %p = tensor.cast %t : tensor<1x8xindex> to tensor<1x?xindex>
  %r = symshape.resample %x along [0] at %p : tensor<?x?xf32> at tensor<1x?xindex> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Must not fire: what else the generator does is done once.
// CHECK-LABEL: func.func @checked(
// CHECK:         %[[T:.*]] = tensor.generate
// CHECK:           cf.assert
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : tensor<1x?xindex>)
func.func @checked(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %t = tensor.generate %n {
  ^bb0(%tap: index, %o: index):
    %less = arith.cmpi ult, %o, %n : index
    cf.assert %less, "a place"
    tensor.yield %o : index
  } : tensor<1x?xindex>
  %r = symshape.resample %x along [0] at %t : tensor<?x?xf32> at tensor<1x?xindex> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
