//===- ImportedWeights.h - Weights that stayed in a model -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_IMPORTEDWEIGHTS_H
#define SYMSHAPE_LIB_EXECUTION_IMPORTEDWEIGHTS_H

#include "symshape/Execution/WeightFile.h"
#include "symshape/Import/ONNX/Import.h"

namespace mlir::symshape {

/// The weights of a model that was imported, which it keeps mapped.
class ImportedWeights : public WeightFile {
public:
  ImportedWeights(std::shared_ptr<const onnx::Model> model,
                  std::vector<onnx::Weight> weights);

  llvm::Expected<TensorBuffer> get(llvm::StringRef name) const override;
  llvm::Expected<TensorBuffer> describe(llvm::StringRef name) const override;
  void releasePages() const override;

private:
  llvm::Expected<std::shared_ptr<const onnx::TensorData>>
  find(llvm::StringRef name) const;

  std::shared_ptr<const onnx::Model> model;
  std::vector<onnx::Weight> weights;
};

/// Inputs as an import takes them.
std::vector<std::shared_ptr<const onnx::TensorData>>
toImportedValues(llvm::ArrayRef<TensorBuffer> inputs);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_IMPORTEDWEIGHTS_H
