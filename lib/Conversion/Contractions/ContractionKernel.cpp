//===- ContractionKernel.cpp - Functions of tiles -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function of a tile: a switch over the number of rows. Not for: what is in
// each case (TileEmitter).
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"

#include "Structure/Contraction.h"
#include "TileEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::symshape;

/// The most rows for which B is streamed past sums in memory, and the bytes of
/// sums in a row: long runs that still fit the first-level cache.
static constexpr int64_t maxStreamRows = 2;
static constexpr int64_t streamBytes = 16384;

TileKernel::TileKernel(ContractOp op)
    : lhs(getElementTypeOrSelf(op.getLhs().getType())),
      rhs(getElementTypeOrSelf(op.getRhs().getType())), sum(op.getSumType()),
      maxRows(findTile(op).getRows()), width(findTile(op).getColumns()),
      lanes(findTile(op).getLanes()), group(findTile(op).getGroup()),
      isLhsUnsigned(op.getUnsignedLhs()),
      isInPlace(findTile(op).getPacking() == Packing::InPlace),
      codeBits(op.getCodeBits().value_or(0)),
      blockTerms(op.getBlockTerms().value_or(0)) {
  if (op.isCoded())
    scale = getElementTypeOrSelf(op.getScales().getType());
  if (op.getZeros())
    zero = getElementTypeOrSelf(op.getZeros().getType());
}

std::optional<TileKernel>
mlir::symshape::getTileForFewRows(ContractOp op, const TileKernel &kernel) {
  auto type = cast<ShapedType>(op.getInit().getType());
  if (op.isPacked() || kernel.isInPlace || type.getElementType() != kernel.sum)
    return std::nullopt;
  ContractionLoops loops =
      *assignLoops(op.getMap(0), op.getMap(1), op.getInitMap());
  int64_t least = 1;
  for (auto [extent, expr] :
       llvm::zip_equal(type.getShape(), op.getInitMap().getResults()))
    if (loops.isRow(cast<AffineDimExpr>(expr).getPosition()))
      least *= ShapedType::isDynamic(extent) ? 0 : extent;
  if (least > maxStreamRows)
    return std::nullopt;
  TileKernel stream = kernel;
  stream.group = 1;
  stream.streams = findTile(op).getStreams();
  stream.maxRows = maxStreamRows;
  stream.width = streamBytes * 8 / stream.sum.getIntOrFloatBitWidth();
  return stream;
}

bool mlir::symshape::hasWholePanels(ContractOp op, int64_t width) {
  int64_t columns = cast<ShapedType>(op.getInit().getType()).getShape().back();
  if (ShapedType::isDynamic(columns))
    columns = op.getColumnsDivisor().value_or(1);
  return columns % width == 0;
}

bool mlir::symshape::needsTileOfSums(ContractOp op) {
  Block &body = op.getBody().front();
  bool isApplied = body.getTerminator()->getOperand(0) != body.getArgument(0);
  return getElementTypeOrSelf(op.getInit().getType()) != op.getSumType() ||
         (op.isGrouped() && op.isPacked() && isApplied && !op.getAccumulate());
}

func::FuncOp TileKernel::getOrCreate(Operation *module) const {
  std::string name;
  llvm::raw_string_ostream(name)
      << (streams     ? "symshape.stream."
          : isInPlace ? "symshape.dots."
                      : "symshape.tile.")
      << lhs << "." << rhs << "." << sum << "." << maxRows << "x" << width;
  bool isBFloat = group > 1 && isa<FloatType>(sum);
  if (group > 1)
    name += (isBFloat        ? "."
             : isLhsUnsigned ? ".us"
                             : ".su") +
            std::to_string(group);
  if (codeBits) {
    llvm::raw_string_ostream os(name);
    os << ".codes" << codeBits << "x" << blockTerms << "." << scale;
    if (zero)
      os << "." << zero;
  }
  if (auto found = dyn_cast_or_null<func::FuncOp>(
          SymbolTable::lookupSymbolIn(module, name)))
    return found;
  ImplicitLocOpBuilder b(module->getLoc(), module->getContext());
  b.setInsertionPointToEnd(&module->getRegion(0).front());
  Type i64 = b.getI64Type(), flag = b.getI1Type();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> arguments{i64, pointer, i64, i64, pointer, i64,
                              i64, pointer, i64, i64, flag};
  if (codeBits)
    arguments.append(zero ? 2 : 1, pointer);
  auto type = b.getFunctionType(arguments, {});
  auto function = func::FuncOp::create(b, name, type);
  function.setPrivate();
  function->setAttr("no_inline", b.getUnitAttr());
  // As part of a longer function, sums that an instruction overwrites change
  // places between registers, by way of the stack. (LLVM's name; `no_inline`
  // ends with the func dialect.)
  if (group > 1) {
    SmallVector<Attribute> attributes{b.getStringAttr("noinline")};
    if (isBFloat) // kept from all other code
      attributes.push_back(b.getStrArrayAttr({kNeededFeatures, "+avx512bf16"}));
    function->setAttr("passthrough", b.getArrayAttr(attributes));
  }
  b.setInsertionPointToStart(function.addEntryBlock());
  Value number = arith::IndexCastOp::create(
      b, b.getIndexType(), function.getArgument(TileEmitter::Rows));
  auto cases = llvm::to_vector(llvm::seq<int64_t>(1, maxRows));
  auto choice =
      scf::IndexSwitchOp::create(b, TypeRange(), number, cases, cases.size());
  func::ReturnOp::create(b);
  auto fill = [&](Region &region, int64_t rows) {
    b.createBlock(&region);
    TileEmitter(b, *this, function.getArguments(), rows).emit();
    scf::YieldOp::create(b);
  };
  for (auto [region, rows] : llvm::zip(choice.getCaseRegions(), cases))
    fill(region, rows);
  fill(choice.getDefaultRegion(), maxRows);
  return function;
}

SmallVector<int64_t> TileKernel::getCallCost() const {
  return {width / lanes, TileEmitter::Rows, TileEmitter::Terms};
}
