// RUN: symshape-report %s | FileCheck %s
// RUN: symshape-report %s --format=json | FileCheck %s --check-prefix=JSON

// Positive: what depends on data is a check, with all that need it, and what is
// proved at once says from which facts: those that are declared, and checks
// that come before.
// CHECK:        check: %n must be at least 0
// CHECK-NEXT:     needed by tensor.extract_slice at {{.*}}:[[#@LINE+23]]:8 (size of dimension 0)
// CHECK-NEXT:     needed by tensor.extract_slice at {{.*}}:[[#@LINE+23]]:8 (size of dimension 0)
// CHECK-NEXT:     before {{[^(]*$}}
// CHECK:        check: %n must be at most extent of %x dim 0 (L)
// CHECK:        holds: N <= L
// CHECK-NEXT:     needed by tensor.extract_slice at {{.*}} (slice of dimension 0)
// CHECK-NEXT:     implied by 2*N <= L
// CHECK:        {{[0-9]+}} other requirements hold by types and ranges alone
// JSON:         "proved": [
// JSON:             "formula": "N <= L"
// JSON-NEXT:        "impliedBy": [
// JSON-NEXT:          "2*N <= L"
// JSON-NEXT:        ],
// JSON-NEXT:        "ops": [
// JSON:             "ranges": [
// JSON:               "0 <= N"
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>},
                %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
    attributes {symshape.assume = [#symshape.fact<"2*N <= L">]} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %a = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %b = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %c = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
