//===- Facts.cpp - The engine, from C -------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Facts.h"
#include "FactSet.h"
#include "Options.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir::symshape;
using namespace mlir::symshape::capi;
namespace json = llvm::json;

symshape_facts::symshape_facts()
    : own(std::make_shared<Own>()), set(own->set), mutex(own->mutex) {}

symshape_facts *symshape_facts_create(void) { return new symshape_facts(); }
void symshape_facts_destroy(symshape_facts *facts) { delete facts; }

static llvm::Error makeTextError(llvm::StringRef text,
                                 const ParseError &error) {
  return makeInputError("'" + text + "', character " +
                        llvm::Twine(error.offset + 1) + ": " + error.message);
}

static llvm::Expected<Expr> parseExpr(ExprArena &arena, llvm::StringRef text) {
  ParseError error;
  if (Expr e = arena.parse(text, error))
    return e;
  return makeTextError(text, error);
}

static llvm::Expected<Relation> parseRelation(ExprArena &arena,
                                              llvm::StringRef text) {
  ParseError error;
  if (auto relation = Relation::parse(arena, text, error))
    return *relation;
  return makeTextError(text, error);
}

/// OK, or the status of an error, which is kept.
static symshape_status finish(llvm::Error error) {
  return error ? keep(std::move(error)) : SYMSHAPE_OK;
}

/// The text, or NULL after an error, which is kept.
static char *finish(llvm::Expected<char *> text) {
  if (text)
    return *text;
  keep(text.takeError());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

static llvm::Error checkOwn(const symshape_facts &facts) {
  return facts.isOwn() ? llvm::Error::success()
                       : makeInputError("expected facts of their own, but got "
                                        "those of a program");
}

/// Makes a change, which is undone, with an error, if it contradicts what is
/// known.
static llvm::Error change(symshape_facts &facts, Expr around,
                          llvm::function_ref<void()> make,
                          const llvm::Twine &what) {
  ConstraintSet &set = facts.set;
  set.push();
  make();
  bool isPossible = !set.isContradictory() && set.conflictCore(around).empty();
  set.pop();
  if (!isPossible)
    return makeInputError("expected facts that can hold, but " + what +
                          " contradicts the others");
  make();
  return llvm::Error::success();
}

symshape_status symshape_facts_declare(symshape_facts *facts,
                                       const symshape_symbol *symbol) {
  if (isMissing(facts, "facts") || isMissing(symbol, "a symbol"))
    return SYMSHAPE_BAD_INPUT;
  std::lock_guard<std::mutex> lock(facts->mutex);
  auto work = [&]() -> llvm::Error {
    if (llvm::Error error = checkOwn(*facts))
      return error;
    auto known = copySized(*symbol, "symshape_symbol");
    if (!known)
      return known.takeError();
    if (llvm::Error error = expectPointer(known->name, "the name of a symbol"))
      return error;
    auto e = parseExpr(facts->set.arena(), known->name);
    if (!e)
      return e.takeError();
    if (!e->asSymbol())
      return makeInputError("expected a name, but got '" +
                            llvm::Twine(known->name) + "'");
    if (known->modulus < 0)
      return makeInputError("expected a modulus from 0, but got " +
                            llvm::Twine(known->modulus));
    SymbolInfo info;
    info.range = Range::all();
    if (known->has_min)
      info.range.min = llvm::DynamicAPInt(known->min);
    if (known->has_max)
      info.range.max = llvm::DynamicAPInt(known->max);
    if (known->modulus > 1)
      info.residue = Residue::of(llvm::DynamicAPInt(known->remainder),
                                 llvm::DynamicAPInt(known->modulus));
    return change(
        *facts, *e, [&] { facts->set.declare(*e, info); },
        "the declaration of '" + llvm::Twine(known->name) + "'");
  };
  return finish(work());
}

symshape_status symshape_facts_assume(symshape_facts *facts,
                                      const char *relation) {
  if (isMissing(facts, "facts") || isMissing(relation, "a relation"))
    return SYMSHAPE_BAD_INPUT;
  std::lock_guard<std::mutex> lock(facts->mutex);
  auto work = [&]() -> llvm::Error {
    if (llvm::Error error = checkOwn(*facts))
      return error;
    auto parsed = parseRelation(facts->set.arena(), relation);
    if (!parsed)
      return parsed.takeError();
    return change(
        *facts, parsed->lhs - parsed->rhs,
        [&] { (void)facts->set.assume(*parsed); },
        "'" + llvm::Twine(relation) + "'");
  };
  return finish(work());
}

symshape_status symshape_facts_push(symshape_facts *facts) {
  if (isMissing(facts, "facts"))
    return SYMSHAPE_BAD_INPUT;
  std::lock_guard<std::mutex> lock(facts->mutex);
  if (llvm::Error error = checkOwn(*facts))
    return keep(std::move(error));
  facts->set.push();
  ++facts->depth;
  return SYMSHAPE_OK;
}

symshape_status symshape_facts_pop(symshape_facts *facts) {
  if (isMissing(facts, "facts"))
    return SYMSHAPE_BAD_INPUT;
  std::lock_guard<std::mutex> lock(facts->mutex);
  if (facts->depth == 0)
    return keep(makeInputError("expected a push before each pop"));
  facts->set.pop();
  --facts->depth;
  return SYMSHAPE_OK;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static llvm::StringRef nameOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::Yes:
    return "yes";
  case Verdict::No:
    return "no";
  case Verdict::Unknown:
    return "unknown";
  }
  llvm_unreachable("a verdict is one of these");
}

