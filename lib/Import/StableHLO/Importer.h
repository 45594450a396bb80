//===- Importer.h - Walks the ops of an artifact ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the import: what became of each value, op by op. Functions that
// are called are imported once per call, so that sizes stay sizes.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_IMPORTER_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_IMPORTER_H

#include "Sizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace mlir::symshape::stablehlo {

class Node;

/// What a value of the artifact became: a tensor of signless elements, a list
/// of sizes, or both. A tensor of a list is made when one is asked for.
struct Operand {
  Value tensor;
  std::optional<SizeList> sizes;
  /// Of a list, which has its elements in row-major order.
  SmallVector<int64_t, 2> shape;
};

/// How ops of one name are imported, and what they must have at least.
struct Definition {
  LogicalResult (*import)(Node &node);
  int operands; ///< how many; ~n: at least n
  int results;  ///< how many; ~n: at least n
  unsigned regions = 0;
};
using Registry = llvm::StringMap<Definition>;
/// All ops, by their names without a version.
const Registry &getRegistry();

class Importer {
public:
  Importer(ModuleOp source, MLIRContext *context);
  /// The module of the entry; functions without arguments are private ones.
  llvm::Expected<OwningOpRef<ModuleOp>> run();

  /// Imports the ops of a block at the place of the builder, with `inputs` for
  /// its arguments; gives what it returns.
  FailureOr<SmallVector<Operand>> importBlock(Block &block,
                                              ArrayRef<Operand> inputs);
  /// The same of the one block of a region; an error if it has not one.
  FailureOr<SmallVector<Operand>> importRegion(Region &region,
                                               ArrayRef<Operand> inputs);
  /// The same of a function that is called.
  FailureOr<SmallVector<Operand>> importCall(Node &node, StringRef callee,
                                             ArrayRef<Operand> inputs);

  void define(Value value, Operand operand) {
    values[value] = std::move(operand);
  }
  Operand *lookup(Value value) {
    auto known = values.find(value);
    return known == values.end() ? nullptr : &known->second;
  }
  /// The tensor of what `value` became, made of its sizes if need be. Null
  /// after an error.
  Value tensorOf(Operand &operand, Type sourceElement);
  /// Results that the entry gives beyond its own ones.
  void addResult(Value tensor, StringRef name, bool isUnsigned);

  /// Keeps the first error; always failure.
  LogicalResult fail(const Twine &message);
  bool hasFailed() const { return !error.empty(); }
  /// A function of one block; null if there is none.
  Operation *findFunction(StringRef name);

  OpBuilder b;
  SizeMath sizes;
  /// How many functions, branches and loops are around.
  unsigned depth = 0;

private:
  LogicalResult importOp(Operation *op);
  /// Imports a function at the end of a module.
  LogicalResult importEntry(Operation *entry, StringRef name, ModuleOp into);
  LogicalResult finishEntry(Operation *entry, ArrayRef<Operand> results);
  void describeArgument(unsigned number, RankedTensorType sourceType);
  void nameArguments(Operation *callee, ArrayRef<Operand> inputs);

  ModuleOp source;
  func::FuncOp function;
  DenseMap<Value, Operand> values;
  llvm::StringMap<Operation *> functions;
  SmallVector<Operation *> calls; ///< around, innermost last
  unsigned numImported = 0;       ///< ops, those of a function each time
  /// Names that the program has for extents of arguments.
  llvm::MapVector<std::pair<unsigned, unsigned>, std::string> dimNames;
  struct Result {
    Value tensor;
    std::string name;
    bool isUnsigned;
  };
  SmallVector<Result> moreResults;
  std::string error;
};

/// The type with signless integers for unsigned ones, and for quantized
/// elements those that are stored.
Type signless(Type type);
/// Whether integers that an element of this type is, or is stored as, have no
/// sign.
bool isWithoutSign(Type element);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_IMPORTER_H
