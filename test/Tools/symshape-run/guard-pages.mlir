// Everything beside inaccessible pages: right programs are unharmed, wrong ones
// are found.

// RUN: symshape-run %s --entry=good --input=3xf32=iota --guard-pages | FileCheck %s --check-prefix=GOOD
// RUN: symshape-run %s --entry=good --input=0xf32=iota --guard-pages | FileCheck %s --check-prefix=EMPTY
// RUN: sh -c "symshape-run %s --entry=outside --input=3xf32=iota --input=index=3 --guards=off --guard-pages; echo exit $?" 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: sh -c "symshape-run %s --entry=outside --input=3xf32=iota --input=index=-1 --guards=off --guard-pages; echo exit $?" 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: sh -c "symshape-run %s --entry=unwritten --guard-pages; echo exit $?" 2>&1 | FileCheck %s --check-prefix=UNWRITTEN

// GOOD: {{^}}3xf32: [0, 2, 4]
// EMPTY: {{^}}0xf32: []
func.func @good(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// OUTSIDE: error: internal error:
// OUTSIDE-NEXT: exit 70
func.func @outside(%x: tensor<?xf32>, %i: index) -> f32 {
  %y = tensor.extract %x[%i] : tensor<?xf32>
  return %y : f32
}

// UNWRITTEN: error: internal error: result #0 depends on where its memory lies
// UNWRITTEN-NEXT: exit 70
func.func @unwritten() -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  return %e : tensor<4xf32>
}
