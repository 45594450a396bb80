// RUN: symshape-opt %s --symshape-infer-shapes=report-unknown --verify-diagnostics

func.func private @no_body(tensor<?xf32>) -> tensor<?xf32>

// Positive: each unknown extent with its reason and the line that names it; no
// two lines give the same name, nor one that exists.
func.func @all(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[U1]>}, %s: tensor<index>, %u: tensor<*xf32>) {
  %k = tensor.extract %s[] : tensor<index>
  // expected-remark@+2 {{extent of dim 0 of result #0 is unknown: it depends on the value of argument #1, which has no name}}
  // expected-note@+1 {{[U0, 3]}}
  %0 = tensor.empty(%k) : tensor<?x3xf32>
  // expected-remark@+2 {{extent of dim 0 of result #0 is unknown: the rule of 'tensor.cast' does not give it}}
  // expected-note@+1 {{[U2]}}
  %1 = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
  // expected-remark@+2 {{extent of dim 0 of result #0 is unknown: @no_body has no body and does not declare it}}
  // expected-note@+1 {{[U3]}}
  %2 = call @no_body(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// Must not fire: extents that are constants, or have names.
func.func @known(%x: tensor<?x4xf32>, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %1 = tensor.concat dim(0) %y, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}

// Must not fire: behind the line that the remark says to write. Positive: before
// it.
func.func @named(%s: tensor<index>) {
  %k = tensor.extract %s[] : tensor<index>
  // expected-remark@+2 {{extent of dim 0 of result #0 is unknown}}
  // expected-note@+1 {{[U1]}}
  %0 = tensor.empty(%k) : tensor<?xf32>
  %1 = symshape.bind_shape %0 [U0] : tensor<?xf32>
  %2 = tensor.concat dim(0) %1, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}
