//===- Vhlo.cpp - The dialect of portable artifacts -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops by a table.
//
//===----------------------------------------------------------------------===//

#include "Vhlo.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

std::optional<StringRef>
mlir::symshape::stablehlo::attributesOf(StringRef opName) {
  static const llvm::StringMap<StringRef> table = {
#define VHLO_OP(name, attributes) {name, attributes},
#include "VhloOps.inc"
#undef VHLO_OP
  };
  auto known = table.find(opName);
  return known == table.end() ? std::nullopt : std::optional(known->second);
}

VhloDialect::VhloDialect(MLIRContext *context)
    : Dialect("vhlo", context, TypeID::get<VhloDialect>()) {
  allowUnknownOperations();
}
