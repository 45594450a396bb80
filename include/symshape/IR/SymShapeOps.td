//===- SymShapeOps.td - Ops of symshape -------------------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SYMSHAPEOPS
#define SYMSHAPE_IR_SYMSHAPEOPS

include "symshape/IR/AxisOps.td"
include "symshape/IR/DerivativeOps.td"
include "symshape/IR/GatherOps.td"
include "symshape/IR/PositionOps.td"
include "symshape/IR/RearrangementOps.td"
include "symshape/IR/SymShapeBase.td"
include "symshape/IR/TruncationOps.td"

def SymShape_BindShapeOp : SymShape_Op<"bind_shape", [
    NoMemoryEffect, AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<JvpOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                              ["populateBoundsForShapedValueDim"]>]> {
  let summary = "Names the dimensions of a tensor or memref";
  let description = [{
    Returns its operand; the extents of the result are those given. A name that
    no argument and no earlier op binds is bound to the dimension that it stands
    for; any other extent is a requirement, checked unless it is proved. Not
    speculatable: what it says holds only where it stands.

    - (C1) One extent is given per dimension.
    - (C2) A constant extent of a static dimension equals it, a constant bound of
      it is no smaller, and no extent is a negative constant.

    ```mlir
    %u = symshape.bind_shape %t [B, L, 64] : tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins SymShape_RankedShaped:$source, SymShape_ShapeAttr:$shape);
  let results = (outs SymShape_RankedShaped:$result);
  let assemblyFormat =
      "$source custom<ExtentList>($shape) attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def SymShape_AssumeOp : SymShape_Op<"assume", [
    NoMemoryEffect, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                              ["populateBoundsForIndexValue"]>]> {
  let summary = "States facts about integers where it stands";
  let description = [{
    Returns its operands, of which the relations hold; the behaviour is undefined
    where one does not. The names in parentheses stand for the operands, in
    order; other names are symbols of the function. Not speculatable: a fact
    under a branch holds there only.

    - (C1) There is one name per operand, at least one, each a plain name given
      once.
    - (C2) Each fact is a relation over expressions, or several under `and`, `or`
      and `not`.

    ```mlir
    %m = symshape.assume %n ["n <= 4", "2 | n"] (n) : index
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Index, AnySignlessInteger]>>:$sources,
                       StrArrayAttr:$facts, StrArrayAttr:$names);
  let results = (outs Variadic<AnyTypeOf<[Index, AnySignlessInteger]>>:$results);
  let assemblyFormat = [{
    $sources custom<FactTexts>($facts) ` ` `(` custom<Names>($names) `)` attr-dict `:` type($sources)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The facts; names of operands are symbols of that name.
    ::llvm::SmallVector<Formula> getFormulas(ExprArena &arena);
    /// Those of them that are relations.
    ::llvm::SmallVector<Relation> getRelations(ExprArena &arena);
  }];
}

def SymShape_AssertOp : SymShape_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Fails with a message unless a relation holds";
  let description = [{
    The operands stand for the first names of the relation, in order of first use;
    names beyond them are symbols of the function.

    - (C1) The relation is one over expressions.
    - (C2) There are no more operands than names in the relation.

    ```mlir
    symshape.assert "B == C" (%b, %c), "batches must agree"
    ```
  }];
  let arguments = (ins Variadic<Index>:$operands, StrAttr:$relation, StrAttr:$message);
  let assemblyFormat =
      "custom<RelationText>($relation) (` ` `(` $operands^ `)`)? `,` $message attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// The relation in the symbols of its text.
    Relation getParsedRelation(ExprArena &arena);
    /// The distinct names, in order of first use; the first
    /// `getOperands().size()` of them stand for the operands.
    ::llvm::SmallVector<::llvm::StringRef> getNames();
  }];
}

