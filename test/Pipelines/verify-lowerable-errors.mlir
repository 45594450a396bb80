// RUN: symshape-opt %s --symshape-verify-lowerable --allow-unregistered-dialect --split-input-file --verify-diagnostics
// RUN: symshape-opt %s --symshape-cpu --allow-unregistered-dialect --split-input-file --verify-diagnostics

// Negative: nothing is known of an op that is not registered.
func.func @unregistered(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected an op that symshape can lower, but got 'foo.bar'}}
  %0 = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Negative: with a region it may even be a symbol table.
func.func @unregistered_with_region(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected an op that symshape can lower, but got 'foo.bar'}}
  "foo.bar"() ({
    "foo.yield"() : () -> ()
  }) : () -> ()
  return %x : tensor<4xf32>
}

// -----

// Negative: outside of functions.
// expected-error@+1 {{expected an op that symshape can lower, but got 'foo.table'}}
"foo.table"() ({
  func.func private @inside()
}) {sym_name = "table"} : () -> ()

// -----

// Negative: in a loop, in a function that is only called.
func.func private @callee(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{expected an op that symshape can lower, but got 'foo.use'}}
    "foo.use"(%i) : (index) -> ()
  }
  return
}
func.func @caller(%n: index) {
  call @callee(%n) : (index) -> ()
  return
}

// -----

// Negative: LLVM has no such elements.
// expected-error@+1 {{'func.func' op expected types that symshape can lower, but got 'tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>'}}
func.func @quantised(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>> {
  return %x : tensor<4x!quant.uniform<i8:f32, 1.0>>
}

// -----

// expected-error@+1 {{'func.func' op expected types that symshape can lower, but got 'tensor<*x!quant.uniform<i8:f32, 1.000000e+00>>'}}
func.func @quantised_unranked(%x: tensor<*x!quant.uniform<i8:f32, 1.0>>) -> tensor<*xf32> {
  %0 = quant.dcast %x : tensor<*x!quant.uniform<i8:f32, 1.0>> to tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Negative: a declaration has types, too.
// expected-error@+1 {{'func.func' op expected types that symshape can lower, but got 'tensor<?x!quant.uniform<i8:f32, 1.000000e+00>>'}}
func.func private @declared(tensor<?x!quant.uniform<i8:f32, 1.0>>)

// -----

// Negative: a memory space without a number.
// expected-error@+1 {{'func.func' op expected types that symshape can lower, but got 'memref<4xf32, "far">'}}
func.func @named_space(%x: memref<4xf32, "far">) {
  return
}

// -----

func.func @named_space_inside() -> f32 {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'memref.alloca' op expected types that symshape can lower, but got 'memref<4xf32, #gpu.address_space<workgroup>>'}}
  %0 = memref.alloca() : memref<4xf32, #gpu.address_space<workgroup>>
  %1 = memref.load %0[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
  return %1 : f32
}

// -----

// Negative: a layout that strides do not describe.
// expected-error@+1 {{'func.func' op expected types that symshape can lower, but got 'memref<16xf32, affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>>'}}
func.func @tiled(%x: memref<16xf32, affine_map<(i) -> (i floordiv 4, i mod 4)>>) {
  return
}

// -----

// Negative: there is one function to allocate, for one memory.
func.func @elsewhere() -> f32 {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'memref.alloc' op expected an allocation in the default memory space}}
  %0 = memref.alloc() : memref<4xf32, 3>
  %1 = memref.load %0[%c0] : memref<4xf32, 3>
  return %1 : f32
}

// -----

func.func @frees_elsewhere(%x: memref<4xf32, 1>) {
  // expected-error@+1 {{'memref.dealloc' op expected an allocation in the default memory space}}
  memref.dealloc %x : memref<4xf32, 1>
  return
}

// -----

// Negative: upstream takes the position for a constant.
func.func @inserts_outside(%x: vector<4xf32>, %v: vector<3x4xf32>) -> vector<3x4xf32> {
  %c = arith.constant -2 : index
  // expected-error@+1 {{'vector.insert' op expected a constant position inside of the vector}}
  %0 = vector.insert %x, %v[%c] : vector<4xf32> into vector<3x4xf32>
  return %0 : vector<3x4xf32>
}

// -----

func.func @inserts_anywhere(%x: vector<4xf32>, %v: vector<2x3x4xf32>, %i: index) -> vector<2x3x4xf32> {
  // expected-error@+1 {{'vector.insert' op expected a constant position inside of the vector}}
  %0 = vector.insert %x, %v[1, %i] : vector<4xf32> into vector<2x3x4xf32>
  return %0 : vector<2x3x4xf32>
}

// -----

