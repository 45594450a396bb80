//===- CompileReport.cpp - What a compilation took, in words --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/CompileReport.h"
#include "symshape/Execution/Compile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::symshape;
namespace json = llvm::json;

llvm::Expected<json::Object>
mlir::symshape::measureCompilation(const ProgramSource &source,
                                   const CompileOptions &options) {
  CompileOptions measured = options;
  measured.timeReport = true;
  auto code = compileCode(source, measured);
  if (!code)
    return code.takeError();
  return *code->times.report;
}

static double number(const json::Object &object, llvm::StringRef key) {
  return object.getNumber(key).value_or(0);
}

static llvm::StringRef text(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("");
}

/// Calls `print` with each object of a field that is a list of them.
static void forEach(const json::Object &report, llvm::StringRef key,
                    llvm::function_ref<void(const json::Object &)> print) {
  if (const json::Array *list = report.getArray(key))
    for (const json::Value &one : *list)
      print(*one.getAsObject());
}

void mlir::symshape::printCompileReport(llvm::raw_ostream &os,
                                        const json::Object &report) {
  double all = number(report, "seconds");
  auto printTime = [&](const json::Object &one) {
    double seconds = number(one, "seconds");
    os << llvm::formatv("  {0,8:f4} s ({1,5:f1}%)  {2}\n", seconds,
                        all > 0 ? 100 * seconds / all : 0, text(one, "name"));
  };
  os << llvm::formatv("compiling @{0} took {1:f4} s\n",
                      text(report, "function"), all);
  os << "stages\n";
  forEach(report, "stages", printTime);
  os << "passes, the longest first\n";
  forEach(report, "passes", printTime);
  os << llvm::formatv("questions to the fact engine: {0}, of which {1} decided "
                      "anew, in {2:f4} s of the processor; the costliest\n",
                      uint64_t(number(report, "numAsked")),
                      uint64_t(number(report, "numDecided")),
                      number(report, "questionSeconds"));
  forEach(report, "questions", [&](const json::Object &one) {
    os << llvm::formatv("  {0,8:f4} s, {1} steps, asked {2} times: {3}\n",
                        number(one, "seconds"), uint64_t(number(one, "steps")),
                        uint64_t(number(one, "asked")), text(one, "question"));
    if (!text(one, "place").empty())
      os << "      at " << text(one, "place") << '\n';
  });
  os << llvm::formatv("rewrite patterns looked at ops {0} times\n",
                      uint64_t(number(report, "numRewriteSteps")));
  double instructions = number(report, "numInstructions");
  os << llvm::formatv("instructions before optimization: {0}, most of\n",
                      uint64_t(instructions));
  forEach(report, "places", [&](const json::Object &one) {
    double count = number(one, "instructions");
    os << llvm::formatv("  {0,8} ({1,5:f1}%)  {2}\n", uint64_t(count),
                        100 * count / instructions, text(one, "place"));
  });
}
