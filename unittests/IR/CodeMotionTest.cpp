//===- CodeMotionTest.cpp - What upstream may move, infer and read --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces by which passes of upstream see the dialect, op by op.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "symshape/IR/ResampleOps.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WindowOps.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct CodeMotionTest : ::testing::Test {
  CodeMotionTest() {
    context.loadDialect<SymShapeDialect, func::FuncDialect>();
  }

  /// A function with these arguments, constants %c0 to %c4 and this op.
  OwningOpRef<ModuleOp> parse(StringRef arguments, StringRef op) {
    std::string text = "func.func private @f(" + arguments.str() + ") {\n";
    for (int i = 0; i <= 4; ++i)
      text += "%c" + std::to_string(i) + " = arith.constant " +
              std::to_string(i) + " : index\n";
    return parseSourceString<ModuleOp>(text + op.str() + "\nreturn\n}\n",
                                       &context);
  }

  static Operation *firstOfDialect(ModuleOp module) {
    Operation *found = nullptr;
    module.walk([&](Operation *op) {
      if (!found && isa<SymShapeDialect>(op->getDialect()))
        found = op;
    });
    return found;
  }

  MLIRContext context;
};

struct Case {
  const char *arguments, *op;
  bool isSpeculatable;
};

const Case kCases[] = {
    // Valid for all operands.
    {"%x: tensor<?xf32>", "%r = symshape.reverse %x axes [0] : tensor<?xf32>",
     true},
    {"%x: tensor<?x?xf32>", "%r = symshape.cumsum %x axis 1 : tensor<?x?xf32>",
     true},
    {"%x: tensor<?xf32>", "%r = symshape.stop_gradient %x : tensor<?xf32>",
     true},
    {"%x: tensor<?xf32>",
     "%r:2 = symshape.sort %x axis 0 : tensor<?xf32>, tensor<?xi64>", true},
    {"%x: tensor<?x?xf32>",
     "%r = symshape.nonzero %x : tensor<?x?xf32> to tensor<?x2xindex>", true},
    {"%x: tensor<?xf32>, %n: index",
     "%r = symshape.dynamic_truncate %x, %n axis 0 : tensor<?xf32> to "
     "tensor<?xf32>",
     true},
    {"%n: i32", "%r = symshape.truncate_size %n, %c4 : i32", true},
    {"%n: index", "%r = symshape.size \"n mod 4\" (n = %n)", true},
    // Valid for these static types and constants.
    {"%x: tensor<4x5xf32>, %i: index",
     "%r = symshape.dynamic_slice %x[%i, %i] sizes [2, %c3] : tensor<4x5xf32> "
     "to tensor<2x?xf32>",
     true},
    {"%x: tensor<4x5xf32>, %i: tensor<3xi64>",
     "%r = symshape.gather clip %x[%i] slice_sizes [1, 5] {offset_dims = "
     "array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = "
     "array<i64: 0>, index_vector_dim = 1 : i64} : "
     "tensor<4x5xf32>[tensor<3xi64>]"
     " to tensor<3x5xf32>",
     true},
    {"", "%r = symshape.iota [0, %c4, 2] : tensor<2xi64>", true},
    {"%q: tensor<3x4xi8>, %s: tensor<3x2xf32>",
     "%r = symshape.dequantize %q scales %s bits 4 block 4 : tensor<3x4xi8>, "
     "tensor<3x2xf32> to tensor<3x8xf32>",
     true},
    // What is required may not hold.
    {"%n: index", "%r = symshape.size \"4 floordiv n\" (n = %n)", false},
    {"%n: index", "%r = symshape.size \"n + 1\" (n = %n)", false},
    {"%q: tensor<?x4xi8>, %s: tensor<?x2xf32>",
     "%r = symshape.dequantize %q scales %s bits 4 block 4 : tensor<?x4xi8>, "
     "tensor<?x2xf32> to tensor<?x8xf32>",
     false},
    {"", "%r = symshape.size \"B mod 4\"", false},
    {"%n: i32, %e: index", "%r = symshape.truncate_size %n, %e : i32", false},
    {"%x: tensor<?xf32>, %n: index",
     "%r:2 = symshape.top_k %x, %n axis 0 : tensor<?xf32> to tensor<?xf32>, "
     "tensor<?xi64>",
     false},
    {"%x: tensor<4x?xf32>, %i: index",
     "%r = symshape.dynamic_slice %x[%i, %i] sizes [2, %c3] : tensor<4x?xf32> "
     "to tensor<2x?xf32>",
     false},
    {"%x: tensor<?xf32>, %n: index",
     "%r = symshape.reshape %x to [%n, 3] : tensor<?xf32> to tensor<?x3xf32>",
     false},
    {"%x: tensor<?xf32>, %n: index",
     "%r = symshape.broadcast %x to [%n] dims [0] expanding [] : "
     "tensor<?xf32> to tensor<?xf32>",
     false},
    {"%x: tensor<?xf32>, %v: f32",
     "%r = symshape.pad %x, %v low [-1] high [0] interior [0] : tensor<?xf32> "
     "to tensor<?xf32>",
     false},
    {"%x: tensor<?xf32>, %u: tensor<?xf32>, %i: index",
     "%r = symshape.dynamic_update_slice %u into %x[%i] : tensor<?xf32> into "
     "tensor<?xf32>",
     false},
    // What depends on data is checked.
    {"%x: tensor<?xf32>, %s: f64",
     "%r = symshape.dynamic_truncate %x, %s axis 0 : tensor<?xf32>, f64 to "
     "tensor<?xf32>",
     false},
    {"%x: tensor<4x5xf32>, %i: tensor<3xi64>",
     "%r = symshape.gather promise_in_bounds %x[%i] slice_sizes [1, 5] "
     "{offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, "
     "start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : "
     "tensor<4x5xf32>[tensor<3xi64>] to tensor<3x5xf32>",
     false},
    {"%x: tensor<4x5xf32>, %i: tensor<3xi64>, %u: tensor<3x5xf32>",
     "%r = symshape.scatter update drop %u into %x[%i] {unique_indices, "
     "update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: "
     "0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 "
     ": i64} : tensor<3x5xf32> into tensor<4x5xf32>[tensor<3xi64>]",
     false},
    // The result may be larger than memory, whatever the operands.
    {"%n: index", "%r = symshape.iota [0, %n, 1] : tensor<?xi64>", false},
    {"%x: tensor<?xf32>, %n: index",
     "%r = symshape.pad_to_match %x, %n axis 0 : tensor<?xf32> to "
     "tensor<?xf32>",
     false},
    {"%x: tensor<?xf32>, %n: tensor<?xf32>",
     "%r = symshape.broadcast %x to [%c4, %c2] dims [0] expanding [] : "
     "tensor<?xf32> to tensor<?x?xf32>",
     false},
    // What says something where it stands.
    {"%x: tensor<?xf32>", "%r = symshape.bind_shape %x [B] : tensor<?xf32>",
     false},
    {"%n: index", "%r = symshape.assume %n [\"n <= 4\"] (n) : index", false},
    {"%x: tensor<?xf32>, %n: index",
     "%r = symshape.with_extents %x [%n] : tensor<?xf32>", false},
    {"%n: index", "symshape.assert \"n == n\" (n = %n), \"never\"", false},
    {"", "symshape.fail \"always\"", false},
};

