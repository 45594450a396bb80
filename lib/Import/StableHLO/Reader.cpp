//===- Reader.cpp - Reads a portable artifact -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The section of ops. Values have numbers, region by region: those of the
// regions around come first, unless a region is isolated from above.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "Tables.h"
#include "Vhlo.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
class Reader {
public:
  Reader(Location loc, uint64_t version) : tables(loc, version) {}
  OwningOpRef<ModuleOp> read(Bytes bytes);

private:
  /// Values by their numbers; null ones are not yet defined.
  struct Values {
    SmallVector<Value> known;
    size_t next = 0;
  };
  LogicalResult readRegion(Bytes &bytes, Region &region, Values &outer);
  LogicalResult readBlock(Bytes &bytes, Block &block, Values &values);
  LogicalResult readArguments(Bytes &bytes, Block &block, Values &values);
  LogicalResult readOp(Bytes &bytes, Block &block, Values &values);
  LogicalResult readModule(Bytes &bytes, Block &body);
  LogicalResult readAttributes(Bytes &bytes, uint8_t mask,
                               const Tables::OpName &name,
                               OperationState &state);
  LogicalResult readProperties(Bytes &bytes, const Tables::OpName &name,
                               OperationState &state);
  LogicalResult addAttribute(const Tables::OpName &op, StringRef name,
                             Attribute value, OperationState &state);
  LogicalResult readRegions(Bytes &bytes, MutableArrayRef<Region> regions,
                            bool isIsolated, Values &values);
  LogicalResult define(Values &values, ValueRange defined);
  /// Orders of uses say nothing that is needed.
  void skipUseListOrders(Bytes &bytes, size_t numValues);
  bool has(uint8_t mask, uint8_t part) const { return mask & part; }
  LogicalResult check(const Bytes &bytes) {
    return bytes.isBroken() ? tables.fail("expected more bytes") : success();
  }

  Tables tables;
  unsigned depth = 0; ///< of regions
};
using namespace bytecode::OpEncodingMask;
} // namespace

LogicalResult Reader::define(Values &values, ValueRange defined) {
  for (Value value : defined) {
    if (values.next >= values.known.size())
      return tables.fail("expected as many values as a region says");
    values.known[values.next++] = value;
  }
  return success();
}

void Reader::skipUseListOrders(Bytes &bytes, size_t numValues) {
  size_t lists = numValues > 1 ? bytes.count() : 1;
  for (; lists > 0 && !bytes.isBroken(); --lists) {
    if (numValues > 1)
      (void)bytes.number();
    uint64_t count = bytes.numberAndFlag().first;
    for (; count > 0 && !bytes.isBroken(); --count)
      (void)bytes.number();
  }
}

/// Those of other dialects say nothing that is needed, if the op may do
/// without.
LogicalResult Reader::addAttribute(const Tables::OpName &op, StringRef name,
                                   Attribute value, OperationState &state) {
  if (value != foreignAttribute(tables.loc.getContext())) {
    state.attributes.set(name, value);
    return success();
  }
  return name.contains('.')
             ? success()
             : tables.fail("expected '" + name + "' of '" + op.name +
                           "' to be an attribute of 'vhlo'");
}

LogicalResult Reader::readProperties(Bytes &bytes, const Tables::OpName &name,
                                     OperationState &state) {
  auto list = tables.properties(bytes.number());
  if (!list)
    return failure();
  for (StringRef attribute : llvm::split(*attributesOf(name.name), ' ')) {
    if (attribute.empty())
      continue;
    Attribute value = tables.attribute(list->number());
    if (!value || failed(check(*list)))
      return failure();
    if (failed(addAttribute(name, attribute, value, state)))
      return failure();
  }
  return list->isRead()
             ? success()
             : tables.fail("expected properties of '" + name.name + "' alone");
}

/// Ops of Shardy that only say which part of a value is for which device, and
/// the casts before and after these.
static bool isSharding(StringRef opName) {
  return opName == "sdy.mesh" || opName == "sdy.sharding_constraint" ||
         opName == "builtin.unrealized_conversion_cast";
}

