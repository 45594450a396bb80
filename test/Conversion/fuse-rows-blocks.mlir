// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-fuse-rows{block-rows=4},canonicalize,cse))' | FileCheck %s
// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-fuse-rows{block-rows=1},canonicalize,cse))' | FileCheck %s --check-prefix=NONE
// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-fuse-rows{block-rows=4 parallel},canonicalize,cse))' | FileCheck %s --check-prefix=PARALLEL

#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#rrc = affine_map<(b, m, c) -> (b, m, c)>
#rr = affine_map<(b, m, c) -> (b, m)>

// The products in between exist for four rows of one batch at a time, and what
// is between the contractions runs row by row.
// CHECK-LABEL: func.func @between_contractions(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[K:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[V:[a-z0-9]+]]: tensor<?x?x8xf32>
// CHECK:         scf.for %[[B:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %c1 iter_args
// CHECK:           scf.for %[[I:[a-z0-9]+]] = %{{.*}} to %[[M:[a-z0-9_]+]] step %c4 iter_args
// CHECK:             %[[COUNT:.*]] = affine.min #{{.*}}(%[[I]])[%[[M]]]
// CHECK-DAG:         %[[QS:.*]] = tensor.extract_slice %[[Q]][%[[B]], %[[I]], 0] [1, %[[COUNT]], 8]
// CHECK-DAG:         %[[KS:.*]] = tensor.extract_slice %[[K]][%[[B]], 0, 0]
// CHECK:             %[[S:.*]] = linalg.generic {{.*}} ins(%[[QS]], %[[KS]] : {{.*}} outs({{.*}} : tensor<1x?x?xf32>)
// CHECK:             %[[P:.*]] = scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
// CHECK:               linalg.generic {{.*}} outs({{.*}} : tensor<1x1xf32>)
// CHECK:             %[[VS:.*]] = tensor.extract_slice %[[V]][%[[B]], 0, 0]
// CHECK:             linalg.generic {{.*}} ins(%[[P]], %[[VS]] :
// CHECK:             tensor.insert_slice
// With threads the blocks are parallel, and the rows of a block stay in order.
// PARALLEL-LABEL: func.func @between_contractions(
// PARALLEL:     scf.forall (%[[B:[a-z0-9]+]], %[[I:[a-z0-9]+]]) = {{.*}} step (1, 4) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x?x8xf32>)
// PARALLEL-NOT:   scf.forall
// PARALLEL:       scf.for
// PARALLEL:       scf.forall.in_parallel
// PARALLEL:         tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[B]], %[[I]], 0] [1, %{{.*}}, 8]
// NONE-LABEL: func.func @between_contractions(
// NONE-NOT:     scf.for
// NONE:         linalg.generic {{.*}} outs({{.*}} : tensor<?x?x?xf32>)
// NONE:         scf.for
// NONE:         linalg.generic {{.*}} outs({{.*}} : tensor<?x?x8xf32>)
func.func @between_contractions(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x8xf32>,
    %s0: tensor<?x?x?xf32>, %t0: tensor<?x?xf32>, %o0: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %s = linalg.generic {indexing_maps = [#bmk, #bnk, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x8xf32>, tensor<?x?x8xf32>) outs(%s0 : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#rrc, #rr], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<?x?x?xf32>) outs(%t0 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#rrc, #rr, #rrc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %t : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%s0 : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x?x?xf32>
  %o = linalg.generic {indexing_maps = [#bmk, #bkn, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x8xf32>) outs(%o0 : tensor<?x?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

// Must not fire: one contraction before a reduction is not blocked; its rows
// would then share its right operand less.
// CHECK-LABEL: func.func @one_contraction(
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic {{.*}} outs({{.*}} : tensor<?x?x?xf32>)
// CHECK:         scf.for
func.func @one_contraction(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %s0: tensor<?x?x?xf32>, %t0: tensor<?x?xf32>)
    -> tensor<?x?x?xf32> {
  %s = linalg.generic {indexing_maps = [#bmk, #bnk, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x8xf32>, tensor<?x?x8xf32>) outs(%s0 : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#rrc, #rr], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<?x?x?xf32>) outs(%t0 : tensor<?x?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#rrc, #rr, #rrc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %t : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%s0 : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}

#row = affine_map<(m, c) -> (m)>
#rowcol = affine_map<(m, c) -> (m, c)>

// Rows are divided by their sums after the second product.
// CHECK-LABEL: func.func @divided_late(
// CHECK:         scf.for
// CHECK:           %[[ROWS:.*]]:2 = scf.for
// CHECK-NOT:         arith.divf
// CHECK:             scf.yield
// CHECK:           %[[O:.*]] = linalg.matmul ins(%[[ROWS]]#0,
// CHECK:           linalg.generic {{.*}} ins(%[[O]], %[[ROWS]]#1 :
// CHECK:             arith.divf
// NONE-LABEL: func.func @divided_late(
// NONE:           arith.divf
// NONE:         linalg.matmul
// NONE-NOT:     arith.divf
// NONE-LABEL: func.func @divided_in_place(
func.func @divided_late(%q: tensor<?x8xf32>, %k: tensor<8x?xf32>, %v: tensor<?x8xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %eo = tensor.empty(%m) : tensor<?x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = linalg.matmul ins(%q, %k : tensor<?x8xf32>, tensor<8x?xf32>) outs(%zs : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#rowcol, #rowcol], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x?xf32>) outs(%es : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [#rowcol, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<?x?xf32>) outs(%zr : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#rowcol, #row, #rowcol], iterator_types = ["parallel", "parallel"]}
      ins(%e, %t : tensor<?x?xf32>, tensor<?xf32>) outs(%es : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%zo : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %o : tensor<?x8xf32>
}

// Must not fire: the quotients are read by others as well.
// CHECK-LABEL: func.func @divided_in_place(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             arith.divf
// CHECK:           linalg.matmul
// CHECK-NOT:     arith.divf
func.func @divided_in_place(%q: tensor<?x8xf32>, %k: tensor<8x?xf32>, %v: tensor<?x8xf32>, %m: index, %n: index)
    -> (tensor<?x8xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %eo = tensor.empty(%m) : tensor<?x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = linalg.matmul ins(%q, %k : tensor<?x8xf32>, tensor<8x?xf32>) outs(%zs : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [#rowcol, #row], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<?x?xf32>) outs(%zr : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#rowcol, #row, #rowcol], iterator_types = ["parallel", "parallel"]}
      ins(%s, %t : tensor<?x?xf32>, tensor<?xf32>) outs(%es : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%zo : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %o, %p : tensor<?x8xf32>, tensor<?x?xf32>
}
