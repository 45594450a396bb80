// RUN: symshape-opt %s --symshape-lower-tosa | FileCheck %s

// Positive: a shape that a function gives is a tensor of indices.
// CHECK-LABEL: func.func @given(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>) -> (tensor<2xindex>, tensor<0xindex>)
// CHECK:         %[[D:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x?xf32>
// CHECK:         %[[S:.*]] = tensor.from_elements %[[D]], %{{.*}} : tensor<2xindex>
// CHECK:         %[[E:.*]] = tensor.from_elements : tensor<0xindex>
// CHECK:         return %[[S]], %[[E]] : tensor<2xindex>, tensor<0xindex>
func.func @given(%x: tensor<?x?xf32>) -> (!tosa.shape<2>, !tosa.shape<0>) {
  %0 = tosa.dim %x {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %1 = tosa.const_shape {values = dense<[7]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %2 = tosa.concat_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %3 = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  return %2, %3 : !tosa.shape<2>, !tosa.shape<0>
}
