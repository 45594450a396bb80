// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes="annotate assume-no-wrap" | FileCheck %s --check-prefix=INTEGERS

// Only as asked: a + 1 may wrap, and then a is the larger of the two.
// CHECK-LABEL:    func.func @larger(
// CHECK:            tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
// INTEGERS-LABEL: func.func @larger(
// INTEGERS:         tensor.empty() {symshape.extents = [#symshape.shape<[1]>]}
func.func @larger(%a: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %b = arith.addi %a, %c1 : index
  %m = arith.maxsi %a, %b : index
  %n = arith.subi %m, %a : index
  %t = tensor.empty(%n) : tensor<?xf32>
  return %t : tensor<?xf32>
}

// What wraps twice is back where it was, whether it is asked or not.
// CHECK-LABEL:    func.func @one_more(
// CHECK:            tensor.empty() {symshape.extents = [#symshape.shape<[1]>]}
// INTEGERS-LABEL: func.func @one_more(
// INTEGERS:         tensor.empty() {symshape.extents = [#symshape.shape<[1]>]}
func.func @one_more(%a: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %b = arith.addi %a, %c1 : index
  %n = arith.subi %b, %a : index
  %t = tensor.empty(%n) : tensor<?xf32>
  return %t : tensor<?xf32>
}