char *symshape_facts_prove(symshape_facts *facts, const char *relation) {
  if (isMissing(facts, "facts") || isMissing(relation, "a relation"))
    return nullptr;
  std::lock_guard<std::mutex> lock(facts->mutex);
  auto work = [&]() -> llvm::Expected<char *> {
    auto parsed = parseRelation(facts->set.arena(), relation);
    if (!parsed)
      return parsed.takeError();
    std::vector<std::string> chain;
    Answer answer = facts->set.explain(*parsed, chain);
    json::Array used;
    for (FactId id : answer.facts)
      used.push_back(facts->set.fact(id).str());
    return copyJSON(json::Object{{"verdict", nameOf(answer.verdict)},
                                 {"reason", answer.reason},
                                 {"facts", std::move(used)}});
  };
  return finish(work());
}

char *symshape_facts_simplify(symshape_facts *facts, const char *expression) {
  if (isMissing(facts, "facts") || isMissing(expression, "an expression"))
    return nullptr;
  std::lock_guard<std::mutex> lock(facts->mutex);
  auto work = [&]() -> llvm::Expected<char *> {
    auto e = parseExpr(facts->set.arena(), expression);
    if (!e)
      return e.takeError();
    return copyText(facts->set.simplify(*e).str());
  };
  return finish(work());
}

char *symshape_facts_bounds(symshape_facts *facts, const char *expression) {
  if (isMissing(facts, "facts") || isMissing(expression, "an expression"))
    return nullptr;
  std::lock_guard<std::mutex> lock(facts->mutex);
  auto work = [&]() -> llvm::Expected<char *> {
    auto e = parseExpr(facts->set.arena(), expression);
    if (!e)
      return e.takeError();
    Range range = facts->set.bounds(*e);
    Residue residue = facts->set.residue(*e);
    auto end = [](const std::optional<llvm::DynamicAPInt> &value) {
      return value ? json::Value(llvm::to_string(*value))
                   : json::Value(nullptr);
    };
    return copyJSON(
        json::Object{{"min", end(range.min)},
                     {"max", end(range.max)},
                     {"modulus", llvm::to_string(residue.modulus)},
                     {"remainder", llvm::to_string(residue.remainder)}});
  };
  return finish(work());
}

static llvm::Error checkNames(const char *const *names, const int64_t *values,
                              int64_t count) {
  if (llvm::Error error = expectPointer(names, "names", count))
    return error;
  for (int64_t i = 0; i < count; ++i)
    if (llvm::Error error = expectPointer(names[i], "name " + llvm::Twine(i)))
      return error;
  return expectPointer(values, "values", count);
}

char *symshape_evaluate(const char *expression, const char *const *names,
                        const int64_t *values, int64_t num_values) {
  if (isMissing(expression, "an expression"))
    return nullptr;
  ExprArena arena;
  auto work = [&]() -> llvm::Expected<char *> {
    if (llvm::Error error = checkNames(names, values, num_values))
      return std::move(error);
    auto e = parseExpr(arena, expression);
    if (!e)
      return e.takeError();
    std::string missing;
    auto value = arena.evaluateExact(
        *e, [&](Expr symbol) -> std::optional<llvm::DynamicAPInt> {
          for (int64_t i = 0; i < num_values; ++i)
            if (*symbol.asSymbol() == names[i])
              return llvm::DynamicAPInt(values[i]);
          missing = symbol.str();
          return std::nullopt;
        });
    if (value)
      return copyText(llvm::to_string(*value));
    if (!missing.empty())
      return makeInputError("expected a value for '" + missing +
                            "', but got none");
    return makeInputError("'" + llvm::Twine(expression) +
                          "' divides by 0, or is too large");
  };
  return finish(work());
}

char *symshape_expression_symbols(const char *expression) {
  if (isMissing(expression, "an expression"))
    return nullptr;
  ExprArena arena;
  auto work = [&]() -> llvm::Expected<char *> {
    auto e = parseExpr(arena, expression);
    if (!e)
      return e.takeError();
    json::Array names;
    for (Expr symbol : e->symbols())
      names.push_back(symbol.str());
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(names));
    return copyText(text);
  };
  return finish(work());
}
