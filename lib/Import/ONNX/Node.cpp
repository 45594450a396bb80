//===- Node.cpp - What a definition of an op sees of a node ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns operands into the forms that definitions ask for.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/ONNX/Node.h"

#include "Families.h"
#include "Given.h"
#include "GraphImporter.h"
#include "Lists.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// Lists are for sizes: longer ones are data.
static constexpr int64_t longestList = 64;

Operand Operand::of(Tensor tensor) {
  Operand result;
  result.kind = IsTensor;
  result.type = tensor.type;
  result.tensor = std::move(tensor);
  return result;
}

Operand Operand::ofList(ArrayRef<Expr> list, bool isScalar, DataType type) {
  Operand result;
  result.kind = IsList;
  result.list.assign(list.begin(), list.end());
  result.isScalar = isScalar;
  result.type = type;
  return result;
}

Operand Operand::ofTable(ArrayRef<Expr> list, ArrayRef<int64_t> shape,
                         DataType type) {
  Operand result = ofList(list, false, type);
  result.kind = IsTable;
  result.shape.assign(shape.begin(), shape.end());
  return result;
}

Operand Operand::ofConstant(std::shared_ptr<const TensorData> data) {
  Operand result;
  result.kind = IsConstant;
  result.type = data->type;
  result.constant = std::move(data);
  return result;
}

