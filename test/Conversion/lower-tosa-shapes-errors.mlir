// RUN: symshape-opt %s --symshape-lower-tosa --split-input-file --verify-diagnostics

// Negative: shapes that come from elsewhere.
// expected-error@+1 {{expected shapes to be computed where they are used, but 'func.func' carries one}}
func.func @taken(%s: !tosa.shape<2>, %x: tensor<?xf32>) -> (!tosa.shape<2>, tensor<?xf32>) {
  %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
  return %s, %0 : !tosa.shape<2>, tensor<?xf32>
}

// -----

func.func private @shape_of(%x: tensor<?xf32>) -> !tosa.shape<1> {
  %0 = tosa.dim %x {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  return %0 : !tosa.shape<1>
}
func.func @called(%x: tensor<?xf32>) -> !tosa.shape<1> {
  // expected-error@+1 {{expected shapes to be computed where they are used, but 'func.call' carries one}}
  %0 = call @shape_of(%x) : (tensor<?xf32>) -> !tosa.shape<1>
  return %0 : !tosa.shape<1>
}

// -----

func.func @chosen(%c: i1, %x: tensor<?x?xf32>) -> !tosa.shape<1> {
  // expected-error@+1 {{expected shapes to be computed where they are used, but 'scf.if' carries one}}
  %r = scf.if %c -> !tosa.shape<1> {
    %0 = tosa.dim %x {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
    scf.yield %0 : !tosa.shape<1>
  } else {
    %0 = tosa.dim %x {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
    scf.yield %0 : !tosa.shape<1>
  }
  return %r : !tosa.shape<1>
}

// -----

// Negative: what is not computed is not given either.
func.func @sliced(%start: tensor<1xi32>) -> !tosa.shape<1> {
  // expected-error@+1 {{expected an op that symshape can lower, but got 'tosa.const_shape'}}
  %0 = tosa.const_shape {values = dense<[7, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = "tosa.const"() {values = dense<1> : tensor<1xi32>} : () -> tensor<1xi32>
  // expected-error@+1 {{expected an op that symshape can lower, but got 'tosa.slice_shape'}}
  %1 = tosa.slice_shape %0, %start, %size : (!tosa.shape<2>, tensor<1xi32>, tensor<1xi32>) -> !tosa.shape<1>
  return %1 : !tosa.shape<1>
}
