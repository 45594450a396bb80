//===- AdaptiveSoon.cpp - The first answer soon ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What serves calls while better code is compiled in the background: code for
// all shapes that is made quickly, then such code of full quality, then code
// for fewer shapes. Quick code is never kept for later processes.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/AdaptiveProgram.h"
#include <chrono>

using namespace mlir;
using namespace mlir::symshape;

template <typename T>
static bool isThere(const std::shared_future<T> &future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/// What is to be said of the program is said by the code that replaces this, or
/// by that which is compiled after an error.
llvm::Expected<AdaptiveProgram::Variant>
AdaptiveProgram::makeQuickly(const Extents &extents) {
  CompileOptions compile = makeOptions(extents);
  if (!options.compile.quick)
    compile.diagnostics = [](const ProgramDiagnostic &) {};
  compile.quick = true;
  return makeVariant(compile, extents,
                     "serves calls until better code is there");
}

llvm::Expected<AdaptiveProgram::Variant>
AdaptiveProgram::getSoon(const Extents &extents) {
  bool isAtHand;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = variants.find(extents);
    isAtHand =
        it != variants.end() && isThere(it->second) && it->second.get().variant;
  }
  if (isAtHand || options.compile.gpu ||
      (state && state->hasCode(makeOptions(extents))))
    return waitFor(extents, "serves calls until other code is there");
  auto made = makeOnce(quickVariants, extents, [&](const DiagnosticSink &) {
    return makeQuickly(extents);
  });
  if (made)
    return made->first;
  llvm::consumeError(made.takeError());
  return waitFor(extents, "there is no quick code");
}

llvm::Expected<AdaptiveProgram::Variant>
AdaptiveProgram::serveSoon(llvm::ArrayRef<int64_t> dims, const Wish &wish) {
  Variant found = wish.found;
  Extents general = chooseExtents(dims, DynamicMode::Always);
  if (!found) {
    bool isKept = state && state->hasCode(makeOptions(wish.extents));
    auto made = isKept ? waitFor(wish.extents, wish.reason) : getSoon(general);
    if (!made)
      return made.takeError();
    found = std::move(*made);
  }
  if (isReplaced(*found))
    compileInBackground(general, "serves calls until other code is there");
  if (found->extents != wish.extents)
    compileInBackground(wish.extents, wish.reason);
  return found;
}

void AdaptiveProgram::dropQuick(const ProgramVariant &full) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = quickVariants.find(full.extents);
  if (it == quickVariants.end() || !isThere(it->second))
    return;
  if (wants(EventLog::Compiles) && it->second.get().variant)
    options.log->tell(
        EventLog::Compiles, "replaced",
        llvm::json::Object{{"code", describe(*it->second.get().variant)},
                           {"by", describe(full)}});
  quickVariants.erase(it);
}

/// One at a time; what is wanted meanwhile will be wanted again by a later
/// call.
void AdaptiveProgram::compileInBackground(const Extents &extents,
                                          std::string reason) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (variants.count(extents))
      return;
  }
  background.start([this, extents, reason] {
    Manner manner;
    manner.mayStop = true;
    // An error is reported to the calls that have no other code, or to nobody.
    if (auto made = waitFor(extents, reason, manner); !made)
      llvm::consumeError(made.takeError());
  });
}
