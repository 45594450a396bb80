//===- SymShapeEnums.td - Enumerations of symshape ---------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SYMSHAPEENUMS
#define SYMSHAPE_IR_SYMSHAPEENUMS

include "mlir/IR/EnumAttr.td"

class SymShape_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::symshape";
}

def SymShape_GatherMode : SymShape_Enum<"GatherMode",
    "what a gather reads where an index is out of range", [
  I32EnumAttrCase<"Clip", 0, "clip">,
  I32EnumAttrCase<"Fill", 1, "fill">,
  I32EnumAttrCase<"PromiseInBounds", 2, "promise_in_bounds">]>;

def SymShape_ScatterMode : SymShape_Enum<"ScatterMode",
    "what a scatter writes where an index is out of range", [
  I32EnumAttrCase<"Clip", 0, "clip">,
  I32EnumAttrCase<"Drop", 1, "drop">,
  I32EnumAttrCase<"PromiseInBounds", 2, "promise_in_bounds">]>;

def SymShape_Combiner : SymShape_Enum<"Combiner",
    "how a scatter combines an element with an update", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Sub", 1, "sub">,
  I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Update", 3, "update">,
  I32EnumAttrCase<"Max", 4, "max">,
  I32EnumAttrCase<"Min", 5, "min">]>;

def SymShape_SymbolPolicy : SymShape_Enum<"SymbolPolicy",
    "whether a symbol may become a constant", [
  I32EnumAttrCase<"Auto", 0, "auto">,
  I32EnumAttrCase<"Dynamic", 1, "dynamic">,
  I32EnumAttrCase<"Static", 2, "static">]>;

#endif // SYMSHAPE_IR_SYMSHAPEENUMS
