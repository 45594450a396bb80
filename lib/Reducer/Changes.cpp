//===- Changes.cpp - Changes that make a program smaller ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Changes.h"

#include "BypassOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/Fixate.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace mlir::symshape;

static llvm::BitVector bitsOf(size_t size, size_t begin, size_t end) {
  llvm::BitVector bits(size);
  bits.set(begin, end);
  return bits;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static size_t countResults(func::FuncOp function) {
  return function.getNumResults();
}

static LogicalResult dropResults(func::FuncOp function, size_t begin,
                                 size_t end) {
  function.walk([&](func::ReturnOp ret) {
    ret->eraseOperands(bitsOf(ret.getNumOperands(), begin, end));
  });
  return function.eraseResults(bitsOf(function.getNumResults(), begin, end));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The ops that can become arguments, outer ones first; not those in bodies of
/// structured ops, whose text does not show them.
static SmallVector<Operation *> collectOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function && !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
    return isa<DestinationStyleOpInterface>(op) ? WalkResult::skip()
                                                : WalkResult::advance();
  });
  return ops;
}

static size_t countOps(func::FuncOp function) {
  return collectOps(function).size();
}

static LogicalResult valuesToArguments(func::FuncOp function, size_t begin,
                                       size_t end) {
  SmallVector<Operation *> all = collectOps(function);
  llvm::SetVector<Operation *> chosen(all.begin() + begin, all.begin() + end);
  // What is inside of one goes with it.
  SmallVector<Operation *> outer;
  for (Operation *op : chosen) {
    Operation *around = op->getParentOp();
    while (around != function && !chosen.contains(around))
      around = around->getParentOp();
    if (around == function)
      outer.push_back(op);
  }
  auto noAttributes = DictionaryAttr::get(function.getContext());
  for (Operation *op : llvm::reverse(outer)) {
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      unsigned index = function.getNumArguments();
      if (failed(function.insertArgument(index, result.getType(), noAttributes,
                                         op->getLoc())))
        return failure();
      result.replaceAllUsesWith(function.getArgument(index));
    }
    op->erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static SmallVector<unsigned> collectUnusedArguments(func::FuncOp function) {
  SmallVector<unsigned> unused;
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty())
      unused.push_back(argument.getArgNumber());
  return unused;
}

static size_t countUnusedArguments(func::FuncOp function) {
  return collectUnusedArguments(function).size();
}

static LogicalResult dropArguments(func::FuncOp function, size_t begin,
                                   size_t end) {
  SmallVector<unsigned> unused = collectUnusedArguments(function);
  llvm::BitVector bits(function.getNumArguments());
  for (size_t i = begin; i < end; ++i)
    bits.set(unused[i]);
  return function.eraseArguments(bits);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Calls `visit` with the dictionary of discardable attributes of the function,
/// of each argument and result, and of each op; sets what it returns.
static void
forEachDictionary(func::FuncOp function,
                  llvm::function_ref<DictionaryAttr(DictionaryAttr)> visit) {
  auto orEmpty = [&](DictionaryAttr attributes) {
    return attributes ? attributes : DictionaryAttr::get(function.getContext());
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttrs(i, visit(orEmpty(function.getArgAttrDict(i))));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttrs(i, visit(orEmpty(function.getResultAttrDict(i))));
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    op->setDiscardableAttrs(visit(op->getDiscardableAttrDictionary()));
  });
}

static size_t countAttributes(func::FuncOp function) {
  size_t count = 0;
  forEachDictionary(function, [&](DictionaryAttr attributes) {
    count += attributes.size();
    return attributes;
  });
  return count;
}

static LogicalResult dropAttributes(func::FuncOp function, size_t begin,
                                    size_t end) {
  size_t index = 0;
  forEachDictionary(function, [&](DictionaryAttr attributes) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute attribute : attributes)
      if (size_t at = index++; at < begin || at >= end)
        kept.push_back(attribute);
    return DictionaryAttr::get(function.getContext(), kept);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

static constexpr int64_t kSmallExtents[] = {1, 2};

/// The dynamic dims of arguments, and which numbers they may become.
static SmallVector<std::pair<BlockArgument, int64_t>>
collectDynamicDims(func::FuncOp function) {
  SmallVector<std::pair<BlockArgument, int64_t>> dims;
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.isDynamicDim(d))
          dims.push_back({argument, d});
  return dims;
}

