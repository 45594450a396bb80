// What our passes count; check_statistics.py has bounds for what they ask.

// RUN: symshape-opt %s --symshape-insert-guards --symshape-infer-shapes --symshape-discharge --mlir-pass-statistics -o /dev/null 2> %t
// RUN: FileCheck %s < %t
// RUN: %python %S/check_statistics.py %t
// CHECK:      symshape-discharge
// CHECK-NEXT:   (S) {{[0-9]+}} num-asked
// CHECK-NEXT:   (S) 1 num-asserts
// CHECK-NEXT:   (S) {{[0-9]+}} num-new
// CHECK-NEXT:   (S) 0 num-reshapes
// CHECK-NEXT:   (S) {{[0-9]+}} num-scalars
// CHECK-NEXT: symshape-infer-shapes
// CHECK-NEXT:   (S) {{[0-9]+}} num-asked
// CHECK-NEXT:   (S) {{[0-9]+}} num-new
// CHECK-NEXT:   (S) 2 num-refined
// CHECK-NEXT: symshape-insert-guards
// CHECK-NEXT:   (S) {{[0-9]+}} num-asked
// CHECK-NEXT:   (S) 0 num-checks
// CHECK-NEXT:   (S) {{[0-9]+}} num-guards
// CHECK-NEXT:   (S) {{[0-9]+}} num-new
// CHECK-NEXT:   (S) {{[0-9]+}} num-proved

// Without the option nothing is printed.
// RUN: symshape-opt %s --symshape-discharge -o /dev/null 2>&1 | count 0

func.func @f(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %b: tensor<?xf32>, %c: tensor<4xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  symshape.assert "n <= 2 * n" (n = %n), "twice is no less"
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %four = tensor.cast %c : tensor<4xf32> to tensor<?xf32>
  %m = tensor.dim %four, %c0 : tensor<?xf32>
  %x = tensor.empty(%m) : tensor<?xf32>
  %s = linalg.exp ins(%four : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}
