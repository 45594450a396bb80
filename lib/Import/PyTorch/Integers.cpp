//===- Integers.cpp - Sizes, and what is required of them -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of Python on integers, comparisons that assertions read, and the
// assertions themselves.
//
//===----------------------------------------------------------------------===//

#include "Translator.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The operand of an op of Python, which has a name in some versions.
static GraphValue operand(Call &c, StringRef name, StringRef place) {
  return c.has(name) ? c.integer(name) : c.integer(place);
}

static GraphValue evaluate(Call &c, const std::string &text,
                           llvm::ArrayRef<GraphValue> operands) {
  static constexpr StringRef symbols[] = {"", "a", "a,b"};
  return c.w.own("Evaluate", operands, DataType::Int64, 0,
                 {c.w.attr("symbols", symbols[operands.size()]),
                  c.w.attr("text", StringRef(text))});
}

static StringRef textOf(StringRef target) {
  static const std::pair<StringRef, StringRef> texts[] = {
      {"_operator.add", "a + b"},
      {"_operator.sub", "a - b"},
      {"_operator.mul", "a*b"},
      {"_operator.floordiv", "a//b"},
      {"_operator.mod", "a % b"},
      {"math.ceil", "a"},
      {"math.floor", "a"},
      {"math.trunc", "a"},
      {"torch.sym_max", "max(a, b)"},
      {"torch.sym_min", "min(a, b)"},
      {"_operator.neg", "-a"},
      {"torch.sym_int", "a"},
      {"_operator.pos", "a"}};
  for (auto [name, text] : texts)
    if (target == name)
      return text;
  return "";
}

static bool isFloatOperand(Call &c, StringRef name, StringRef place) {
  StringRef argument = c.has(name) ? name : place;
  return c.isFloatNumber(argument);
}

/// The same operand as a float of Python, which is a double.
static GraphValue floatOperand(Call &c, StringRef name, StringRef place) {
  return c.number(c.has(name) ? name : place, DataType::Double);
}

/// Floats that sizes give: tensors of rank 0.
static void floatArithmetic(Call &c) {
  static const std::pair<StringRef, StringRef> ops[] = {
      {"_operator.add", "Add"},    {"_operator.sub", "Sub"},
      {"_operator.mul", "Mul"},    {"_operator.truediv", "Div"},
      {"_operator.pow", "Pow"},    {"torch.sym_float", ""},
      {"torch._sym_sqrt", "Sqrt"}, {"_operator.neg", "Neg"},
      {"torch.sym_max", "Max"},    {"torch.sym_min", "Min"}};
  GraphValue x = floatOperand(c, "a", "#0");
  for (auto [name, op] : ops) {
    if (c.target() != name)
      continue;
    if (op.empty())
      return c.set(x);
    if (op == "Sqrt" || op == "Neg")
      return c.set(c.w.like(op, {x}));
    return c.set(c.w.binary(op, x, floatOperand(c, "b", "#1")));
  }
  // What becomes an integer again: a float of Python is cut off.
  StringRef round = c.target() == "math.ceil"    ? "Ceil"
                    : c.target() == "math.floor" ? "Floor"
                                                 : "";
  if (!round.empty())
    x = c.w.like(round, {x});
  if (!round.empty() || c.target() == "math.trunc" ||
      c.target() == "torch.sym_int")
    return c.set(
        c.w.own("Item", {c.w.cast(x, DataType::Int64)}, DataType::Int64, 0));
  c.fail("expected integers, but got a float");
}

static void powerOf(Call &c) {
  if (isFloatOperand(c, "a", "#0") || isFloatOperand(c, "b", "#1"))
    return floatArithmetic(c);
  GraphValue x = operand(c, "a", "#0"), y = operand(c, "b", "#1");
  std::optional<int64_t> exponent = y ? c.constantOf(y) : std::nullopt;
  if (!x || !exponent || *exponent < 0)
    return c.fail("expected a constant exponent of at least 0");
  c.set(evaluate(c, "a**" + std::to_string(*exponent), {x}));
}

static void arithmetic(Call &c) {
  if (isFloatOperand(c, "a", "#0") || isFloatOperand(c, "b", "#1"))
    return floatArithmetic(c);
  StringRef text = textOf(c.target());
  llvm::SmallVector<GraphValue, 2> operands{operand(c, "a", "#0")};
  if (text.contains('b'))
    operands.push_back(operand(c, "b", "#1"));
  for (const GraphValue &value : operands)
    if (!value)
      return c.fail("expected two integers");
  c.set(evaluate(c, text.str(), operands));
}

static void size(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.constant("dim", 0);
  c.set(c.w.sizeOf(x, c.axisOf(axis, x.rank)));
}

static void numel(Call &c) {
  GraphValue x = c.tensor("self");
  c.set(c.w.add("Size", {x}, DataType::Int64, 0));
}

