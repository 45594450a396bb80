// RUN: symshape-opt %s --symshape-inline-single-calls --allow-unregistered-dialect --split-input-file | FileCheck %s

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

// -----

// An unregistered op in a module inside.
// CHECK-LABEL: func.func private @once(
// CHECK:       call @once(
module {
  module @inner {
    "foo.region"() ({ "foo.yield"() : () -> () }) : () -> ()
  }
  func.func private @once(%x: index) -> index {
    return %x : index
  }
  func.func @calls(%x: index) -> index {
    %0 = call @once(%x) : (index) -> index
    return %0 : index
  }
}
