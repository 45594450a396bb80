// RUN: symshape-opt %s --symshape-print-bounds --verify-diagnostics | FileCheck %s --check-prefix=SAME
// RUN: symshape-opt %s --symshape-print-bounds=reify 2> %t.remarks | FileCheck %s
// RUN: symshape-opt %s --symshape-print-bounds=reify 2> /dev/null | symshape-run - --entry=loop --input=5xf32=iota --input=index=7 | FileCheck %s --check-prefix=PRINTS

// Without the option the program is as it was.
// SAME-NOT: cf.assert

// Positive: an exact extent, as IR over the arguments, and compared.
// CHECK-LABEL: func.func @concat(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK:         %[[R:.*]] = tensor.concat
// CHECK-DAG:     %[[M:.*]] = tensor.dim %[[A]]
// CHECK-DAG:     %[[N:.*]] = tensor.dim %[[B]]
// CHECK:         %[[BOUND:.*]] = affine.apply {{.*}}(%[[M]], %[[N]])
// CHECK:         %[[D:.*]] = tensor.dim %[[R]]
// CHECK:         %[[C:.*]] = arith.cmpi eq, %[[D]], %[[BOUND]]
// CHECK-NEXT:    cf.assert %[[C]], "result #0 dim 0 is A + B"
// CHECK-NEXT:    return
func.func @concat(
    %a: tensor<?x4xf32> {symshape.shape = #symshape.shape<[A, 4]>},
    %b: tensor<?x4xf32> {symshape.shape = #symshape.shape<[B, 4]>}) -> tensor<?x4xf32> {
  // expected-remark@below {{result #0 dim 0 is A + B}}
  %r = tensor.concat dim(0) %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Positive: what a loop carries; both sides of a minimum.
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           %[[LOW:.*]] = arith.cmpi sge, %[[I]],
// CHECK-NEXT:      cf.assert %[[LOW]], "argument #0 is at least 0"
// CHECK:           %[[HIGH:.*]] = arith.cmpi sle, %[[I]],
// CHECK-NEXT:      cf.assert %[[HIGH]], "argument #0 is at most N - 1"
// PRINTS: 5
func.func @loop(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@below {{result #0 is N}}
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  // expected-remark@below {{result #0 is min(%arg1, N)}}
  %least = arith.minsi %n, %k : index
  // expected-remark@below {{argument #0 is at least 0, and at most N - 1}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark@below {{result #0 is at least 1, and at most N}}
    %next = arith.addi %i, %c1 : index
  }
  return %n : index
}

// Positive: scalars that a location or an attribute names.
// CHECK-LABEL: func.func @named(
// CHECK:         cf.assert %{{.*}}, "result #0 is min(%rows, columns)"
func.func @named(%m: index loc("rows"), %n: index {symshape.name = "columns"}) -> index {
  // expected-remark@below {{result #0 is min(%rows, columns)}}
  %least = arith.minsi %m, %n : index
  return %least : index
}

// Positive: extents without a name, of which one is a buffer's, and a bound that data keeps.
// CHECK-LABEL: func.func @unnamed(
func.func @unnamed(%m: memref<?xf32>, %t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-remark@below {{result #0 is s0}}
  %n = memref.dim %m, %c0 : memref<?xf32>
  // expected-remark@below {{result #0 dim 0 is at least 0, and at most s1}}
  %where = symshape.nonzero %t : tensor<?xf32> to tensor<?x1xindex>
  return
}

// Must not fire: the product may wrap, and a body of a structured op is not
// looked into.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @nothing(%a: index, %b: index, %t: tensor<4xindex>) -> (index, tensor<4xindex>) {
  // expected-remark@below {{result #0 has no bounds}}
  %r = arith.muli %a, %b : index
  %e = tensor.empty() : tensor<4xindex>
  %s = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<4xindex>
  return %r, %s : index, tensor<4xindex>
}
