//===- FuzzParsers.cpp - Any text into each parser ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses the parser: expressions, relations, problem files,
// attributes. None may crash or hang, and what is printed is read back as it
// was.
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "symshape/Constraints/ProblemFile.h"
#include "symshape/Expr/Relation.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;

static void require(bool condition, const char *what, StringRef text) {
  if (condition)
    return;
  llvm::errs() << what << ": " << text << '\n';
  abort();
}

static void fuzzExpression(StringRef text) {
  ExprArena arena;
  ParseError error;
  Expr e = arena.parse(text, error);
  // What is nested too deeply is printed with an ellipsis.
  if (!e || e.depth() > 100)
    return;
  std::string printed = e.str();
  require(arena.parse(printed, error) == e, "another expression", printed);
}

static void fuzzRelation(StringRef text) {
  ExprArena arena;
  ParseError error;
  std::optional<Relation> relation = Relation::parse(arena, text, error);
  if (!relation || relation->lhs.depth() > 100 || relation->rhs.depth() > 100)
    return;
  std::string printed = relation->str();
  std::optional<Relation> again = Relation::parse(arena, printed, error);
  require(again && *again == *relation, "another relation", printed);
}

static void fuzzProblem(StringRef text) {
  ProblemOptions options;
  options.explain = true;
  runProblem(text, "fuzz", options, llvm::nulls(), llvm::nulls());
}

static void fuzzAttribute(StringRef text) {
  static MLIRContext *context = [] {
    auto *made = new MLIRContext(MLIRContext::Threading::DISABLED);
    made->loadDialect<SymShapeDialect>();
    made->getDiagEngine().registerHandler(
        [](Diagnostic &) { return success(); });
    return made;
  }();
  Attribute attribute = parseAttribute(text, context);
  if (!attribute)
    return;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  attribute.print(os);
  require(parseAttribute(printed, context) == attribute, "another attribute",
          printed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  StringRef text(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0] % 4) {
  case 0:
    fuzzExpression(text);
    break;
  case 1:
    fuzzRelation(text);
    break;
  case 2:
    fuzzProblem(text);
    break;
  case 3:
    fuzzAttribute(("#symshape." + text).str());
    break;
  }
  return 0;
}