LogicalResult Reader::readAttributes(Bytes &bytes, uint8_t mask,
                                     const Tables::OpName &name,
                                     OperationState &state) {
  if (isSharding(name.name)) {
    for (uint8_t part : {kHasAttrs, kHasProperties})
      if (has(mask, part))
        (void)bytes.number();
    return success();
  }
  if (has(mask, kHasAttrs)) {
    Attribute value = tables.attribute(bytes.number());
    auto dictionary = dyn_cast_or_null<DictionaryAttr>(value);
    if (!dictionary)
      return value ? tables.fail("expected a dictionary of attributes")
                   : failure();
    for (NamedAttribute one : dictionary)
      if (failed(addAttribute(name, one.getName(), one.getValue(), state)))
        return failure();
  }
  if (!has(mask, kHasProperties))
    return success();
  if (!name.hasNativeProperties)
    return tables.fail("expected properties of an op that is known");
  return readProperties(bytes, name, state);
}

LogicalResult Reader::readOp(Bytes &bytes, Block &block, Values &values) {
  const Tables::OpName *name = tables.opName(bytes.number());
  if (!name)
    return failure();
  bool isOfShardy = isSharding(name->name);
  if (!isOfShardy && !attributesOf(name->name))
    return tables.fail("expected ops of StableHLO up to version 1.20, but got "
                       "'" +
                       name->name + "'");
  uint8_t mask = bytes.byte();
  LocationAttr loc = tables.location(bytes.number());
  if (!loc)
    return failure();
  OperationState state(loc, isOfShardy ? "vhlo.sharding_v1" : name->name);
  if (failed(readAttributes(bytes, mask, *name, state)))
    return failure();
  if (has(mask, kHasResults))
    for (size_t count = bytes.count(); count > 0; --count) {
      uint64_t number = bytes.number();
      Type type =
          isOfShardy ? NoneType::get(loc.getContext()) : tables.type(number);
      if (!type)
        return failure();
      state.types.push_back(type);
    }
  if (has(mask, kHasOperands))
    for (size_t count = bytes.count(); count > 0; --count) {
      uint64_t number = bytes.number();
      if (number >= values.known.size() || !values.known[number])
        return tables.fail("expected an operand of '" + name->name +
                           "' that is defined before");
      state.operands.push_back(values.known[number]);
    }
  if (isOfShardy) {
    if (state.types.size() != state.operands.size())
      return tables.fail("expected a result of '" + name->name +
                         "' for each operand");
    state.types = llvm::to_vector<4>(ValueRange(state.operands).getTypes());
  }
  if (has(mask, kHasSuccessors))
    return tables.fail("expected ops without successors");
  if (has(mask, kHasUseListOrders))
    skipUseListOrders(bytes, state.types.size());
  bool isIsolated = false;
  size_t numRegions = 0;
  if (has(mask, kHasInlineRegions))
    std::tie(numRegions, isIsolated) = bytes.numberAndFlag();
  // A region takes a byte, and is in a section of at least two if isolated.
  if (numRegions > bytes.left())
    return tables.fail("expected as many regions as an op says");
  for (size_t i = 0; i < numRegions; ++i)
    state.addRegion();
  if (failed(check(bytes)))
    return failure();
  Operation *op = Operation::create(state);
  block.push_back(op);
  if (failed(define(values, op->getResults())))
    return failure();
  return numRegions == 0
             ? success()
             : readRegions(bytes, op->getRegions(), isIsolated, values);
}

LogicalResult Reader::readRegions(Bytes &bytes, MutableArrayRef<Region> regions,
                                  bool isIsolated, Values &values) {
  constexpr unsigned most = 64;
  if (++depth > most)
    return tables.fail("expected at most " + Twine(most) +
                       " regions inside one another");
  Values own;
  Bytes section;
  bool isApart = isIsolated && tables.version >= bytecode::kLazyLoading;
  if (isApart) {
    auto [kind, inside] = bytes.section();
    section = inside;
    if (kind != bytecode::Section::kIR)
      return tables.fail("expected a section of ops for a region");
  }
  for (Region &region : regions)
    if (failed(readRegion(isApart ? section : bytes, region,
                          isIsolated ? own : values)))
      return failure();
  --depth;
  return check(isApart ? section : bytes);
}

