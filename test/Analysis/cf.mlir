// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: an assert over dims is a guard with the message of the program, and a
// fact for what follows.
// CHECK-LABEL: func.func @assert(
// CHECK: tensor.empty() {symshape.extents = [#symshape.shape<[4]>]}
// GUARD-LABEL: func.func @assert.guard(
// GUARD-SAME: four rows
// GUARD-LABEL: func.func @assert(
// GUARD-NOT: cf.assert %
// GUARD: return
func.func @assert(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %isFour = arith.cmpi eq, %n, %c4 : index
  cf.assert %isFour, "four rows"
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: an assert says nothing of what was before it, nor after the
// branch that it stands in.
// CHECK-LABEL: func.func @assert_in_branch(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N]>]}
// CHECK: scf.if
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[4]>]}
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N]>]}
func.func @assert_in_branch(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %b: i1)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %before = tensor.empty(%n) : tensor<?xf32>
  %isFour = arith.cmpi eq, %n, %c4 : index
  scf.if %b {
    cf.assert %isFour, "four rows"
    %inside = tensor.empty(%n) : tensor<?xf32>
  }
  %after = tensor.empty(%n) : tensor<?xf32>
  return %before, %after : tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: an assert of what no relation expresses stays where it is.
// GUARD-LABEL: func.func @assert_of_data.guard(
// GUARD-NOT: data is good
// GUARD-LABEL: func.func @assert_of_data(
// GUARD: data is good
// GUARD: return
func.func @assert_of_data(%t: tensor<?xf32>, %b: i1) -> tensor<?xf32> {
  cf.assert %b, "data is good"
  return %t : tensor<?xf32>
}

// -----

// Must not fire: the argument of a block has the extents of what either branch
// passes.
// CHECK-LABEL: func.func @blocks(
// CHECK: math.exp {{.*}} {symshape.extents = [#symshape.shape<[?]>]}
func.func @blocks(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                  %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %b: i1)
    -> tensor<?xf32> {
  cf.cond_br %b, ^join(%t : tensor<?xf32>), ^join(%u : tensor<?xf32>)
^join(%x: tensor<?xf32>):
  %r = math.exp %x : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: what the entry block establishes holds in every block. Must not fire:
// what one branch establishes does not hold in the other, nor where they meet;
// and it is no condition of the whole call.
// CHECK-LABEL: func.func @facts_of_blocks(
// CHECK: tensor.empty() {symshape.extents = [#symshape.shape<[3, 4]>]}
// CHECK: call @use
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[3, M]>]}
// CHECK: call @use
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[3, M]>]}
// CHECK: return
// GUARD-LABEL: func.func @facts_of_blocks.guard(
// GUARD-SAME: three rows
// GUARD-NOT: four columns
// GUARD-LABEL: func.func @facts_of_blocks(
// GUARD: cf.assert %{{.*}}, "four columns"
func.func private @use(tensor<?x?xf32>)
func.func @facts_of_blocks(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}, %b: i1)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %isThree = arith.cmpi eq, %n, %c3 : index
  %isFour = arith.cmpi eq, %m, %c4 : index
  cf.assert %isThree, "three rows"
  cf.cond_br %b, ^left, ^right
^left:
  cf.assert %isFour, "four columns"
  %l = tensor.empty(%n, %m) : tensor<?x?xf32>
  call @use(%l) : (tensor<?x?xf32>) -> ()
  cf.br ^join
^right:
  %r = tensor.empty(%n, %m) : tensor<?x?xf32>
  call @use(%r) : (tensor<?x?xf32>) -> ()
  cf.br ^join
^join:
  %j = tensor.empty(%n, %m) : tensor<?x?xf32>
  return %j : tensor<?x?xf32>
}

// -----

// Must not fire: in a loop of blocks, an argument changes from turn to turn.
// CHECK-LABEL: func.func @loop_of_blocks(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @loop_of_blocks(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  cf.br ^header(%c0 : index)
^header(%i: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %next = arith.addi %i, %c1 : index
  cf.br ^header(%next : index)
^exit:
  %e = tensor.empty(%i) : tensor<?xf32>
  return %e : tensor<?xf32>
}
