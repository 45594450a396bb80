//===- DeclaredFacts.cpp - Facts of signatures, and of messages -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/DeclaredFacts.h"

using namespace mlir;
using namespace mlir::symshape;

SmallVector<SymbolAttr> mlir::symshape::getSymbols(func::FuncOp function) {
  auto symbols = function->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols);
  if (!symbols)
    return {};
  return llvm::to_vector(symbols.getAsRange<SymbolAttr>());
}

void mlir::symshape::addAssumptions(func::FuncOp function,
                                    ArrayRef<FactAttr> facts) {
  if (facts.empty())
    return;
  SmallVector<Attribute> all;
  if (auto known = function->getAttrOfType<ArrayAttr>(SymShapeDialect::kAssume))
    all.append(known.begin(), known.end());
  for (FactAttr fact : facts)
    if (!llvm::is_contained(all, fact))
      all.push_back(fact);
  function->setAttr(SymShapeDialect::kAssume,
                    ArrayAttr::get(function.getContext(), all));
}

void mlir::symshape::attachChain(InFlightDiagnostic &diag,
                                 ArrayRef<std::string> chain) {
  for (const std::string &step : chain)
    diag.attachNote() << step;
}
