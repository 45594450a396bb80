//===- CPUOps.td - Ops of the lowering for CPUs ------------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_CPUOPS
#define SYMSHAPE_CONVERSION_CPUOPS

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "symshape/IR/SymShapeBase.td"

def SymShapeCPU_Dialect : Dialect {
  let name = "symshape_cpu";
  let cppNamespace = "::mlir::symshape";
  let summary = "What the lowering for CPUs has chosen, while it runs";
  let description = [{
    Internal to `symshape-cpu`: a contraction with its register tile, from tensors
    to buffers.
  }];
  let dependentDialects = ["::mlir::symshape::SymShapeDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def SymShapeCPU_Packing : I32EnumAttr<"Packing",
    "where the columns of a right operand are put together, and why there", [
  I32EnumAttrCase<"ByPanel", 0, "by_panel">,
  I32EnumAttrCase<"InCall", 1, "in_call">,
  I32EnumAttrCase<"BeforeLoop", 2, "before_loop">,
  I32EnumAttrCase<"BeforeCall", 3, "before_call">]> {
  let cppNamespace = "::mlir::symshape";
}

def SymShapeCPU_TileAttr : AttrDef<SymShapeCPU_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "The register tile of a contraction, and how its operand is read";
  let description = [{
    Chosen once, from the facts about the operands and the registers of the CPU;
    what allocates, lowers or reports a contraction reads it here.

    - `rows` x `columns`: the sums of a tile, in vectors of `lanes`.
    - `streams`: rows of the right operand that are read side by side if the
      result has only a row or two and the operand is not packed.
    - `packing`: `by_panel`: the operand is as it came, and a panel is copied
      when it is needed, if that pays. Otherwise it is already in panels: packed
      where it is used, since its columns are not neighbours in memory
      (`in_call`); before a loop in which it does not change (`before_loop`); or
      before the calls, since it depends on weights alone (`before_call`).
    - `group`: how many terms one instruction multiplies and adds: 1; 2 for
      `bf16`; or 4 for bytes, one of which is taken as unsigned. Terms of a group
      are neighbours in the left operand, and in the right one once that is in
      panels.

    - (C1) `lanes` is positive and divides `columns`; `rows` and `streams` are
      positive; `group` is 1, 2 or 4, and not 4 if the operand is not packed.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$lanes,
                        "int64_t":$streams, EnumParameter<SymShapeCPU_Packing>:$packing,
                        DefaultValuedParameter<"int64_t", "1">:$group);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isPacked() const { return getPacking() != Packing::ByPanel; }
  }];
}

