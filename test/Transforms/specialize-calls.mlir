// RUN: symshape-opt %s --symshape-specialize-calls --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-specialize-calls --symshape-specialize-calls --split-input-file | FileCheck %s

// One type at all calls: the function gets it, and so do its callee, its results
// and what is computed from these.
// CHECK-LABEL: func.func private @inner(%{{.*}}: tensor<4x8xf32>) -> tensor<32xf32>
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<4x8xf32> into tensor<32xf32>
func.func private @inner(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
// CHECK-LABEL: func.func private @outer(%{{.*}}: tensor<4x8xf32>) -> tensor<32xf32>
func.func private @outer(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %r = call @inner(%x) : (tensor<?x8xf32>) -> tensor<?xf32>
  %s = linalg.exp ins(%r : tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
// CHECK-LABEL: func.func @one(%{{.*}}: tensor<4x8xf32>) -> tensor<?xf32>
// CHECK:         call @outer(%{{.*}}) : (tensor<4x8xf32>) -> tensor<32xf32>
func.func @one(%x: tensor<4x8xf32>) -> tensor<?xf32> {
  %c = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32>
  %r = call @outer(%c) : (tensor<?x8xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Several types: one function for each of them, and their callees.
// CHECK-LABEL: func.func private @inner(%{{.*}}: tensor<?xf32>)
// CHECK-LABEL: func.func private @inner_1(%{{.*}}: tensor<3xf32>) -> tensor<3xf32>
// CHECK-LABEL: func.func private @inner_0(%{{.*}}: tensor<2xf32>) -> tensor<2xf32>
func.func private @inner(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// CHECK-LABEL: func.func private @f(%{{.*}}: tensor<?xf32>)
// CHECK:         call @inner(
// CHECK-LABEL: func.func private @f_1(%{{.*}}: tensor<2xf32>)
// CHECK:         call @inner_0(
// CHECK-LABEL: func.func private @f_0(%{{.*}}: tensor<3xf32>)
// CHECK:         call @inner_1(
func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @inner(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @several(%x: tensor<?xf32>, %two: tensor<2xf32>, %three: tensor<3xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c2 = tensor.cast %two : tensor<2xf32> to tensor<?xf32>
  %c3 = tensor.cast %three : tensor<3xf32> to tensor<?xf32>
  %0 = call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @f(%c3) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = call @f(%c2) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = call @f(%c3) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Must not fire: a recursive function could need types without end; a public one
// has a contract.
// CHECK-LABEL: func.func private @again(%{{.*}}: tensor<?xf32>, %{{.*}}: i1) -> tensor<?xf32>
func.func private @again(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    %p = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %0 = func.call @again(%p, %c) : (tensor<?xf32>, i1) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
// CHECK-LABEL: func.func @public(%{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func @public(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @caller(%x: tensor<4xf32>, %c: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %d = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %0 = call @again(%d, %c) : (tensor<?xf32>, i1) -> tensor<?xf32>
  %1 = call @public(%d) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Must not fire: returns that differ.
// CHECK-LABEL: func.func private @either(%{{.*}}: i1, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<3xf32>) -> tensor<?xf32>
func.func private @either(%c: i1, %two: tensor<2xf32>, %three: tensor<3xf32>) -> tensor<?xf32> {
  cf.cond_br %c, ^yes, ^no
^yes:
  %c2 = tensor.cast %two : tensor<2xf32> to tensor<?xf32>
  return %c2 : tensor<?xf32>
^no:
  %c3 = tensor.cast %three : tensor<3xf32> to tensor<?xf32>
  return %c3 : tensor<?xf32>
}
func.func @of_either(%c: i1, %two: tensor<2xf32>, %three: tensor<3xf32>) -> tensor<?xf32> {
  %r = call @either(%c, %two, %three) : (i1, tensor<2xf32>, tensor<3xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// In a loop that cannot run for these sizes, a cast would fail: the loop says so
// if it runs, and its result is what it starts with.
// CHECK-LABEL: func.func private @loop(
// CHECK-SAME:    %[[X:.*]]: tensor<3xf32>
// CHECK:         %[[C:.*]] = tensor.cast %[[X]] : tensor<3xf32> to tensor<?xf32>
// CHECK:         %[[R:.*]] = scf.for {{.*}} -> (tensor<?xf32>)
// CHECK:           symshape.assert "0 == 1", "a tensor has one extent and is taken for one of another"
// CHECK:         tensor.cast %[[R]] : tensor<?xf32> to tensor<3xf32>
func.func private @loop(%x: tensor<?xf32>, %y: tensor<2xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<?xf32> {
    %two = tensor.cast %x : tensor<?xf32> to tensor<2xf32>
    %t = linalg.add ins(%two, %y : tensor<2xf32>, tensor<2xf32>) outs(%y : tensor<2xf32>) -> tensor<2xf32>
    %z = tensor.cast %t : tensor<2xf32> to tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @of_loop(%x: tensor<3xf32>, %y: tensor<2xf32>, %n: index) -> tensor<?xf32> {
  %c = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %r = call @loop(%c, %y, %n) : (tensor<?xf32>, tensor<2xf32>, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// What divides an extent: known to the version of a function, told to what it
// calls, and to what that calls. The other calls keep their functions.
// CHECK-LABEL: func.func private @rows(%{{.*}}: tensor<?x8xf32> {symshape.shape = #symshape.shape<[N, 8]>}) -> tensor<?x8xf32> {
// CHECK-LABEL: func.func private @rows_0(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"64 | N">]
// CHECK-LABEL: func.func private @flat(
// CHECK-NOT:     symshape.assume
// CHECK:         call @rows(
// CHECK-LABEL: func.func private @flat_0(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"16 | L">]
// CHECK:         call @rows_0(
// CHECK-LABEL: func.func @blocks(
// CHECK:         call @flat_0(
// CHECK-LABEL: func.func @any(
// CHECK:         call @flat(
func.func private @rows(%x: tensor<?x8xf32> {symshape.shape = #symshape.shape<[N, 8]>}) -> tensor<?x8xf32> {
  %r = linalg.exp ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func private @flat(%x: tensor<4x?x8xf32> {symshape.shape = #symshape.shape<[4, L, 8]>}) -> tensor<?x8xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x?x8xf32> into tensor<?x8xf32>
  %r = call @rows(%c) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @blocks(%x: tensor<4x?x8xf32> {symshape.shape = #symshape.shape<[4, S, 8]>}) -> tensor<?x8xf32>
    attributes {symshape.assume = [#symshape.fact<"16 | S">]} {
  %r = call @flat(%x) : (tensor<4x?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @any(%x: tensor<4x?x8xf32>) -> tensor<?x8xf32> {
  %r = call @flat(%x) : (tensor<4x?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Must not fire: divisors that are small, that not all calls pass, or that only
// hold behind the call.
// CHECK-LABEL: func.func private @small(
// CHECK-NOT:     symshape.assume
// CHECK-LABEL: func.func private @later(
// CHECK-NOT:     symshape.assume
// CHECK-LABEL: func.func @callers(
func.func private @small(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @later(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @callers(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"S", multiple_of = 4>]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : index
  %0 = call @small(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @later(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %rest = arith.remsi %n, %c16 : index
  %holds = arith.cmpi eq, %rest, %zero : index
  cf.assert %holds, "the extent must be a multiple of 16"
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Types that are static in part: each call has a function of its own types.
// CHECK-LABEL: func.func private @f(%{{.*}}: tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK-LABEL: func.func private @f_0(%{{.*}}: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {symshape.name = "f"}
func.func private @f(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}
// CHECK-LABEL: func.func @in_part(
// CHECK:         call @f(%{{.*}}) : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK:         call @f_0(%{{.*}}) : (tensor<?x3xf32>) -> tensor<?x3xf32>
func.func @in_part(%x: tensor<2x?xf32>, %y: tensor<?x3xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = tensor.cast %x : tensor<2x?xf32> to tensor<?x?xf32>
  %1 = tensor.cast %y : tensor<?x3xf32> to tensor<?x?xf32>
  %2 = call @f(%0) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = call @f(%1) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>
}
