//===- CompileReport.cpp - What a compilation took ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompileReport.h.
//
//===----------------------------------------------------------------------===//

#include "CompileReport.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "symshape/IR/Places.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;
using namespace mlir::symshape;

CompileReport::CompileReport(bool isWanted) : isWanted(isWanted) {
  manager.setEnabled(isWanted);
  manager.setDisplayMode(DefaultTimingManager::DisplayMode::List);
  manager.setOutput(
      createOutputStrategy(DefaultTimingManager::OutputFormat::Text, out));
  whole = manager.getRootScope();
}

void CompileReport::countCode(ModuleOp lowered) {
  if (!isWanted)
    return;
  llvm::DenseMap<Location, int64_t> countOf;
  int64_t total = 0;
  lowered.walk([&](LLVM::LLVMFuncOp function) {
    function.walk([&](Operation *op) {
      ++countOf[op->getLoc()];
      ++total;
    });
  });
  std::map<std::string, int64_t> countAt;
  for (auto [loc, count] : countOf) {
    std::string node = describeNode(loc), place = describePlace(loc);
    countAt[!node.empty()    ? node
            : !place.empty() ? place
                             : "no op of the program"] += count;
  }
  SmallVector<std::pair<std::string, int64_t>> counts(countAt.begin(),
                                                      countAt.end());
  llvm::sort(counts, [](auto &a, auto &b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
  constexpr size_t most = 10;
  llvm::raw_string_ostream text(code);
  text << "instructions before optimization: " << total << ", most of\n";
  for (auto &[place, count] : ArrayRef(counts).take_front(most))
    text << llvm::formatv("  {0,8} ({1,5:f1}%)  {2}\n", count,
                          100.0 * count / total, place);
}

std::string CompileReport::finish() {
  if (!isWanted)
    return "";
  whole.stop();
  manager.print();
  return times + code;
}
