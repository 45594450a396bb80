// Ops along an axis for many threads: a few passes over all lines.
// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-lower-tensor-ops{points=true},canonicalize,cse))' | FileCheck %s

// Two passes to an iteration; each point searches two runs, and takes the left one of equal elements.
// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} outs(%{{.*}} : tensor<?x8xf32>, tensor<?x8xindex>)
// CHECK:           scf.while
// CHECK:           tensor.extract %[[X]]
// CHECK:         scf.for %{{.*}} iter_args(%[[V:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[V2:.*]] = %{{.*}}, %[[P2:.*]] = %{{.*}})
// CHECK:           linalg.generic {{.*}} outs(%[[V2]], %[[P2]] :
// CHECK:             scf.while
// CHECK:               %[[LEFT:.*]] = tensor.extract %[[V]]
// CHECK:               %[[RIGHT:.*]] = tensor.extract %[[V]]
// CHECK:               arith.cmpf olt, %[[RIGHT]], %[[LEFT]]
// CHECK:             tensor.extract %[[P]]
// CHECK:           linalg.generic {{.*}} outs(%[[V]], %[[P]] :
// CHECK:           scf.yield
// CHECK:         arith.index_cast %{{.*}} : tensor<?x8xindex> to tensor<?x8xi32>
func.func @sort(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xi32>) {
  %v, %p = symshape.sort %x axis 0 : tensor<?x8xf32>, tensor<?x8xi32>
  return %v, %p : tensor<?x8xf32>, tensor<?x8xi32>
}

// Places that no later pass looks at are not searched for.
// CHECK-LABEL: func.func @top_k(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi32>, %[[K:.*]]: index
// CHECK:         scf.for
// CHECK:           arith.cmpi slt, %{{.*}}, %[[K]]
// CHECK:           scf.while
// CHECK:         tensor.extract_slice %{{.*}}[0] [%[[K]]] [1] : tensor<?xi32> to tensor<?xi32>
// CHECK:         tensor.extract_slice %{{.*}}[0] [%[[K]]] [1] : tensor<?xindex> to tensor<?xindex>
func.func @top_k(%x: tensor<?xi32>, %k: index) -> (tensor<?xi32>, tensor<?xi64>) {
  %v, %p = symshape.top_k %x, %k axis 0 : tensor<?xi32> to tensor<?xi32>, tensor<?xi64>
  return %v, %p : tensor<?xi32>, tensor<?xi64>
}

// A sum begins with -0.0. What is read for chunks, and again for elements, is the source.
// CHECK-LABEL: func.func @cumsum(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<?x4xf32>)
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:             tensor.extract %[[X]]
// CHECK:         scf.for {{.*}} step %c8 iter_args(%[[S:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}})
// CHECK:           linalg.generic {{.*}} outs(%[[T]] : tensor<?x4xf32>)
// CHECK:             tensor.extract %[[S]]
// CHECK:           linalg.generic {{.*}} outs(%[[S]] : tensor<?x4xf32>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<?x4xf32>)
// CHECK:             tensor.extract %[[X]]
func.func @cumsum(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = symshape.cumsum %x axis 0 : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// 100 elements are 7 chunks, and their sums one iteration, which is no loop.
// CHECK-LABEL: func.func @cumsum_static(
// CHECK-COUNT-3: linalg.generic {{.*}} outs(%{{.*}} : tensor<7xi64>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<100xi64>)
// CHECK-NOT:     linalg.generic
func.func @cumsum_static(%x: tensor<100xi64>) -> tensor<100xi64> {
  %0 = symshape.cumsum %x axis 0 reverse : tensor<100xi64>
  return %0 : tensor<100xi64>
}

// The last sum is the number of rows.
// CHECK-LABEL: func.func @nonzero(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xi8>
// CHECK:         %[[LINE:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]] : tensor<?x?xi8> into tensor<?xi8>
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[LINE]]
// CHECK:         %[[SUMS:.*]]:2 = scf.for
// CHECK:         %[[COUNT:.*]] = tensor.extract %[[SUMS]]#0
// CHECK:         tensor.empty(%[[COUNT]]) : tensor<?x2xindex>
// CHECK:         linalg.generic
// CHECK:           scf.while
// CHECK:             tensor.extract %[[SUMS]]#0
func.func @nonzero(%x: tensor<?x?xi8>) -> tensor<?x2xindex> {
  %0 = symshape.nonzero %x : tensor<?x?xi8> to tensor<?x2xindex>
  return %0 : tensor<?x2xindex>
}
