//===- EditProgram.cpp - Programs changed before they are compiled --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is parsed, changed, and kept as bytecode, which has the places of
// ops and, as attributes, the names of arguments.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/EditProgram.h"
#include "SourceFile.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "symshape/Execution/ArgumentNames.h"
#include "symshape/IR/Donation.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WrittenNames.h"
#include "symshape/Transforms/AutoDiff.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::symshape;

/// Changes a function; gives the one that is the entry of what comes out.
using Edit = llvm::function_ref<llvm::Expected<func::FuncOp>(func::FuncOp)>;

static llvm::Expected<ProgramSource> rewrite(const ProgramSource &source,
                                             const DiagnosticSink &diagnostics,
                                             Edit edit) {
  StringRef name = source.bytes->getBufferIdentifier();
  std::string bytes, entry;
  llvm::Error error = runRecovering(name, [&]() -> llvm::Error {
    SourceFile file(diagnostics);
    if (llvm::Error error = file.parse(*source.bytes, source.signature.name))
      return error;
    auto edited = edit(cast<func::FuncOp>(file.getEntry().getOperation()));
    if (!edited)
      return edited.takeError();
    entry = edited->getName().str();
    llvm::raw_string_ostream os(bytes);
    if (failed(verify(file.getModule())) ||
        failed(writeBytecodeToFile(file.getModule(), os)))
      return cannotCompile("cannot change the program of '" + name + "'");
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  auto changed =
      ProgramSource::parse(llvm::MemoryBuffer::getMemBufferCopy(bytes, name),
                           /*isModel=*/false, entry, nullptr, diagnostics);
  if (changed)
    changed->weights = source.weights;
  return changed;
}

//===----------------------------------------------------------------------===//
// Versions, weights and donated memory
//===----------------------------------------------------------------------===//

/// The attribute, after the checks that its parser and verifier make with a
/// diagnostic.
static llvm::Expected<VersionAttr> readVersion(func::FuncOp entry,
                                               const VersionRequest &request) {
  MLIRContext *context = entry.getContext();
  ExprArena arena;
  ParseError error;
  auto formula = Formula::parse(arena, request.condition, error);
  auto bad = [&](const llvm::Twine &why) {
    return makeInputError("version '" + request.name + "': " + why);
  };
  if (!formula)
    return bad(error.message + " in '" + request.condition + "'");
  llvm::ArrayRef<Formula> parts =
      formula->kind == Formula::And ? llvm::ArrayRef(formula->parts) : *formula;
  SmallVector<FactAttr> facts;
  for (const Formula &part : parts) {
    if (!part.isLiteral() || part.negated)
      return bad("expected relations under 'and', but got '" +
                 request.condition + "'");
    facts.push_back(FactAttr::get(context, part.str()));
  }
  return VersionAttr::get(context, request.name, facts);
}

static llvm::Error addVersions(func::FuncOp entry,
                               llvm::ArrayRef<VersionRequest> requests) {
  SmallVector<Attribute> all;
  if (auto declared =
          entry->getAttrOfType<ArrayAttr>(SymShapeDialect::kVersions))
    llvm::append_range(all, declared);
  for (const VersionRequest &request : requests) {
    auto version = readVersion(entry, request);
    if (!version)
      return version.takeError();
    all.push_back(*version);
  }
  if (!all.empty())
    entry->setAttr(SymShapeDialect::kVersions,
                   ArrayAttr::get(entry.getContext(), all));
  return llvm::Error::success();
}

/// Adds to what the entry assumes of calls.
static llvm::Error addFacts(func::FuncOp entry,
                            llvm::ArrayRef<std::string> facts) {
  SmallVector<FactAttr> all;
  for (const std::string &fact : facts) {
    ExprArena arena;
    ParseError error;
    auto formula = Formula::parse(arena, fact, error);
    if (!formula)
      return makeInputError("fact '" + fact + "': " + error.message);
    all.push_back(FactAttr::get(entry.getContext(), formula->str()));
  }
  addAssumptions(entry, all);
  return llvm::Error::success();
}

/// Whether `name` is that of an argument, or of its weight.
static bool isArgumentName(func::FuncOp entry, unsigned argument,
                           StringRef name) {
  auto weight =
      entry.getArgAttrOfType<StringAttr>(argument, SymShapeDialect::kWeight);
  if (weight && weight.getValue() == name)
    return true;
  std::string spelled = getArgumentName(entry, argument);
  StringRef own = spelled;
  return own == name || (own.consume_front("%") && own == name);
}

/// The number of the argument; nullopt if there is none of that name.
static std::optional<unsigned> findArgument(func::FuncOp entry,
                                            StringRef name) {
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i)
    if (isArgumentName(entry, i, name))
      return i;
  return std::nullopt;
}

/// The names of arguments as messages list them.
static std::string listArguments(func::FuncOp entry) {
  SmallVector<std::string> known;
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i)
    known.push_back(getArgumentName(entry, i));
  return llvm::join(known, ", ");
}

