// RUN: symshape-opt %s --symshape-fixate="function=f bind='B = 4, S = 128'" --split-input-file | FileCheck %s

// Everything is bound: no dynamic extent, and nothing that names or checks one.
// CHECK-NOT:     ?
// CHECK-NOT:     symshape.
// CHECK-LABEL: func.func private @callee(%{{.*}}: tensor<512x8xf32>) -> tensor<512xf32>
func.func private @callee(%x: tensor<?x8xf32> {symshape.shape = #symshape.shape<[N, 8]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 600]>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce ins(%x : tensor<?x8xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r : tensor<?xf32>
}
// CHECK-LABEL: func.func @f(%{{.*}}: tensor<4x128x8xf32>, %{{.*}}: tensor<512xf32>) -> (tensor<512xf32>, index)
// CHECK:         %[[N:.*]] = arith.constant 512 : index
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<4x128x8xf32> into tensor<512x8xf32>
// CHECK:         linalg.add {{.*}} -> tensor<512xf32>
// CHECK:         return %{{.*}}, %[[N]]
// CHECK-NOT:     ?
// CHECK-NOT:     symshape.
func.func @f(%x: tensor<?x?x8xf32> {symshape.shape = #symshape.shape<[B, S, 8]>},
             %y: tensor<?xf32> {symshape.shape = #symshape.shape<[B * S]>})
    -> (tensor<?xf32> {symshape.shape = #symshape.shape<[B * S]>}, index)
    attributes {symshape.symbols = [#symshape.symbol<"B", range = [1, 64]>, #symshape.symbol<"S", multiple_of = 8>],
                symshape.assume = [#symshape.fact<"B <= S">]} {
  %u = symshape.bind_shape %x [B, S, 8] : tensor<?x?x8xf32>
  %n = symshape.size "B * S"
  %m = symshape.assume %n ["n <= 4096"] (n) : index
  symshape.assert "B <= S", "batches are smaller"
  %c = tensor.collapse_shape %u [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %s = call @callee(%c) : (tensor<?x8xf32>) -> tensor<?xf32>
  %r = linalg.add ins(%s, %y : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r, %m : tensor<?xf32>, index
}

// -----

// What is not bound stays, and what is still required as well.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %{{.*}}: tensor<4x?xf32> {symshape.shape = #symshape.shape<[B, L]>}, %{{.*}}: tensor<128xf32>
// CHECK-SAME:    -> tensor<4x?xf32>
// CHECK-SAME:    symshape.assume = [#symshape.fact<"L <= S">, #symshape.fact<"B == 4">, #symshape.fact<"S == 128">]
// CHECK:         symshape.assert "L != 7"
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, L]>},
             %y: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}) -> tensor<?x?xf32>
    attributes {symshape.assume = [#symshape.fact<"L <= S">]} {
  symshape.assert "L != 7", "not seven"
  %r = linalg.exp ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A caller passes what the function now takes; that it is that is checked as what
// any cast requires. Memrefs are arguments like others.
// CHECK-LABEL: func.func @f(%{{.*}}: memref<4xf32>, %{{.*}}: tensor<128xf32>)
// CHECK:         memref.load %{{.*}} : memref<4xf32>
func.func @f(%x: memref<?xf32> {symshape.shape = #symshape.shape<[B]>},
             %y: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}) -> (f32, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %r = memref.load %x[%c0] : memref<?xf32>
  return %r, %y : f32, tensor<?xf32>
}
// CHECK-LABEL: func.func @caller(
// CHECK:         memref.cast %{{.*}} : memref<?xf32> to memref<4xf32>
// CHECK:         tensor.cast %{{.*}} : tensor<?xf32> to tensor<128xf32>
// CHECK:         call @f(
func.func @caller(%x: memref<?xf32>, %y: tensor<?xf32>) -> (f32, tensor<?xf32>) {
  %r:2 = call @f(%x, %y) : (memref<?xf32>, tensor<?xf32>) -> (f32, tensor<?xf32>)
  return %r#0, %r#1 : f32, tensor<?xf32>
}

// -----

// A branch for another size: what cannot run there is not left to be refused by a
// verifier, and the branch is gone once its condition is decided.
// CHECK-LABEL: func.func @f(
// CHECK-NOT:     scf.if
// CHECK:         return %{{.*}} : tensor<4xf32>
func.func @f(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>}, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %b, %s : index
  %r = scf.if %same -> tensor<?xf32> {
    %t = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Nobody uses the tensors, and yet their sizes must not be negative: neither that
// of one, nor that of another one, whose extent alone is used.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %{{.*}}: tensor<4x128xf32>
// CHECK-DAG:     symshape.assert "0 <= {{.*}}, "what tensor.empty needs"
// CHECK-DAG:     symshape.assert "0 <= {{.*}}, "what tensor.empty needs"
// CHECK-NOT:     tensor.empty
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>}, %k: index, %l: index) -> index {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = arith.subi %n, %k : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %o = arith.subi %n, %l : index
  %g = tensor.empty(%o) : tensor<?xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.dim %h, %c0 : tensor<?xf32>
  return %d : index
}

// -----

// Must not fire: what the values prove, and what is used.
// CHECK-LABEL: func.func @f(
// CHECK-NOT:     symshape.assert
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>}, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = arith.subi %n, %c1 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %g = tensor.empty(%k) : tensor<?xf32>
  return %g : tensor<?xf32>
}

// -----

// An entry that calls itself: what is bound holds for calls from outside.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %{{.*}}: tensor<4x128xf32>
// CHECK:         call @f_0(%{{.*}}) : (tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-LABEL: func.func private @f_0(
// CHECK-SAME:    %{{.*}}: tensor<?x?xf32>
// CHECK:         call @f_0(
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %go = arith.cmpi ult, %n, %c9 : index
  %r = scf.if %go -> tensor<?x?xf32> {
    %d = tensor.concat dim(0) %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %q = func.call @f(%d) : (tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %q : tensor<?x?xf32>
  } else {
    scf.yield %x : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// What folds once types say the extents keeps what it required: a copy that is
// none, a reshape back, a slice of what was inserted.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: tensor<4x128xf32>, %[[N:.*]]: index) -> tensor<4x128xf32>
// CHECK:         symshape.assert "{{.*}}" ({{.*}}%[[N]]{{.*}}), "what linalg.copy needs"
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>}, %n: index) -> tensor<4x?xf32> {
  %y = tensor.cast %x : tensor<?x?xf32> to tensor<4x?xf32>
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %r = linalg.copy ins(%y : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// -----

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: tensor<4x?xf32> {{.*}}, %[[N:.*]]: index)
// CHECK:         symshape.assert "{{.*}}" ({{.*}}), "what tensor.expand_shape needs"
// CHECK:         symshape.assert "{{.*}}" ({{.*}}), "what tensor.expand_shape needs"
// CHECK-NEXT:    return %[[X]]
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, ?]>},
             %y: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}, %n: index) -> tensor<4x?xf32> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = tensor.expand_shape %c [[0, 1]] output_shape [4, %n] : tensor<?xf32> into tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// -----

// CHECK-LABEL: func.func @f(
// CHECK:         symshape.assert "{{.*}}" ({{.*}}), "what tensor.insert_slice needs"
// CHECK-NOT:     tensor.insert_slice
// CHECK:         return
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, ?]>},
             %y: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}, %n: index) -> tensor<4x?xf32> {
  %z = tensor.cast %x : tensor<?x?xf32> to tensor<4x?xf32>
  %e = tensor.empty(%n) : tensor<8x?xf32>
  %i = tensor.insert_slice %z into %e[0, 0] [4, %n] [1, 1] : tensor<4x?xf32> into tensor<8x?xf32>
  %r = tensor.extract_slice %i[0, 0] [4, %n] [1, 1] : tensor<8x?xf32> to tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// -----

// Must not fire: an op that stays requires it itself.
// CHECK-LABEL: func.func @f(
// CHECK-NOT:     symshape.assert
// CHECK:         linalg.exp
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>}, %n: index, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.exp ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Before a mask, which is over one op.
// CHECK-LABEL: func.func @f(
// CHECK:         symshape.assert "{{.*}}" ({{.*}}), "what vector.transfer_read needs"
// CHECK-NEXT:    vector.mask %{{.*}} { vector.transfer_read
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, ?]>},
             %y: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}, %n: index, %m: vector<1x4xi1>) -> vector<1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vector.mask %m { vector.transfer_read %x[%n, %n], %zero {in_bounds = [true, true]} : tensor<?x?xf32>, vector<1x4xf32> } : vector<1x4xi1> -> vector<1x4xf32>
  return %r : vector<1x4xf32>
}
