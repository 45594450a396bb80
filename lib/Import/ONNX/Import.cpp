//===- Import.cpp - From a model to a module ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a model may need besides its nodes: dialects, and other arms of its
// branches, or other ranks, if the first ones do not fit.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/ONNX/Import.h"
#include "GraphImporter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

char NeedsValues::ID = 0;
void NeedsValues::log(llvm::raw_ostream &os) const { os << text; }
std::error_code NeedsValues::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

void mlir::symshape::onnx::registerImportDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                  SymShapeDialect>();
}

llvm::Expected<ImportedModel>
mlir::symshape::onnx::importModel(std::shared_ptr<const Model> model,
                                  MLIRContext *context,
                                  const ImportOptions &options) {
  DialectRegistry registry;
  registerImportDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  // Branches whose arms do not fit together are imported with one arm, then
  // with the other, the last branch first. The message is that of the last
  // attempt.
  GraphImporter::Decisions decisions;
  constexpr unsigned mostAttempts = 64;
  for (unsigned attempt = 0;; ++attempt) {
    GraphImporter importer(model, context, options, decisions);
    auto imported = importer.run();
    if (imported && importer.keptTooMuch()) {
      GraphImporter other(model, context, options, decisions);
      other.removeOpenExtents();
      auto better = other.run();
      if (better && other.hasDeclaredRanks())
        return better;
      llvm::consumeError(better.takeError());
    }
    if (imported)
      return imported;
    if (importer.isBrokenModel())
      return imported.takeError();
    decisions = importer.getDecisions();
    while (!decisions.empty() && decisions.back() == false)
      decisions.pop_back();
    if (decisions.empty() || attempt + 1 == mostAttempts ||
        imported.errorIsA<NeedsValues>()) {
      if (!options.trace)
        return imported.takeError();
      llvm::consumeError(imported.takeError());
      return GraphImporter(model, context, options, {}, /*tolerant=*/true)
          .run();
    }
    llvm::consumeError(imported.takeError());
    // Both arms, then the one for true, then the one for false.
    decisions.back() = !decisions.back().has_value();
  }
}
