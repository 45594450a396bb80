//===- FailMessage.h - What a check says when it fails ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one way in which passes make `symshape.fail`: the branch to it, and a
// message with the observed numbers. Not for: deciding what is checked.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_FAILMESSAGE_H
#define SYMSHAPE_TRANSFORMS_FAILMESSAGE_H

#include "symshape/Analysis/FunctionShapes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/ExprEmitter.h"
#include <variant>

namespace mlir::symshape {

/// Text with numbers, which are computed where the message is emitted.
class FailMessage {
public:
  FailMessage() = default;
  /// Begins with the name of the function, as the user wrote it.
  explicit FailMessage(func::FuncOp function) {
    *this << "@" << spellingOf(function) << ": ";
  }

  /// Text as it stands, braces included.
  FailMessage &operator<<(const Twine &text);
  /// A number of type index, read as signed.
  FailMessage &operator<<(Value index);
  FailMessage &operator<<(Expr number);
  /// Text as `describe` makes it: `{i}` stands for `shown[i]`.
  FailMessage &addTemplate(StringRef text, ArrayRef<Expr> shown);
  FailMessage &append(const FailMessage &other);
  /// The last line, for tools: `symshape: {primitive = ..., field = ...,
  /// observed = ...}`.
  FailMessage &addTriple(StringRef primitive, const Twine &field,
                         const FailMessage &observed);

  /// Replaces each number.
  void transform(llvm::function_ref<Expr(Expr)> function);

  /// The template of `symshape.fail`: `{i}` for the i-th number.
  std::string str() const;
  /// Emits `symshape.fail`. `emitter` may be null where there are no
  /// expressions; one without a value shows as -1.
  FailOp emit(OpBuilder &builder, Location loc,
              ExprEmitter *emitter = nullptr) const;

private:
  SmallVector<std::variant<std::string, Value, Expr>> parts;
};

/// A block that is entered where `fails` is true, before what follows.
OpBuilder branchIf(OpBuilder &builder, Location loc, Value fails);
/// One that is entered where `holds` is false.
OpBuilder branchUnless(OpBuilder &builder, Location loc, Value holds);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_FAILMESSAGE_H