def SymShapeCPU_ContractOp : Op<SymShapeCPU_Dialect, "contract", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<ShapeFactsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
                              ["bufferizesToMemoryRead",
                               "bufferizesToMemoryWrite", "getAliasingValues",
                               "bufferize"]>]> {
  let summary = "A contraction and what is done to each of its sums";
  let description = [{
    Adds up the products of two tensors or memrefs, and applies the region to
    each sum and to the elements of `others` at the same place:
    `init[p] = region(sum, others[p]...)`, where `sum` runs over the dimensions
    that the map of `init` does not mention, and starts at `init[p]` if
    `accumulate` is given, else at zero. The op exists from tensors to buffers.

    `workspaces` are buffers that it may use while it runs, and leaves with
    unspecified contents. `transformed` is `rhs` as Winograd's algorithm multiplies
    by it, packed for the same tile: windows of 3 x 3 that slide by 1, of a `lhs`
    whose last dimension is positions and channels in one. Using it changes
    how sums are rounded.

    `maps` holds one map, from the loops, per operand other than these. If `tile`
    says that `rhs` is packed, it is in panels of as many columns as the tile has,
    columns being the last dimension of `init`: it has one dimension more than its
    map, the last, of a panel's columns, and counts panels where its map mentions
    columns. Columns past the end are ignored. `columns_divisor = d` states that d
    divides the number of columns, if types do not say so.

    If `tile` has groups of terms, the packed `rhs` has the terms of a group as one
    more dimension, the last, and counts groups where its map ends, at the loop
    whose terms are grouped; those past its end are zero. `grouped_terms` is the
    number of terms of that loop where `lhs` is read through windows. A `rhs` that
    is not packed has its last sum grouped. Of bytes in groups, one operand holds
    unsigned ones: `lhs` if `unsigned_lhs` is given, else `rhs`.

    - (C1) Each map is a projected permutation, but that of `lhs` may also have sums
      of loops, or of products of loops and numbers: windows. It is as long as the
      rank of its operand (one less for a packed `rhs`, two less with groups).
    - (C2) Columns are a dimension of `rhs`, not of `lhs`; each loop is by itself a
      dimension of an operand. The last dimensions of a packed `rhs` are those of the
      tile: its columns, and the terms of a group if it has groups. The loop that is
      grouped is a dimension of `lhs`, or has `grouped_terms`.
    - (C3) The region takes the type of the sums and the element types of
      `others`, and yields an element of `init`. The type of the sums is that of
      `init` if `accumulate` is given.
    - (C4) `transformed` is in f32: 6, 6, panels, channels and the columns of a
      panel; channels and the last extent of `init` are static.

    ```mlir
    %r = symshape_cpu.contract ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>)
        outs(%init : tensor<?x?xf32>) attributes {maps = [#mk, #kn, #mn],
          tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16,
                                    streams = 8, packing = by_panel>} {
    ^bb0(%sum: f32):
      symshape_cpu.yield %sum : f32
    } -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins SymShape_RankedShaped:$lhs, SymShape_RankedShaped:$rhs,
                       Variadic<SymShape_RankedShaped>:$others,
                       SymShape_RankedShaped:$init,
                       Variadic<AnyMemRef>:$workspaces,
                       Optional<SymShape_RankedShaped>:$transformed,
                       AffineMapArrayAttr:$maps,
                       SymShapeCPU_TileAttr:$tile,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$columns_divisor,
                       UnitAttr:$accumulate,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$grouped_terms,
                       UnitAttr:$unsigned_lhs);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    (`with` `(` $others^ `:` type($others) `)`)?
    `outs` `(` $init `:` type($init) `)`
    (`workspaces` `(` $workspaces^ `:` type($workspaces) `)`)?
    (`transformed` `(` $transformed^ `:` type($transformed) `)`)?
    attr-dict-with-keyword $body (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Lhs, rhs, others and init.
    ::mlir::OperandRange getMappedOperands() {
      return getOperands().take_front(getMaps().size());
    }
    /// The map of operand `number` in this order.
    ::mlir::AffineMap getMap(unsigned number) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getMaps()[number]).getValue();
    }
    ::mlir::AffineMap getInitMap() { return getMap(getMaps().size() - 1); }
    /// The type that the sums are formed in.
    ::mlir::Type getSumType() { return getBody().getArgument(0).getType(); }
    /// The columns: the loop along the last dimension of `init`.
    unsigned getColumnLoop() {
      ::mlir::AffineMap map = getInitMap();
      return map.getDimPosition(map.getNumResults() - 1);
    }
    bool isPacked() { return getTile().isPacked(); }
    bool isGrouped() { return getTile().getGroup() > 1; }
    /// The loop whose terms are grouped, if `rhs` is packed in groups of terms.
    std::optional<unsigned> getGroupedLoop() {
      ::mlir::AffineMap map = getMap(1);
      if (!isGrouped() || !isPacked())
        return std::nullopt;
      return map.getDimPosition(map.getNumResults() - 1);
    }
    /// Whether dimension `position` of `rhs` counts panels or groups instead of
    /// the steps of its loop.
    bool isBlocked(unsigned position) {
      unsigned loop = getMap(1).getDimPosition(position);
      return isPacked() && (loop == getColumnLoop() || loop == getGroupedLoop());
    }
  }];
}

def SymShapeCPU_ContractYieldOp : Op<SymShapeCPU_Dialect, "yield", [
    Pure, Terminator, HasParent<"ContractOp">]> {
  let summary = "Ends the region of symshape_cpu.contract";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // SYMSHAPE_CONVERSION_CPUOPS
