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
include "symshape/IR/QuantizationOps.td"
include "symshape/IR/RearrangementOps.td"
include "symshape/IR/SymShapeBase.td"
include "symshape/IR/TruncationOps.td"

def SymShape_BindShapeOp : SymShape_Op<"bind_shape", [
    MemoryEffects<[MemWrite<SymShape_Facts>]>, AllTypesMatch<["source", "result"]>,
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
    speculatable: what it says holds only where it stands. Not dead if its result
    is unused, for the same reason.

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
    MemoryEffects<[MemWrite<SymShape_Facts>]>, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                              ["populateBoundsForIndexValue"]>]> {
  let summary = "States facts about integers where it stands";
  let description = [{
    Returns its operands, for which the relations hold; the behaviour is
    undefined if one does not. The names in parentheses stand for the operands,
    in order; other names are symbols of the function. Not speculatable: a fact
    under a branch holds there only. Not dead if its results are unused.

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
    Each operand stands for the name that it is written with. Other names are
    symbols of the function; the relation uses them after those of operands.

    The op keeps its operands in order of first use, and reads them in that order
    where they are written without names, as in `(%b, %c)`.

    - (C1) The relation is one over expressions.
    - (C2) There are no more operands than names in the relation.

    ```mlir
    symshape.assert "B == C" (B = %b, C = %c), "batches must agree"
    ```
  }];
  let arguments = (ins Variadic<Index>:$operands, StrAttr:$relation, StrAttr:$message);
  let assemblyFormat =
      "custom<RelationText>($relation, $operands) `,` $message attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$relation,
                                 "::llvm::ArrayRef<NamedValue>":$values,
                                 "const ::llvm::Twine &":$message)>];
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
    Computes an expression as an index. A divisor must not be zero, and the value
    must fit. Each operand stands for the name that it is written with. Other
    names are symbols of the function; the expression uses them after those of
    operands.

    The op keeps its operands in order of first use, and reads them in that order
    where they are written without names, as in `(%b, %l)`.

    - (C1) The text is an expression.
    - (C2) There are no more operands than names in the expression.

    ```mlir
    %s = symshape.size "B * L" (B = %b, L = %l)
    ```
  }];
  let arguments = (ins Variadic<Index>:$operands, StrAttr:$expression);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<ExpressionText>($expression, $operands) attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$expression,
                                 "::llvm::ArrayRef<NamedValue>":$values)>];
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
    a guard or a deferred assert fails. `{N}` in the template stands for the
    value of operand N as a signed number of 64 bits, `{{` for a brace. `{N:M}`
    stands for one number of 64*M bits, signed, whose words are operands N to
    N + M - 1, the least significant first.

    With `continues` the call goes on: the message is kept, and reported together
    with that of the op that ends the call.

    - (C1) Each `{` of the template begins `{{`, or `{N}` or `{N:M}` with M > 0 and
      operands for it.

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

#endif // SYMSHAPE_IR_SYMSHAPEOPS
