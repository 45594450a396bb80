//===- Import.cpp - From a model to a module ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a model may need besides its nodes: dialects, and other arms of its
// branches if the first ones do not fit.
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
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

char NeedsValues::ID = 0;
void NeedsValues::log(llvm::raw_ostream &os) const { os << text; }
std::error_code NeedsValues::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

/// Why an op of the standard has no definition, and what to do instead; empty
/// for other ops.
static StringRef whyUnknown(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"RandomNormal", "RandomNormalLike", "RandomUniform",
              "RandomUniformLike", "Bernoulli", "Multinomial"},
             "draws random numbers, but only inputs determine what a call "
             "gives: make the numbers outside, and give the model an input for "
             "them")
      .Cases({"RegexFullMatch", "StringConcat", "StringNormalizer",
              "StringSplit"},
             "computes with strings: do so outside of the model")
      .Case("ImageDecoder",
            "decodes compressed images: do so outside of the model")
      .Default("");
}

std::string mlir::symshape::onnx::describeUnknown(ArrayRef<UnknownOp> ops) {
  std::string text =
      ops.empty() ? "" : "expected ops that have a definition, but got";
  for (const auto &[name, nodes] : ops) {
    text += "\n  " + name + ": " + std::to_string(nodes.size()) +
            (nodes.size() == 1 ? " node, " : " nodes, ");
    constexpr size_t most = 3;
    text += llvm::join(ArrayRef(nodes).take_front(most), ", ");
    if (nodes.size() > most)
      text += ", ...";
    if (StringRef reason = whyUnknown(name); !reason.empty())
      text += ": " + reason.str();
  }
  return text;
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
