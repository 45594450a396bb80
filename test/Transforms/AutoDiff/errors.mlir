// RUN: symshape-opt %s --split-input-file --verify-diagnostics --symshape-vjp="function=f wrt=0"

// One error, although two ops lack a rule.
func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error@+3 {{expected a derivative rule on a path that is differentiated, but there is none}}
  // expected-note@+2 {{implement JvpOpInterface and LinearTransposeOpInterface for it, or take it off the path, for example by wrt}}
  // expected-note@+1 {{{primitive = math.atan, field = rule, observed = missing}}}
  %0 = math.atan %x : tensor<?xf64>
  %1 = math.tan %0 : tensor<?xf64>
  return %1 : tensor<?xf64>
}

// -----

// expected-error@+2 {{expected field 'element_type' of argument #0 to be a float to differentiate, but got i64}}
// expected-note@+1 {{{primitive = func.func, field = element_type, observed = i64}}}
func.func @f(%x: tensor<?xi64>) -> tensor<?xi64> {
  return %x : tensor<?xi64>
}

// -----

// expected-error@+2 {{expected field 'type' to be a tensor: differentiate before bufferisation, but got memref<?xf64>}}
// expected-note@+1 {{{primitive = func.func, field = type, observed = memref<?xf64>}}}
func.func @f(%x: f64, %m: memref<?xf64>) -> f64 {
  return %x : f64
}

// -----

// expected-error@+1 {{expected no function @f.fwd, which is to be added}}
func.func @f(%x: f64) -> f64 {
  return %x : f64
}
func.func private @f.fwd(f64) -> f64

// -----

// expected-error@+1 {{expected a function @f with a body, but there is none}}
module {
  func.func private @f(f64) -> f64
}

// -----

// expected-error@+1 {{expected calls without recursion to differentiate}}
func.func @f(%x: f64) -> f64 {
  %0 = call @f(%x) : (f64) -> f64
  return %0 : f64
}

// -----

// A body that is no sum, maximum, minimum or product.
func.func @f(%x: tensor<?xf64>, %z: tensor<f64>) -> tensor<f64> {
  // expected-error@+2 {{expected field 'rule' to exist for this body}}
  // expected-note@+1 {{{primitive = linalg.generic, field = rule, observed = missing}}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf64>) outs(%z : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.divf %o, %a : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  return %r : tensor<f64>
}
