// A callee with an op of a dialect that cannot be inlined.
// REQUIRES: plugin
// RUN: mlir-opt %s --load-dialect-plugin=%test_plugin --load-pass-plugin=%test_plugin \
// RUN:   --verify-diagnostics --pass-pipeline='builtin.module(symshape-jvp{function=caller})' -o /dev/null

func.func private @callee(%x: f32) -> f32 {
  %y = math.exp %x : f32
  // expected-error@+1 {{'foreign.says' op expected a dialect with DialectInlinerInterface, to differentiate a call of @callee}}
  "foreign.says"() : () -> ()
  return %y : f32
}

func.func @caller(%x: f32) -> f32 {
  %0 = call @callee(%x) : (f32) -> f32
  return %0 : f32
}
