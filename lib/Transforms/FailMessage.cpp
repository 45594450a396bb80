//===- FailMessage.cpp - What a check says when it fails ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/FailMessage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

FailMessage &FailMessage::operator<<(const Twine &text) {
  if (parts.empty() || !std::holds_alternative<std::string>(parts.back()))
    parts.emplace_back(std::string());
  std::get<std::string>(parts.back()) += text.str();
  return *this;
}

FailMessage &FailMessage::operator<<(Value index) {
  parts.emplace_back(index);
  return *this;
}

FailMessage &FailMessage::operator<<(Expr number) {
  parts.emplace_back(number);
  return *this;
}

FailMessage &FailMessage::addTemplate(StringRef text, ArrayRef<Expr> shown) {
  while (!text.empty()) {
    size_t brace = text.find('{');
    *this << text.take_front(brace);
    text = text.drop_front(std::min(brace, text.size()));
    unsigned index;
    StringRef rest = text;
    if (rest.consume_front("{") && !rest.consumeInteger(10, index) &&
        rest.consume_front("}") && index < shown.size()) {
      *this << shown[index];
      text = rest;
    } else if (!text.empty()) {
      *this << "{";
      text = text.drop_front(text.starts_with("{{") ? 2 : 1);
    }
  }
  return *this;
}

FailMessage &FailMessage::append(const FailMessage &other) {
  for (const auto &part : other.parts)
    std::visit([&](const auto &one) { *this << one; }, part);
  return *this;
}

FailMessage &FailMessage::addTriple(StringRef primitive, const Twine &field,
                                    const FailMessage &observed) {
  std::string begin = makeTriple(primitive, field, "");
  *this << "\nsymshape: " << StringRef(begin).drop_back();
  return append(observed) << "}";
}

void FailMessage::transform(llvm::function_ref<Expr(Expr)> function) {
  for (auto &part : parts)
    if (Expr *number = std::get_if<Expr>(&part))
      *number = function(*number);
}

static std::string escapeBraces(StringRef text) {
  std::string result;
  for (char c : text)
    result.append(c == '{' ? 2 : 1, c);
  return result;
}

std::string FailMessage::str() const {
  std::string text;
  unsigned next = 0;
  for (const auto &part : parts) {
    if (auto *plain = std::get_if<std::string>(&part))
      text += escapeBraces(*plain);
    else
      text += "{" + std::to_string(next++) + "}";
  }
  return text;
}

FailOp FailMessage::emit(OpBuilder &builder, Location loc,
                         ExprEmitter *emitter) const {
  // As many as the runtime reads.
  constexpr size_t maxWords = 64;
  SmallVector<Value> operands;
  std::string text;
  for (const auto &part : parts) {
    if (auto *plain = std::get_if<std::string>(&part)) {
      text += escapeBraces(*plain);
      continue;
    }
    SmallVector<Value, 1> words;
    if (auto *value = std::get_if<Value>(&part))
      words.push_back(*value);
    else
      words = emitter->emitWords(std::get<Expr>(part));
    if (words.empty())
      words.push_back(arith::ConstantIndexOp::create(builder, loc, -1));
    if (words.size() > maxWords || !words.front()) {
      text += "...";
      continue;
    }
    text += "{" + std::to_string(operands.size());
    if (words.size() > 1)
      text += ":" + std::to_string(words.size());
    text += "}";
    llvm::append_range(operands, words);
  }
  return FailOp::create(builder, loc, operands, text);
}

OpBuilder mlir::symshape::branchIf(OpBuilder &builder, Location loc,
                                   Value fails) {
  auto branch =
      scf::IfOp::create(builder, loc, fails, /*withElseRegion=*/false);
  return OpBuilder(branch.thenBlock(), branch.thenBlock()->begin());
}

OpBuilder mlir::symshape::branchUnless(OpBuilder &builder, Location loc,
                                       Value holds) {
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return branchIf(builder, loc,
                  arith::XOrIOp::create(builder, loc, holds, yes));
}
