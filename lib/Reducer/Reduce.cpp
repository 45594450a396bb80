//===- Reduce.cpp - Smaller programs that still fail ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Reducer/Reduce.h"
#include "Changes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Reducer/Tester.h"
#include "symshape/Reducer/Passes.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::symshape;

namespace mlir::symshape {
#define GEN_PASS_DEF_REDUCEPASS
#include "symshape/Reducer/Passes.h.inc"
} // namespace mlir::symshape

// Rounds of all changes: one makes room for another.
static constexpr unsigned kMaxRounds = 8;

namespace {
/// Makes those changes that leave the module interesting.
class Reducer {
public:
  Reducer(ModuleOp module, llvm::function_ref<bool(ModuleOp)> isInteresting)
      : module(module), isInteresting(isInteresting) {}
  void run();

private:
  bool attempt(Operation *root, const Change &change, size_t begin, size_t end);
  bool makeAll(Operation *root, const Change &change);

  ModuleOp module;
  llvm::function_ref<bool(ModuleOp)> isInteresting;
};
} // namespace

/// Makes the change on a copy, and then here if the copy is interesting.
bool Reducer::attempt(Operation *root, const Change &change, size_t begin,
                      size_t end) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  IRMapping map;
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(map)));
  Operation *inCopy = root == module ? copy->getOperation() : map.lookup(root);
  return succeeded(change.make(inCopy, begin, end)) &&
         succeeded(verify(*copy)) && isInteresting(*copy) &&
         succeeded(change.make(root, begin, end));
}

/// At as many places as possible: at all, at halves of them and so on.
bool Reducer::makeAll(Operation *root, const Change &change) {
  bool changed = false;
  // Those that stay are tried one by one.
  size_t size = change.removesPlaces ? change.count(root) : 1;
  for (; size > 0; size /= 2)
    for (size_t begin = 0, count; begin < (count = change.count(root));) {
      bool made = attempt(root, change, begin, std::min(begin + size, count));
      changed |= made;
      if (!made || !change.removesPlaces)
        begin += size;
    }
  return changed;
}

void Reducer::run() {
  bool changed = true;
  for (unsigned round = 0; changed && round < kMaxRounds; ++round) {
    changed = makeAll(module, changeOfModule());
    SmallVector<func::FuncOp> functions;
    module.walk([&](func::FuncOp function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    for (func::FuncOp function : functions)
      for (const Change &change : changesOfFunction())
        changed |= makeAll(function, change);
  }
}

void mlir::symshape::reduceModule(
    ModuleOp module, llvm::function_ref<bool(ModuleOp)> isInteresting) {
  Reducer(module, isInteresting).run();
}

namespace {
struct ReducePass : symshape::impl::ReducePassBase<ReducePass> {
  using ReducePassBase::ReducePassBase;

  void runOnOperation() override {
    if (!llvm::sys::fs::can_execute(test)) {
      getOperation().emitError("expected test to be a program, but got '")
          << test << "'";
      return signalPassFailure();
    }
    SmallVector<std::string> arguments(testArgs.begin(), testArgs.end());
    Tester tester(test, arguments);
    auto isInteresting = [&](ModuleOp module) {
      return tester.isInteresting(module).first ==
             Tester::Interestingness::True;
    };
    if (!isInteresting(getOperation())) {
      getOperation().emitError("expected a program that the test finds "
                               "interesting, but it exits with status 0");
      return signalPassFailure();
    }
    reduceModule(getOperation(), isInteresting);
  }
};
} // namespace
