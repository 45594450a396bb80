//===- Text.cpp - Reads StableHLO as text ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR parses it, with a dialect that knows no op (TextDialect). Then each op
// is rebuilt as an artifact has it, so that one importer takes both:
// `stablehlo.add` as `vhlo.add_v1`, with attributes that text keeps in another
// one (`dimension_numbers`) or leaves out beside the others. Artifacts have no
// ops of chlo: those that are supported come in as if they were of vhlo.
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "Importer.h"
#include "TextDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// An op of text, rebuilt as that of an artifact.
class Converter {
public:
  explicit Converter(MLIRContext *context) : b(context) {}
  /// Null after an error.
  Operation *convertFunction(func::FuncOp function);

private:
  void convertRegion(Region &from, Region &into);
  void convertOp(Operation &op, Block &into);
  Attribute convertAttribute(Attribute value);
  void flatten(Operation &op, NamedAttrList &attributes);
  void addDefaults(Operation &op, NamedAttrList &attributes);
  /// A list of as many numbers, unless the attribute is there.
  void addList(NamedAttrList &attributes, StringRef name, size_t count,
               int64_t value);

  OpBuilder b;
  IRMapping values;
};
} // namespace

/// In an artifact, symbols are strings, and lists of booleans are tensors.
Attribute Converter::convertAttribute(Attribute value) {
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value))
    return symbol.getAttr();
  if (auto flags = dyn_cast<DenseBoolArrayAttr>(value))
    return DenseElementsAttr::get(
        RankedTensorType::get(flags.size(), b.getI1Type()), flags.asArrayRef());
  return value;
}

/// The attributes of an op, in whichever form it has them, side by side.
void Converter::flatten(Operation &op, NamedAttrList &attributes) {
  auto add = [&](NamedAttribute attribute) {
    StringRef name = attribute.getName();
    auto fields = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (fields && name.ends_with("dimension_numbers"))
      attributes.append(fields.getValue());
    else
      attributes.set(name, convertAttribute(attribute.getValue()));
  };
  llvm::for_each(op.getAttrs(), add);
  if (auto more =
          dyn_cast_or_null<DictionaryAttr>(op.getPropertiesAsAttribute()))
    for (NamedAttribute attribute : more)
      if (!attributes.get(attribute.getName()))
        add(attribute);
}

void Converter::addList(NamedAttrList &attributes, StringRef name, size_t count,
                        int64_t value) {
  if (!attributes.get(name))
    attributes.set(name,
                   b.getDenseI64ArrayAttr(SmallVector<int64_t>(count, value)));
}

/// What text may leave out.
void Converter::addDefaults(Operation &op, NamedAttrList &attributes) {
  StringRef name = op.getName().stripDialect();
  auto places = dyn_cast_or_null<DenseI64ArrayAttr>(
      attributes.get("input_spatial_dimensions"));
  auto window =
      dyn_cast_or_null<DenseI64ArrayAttr>(attributes.get("window_dimensions"));
  size_t count = places ? places.size() : window ? window.size() : 0;
  if (places || window) {
    addList(attributes, "window_strides", count, 1);
    addList(attributes, places ? "lhs_dilation" : "base_dilations", count, 1);
    addList(attributes, places ? "rhs_dilation" : "window_dilations", count, 1);
    addList(attributes, "padding", 2 * count, 0);
  }
  if (name.ends_with("gather"))
    for (StringRef axes :
         {"operand_batching_dims", "start_indices_batching_dims", "offset_dims",
          "collapsed_slice_dims", "start_index_map"})
      addList(attributes, axes, 0, 0);
  if (name == "scatter")
    for (StringRef axes :
         {"input_batching_dims", "scatter_indices_batching_dims",
          "update_window_dims", "inserted_window_dims",
          "scatter_dims_to_operand_dims"})
      addList(attributes, axes, 0, 0);
  if (name.starts_with("dot_general"))
    for (StringRef axes :
         {"lhs_batching_dimensions", "rhs_batching_dimensions",
          "lhs_contracting_dimensions", "rhs_contracting_dimensions"})
      addList(attributes, axes, 0, 0);
}

void Converter::convertOp(Operation &op, Block &into) {
  StringRef dialect = op.getName().getDialectNamespace();
  StringRef name = op.getName().stripDialect();
  bool isKnown = dialect == "stablehlo" ||
                 (dialect == "chlo" && getRegistry().contains(name)) ||
                 isa<func::CallOp, func::ReturnOp>(op);
  OperationState state(op.getLoc(), isKnown
                                        ? ("vhlo." + name + "_v1").str()
                                        : op.getName().getStringRef().str());
  flatten(op, state.attributes);
  addDefaults(op, state.attributes);
  for (Value operand : op.getOperands())
    state.operands.push_back(values.lookupOrDefault(operand));
  state.addTypes(op.getResultTypes());
  for (unsigned i = 0; i < op.getNumRegions(); ++i)
    state.addRegion();
  Operation *made = Operation::create(state);
  into.push_back(made);
  values.map(op.getResults(), made->getResults());
  for (auto [from, to] : llvm::zip(op.getRegions(), made->getRegions()))
    convertRegion(from, to);
}

void Converter::convertRegion(Region &from, Region &into) {
  for (Block &block : from) {
    Block &made = into.emplaceBlock();
    for (BlockArgument argument : block.getArguments())
      values.map(argument,
                 made.addArgument(argument.getType(), argument.getLoc()));
    for (Operation &op : block)
      convertOp(op, made);
  }
}

Operation *Converter::convertFunction(func::FuncOp function) {
  OperationState state(function.getLoc(), "vhlo.func_v1");
  SmallVector<Attribute> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto own = function.getArgAttrDict(i);
    arguments.push_back(own ? own : b.getDictionaryAttr({}));
  }
  state.addAttribute("sym_name", function.getSymNameAttr());
  state.addAttribute("function_type",
                     TypeAttr::get(function.getFunctionType()));
  state.addAttribute("sym_visibility",
                     b.getStringAttr(function.isPrivate() ? "private" : ""));
  state.addAttribute("arg_attrs", b.getArrayAttr(arguments));
  Region *body = state.addRegion();
  convertRegion(function.getBody(), *body);
  return Operation::create(state);
}

OwningOpRef<ModuleOp>
mlir::symshape::stablehlo::readText(llvm::MemoryBufferRef text,
                                    MLIRContext *context) {
  context->loadDialect<func::FuncDialect, TextDialect, ChloTextDialect>();
  // Ops and attributes of others, such as `#sdy.sharding`, parse as they are.
  bool allowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects();
  auto restore =
      llvm::scope_exit([&] { context->allowUnregisteredDialects(allowed); });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                 text.getBuffer(), text.getBufferIdentifier()),
                             llvm::SMLoc());
  ParserConfig config(context, /*verifyAfterParse=*/true);
  auto parsed = parseSourceFile<ModuleOp>(sources, config);
  if (!parsed)
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(parsed->getLoc());
  for (auto function : parsed->getOps<func::FuncOp>())
    if (!function.isExternal())
      module->push_back(Converter(context).convertFunction(function));
  return module;
}
