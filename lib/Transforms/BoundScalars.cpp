//===- BoundScalars.cpp - Scalar arguments that become constants ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundScalars.h"
#include "GuardCall.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "symshape/Analysis/FunctionShapes.h"
#include "symshape/Analysis/ModuleCalls.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

bool symshape::isBindableScalar(Type type) {
  return type.isIndex() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

std::optional<unsigned> symshape::findScalarArgument(func::FuncOp function,
                                                     StringRef name) {
  name.consume_front("%");
  std::optional<unsigned> found;
  for (BlockArgument argument : function.getArguments()) {
    if (isa<ShapedType>(argument.getType()))
      continue;
    unsigned number = argument.getArgNumber();
    std::string spelling = spellingOfArgument(function, number);
    StringRef own = spelling;
    own.consume_front("%");
    if (own != name)
      continue;
    if (found)
      return std::nullopt;
    found = number;
  }
  return found;
}

/// The name of an argument, as one in a relation.
static std::string nameInRelation(func::FuncOp function, unsigned argument) {
  std::string name = spellingOfArgument(function, argument);
  StringRef plain = name;
  plain.consume_front("%");
  SmallVector<StringRef> names = namesInText(plain);
  return names.size() == 1 && names.front() == plain ? plain.str() : "v";
}

SmallVector<Operation *> symshape::bindScalar(func::FuncOp function,
                                              unsigned number, int64_t value) {
  BlockArgument argument = function.getArgument(number);
  Location loc = argument.getLoc();
  OpBuilder b(&function.getBody().front(), getEndOfGuards(function));
  auto constant = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(argument.getType(), value));
  DominanceInfo dominance(function);
  argument.replaceUsesWithIf(constant, [&](OpOperand &use) {
    return dominance.properlyDominates(constant.getOperation(), use.getOwner());
  });
  b.setInsertionPoint(constant);
  SmallVector<Operation *> made{constant};
  Value compared = argument;
  if (!argument.getType().isIndex()) {
    // That of an i1 is read as 0 or 1, as the analysis does.
    if (argument.getType().isInteger(1))
      compared =
          arith::IndexCastUIOp::create(b, loc, b.getIndexType(), compared);
    else
      compared = arith::IndexCastOp::create(b, loc, b.getIndexType(), compared);
    made.push_back(compared.getDefiningOp());
  }
  std::string name = nameInRelation(function, number);
  made.push_back(AssertOp::create(
      b, loc, name + " == " + std::to_string(value), {{name, compared}},
      spellingOfArgument(function, number) + " is bound to " + Twine(value) +
          " by symshape-fixate"));
  return made;
}

void symshape::unbindScalar(BlockArgument argument,
                            ArrayRef<Operation *> made) {
  made.front()->getResult(0).replaceAllUsesWith(argument);
  for (Operation *op : llvm::reverse(made))
    op->erase();
}

/// What every one of `calls` passes as this argument, if that is one constant.
static Attribute getPassedConstant(ArrayRef<func::CallOp> calls,
                                   unsigned argument) {
  Attribute passed;
  for (func::CallOp call : calls) {
    Attribute here;
    if (!matchPattern(call.getOperand(argument), m_Constant(&here)) ||
        (passed && passed != here))
      return {};
    passed = here;
  }
  return passed;
}

bool symshape::carryConstants(ModuleOp module) {
  ModuleCalls calls(module);
  bool isChanged = false;
  for (func::FuncOp function : calls.callersFirst()) {
    if (!calls.areKnown(function))
      continue;
    for (BlockArgument argument : function.getArguments()) {
      if (!isBindableScalar(argument.getType()) || argument.use_empty())
        continue;
      auto value = dyn_cast_or_null<IntegerAttr>(
          getPassedConstant(calls.callsOf(function), argument.getArgNumber()));
      if (!value)
        continue;
      auto b = OpBuilder::atBlockBegin(&function.getBody().front());
      argument.replaceAllUsesWith(
          arith::ConstantOp::create(b, argument.getLoc(), value).getResult());
      isChanged = true;
    }
  }
  return isChanged;
}
