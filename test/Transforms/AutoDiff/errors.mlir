// RUN: symshape-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --symshape-vjp="function=f wrt=0"

// One error, although two ops lack a rule.
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: tensor<?xf64>, %n: tensor<?xi32>) -> tensor<?xf64> {
  // expected-error@+3 {{expected a derivative rule on a path that is differentiated, but there is none}}
  // expected-note@+2 {{implement JvpOpInterface and LinearTransposeOpInterface for it, or take it off the path, for example by wrt}}
  // expected-note@+1 {{{primitive = math.fpowi, field = rule, observed = missing}}}
  %0 = math.fpowi %x, %n : tensor<?xf64>, tensor<?xi32>
  %1 = math.fpowi %0, %n : tensor<?xf64>, tensor<?xi32>
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
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: tensor<?xf64>, %z: tensor<f64>) -> tensor<f64> {
  // expected-error@+3 {{'linalg.generic' op expected a derivative rule for this body: elementwise, or a sum, maximum, minimum or product, but there is none}}
  // expected-note@+2 {{split the op, or write its body as one of these}}
  // expected-note@+1 {{{primitive = linalg.generic, field = rule, observed = missing}}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf64>) outs(%z : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.divf %o, %a : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  return %r : tensor<f64>
}

// -----

// Results that depend on what the others hold.
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: tensor<?xf64>, %z: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  // expected-error@+3 {{'linalg.generic' op expected a derivative rule for this body: elementwise, or a sum, maximum, minimum or product, but there is none}}
  // expected-note@+2 {{split the op, or write its body as one of these}}
  // expected-note@+1 {{{primitive = linalg.generic, field = rule, observed = missing}}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf64>) outs(%z, %z : tensor<f64>, tensor<f64>) {
  ^bb0(%a: f64, %m: f64, %o: f64):
    %n = arith.maximumf %m, %a : f64
    %p = arith.mulf %n, %a : f64
    %s = arith.addf %o, %p : f64
    linalg.yield %n, %s : f64, f64
  } -> (tensor<f64>, tensor<f64>)
  return %r#0, %r#1 : tensor<f64>, tensor<f64>
}

// -----

// A tensor that a branch of the body reads: the message names it.
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: tensor<?xf64>, %i: tensor<?xindex>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %n = tensor.dim %i, %c0 : tensor<?xindex>
  %e = tensor.empty(%n) : tensor<?xf64>
  // expected-error@+3 {{'linalg.generic' op expected a derivative rule for a body that uses argument #0 from outside in 'scf.if', but there is none}}
  // expected-note@+2 {{read it by tensor.extract, outside of branches and loops, or make it an operand}}
  // expected-note@+1 {{{primitive = linalg.generic, field = rule, observed = missing}}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<?xindex>) outs(%e : tensor<?xf64>) {
  ^bb0(%a: index, %o: f64):
    %p = arith.cmpi slt, %a, %n : index
    %v = scf.if %p -> f64 {
      %y = tensor.extract %x[%a] : tensor<?xf64>
      scf.yield %y : f64
    } else {
      scf.yield %zero : f64
    }
    linalg.yield %v : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// No silent zero: floats pass through a complex number, ...
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: f64) -> f64 {
  // expected-error@+3 {{'complex.create' op expected a derivative rule on a path that is differentiated, but there is none}}
  // expected-note@+2 {{implement JvpOpInterface and LinearTransposeOpInterface for it, or take it off the path, for example by wrt}}
  // expected-note@+1 {{{primitive = complex.create, field = rule, observed = missing}}}
  %z = complex.create %x, %x : complex<f64>
  %y = complex.re %z : complex<f64>
  return %y : f64
}

// -----

// ... a vector, ...
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: f64) -> f64 {
  // expected-error@+3 {{'vector.broadcast' op expected a derivative rule on a path that is differentiated, but there is none}}
  // expected-note@+2 {{implement JvpOpInterface}}
  // expected-note@+1 {{{primitive = vector.broadcast, field = rule, observed = missing}}}
  %v = vector.broadcast %x : f64 to vector<4xf64>
  %y = vector.extract %v[0] : f64 from vector<4xf64>
  return %y : f64
}

// -----

// ... a tensor of unknown rank, by an op that has a rule for others, ...
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error@+3 {{'tensor.cast' op expected a derivative rule on a path that is differentiated, but there is none}}
  // expected-note@+2 {{implement JvpOpInterface}}
  // expected-note@+1 {{{primitive = tensor.cast, field = rule, observed = missing}}}
  %z = tensor.cast %x : tensor<?xf64> to tensor<*xf64>
  %y = tensor.cast %z : tensor<*xf64> to tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// ... or a buffer.
