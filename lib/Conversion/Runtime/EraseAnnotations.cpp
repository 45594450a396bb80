//===- EraseAnnotations.cpp - Removes what was said about shapes ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes about tensors have no meaning on what tensors are lowered to. The
// names of versions stay, which callers of `@f.version` need; so does what is
// donated. Not for: ops that carry facts (symshape-expand-ops).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "symshape/IR/Donation.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_ERASEANNOTATIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Ours, and the names that other tools give tensors.
static bool isAnnotation(NamedAttribute attribute) {
  StringRef name = attribute.getName();
  bool isForCallers = llvm::is_contained(
      {symshape::SymShapeDialect::kVersionNames, symshape::kGuardFunction,
       symshape::kVersionFunction, symshape::kPrepareFunction,
       symshape::kDonated},
      name);
  return (name.starts_with("symshape.") && !isForCallers) ||
         name.starts_with("tosa.") || name.starts_with("ml_program.");
}

/// `attributes` without these.
static DictionaryAttr filter(MLIRContext *context,
                             ArrayRef<NamedAttribute> attributes) {
  SmallVector<NamedAttribute> kept;
  llvm::copy_if(
      attributes, std::back_inserter(kept),
      [](NamedAttribute attribute) { return !isAnnotation(attribute); });
  return DictionaryAttr::get(context, kept);
}

namespace {
struct EraseAnnotationsPass
    : symshape::impl::EraseAnnotationsPassBase<EraseAnnotationsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("facts").category(
                       "symshape-erase-annotations"))
        << "erases what is declared of shapes";
    getOperation().walk([&](Operation *op) {
      if (llvm::any_of(op->getDiscardableAttrs(), isAnnotation))
        op->setDiscardableAttrs(
            filter(context, llvm::to_vector(op->getDiscardableAttrs())));
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (!function)
        return;
      // Set all together: setting those of one argument copies those of all.
      SmallVector<DictionaryAttr> arguments, results;
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        arguments.push_back(filter(context, function.getArgAttrs(i)));
      for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
        results.push_back(filter(context, function.getResultAttrs(i)));
      function.setAllArgAttrs(arguments);
      function.setAllResultAttrs(results);
    });
  }
};
} // namespace
