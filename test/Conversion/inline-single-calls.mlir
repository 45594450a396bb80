// RUN: symshape-opt %s --symshape-inline-single-calls | FileCheck %s

// CHECK-NOT:  @called_once
func.func private @called_once(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Must not fire: two calls would be two copies.
// CHECK:      func.func private @called_twice
func.func private @called_twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Must not fire: a public function stays, called or not.
// CHECK:      func.func @public
func.func @public(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// Must not fire: asked not to.
// CHECK:      func.func private @kept
func.func private @kept(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  return %x : tensor<?xf32>
}

// CHECK:      func.func @main(%[[X:.*]]: tensor<?xf32>)
// CHECK:        %[[E:.*]] = math.exp %[[X]]
// CHECK:        %[[A:.*]] = call @called_twice(%[[E]])
// CHECK:        %[[B:.*]] = call @called_twice(%[[A]])
// CHECK:        %[[C:.*]] = call @public(%[[B]])
// CHECK:        call @kept(%[[C]])
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @called_once(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @called_twice(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = call @called_twice(%1) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = call @public(%2) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = call @kept(%3) : (tensor<?xf32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}
