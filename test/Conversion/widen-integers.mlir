// RUN: symshape-opt %s --symshape-widen-integers | FileCheck %s
// RUN: symshape-opt %s --symshape-widen-integers --symshape-widen-integers | FileCheck %s

// Positive: read from a tensor, computed in the width, and put into another one.
// CHECK-LABEL: func.func @element(
// CHECK-SAME:    %{{.*}}: tensor<?xi64>, %{{.*}}: index) -> tensor<?xi64>
// CHECK:         %[[X:.*]] = tensor.extract %{{.*}} : tensor<?xi64>
// CHECK:         %[[N:.*]] = arith.trunci %[[X]] : i64 to i48
// CHECK:         %[[S:.*]] = arith.addi %[[N]], %[[N]] : i48
// CHECK:         %[[W:.*]] = arith.extsi %[[S]] : i48 to i64
// CHECK:         tensor.insert %[[W]] into %{{.*}} : tensor<?xi64>
func.func @element(%t: tensor<?xi48>, %i: index) -> tensor<?xi48> {
  %x = tensor.extract %t[%i] : tensor<?xi48>
  %s = arith.addi %x, %x : i48
  %r = tensor.insert %s into %t[%i] : tensor<?xi48>
  return %r : tensor<?xi48>
}

// Positive: without a sign, of the bits that the type has.
// CHECK-LABEL: func.func @unsigned(
// CHECK:         arith.trunci %{{.*}} : i8 to i4
// CHECK-NEXT:    arith.extui %{{.*}} : i4 to i64
func.func @unsigned(%t: tensor<i4>) -> i64 {
  %x = tensor.extract %t[] : tensor<i4>
  %r = arith.extui %x : i4 to i64
  return %r : i64
}

// Positive: bodies of structured ops. A sum wraps at 48 bits.
// CHECK-LABEL: func.func @body(
// CHECK:         ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i64):
// CHECK:           arith.trunci %[[A]] : i8 to i4
// CHECK:           arith.trunci %[[B]] : i64 to i48
// CHECK:           arith.addi %{{.*}} : i48
// CHECK:           arith.extsi %{{.*}} : i48 to i64
// CHECK:           linalg.yield %{{.*}} : i64
func.func @body(%a: tensor<?xi4>, %b: tensor<?xi48>) -> tensor<?xi48> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<?xi4>) outs(%b : tensor<?xi48>) {
  ^bb0(%x: i4, %y: i48):
    %w = arith.extsi %x : i4 to i48
    %s = arith.addi %w, %y : i48
    linalg.yield %s : i48
  } -> tensor<?xi48>
  return %r : tensor<?xi48>
}

// Positive: the name would say that sums have 64 bits.
// CHECK-LABEL: func.func @named(
// CHECK-NOT:     linalg.matmul
// CHECK:         linalg.generic
// CHECK:           arith.addi %{{.*}} : i48
func.func @named(%a: tensor<?x?xi16>, %b: tensor<?x?xi8>, %c: tensor<?x?xi48>) -> tensor<?x?xi48> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi16>, tensor<?x?xi8>) outs(%c : tensor<?x?xi48>) -> tensor<?x?xi48>
  return %r : tensor<?x?xi48>
}

// Positive: what only moves elements stays what it is.
// CHECK-LABEL: func.func @moves(
// CHECK:         %[[W:.*]] = arith.extsi %{{.*}} : i48 to i64
// CHECK:         linalg.fill ins(%[[W]] : i64) outs(%{{.*}} : tensor<?x?xi64>)
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<?x?xi64>) outs(%{{.*}} : tensor<?x?xi64>)
// CHECK-NOT:     arith.trunci
func.func @moves(%a: tensor<?x?xi48>, %b: tensor<?x?xi48>) -> tensor<?x?xi48> {
  %c = arith.constant 5 : i48
  %f = linalg.fill ins(%c : i48) outs(%a : tensor<?x?xi48>) -> tensor<?x?xi48>
  %r = linalg.transpose ins(%f : tensor<?x?xi48>) outs(%b : tensor<?x?xi48>) permutation = [1, 0]
  return %r : tensor<?x?xi48>
}

// Positive: regions that give elements.
// CHECK-LABEL: func.func @regions(
// CHECK:         tensor.generate
// CHECK:           arith.extsi %{{.*}} : i20 to i32
// CHECK:           tensor.yield %{{.*}} : i32
// CHECK:         tensor.pad
// CHECK:           tensor.yield %{{.*}} : i32
func.func @regions(%n: index) -> tensor<?xi20> {
  %t = tensor.generate %n {
  ^bb0(%i: index):
    %x = arith.index_cast %i : index to i20
    tensor.yield %x : i20
  } : tensor<?xi20>
  %c = arith.constant -1 : i20
  %r = tensor.pad %t low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : i20
  } : tensor<?xi20> to tensor<?xi20>
  return %r : tensor<?xi20>
}

