// RUN: symshape-opt %s --split-input-file --verify-diagnostics

// Malformed text: one error, at the character where reading failed.

// expected-error@+1 {{expected}}
func.func private @malformed_extent(tensor<?xf32> {symshape.shape = #symshape.shape<[B +]>})

// -----

// expected-error@+1 {{expected an expression}}
func.func private @empty_extent(tensor<?xf32> {symshape.shape = #symshape.shape<[B, ]>})

// -----

// expected-error@+1 {{expected}}
func.func private @malformed_quoted_extent(tensor<?xf32> {symshape.shape = #symshape.shape<["2 **"]>})

// -----

// expected-error@+1 {{expected}}
func.func private @malformed_fact() attributes {symshape.assume = [#symshape.fact<"2 <">]}

// -----

// expected-error@+1 {{expected}}
func.func private @fact_without_relation() attributes {symshape.assume = [#symshape.fact<"2 + 2">]}

// -----

// expected-error@+1 {{expected an operator or end of text, but got 'or'}}
func.func private @fact_of_mixed_parts() attributes {symshape.assume = [#symshape.fact<"2 == 2 and 1 == 1 or 3 == 3">]}

// -----

// expected-error@+1 {{expected a relation in the condition of version 'v', but got 'L == 1 or L == 2'}}
#version = #symshape.version<"v", ["L == 1 or L == 2"]>

// -----

// expected-error@+1 {{expected the name of a symbol, but got '2'}}
func.func private @symbol_name() attributes {symshape.symbols = [#symshape.symbol<"2">]}

// -----

// expected-error@+1 {{expected range, multiple_of, residue, policy or likely, but got 'size'}}
func.func private @symbol_field() attributes {symshape.symbols = [#symshape.symbol<"B", size = 2>]}

// -----

// expected-error@+1 {{expected 'residue' once}}
func.func private @residue_twice() attributes {symshape.symbols = [#symshape.symbol<"B", multiple_of = 2, residue = [0, 2]>]}

// -----

// expected-error@+1 {{expected a range with min <= max, but got [5, 3]}}
func.func private @empty_range() attributes {symshape.symbols = [#symshape.symbol<"B", range = [5, 3]>]}

// -----

// expected-error@+1 {{expected a lower end that is an integer or -inf, but got inf}}
func.func private @lower_inf() attributes {symshape.symbols = [#symshape.symbol<"B", range = [inf, 3]>]}

// -----

// expected-error@+1 {{expected a value that is 0 mod 8 in the range, but got [1, 7]}}
func.func private @no_member() attributes {symshape.symbols = [#symshape.symbol<"B", range = [1, 7], multiple_of = 8>]}

// -----

// expected-error@+1 {{expected a modulus of at least 1, but got 0}}
func.func private @modulus_zero() attributes {symshape.symbols = [#symshape.symbol<"B", multiple_of = 0>]}

// -----

// expected-error@+1 {{expected auto, dynamic or static, but got 'fixed'}}
func.func private @policy() attributes {symshape.symbols = [#symshape.symbol<"B", policy = fixed>]}

// -----

// expected-error@+1 {{expected likely values in the range and residue of 'B', but got 9}}
func.func private @likely() attributes {symshape.symbols = [#symshape.symbol<"B", range = [0, 8], likely = [8, 9]>]}

// -----

// expected-error@+1 {{expected symbol 'B' to be declared once}}
func.func private @declared_twice() attributes {symshape.symbols = [#symshape.symbol<"B">, #symshape.symbol<"B">]}

// -----

// expected-error@+1 {{expected the range of 'B', which names a dimension, to hold a value >= 0}}
func.func private @negative_dim(tensor<?xf32> {symshape.shape = #symshape.shape<[B]>})
    attributes {symshape.symbols = [#symshape.symbol<"B", range = [-4, -1]>]}

// -----

// expected-error@+1 {{expected a symbol of the signature (L), but got unknown symbol 'M' in fact 'L <= M'}}
func.func private @unknown_symbol(tensor<?xf32> {symshape.shape = #symshape.shape<[L]>})
    attributes {symshape.assume = [#symshape.fact<"L <= M">]}

// -----

// expected-error@+1 {{argument #0: expected a shape of rank 1 for type 'tensor<?xf32>', but got rank 2}}
func.func private @wrong_rank(tensor<?xf32> {symshape.shape = #symshape.shape<[B, L]>})

// -----

// expected-error@+1 {{result #0: expected dimension 1 to have the extent 4 of type 'tensor<?x4xf32>', but got 5}}
func.func private @static_dim() -> (tensor<?x4xf32> {symshape.shape = #symshape.shape<[B, 5]>})

// -----

// expected-error@+1 {{argument #0: expected dimension 0 to have the extent 4 of type 'tensor<4xf32>', but got <= 3}}
func.func private @bound_of_static_dim(tensor<4xf32> {symshape.shape = #symshape.shape<["<= 3"]>})

// -----

// expected-error@+1 {{argument #0: expected the extent of dimension 0 to be at least 0, but got -1}}
func.func private @negative_extent(tensor<?xf32> {symshape.shape = #symshape.shape<[B - B - 1]>})

// -----

// expected-error@+1 {{argument #0: expected a ranked tensor or memref to carry a shape, but got 'f32'}}
func.func private @shape_of_scalar(f32 {symshape.shape = #symshape.shape<[]>})

// -----

// expected-error@+1 {{argument #0: expected 'symshape.weight' to be a string, but got 1}}
func.func private @weight(tensor<?xf32> {symshape.weight = 1})

// -----

// expected-error@+1 {{argument #0: expected 'symshape.shape' to be a #symshape.shape, but got "B"}}
func.func private @shape_is_string(tensor<?xf32> {symshape.shape = "B"})

// -----

// expected-error@+1 {{expected 'symshape.symbols' to be an array of #symshape.symbol}}
func.func private @symbols_is_string() attributes {symshape.symbols = "B"}

// -----

func.func @extents_count(%n: index) {
  // expected-error@+1 {{expected 'symshape.extents' to hold one shape per result (1), but got 0}}
  %0 = tensor.empty(%n) {symshape.extents = []} : tensor<?xf32>
  return
}

// -----

func.func @extents_rank(%n: index) {
  // expected-error@+1 {{'symshape.extents': expected a shape of rank 1}}
  %0 = tensor.empty(%n) {symshape.extents = [#symshape.shape<[B, L]>]} : tensor<?xf32>
  return
}

// -----

func.func @symbols_on_op(%n: index) {
  // expected-error@+1 {{expected 'symshape.symbols' on a function}}
  %0 = tensor.empty(%n) {symshape.symbols = []} : tensor<?xf32>
  return
}

// -----

// expected-error@+1 {{expected the name of a version to be an identifier, but got '2nd'}}
func.func private @version_name() attributes {symshape.versions = [#symshape.version<"2nd", ["L == 1"]>]}

// -----

// expected-error@+1 {{expected a name of a version that is not taken, but got 'default'}}
func.func private @version_taken() attributes {symshape.versions = [#symshape.version<"default", ["L == 1"]>]}

// -----

// expected-error@+1 {{expected a condition of version 'v', but got none}}
func.func private @version_empty() attributes {symshape.versions = [#symshape.version<"v", []>]}

// -----

// expected-error@+1 {{expected 'symshape.versions' to be an array of #symshape.version, but got "v"}}
func.func private @versions_is_string() attributes {symshape.versions = "v"}

// -----

// expected-error@+1 {{expected version 'v' to be declared once}}
func.func private @versions_twice(tensor<?xf32> {symshape.shape = #symshape.shape<[L]>})
    attributes {symshape.versions = [#symshape.version<"v", ["L == 1"]>, #symshape.version<"v", ["L == 2"]>]}

// -----

// expected-error@+1 {{expected a symbol of the signature (L), but got unknown symbol 'M' in condition 'M == 1'}}
func.func private @versions_unknown(tensor<?xf32> {symshape.shape = #symshape.shape<[L]>})
    attributes {symshape.versions = [#symshape.version<"v", ["M == 1"]>]}

// -----

// expected-error@+1 {{expected 'symshape.version_names' to be an array of strings, but got ["v", 2]}}
func.func private @version_names_number() attributes {symshape.version_names = ["v", 2]}

// -----

// expected-error@+1 {{expected 'symshape.version_names' on a function}}
module attributes {symshape.version_names = ["v"]} {
}

// -----

// A name that the dialect does not know is an error: its facts would be checked by nobody.

// expected-error@+1 {{unknown attribute 'symshape.symbol'; did you mean 'symshape.symbols'?}}
func.func private @unknown_of_function() attributes {symshape.symbol = [#symshape.symbol<"B", range = [5, 3000]>]}

// -----

// expected-error@+1 {{argument #1: unknown attribute 'symshape.shpae'; did you mean 'symshape.shape'?}}
func.func private @unknown_of_argument(f32, tensor<?xf32> {symshape.shpae = #symshape.shape<[B]>})

// -----

// expected-error@+1 {{argument #0: unknown attribute 'symshape.wieght'; did you mean 'symshape.weight'?}}
func.func private @unknown_weight(tensor<?xf32> {symshape.wieght = "w"})

// -----

// expected-error@+1 {{result #0: unknown attribute 'symshape.Shape'; did you mean 'symshape.shape'?}}
func.func private @unknown_of_result() -> (tensor<?xf32> {symshape.Shape = #symshape.shape<[B]>})

// -----

func.func @unknown_of_op(%a: f32) -> f32 {
  // expected-error@+1 {{unknown attribute 'symshape.extent'; did you mean 'symshape.extents'?}}
  %r = arith.negf %a {symshape.extent = [#symshape.shape<[]>]} : f32
  return %r : f32
}

// -----

// expected-error@+1 {{unknown attribute 'symshape.layout'}}
module attributes {symshape.layout = 1} {}

// -----

func.func @unknown_of_branch(%c: i1) {
  // expected-error@+1 {{unknown attribute 'symshape.assumes'; did you mean 'symshape.assume'?}}
  "scf.if"(%c) ({ scf.yield }, {}) {symshape.assumes = []} : (i1) -> ()
  return
}

// -----

// A name at a place where nothing reads it.

// expected-error@+1 {{argument #0: unexpected attribute 'symshape.versions', which belongs on a function}}
func.func private @versions_of_argument(tensor<?xf32> {symshape.versions = []})

// -----

// expected-error@+1 {{result #0: unexpected attribute 'symshape.weight', which belongs on an argument of a function}}
func.func private @weight_of_result() -> (tensor<?xf32> {symshape.weight = "w"})

// -----

// expected-error@+1 {{expected 'symshape.weight' on an argument of a function}}
func.func private @weight_of_function(tensor<?xf32>) attributes {symshape.weight = "w"}

// -----

// expected-error@+1 {{expected 'symshape.guarded' without a value, but got 1}}
func.func private @guarded() attributes {symshape.guarded = 1}

// -----

// expected-error@+1 {{expected 'symshape.donated' to be the number of a result as an i64 on a tensor, but got -1}}
func.func private @donated_to_no_result(tensor<?xf32> {symshape.donated = -1 : i64})

// -----

// expected-error@+1 {{expected 'symshape.donatable' to be the number of a result as an i64 on a tensor, but got 0 : i64 on 'index'}}
func.func private @donatable_number(index {symshape.donatable = 0 : i64})

// -----

// expected-error@+1 {{expected 'symshape.extent_residuals' to hold one 64-bit number per dimension}}
func.func private @extent_residuals(tensor<?xf32> {symshape.extent_residuals = array<i64: 1, 2>})

// -----

// On what is a function but no func.func, on a call, in a body, and in a module
// that is inside of another one.

// expected-error@+1 {{argument #0: unknown attribute 'symshape.shpae'; did you mean 'symshape.shape'?}}
llvm.func @unknown_of_llvm_argument(%a: i64 {symshape.shpae = 1})

// -----

func.func @shape_of_call(%a: tensor<?xf32>) {
  // expected-error@+1 {{expected 'symshape.shape' on an argument or result of a function}}
  call @callee(%a) {symshape.shape = #symshape.shape<[B]>} : (tensor<?xf32>) -> ()
  return
}
func.func private @callee(tensor<?xf32>)

// -----

func.func @unknown_in_body(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.map ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) (%x: f32, %o: f32) {
    // expected-error@+1 {{unknown attribute 'symshape.exents'; did you mean 'symshape.extents'?}}
    %y = arith.negf %x {symshape.exents = []} : f32
    linalg.yield %y : f32
  }
  return %r : tensor<4xf32>
}

// -----

module {
  // expected-error@+1 {{unknown attribute 'symshape.symbls'; did you mean 'symshape.symbols'?}}
  module attributes {symshape.symbls = []} {}
}

// -----

// expected-error@+1 {{unknown attribute 'symshape.assumptions'}}
func.func private @unknown_assumptions(tensor<?xf32> {symshape.shape = #symshape.shape<[B]>})
    attributes {symshape.assumptions = [#symshape.fact<"B <= 3">]}

// -----

// expected-error@+1 {{argument #0: unknown attribute 'symshape.shape '; did you mean 'symshape.shape'?}}
func.func private @space(tensor<?xf32> {"symshape.shape " = #symshape.shape<[B]>})

// -----

// What is misspelt inside of an attribute.

// expected-error@+1 {{expected range, multiple_of, residue, policy or likely, but got 'rnage'}}
func.func private @key_of_symbol(tensor<?xf32>) attributes {symshape.symbols = [#symshape.symbol<"B", rnage = [1, 3]>]}

// -----

// expected-error@+1 {{expected auto, dynamic or static, but got 'dynamc'}}
func.func private @policy_of_symbol(tensor<?xf32>) attributes {symshape.symbols = [#symshape.symbol<"B", policy = dynamc>]}

// -----

// expected-error@+1 {{expected 'symshape.tosa_numpy_broadcast' without a value on a module, but got 1}}
module attributes {symshape.tosa_numpy_broadcast = 1} {
}

// -----

// Attributes of arguments that are none: the op says so.
// expected-error@+1 {{attribute 'arg_attrs' failed to satisfy constraint: Array of dictionary attributes}}
"func.func"() <{arg_attrs = ["x"], function_type = (i64) -> (), sym_name = "f"}> ({
^bb0(%x: i64):
  "func.return"() : () -> ()
}) {symshape.assume = [#symshape.fact<"B <= 4">], symshape.symbols = [#symshape.symbol<"B">]} : () -> ()

// -----

// expected-error@+1 {{attribute 'res_attrs' failed to satisfy constraint: Array of dictionary attributes}}
"func.func"() <{res_attrs = [1], function_type = (i64) -> i64, sym_name = "f"}> ({
^bb0(%x: i64):
  "func.return"(%x) : (i64) -> ()
}) {symshape.versions = [#symshape.version<"one", ["B == 1"]>]} : () -> ()

// -----

// expected-error@+1 {{expects argument attribute array to have the same number of elements as the number of function arguments}}
"func.func"() <{arg_attrs = [], function_type = (i64) -> (), sym_name = "f"}> ({
^bb0(%x: i64):
  "func.return"() : () -> ()
}) {symshape.assume = [#symshape.fact<"B <= 4">]} : () -> ()
