//===- PrintReport.cpp - A report as text ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines for people; programs read the JSON.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/Report.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;
namespace json = llvm::json;

static llvm::StringRef text(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("");
}

/// The elements of a field that is an array of objects.
static std::vector<const json::Object *> objects(const json::Object &object,
                                                 llvm::StringRef key) {
  std::vector<const json::Object *> result;
  if (const json::Array *array = object.getArray(key))
    for (const json::Value &element : *array)
      result.push_back(element.getAsObject());
  return result;
}

static void printValues(llvm::raw_ostream &os, const json::Object &function,
                        llvm::StringRef key) {
  for (const json::Object *value : objects(function, key)) {
    os << "  " << text(*value, "name") << ": " << text(*value, "type");
    if (const json::Array *extents = value->getArray("extents")) {
      llvm::StringRef separator = "  [";
      for (const json::Value &extent : *extents) {
        os << separator << extent.getAsString().value_or("");
        separator = ", ";
      }
      os << (extents->empty() ? "" : "]");
    }
    os << '\n';
  }
}

/// A line for each string of a field that is an array of strings.
static void printLines(llvm::raw_ostream &os, llvm::StringRef begin,
                       const json::Object &object, llvm::StringRef key) {
  if (const json::Array *array = object.getArray(key))
    for (const json::Value &line : *array)
      os << begin << line.getAsString().value_or("") << '\n';
}

static void printSymbols(llvm::raw_ostream &os, const json::Object &function) {
  for (const json::Object *symbol : objects(function, "symbols")) {
    os << "  symbol " << text(*symbol, "name") << " in "
       << text(*symbol, "range");
    if (text(*symbol, "policy") != "auto")
      os << ", " << text(*symbol, "policy");
    os << ": " << text(*symbol, "why") << '\n';
    if (std::optional<int64_t> value = symbol->getInteger("value"))
      os << "    is " << *value << " alone:\n";
    printLines(os, "      ", *symbol, "chain");
  }
}

static void printGuards(llvm::raw_ostream &os, const json::Object &function) {
  for (const json::Object *guard : objects(function, "guards")) {
    os << "  guard: " << text(*guard, "condition") << '\n';
    printLines(os, "    needed by ", *guard, "reasons");
    if (guard->get("numpy"))
      os << "    " << text(*guard, "numpy") << '\n';
    os << "    not checked " << text(*guard, "gone") << '\n';
  }
  for (const json::Object *guard : objects(function, "dropped")) {
    os << "  no guard: " << text(*guard, "condition") << '\n';
    printLines(os, "    needed by ", *guard, "reasons");
    printLines(os, "    implied by ", *guard, "impliedBy");
  }
}

static void printChecks(llvm::raw_ostream &os, const json::Object &function) {
  for (const json::Object *check : objects(function, "checks")) {
    os << "  check: " << text(*check, "condition") << '\n';
    printLines(os, "    needed by ", *check, "reasons");
    os << "    before " << text(*check, "before") << '\n';
  }
  size_t numPlain = 0;
  for (const json::Object *proof : objects(function, "proved")) {
    if (proof->getArray("impliedBy")->empty()) {
      numPlain += proof->getArray("reasons")->size();
      continue;
    }
    os << "  holds: " << text(*proof, "formula") << '\n';
    printLines(os, "    needed by ", *proof, "reasons");
    printLines(os, "    implied by ", *proof, "impliedBy");
  }
  if (numPlain)
    os << "  " << numPlain
       << " other requirements hold by types and ranges alone\n";
}

static void printVersions(llvm::raw_ostream &os, const json::Object &function) {
  for (const json::Object *version : objects(function, "versions"))
    os << "  version " << text(*version, "name") << ": "
       << text(*version, "serves") << '\n';
  printLines(os, "  ", function, "unusedVersions");
}

static void printMemory(llvm::raw_ostream &os, const json::Object &memory) {
  if (std::optional<llvm::StringRef> reason = memory.getString("notPlanned")) {
    os << "  memory: not planned: " << *reason << '\n';
    return;
  }
  os << "  arena: " << text(memory, "arena") << " bytes\n";
  // As expressions these are too long to read.
  std::pair<llvm::StringRef, llvm::StringRef> sizes[] = {
      {"arena", "arena"},
      {"mostInUse", "most in use at once"},
      {"sumOfAll", "sum of all buffers"}};
  const json::Object *evaluated = memory.getObject("evaluated");
  for (auto [key, label] : sizes)
    if (std::optional<int64_t> value =
            evaluated ? evaluated->getInteger(key) : std::nullopt)
      os << "    here " << label << ": " << *value << " bytes\n";
  for (const json::Object *buffer : objects(memory, "buffers")) {
    os << "    " << text(*buffer, "op") << " at " << text(*buffer, "at") << ": "
       << text(*buffer, "bytes") << " bytes at offset "
       << text(*buffer, "offset");
    if (buffer->get("reserved"))
      os << "; " << text(*buffer, "reserved");
    os << '\n';
  }
  for (const json::Object *buffer : objects(memory, "heap"))
    os << "    " << text(*buffer, "op") << " at " << text(*buffer, "at")
       << ": not in the arena: " << text(*buffer, "reason") << '\n';
}

void mlir::symshape::printReport(llvm::raw_ostream &os,
                                 const json::Value &report) {
  for (const json::Object *function :
       objects(*report.getAsObject(), "functions")) {
    os << '@' << text(*function, "name") << '\n';
    printSymbols(os, *function);
    printValues(os, *function, "arguments");
    printValues(os, *function, "results");
    printGuards(os, *function);
    printChecks(os, *function);
    printVersions(os, *function);
    printMemory(os, *function->getObject("memory"));
  }
}
