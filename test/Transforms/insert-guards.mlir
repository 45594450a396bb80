// RUN: symshape-opt %s --symshape-insert-guards --split-input-file > %t.once
// RUN: FileCheck %s < %t.once
// Running the pass again changes nothing.
// RUN: symshape-opt %s --symshape-insert-guards --symshape-insert-guards --split-input-file | diff %t.once -

// Positive: equal extents that no fact gives are guarded at entry.
// CHECK-LABEL: func.func @add.guard(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index) -> i32
// CHECK-SAME:    symshape.messages = [{{.*}}2^48 - 1{{.*}}, "@add: guard failed: {{.*}}argument #0 dim 0{{.*}} must equal {{.*}}argument #1 dim 0{{.*}}needed by linalg.add
// CHECK-LABEL: func.func @add(
// CHECK:         %[[S:.*]] = call @add.guard(
// CHECK:         scf.if
// CHECK:           symshape.fail
// CHECK:         linalg.add
func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>)
      outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: the signature says that the extents are equal, so the callers'
// check of the signature is the only one.
// CHECK-LABEL: func.func @add_named.guard(
// CHECK-SAME:    symshape.messages = [{{.*}}, "@add_named: guard failed: {{.*}}needed by the signature
// CHECK-NOT:     needed by linalg.add
func.func @add_named(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                     %b: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>)
      outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: what a private function needs is checked where it is called from.
