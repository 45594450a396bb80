//===- WriteModel.h - Changes to the file of a model ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splices new declarations into the bytes of a file. All other bytes stay, in
// their order. Not for: what to write.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_WRITEMODEL_H
#define SYMSHAPE_IMPORT_EXTENTS_WRITEMODEL_H

#include "symshape/Import/ONNX/Model.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::symshape::onnx {

/// An extent as a file has it: a number, a text, or neither.
struct WrittenExtent {
  std::optional<int64_t> value;
  std::string text;

  static WrittenExtent ofNumber(int64_t value) { return {value, ""}; }
  static WrittenExtent ofText(std::string text) {
    return {std::nullopt, std::move(text)};
  }
};

using WrittenShape = std::vector<WrittenExtent>;

/// What an entry declares; the type is for an entry that has none.
struct WrittenType {
  DataType type = DataType::Undefined;
  WrittenShape shape;
};

struct ModelChanges {
  /// New shapes of entries of `input`, `output` and `value_info` of the main
  /// graph and those inside it, by their offsets in the file.
  llvm::DenseMap<uint64_t, WrittenType> shapes;
  /// Entries to add to `value_info` of a graph, by its offset in the file.
  struct NewValue {
    uint64_t graph;
    llvm::StringRef name;
    WrittenType type;
  };
  std::vector<NewValue> values;
  /// Nodes of the main graph to leave out, by their offsets in the file.
  llvm::DenseSet<uint64_t> nodes;
  /// Constants to add, of int64: their values, and whether they are of rank 0.
  struct NewConstant {
    llvm::StringRef name;
    DataType type;
    bool isScalar;
    std::vector<int64_t> values;
  };
  std::vector<NewConstant> constants;
};

/// Writes the file of `model` with these changes.
void writeModel(const Model &model, const ModelChanges &changes,
                llvm::raw_ostream &os);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_WRITEMODEL_H
