// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-discharge | FileCheck %s

// True statements that upstream's value bounds leave open: each is decided.

// CHECK-LABEL: func.func @linear(
func.func @linear(%t: tensor<?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %a = tensor.dim %t, %c0 : tensor<?xf32>
  %sum = arith.addi %c2, %c2 : index
  %x = arith.muli %sum, %a : index
  %y = arith.muli %a, %c4 : index
  // CHECK: arith.constant true
  %0 = arith.cmpi eq, %x, %y : index
  %i = arith.index_cast %a : index to i64
  %j = arith.index_cast %i : i64 to index
  // CHECK: arith.constant true
  %1 = arith.cmpi eq, %a, %j : index
  return %0, %1 : i1, i1
}

// Also where the product wraps: it wraps to the same.
// CHECK-LABEL: func.func @products(
func.func @products(%a: index, %b: index) -> (i1, i1) {
  %ab = arith.muli %a, %b : index
  %ba = arith.muli %b, %a : index
  %again = arith.muli %a, %b : index
  // CHECK: arith.constant true
  %0 = arith.cmpi eq, %ab, %ba : index
  // CHECK: arith.constant true
  %1 = arith.cmpi eq, %ab, %again : index
  return %0, %1 : i1, i1
}

// CHECK-LABEL: func.func @symbolic_divisors(
func.func @symbolic_divisors(%d: index, %s: index, %t: tensor<?x?xf32>) -> (i1, i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %rest = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%d)[%s]
  // CHECK: arith.constant true
  %0 = arith.cmpi slt, %rest, %s : index
  %q = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%d)[%s]
  %same = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%d)[%s]
  // CHECK: arith.constant true
  %1 = arith.cmpi eq, %q, %same : index
  %u = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %v = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %n = tensor.dim %u, %c0 : tensor<?xf32>
  %m = tensor.dim %v, %c0 : tensor<?xf32>
  // CHECK: arith.constant true
  %2 = arith.cmpi eq, %n, %m : index
  %digits:2 = affine.delinearize_index %d into (%q, %s) : index, index
  // CHECK: arith.constant true
  %3 = arith.cmpi slt, %digits#1, %s : index
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @constant_divisors(
func.func @constant_divisors(%t: tensor<?xf32>, %a: index) -> (i1, i1, i1, i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %least = arith.minsi %n, %a : index
  // CHECK: arith.constant true
  %0 = arith.cmpi sle, %least, %n : index
  %up = arith.ceildivui %n, %c8 : index
  %whole = arith.muli %up, %c8 : index
  // CHECK: arith.constant true
  %1 = arith.cmpi sge, %whole, %n : index
  %quotient = arith.divsi %n, %c8 : index
  // CHECK: arith.constant true
  %2 = arith.cmpi sle, %quotient, %n : index
  %rest = arith.remui %a, %c8 : index
  // CHECK: arith.constant true
  %3 = arith.cmpi slt, %rest, %c8 : index
  %shifted = arith.shli %n, %c3 : index
  %low = arith.andi %shifted, %c7 : index
  // CHECK: arith.constant true
  %4 = arith.cmpi eq, %low, %c0 : index
  %signed = arith.remsi %a, %c8 : index
  // CHECK: arith.constant true
  %5 = arith.cmpi slt, %signed, %c8 : index
  return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i1, i1
}

// CHECK-LABEL: func.func @min_max_select(
func.func @min_max_select(%t: tensor<?x?xf32>, %x: index, %c: i1) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %min = affine.min affine_map<(d0) -> (d0, 5)>(%n)
  // CHECK: arith.constant true
  %0 = arith.cmpi sge, %min, %c0 : index
  %one = arith.select %c, %n, %m : index
  // CHECK: arith.constant true
  %1 = arith.cmpi sge, %one, %c0 : index
  %positive = arith.cmpi sge, %x, %c0 : index
  %clamped = arith.select %positive, %x, %c0 : index
  // CHECK: arith.constant true
  %2 = arith.cmpi sge, %clamped, %c0 : index
  return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: func.func @counters(
func.func @counters(%n: index, %s: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %rest = arith.remsi %i, %c4 : index
    // CHECK: arith.constant true
    %0 = arith.cmpi eq, %rest, %c0 : index
    %left = affine.min affine_map<(d0)[s0] -> (s0 - d0, 4)>(%i)[%n]
    // CHECK: arith.constant true
    %1 = arith.cmpi sgt, %left, %c0 : index
    "test.use"(%0, %1) : (i1, i1) -> ()
  }
  scf.for %i = %c0 to %n step %s {
    %rest = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%i)[%s]
    // CHECK: arith.constant true
    %0 = arith.cmpi eq, %rest, %c0 : index
    %left = affine.min affine_map<(d0)[s0, s1] -> (s0 - d0, s1)>(%i)[%n, %s]
    // CHECK: arith.constant true
    %1 = arith.cmpi sgt, %left, %c0 : index
    "test.use"(%0, %1) : (i1, i1) -> ()
  }
  affine.for %i = 0 to %n step 4 {
    // CHECK: arith.constant true
    %0 = arith.cmpi slt, %i, %n : index
    "test.use"(%0) : (i1) -> ()
  }
  affine.parallel (%i) = (0) to (%n) step (4) {
    // CHECK: arith.constant true
    %0 = arith.cmpi slt, %i, %n : index
    "test.use"(%0) : (i1) -> ()
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c4) {
    // CHECK: arith.constant true
    %0 = arith.cmpi slt, %i, %n : index
    "test.use"(%0) : (i1) -> ()
  }
  return
}

