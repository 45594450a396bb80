// RUN: symshape-opt %s --symshape-expand-pads --split-input-file | FileCheck %s

// Positive: the op computes into the middle. Four parts of the border are
// filled: rows as wide as the result, columns between them.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x?x?xf32>, %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index
// CHECK:         tensor.empty(%[[M]], %[[N]])
// CHECK:         %[[ALL:.*]] = tensor.empty(%{{.*}}, %[[WIDE:.*]]) : tensor<2x?x?xf32>
// CHECK:         %[[TOP:.*]] = tensor.extract_slice %[[ALL]][0, 0, 0] [2, 1, %[[WIDE]]] [1, 1, 1]
// CHECK:         linalg.fill {{.*}} outs(%[[TOP]]
// CHECK:         tensor.extract_slice %{{.*}}[0, %{{.*}}, 0] [2, 2, %[[WIDE]]] [1, 1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 1, 0] [2, %[[M]], 3] [1, 1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 1, %{{.*}}] [2, %[[M]], 1] [1, 1, 1]
// CHECK:         %[[BORDER:.*]] = tensor.insert_slice
// CHECK:         %[[MIDDLE:.*]] = tensor.extract_slice %[[BORDER]][0, 1, 3] [2, %[[M]], %[[N]]] [1, 1, 1]
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} outs(%[[MIDDLE]] :
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[Y]] into %[[BORDER]][0, 1, 3] [2, %[[M]], %[[N]]]
// CHECK:         return %[[P]]
#id = affine_map<(a, b, c) -> (a, b, c)>
func.func @computed(%x: tensor<2x?x?xf32>, %m: index, %n: index) -> tensor<2x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x?x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x?x?xf32>
  %p = tensor.pad %y low[0, 1, 3] high[0, 2, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x?x?xf32> to tensor<2x?x?xf32>
  return %p : tensor<2x?x?xf32>
}

// -----

// An argument is copied; so is what someone else uses, and what is computed
// before the padding is known.
// CHECK-LABEL: func.func @copied(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?xf32>, %[[N:[a-z0-9]+]]: index
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?xf32>)
// CHECK:         %[[LOW:.*]] = tensor.extract
// CHECK-COUNT-2: tensor.insert_slice
// CHECK:         tensor.insert_slice %[[X]] into
// CHECK:         tensor.insert_slice %[[Y]] into
// CHECK-NOT:   tensor.pad
#one = affine_map<(a) -> (a)>
func.func @copied(%x: tensor<?xf32>, %n: index, %sizes: tensor<index>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %low = tensor.extract %sizes[] : tensor<index>
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %q = tensor.pad %y low[%low] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p, %q : tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: two ops that start from zeros have a fill each; who only reads the
// zeros keeps the first.
// CHECK-LABEL: func.func @fills(
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT:     linalg.fill
func.func @fills(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.matmul ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Must not fire: padding that differs by position.
// CHECK-LABEL: func.func @differs(
// CHECK:         tensor.pad
func.func @differs(%x: tensor<?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %0 = tensor.extract %v[%i] : tensor<?xf32>
    tensor.yield %0 : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// -----

// Static extents say that there is no padding: no slice begins at the end.
// CHECK-LABEL: func.func @no_padding(
// CHECK-NOT:     linalg.fill
// CHECK-NOT:     tensor.pad
// CHECK:         return
func.func @no_padding(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0] high[0, %n] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x4xf32> to tensor<?x4xf32>
  return %p : tensor<?x4xf32>
}

// -----

// Behind a check that always fails: slices of such sizes would not verify.
// CHECK-LABEL: func.func @impossible(
// CHECK-NOT:     tensor.pad
// CHECK-NOT:     tensor.insert_slice
// CHECK:         tensor.empty
// CHECK:         tensor.empty
// CHECK:         return
func.func @impossible(%x: tensor<?xf32>, %y: tensor<3xf32>, %n: index) -> (tensor<?xf32>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %less = arith.constant -1 : index
  %p = tensor.pad %x low[0] high[%less] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %q = tensor.pad %y low[%n] high[%n] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<3xf32> to tensor<2xf32>
  return %p, %q : tensor<?xf32>, tensor<2xf32>
}

// -----

// Positive: constants say more of the extents than the type does.
// CHECK-LABEL: func.func @more_static(
// CHECK:         tensor.empty(%{{.*}}) : tensor<?x72xf32>
// CHECK:         %[[R:.*]] = tensor.cast %{{.*}} : tensor<?x72xf32> to tensor<?x?xf32>
// CHECK:         return %[[R]]
func.func @more_static(%x: tensor<?x64xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4 : index
  %0 = tensor.pad %x low[0, %four] high[0, %four] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x64xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
