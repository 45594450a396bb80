//===- WeightSteps.cpp - Functions that prepare weights -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "WeightSteps.h"

using namespace mlir;
using namespace mlir::symshape;

ValueRange WeightSteps::call(
    OpBuilder &b, Location loc, StringRef name, ValueRange inputs,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  auto caller = cast<func::FuncOp>(b.getInsertionBlock()->getParentOp());
  auto made = func::FuncOp::create(caller.getLoc(), name,
                                   b.getFunctionType(inputs.getTypes(), {}));
  made.setPrivate();
  made.setNoInline(true);
  OpBuilder inner(made.getContext());
  Block *entry = made.addEntryBlock();
  inner.setInsertionPointToStart(entry);
  SmallVector<Value> results = body(inner, entry->getArguments());
  func::ReturnOp::create(inner, caller.getLoc(), results);
  made.setType(
      inner.getFunctionType(inputs.getTypes(), ValueRange(results).getTypes()));
  std::string text;
  llvm::raw_string_ostream(text) << caller->getParentOp() << made;
  func::FuncOp &function = functions[text];
  if (function) {
    made.erase();
  } else {
    function = made;
    SymbolTable(caller->getParentOp()).insert(made, caller->getIterator());
  }
  return func::CallOp::create(b, loc, function, inputs).getResults();
}