def SymShape_SizeOp : SymShape_Op<"size", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                              ["populateBoundsForIndexValue"]>]> {
  let summary = "The value of an expression";
  let description = [{
    Computes an expression as an index. The operands stand for the first names of
    the expression, in order of first use; names beyond them are symbols of the
    function. A divisor must not be zero, and the value must fit.

    - (C1) The text is an expression.
    - (C2) There are no more operands than names in the expression.

    ```mlir
    %s = symshape.size "B * L" (%b, %l)
    ```
  }];
  let arguments = (ins Variadic<Index>:$operands, StrAttr:$expression);
  let results = (outs Index:$result);
  let assemblyFormat =
      "custom<ExpressionText>($expression) (` ` `(` $operands^ `)`)? attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The expression in the symbols of its text.
    Expr getParsedExpression(ExprArena &arena);
    /// The distinct names, in order of first use; the first
    /// `getOperands().size()` of them stand for the operands.
    ::llvm::SmallVector<::llvm::StringRef> getNames();
  }];
}

def SymShape_FailOp : SymShape_Op<"fail", [MemoryEffects<[MemWrite]>]> {
  let summary = "Reports a failed check";
  let description = [{
    Reports the message and ends the call without a result; internal, made where
    a guard or a deferred assert has failed. `{N}` in the template stands for the
    value of operand N as a signed number of 64 bits, `{{` for a brace. `{N:M}`
    stands for one number of 64*M bits, signed, whose words are operands N to
    N + M - 1, the least significant first.

    With `continues` the call goes on: the message is kept, and told together with
    that of the op that ends the call.

    - (C1) Each `{` of the template begins `{{`, or `{N}` or `{N:M}` with M > 0 and
      all of its operands there.

    ```mlir
    symshape.fail "extent of %q dim 0 ({0}) must equal {1}" (%a, %b)
    symshape.fail "s0*s1 ({0:2}) must equal 8" (%low, %high) {continues}
    ```
  }];
  let arguments = (ins Variadic<Index>:$operands, StrAttr:$message,
                       UnitAttr:$continues);
  let assemblyFormat = "$message (` ` `(` $operands^ `)`)? attr-dict";
  let hasVerifier = 1;
}

def SymShape_ContractOp : SymShape_Op<"contract", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
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
    `accumulate` is given, else at zero. Internal to the lowering for CPUs, where
    it lives from tensors to buffers.

    `workspaces` are buffers that it may use while it runs, and leaves with no
    particular contents.

    `maps` holds one map per other operand, from the loops. With `panel_width = w`, `rhs`
    is packed in panels of w columns, the columns being the last dimension of
    `init`: it has one dimension more than its map, the last, which is w, and
    counts panels where its map mentions the columns. Columns past the end are
    ignored. `columns_divisor = d` states that d divides the number of columns,
    where types do not say so.

    - (C1) Each map is a projected permutation, of all loops together, as long as
      the rank of its operand (one less for a packed `rhs`).
    - (C2) Columns are a dimension of `rhs`, not of `lhs`; each other dimension is
      one of an operand.
    - (C3) The region takes the type of the sums and the element types of
      `others`, and yields an element of `init`. The type of the sums is that of
      `init` if `accumulate` is given.

    ```mlir
    %r = symshape.contract ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>)
        outs(%init : tensor<?x?xf32>) attributes {maps = [#mk, #kn, #mn]} {
    ^bb0(%sum: f32):
      symshape.yield %sum : f32
    } -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins SymShape_RankedShaped:$lhs, SymShape_RankedShaped:$rhs,
                       Variadic<SymShape_RankedShaped>:$others,
                       SymShape_RankedShaped:$init,
                       Variadic<AnyMemRef>:$workspaces, AffineMapArrayAttr:$maps,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$panel_width,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$columns_divisor,
                       UnitAttr:$accumulate);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    (`with` `(` $others^ `:` type($others) `)`)?
    `outs` `(` $init `:` type($init) `)`
    (`workspaces` `(` $workspaces^ `:` type($workspaces) `)`)?
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
  }];
}

def SymShape_ContractYieldOp : Op<SymShape_Dialect, "yield", [
    Pure, Terminator, HasParent<"ContractOp">]> {
  let summary = "Ends the region of symshape.contract";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // SYMSHAPE_IR_SYMSHAPEOPS