std::optional<SmallVector<Expr, 4>> Operand::extents(ExprArena &arena) const {
  SmallVector<Expr, 4> dims;
  auto add = [&](int64_t extent) { dims.push_back(arena.constant(extent)); };
  switch (kind) {
  case Operand::IsTensor:
    return tensor.dims;
  case Operand::IsList:
    if (!isScalar)
      add(list.size());
    return dims;
  case Operand::IsTable:
    llvm::for_each(shape, add);
    return dims;
  case Operand::IsConstant:
    llvm::for_each(constant->dims, add);
    return dims;
  case Operand::Absent:
  case Operand::IsSequence:
  case Operand::IsUnknown:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are above");
}

Node::Node(GraphImporter &importer, const NodeData &data,
           std::vector<Operand> operands)
    : importer(importer), data(data), operands(std::move(operands)) {}

int64_t Node::opset() const { return importer.opset(); }
int64_t Node::version() const { return importer.version(data.domain); }
Emitter &Node::emit() { return importer.emit(); }
LogicalResult Node::fail(const Twine &message) {
  std::string text = message.str();
  if (StringRef(text).starts_with("expected") &&
      !StringRef(text).contains(", but "))
    text += ", but got " +
            describeGiven(data, operands, importer.arena, importer.names);
  return importer.fail(text);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Node::has(size_t i) const {
  return i < operands.size() && operands[i].kind != Operand::Absent;
}

DataType Node::type(size_t i) const { return operand(i).type; }

const Operand &Node::operand(size_t i) const {
  static const Operand absent;
  return i < operands.size() ? operands[i] : absent;
}

int64_t Node::rank(size_t i) const {
  const Operand &operand = this->operand(i);
  switch (operand.kind) {
  case Operand::IsTensor:
    return operand.tensor.rank();
  case Operand::IsList:
    return operand.isScalar ? 0 : 1;
  case Operand::IsTable:
    return operand.shape.size();
  case Operand::IsConstant:
    return operand.constant->dims.size();
  default:
    return 0;
  }
}

Tensor Node::tensor(size_t i) {
  Operand nothing;
  Operand &operand = i < operands.size() ? operands[i] : nothing;
  switch (operand.kind) {
  case Operand::IsTensor:
    return operand.tensor;
  case Operand::IsList:
    return emit().fromList(operand.list, operand.isScalar, operand.type);
  case Operand::IsTable: {
    Tensor flat = emit().fromList(operand.list, false, operand.type);
    return emit().reshape(flat, *operand.extents(emit().arena()));
  }
  case Operand::IsConstant:
    return importer.materialise(operand.constant);
  default:
    (void)fail("expected input #" + Twine(i) + " to be a tensor");
    return emit().scalar(DataType::Float, 0);
  }
}

Tensor Node::wideTensor(size_t i) { return emit().widen(tensor(i)); }

Tensor Node::broadcastOperand(size_t i, ArrayRef<Expr> dims) {
  Tensor x = tensor(i);
  constexpr int64_t broadcastsByRank = 7;
  if (opset() >= broadcastsByRank)
    return x;
  int64_t rank = dims.size();
  bool broadcasts = intAttr("broadcast", 0);
  int64_t first = intAttr("axis", rank - x.rank());
  if (first < 0)
    first += rank;
  if (first < 0 || first + x.rank() > rank ||
      (!broadcasts && x.rank() != rank)) {
    (void)fail("expected the axes of input #" + Twine(i) +
               " to be some of the other operand");
    return x;
  }
  for (auto [own, other] : llvm::zip(x.dims, dims.drop_front(first)))
    if (!broadcasts || !own.isConstant(1))
      emit().require(Relation::eq(own, other),
                     "extents must be equal where no attribute says that they "
                     "broadcast");
  SmallVector<int64_t> behind;
  for (int64_t axis = x.rank(); axis + first < rank; ++axis)
    behind.push_back(axis);
  return emit().unsqueeze(x, behind);
}

/// The element at `data` as an integer; that of a bool is 0 or 1.
static int64_t readInteger(DataType type, const char *data) {
  using namespace llvm::support::endian;
  switch (type) {
  case DataType::Bool:
    return *data != 0;
  case DataType::UInt8:
    return static_cast<uint8_t>(*data);
  case DataType::Int8:
    return static_cast<int8_t>(*data);
  case DataType::UInt16:
    return read16le(data);
  case DataType::Int16:
    return static_cast<int16_t>(read16le(data));
  case DataType::UInt32:
    return read32le(data);
  case DataType::Int32:
    return static_cast<int32_t>(read32le(data));
  default:
    return static_cast<int64_t>(read64le(data));
  }
}

static bool hasIntegers(DataType type) {
  return isInteger(type) || type == DataType::Bool;
}

/// Whether a constant is integers that 64 bits with a sign hold.
static bool holdsInt64(const Operand &operand) {
  if (operand.kind != Operand::IsConstant || !hasIntegers(operand.type))
    return false;
  if (operand.type != DataType::UInt64)
    return true;
  StringRef bytes = operand.constant->bytes;
  for (size_t at = 0; at < bytes.size(); at += sizeof(int64_t))
    if (readInteger(operand.type, bytes.data() + at) < 0)
      return false;
  return true;
}

std::optional<SmallVector<int64_t, 4>> Node::constantInts(size_t i) {
  if (!has(i))
    return std::nullopt;
  const Operand &operand = this->operand(i);
  SmallVector<int64_t, 4> values;
  if (operand.kind == Operand::IsList) {
    for (Expr e : operand.list) {
      if (!e.asInt64())
        return std::nullopt;
      values.push_back(*e.asInt64());
    }
    return values;
  }
  return rank(i) <= 1 ? flatInts(i) : std::nullopt;
}

std::optional<SmallVector<int64_t, 4>> Node::flatInts(size_t i) {
  const Operand &operand = this->operand(i);
  if (!holdsInt64(operand))
    return std::nullopt;
  SmallVector<int64_t, 4> values;
  unsigned size = bytesOf(operand.type);
  for (size_t at = 0; at < operand.constant->bytes.size(); at += size)
    values.push_back(
        readInteger(operand.type, operand.constant->bytes.data() + at));
  return values;
}

std::optional<SmallVector<Expr, 4>> Node::knownInts(size_t i) {
  if (has(i) && operands[i].kind == Operand::IsList)
    return operands[i].list;
  auto values = constantInts(i);
  if (!values)
    return std::nullopt;
  SmallVector<Expr, 4> result;
  for (int64_t value : *values)
    result.push_back(emit().constant(value));
  return result;
}

llvm::SmallBitVector Node::givenInts(size_t i, size_t length) const {
  if (operands[i].kind != Operand::IsList)
    return llvm::SmallBitVector(length, true);
  llvm::SmallBitVector given = operands[i].given;
  given.resize(length);
  return given;
}

bool Node::isKnownList(size_t i) {
  if (!has(i))
    return false;
  const Operand &operand = this->operand(i);
  if (operand.kind == Operand::IsList)
    return true;
  return holdsInt64(operand) && rank(i) <= 1 &&
         operand.constant->getNumElements() <= longestList;
}

/// How many elements a list has; where that is no constant, in the first call,
/// which is then required.
static std::optional<int64_t> lengthOf(Node &n, size_t i, Expr extent) {
  if (std::optional<int64_t> length = extent.asInt64())
    return length;
  if (n.operand(i).input)
    return n.graph().bindExtent(*n.operand(i).input, 0);
  Emitter &e = n.emit();
  std::optional<int64_t> length = n.inFirstCall(extent);
  if (length)
    e.require(Relation::eq(extent, e.constant(*length)),
              "the ranks of the model are those for one length of a list");
  return length;
}

std::optional<SmallVector<Expr, 4>> Node::ints(size_t i) {
  if (auto known = knownInts(i))
    return known;
  if (!has(i) || !hasIntegers(type(i)) || rank(i) > 1) {
    (void)fail("expected input #" + Twine(i) +
               " to be integers of rank 0 or 1");
    return std::nullopt;
  }
  Tensor x = tensor(i);
  Scalars s(emit().builder(), emit().loc());
  int64_t length = 1;
  if (x.rank() == 1) {
    std::optional<int64_t> extent = lengthOf(*this, i, x.dims[0]);
    if (!extent || *extent > longestList) {
      (void)fail("expected input #" + Twine(i) +
                 ", which says extents, to have a known length of at most " +
                 Twine(longestList) + ", but got " + x.dims[0].str());
      return std::nullopt;
    }
    length = *extent;
  }
  SmallVector<Expr, 4> result;
  for (int64_t k = 0; k < length; ++k) {
    SmallVector<Expr, 1> at;
    if (x.rank() == 1)
      at.push_back(emit().constant(k));
    Value element = s.toIndex(emit().extract(x, at), x.type);
    result.push_back(emit().bindInteger(element, "_v"));
  }
  return result;
}

Expr Node::oneInt(size_t i) {
  auto list = ints(i);
  if (list && list->size() == 1)
    return list->front();
  if (list)
    (void)fail("expected input #" + Twine(i) + " to be one integer, but got " +
               Twine(list->size()));
  return Expr();
}

Value Node::oneElement(size_t i) {
  Tensor x = tensor(i);
  Expr count = emit().product(x.dims);
  if (count.isConstant() && !count.isConstant(1)) {
    (void)fail("expected input #" + Twine(i) + " to be one element, but got " +
               count.str());
    return Value();
  }
  if (!count.isConstant())
    emit().require(Relation::eq(count, emit().constant(1)),
                   "there must be one element");
  return emit().extract(x, SmallVector<Expr, 1>(x.rank(), emit().constant(0)));
}

/// The element at `data` as a number.
static double readNumber(DataType type, const char *data) {
  using namespace llvm::support::endian;
  if (type == DataType::Float)
    return llvm::bit_cast<float>(read32le(data));
  if (type == DataType::Double)
    return llvm::bit_cast<double>(read64le(data));
  if (type == DataType::Float16)
    return APFloat(APFloat::IEEEhalf(), APInt(16, read16le(data)))
        .convertToFloat();
  if (type == DataType::BFloat16)
    return APFloat(APFloat::BFloat(), APInt(16, read16le(data)))
        .convertToFloat();
  return static_cast<double>(readInteger(type, data));
}

std::optional<SmallVector<double, 4>> Node::constantNumbers(size_t i) {
  if (!has(i))
    return std::nullopt;
  SmallVector<double, 4> values;
  if (auto integers = constantInts(i)) {
    values.assign(integers->begin(), integers->end());
    return values;
  }
  const Operand &operand = this->operand(i);
  if (operand.kind != Operand::IsConstant || bytesOf(operand.type) == 0)
    return std::nullopt;
  unsigned size = bytesOf(operand.type);
  for (size_t at = 0; at < operand.constant->bytes.size(); at += size)
    values.push_back(
        readNumber(operand.type, operand.constant->bytes.data() + at));
  return values;
}

std::optional<double> Node::constantNumber(size_t i) {
  auto values = constantNumbers(i);
  return values && values->size() == 1 ? std::optional(values->front())
                                       : std::nullopt;
}

bool Node::bindValue(size_t i) {
  if (!has(i) || !operands[i].input)
    return false;
  std::shared_ptr<const TensorData> value =
      importer.bindValue(*operands[i].input);
  if (value)
    operands[i] = Operand::ofConstant(value);
  return value != nullptr;
}

std::optional<SmallVector<int64_t, 4>> Node::neededInts(size_t i) {
  if (auto values = constantInts(i))
    return values;
  if (bindValue(i))
    return constantInts(i);
  (void)fail("expected input #" + Twine(i) + " to be constant integers");
  return std::nullopt;
}

std::optional<int64_t> Node::neededInt(size_t i, StringRef what) {
  auto values = neededInts(i);
  if (!values)
    return std::nullopt;
  if (values->size() == 1)
    return values->front();
  (void)fail("expected one " + what);
  return std::nullopt;
}

std::optional<SmallVector<Expr, 4>> Node::partSizes(size_t i, Expr whole) {
  auto sizes = ints(i);
  if (!sizes)
    return std::nullopt;
  Expr sum = emit().constant(0);
  for (Expr size : *sizes) {
    sum = sum + size;
    emit().require(Relation::ge(size, emit().constant(0)),
                   "a size must not be negative");
  }
  emit().require(Relation::eq(sum, whole), "the sizes must add up to the axis");
  return sizes;
}

std::optional<int64_t> Node::neededExtent(size_t i, int64_t axis) {
  const Operand &operand = this->operand(i);
  Tensor x = tensor(i);
  if (axis >= x.rank()) {
    (void)fail("expected input #" + Twine(i) + " to have axis " + Twine(axis));
    return std::nullopt;
  }
  Expr extent = x.dims[axis];
  if (std::optional<int64_t> value = extent.asInt64())
    return value;
  if (operand.kind == Operand::IsTensor && operand.input)
    return importer.bindExtent(*operand.input, axis);
  (void)fail("expected a constant extent of input #" + Twine(i) + ", but got " +
             extent.str());
  return std::nullopt;
}

std::optional<int64_t> Node::inFirstCall(Expr e) {
  return importer.inFirstCall(e);
}

std::optional<SmallVector<double, 4>> Node::neededNumbers(size_t i) {
  if (auto values = constantNumbers(i))
    return values;
  if (bindValue(i))
    return constantNumbers(i);
  (void)fail("expected input #" + Twine(i) + " to be constant");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const AttributeData *Node::attribute(StringRef name) const {
  for (const AttributeData &attribute : data.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

int64_t Node::intAttr(StringRef name, int64_t otherwise) const {
  const AttributeData *found = attribute(name);
  return found ? found->i : otherwise;
}

double Node::floatAttr(StringRef name, double otherwise) const {
  const AttributeData *found = attribute(name);
  return found ? found->f : otherwise;
}

StringRef Node::textAttr(StringRef name, StringRef otherwise) const {
  const AttributeData *found = attribute(name);
  return found ? found->s : otherwise;
}

std::optional<SmallVector<int64_t, 4>> Node::intsAttr(StringRef name) const {
  const AttributeData *found = attribute(name);
  if (!found)
    return std::nullopt;
  return SmallVector<int64_t, 4>(found->ints.begin(), found->ints.end());
}

std::optional<std::vector<float>> Node::floatsAttr(StringRef name) const {
  const AttributeData *found = attribute(name);
  return found ? std::optional(found->floats) : std::nullopt;
}

std::optional<int64_t> Node::axis(int64_t value, int64_t rank) {
  int64_t counted = value < 0 ? value + rank : value;
  if (counted >= 0 && counted < rank)
    return counted;
  (void)fail("expected an axis of a tensor of rank " + Twine(rank) +
             ", but got " + Twine(value));
  return std::nullopt;
}

std::optional<int64_t> Node::axisAttr(StringRef name, int64_t otherwise,
                                      int64_t rank) {
  return axis(intAttr(name, otherwise), rank);
}

std::optional<SmallVector<int64_t, 4>> Node::axes(ArrayRef<int64_t> values,
                                                  int64_t rank) {
  SmallVector<int64_t, 4> result;
  for (int64_t value : values) {
    std::optional<int64_t> counted = axis(value, rank);
    if (!counted)
      return std::nullopt;
    result.push_back(*counted);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    (void)fail("expected each axis once");
    return std::nullopt;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool Node::wants(size_t i) const {
  return i < data.outputs.size() && !data.outputs[i].empty();
}

LogicalResult Node::set(size_t i, Operand operand) {
  return wants(i) ? importer.define(data.outputs[i], std::move(operand))
                  : success();
}

LogicalResult Node::set(size_t i, const Tensor &tensor) {
  return tensor ? set(i, Operand::of(tensor)) : failure();
}

LogicalResult Node::setRounded(size_t i, const Tensor &tensor) {
  return tensor ? set(i, emit().cast(tensor, type(0))) : failure();
}

/// Whether a product of so many factors is better known by a name: exact
/// arithmetic on it takes as many words as it has factors.
static bool isSteep(Expr e) {
  constexpr unsigned most = 8;
  return llvm::any_of(e.terms(), [](const Expr::Term &term) {
    unsigned degree = 0;
    for (auto [atom, power] : term.powers)
      degree += power;
    return degree > most;
  });
}

LogicalResult Node::setList(size_t i, ArrayRef<Expr> list, bool isScalar,
                            DataType type, llvm::SmallBitVector given) {
  requireInRange(*this, list, type);
  if (static_cast<int64_t>(list.size()) > longestList)
    return set(i, emit().fromList(list, isScalar, type));
  SmallVector<Expr, 4> named(list);
  for (Expr &e : named)
    if (isSteep(e) && emit().isAvailable(e))
      e = emit().bindInteger(emit().index(e), "product");
  Operand result = Operand::ofList(named, isScalar, type);
  given.resize(list.size());
  result.given = std::move(given);
  return set(i, std::move(result));
}

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

static std::string makeKey(StringRef domain, StringRef name) {
  return (domain == "ai.onnx" ? StringRef() : domain).str() + "." + name.str();
}

void Registry::add(StringRef domain, StringRef name, Definition definition) {
  // The newest comes first.
  SmallVector<Definition, 1> &versions = definitions[makeKey(domain, name)];
  auto place = llvm::find_if(versions, [&](const Definition &other) {
    return other.since <= definition.since;
  });
  if (place != versions.end() && place->since == definition.since)
    *place = definition;
  else
    versions.insert(place, definition);
}

const Definition *Registry::find(StringRef domain, StringRef name,
                                 int64_t version) const {
  auto it = definitions.find(makeKey(domain, name));
  if (it == definitions.end())
    return nullptr;
  auto found = llvm::find_if(it->second, [&](const Definition &definition) {
    return definition.since <= version;
  });
  return found == it->second.end() ? nullptr : &*found;
}

std::vector<std::string> Registry::getNames() const {
  std::vector<std::string> names;
  for (const auto &entry : definitions)
    names.push_back(entry.getKey().str());
  llvm::sort(names);
  return names;
}

const Registry &Registry::standard() {
  static const Registry registry = [] {
    Registry all;
    addElementwiseOps(all);
    addComparisonOps(all);
    addSequenceOps(all);
    addShapeOps(all);
    addControlFlowOps(all);
    addConvolutionOps(all);
    addOrderingOps(all);
    addBoxOps(all);
    addCol2ImOps(all);
    addRegionPoolOps(all);
    addCountingOps(all);
    addSignalOps(all);
    addStateOps(all);
    addQuantizationOps(all);
    addRecurrentOps(all);
    addResizeOps(all);
    addRotaryEmbeddingOps(all);
    addSamplingOps(all);
    addLoopOps(all);
    addGroupQueryAttentionOps(all);
    addLossOps(all);
    addAttentionOps(all);
    addGatheringOps(all);
    addGeluOps(all);
    addMovementOps(all);
    addQLinearOps(all);
    addMultiHeadAttentionOps(all);
    addPackedAttentionOps(all);
    addEmbedLayerNormalizationOps(all);
    addBlockQuantizedOps(all);
    addReductionOps(all);
    addProductOps(all);
    addTransposedConvolutionOps(all);
    addWindowOps(all);
    addNormalizationOps(all);
    return all;
  }();
  return registry;
}

std::shared_ptr<const Registry>
Registry::standardAnd(llvm::function_ref<void(Registry &)> add) {
  auto registry = std::make_shared<Registry>(standard());
  add(*registry);
  return registry;
}