LogicalResult Reader::readRegion(Bytes &bytes, Region &region, Values &values) {
  uint64_t numBlocks = bytes.number();
  if (numBlocks == 0)
    return check(bytes);
  if (numBlocks != 1)
    return tables.fail("expected regions of one block");
  size_t numValues = bytes.count(), first = values.known.size();
  size_t resumed = std::exchange(values.next, first);
  values.known.resize(first + numValues);
  LogicalResult result = readBlock(bytes, region.emplaceBlock(), values);
  values.known.resize(first);
  values.next = resumed;
  return result;
}

LogicalResult Reader::readArguments(Bytes &bytes, Block &block,
                                    Values &values) {
  for (size_t count = bytes.count(); count > 0; --count) {
    uint64_t type = bytes.number();
    bool hasLoc = true;
    if (tables.version >= bytecode::kElideUnknownBlockArgLocation) {
      hasLoc = type & 1;
      type >>= 1;
    }
    Type argument = tables.type(type);
    LocationAttr loc =
        hasLoc ? tables.location(bytes.number())
               : LocationAttr(UnknownLoc::get(tables.loc.getContext()));
    if (!argument || !loc)
      return failure();
    block.addArgument(argument, loc);
  }
  if (failed(define(values, block.getArguments())))
    return failure();
  if (tables.version >= bytecode::kUseListOrdering && bytes.byte())
    skipUseListOrders(bytes, block.getNumArguments());
  return check(bytes);
}

LogicalResult Reader::readBlock(Bytes &bytes, Block &block, Values &values) {
  auto [numOps, hasArguments] = bytes.numberAndFlag();
  if (hasArguments && failed(readArguments(bytes, block, values)))
    return failure();
  for (; numOps > 0; --numOps)
    if (failed(readOp(bytes, block, values)))
      return failure();
  return check(bytes);
}

/// Of the module, its functions alone.
LogicalResult Reader::readModule(Bytes &bytes, Block &body) {
  auto [numOps, hasArguments] = bytes.numberAndFlag();
  const Tables::OpName *name = tables.opName(bytes.number());
  if (!name)
    return failure();
  uint8_t mask = bytes.byte();
  (void)bytes.number(); // its location
  for (uint8_t part : {kHasAttrs, kHasProperties})
    if (has(mask, part))
      (void)bytes.number();
  constexpr uint8_t known = kHasAttrs | kHasProperties | kHasInlineRegions;
  auto [numRegions, isIsolated] = bytes.numberAndFlag();
  if (numOps != 1 || hasArguments || name->name != "builtin.module" ||
      (mask & ~known) || !has(mask, kHasInlineRegions) || numRegions != 1)
    return tables.fail("expected one module");
  Values none;
  Region region;
  if (failed(readRegions(bytes, region, isIsolated, none)))
    return failure();
  if (!region.hasOneBlock())
    return tables.fail("expected a module of one block");
  body.getOperations().splice(body.end(), region.front().getOperations());
  return success();
}

OwningOpRef<ModuleOp> Reader::read(Bytes bytes) {
  Sections sections;
  while (!bytes.isRead() && !bytes.isBroken()) {
    auto [kind, section] = bytes.section();
    if (!sections.try_emplace(kind, section).second)
      return (void)tables.fail("expected each section once"), nullptr;
  }
  if (failed(check(bytes)) || failed(tables.read(sections)))
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(tables.loc);
  if (failed(readModule(sections[bytecode::Section::kIR], *module->getBody())))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp>
mlir::symshape::stablehlo::readArtifact(llvm::MemoryBufferRef artifact,
                                        MLIRContext *context) {
  StringRef all = artifact.getBuffer();
  Location loc = FileLineColLoc::get(context, artifact.getBufferIdentifier(),
                                     /*line=*/0, /*column=*/0);
  constexpr StringLiteral magic = "ML\xEFR";
  Bytes bytes(all, all.data());
  bool isBytecode = bytes.take(magic.size()) == magic;
  uint64_t version = bytes.number();
  while (isBytecode && !bytes.isBroken() && bytes.byte() != 0)
    ; // what wrote it
  if (!isBytecode || bytes.isBroken() || version > bytecode::kVersion) {
    emitError(loc, "expected bytecode of version 0 to ")
        << bytecode::kVersion << ", but got version " << version;
    return nullptr;
  }
  return Reader(loc, version).read(bytes);
}
