// Arguments with symshape.weight come from a .safetensors file.

// REQUIRES: numpy
// RUN: %python %S/Inputs/make_weights.py %t.safetensors
// RUN: symshape-run %s --weights=%t.safetensors --input=2x2xf32=iota | FileCheck %s
// RUN: symshape-run %s --weights=%t.safetensors --input=2x2xf32=iota --guard-pages --repeat=2 --verbose 2>&1 | FileCheck %s --check-prefixes=CHECK,LEAK
// CHECK: {{^}}2x3xf32: {{\[\[13, 24, 35\], \[19, 34, 49\]\]$}}
// LEAK: allocations: live 0,

// RUN: sh -c "symshape-run %s --input=2x2xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: @main: %w is the weight 'layer.weight', but no weights are given (--weights)
// NONE-NEXT: error: @main: %b is the weight 'layer.bias', but no weights are given (--weights)
// NONE-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=many; echo exit $?" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: @many: %a is the weight 'a', but no weights are given (--weights)
// MANY-NEXT: error: @many: %b is the weight 'b', but
// MANY-NEXT: error: @many: %c is the weight 'c', but
// MANY-NEXT: error: @many: 2 more arguments are weights
// MANY-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=missing --weights=%t.safetensors; echo exit $?" 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: @missing: %w (tensor<3xf32>): expected a tensor 'layer.gamma' in the weights, but there is none
// MISSING-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=shape --weights=%t.safetensors; echo exit $?" 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: @shape: expected extent 4 of %w dim 0 (tensor<4xf32>), but got 3 in weight 'layer.bias'
// SHAPE-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=type --weights=%t.safetensors; echo exit $?" 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: @type: expected 3xf16 for %w, but got 3xf32 in weight 'layer.bias'
// TYPE-NEXT: exit 2
// RUN: sh -c "symshape-run %s --weights=%s --input=2x2xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: error: '{{.*}}weights.mlir': expected a .safetensors file, but its header would have {{[0-9]+}} bytes
// BROKEN-NEXT: exit 2

func.func @main(%w: tensor<3x2xf32> {symshape.weight = "layer.weight"}, %x: tensor<?x2xf32>,
                %b: tensor<3xf32> {symshape.weight = "layer.bias"}) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %te = tensor.empty() : tensor<2x3xf32>
  %t = linalg.transpose ins(%w : tensor<3x2xf32>) outs(%te : tensor<2x3xf32>) permutation = [1, 0]
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = linalg.matmul ins(%x, %t : tensor<?x2xf32>, tensor<2x3xf32>) outs(%f : tensor<?x3xf32>) -> tensor<?x3xf32>
  %bb = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e : tensor<?x3xf32>) dimensions = [0]
  %r = linalg.add ins(%y, %bb : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
func.func @missing(%w: tensor<3xf32> {symshape.weight = "layer.gamma"}) { return }
func.func @shape(%w: tensor<4xf32> {symshape.weight = "layer.bias"}) { return }
func.func @type(%w: tensor<3xf16> {symshape.weight = "layer.bias"}) { return }

func.func @many(%a: f32 {symshape.weight = "a"}, %b: f32 {symshape.weight = "b"}, %c: f32 {symshape.weight = "c"},
                %d: f32 {symshape.weight = "d"}, %e: f32 {symshape.weight = "e"}) -> f32 {
  return %a : f32
}
