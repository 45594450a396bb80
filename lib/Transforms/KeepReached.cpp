//===- KeepReached.cpp - The part of a module that one function needs -----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/KeepReached.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

/// The roots of all symbol references in `op`. SymbolTable::getSymbolUses gives
/// up if an unregistered op has a region; a spurious reference at worst keeps a
/// symbol.
static void collectReferences(Operation *op,
                              llvm::SetVector<StringAttr> &names) {
  auto add = [&](SymbolRefAttr reference) {
    names.insert(reference.getRootReference());
  };
  op->walk([&](Operation *inner) {
    inner->getDiscardableAttrDictionary().walk(add);
    if (Attribute properties = inner->getPropertiesAsAttribute())
      properties.walk(add);
  });
}

/// Whether nothing can refer to `op`, or to what is in it, unless by its name.
static bool isOnlyReferredTo(Operation *op) {
  return op->hasAttr(SymbolTable::getSymbolAttrName()) ||
         op->hasTrait<OpTrait::SymbolTable>();
}

void symshape::keepReached(ModuleOp module, StringRef entry) {
  SymbolTable table(module);
  llvm::SetVector<StringAttr> names;
  names.insert(StringAttr::get(module.getContext(), entry));
  for (Operation &op : *module.getBody())
    if (!isOnlyReferredTo(&op))
      collectReferences(&op, names);
  DenseSet<Operation *> reached;
  for (size_t i = 0; i < names.size(); ++i)
    if (Operation *symbol = table.lookup(names[i]))
      if (reached.insert(symbol).second)
        collectReferences(symbol, names);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isOnlyReferredTo(&op) && !reached.contains(&op))
      op.erase();
}
