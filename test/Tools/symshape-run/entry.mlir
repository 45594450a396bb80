// RUN: symshape-run %s --entry=good --input=4xf32=iota | FileCheck %s
// RUN: symshape-run %s --entry=calls --input=4xf32=iota | FileCheck %s
// RUN: symshape-run %s --entry=holds_global | FileCheck %s --check-prefix=GLOBAL
// RUN: not symshape-run %s --entry=never_holds --input=4xf32=iota 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not symshape-run %s --entry=calls_bad --input=4xf32=iota 2>&1 | FileCheck %s --check-prefix=BAD

// What the entry does not reach is not compiled, and cannot be in its way.

// CHECK: 4xf32: [-0, -1, -2, -3]
func.func @good(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @good(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// GLOBAL: f32: 3
memref.global "private" constant @table : memref<2xf32> = dense<[2.0, 3.0]>
func.func @holds_global() -> f32 {
  %c1 = arith.constant 1 : index
  %0 = memref.get_global @table : memref<2xf32>
  %1 = memref.load %0[%c1] : memref<2xf32>
  return %1 : f32
}

// NEVER: error: requirement can never hold
func.func @never_holds(%x: tensor<4xf32>) -> tensor<5xf32> {
  %0 = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<5xf32>
  return %1 : tensor<5xf32>
}

// What cannot be lowered, public, private, or called by what nobody calls.
func.func @cannot_lower(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.custom %x {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
module @inner {
  func.func @inside(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
module {
  func.func @inside(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = tosa.custom %x {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
spirv.module Logical GLSL450 {
  spirv.func @inside() "None" {
    spirv.Return
  }
}
func.func @contradictory(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.assume = [#symshape.fact<"N == 3">, #symshape.fact<"N == 4">]} {
  return
}
func.func @recursive(%n: i32) -> i32 {
  %0 = call @recursive(%n) : (i32) -> i32
  return %0 : i32
}
func.func private @malloc(index) -> i32
func.func @reserved(%n: index) -> i32 {
  %0 = call @malloc(%n) : (index) -> i32
  return %0 : i32
}
func.func private @cannot_lower_either(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) {
  return
}
// BAD: error:
// BAD: error: cannot lower
func.func @calls_bad(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @cannot_lower(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
