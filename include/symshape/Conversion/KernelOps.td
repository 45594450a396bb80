//===- KernelOps.td - Kernels before a target is chosen ----*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_KERNELOPS
#define SYMSHAPE_CONVERSION_KERNELOPS

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "symshape/IR/SymShapeBase.td"

def SymShapeKernel_Dialect : Dialect {
  let name = "symshape_kernel";
  let cppNamespace = "::mlir::symshape";
  let summary = "What all lowerings form, while they run";
  let description = [{
    Internal to `symshape-cpu` and `symshape-nvvm`: a contraction with what is done
    to its sums, from tensors to buffers. How a target runs it, where that has to be
    said on the op, is an attribute of the target's.
  }];
  let dependentDialects = ["::mlir::symshape::SymShapeDialect"];
}

def SymShapeKernel_TileInterface : AttrInterface<"TileInterface"> {
  let cppNamespace = "::mlir::symshape";
  let description = [{
    The tile of a target, as far as it changes what a contraction reads.
  }];
  let methods = [
    InterfaceMethod<"Whether the right operand is in panels.", "bool", "isPacked">,
    InterfaceMethod<"The columns of a panel.", "int64_t", "getColumns">,
    InterfaceMethod<"How many terms stand together: 1 or more.", "int64_t",
                    "getGroup">
  ];
}

def SymShapeKernel_ContractOp : Op<SymShapeKernel_Dialect, "contract", [
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

    With `code_bits`, a packed `rhs` holds codes of floats, as
    `symshape.dequantize` has them: bytes of one or more terms, of the loop that
    its map ends with. `scales` and, if there are any, `zeros` are in the same
    panels: panels, blocks of `block_terms` terms, and the columns of a panel.

    `maps` holds one map, from the loops, per operand other than these. A target
    that chooses how to run the op ahead says so by `tile`. If `tile`
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
    - (C5) Codes have 2, 4 or 8 bits, terms without groups, and sums in f32, as
      `lhs` has; `rhs` is packed by 2 loops, and has scales of rank 3, whose last
      dimension is a panel's columns; zeros have their shape. A block has a
      multiple of 16 terms.

    ```mlir
    %r = symshape_kernel.contract ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>)
        outs(%init : tensor<?x?xf32>) attributes {maps = [#mk, #kn, #mn],
          tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16,
                                    streams = 8, packing = by_panel>} {
    ^bb0(%sum: f32):
      symshape_kernel.yield %sum : f32
    } -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins SymShape_RankedShaped:$lhs, SymShape_RankedShaped:$rhs,
                       Variadic<SymShape_RankedShaped>:$others,
                       SymShape_RankedShaped:$init,
                       Variadic<AnyMemRef>:$workspaces,
                       Optional<SymShape_RankedShaped>:$transformed,
                       Optional<SymShape_RankedShaped>:$scales,
                       Optional<SymShape_RankedShaped>:$zeros,
                       AffineMapArrayAttr:$maps,
                       OptionalAttr<SymShapeKernel_TileInterface>:$tile,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$columns_divisor,
                       UnitAttr:$accumulate,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$grouped_terms,
                       UnitAttr:$unsigned_lhs,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$code_bits,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$block_terms);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    (`with` `(` $others^ `:` type($others) `)`)?
    `outs` `(` $init `:` type($init) `)`
    (`workspaces` `(` $workspaces^ `:` type($workspaces) `)`)?
    (`transformed` `(` $transformed^ `:` type($transformed) `)`)?
    (`scales` `(` $scales^ `:` type($scales) `)`)?
    (`zeros` `(` $zeros^ `:` type($zeros) `)`)?
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
    bool isPacked() { return getTileAttr() && getTileAttr().isPacked(); }
    bool isGrouped() { return getTileAttr() && getTileAttr().getGroup() > 1; }
    /// The loop whose terms are grouped, if `rhs` is packed in groups of terms.
    std::optional<unsigned> getGroupedLoop() {
      ::mlir::AffineMap map = getMap(1);
      if (!isGrouped() || !isPacked())
        return std::nullopt;
      return map.getDimPosition(map.getNumResults() - 1);
    }
    /// Whether `rhs` holds codes of few bits.
    bool isCoded() { return getCodeBits().has_value(); }
    /// Whether dimension `position` of `rhs` counts panels, groups or bytes
    /// instead of the steps of its loop.
    bool isBlocked(unsigned position) {
      unsigned loop = getMap(1).getDimPosition(position);
      return isPacked() &&
             (isCoded() || loop == getColumnLoop() || loop == getGroupedLoop());
    }
  }];
}

def SymShapeKernel_ContractYieldOp : Op<SymShapeKernel_Dialect, "yield", [
    Pure, Terminator, HasParent<"ContractOp">]> {
  let summary = "Ends the region of symshape_kernel.contract";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // SYMSHAPE_CONVERSION_KERNELOPS