// CHECK-LABEL: func.func private @half(
// CHECK-NOT:     symshape.fail
// CHECK-LABEL: func.func @call.guard(
// CHECK-SAME:    needed by tensor.expand_shape
func.func private @half(%t: tensor<?xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %h = arith.divui %n, %c2 : index
  %r = tensor.expand_shape %t [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
func.func @call(%t: tensor<?xf32>) -> tensor<?x2xf32> {
  %r = call @half(%t) : (tensor<?xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

// Positive: an index that comes from data is checked by one reduction before the
// op that reads with it; the asserts leave the body.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[BAD:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK:         tensor.extract %[[BAD]][]
// CHECK:         scf.if
// CHECK:           symshape.fail "@rows: assert failed: index too large{{.*}}at position
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @rows(%table: tensor<50x8xf32>, %ids: tensor<?xi64>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %c50 = arith.constant 50 : i64
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%id: i64, %out: f32):
    %small = arith.cmpi slt, %id, %c50 : i64
    cf.assert %small, "index too large"
    %positive = arith.cmpi sge, %id, %zero : i64
    cf.assert %positive, "index negative"
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<50x8xf32>
    linalg.yield %v : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Positive: a position is bounded by the extent it counts, so the assert is a
// condition on that extent.
// CHECK-LABEL: func.func @positions.guard(
// CHECK-SAME:    argument #0 dim 0{{.*}} must be at most 64
// CHECK-LABEL: func.func @positions(
// CHECK:         linalg.generic
// CHECK-NOT:     cf.assert
func.func @positions(%t: tensor<?xf32>) -> tensor<?xindex> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xindex>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<?xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %small = arith.cmpi slt, %i, %c64 : index
    cf.assert %small, "position too large"
    linalg.yield %i : index
  } -> tensor<?xindex>
  return %r : tensor<?xindex>
}

// -----

// Positive: a requirement under a branch is guarded under the condition of it.
// CHECK-LABEL: func.func @branch.guard(
// CHECK:         arith.ori
func.func @branch(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %long = arith.cmpi sgt, %n, %c9 : index
  %r = scf.if %long -> tensor<4xf32> {
    %s = tensor.cast %a : tensor<?xf32> to tensor<12xf32>
    %t = tensor.extract_slice %s[0] [4] [1] : tensor<12xf32> to tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  } else {
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Positive: of equalities that imply one another the first ones are guards.
// CHECK-LABEL: func.func @minimal.guard(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index) -> i32
// CHECK-COUNT-2: arith.cmpi eq
// CHECK-NOT:     arith.cmpi
// CHECK:         return
// CHECK-LABEL: func.func @minimal(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"s0 == s1">, #symshape.fact<"s1 == s2">]
func.func @minimal(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.add ins(%b, %c : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.add ins(%a, %c : tensor<?xf32>, tensor<?xf32>) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
  %3 = linalg.add ins(%0, %2 : tensor<?xf32>, tensor<?xf32>) outs(%c : tensor<?xf32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// Positive: a weak condition in front of a strong one is no guard.
// CHECK-LABEL: func.func @weak_then_strong(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"s0 <= 4">, #symshape.fact<"4 | s0">]
func.func @weak_then_strong(%a: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  symshape.assert "n <= 64" (n = %n), "weak"
  symshape.assert "n <= 4" (n = %n), "strong"
  symshape.assert "2 | n" (n = %n), "even"
  symshape.assert "4 | n" (n = %n), "by four"
  return
}

// -----

// Must not fire: the declared range of dims is no guard twice, and what it
// implies is none.
// CHECK-LABEL: func.func @declared(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"N <= 64">]
func.func @declared(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 64]>]} {
  symshape.assert "N <= 100", "weak"
  symshape.assert "N >= 0", "of every extent"
  return
}

// -----

// Positive: five extents below 2^48 have a product below 2^240, of which only is
// asked whether it is at most 100: 64 bits hold what decides that. The common bound
// comes first, so the product is of such extents alone.
// CHECK-LABEL: func.func @large.guard(
// CHECK:         %[[BOUND:.*]] = arith.constant 281474976710655 : index
// CHECK:         %[[FITS:.*]] = arith.cmpi ule, %{{.*}}, %[[BOUND]]
// CHECK:         %[[V:.*]] = arith.select %[[FITS]], %c-1_i32,
// CHECK:         %[[SO_FAR:.*]] = arith.cmpi eq, %[[V]], %c-1_i32
// CHECK:         %[[ALL:.*]] = scf.if %[[SO_FAR]] -> (i32)
// CHECK-COUNT-4:   arith.muli %{{.*}} : i64
// CHECK:           %[[OK:.*]] = arith.cmpi sle, %{{.*}} : i64
// CHECK:           %[[R:.*]] = arith.select %[[OK]],
// CHECK:           scf.yield %[[R]]
// CHECK:           scf.yield %[[V]]
// CHECK:         return %[[ALL]]
func.func @large(%a: tensor<?x?x?x?xf32>, %b: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %a, %c0 : tensor<?x?x?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?x?x?xf32>
  %k = tensor.dim %a, %c2 : tensor<?x?x?x?xf32>
  %l = tensor.dim %a, %c3 : tensor<?x?x?x?xf32>
  %p = tensor.dim %b, %c0 : tensor<?xf32>
  symshape.assert "n*m*k*l*p <= 100" (n = %n, m = %m, k = %k, l = %l, p = %p), "product"
  return
}

// -----

// Must not fire: what holds in a branch that depends on data is checked there,
// and decides nothing outside.
// CHECK-LABEL: func.func @data_branch(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"s0 <= 8">]
// CHECK:         scf.if %{{.*}} {
// CHECK:           symshape.assert "n <= 4"
func.func @data_branch(%a: tensor<?xf32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  scf.if %flag {
    symshape.assert "n <= 4" (n = %n), "inside"
  }
  symshape.assert "n <= 8" (n = %n), "outside"
  return
}

// -----

// Positive: one part of an assert is a guard; the part that depends on data is
// checked when that is known.
// CHECK-LABEL: func.func @two_parts(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: index
// CHECK-SAME:    symshape.assume = [#symshape.fact<"s0 <= 4">]
// CHECK:         symshape.fail "@two_parts: assert failed: both: argument #1 ({0}) must be at most 4\0A  needed by cf.assert at {{[^:]*}}:{{[0-9:]*}} (assert)"
// CHECK:         symshape.assume %[[X]] ["v0 <= 4"] (v0) : index
// CHECK-NOT:     cf.assert %
// CHECK:         return
func.func @two_parts(%t: tensor<?xf32>, %x: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %a = arith.cmpi sle, %n, %c4 : index
  %b = arith.cmpi sle, %x, %c4 : index
  %both = arith.andi %a, %b : i1
  cf.assert %both, "both"
  return
}

// -----

// Positive: the same in a private function, of which the caller takes one part.
// CHECK-LABEL: func.func private @two_parts_of_callee(
// CHECK:         symshape.fail "@two_parts_of_callee: assert failed: both
// CHECK:         tensor.dim
// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"s0 <= 4">]
func.func private @two_parts_of_callee(%t: tensor<?xf32>, %s: tensor<index>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %x = tensor.extract %s[] : tensor<index>
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %a = arith.cmpi sle, %n, %c4 : index
  %b = arith.cmpi sle, %x, %c4 : index
  %both = arith.andi %a, %b : i1
  cf.assert %both, "both"
  return
}
func.func @caller(%t: tensor<?xf32>, %s: tensor<index>) {
  call @two_parts_of_callee(%t, %s) : (tensor<?xf32>, tensor<index>) -> ()
  return
}

// -----

// Positive: an assert of a private function on a scalar is checked at the call,
// with the value that is passed; a call that passes 3 needs no check.
// CHECK-LABEL: func.func private @small(
// CHECK-NOT:     symshape.assert
// CHECK:         return
// CHECK-LABEL: func.func @passes(
// CHECK-SAME:    %[[X:.*]]: index)
// CHECK:         scf.if
// CHECK:           symshape.fail "@passes: {{.*}} must be at most 4
// CHECK:         call @small(%[[X]])
// CHECK-NOT:     symshape.fail
// CHECK:         call @small(
func.func private @small(%x: index) {
  symshape.assert "x <= 4" (x = %x), "small"
  return
}
func.func @passes(%x: index) {
  %c3 = arith.constant 3 : index
  call @small(%x) : (index) -> ()
  call @small(%c3) : (index) -> ()
  return
}

// -----

// Must not fire: a private function whose address is taken may be called from
// anywhere, and checks by itself.
// CHECK-LABEL: func.func private @taken.guard(
// CHECK-LABEL: func.func private @taken(
// CHECK:         call @taken.guard(
func.func private @taken(%t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  symshape.assert "n <= 4" (n = %n), "small"
  return
}
func.func @takes() -> ((tensor<?xf32>) -> ()) {
  %f = func.constant @taken : (tensor<?xf32>) -> ()
  return %f : (tensor<?xf32>) -> ()
}

// -----

// Positive: one assert of two conditions in a body: each is reported by itself,
// and the assert leaves the body.
// CHECK-LABEL: func.func @conjunction_in_body(
// CHECK:         symshape.fail {{.*}}must be at most 49 at position
// CHECK:         symshape.fail {{.*}}must be at least 0 at position
// CHECK-NOT:     cf.assert %
// CHECK:         return
func.func @conjunction_in_body(%ids: tensor<?xi64>, %e: tensor<?xi64>) -> tensor<?xi64> {
  %zero = arith.constant 0 : i64
  %c50 = arith.constant 50 : i64
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%id: i64, %out: i64):
    %small = arith.cmpi slt, %id, %c50 : i64
    %positive = arith.cmpi sge, %id, %zero : i64
    %both = arith.andi %small, %positive : i1
    cf.assert %both, "out of bounds"
    linalg.yield %id : i64
  } -> tensor<?xi64>
  return %r : tensor<?xi64>
}

// -----

// Positive: an assert in a branch of a body holds, too, where the branch is not
// taken.
// CHECK-LABEL: func.func @branch_in_body(
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK:         ^bb0(
// CHECK:           %[[GOOD:.*]] = arith.cmpi sle
// CHECK:           %[[IDLE:.*]] = arith.xori %{{.*}} : i1
// CHECK:           %[[HOLDS:.*]] = arith.ori %[[GOOD]], %[[IDLE]]
// CHECK:           arith.select %[[HOLDS]]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK-NOT:     cf.assert %
// CHECK:         return
func.func @branch_in_body(%ids: tensor<?xi64>, %flags: tensor<?xi1>, %e: tensor<?xi64>) -> tensor<?xi64> {
  %c49 = arith.constant 49 : i64
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%ids, %flags : tensor<?xi64>, tensor<?xi1>) outs(%e : tensor<?xi64>) {
  ^bb0(%id: i64, %flag: i1, %out: i64):
    %small = arith.cmpi sle, %id, %c49 : i64
    scf.if %flag {
      cf.assert %small, "too large"
    }
    linalg.yield %id : i64
  } -> tensor<?xi64>
  return %r : tensor<?xi64>
}

// -----

// Positive: an assert in a body on a value from outside is checked once, and
// only where the body runs.
// CHECK-LABEL: func.func @outer_value_in_body(
// CHECK:         linalg.generic {{.*}}iterator_types = []
// CHECK:         %[[RUNS:.*]] = arith.cmpi sgt
// CHECK:         %[[BAD:.*]] = arith.andi %{{.*}}, %[[RUNS]]
// CHECK:         scf.if %[[BAD]]
// CHECK-NOT:     cf.assert %
// CHECK:         return
func.func @outer_value_in_body(%a: tensor<?xf32>, %s: tensor<index>) -> tensor<?xf32> {
  %c4 = arith.constant 4 : index
  %m = tensor.extract %s[] : tensor<index>
  %ok = arith.cmpi sle, %m, %c4 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%a : tensor<?xf32>) {
  ^bb0(%out: f32):
    cf.assert %ok, "too large"
    linalg.yield %out : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: a call from elsewhere than a func.func takes nothing over, so
// the private function checks what it needs itself.
// CHECK-LABEL: func.func private @called_from_llvm(
// CHECK:         symshape.assert
func.func private @called_from_llvm(%x: index) {
  symshape.assert "x <= 4" (x = %x), "small"
  return
}
llvm.func @caller(%x: i64) {
  %c = arith.index_cast %x : i64 to index
  func.call @called_from_llvm(%c) : (index) -> ()
  llvm.return
}

// -----

// Positive: what divides by an element is computed once the divisors are known
// to be right: by two reductions, one after the other.
// CHECK-LABEL: func.func @quotients(
// CHECK:         iterator_types = ["reduction"]
// CHECK:         symshape.fail "@quotients: element of argument #0{{.*}} must not be 0
// CHECK:         iterator_types = ["reduction"]
// CHECK:           arith.divui
// CHECK:         iterator_types = ["parallel"]
func.func @quotients(%d: tensor<?xindex>, %t: tensor<8xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %d, %c0 : tensor<?xindex>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%d : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: index, %o: f32):
    %q = arith.divui %c8, %x : index
    %v = tensor.extract %t[%q] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: a dim without a name beside one that has one is named, too.
// CHECK-LABEL: func.func @partly_named(
// CHECK-SAME:    symshape.shape = #symshape.shape<[N, s0]>
// CHECK-SAME:    symshape.assume = [#symshape.fact<"1 <= s0">]
func.func @partly_named(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, ?]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %r = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: a guard of several relations is known behind it, and goes to later
// passes as it is; a name of a quotient leaves a residue to check.
// CHECK-LABEL: func.func @alternatives.guard(
// CHECK-SAME:    8 must divide extent of argument #2 dim 0
// CHECK-LABEL: func.func @alternatives(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"L == 1 or L == S">]
// CHECK-NOT:     cf.assert
func.func @alternatives(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>},
                        %b: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>},
                        %c: tensor<?xf32> {symshape.shape = #symshape.shape<[8 * K]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = tensor.dim %a, %c0 : tensor<?xf32>
  %s = tensor.dim %b, %c0 : tensor<?xf32>
  %one = arith.cmpi eq, %l, %c1 : index
  %same = arith.cmpi eq, %l, %s : index
  %either = arith.ori %one, %same : i1
  cf.assert %either, "a broadcast"
  return
}
