//===- Bytecode.cpp - Versions of the dialect in bytecode -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes are in bytecode as text, ops with their properties.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/BytecodeVersion.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct SymShapeBytecodeInterface : BytecodeDialectInterface {
  explicit SymShapeBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  /// The version that the writer is asked for, or the current one.
  void writeVersion(DialectBytecodeWriter &writer) const final {
    uint64_t number = BytecodeVersion::kCurrent;
    auto asked = writer.getDialectVersion<SymShapeDialect>();
    if (succeeded(asked))
      number = static_cast<const BytecodeVersion *>(*asked)->number;
    if (number != 0)
      writer.writeVarInt(number);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const final {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number <= BytecodeVersion::kCurrent)
      return std::make_unique<BytecodeVersion>(number);
    reader.emitError() << "expected bytecode of dialect 'symshape' in version "
                       << BytecodeVersion::kCurrent
                       << " or before, but got version " << number;
    return nullptr;
  }
};
} // namespace

void SymShapeDialect::registerBytecode() {
  addInterfaces<SymShapeBytecodeInterface>();
}
