//===- Model.h - An ONNX file as plain structs ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a file says, field by field. Names and data point into the mapped file.
// Not for: what an op means, or how opsets differ (Import.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_ONNX_MODEL_H
#define SYMSHAPE_IMPORT_ONNX_MODEL_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace mlir::symshape::onnx {

/// TensorProto.DataType, with its numbers.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16,
};

/// Its name in messages, that of the standard: `float`, `int64`, `float8e5m2`;
/// `type #99` if the standard has none.
std::string nameOf(DataType type);
/// Bytes of an element in raw form; 0 for strings and what is not above.
unsigned bytesOf(DataType type);
bool isFloat(DataType type);
bool isUnsigned(DataType type);
/// An integer of 8 to 64 bits; bool is not one.
bool isInteger(DataType type);

/// A tensor of the file.
///
/// Invariant: unless it holds strings, `bytes` are as many as type and extents
/// ask for, row-major and little-endian, a bool being one byte; they need not
/// be aligned. No extent is negative.
struct TensorData {
  llvm::StringRef name;
  DataType type = DataType::Undefined;
  llvm::SmallVector<int64_t, 4> dims;
  llvm::StringRef bytes;
  std::vector<llvm::StringRef> strings;
  /// Where the file packs integers of 2 or 4 bits: so many. They are elements
  /// of int8 or uint8 here.
  unsigned narrowBits = 0;
  /// What `bytes` point into, where that is not the file of the model.
  std::shared_ptr<void> owner;

  int64_t getNumElements() const;
};

/// A dimension as it is declared.
struct Dimension {
  std::optional<int64_t> value;
  llvm::StringRef param;
};

/// A type as it is declared.
struct TypeInfo {
  enum Kind { None, Tensor, Sequence, Optional, Other } kind = None;
  DataType element = DataType::Undefined;
  bool hasShape = false; ///< without: of any rank
  std::vector<Dimension> dims;
};

/// Its name in messages, with an article.
std::string nameOf(TypeInfo::Kind kind);

struct ValueInfo {
  llvm::StringRef name;
  TypeInfo type;
  uint64_t offset = 0; ///< where the file has it
};

struct Graph;

struct AttributeData {
  /// Of AttributeProto.AttributeType, with its numbers.
  enum Type : int32_t { Float = 1, Int = 2, String = 3, Floats = 6, Ints = 7 };

  llvm::StringRef name;
  /// The parameter of a model-local function that stands for it.
  llvm::StringRef reference;
  int32_t type = 0; ///< Type, or one of those without a name here
  int64_t i = 0;
  float f = 0;
  llvm::StringRef s;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<llvm::StringRef> strings;
  std::shared_ptr<TensorData> tensor;
  std::shared_ptr<Graph> graph;
};

struct NodeData {
  std::vector<llvm::StringRef> inputs, outputs; ///< empty: left out
  llvm::StringRef name, opType, domain, overload;
  std::vector<AttributeData> attributes;
  uint64_t offset = 0; ///< where the file has it
  size_t number = 0;   ///< which of the nodes of its graph the file has there
  /// A value that it reads, and that is computed from its own results; empty:
  /// none is known.
  llvm::StringRef cycle;
};

struct Graph {
  llvm::StringRef name;
  uint64_t offset = 0; ///< where the file has it
  std::vector<NodeData> nodes;
  std::vector<TensorData> initializers;
  std::vector<ValueInfo> inputs, outputs, values;
};

/// The domain `ai.onnx` has two spellings; this is the empty one.
llvm::StringRef canonicalDomain(llvm::StringRef domain);

struct OpsetId {
  llvm::StringRef domain;
  int64_t version = 0;
};

/// A function that nodes of its domain, name and overload call.
struct Function {
  llvm::StringRef name, domain, overload;
  std::vector<llvm::StringRef> inputs, outputs;
  std::vector<AttributeData> defaults;
  std::vector<NodeData> nodes;
  std::vector<OpsetId> opsets;
};

/// A file that was read. Owns what everything in it points to. Nodes come after
/// those that they read, unless they form a cycle; the file may have them in
/// another order.
struct Model {
  std::shared_ptr<llvm::MemoryBuffer> file;
  std::string path;
  int64_t irVersion = 0;
  std::vector<OpsetId> opsets;
  Graph graph;
  std::vector<Function> functions;
  bool hasExternalData = false; ///< in files beside this one
  /// What names and data point into, where that is not the file.
  std::shared_ptr<void> owner;

  /// The version of the operators of `domain`; `ai.onnx` is the empty domain.
  std::optional<int64_t> getOpset(llvm::StringRef domain) const;

  /// The inputs of the graph that are not initializers, in order.
  std::vector<const ValueInfo *> getInputs() const;

  /// Maps and reads a file. An error names the file and the byte at which it is
  /// not as it should be. External data is looked for in the folder of the
  /// model, and nowhere else.
  static llvm::Expected<Model> read(llvm::StringRef path);
  /// The same for bytes in memory; `folder` is where external data lies.
  static llvm::Expected<Model> parse(std::shared_ptr<llvm::MemoryBuffer> bytes,
                                     llvm::StringRef path);
};

/// `text` for a message: bytes that are not text become `\\xNN`. Names of a
/// model may be any bytes.
std::string escaped(llvm::StringRef text);
/// The same of a message, whose lines stay.
std::string escapedLines(llvm::StringRef message);

/// Whether a file is to be read as ONNX: by its ending, `.onnx`.
bool isModelPath(llvm::StringRef path);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_ONNX_MODEL_H
