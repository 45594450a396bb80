//===- ReportExprs.cpp - Expressions that a report evaluates --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportExprs.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

// Readers may hold numbers as doubles.
static constexpr int64_t kMaxPlainNumber = int64_t(1) << 53;

static json::Value numberNode(const llvm::DynamicAPInt &number) {
  if (llvm::abs(number) <= kMaxPlainNumber)
    return llvm::int64fromDynamicAPInt(number);
  return json::Array{"int", llvm::to_string(number)};
}

unsigned ExprTable::add(json::Value node) {
  std::string text = llvm::to_string(node);
  auto [it, isNew] = known.try_emplace(text, nodes.size());
  if (isNew)
    nodes.push_back(std::move(node));
  return it->second;
}

unsigned ExprWriter::writeAtom(Atom atom) {
  json::Array node;
  switch (atom.kind()) {
  case AtomKind::Symbol:
    return writeSymbol(atom.asExpr());
  case AtomKind::FloorDiv:
    node.push_back("floordiv");
    break;
  case AtomKind::Min:
    node.push_back("min");
    break;
  case AtomKind::Max:
    node.push_back("max");
    break;
  case AtomKind::Bc:
    node.push_back("bc");
    break;
  case AtomKind::Named:
    node.push_back(atom.namedIsProduct() ? "*" : "+");
    break;
  }
  for (Expr operand : atom.operands())
    node.push_back(written.at(operand));
  return table.add(std::move(node));
}

unsigned ExprWriter::writeTerm(const Expr::Term &term) {
  json::Array node{"*"};
  if (term.powers.empty() || term.coefficient != 1)
    node.push_back(table.add(numberNode(term.coefficient)));
  for (auto [atom, power] : term.powers) {
    unsigned factor = writeAtom(atom);
    for (unsigned i = 0; i < power; ++i)
      node.push_back(factor);
  }
  if (node.size() == 2)
    return *node[1].getAsUINT64();
  return table.add(std::move(node));
}

/// `e`, whose atoms have their operands written.
unsigned ExprWriter::writeNode(Expr e) {
  ArrayRef<Expr::Term> terms = e.terms();
  if (terms.empty())
    return table.add(0);
  if (terms.size() == 1)
    return writeTerm(terms.front());
  json::Array node{"+"};
  for (const Expr::Term &term : terms)
    node.push_back(writeTerm(term));
  return table.add(std::move(node));
}

unsigned ExprWriter::write(Expr e) {
  SmallVector<std::pair<Expr, bool>> open{{e, false}};
  while (!open.empty()) {
    auto [next, isReady] = open.pop_back_val();
    if (written.count(next))
      continue;
    if (isReady) {
      unsigned node = writeNode(next);
      written[next] = node;
      continue;
    }
    open.push_back({next, true});
    for (const Expr::Term &term : next.terms())
      for (auto [atom, power] : term.powers)
        for (Expr operand : atom.operands())
          open.push_back({operand, false});
  }
  return written.at(e);
}

json::Value ExprWriter::write(const Formula &f) {
  switch (f.kind) {
  case Formula::True:
    return true;
  case Formula::False:
    return false;
  case Formula::Opaque:
    return nullptr;
  case Formula::And:
  case Formula::Or: {
    json::Array node{f.kind == Formula::And ? "and" : "or"};
    for (const Formula &part : f.parts)
      node.push_back(write(part));
    return node;
  }
  case Formula::Literal:
    break;
  }
  static constexpr const char *names[] = {"==", "!=", "<=", "divides"};
  json::Array node{names[f.relation.kind], write(f.relation.lhs),
                   write(f.relation.rhs)};
  if (f.negated)
    return json::Array{"not", std::move(node)};
  return node;
}
