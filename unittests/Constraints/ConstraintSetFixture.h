//===- ConstraintSetFixture.h - Facts and questions as text -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test fixture: one arena, one set, facts and relations written as text.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_UNITTESTS_CONSTRAINTS_CONSTRAINTSETFIXTURE_H
#define SYMSHAPE_UNITTESTS_CONSTRAINTS_CONSTRAINTSETFIXTURE_H

#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace mlir::symshape::test {
class ConstraintSetTest : public testing::Test {
protected:
  ExprArena arena;
  ConstraintSet set{arena};

  Expr expr(llvm::StringRef text) {
    ParseError error;
    Expr e = arena.parse(text, error);
    EXPECT_TRUE(e) << text.str() << ": " << error.message;
    return e;
  }
  Relation relation(llvm::StringRef text) {
    ParseError error;
    std::optional<Relation> r = Relation::parse(arena, text, error);
    EXPECT_TRUE(r) << text.str() << ": " << error.message;
    return *r;
  }
  FactId assume(llvm::StringRef text) { return set.assume(relation(text)); }
  void declare(llvm::StringRef name, Range range, Residue residue = {}) {
    SymbolInfo info;
    info.range = range;
    info.residue = residue;
    set.declare(arena.symbol(name), info);
  }
  char prove(llvm::StringRef text) {
    Answer answer = set.prove(relation(text));
    return answer.isYes() ? 'Y' : answer.isNo() ? 'N' : '?';
  }
  std::string bounds(llvm::StringRef text) {
    std::string result;
    llvm::raw_string_ostream os(result);
    set.bounds(expr(text)).print(os);
    return result;
  }
};
} // namespace mlir::symshape::test

#endif // SYMSHAPE_UNITTESTS_CONSTRAINTS_CONSTRAINTSETFIXTURE_H
