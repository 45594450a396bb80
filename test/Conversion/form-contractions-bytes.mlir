// RUN: symshape-opt %s --symshape-form-contractions=dot-products=true | FileCheck %s
// RUN: symshape-opt %s --symshape-form-contractions=dot-products=true --symshape-lower-packs | FileCheck %s --check-prefix=PACK
// RUN: symshape-opt %s --symshape-form-contractions | FileCheck %s --check-prefix=PLAIN

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Positive: the right operand is packed into panels of groups, though its columns
// are neighbours; the left one is read as it is.
// CHECK-LABEL: func.func @rows_outermost(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x?xi8>, %[[B:[a-z0-9]+]]: tensor<?x?xi8>
// CHECK: %[[P:.*]] = linalg.pack %[[B]] padding_value(%{{.*}} : i8) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 4]
// CHECK: symshape_kernel.contract ins(%[[A]], %[[P]] : tensor<?x?xi8>, tensor<?x?x32x4xi8>) {{.*}} packing = in_call, group = 4>, unsigned_lhs}
// Four rows, of which the last ones may not exist, become one vector.
// PACK-LABEL: func.func private @symshape.pack.1(
// PACK-COUNT-4: vector.transfer_read {{.*}} vector<16xi8>
// PACK: vector.shuffle {{.*}} : vector<32xi8>, vector<32xi8>
// PACK: vector.transfer_write {{.*}} : vector<64xi8>
// PLAIN-LABEL: func.func @rows_outermost(
// PLAIN-NOT: symshape_kernel.contract
func.func @rows_outermost(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %init: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %out: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %out, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// Positive: terms of the left operand become neighbours; the right one is the
// unsigned one.
// CHECK-LABEL: func.func @rows_innermost(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x?xi8>) {{.*}} permutation = [1, 0]
// CHECK: symshape_kernel.contract {{.*}} group = 4>}
func.func @rows_innermost(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %init: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [#km, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %out: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %out, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// Must not fire: without unsigned bytes it is a contraction of any integers.
// CHECK-LABEL: func.func @both_signed(
// CHECK: symshape_kernel.contract {{.*}} packing = by_panel>}
// PLAIN-LABEL: func.func @both_signed(
// PLAIN: symshape_kernel.contract {{.*}} packing = by_panel>}
func.func @both_signed(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %init: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%init : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
