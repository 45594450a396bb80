//===- Attempts.cpp - Rules that guess ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a rule says on a wrong guess is forgotten. Not for: what is guessed.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::symshape;

void FunctionShapes::forget(Value value) {
  values.erase(value);
  conditions.erase(value);
  vectorRanges.erase(value);
  elementFns.erase(value);
  auto type = dyn_cast<ShapedType>(value.getType());
  for (int64_t d = 0; type && type.hasRank() && d < type.getRank(); ++d) {
    extents.erase({value, d});
    dimSymbols.erase({value, d});
  }
}

/// The results of `op`, and what is inside it.
void FunctionShapes::forgetInside(Operation *op) {
  llvm::DenseSet<Value> gone;
  auto remove = [&](Value value) {
    forget(value);
    gone.insert(value);
  };
  op->walk([&](Operation *inner) {
    llvm::for_each(inner->getResults(), remove);
    for (Region &region : inner->getRegions()) {
      regionEntries.erase(&region);
      for (Block &block : region) {
        learned.erase(&block);
        llvm::for_each(block.getArguments(), remove);
      }
    }
  });
  for (auto it = wrapped.begin(); it != wrapped.end(); ++it)
    if (gone.contains(it->second))
      wrapped.erase(it);
}

/// Symbols that were made stay: values from outside may refer to them.
bool FunctionShapes::attempt(llvm::function_ref<bool()> rule) {
  Operation *op = current;
  Block *block = op->getBlock();
  size_t numLearned = learnedIn(block).size(), numRequired = required.size(),
         numWithoutRule = noRule.size(), numRedefined = redefined.size();
  SmallVector<IterationVar, 0> iterations = pendingIterations;
  openScope(Formula::truth(true), {});
  pendingIterations = iterations;
  ++openAttempts;
  bool isRight = rule();
  --openAttempts;
  current = op;
  closeScope();
  pendingIterations = std::move(iterations);
  if (isRight) {
    for (const Learned &fact : learnedIn(block).drop_front(numLearned))
      assume(set, fact.second);
  } else {
    forgetInside(op);
    auto &taught = learned[block];
    taught.erase(taught.begin() + numLearned, taught.end());
    required.truncate(numRequired);
    noRule.truncate(numWithoutRule);
    for (; redefined.size() > numRedefined; redefined.pop_back()) {
      auto &[symbol, before] = redefined.back();
      if (before)
        definitions[symbol] = *before;
      else
        definitions.erase(symbol);
    }
  }
  if (!openAttempts)
    redefined.clear();
  return isRight;
}