// CHECK-LABEL: func.func @conditions(
func.func @conditions(%a: index, %b: index) -> (i1, i1) {
  %less = arith.cmpi slt, %a, %b : index
  scf.if %less {
    // CHECK: arith.constant true
    %0 = arith.cmpi sle, %a, %b : index
    "test.use"(%0) : (i1) -> ()
  }
  affine.if affine_set<(d0, d1) : (d1 - d0 >= 2)>(%a, %b) {
    // CHECK: arith.constant true
    %0 = arith.cmpi sle, %a, %b : index
    "test.use"(%0) : (i1) -> ()
  }
  cf.assert %less, "a < b"
  // CHECK: arith.constant true
  %1 = arith.cmpi sle, %a, %b : index
  return %1, %1 : i1, i1
}

// CHECK-LABEL: func.func @tensors(
func.func @tensors(%t: tensor<?x?xf32>, %u: tensor<?x?xf32>, %o: index, %k: index) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %slice = tensor.extract_slice %t[%o, 0] [%k, 4] [1, 1] : tensor<?x?xf32> to tensor<?x4xf32>
  // CHECK: arith.constant true
  %0 = arith.cmpi sle, %k, %n : index
  %sum = arith.addf %t, %u : tensor<?x?xf32>
  %rows = tensor.dim %u, %c0 : tensor<?x?xf32>
  // CHECK: arith.constant true
  %1 = arith.cmpi eq, %rows, %n : index
  %d = tensor.dim %sum, %c1 : tensor<?x?xf32>
  %columns = tensor.dim %t, %c1 : tensor<?x?xf32>
  // CHECK: arith.constant true
  %2 = arith.cmpi eq, %d, %columns : index
  return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: func.func @matmul(
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %rows = tensor.dim %r, %c0 : tensor<?x?xf32>
  // CHECK: arith.constant true
  %0 = arith.cmpi eq, %m, %rows : index
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %l = tensor.dim %b, %c0 : tensor<?x?xf32>
  // CHECK: arith.constant true
  %1 = arith.cmpi eq, %k, %l : index
  return %0, %1 : i1, i1
}