static size_t countBindings(func::FuncOp function) {
  return collectDynamicDims(function).size() * std::size(kSmallExtents);
}

/// The symbol of one dim becomes a number, and what follows from that.
static LogicalResult bindSymbol(func::FuncOp function, size_t begin,
                                size_t end) {
  auto [argument, dim] =
      collectDynamicDims(function)[begin / std::size(kSmallExtents)];
  SymbolBinding binding;
  binding.value = kSmallExtents[begin % std::size(kSmallExtents)];
  binding.argument = argument.getArgNumber();
  binding.dim = dim;
  return bindSymbols(function, binding);
}

/// Static extents of tensors that are not small.
static SmallVector<int64_t> collectLargeExtents(func::FuncOp function) {
  std::set<int64_t> extents;
  AttrTypeWalker walker;
  walker.addWalk([&](RankedTensorType type) {
    for (int64_t extent : type.getShape())
      if (extent > 2) // dynamic ones are negative
        extents.insert(extent);
  });
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      walker.walk(type);
  });
  walker.walk(function.getFunctionType());
  return SmallVector<int64_t>(extents.begin(), extents.end());
}

static size_t countLargeExtents(func::FuncOp function) {
  return collectLargeExtents(function).size() * std::size(kSmallExtents);
}

/// What is declared of arguments says their static extents.
static void redeclareStaticExtents(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto shape = function.getArgAttrOfType<ShapeAttr>(argument.getArgNumber(),
                                                      SymShapeDialect::kShape);
    if (!type || !shape || shape.getRank() != type.getRank())
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!type.isDynamicDim(d))
        setDeclaredExtent(argument, d, std::to_string(type.getDimSize(d)));
  }
}

/// One number becomes another in all types and lists of numbers.
static LogicalResult shrinkExtent(func::FuncOp function, size_t begin,
                                  size_t end) {
  int64_t from =
      collectLargeExtents(function)[begin / std::size(kSmallExtents)];
  int64_t to = kSmallExtents[begin % std::size(kSmallExtents)];
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    SmallVector<int64_t> shape(type.getShape());
    llvm::replace(shape, from, to);
    return type.clone(shape);
  });
  replacer.addReplacement(
      [&](DenseI64ArrayAttr list) -> std::optional<Attribute> {
        SmallVector<int64_t> numbers(list.asArrayRef());
        llvm::replace(numbers, from, to);
        return DenseI64ArrayAttr::get(list.getContext(), numbers);
      });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  redeclareStaticExtents(function);
  return success();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// A kind of change of a function.
template <size_t (*kCount)(func::FuncOp),
          LogicalResult (*kMake)(func::FuncOp, size_t, size_t)>
static constexpr Change changeOf(bool removesPlaces) {
  return {[](Operation *root) { return kCount(cast<func::FuncOp>(root)); },
          [](Operation *root, size_t begin, size_t end) {
            return kMake(cast<func::FuncOp>(root), begin, end);
          },
          removesPlaces};
}

const Change &mlir::symshape::changeOfModule() {
  static constexpr Change kChange = {
      [](Operation *root) -> size_t {
        return llvm::range_size(*cast<ModuleOp>(root).getBody());
      },
      [](Operation *root, size_t begin, size_t end) {
        auto ops = cast<ModuleOp>(root).getBody()->begin();
        SmallVector<Operation *> removed(llvm::make_pointer_range(
            llvm::make_range(std::next(ops, begin), std::next(ops, end))));
        // Those that follow may use what is not in a function.
        for (Operation *op : llvm::reverse(removed)) {
          if (!op->use_empty())
            return failure();
          op->erase();
        }
        return success();
      },
      /*removesPlaces=*/true};
  return kChange;
}

ArrayRef<Change> mlir::symshape::changesOfFunction() {
  static constexpr Change kChanges[] = {
      changeOf<countResults, dropResults>(/*removesPlaces=*/true),
      changeOf<countOps, valuesToArguments>(true),
      changeOf<countBypassed, bypassOps>(true),
      changeOf<countCasts, forwardCasts>(true),
      changeOf<countBodies, unwrapBody>(false),
      changeOf<countUnusedArguments, dropArguments>(true),
      changeOf<countAttributes, dropAttributes>(true),
      changeOf<countBindings, bindSymbol>(false),
      changeOf<countLargeExtents, shrinkExtent>(false),
  };
  return kChanges;
}
