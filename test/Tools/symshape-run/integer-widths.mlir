// Integers of 4 and 48 bits come and go as ones of 8 and 64.

// RUN: symshape-run %s --entry=sums --input=3xi48=random:1:140737488355327:140737488355328 --input=3xi64=iota --input=i4=7 | FileCheck %s --check-prefix=SUMS
// SUMS:      {{^}}3xi64: [140737488355327, -140737488355328, -140737488355327]
// SUMS-NEXT: {{^}}3xi64: [140737488355327, 140737488355328, 140737488355329]
// SUMS-NEXT: {{^}}i8: -8
// RUN: symshape-run %s --entry=sums --input=0xi48=iota --input=0xi48=iota --input=i8=-8 | FileCheck %s --check-prefix=EMPTY
// EMPTY:      {{^}}0xi64: []
// EMPTY-NEXT: {{^}}0xi64: []
// EMPTY-NEXT: {{^}}i8: -7
func.func @sums(%x: tensor<?xi48>, %y: tensor<?xi48>, %z: i4) -> (tensor<?xi48>, tensor<?xi64>, i4) {
  %c = arith.constant 1 : i4
  %r = arith.addi %x, %y : tensor<?xi48>
  %u = arith.extui %r : tensor<?xi48> to tensor<?xi64>
  %s = arith.addi %z, %c : i4
  return %r, %u, %s : tensor<?xi48>, tensor<?xi64>, i4
}

// What the types do not have is refused, and is no number without a sign.
// RUN: sh -c "symshape-run %s --entry=sums --input=3xi48=random:1:140737488355328:140737488355329 --input=3xi48=iota --input=i4=8; echo exit $?" 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE:      error: @sums: expected values of tensor<?xi48> for %x, but got 140737488355328
// RANGE-NEXT: error: @sums: expected values of i4 for %z, but got 8
// RANGE-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=sums --input=3xui64=iota --input=3xi32=iota --input=ui8=1; echo exit $?" 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES:      error: @sums: expected ?xi64 for %x, but got 3xui64
// TYPES-NEXT: error: @sums: expected ?xi64 for %y, but got 3xi32
// TYPES-NEXT: error: @sums: expected i8 for %z, but got ui8
// TYPES-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=unsigned --input=3xui8=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED:      error: @unsigned: expected %x to be a ranked tensor or a scalar of type i1 to i64, {{.*}}, but got tensor<?xi4> without a sign
// UNSIGNED-NEXT: exit 1
func.func @unsigned(%x: tensor<?xi4> {symshape.unsigned}) -> tensor<?xi4> {
  return %x : tensor<?xi4>
}
