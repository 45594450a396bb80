// RUN: symshape-opt %s --symshape-inline-single-calls --allow-unregistered-dialect | FileCheck %s

// Must not fire: what an op that nobody knows refers to is not known, and
// upstream's inliner crashes on it.
// CHECK: call @called_once
func.func private @called_once(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  "unknown.region"() ({
    "unknown.end"() : () -> ()
  }) : () -> ()
  %0 = call @called_once(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