// CHECK-LABEL: func.func @made_tensors(
func.func @made_tensors(%t: tensor<?xf32>, %u: tensor<?xf32>, %n: index, %f: f32, %m: memref<?xi8>, %indices: tensor<?x1xindex>) -> (i1, i1, i1, i1, i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %x = tensor.dim %t, %c0 : tensor<?xf32>
  %y = tensor.dim %u, %c0 : tensor<?xf32>
  %both = tensor.concat dim(0) %t, %u : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %xy = tensor.dim %both, %c0 : tensor<?xf32>
  %sum = arith.addi %x, %y : index
  // CHECK: arith.constant true
  %0 = arith.cmpi eq, %xy, %sum : index
  %g = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<?xf32>
  %gn = tensor.dim %g, %c0 : tensor<?xf32>
  // CHECK: arith.constant true
  %1 = arith.cmpi eq, %gn, %n : index
  %s = tensor.splat %f[%n] : tensor<?xf32>
  %sn = tensor.dim %s, %c0 : tensor<?xf32>
  // CHECK: arith.constant true
  %2 = arith.cmpi eq, %sn, %n : index
  %shape = tensor.from_elements %x : tensor<1xindex>
  %r = tensor.reshape %t(%shape) : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
  %rn = tensor.dim %r, %c0 : tensor<?xf32>
  // CHECK: arith.constant true
  %3 = arith.cmpi eq, %rn, %x : index
  %gathered = tensor.gather %t[%indices] gather_dims([0]) : (tensor<?xf32>, tensor<?x1xindex>) -> tensor<?x1xf32>
  %gd = tensor.dim %gathered, %c0 : tensor<?x1xf32>
  %id = tensor.dim %indices, %c0 : tensor<?x1xindex>
  // CHECK: arith.constant true
  %4 = arith.cmpi eq, %gd, %id : index
  %view = memref.view %m[%c0][%n] : memref<?xi8> to memref<?xi8>
  %vn = memref.dim %view, %c0 : memref<?xi8>
  // CHECK: arith.constant true
  %5 = arith.cmpi eq, %vn, %n : index
  %cast = memref.reinterpret_cast %m to offset: [0], sizes: [%n], strides: [1] : memref<?xi8> to memref<?xi8>
  %cn = memref.dim %cast, %c0 : memref<?xi8>
  // CHECK: arith.constant true
  %6 = arith.cmpi eq, %cn, %n : index
  return %0, %1, %2, %3, %4, %5, %6 : i1, i1, i1, i1, i1, i1, i1
}

func.func private @padded(%n: index) -> index {
  %m = affine.apply affine_map<(d0) -> ((d0 ceildiv 8) * 8)>(%n)
  return %m : index
}

// CHECK-LABEL: func.func @calls(
func.func @calls(%n: index) -> i1 {
  %m = call @padded(%n) : (index) -> index
  // CHECK: arith.constant true
  %0 = arith.cmpi sge, %m, %n : index
  return %0 : i1
}

// CHECK-LABEL: func.func @shapes(
func.func @shapes(%t: tensor<?x?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %shape = shape.shape_of %t : tensor<?x?xf32> -> tensor<2xindex>
  %x = tensor.extract %shape[%c1] : tensor<2xindex>
  // CHECK: arith.constant true
  %0 = arith.cmpi eq, %x, %m : index
  %e = shape.get_extent %shape, %c0 : tensor<2xindex>, index -> index
  // CHECK: arith.constant true
  %1 = arith.cmpi eq, %e, %n : index
  return %0, %1 : i1, i1
}

// CHECK-LABEL: func.func @launch(
func.func @launch(%n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c128, %sy = %c1, %sz = %c1) {
    // CHECK: arith.constant true
    %0 = arith.cmpi slt, %tx, %c128 : index
    %id = gpu.thread_id x
    // CHECK: arith.constant true
    %1 = arith.cmpi slt, %id, %c128 : index
    "test.use"(%0, %1) : (i1, i1) -> ()
    gpu.terminator
  }
  return
}