func.func @f(%x: f64) -> f64 {
  // expected-error@+2 {{'memref.alloc' op expected field 'type' to be a tensor: differentiate before bufferisation, but got memref<f64>}}
  // expected-note@+1 {{{primitive = memref.alloc, field = type, observed = memref<f64>}}}
  %m = memref.alloc() : memref<f64>
  memref.store %x, %m[] : memref<f64>
  %y = memref.load %m[] : memref<f64>
  return %y : f64
}

// -----

// A call of what has no body.
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: f64) -> f64 {
  // expected-error@+3 {{'func.call' op expected a derivative rule on a path that is differentiated, but there is none}}
  // expected-note@+2 {{implement JvpOpInterface}}
  // expected-note@+1 {{{primitive = func.call, field = rule, observed = missing}}}
  %y = call @g(%x) : (f64) -> f64
  return %y : f64
}
func.func private @g(f64) -> f64

// -----

// Out-of-range and repeated indices are undefined upstream.
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: tensor<4xf64>, %i: tensor<3x1xindex>) -> tensor<3xf64> {
  // expected-error@+3 {{'tensor.gather' op expected a derivative rule on a path that is differentiated, but there is none}}
  // expected-note@+2 {{implement JvpOpInterface}}
  // expected-note@+1 {{{primitive = tensor.gather, field = rule, observed = missing}}}
  %y = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf64>, tensor<3x1xindex>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

// -----

// expected-error@+2 {{'func.func' op expected field 'element_type' of argument #0 to be a float to differentiate, but got index}}
// expected-note@+1 {{{primitive = func.func, field = element_type, observed = index}}}
func.func @f(%n: index, %x: f64) -> f64 {
  return %x : f64
}

// -----

// Several iterations write one element, and the last one wins.
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error@+3 {{expected a derivative rule for this body: elementwise, or a sum, maximum, minimum or product, but there is none}}
  // expected-note@+2 {{split the op, or write its body as one of these}}
  // expected-note@+1 {{{primitive = linalg.generic, field = rule, observed = missing}}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %o: f64):
    %v = math.sin %a : f64
    linalg.yield %v : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// Maxima of windows of the result.
// expected-note@+1 {{a derivative of this function was asked for}}
func.func @f(%x: tensor<?xf64>, %k: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error@+3 {{expected a derivative rule for this body: elementwise, or a sum, maximum, minimum or product, but there is none}}
  // expected-note@+2 {{split the op, or write its body as one of these}}
  // expected-note@+1 {{{primitive = linalg.generic, field = rule, observed = missing}}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i + j)>], iterator_types = ["reduction", "reduction"]}
      ins(%x, %k : tensor<?xf64>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %p = arith.mulf %a, %b : f64
    %v = arith.maximumf %o, %p : f64
    linalg.yield %v : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// A callee that cannot be inlined into one block.
func.func @f(%x: tensor<4xf64>, %c: i1) -> tensor<4xf64> {
  %0 = func.call @branches(%x, %c) : (tensor<4xf64>, i1) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// expected-error@+1 {{expected a body of one block to differentiate}}
func.func private @branches(%x: tensor<4xf64>, %c: i1) -> tensor<4xf64> {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : tensor<4xf64>
^b:
  return %x : tensor<4xf64>
}

// -----

// expected-error@+2 {{expected field 'type' to be without an encoding, but got tensor<4xf64, "foo">}}
// expected-note@+1 {{{primitive = func.func, field = type, observed = tensor<4xf64, "foo">}}}
func.func @f(%x: tensor<4xf64, "foo">) -> tensor<4xf64> {
  %0 = tensor.cast %x : tensor<4xf64, "foo"> to tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error@+2 {{expected field 'type' to be without an encoding, but got tensor<4xf64, "foo">}}
  // expected-note@+1 {{{primitive = foreign.op, field = type, observed = tensor<4xf64, "foo">}}}
  %0 = "foreign.op"() : () -> tensor<4xf64, "foo">
  return %x : tensor<4xf64>
}

// -----

// In a callee.
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = func.call @encodes(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
func.func private @encodes(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error@+2 {{expected field 'type' to be without an encoding, but got tensor<4xf64, "foo">}}
  // expected-note@+1 {{{primitive = tensor.cast, field = type, observed = tensor<4xf64, "foo">}}}
  %0 = tensor.cast %x : tensor<4xf64> to tensor<4xf64, "foo">
  %1 = tensor.cast %0 : tensor<4xf64, "foo"> to tensor<4xf64>
  return %1 : tensor<4xf64>
}

// -----

// expected-error@+1 {{expected a body that ends with func.return to differentiate}}
func.func @f(%x: f64) -> f64 {
  "foreign.return"(%x) : (f64) -> ()
}

// -----

// Must not fire: a width that is a constant makes an extent static.
func.func @f(%x: tensor<?x64xf64>) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %c4 = arith.constant 4 : index
  %0 = tensor.pad %x low[0, %c4] high[1, %c4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f64
  } : tensor<?x64xf64> to tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}
