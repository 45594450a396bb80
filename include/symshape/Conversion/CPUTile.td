//===- CPUTile.td - Register tiles of CPUs -----------------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_CPUTILE
#define SYMSHAPE_CONVERSION_CPUTILE

include "mlir/IR/EnumAttr.td"
include "symshape/Conversion/KernelOps.td"

def SymShapeCPU_Dialect : Dialect {
  let name = "symshape_cpu";
  let cppNamespace = "::mlir::symshape";
  let summary = "What the lowering for CPUs has chosen, while it runs";
  let description = [{
    Internal to `symshape-cpu`: the register tile of a `symshape_kernel.contract`.
  }];
  let useDefaultAttributePrinterParser = 1;
}

def SymShapeCPU_Packing : I32EnumAttr<"Packing",
    "where the columns of a right operand are put together, and why there", [
  I32EnumAttrCase<"ByPanel", 0, "by_panel">,
  I32EnumAttrCase<"InCall", 1, "in_call">,
  I32EnumAttrCase<"BeforeLoop", 2, "before_loop">,
  I32EnumAttrCase<"BeforeCall", 3, "before_call">,
  I32EnumAttrCase<"InPlace", 4, "in_place">]> {
  let cppNamespace = "::mlir::symshape";
}

def SymShapeCPU_TileAttr : AttrDef<SymShapeCPU_Dialect, "Tile", [
    DeclareAttrInterfaceMethods<SymShapeKernel_TileInterface, ["isPacked"]>]> {
  let mnemonic = "tile";
  let summary = "The register tile of a contraction, and how its operand is read";
  let description = [{
    Chosen once, from the facts about the operands and the registers of the CPU;
    what allocates, lowers or reports a contraction reads it here.

    - `rows` x `columns`: the sums of a tile, in vectors of `lanes`.
    - `streams`: rows of the right operand that are read side by side if the
      result has only a row or two and the operand is not packed.
    - `packing`: `by_panel`: the operand is as it came, and a panel is copied
      when it is needed, if that pays. `in_place`: the operand is as it came, and
      the terms of a column are neighbours in it, as those of a row are in the
      left one. Otherwise it is already in panels: packed
      where it is used, since its columns are not neighbours in memory
      (`in_call`); before a loop in which it does not change (`before_loop`); or
      before the calls, since it depends on weights alone (`before_call`).
    - `group`: how many terms one instruction multiplies and adds: 1; 2 for
      `bf16`; or 4 for bytes, one of which is taken as unsigned. Terms of a group
      are neighbours in the left operand, and in the right one once that is in
      panels.

    - (C1) `lanes` is positive and divides `columns`; `rows` and `streams` are
      positive; `group` is 1, 2 or 4, and not 4 if panels are copied when they are
      needed.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$lanes,
                        "int64_t":$streams, EnumParameter<SymShapeCPU_Packing>:$packing,
                        DefaultValuedParameter<"int64_t", "1">:$group);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // SYMSHAPE_CONVERSION_CPUTILE
