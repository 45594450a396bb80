// RUN: symshape-opt %s --symshape-fixate="function=network shapes='2x4x6x3, 2x4x6x2'" | FileCheck %s
// RUN: symshape-opt %s --symshape-fixate="function=shapes bind='s0 = 2, s1 = 4' shapes='-, 8, -'" | FileCheck %s --check-prefix=SHAPES
// RUN: symshape-opt %s --symshape-fixate="function=row shapes='2x1, 1x?'" | FileCheck %s --check-prefix=ONE
// RUN: symshape-opt %s --symshape-fixate="function=row shapes='2x3, 1x?'" | FileCheck %s --check-prefix=OPEN
// RUN: symshape-opt %s --symshape-fixate="function=rest shapes='1, 0'" | FileCheck %s --check-prefix=EMPTY

// All of a program becomes static, types of results and unused ones as well.
// CHECK-LABEL: func.func @network(
// CHECK-SAME:    %{{.*}}: tensor<2x4x6x3xf32>, %{{.*}}: tensor<2x4x6x2xf32>) -> (tensor<2x4x6x5xf32>, tensor<2x4x3xf32>) {
// CHECK-NOT:     ?
// CHECK-NOT:     tensor.cast
// CHECK:         tosa.conv2d {{.*}} -> tensor<2x2x3x2xf32>
// CHECK:         tosa.resize {{.*}} -> tensor<2x4x6x2xf32>
// CHECK:         tosa.rfft2d {{.*}} -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>)
// CHECK:         tosa.add {{.*}} -> tensor<2x4x6x2xf32>
// CHECK:         tosa.concat {{.*}} -> tensor<2x4x6x5xf32>
// CHECK:         return
func.func @network(%x: tensor<?x?x?x3xf32>, %y: tensor<?x?x?x2xf32>) -> (tensor<?x?x?x5xf32>, tensor<?x?x?xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<2x3x3x3xf32>}> : () -> tensor<2x3x3x3xf32>
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<?x?x?x3xf32>, tensor<2x3x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x2xf32>
  %u = tosa.resize %c, %s, %o, %b {mode = BILINEAR} : (tensor<?x?x?x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x2xf32>
  %start = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[-1, -1, 4, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %part = tosa.slice %u, %start, %size : (tensor<?x?x?x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<?x?x4x1xf32>
  %target = tosa.const_shape {values = dense<[2, 4, -1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %flat = tosa.reshape %part, %target : (tensor<?x?x4x1xf32>, !tosa.shape<3>) -> tensor<?x?x?xf32>
  %re, %im = tosa.rfft2d %flat {local_bound = false} : (tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %a = tosa.add %u, %y : (tensor<?x?x?x2xf32>, tensor<?x?x?x2xf32>) -> tensor<?x?x?x2xf32>
  %r = tosa.concat %a, %x {axis = 3 : i32} : (tensor<?x?x?x2xf32>, tensor<?x?x?x3xf32>) -> tensor<?x?x?x5xf32>
  return %r, %re : tensor<?x?x?x5xf32>, tensor<?x?x?xf32>
}

// What is computed of shapes becomes constants; an argument that is no tensor has no
// shape.
// SHAPES-LABEL: func.func @shapes(
// SHAPES-SAME:    %[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<8xf32>, %{{.*}}: index) -> tensor<8xf32>
// SHAPES-NEXT:    %[[S:.*]] = tosa.const_shape {values = dense<8> : tensor<1xindex>}
// SHAPES-NEXT:    %[[R:.*]] = tosa.reshape %[[X]], %[[S]] : (tensor<2x4xf32>, !tosa.shape<1>) -> tensor<8xf32>
// SHAPES-NEXT:    %[[A:.*]] = tosa.add %[[R]], %[[Y]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// SHAPES-NEXT:    return %[[A]]
func.func @shapes(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %m = tosa.dim %x {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %s = tosa.mul_shape %n, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %a = tosa.reshape %x, %s : (tensor<?x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  %r = tosa.add %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// The extent beside one that is bound to 1 has to be 1 as before, although a 1 of a
// type expands. Beside another it stays open.
// ONE-LABEL:  func.func @row(
// ONE-SAME:     %{{.*}}: tensor<2x1xf32>, %{{.*}}: tensor<1x1xf32>) -> tensor<2x1xf32>
// OPEN-LABEL: func.func @row(
// OPEN-SAME:    %{{.*}}: tensor<2x3xf32> {{.*}}, %{{.*}}: tensor<1x?xf32>{{.*}}) -> tensor<2x3xf32>
func.func @row(%x: tensor<?x?xf32>, %y: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %r = tosa.add %x, %y : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Ops of tosa take no type with an extent of 0, and no constant size of 0.
// EMPTY-LABEL: func.func @rest(
// EMPTY-SAME:    %{{.*}}: tensor<1xf32>, %{{.*}}: tensor<0xf32>) -> tensor<0xf32>
// EMPTY-NOT:     symshape.assert
// EMPTY:         tosa.slice {{.*}} -> tensor<?xf32>
// EMPTY-NOT:     symshape.assert
// EMPTY:         return
func.func @rest(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %s = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %n = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %r = tosa.slice %x, %s, %n : (tensor<?xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
