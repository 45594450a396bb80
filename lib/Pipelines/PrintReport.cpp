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

#include "symshape/Pipelines/BriefReport.h"
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

/// What a function takes, and how much of it is proved or checked.
static void printHead(llvm::raw_ostream &os, const json::Object &function) {
  auto count = [&](llvm::StringRef key, llvm::StringRef what) {
    int64_t number = function.getInteger(key).value_or(0);
    os << ", " << number << ' ' << what << (number == 1 ? "" : "s");
  };
  os << '@' << text(function, "name") << ": "
     << (text(function, "fits").empty() ? "()" : text(function, "fits")) << "; "
     << function.getInteger("numProved").value_or(0) << " proved";
  count("numGuards", "guard");
  count("numChecks", "check");
  if (int64_t left = function.getInteger("numLeft").value_or(0))
    os << ", " << left << " left to its callers";
  os << '\n';
}

/// Whether the type of a value leaves an extent open.
static bool isDynamic(const json::Object &value) {
  return text(value, "type").contains('?');
}

/// A line for each value; that of a result says so, also where it has a name.
static void printValues(llvm::raw_ostream &os, const json::Object &function,
                        llvm::StringRef key) {
  for (const json::Object *value : objects(function, key)) {
    if (value->get("weight") && !isDynamic(*value))
      continue; // the file of weights says as much
    bool isNamed = !text(*value, "name").starts_with("result #");
    os << (key == "results" && isNamed ? "  result " : "  ")
       << text(*value, "name") << ": " << text(*value, "type");
    const json::Array *extents = value->getArray("extents");
    if (extents && isDynamic(*value)) {
      llvm::StringRef separator = "  [";
      for (const json::Value &extent : *extents) {
        os << separator << extent.getAsString().value_or("");
        separator = ", ";
      }
      os << ']';
    }
    os << '\n';
  }
}

/// The sentence of a condition, and where its names come from, except those
/// that the function lists as symbols.
static void printCondition(llvm::raw_ostream &os, const json::Object &function,
                           llvm::StringRef begin, const json::Object &object) {
  auto [sentence, origins] = text(object, "condition").split('\n');
  os << begin << sentence << '\n';
  while (!origins.empty()) {
    auto [line, rest] = origins.split('\n');
    origins = rest;
    llvm::StringRef name = line.trim().split(" is ").first;
    auto isThis = [&](const json::Object *symbol) {
      return text(*symbol, "name") == name;
    };
    if (llvm::none_of(objects(function, "symbols"), isThis))
      os << "    " << line.trim() << '\n';
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
    os << "  symbol " << text(*symbol, "name");
    if (llvm::StringRef limits = text(*symbol, "limits"); !limits.empty())
      os << ' ' << limits;
    if (text(*symbol, "policy") != "auto")
      os << ", " << text(*symbol, "policy");
    os << ": " << text(*symbol, "origin") << '\n';
    if (std::optional<int64_t> value = symbol->getInteger("value"))
      os << "    is " << *value << " alone:\n";
    printLines(os, "      ", *symbol, "chain");
  }
}

static void printGuards(llvm::raw_ostream &os, const json::Object &function) {
  for (const json::Object *guard : objects(function, "guards")) {
    printCondition(os, function, "  guard: ", *guard);
    printLines(os, "    needed by ", *guard, "reasons");
    if (guard->get("numpy"))
      os << "    " << text(*guard, "numpy") << '\n';
  }
  if (!objects(function, "guards").empty())
    os << "  a guard is gone without what needs it, or with its symbols bound "
          "to values that meet it (symshape-fixate)\n";
  for (const json::Object *guard : objects(function, "dropped")) {
    printCondition(os, function, "  no guard: ", *guard);
    printLines(os, "    needed by ", *guard, "reasons");
    printLines(os, "    implied by ", *guard, "impliedBy");
  }
}

static void printChecks(llvm::raw_ostream &os, const json::Object &function) {
  for (const json::Object *check : objects(function, "checks")) {
    printCondition(os, function, "  check: ", *check);
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
  if (memory.get("isInCallers")) {
    os << "  memory: a part of its callers'\n";
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

static void printKernels(llvm::raw_ostream &os, const json::Object &function) {
  for (const json::Object *kernel : objects(function, "kernels")) {
    os << "  kernel " << text(*kernel, "name") << " at " << text(*kernel, "at")
       << ": blocks " << text(*kernel, "blocks") << ", threads "
       << kernel->getInteger("threads").value_or(0);
    if (kernel->getBoolean("tensorCores"))
      os << ", tensor cores";
    if (kernel->getBoolean("isWide").value_or(false))
      os << ", 16 bytes at a time";
    if (const json::Array *conditions = kernel->getArray("conditions"))
      for (const json::Value &condition : *conditions)
        os << "; if " << condition.getAsString().value_or("");
    os << (kernel->getBoolean("inLoop") ? "; in a loop\n" : "\n");
  }
  for (const json::Object *read : objects(function, "reads"))
    os << "  read back at " << text(*read, "at") << ": " << text(*read, "for")
       << " depends on it\n";
}

static void printFunctions(llvm::raw_ostream &os, const json::Value &report) {
  for (const json::Object *function :
       objects(*report.getAsObject(), "functions")) {
    printHead(os, *function);
    printSymbols(os, *function);
    printValues(os, *function, "arguments");
    printValues(os, *function, "results");
    printGuards(os, *function);
    printChecks(os, *function);
    printVersions(os, *function);
    printMemory(os, *function->getObject("memory"));
    printKernels(os, *function);
  }
}

void mlir::symshape::printReport(llvm::raw_ostream &os,
                                 const json::Value &report) {
  if (!report.getAsObject()->getBoolean("isModel").value_or(false))
    return printFunctions(os, report);
  std::string text;
  llvm::raw_string_ostream lines(text);
  printFunctions(lines, report);
  os << spellInPython(std::move(text));
}
