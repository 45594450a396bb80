// RUN: symshape-opt %s --split-input-file --verify-diagnostics --symshape-infer-shapes --symshape-insert-guards

// What slices and reductions need, which upstream ops are: their verifiers see
// static extents, the analysis sees what is declared.

// A slice ends behind its operand.
func.func @slice_limit(%x: tensor<4xf64>) -> tensor<3xf64> {
  // expected-error@+1 {{slice along dimension 0 runs out-of-bounds: 4 >= 4}}
  %r = tensor.extract_slice %x[2] [3] [1] : tensor<4xf64> to tensor<3xf64>
  return %r : tensor<3xf64>
}

// -----

// A slice begins before its operand.
func.func @slice_start(%x: tensor<4xf64>) -> tensor<3xf64> {
  // expected-error@+1 {{expected offsets to be non-negative, but got -1}}
  %r = tensor.extract_slice %x[-1] [3] [1] : tensor<4xf64> to tensor<3xf64>
  return %r : tensor<3xf64>
}

// -----

// With a stride, the last element counts.
func.func @slice_stride(%x: tensor<4xf64>) -> tensor<3xf64> {
  // expected-error@+1 {{slice along dimension 0 runs out-of-bounds: 4 >= 4}}
  %r = tensor.extract_slice %x[0] [3] [2] : tensor<4xf64> to tensor<3xf64>
  return %r : tensor<3xf64>
}

// -----

// For no extent that is declared does the slice fit.
// expected-note@+1 {{declared shape: %a <= 4}}
func.func @slice_of_bounded(%x: tensor<?xf64> {symshape.shape = #symshape.shape<["<= 4"]>}) -> tensor<3xf64> {
  // expected-error@+3 {{requirement can never hold}}
  // expected-note@+2 {{to accept it}}
  // expected-note@+1 {{needed by tensor.extract_slice}}
  %r = tensor.extract_slice %x[2] [3] [1] : tensor<?xf64> to tensor<3xf64>
  return %r : tensor<3xf64>
}

// -----

// An axis that is none.
func.func @reduce_range(%x: tensor<?x?xf64>, %i: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error@+1 {{dimensions for reduction should be in the range [0, 1]}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf64>) outs(%i : tensor<?xf64>) dimensions = [2]
  return %r : tensor<?xf64>
}

// -----

// One axis twice.
func.func @reduce_unique(%x: tensor<?x?xf64>, %i: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error@+1 {{i64 dense array attribute should be in increasing order}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf64>) outs(%i : tensor<?xf64>) dimensions = [1, 1]
  return %r : tensor<?xf64>
}
