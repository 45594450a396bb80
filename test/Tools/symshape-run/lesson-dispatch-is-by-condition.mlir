// The version that serves a call does not depend on the order in which versions are
// declared, nor on the calls before it: the most specific one serves it.

// RUN: printf '1xf32=iota\n32xf32=iota\n48xf32=iota\n5xf32=iota\n100xf32=iota\n32xf32=iota\n1xf32=iota\n' > %t.calls
// RUN: symshape-run %s --calls=%t.calls --verbose 2>&1 > /dev/null | FileCheck %s
// RUN: symshape-run %s --entry=reversed --calls=%t.calls --verbose 2>&1 > /dev/null | FileCheck %s
// CHECK: call 0: version one,
// CHECK: call 1: version exact,
// CHECK: call 2: version tiles,
// CHECK: call 3: version few,
// CHECK: call 4: version default,
// CHECK: call 5: version exact,
// CHECK: call 6: version one,

func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32>
    attributes {symshape.versions = [#symshape.version<"one", ["L == 1"]>, #symshape.version<"few", ["L <= 8"]>,
                                     #symshape.version<"exact", ["L == 32"]>, #symshape.version<"tiles", ["16 | L"]>]} {
  %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @reversed(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32>
    attributes {symshape.versions = [#symshape.version<"tiles", ["16 | L"]>, #symshape.version<"exact", ["L == 32"]>,
                                     #symshape.version<"few", ["L <= 8"]>, #symshape.version<"one", ["L == 1"]>]} {
  %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
