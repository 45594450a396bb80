// RUN: symshape-opt %s --symshape-insert-guards | FileCheck %s

// Squares of squares: ends of ranges and moduli stay short.

// CHECK-LABEL: func.func @squares
func.func @squares(%t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %v0 = tensor.dim %t, %c0 : tensor<?xf32>
  %v1 = arith.muli %v0, %v0 : index
  %v2 = arith.muli %v1, %v1 : index
  %v3 = arith.muli %v2, %v2 : index
  %v4 = arith.muli %v3, %v3 : index
  %v5 = arith.muli %v4, %v4 : index
  %v6 = arith.muli %v5, %v5 : index
  %v7 = arith.muli %v6, %v6 : index
  %v8 = arith.muli %v7, %v7 : index
  %v9 = arith.muli %v8, %v8 : index
  %v10 = arith.muli %v9, %v9 : index
  %v11 = arith.muli %v10, %v10 : index
  %v12 = arith.muli %v11, %v11 : index
  // CHECK: tensor.empty
  %r = tensor.empty(%v12) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @even_squares
func.func @even_squares(%n: index) -> index {
  %v0 = symshape.assume %n ["2 | n"] (n) : index
  %v1 = arith.muli %v0, %v0 : index
  %v2 = symshape.assume %v1 ["2 | n"] (n) : index
  %v3 = arith.muli %v2, %v2 : index
  %v4 = symshape.assume %v3 ["2 | n"] (n) : index
  %v5 = arith.muli %v4, %v4 : index
  %v6 = symshape.assume %v5 ["2 | n"] (n) : index
  %v7 = arith.muli %v6, %v6 : index
  %v8 = symshape.assume %v7 ["2 | n"] (n) : index
  %v9 = arith.muli %v8, %v8 : index
  %v10 = symshape.assume %v9 ["2 | n"] (n) : index
  %v11 = arith.muli %v10, %v10 : index
  %v12 = symshape.assume %v11 ["2 | n"] (n) : index
  %v13 = arith.muli %v12, %v12 : index
  %v14 = symshape.assume %v13 ["2 | n"] (n) : index
  %v15 = arith.muli %v14, %v14 : index
  %v16 = symshape.assume %v15 ["2 | n"] (n) : index
  %v17 = arith.muli %v16, %v16 : index
  %v18 = symshape.assume %v17 ["2 | n"] (n) : index
  %v19 = arith.muli %v18, %v18 : index
  %v20 = symshape.assume %v19 ["2 | n"] (n) : index
  %v21 = arith.muli %v20, %v20 : index
  // CHECK: return
  return %v21 : index
}