static void item(Call &c) {
  GraphValue x = c.tensor("self");
  if (onnx::isFloat(x.type) || x.type == DataType::Bool)
    return c.set(x.rank == 0 ? x : c.w.reshape(x, c.w.ints({}), 0));
  c.set(c.w.own("Item", {x}, DataType::Int64, 0));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static void comparison(Call &c) {
  StringRef target = c.target(), relation;
  static const std::pair<StringRef, StringRef> relations[] = {
      {"_operator.ge", ">="}, {"_operator.le", "<="}, {"_operator.gt", ">"},
      {"_operator.lt", "<"},  {"_operator.eq", "=="}, {"_operator.ne", "!="}};
  for (auto [name, text] : relations)
    if (target == name)
      relation = text;
  if (isFloatOperand(c, "a", "#0") || isFloatOperand(c, "b", "#1"))
    return c.fail("expected integers, but got a float");
  // Of two conditions: `(b > 3) != (c > 5)`.
  StringRef one = c.conditionName("a", "#0"), two = c.conditionName("b", "#1");
  if (!one.empty() && !two.empty() && (relation == "==" || relation == "!=")) {
    c.translator.noteConnective(
        c.resultName(0), relation == "==" ? "equal" : "differ", one, two);
    return c.noteSet(0);
  }
  GraphValue x = operand(c, "a", "#0"), y = operand(c, "b", "#1");
  if (!x || !y)
    return c.fail("expected two integers");
  c.translator.noteCondition(c.resultName(0), relation, x, y);
  c.noteSet(0);
}

/// The bits of two integers.
static void bits(Call &c) {
  StringRef op = c.target() == "_operator.and_"  ? "BitwiseAnd"
                 : c.target() == "_operator.or_" ? "BitwiseOr"
                                                 : "BitwiseXor";
  GraphValue x = operand(c, "a", "#0"), y = operand(c, "b", "#1");
  if (!x || !y)
    return c.fail("expected two integers");
  c.set(c.w.own("Item", {c.w.binary(op, x, y)}, DataType::Int64, 0));
}

/// `and` and `or` of two conditions, and `not` of one; of integers, their bits.
static void connective(Call &c) {
  StringRef x = c.conditionName("a", "#0"), y = c.conditionName("b", "#1");
  if (x.empty() && y.empty())
    return bits(c);
  StringRef kind = c.target() == "torch.sym_not"   ? "not"
                   : c.target() == "_operator.or_" ? "or"
                                                   : "and";
  c.translator.noteConnective(c.resultName(0), kind, x, y);
  c.noteSet(0);
}

/// What a failed assertion says: the user's message, and where it stands.
static std::string messageOf(Call &c, StringRef otherwise) {
  std::string message = c.text("assert_msg", otherwise).str();
  return c.place().empty() ? message : message + " (" + c.place() + ")";
}

static void assertScalar(Call &c) {
  if (c.isConstantBool("self")) {
    if (!c.flag("self", true))
      c.fail("expected a condition that some call meets: " +
             messageOf(c, "it never holds"));
    return;
  }
  StringRef name = c.conditionName("self", "#0");
  if (!c.translator.requireBool(name, messageOf(c, "assertion of the program")))
    c.fail("expected an assertion on integers, but got one that is not "
           "supported");
}

static void constrainRange(Call &c) {
  GraphValue x = c.has("size") ? c.integer("size") : c.integer("symbol");
  bool isSize = c.target().contains("for_size");
  std::optional<int64_t> least, most;
  if (c.has("min"))
    least = c.constant("min", 0);
  else if (isSize)
    least = 0;
  if (c.has("max"))
    most = c.constant("max", 0);
  c.translator.requireRange(x, least, most,
                            c.place().empty() ? "an integer of the program"
                                              : "the integer at " + c.place());
}

/// The assertion of a tensor: all of it must hold.
static void assertAsync(Call &c) {
  GraphValue x = c.tensor("self");
  if (x.rank != 0)
    x = c.w.reshape(x, c.w.ints({}), 0);
  GraphValue one =
      c.w.own("Item", {c.w.cast(c.w.cast(x, DataType::Bool), DataType::Int64)},
              DataType::Int64, 0);
  c.translator.requireRange(one, 1, std::nullopt,
                            messageOf(c, "the assertion of the program"));
}

static void ignore(Call &) {}

void mlir::symshape::pytorch::addIntegers(Table &table) {
  for (StringRef op : {"add", "sub", "mul", "floordiv", "mod", "neg", "pos"})
    table.add(("_operator." + op).str(), arithmetic);
  for (StringRef op : {"torch.sym_max", "torch.sym_min", "torch.sym_int",
                       "math.ceil", "math.floor", "math.trunc"})
    table.add(op, arithmetic);
  table.add("_operator.pow", powerOf);
  for (StringRef op :
       {"_operator.truediv", "torch.sym_float", "torch._sym_sqrt"})
    table.add(op, floatArithmetic);
  for (StringRef op : {"ge", "le", "gt", "lt", "eq", "ne"})
    table.add(("_operator." + op).str(), comparison);
  for (StringRef op : {"_operator.and_", "_operator.or_", "torch.sym_not"})
    table.add(op, connective);
  table.add("_operator.xor", bits);
  table.add("aten.sym_size", size);
  table.add("aten.sym_numel", numel);
  table.add("aten.item", item);
  table.add("aten._local_scalar_dense", item);
  table.add("aten._assert_scalar", assertScalar);
  table.add("aten.sym_constrain_range", constrainRange);
  table.add("aten.sym_constrain_range_for_size", constrainRange);
  table.add("aten._assert_async", assertAsync);
  // Types are those that the exporter saw.
  table.add("aten._assert_tensor_metadata", ignore);
}