TEST_F(CodeMotionTest, OnlyWhatIsValidEverywhereIsSpeculated) {
  for (const Case &c : kCases) {
    OwningOpRef<ModuleOp> module = parse(c.arguments, c.op);
    ASSERT_TRUE(module) << c.op;
    EXPECT_EQ(isSpeculatable(firstOfDialect(*module)), c.isSpeculatable)
        << c.op;
  }
}

TEST_F(CodeMotionTest, EachOpSaysWhetherItMayMove) {
  llvm::StringSet<> tried;
  for (const Case &c : kCases)
    tried.insert(
        firstOfDialect(*parse(c.arguments, c.op))->getName().getStringRef());
  unsigned checked = 0;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != SymShapeDialect::getDialectNamespace())
      continue;
    std::string name = op.getStringRef().str();
    EXPECT_TRUE(op.hasInterface<ConditionallySpeculatable>()) << name;
    EXPECT_TRUE(op.hasInterface<MemoryEffectOpInterface>()) << name;
    // These need tables of places, or six lists; test/IR has them in loops.
    if (op.stripDialect() != "resample" && op.stripDialect() != "windows")
      EXPECT_TRUE(tried.contains(name)) << name;
    ++checked;
  }
  EXPECT_GE(checked, 22u);
}

/// Each op says for itself, in its result, what has to be inferred.
TEST_F(CodeMotionTest, TypesFollowFromOperands) {
  const std::pair<const char *, const char *> cases[] = {
      {"%x: tensor<?x4xf32>", "symshape.reverse %x axes [0] : tensor<?x4xf32>"},
      {"%x: tensor<5x?xf32>",
       "symshape.dynamic_truncate %x, %c3 axis 0 : tensor<5x?xf32> to "
       "tensor<3x?xf32>"},
      {"%x: tensor<5x?xf32>",
       "symshape.dynamic_truncate %x, %c3 axis 1 : tensor<5x?xf32> to "
       "tensor<5x?xf32>"},
      {"%x: tensor<3x?xf32>, %y: tensor<4x2xi8>",
       "symshape.pad_to_match %x, %y axis 0 : tensor<3x?xf32>, tensor<4x2xi8> "
       "to tensor<4x?xf32>"},
      {"%x: tensor<3x?xf32>",
       "symshape.nonzero %x : tensor<3x?xf32> to tensor<?x2xindex>"},
      {"%x: tensor<?x4xf32>, %i: tensor<7x1xi64>",
       "symshape.gather clip %x[%i] slice_sizes [1, 3] {offset_dims = array<i64"
       ": 0>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64"
       ": 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<7x1xi64>] to"
       " tensor<3x7xf32>"},
      {"%x: tensor<?x4xf32>, %i: index",
       "symshape.dynamic_slice %x[%i, %i] sizes [2, %c3] : tensor<?x4xf32> to "
       "tensor<2x?xf32>"},
      {"%x: tensor<3x0x?xf32>, %v: f32",
       "symshape.pad %x, %v low [1, 2, 0] high [-1, 1, 0] interior [2, 4, 0] : "
       "tensor<3x0x?xf32> to tensor<7x3x?xf32>"},
      {"%x: tensor<3x1xf32>, %n: index",
       "symshape.broadcast %x to [5, %n] dims [1, 0] expanding [1] : "
       "tensor<3x1xf32> to tensor<5x3xf32>"},
      {"%x: tensor<?xf32>, %n: index",
       "symshape.reshape %x to [%n, 3] : tensor<?xf32> to tensor<?x3xf32>"},
      {"%x: tensor<2x9x4xf32>, %v: f32",
       "symshape.windows %x, %v kernel [3] low [0] high [0] stride [1] "
       "dilation "
       "[1] spread [1] : tensor<2x9x4xf32> to tensor<2x?x3x4xf32>"},
      {"%x: tensor<2x9xf16>, %p: tensor<2x5xi64>, %w: tensor<2x5xf32>",
       "symshape.resample %x along [1] at %p weights %w : tensor<2x9xf16> at "
       "tensor<2x5xi64> weights tensor<2x5xf32> to tensor<2x5xf32>"},
  };
  for (auto [arguments, op] : cases) {
    OwningOpRef<ModuleOp> module = parse(arguments, std::string("%r = ") + op);
    ASSERT_TRUE(module) << op;
    Operation *first = firstOfDialect(*module);
    auto typed = dyn_cast<InferTypeOpInterface>(first);
    ASSERT_TRUE(typed) << op;
    SmallVector<Type> types;
    ASSERT_TRUE(succeeded(typed.inferReturnTypes(
        &context, first->getLoc(), first->getOperands(),
        first->getAttrDictionary(), first->getPropertiesStorage(),
        first->getRegions(), types)))
        << op;
    EXPECT_EQ(TypeRange(types), first->getResultTypes()) << op;
  }
}
} // namespace