/// A result by its name, or by its number after `#`.
static std::optional<unsigned> findResult(func::FuncOp entry, StringRef name) {
  for (unsigned i = 0, e = entry.getNumResults(); i < e; ++i)
    if (getResultName(entry, i) == name || "#" + std::to_string(i) == name)
      return i;
  return std::nullopt;
}

static llvm::Error donate(func::FuncOp entry, const EntryAdditions &additions) {
  Builder b(entry.getContext());
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i)
    if (Attribute proposed = entry.getArgAttr(i, kDonatable))
      if (additions.donatesAll)
        entry.setArgAttr(i, kDonated, proposed);
  for (const auto &[from, to] : additions.donations) {
    auto argument = findArgument(entry, from);
    auto result = findResult(entry, to);
    if (!argument || !result) {
      SmallVector<std::string> known;
      for (unsigned i = 0, e = entry.getNumResults(); i < e; ++i)
        known.push_back(getResultName(entry, i));
      return makeInputError(
          "@" + entry.getName() + ": expected to donate one of " +
          listArguments(entry) + " to one of " + llvm::join(known, ", ") +
          ", but got '" + from + "' and '" + to + "'");
    }
    Type type = entry.getArgumentTypes()[*argument];
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto other = dyn_cast<RankedTensorType>(entry.getResultTypes()[*result]);
    if (!tensor || !other ||
        tensor.getElementType() != other.getElementType() ||
        failed(verifyCompatibleShape(tensor, other)) ||
        entry.getArgAttr(*argument, SymShapeDialect::kWeight))
      return makeInputError("@" + entry.getName() + ": expected '" + from +
                            "' to be an input of the type of '" + to + "'");
    entry.setArgAttr(*argument, kDonated, b.getI64IntegerAttr(*result));
  }
  return llvm::Error::success();
}

llvm::Expected<ProgramSource>
mlir::symshape::addToEntry(const ProgramSource &source,
                           const EntryAdditions &additions,
                           const DiagnosticSink &diagnostics) {
  auto edit = [&](func::FuncOp entry) -> llvm::Expected<func::FuncOp> {
    for (const std::string &name : additions.weights)
      if (auto argument = findArgument(entry, name);
          argument && !entry.getArgAttr(*argument, SymShapeDialect::kWeight))
        entry.setArgAttr(*argument, SymShapeDialect::kWeight,
                         StringAttr::get(entry.getContext(), name));
    if (llvm::Error error = addVersions(entry, additions.versions))
      return std::move(error);
    if (llvm::Error error = addFacts(entry, additions.facts))
      return std::move(error);
    if (llvm::Error error = donate(entry, additions))
      return std::move(error);
    return entry;
  };
  return rewrite(source, diagnostics, edit);
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

static llvm::Expected<SmallVector<int64_t>>
findArguments(func::FuncOp entry, llvm::ArrayRef<std::string> names) {
  SmallVector<int64_t> numbers;
  for (const std::string &name : names) {
    auto argument = findArgument(entry, name);
    if (!argument)
      return makeInputError("@" + entry.getName() + ": expected one of " +
                            listArguments(entry) + ", but got '" + name + "'");
    numbers.push_back(*argument);
  }
  return numbers;
}

static FailureOr<func::FuncOp> derive(func::FuncOp entry, DerivativeKind kind,
                                      const Request &request) {
  switch (kind) {
  case DerivativeKind::Gradient:
    return buildGradient(entry, request);
  case DerivativeKind::Vjp:
    return buildVjp(entry, request);
  case DerivativeKind::Jvp:
    return buildJvp(entry, request);
  }
  llvm_unreachable("a kind is one of these");
}

llvm::Expected<ProgramSource>
mlir::symshape::differentiate(const ProgramSource &source,
                              const DerivativeRequest &request,
                              const DiagnosticSink &diagnostics) {
  auto edit = [&](func::FuncOp entry) -> llvm::Expected<func::FuncOp> {
    auto wrt = findArguments(entry, request.wrt);
    if (!wrt)
      return wrt.takeError();
    for (int64_t result : request.results)
      if (result < 0 || result >= entry.getNumResults())
        return makeInputError("@" + entry.getName() +
                              ": expected a result below " +
                              llvm::Twine(entry.getNumResults()) +
                              ", but got " + llvm::Twine(result));
    auto derived =
        derive(entry, request.kind, Request(entry, *wrt, request.results));
    if (failed(derived))
      return cannotCompile("cannot differentiate @" + entry.getName());
    return *derived;
  };
  return rewrite(source, diagnostics, edit);
}
