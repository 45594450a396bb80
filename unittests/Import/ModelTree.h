//===- ModelTree.h - A file of a model as a tree of fields ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes for a fuzzer that leave a file readable: the lengths of all messages
// around a change follow it. Shares no code with the reader that is fuzzed.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_UNITTESTS_IMPORT_MODELTREE_H
#define SYMSHAPE_UNITTESTS_IMPORT_MODELTREE_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mlir::symshape::onnx {

/// The messages of a model that are looked into; Leaf is any other field.
enum class MessageKind {
  Leaf,
  Model,
  Graph,
  Node,
  Attribute,
  Function,
  Tensor,
  ValueInfo,
  Type,
  TensorType,
  ElementType,
  Shape,
  Dimension,
  Opset,
  Entry
};

/// A field of a message.
///
/// Invariant: a message has `fields`, and no bytes; a leaf has `scalar` or
/// `bytes`, as its form says.
struct WireField {
  unsigned number = 0;
  unsigned form = 0; ///< of the wire format: 0, 1, 2 or 5
  MessageKind kind = MessageKind::Leaf;
  uint64_t scalar = 0;
  std::string bytes;
  std::vector<WireField> fields;

  /// The tree of a file; what cannot be read as a message is a leaf.
  static WireField parse(const std::string &file);
  /// The file of a tree.
  std::string serialize() const;
};

/// Changes one field somewhere in the tree. `names` are texts that may stand
/// for the type of a node, `mutateBytes` changes a leaf's bytes.
void mutate(WireField &model, std::mt19937 &random,
            const std::vector<std::string> &names,
            void (*mutateBytes)(std::string &));

/// Puts a field of `other` in the place of one of the same kind, or beside it.
void crossOver(WireField &model, const WireField &other, std::mt19937 &random);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_UNITTESTS_IMPORT_MODELTREE_H
