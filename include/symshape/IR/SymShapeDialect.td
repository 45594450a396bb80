//===- SymShapeDialect.td - The symshape dialect ----------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SYMSHAPEDIALECT
#define SYMSHAPE_IR_SYMSHAPEDIALECT

include "mlir/IR/DialectBase.td"

def SymShape_Dialect : Dialect {
  let name = "symshape";
  let cppNamespace = "::mlir::symshape";
  let summary = "Symbolic shapes: names, facts and checks of dimensions";
  let description = [{
    Names the dimensions of tensors and memrefs, states facts about them, and
    checks what is not proved. Facts live in the signature of a function, and in
    dataflow ops that survive inlining and canonicalisation.

    Discardable attributes, verified by the dialect:

    | attribute | on | what it holds |
    |---|---|---|
    | `symshape.symbols` | function | array of `#symshape.symbol`, one per name |
    | `symshape.assume` | function | array of `#symshape.fact` over symbols of the signature |
    | `symshape.versions` | function | array of `#symshape.version` over symbols of the signature |
    | `symshape.version_names` | function `@f.version` | array of strings: the names of the numbers that it returns |
    | `symshape.shape` | argument, result | `#symshape.shape`, one extent per dimension |
    | `symshape.weight` | argument | string: the name of the weight that binds it |
    | `symshape.name` | function, argument, result | string: how messages spell it |
    | `symshape.extents` | any op | array of `#symshape.shape`, one per result; written by analyses |

    A name in a shape of a signature that is not declared in `symshape.symbols`
    declares a symbol that ranges over the integers >= 0.

    ```mlir
    func.func @scores(
        %q: tensor<?x?x64xf32> {symshape.shape = #symshape.shape<[B, L, 64]>},
        %k: tensor<?x?x64xf32> {symshape.shape = #symshape.shape<[B, S, 64]>})
        attributes {symshape.symbols = [#symshape.symbol<"B", range = [1, 64]>],
                    symshape.assume = [#symshape.fact<"L <= S">]} {
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kSymbols = "symshape.symbols";
    static constexpr ::llvm::StringLiteral kAssume = "symshape.assume";
    static constexpr ::llvm::StringLiteral kVersions = "symshape.versions";
    static constexpr ::llvm::StringLiteral kVersionNames =
        "symshape.version_names";
    static constexpr ::llvm::StringLiteral kShape = "symshape.shape";
    static constexpr ::llvm::StringLiteral kTosaNumPyBroadcast =
        "symshape.tosa_numpy_broadcast";
    static constexpr ::llvm::StringLiteral kWeight = "symshape.weight";
    static constexpr ::llvm::StringLiteral kName = "symshape.name";
    static constexpr ::llvm::StringLiteral kExtents = "symshape.extents";

    void registerAttributes();
    void registerBytecode();
  }];
}

#endif // SYMSHAPE_IR_SYMSHAPEDIALECT
