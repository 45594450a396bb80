//===- Program.h - What an exported program says ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The JSON of an archive, checked as far as it is looked at, and its tensors.
// Not for: what an op means (Call.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_PROGRAM_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_PROGRAM_H

#include "Archive.h"
#include "symshape/Import/ONNX/Model.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape::pytorch {

/// An extent, a stride or an offset.
struct Extent {
  std::optional<int64_t> value;
  std::string text; ///< without a value: infix; empty: not of integers
};

struct TensorMeta {
  onnx::DataType type = onnx::DataType::Undefined;
  std::vector<Extent> sizes, strides;
  Extent offset;
};

/// The type of elements with that number in the schema; Undefined where
/// symshape has none.
onnx::DataType typeOfScalar(int64_t scalarType);

class Program {
public:
  /// Reads the JSON of the only program in an archive, whose bytes must
  /// outlive this.
  static llvm::Expected<std::shared_ptr<Program>> read(llvm::StringRef bytes);

  /// The graph that is looked at: that of the program, or one that a node has.
  const llvm::json::Object &getGraph() const { return *graph; }
  /// Looks at another graph of the program from here on; gives the one before.
  /// An error says what it lacks.
  llvm::Expected<const llvm::json::Object *>
  enter(const llvm::json::Object &other);
  const llvm::json::Object &getSignature() const { return *signature; }
  const llvm::json::Object &getRoot() const { return *root.getAsObject(); }
  /// What the exporter says of a tensor of the graph.
  llvm::Expected<TensorMeta> metaOf(llvm::StringRef value) const;
  /// The expression that the exporter has for an integer of the graph.
  std::optional<Extent> integerOf(llvm::StringRef value) const;
  /// Whether calls give a parameter or buffer: the archive names it, and has a
  /// null where the path of its data would be.
  bool isGivenByCalls(llvm::StringRef name) const;
  /// A parameter, buffer or constant, densely and row by row.
  llvm::Expected<onnx::TensorData> findTensor(llvm::StringRef name);

private:
  llvm::Error readDocuments();
  llvm::Error readNewDocuments();
  llvm::Error readOldDocuments();
  llvm::Expected<llvm::json::Value> parse(llvm::StringRef file);
  llvm::Expected<const llvm::json::Object *>
  findPayload(llvm::StringRef name, llvm::StringRef &folder) const;

  Archive archive;
  std::string folder; ///< of everything, with a slash
  llvm::json::Value root = nullptr, weights = nullptr, constants = nullptr;
  const llvm::json::Object *graph = nullptr, *signature = nullptr;
};

/// A member that is an object or array; an error names it where it is not.
llvm::Expected<const llvm::json::Object *>
getObject(const llvm::json::Object &object, llvm::StringRef key);
llvm::Expected<const llvm::json::Array *>
getArray(const llvm::json::Object &object, llvm::StringRef key);

/// A union of the schema: the one member that is there. Null key: none.
std::pair<llvm::StringRef, const llvm::json::Value *>
openUnion(const llvm::json::Value &value);

/// The name in a TensorArgument or the like; empty: none.
llvm::StringRef nameIn(const llvm::json::Value *argument,
                       llvm::StringRef key = "name");

/// The graph that an argument is; null: it is none.
const llvm::json::Object *graphOf(const llvm::json::Value &argument);

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_PROGRAM_H
