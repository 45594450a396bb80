// RUN: symshape-opt %s --symshape-canonicalize --split-input-file | FileCheck %s

// Each function is one that upstream's canonicalizer gets wrong, beside one that is
// still simplified.

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @narrow_and_back(
// CHECK-SAME:    %[[N:.*]]: index)
// CHECK:         %[[WIDE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[NARROW:.*]] = arith.trunci %[[WIDE]] : i64 to i8
// CHECK:         %[[BACK:.*]] = arith.index_cast %[[NARROW]] : i8 to index
// CHECK:         return %[[BACK]]
func.func @narrow_and_back(%n: index) -> index {
  %0 = arith.index_cast %n : index to i8
  %1 = arith.index_cast %0 : i8 to index
  return %1 : index
}

// CHECK-LABEL: func.func @narrow_and_back_unsigned(
// CHECK:         arith.trunci %{{.*}} : i64 to i32
// CHECK:         arith.index_castui %{{.*}} : i32 to index
func.func @narrow_and_back_unsigned(%n: index) -> index {
  %0 = arith.index_castui %n : index to i32
  %1 = arith.index_castui %0 : i32 to index
  return %1 : index
}

// CHECK-LABEL: func.func @narrow_and_back_128(
// CHECK:         arith.trunci %{{.*}} : i128 to i64
// CHECK:         arith.index_cast %{{.*}} : index to i128
func.func @narrow_and_back_128(%n: i128) -> i128 {
  %0 = arith.index_cast %n : i128 to index
  %1 = arith.index_cast %0 : index to i128
  return %1 : i128
}

// CHECK-LABEL: func.func @narrow_and_back_vector(
// CHECK:         arith.trunci %{{.*}} : vector<4xi64> to vector<4xi16>
func.func @narrow_and_back_vector(%n: vector<4xindex>) -> vector<4xindex> {
  %0 = arith.index_cast %n : vector<4xindex> to vector<4xi16>
  %1 = arith.index_cast %0 : vector<4xi16> to vector<4xindex>
  return %1 : vector<4xindex>
}

// CHECK-LABEL: func.func @wide_and_back(
// CHECK-SAME:    %[[N:.*]]: index)
// CHECK-NEXT:    return %[[N]]
func.func @wide_and_back(%n: index) -> index {
  %0 = arith.index_cast %n : index to i64
  %1 = arith.index_cast %0 : i64 to index
  return %1 : index
}

// CHECK-LABEL: func.func @cast_of_poison(
// CHECK:         ub.poison : index
func.func @cast_of_poison() -> index {
  %0 = ub.poison : i8
  %1 = arith.index_cast %0 : i8 to index
  return %1 : index
}

// CHECK-LABEL: func.func @rounded_twice(
// CHECK:         arith.sitofp %{{.*}} : i32 to f32
// CHECK:         arith.truncf
func.func @rounded_twice(%n: i32) -> bf16 {
  %0 = arith.sitofp %n : i32 to f32
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}

// CHECK-LABEL: func.func @rounded_once(
// CHECK-NEXT:    arith.sitofp %{{.*}} : i16 to bf16
func.func @rounded_once(%n: i16) -> bf16 {
  %0 = arith.sitofp %n : i16 to f32
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}

// -----

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @constants_wrap(
// CHECK-COUNT-2: arith.addi {{.*}} overflow<nsw>
func.func @constants_wrap(%n: i64) -> i64 {
  %c = arith.constant 9223372036854775807 : i64
  %c1 = arith.constant 1 : i64
  %0 = arith.addi %n, %c overflow<nsw> : i64
  %1 = arith.addi %0, %c1 overflow<nsw> : i64
  return %1 : i64
}

// CHECK-LABEL: func.func @constants_of_other_signs(
// CHECK:         arith.subi {{.*}} overflow<nuw>
// CHECK:         arith.addi {{.*}} overflow<nuw>
func.func @constants_of_other_signs(%n: i64) -> i64 {
  %c3 = arith.constant 3 : i64
  %c1 = arith.constant 1 : i64
  %0 = arith.subi %n, %c3 overflow<nuw> : i64
  %1 = arith.addi %0, %c1 overflow<nuw> : i64
  return %1 : i64
}

// CHECK-LABEL: func.func @constants_fit(
// CHECK:         %[[C:.*]] = arith.constant 7 : i64
// CHECK:         arith.addi %{{.*}}, %[[C]] overflow<nsw>
func.func @constants_fit(%n: i64) -> i64 {
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %0 = arith.addi %n, %c3 overflow<nsw> : i64
  %1 = arith.addi %0, %c4 overflow<nsw> : i64
  return %1 : i64
}

// CHECK-LABEL: func.func @difference_wraps(
// CHECK:         %[[D:.*]] = index.sub
// CHECK:         index.cmp ugt(%[[D]]
// CHECK:         index.cmp eq(%arg0, %arg1)
func.func @difference_wraps(%x: index, %y: index) -> (i1, i1) {
  %c0 = index.constant 0
  %0 = index.sub %x, %y
  %1 = index.cmp ugt(%0, %c0)
  %2 = index.cmp eq(%0, %c0)
  return %1, %2 : i1, i1
}

// Upstream would make an op in each sweep, and never end.
// CHECK-LABEL: func.func @constants_of_64_bits(
// CHECK-COUNT-2: index.maxs
// CHECK-COUNT-2: index.minu
func.func @constants_of_64_bits(%x: index) -> (index, index) {
  %long = index.constant 2147483648
  %short = index.constant 7
  %0 = index.maxs %x, %long
  %1 = index.maxs %0, %short
  %2 = index.minu %x, %short
  %3 = index.minu %2, %long
  return %1, %3 : index, index
}

// CHECK-LABEL: func.func @constants_of_32_bits(
// CHECK:         %[[C:.*]] = index.constant 7
// CHECK:         %[[MOST:.*]] = index.maxs %arg0, %[[C]]
// CHECK-NEXT:    return %[[MOST]]
func.func @constants_of_32_bits(%x: index) -> index {
  %a = index.constant -5
  %b = index.constant 7
  %0 = index.maxs %x, %a
  %1 = index.maxs %0, %b
  return %1 : index
}

// CHECK-LABEL: func.func @no_constant_of_dynamic_type(
// CHECK:         arith.xori
// CHECK:         arith.cmpi eq
func.func @no_constant_of_dynamic_type(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi1>) {
  %0 = arith.xori %x, %x : tensor<?xi32>
  %1 = arith.cmpi eq, %x, %x : tensor<?xi32>
  return %0, %1 : tensor<?xi32>, tensor<?xi1>
}

// CHECK-LABEL: func.func @no_predicate(
// CHECK:         arith.cmpf true
func.func @no_predicate(%x: i32) -> i1 {
  %c = arith.constant 1.0 : f32
  %0 = arith.sitofp %x : i32 to f32
  %1 = arith.cmpf true, %0, %c : f32
  return %1 : i1
}

// CHECK-LABEL: func.func @angles(
// CHECK-DAG:     %[[A:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[B:.*]] = arith.constant -3.14159{{.*}} : f32
// CHECK:         return %[[A]], %[[B]]
func.func @angles() -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %negative = arith.constant -0.0 : f32
  %0 = math.atan2 %zero, %zero : f32
  %1 = math.atan2 %negative, %negative : f32
  return %0, %1 : f32, f32
}

// -----

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @far_bounds(
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.for
func.func @far_bounds(%m: memref<1xi8>) {
  %c0 = arith.constant 0 : index
  %least = arith.constant -128 : i8
  %greatest = arith.constant 127 : i8
  %one = arith.constant 1 : i8
  %zero = arith.constant 0 : i8
  scf.for %i = %least to %greatest step %one : i8 {
    memref.store %i, %m[%c0] : memref<1xi8>
  }
  scf.for unsigned %i = %zero to %greatest step %least : i8 {
    memref.store %i, %m[%c0] : memref<1xi8>
  }
  scf.for %i = %zero to %one step %one : i8 {
    memref.store %i, %m[%c0] : memref<1xi8>
  }
  return
}

// CHECK-LABEL: func.func @far_bounds_parallel(
// CHECK:         scf.parallel
func.func @far_bounds_parallel(%m: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %least = arith.constant -9223372036854775808 : index
  %greatest = arith.constant 4611686018427387904 : index
  scf.parallel (%i) = (%least) to (%greatest) step (%greatest) {
    memref.store %i, %m[%c0] : memref<1xindex>
  }
  return
}

// The body sees i + 1, twice.
// CHECK-LABEL: func.func @passed_on_twice(
// CHECK:         %[[SUM:.*]] = arith.addi
// CHECK:         arith.addi %[[SUM]], %[[SUM]]
func.func @passed_on_twice(%n: index, %m: memref<1xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0) : (index) -> (index, index) {
    %c = arith.cmpi slt, %i, %n : index
    %v = scf.if %c -> index {
      %a = arith.addi %i, %c1 : index
      memref.store %a, %m[%c0] : memref<1xindex>
      scf.yield %a : index
    } else {
      scf.yield %i : index
    }
    scf.condition(%c) %v, %v : index, index
  } do {
  ^bb0(%x: index, %y: index):
    %m2 = arith.addi %y, %x : index
    scf.yield %m2 : index
  }
  return %r#0 : index
}

// -----

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @which_dim_is_dropped(
// CHECK-SAME:    %{{.*}}, %[[B:.*]]: index)
// CHECK:         tensor.extract_slice %{{.*}} to tensor<?x?xf32>
// CHECK:         tensor.dim
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0] [1, %[[B]], 1] [1, 1, 1] : {{.*}} to tensor<?xf32>
func.func @which_dim_is_dropped(%t: tensor<?x?x?xf32>, %b: index) -> (index, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %0 = tensor.extract_slice %t[0, 0, 0] [%c1, %b, 1] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?xf32>
  %1 = tensor.dim %0, %c1 : tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %2 = tensor.extract_slice %t[%c0, 0, 0] [1, %b, 1] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?xf32>
  return %1, %2 : index, tensor<?xf32>
}

// CHECK-LABEL: func.func @which_dim_is_inserted(
// CHECK-NOT:     tensor.cast
// CHECK:         tensor.insert_slice
func.func @which_dim_is_inserted(%t: tensor<?x?x?xf32>, %s: tensor<?x?xf32>, %b: index) -> tensor<?x?x?xf32> {
  %c1 = arith.constant 1 : index
  %0 = tensor.insert_slice %s into %t[0, 0, 0] [%c1, %b, 1] [1, 1, 1] : tensor<?x?xf32> into tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @any_extent_beside_zero(
// CHECK-SAME:    %{{.*}}: tensor<0x?xf32>, %[[B:.*]]: index)
// CHECK:         tensor.expand_shape %{{.*}} output_shape [0, %[[B]]]
func.func @any_extent_beside_zero(%t: tensor<0x?xf32>, %b: index) -> tensor<0x?xf32> {
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<0x?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [0, %b] : tensor<?xf32> into tensor<0x?xf32>
  return %1 : tensor<0x?xf32>
}

// CHECK-LABEL: func.func @extent_beside_four(
// CHECK-SAME:    %[[T:.*]]: tensor<4x?xf32>
// CHECK-NEXT:    return %[[T]]
func.func @extent_beside_four(%t: tensor<4x?xf32>, %b: index) -> tensor<4x?xf32> {
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<4x?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [4, %b] : tensor<?xf32> into tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @negative_sizes(
// CHECK:         tensor.pad {{.*}} high[%{{.*}}]
// CHECK:         tensor.expand_shape {{.*}} output_shape [%{{.*}}, %{{.*}}]
func.func @negative_sizes(%t: tensor<4xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c5 = arith.constant -5 : index
  %z = arith.constant 0.0 : f32
  %0 = tensor.pad %t low[0] high[%c5] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [%c5, %c5] : tensor<?xf32> into tensor<?x?xf32>
  return %0, %2 : tensor<?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @padded_and_inserted(
// CHECK:         tensor.pad
// CHECK:         tensor.insert_slice %{{.*}}[0] [4] [2]
func.func @padded_and_inserted(%t: tensor<2xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = tensor.pad %t low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<2xf32> to tensor<4xf32>
  %2 = tensor.insert_slice %1 into %0[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @fills_side_by_side(
// CHECK:         linalg.fill
// CHECK:         tensor.cast %{{.*}} : tensor<8xf32> to tensor<?xf32>
func.func @fills_side_by_side(%f: f32) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.concat dim(0) %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @unpacked_to_less(
// CHECK:         linalg.unpack
func.func @unpacked_to_less(%t: tensor<?xf32>, %q: tensor<?x8xf32>, %m: index) -> tensor<?xf32> {
  %0 = linalg.pack %t inner_dims_pos = [0] inner_tiles = [8] into %q : tensor<?xf32> -> tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0] inner_tiles = [8] into %e : tensor<?x8xf32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @unpacked_whole(
// CHECK-SAME:    %[[T:[a-z0-9]+]]: tensor<16xf32>
// CHECK-NEXT:    return %[[T]]
func.func @unpacked_whole(%t: tensor<16xf32>, %q: tensor<2x8xf32>) -> tensor<16xf32> {
  %0 = linalg.pack %t inner_dims_pos = [0] inner_tiles = [8] into %q : tensor<16xf32> -> tensor<2x8xf32>
  %e = tensor.empty() : tensor<16xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0] inner_tiles = [8] into %e : tensor<2x8xf32> -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// CHECK-LABEL: func.func @transposed_twice
// CHECK:         %[[R:.*]] = tosa.{{.*}} -> tensor<3x2xi32>
// CHECK:         return %[[R]] : tensor<3x2xi32>
func.func @transposed_twice(%x: tensor<3x?xi32>) -> tensor<3x2xi32> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<3x?xi32>) -> tensor<2x3xi32>
  %1 = tosa.transpose %0 {perms = array<i32: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %1 : tensor<3x2xi32>
}

// CHECK-LABEL: func.func @not_transposed
// CHECK-NEXT:    return %arg0
func.func @not_transposed(%x: tensor<3x?xi32>) -> tensor<3x?xi32> {
  %0 = tosa.transpose %x {perms = array<i32: 0, 1>} : (tensor<3x?xi32>) -> tensor<3x?xi32>
  return %0 : tensor<3x?xi32>
}

// -----

// Its folder succeeds for as long as the empty op is there.
// CHECK-LABEL: func.func @all_true_mask
// CHECK-NOT:     vector.mask
// CHECK:         vector.transfer_write
func.func @all_true_mask(%v: vector<4xf32>, %m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %true = vector.constant_mask [4] : vector<4xi1>
  vector.mask %true { vector.transfer_write %v, %m[%c0] : vector<4xf32>, memref<4xf32> } : vector<4xi1>
  return
}

// -----

// CHECK-LABEL: func.func @branches_to_one_block
// CHECK:         %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xf32>
// CHECK-NEXT:    cf.br ^[[B:.*]](%[[S]], %{{.*}} : tensor<?xf32>, index)
func.func @branches_to_one_block(%a: i1, %b: i1, %t: tensor<?xf32>, %u: tensor<?xf32>, %i: index, %f: (tensor<?xf32>) -> ()) -> (tensor<?xf32>, index) {
  cf.cond_br %a, ^bb1, ^bb2(%t, %i : tensor<?xf32>, index)
^bb1:
  func.call_indirect %f(%u) : (tensor<?xf32>) -> ()
  cf.cond_br %b, ^bb2(%t, %i : tensor<?xf32>, index), ^bb2(%u, %i : tensor<?xf32>, index)
^bb2(%r: tensor<?xf32>, %j: index):
  return %r, %j : tensor<?xf32>, index
}

// -----

// Must not fire: what was cast is no source of a view.
// CHECK-LABEL: func.func @view_of_cast
// CHECK:         memref.view %{{.*}}[%{{.*}}][] : memref<?xi8> to memref<4xf32>
// CHECK:         memref.view %{{.*}}[%{{.*}}][] : memref<?xi8> to memref<4xf32>
func.func @view_of_cast(%a: memref<?xi8, strided<[1], offset: ?>>, %u: memref<*xi8>, %o: index) -> (memref<4xf32>, memref<4xf32>) {
  %c = memref.cast %a : memref<?xi8, strided<[1], offset: ?>> to memref<?xi8>
  %d = memref.cast %u : memref<*xi8> to memref<?xi8>
  %v = memref.view %c[%o][] : memref<?xi8> to memref<4xf32>
  %w = memref.view %d[%o][] : memref<?xi8> to memref<4xf32>
  return %v, %w : memref<4xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func @view_of_extents
// CHECK:         memref.view %{{.*}}[%{{.*}}][] : memref<64xi8> to memref<4xf32>
func.func @view_of_extents(%a: memref<64xi8>, %o: index) -> memref<4xf32> {
  %c = memref.cast %a : memref<64xi8> to memref<?xi8>
  %v = memref.view %c[%o][] : memref<?xi8> to memref<4xf32>
  return %v : memref<4xf32>
}

// -----

// Must not fire: a folder divides by the parts of the basis.
// CHECK-LABEL: func.func @basis_of_zero
// CHECK:         affine.delinearize_index %{{.*}} into (%{{.*}}, %{{.*}})
func.func @basis_of_zero() -> (index, index) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %0:2 = affine.delinearize_index %c7 into (%c0, %c0) : index, index
  return %0#0, %0#1 : index, index
}

// CHECK-LABEL: func.func @positive_basis
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : index
// CHECK:         return %[[THREE]], %[[ONE]]
func.func @positive_basis() -> (index, index) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %0:2 = affine.delinearize_index %c7 into (%c4, %c2) : index, index
  return %0#0, %0#1 : index, index
}

// -----

// As many results stay as there are shapes of results.
// CHECK-LABEL: func.func @shapes_of_results
// CHECK:         %{{.*}}:2 = scf.if
// CHECK:         %{{.*}} = scf.if %{{.*}} -> (tensor<?xf32>)
func.func @shapes_of_results(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1, %d: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = scf.if %c -> (tensor<?xf32>, tensor<?xf32>) {
    %x = math.exp %a : tensor<?xf32>
    %y = math.exp %b : tensor<?xf32>
    scf.yield %x, %y : tensor<?xf32>, tensor<?xf32>
  } else {
    scf.yield %a, %b : tensor<?xf32>, tensor<?xf32>
  } {symshape.extents = [#symshape.shape<[s0]>, #symshape.shape<[s1]>]}
  %1:2 = scf.if %d -> (tensor<?xf32>, tensor<?xf32>) {
    %x = math.sin %a : tensor<?xf32>
    %y = math.sin %b : tensor<?xf32>
    scf.yield %x, %y : tensor<?xf32>, tensor<?xf32>
  } else {
    scf.yield %a, %b : tensor<?xf32>, tensor<?xf32>
  }
  return %0#1, %1#1 : tensor<?xf32>, tensor<?xf32>
}

// 32 n may wrap, and then be what is left of x: the expansion stays, with what it needs.
// CHECK-LABEL: @product_of_sizes
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2]] output_shape [8, %{{.*}}, 32]
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]]
func.func @product_of_sizes(%x: tensor<?xf32>, %n: index) -> tensor<8x?xf32> {
  %0 = tensor.expand_shape %x [[0, 1, 2]] output_shape [8, %n, 32] : tensor<?xf32> into tensor<8x?x32xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<8x?x32xf32> into tensor<8x?xf32>
  return %1 : tensor<8x?xf32>
}

// CHECK-LABEL: @sizes_of_one
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [8, %{{.*}}]
func.func @sizes_of_one(%x: tensor<?xf32>, %n: index) -> tensor<8x?xf32> {
  %0 = tensor.expand_shape %x [[0, 1, 2]] output_shape [8, %n, 1] : tensor<?xf32> into tensor<8x?x1xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<8x?x1xf32> into tensor<8x?xf32>
  return %1 : tensor<8x?xf32>
}

// -----

// Must not fire: the branch whose type a padding would take may not be reached.
// CHECK-LABEL: func.func @cast_in_branch(
// CHECK:         tensor.pad
// CHECK:         } : tensor<?xf32> to tensor<?xf32>
// CHECK:         scf.if
// CHECK:           tensor.cast %{{.*}} : tensor<?xf32> to tensor<6xf32>
func.func @cast_in_branch(%x: tensor<?xf32>, %y: tensor<6xf32>, %c: i1) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %r = scf.if %c -> tensor<6xf32> {
    %cast = tensor.cast %p : tensor<?xf32> to tensor<6xf32>
    scf.yield %cast : tensor<6xf32>
  } else {
    scf.yield %y : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}
