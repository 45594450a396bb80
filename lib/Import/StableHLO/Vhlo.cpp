//===- Vhlo.cpp - The dialect of portable artifacts -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One class of ops for all entries of a table.
//
//===----------------------------------------------------------------------===//

#include "Vhlo.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
struct Spec {
  const char *name, *attributes;
};

constexpr Spec specs[] = {
#define VHLO_OP(name, attributes) {name, attributes},
#include "VhloOps.inc"
#undef VHLO_OP
};

/// The op of an entry. Its attributes are in the dictionary of the op, also
/// where bytecode has them as properties.
template <unsigned Index>
struct VhloOp : Op<VhloOp<Index>, OpTrait::VariadicOperands,
                   OpTrait::VariadicResults, OpTrait::VariadicRegions,
                   OpTrait::ZeroSuccessors, BytecodeOpInterface::Trait> {
  using Base = Op<VhloOp<Index>, OpTrait::VariadicOperands,
                  OpTrait::VariadicResults, OpTrait::VariadicRegions,
                  OpTrait::ZeroSuccessors, BytecodeOpInterface::Trait>;
  using Base::Base;
  static StringRef getOperationName() { return specs[Index].name; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  static LogicalResult readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
    constexpr uint64_t firstWithProperties = 5;
    if (reader.getBytecodeVersion() < firstWithProperties)
      return success();
    for (StringRef name : llvm::split(specs[Index].attributes, ' ')) {
      Attribute value;
      if (name.empty())
        continue;
      if (failed(reader.readAttribute(value)))
        return failure();
      state.addAttribute(name, value);
    }
    return success();
  }
  void writeProperties(DialectBytecodeWriter &) {}
};

struct VhloBytecode : BytecodeDialectInterface {
  explicit VhloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return readVhloAttribute(reader, getContext());
  }
  Type readType(DialectBytecodeReader &reader) const override {
    return readVhloType(reader, getContext());
  }
};
} // namespace

template <size_t... Index>
void VhloDialect::addOps(std::index_sequence<Index...>) {
  addOperations<VhloOp<Index>...>();
}

VhloDialect::VhloDialect(MLIRContext *context)
    : Dialect("vhlo", context, TypeID::get<VhloDialect>()) {
  addOps(std::make_index_sequence<std::size(specs)>());
  addInterfaces<VhloBytecode>();
}