// Positive: constants, with their sign; also of one value, and of none.
// CHECK-LABEL: func.func @constants(
// CHECK:         dense<[-1, 0, 140737488355327]> : tensor<3xi64>
// CHECK:         dense<-3> : tensor<2xi8>
// CHECK:         dense<> : tensor<0xi8>
func.func @constants() -> (tensor<3xi48>, tensor<2xi4>, tensor<0xi4>) {
  %0 = arith.constant dense<[-1, 0, 140737488355327]> : tensor<3xi48>
  %1 = arith.constant dense<-3> : tensor<2xi4>
  %2 = arith.constant dense<> : tensor<0xi4>
  return %0, %1, %2 : tensor<3xi48>, tensor<2xi4>, tensor<0xi4>
}

// Positive: scalars of functions are stored, those of branches and loops are not.
// CHECK-LABEL: func.func private @outside(tensor<?xi8>, i64) -> i8
func.func private @outside(tensor<?xi4>, i48) -> i4
// CHECK-LABEL: func.func @calls(
// CHECK-SAME:    %{{.*}}: i1, %[[T:.*]]: tensor<?xi8>, %[[X:.*]]: i64) -> i8
// CHECK:         %[[N:.*]] = arith.trunci %[[X]] : i64 to i48
// CHECK:         %[[IF:.*]]:2 = scf.if %{{.*}} -> (tensor<?xi8>, i48) {
// CHECK:           scf.yield %[[T]], %[[N]] : tensor<?xi8>, i48
// CHECK:         %[[W:.*]] = arith.extsi %[[IF]]#1 : i48 to i64
// CHECK:         %[[R:.*]] = call @outside(%[[IF]]#0, %[[W]]) : (tensor<?xi8>, i64) -> i8
// CHECK:         %[[V:.*]] = arith.trunci %[[R]] : i8 to i4
// CHECK:         %[[E:.*]] = arith.extsi %[[V]] : i4 to i8
// CHECK:         return %[[E]] : i8
func.func @calls(%c: i1, %t: tensor<?xi4>, %x: i48) -> i4 {
  %0:2 = scf.if %c -> (tensor<?xi4>, i48) {
    scf.yield %t, %x : tensor<?xi4>, i48
  } else {
    %y = arith.addi %x, %x : i48
    scf.yield %t, %y : tensor<?xi4>, i48
  }
  %r = func.call @outside(%0#0, %0#1) : (tensor<?xi4>, i48) -> i4
  return %r : i4
}

// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (tensor<?xi64>, i48)
// CHECK:           scf.yield %{{.*}} : tensor<?xi64>, i48
func.func @loop(%n: index, %t: tensor<?xi48>) -> tensor<?xi48> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1 : i48
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t, %y = %x) -> (tensor<?xi48>, i48) {
    %v = tensor.insert %y into %u[%i] : tensor<?xi48>
    %z = arith.shli %y, %x : i48
    scf.yield %v, %z : tensor<?xi48>, i48
  }
  return %r#0 : tensor<?xi48>
}

// CHECK-LABEL: func.func @branch(
// CHECK:         cf.cond_br %{{.*}}, ^bb1(%{{.*}} : tensor<?xi64>, i48), ^bb1(%{{.*}} : tensor<?xi64>, i48)
// CHECK:       ^bb1(%{{.*}}: tensor<?xi64>, %{{.*}}: i48):
func.func @branch(%c: i1, %s: tensor<?xi48>, %t: tensor<?xi48>, %x: i48) -> (tensor<?xi48>, i48) {
  cf.cond_br %c, ^bb1(%s, %x : tensor<?xi48>, i48), ^bb1(%t, %x : tensor<?xi48>, i48)
^bb1(%r: tensor<?xi48>, %y: i48):
  return %r, %y : tensor<?xi48>, i48
}

// Must not fire: these fill bytes, have no arithmetic, or are booleans.
// CHECK-LABEL: func.func @others(
// CHECK-SAME:    tensor<?xi1>, %{{.*}}: tensor<?xi8>, %{{.*}}: tensor<?xi64>, %{{.*}}: tensor<?xi128>, %{{.*}}: tensor<?xsi4>, %{{.*}}: i1, %{{.*}}: vector<4xi48>)
func.func @others(%a: tensor<?xi1>, %b: tensor<?xi8>, %c: tensor<?xi64>, %d: tensor<?xi128>, %e: tensor<?xsi4>, %f: i1, %g: vector<4xi48>) {
  return
}