// Must not fire: a number at a computed position, a vector at a constant one.
func.func @inserts(%x: f32, %y: vector<4xf32>, %v: vector<4xf32>, %w: vector<3x4xf32>, %i: index) -> (vector<4xf32>, vector<3x4xf32>) {
  %c1 = arith.constant 1 : index
  %0 = vector.insert %x, %v[%i] : f32 into vector<4xf32>
  %1 = vector.insert %y, %w[%c1] : vector<4xf32> into vector<3x4xf32>
  return %0, %1 : vector<4xf32>, vector<3x4xf32>
}

// -----

// Must not fire: a numbered space that is only read, elements of every kind,
// and layouts of strides.
func.func @lowerable(%x: memref<4xf32, 1>, %y: memref<?x?xindex, strided<[?, ?], offset: ?>>,
                     %z: memref<*xf16>, %t: tensor<?xcomplex<f32>>, %n: tensor<3xi1>) -> f32 {
  %c0 = arith.constant 0 : index
  %1 = memref.load %x[%c0] : memref<4xf32, 1>
  return %1 : f32
}

// -----

// Negative: integers have no least float.
func.func @softmax_of_integers(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  // expected-error@+1 {{'linalg.softmax' op expected floats, but got 'tensor<?x?xi32>'}}
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x?xi32>) outs(%x : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

func.func @softmax_of_complex(%x: memref<2x?xcomplex<f32>>) {
  // expected-error@+1 {{'linalg.softmax' op expected floats, but got 'memref<2x?xcomplex<f32>>'}}
  linalg.softmax dimension(0) ins(%x : memref<2x?xcomplex<f32>>) outs(%x : memref<2x?xcomplex<f32>>)
  return
}

// -----

func.func @softmax_of_buffers(%x: memref<4x5xf32>, %y: memref<4x5xf32>) {
  // expected-error@+1 {{'linalg.softmax' op expected a tensor, but got 'memref<4x5xf32>'}}
  linalg.softmax dimension(1) ins(%x : memref<4x5xf32>) outs(%y : memref<4x5xf32>)
  return
}

// -----

func.func @compares_encoded(%x: tensor<8xi64, "foo">) -> tensor<8xi1, "foo"> {
  // expected-error@+1 {{'arith.cmpi' op expected a tensor without an encoding, but got 'tensor<8xi1, "foo">'}}
  %0 = arith.cmpi slt, %x, %x : tensor<8xi64, "foo">
  return %0 : tensor<8xi1, "foo">
}

// -----

// Must not fire: an operand has the type of the result.
func.func @adds_encoded(%x: tensor<8xi64, "foo">) -> tensor<8xi64, "foo"> {
  %0 = arith.addi %x, %x : tensor<8xi64, "foo">
  return %0 : tensor<8xi64, "foo">
}

// -----

func.func @multiplies_scalable(%x: vector<[3]xi32>) -> vector<[3]xi32> {
  // expected-error@+1 {{'arith.mulsi_extended' op expected a vector of a fixed size, but got 'vector<[3]xi32>'}}
  %low, %high = arith.mulsi_extended %x, %x : vector<[3]xi32>
  return %low : vector<[3]xi32>
}

// -----

func.func @absent() -> tensor<2xi8> {
  // expected-error@+1 {{'arith.constant' op expected the elements of resource 'nowhere'}}
  %0 = arith.constant dense_resource<nowhere> : tensor<2xi8>
  return %0 : tensor<2xi8>
}

// -----

func.func @too_many_bytes() -> tensor<i8> {
  // expected-error@+1 {{'arith.constant' op expected the elements of resource 'long'}}
  %0 = arith.constant dense_resource<long> : tensor<i8>
  return %0 : tensor<i8>
}
func.func @too_few_bytes() -> tensor<3xi32> {
  // expected-error@+1 {{'arith.constant' op expected the elements of resource 'short'}}
  %0 = arith.constant dense_resource<short> : tensor<3xi32>
  return %0 : tensor<3xi32>
}
// Must not fire.
func.func @enough_bytes() -> (tensor<2xi32>, tensor<complex<f32>>, tensor<8xi1>) {
  %0 = arith.constant dense_resource<short> : tensor<2xi32>
  %1 = arith.constant dense_resource<short> : tensor<complex<f32>>
  %2 = arith.constant dense_resource<short> : tensor<8xi1>
  return %0, %1, %2 : tensor<2xi32>, tensor<complex<f32>>, tensor<8xi1>
}
{-#
  dialect_resources: { builtin: { long: "0x080000000708", short: "0x080000000700000008000000" } }
#-}

// -----

func.func @wide_float(%x: tensor<?xf80>) -> tensor<?xf80> {
  // expected-error@+1 {{'math.exp' op expected floats of at most 64 bits}}
  %0 = math.exp %x : tensor<?xf80>
  return %0 : tensor<?xf80>
}

// -----

func.func @small_fma(%x: f8E5M2) -> f8E5M2 {
  // expected-error@+1 {{'math.fma' op expected f16, bf16, f32 or f64, but got 'f8E5M2'}}
  %0 = math.fma %x, %x, %x : f8E5M2
  return %0 : f8E5M2
}

// -----

// Must not fire: arithmetic of wide floats has instructions, or functions.
func.func @adds_wide_float(%x: f128) -> f128 {
  %0 = arith.addf %x, %x : f128
  return %0 : f128
}

// -----

func.func @masked_off_lanes(%t: memref<?xf32>, %m: vector<8xi1>, %v: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  // expected-error@+1 {{'vector.mask' op expected no value for the lanes that are masked off}}
  %0 = vector.mask %m, %v { vector.transfer_read %t[%c0], %f0 : memref<?xf32>, vector<8xf32> } : vector<8xi1> -> vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @buffer_elsewhere(%t: tensor<4x?xi8>) -> memref<?x?xi8, strided<[?, 1], offset: ?>, 1> {
  %0 = tensor.cast %t : tensor<4x?xi8> to tensor<?x?xi8>
  // expected-error@+1 {{'bufferization.to_buffer' op expected an allocation in the default memory space}}
  %1 = bufferization.to_buffer %0 : tensor<?x?xi8> to memref<?x?xi8, strided<[?, 1], offset: ?>, 1>
  return %1 : memref<?x?xi8, strided<[?, 1], offset: ?>, 1>
}

// -----

func.func @one_lane(%m: memref<?xindex>, %i: index, %c: i1) {
  // expected-error@+1 {{expected an op that symshape can lower, but got 'gpu.warp_execute_on_lane_0'}}
  gpu.warp_execute_on_lane_0(%i)[32] {
    scf.if %c {
      memref.store %i, %m[%i] : memref<?xindex>
    }
    gpu.yield
  }
  return
}

// -----

func.func @carries_of_index(%x: vector<4xindex>) -> vector<4xi1> {
  // expected-error@+1 {{'arith.addui_extended' op expected integers of a fixed width, but got 'vector<4xindex>'}}
  %0, %1 = arith.addui_extended %x, %x : vector<4xindex>, vector<4xi1>
  return %1 : vector<4xi1>
}

// -----

func.func @several_blocks(%c: i1) {
  // expected-error@+1 {{expected an op that symshape can lower, but got 'spirv.mlir.loop'}}
  spirv.mlir.loop {
    spirv.Branch ^header
  ^header:
    spirv.BranchConditional %c, ^body, ^merge
  ^body:
    spirv.Branch ^continue
  ^continue:
    spirv.Branch ^header
  ^merge:
    spirv.mlir.merge
  }
  return
}

// -----

// Negative: passes put what functions need into one module.
module {
  module @inner {
    // expected-error@+1 {{'func.func' op expected to be in the module that is lowered, but is in another one inside of it}}
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
  }
}

// -----

// Negative: MLIR and LLVM disagree about how many bytes an element takes.
func.func @buffer(%n: index) {
  // expected-error@+1 {{'memref.alloc' op expected types that symshape can lower, but got 'memref<?xi48>'}}
  %m = memref.alloc(%n) : memref<?xi48>
  memref.dealloc %m : memref<?xi48>
  return
}

// -----

// Negative: nor is there a wider type for it.
// expected-error@+1 {{'func.func' op expected types that symshape can lower, but got 'tensor<?xi65>'}}
func.func @between(%x: tensor<?xi65>) -> tensor<?xi65> {
  return %x : tensor<?xi65>
}

// -----

// Negative: more bytes than a program has room for.
// expected-error@+1 {{'memref.global' op expected less than 2^31 bytes, but got 'memref<4611686018427387904xf32>'}}
memref.global "private" @large : memref<4611686018427387904xf32> = uninitialized

// -----

// Negative: a product of extents that is 0 modulo 2^64, as many as the resource has bytes.
func.func @wraps() {
  // expected-error@+1 {{'arith.constant' op expected the elements of resource 'few'}}
  %0 = arith.constant dense_resource<few> : tensor<4294967296x4294967296xi8>
  return
}
{-#
  dialect_resources: { builtin: { few: "0x01000000" } }
#-}

// -----

// Negative: integers that say that they have no sign.
func.func @scatter_of_unsigned(%x: tensor<4xui8>, %i: tensor<2x1xi64>, %u: tensor<2xui8>) -> tensor<4xui8> {
  // expected-error@+1 {{'symshape.scatter' op expected signless integers, but got 'tensor<4xui8>'}}
  %r = symshape.scatter max promise_in_bounds %u into %x[%i]
      {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       operand_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, index_vector_dim = 1 : i64}
      : tensor<2xui8> into tensor<4xui8>[tensor<2x1xi64>]
  return %r : tensor<4xui8>
}
