//===- ExternalData.h - Tensors in files beside a model ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model may keep data in other files of its folder. It may come from anybody:
// nothing outside the folder is ever read.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_EXTERNALDATA_H
#define SYMSHAPE_LIB_IMPORT_ONNX_EXTERNALDATA_H

#include "WireReader.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>

namespace mlir::symshape::onnx {

/// Where external data lies, as the model says it.
struct ExternalPlace {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;

  /// Reads one entry, a key and a value; false if the value should be a number
  /// and is not. Unknown keys are ignored.
  bool readEntry(WireReader reader);
};

/// The folder of a model. Maps each file once.
class ExternalFolder {
public:
  explicit ExternalFolder(llvm::StringRef path) : path(path.str()) {}

  struct Data {
    llvm::StringRef bytes;
    std::shared_ptr<llvm::MemoryBuffer> file;
  };

  /// `size` bytes at `place`. An error if it is not inside the folder, symbolic
  /// links resolved, or the file is too short.
  llvm::Expected<Data> find(const ExternalPlace &place, uint64_t size);

private:
  std::string path;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files;
};

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_EXTERNALDATA_H
