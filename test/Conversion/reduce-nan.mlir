// RUN: symshape-run %s --entry=largest --input=index=0 --input=f32=nan --input=f32=nan | FileCheck %s --check-prefix=NONE
// RUN: symshape-run %s --entry=largest --input=index=5 --input=f32=nan --input=f32=nan | FileCheck %s --check-prefix=NONE
// RUN: symshape-run %s --entry=largest --input=index=133 --input=f32=nan --input=f32=nan | FileCheck %s --check-prefix=NONE
// RUN: symshape-run %s --entry=smallest --input=index=133 --input=f32=nan --input=f32=nan | FileCheck %s --check-prefix=NONE
// RUN: symshape-run %s --entry=largest --input=index=133 --input=f32=-inf --input=f32=nan | FileCheck %s --check-prefix=MINUS
// RUN: symshape-run %s --entry=smallest --input=index=133 --input=f32=inf --input=f32=nan | FileCheck %s --check-prefix=PLUS
// RUN: symshape-run %s --entry=largest --input=index=133 --input=f32=nan --input=f32=-7 | FileCheck %s --check-prefix=START
// RUN: symshape-run %s --entry=smallest --input=index=133 --input=f32=nan --input=f32=-7 | FileCheck %s --check-prefix=START
// RUN: symshape-run %s --entry=largest --input=index=133 --input=f32=-7 --input=f32=nan | FileCheck %s --check-prefix=START

// A largest number where there is none is the NaN that the reduction starts from.
// NONE: f32: nan
// MINUS: f32: -inf
// PLUS: f32: inf
// START: f32: -7

func.func @largest(%n: index, %value: f32, %start: f32) -> tensor<f32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %x = linalg.fill ins(%value : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = tensor.from_elements %start : tensor<f32>
  %r = linalg.reduce { arith.maxnumf } ins(%x : tensor<?xf32>) outs(%s : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}
func.func @smallest(%n: index, %value: f32, %start: f32) -> tensor<f32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %x = linalg.fill ins(%value : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = tensor.from_elements %start : tensor<f32>
  %r = linalg.reduce { arith.minnumf } ins(%x : tensor<?xf32>) outs(%s : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}
