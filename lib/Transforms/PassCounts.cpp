//===- PassCounts.cpp - What passes have counted --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/PassCounts.h"

#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::symshape;

static std::atomic<bool> isEnabled = false;
static std::mutex mutex;
static std::map<std::string, std::map<std::string, uint64_t>> counts;

void symshape::enablePassCounts() { isEnabled = true; }

void symshape::addToPassCounts(StringRef pass, StringRef name,
                               uint64_t number) {
  if (!isEnabled)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  counts[pass.str()][name.str()] += number;
}

void symshape::printPassCounts(raw_ostream &os) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &[pass, ofPass] : counts) {
    os << pass << '\n';
    for (const auto &[name, count] : ofPass)
      os << "  (S) " << count << ' ' << name << '\n';
  }
}
