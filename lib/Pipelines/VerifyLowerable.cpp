//===- VerifyLowerable.cpp - Names what no pass can lower -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The beginning of a pipeline to LLVM: an error at what upstream's conversions
// would crash on, or refuse without saying where. Not for: ops of dialects that
// are known, which may disappear on the way (VerifyLowered.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/Passes.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "symshape/IR/ElementBytes.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SignlessOperands.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_VERIFYLOWERABLEPASS
#include "symshape/Pipelines/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;

namespace {
/// Which types can become types of LLVM; each is looked at once.
class TypeJudge {
public:
  explicit TypeJudge(MLIRContext *context)
      : options(context), converter(context, options) {}

  /// A memref or tensor in one of `types` that cannot be lowered; null if there
  /// is none.
  Type findFault(TypeRange types);

private:
  bool isLowerable(Type type);

  LowerToLLVMOptions options;
  LLVMTypeConverter converter;
  DenseMap<Type, Type> faults;
};
} // namespace

/// Whether MLIR and LLVM disagree about the bytes of an array of such integers,
/// as of 48 bits.
static bool isOddInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() > 8 &&
         !llvm::isPowerOf2_32(integer.getWidth());
}

/// Whether `symshape-widen-integers` stores such elements in another width.
static bool isWidened(Type type) {
  return type.isSignlessInteger() && type.getIntOrFloatBitWidth() < 64;
}

bool TypeJudge::isLowerable(Type type) {
  // The converter reports errors without a location: it is not asked about what
  // is known to fail.
  if (auto memref = dyn_cast<MemRefType>(type); memref && !memref.isStrided())
    return false;
  if (auto memref = dyn_cast<BaseMemRefType>(type))
    return !isOddInteger(memref.getElementType()) &&
           succeeded(converter.getMemRefAddressSpace(memref)) &&
           converter.convertType(memref.getElementType()) &&
           converter.convertType(type);
  if (auto tensor = dyn_cast<TensorType>(type))
    return BaseMemRefType::isValidElementType(tensor.getElementType()) &&
           (!isOddInteger(tensor.getElementType()) ||
            isWidened(tensor.getElementType())) &&
           converter.convertType(tensor.getElementType());
  return true;
}

Type TypeJudge::findFault(TypeRange types) {
  for (Type type : types) {
    auto [it, isNew] = faults.try_emplace(type);
    if (!isNew && it->second)
      return it->second;
    if (!isNew)
      continue;
    Type fault;
    // Inner types first: an outer one is judged by them.
    type.walk<WalkOrder::PostOrder>([&](Type inner) {
      if (isLowerable(inner))
        return WalkResult::advance();
      fault = inner;
      return WalkResult::interrupt();
    });
    if ((faults[type] = fault))
      return fault;
  }
  return Type();
}

/// All types that `op` itself makes or takes.
static SmallVector<Type> getTypes(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  llvm::append_range(types, op->getOperandTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    llvm::append_range(types, function.getArgumentTypes());
    llvm::append_range(types, function.getResultTypes());
  }
  if (auto global = dyn_cast<memref::GlobalOp>(op))
    types.push_back(global.getType());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  return types;
}

/// Whether `op` may allocate or free memory of another space than the first:
/// only the first has functions for that.
static bool allocatesElsewhere(Operation *op) {
  auto isElsewhere = [](Type type) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    return memref && memref.getMemorySpaceAsInt() != 0;
  };
  if (isa<memref::AllocOp, memref::ReallocOp, memref::DeallocOp,
          bufferization::ToBufferOp>(op))
    return llvm::any_of(op->getOperandTypes(), isElsewhere) ||
           llvm::any_of(op->getResultTypes(), isElsewhere);
  if (auto alloc = dyn_cast<bufferization::AllocTensorOp>(op))
    if (auto space = alloc.getMemorySpace())
      return *space != IntegerAttr() &&
             *space !=
                 IntegerAttr::get(IntegerType::get(op->getContext(), 64), 0);
  return false;
}

/// Whether a vector is put into another one at a place that is not known to be
/// in it. Upstream assumes that all places of such an op are constants, as
/// canonicalisation makes those that are in bounds.
static bool hasOpenPlace(vector::InsertOp op) {
  ArrayRef<int64_t> shape = op.getDestVectorType().getShape();
  SmallVector<OpFoldResult> places = op.getMixedPosition();
  if (places.size() == shape.size())
    return false; // of a number
  for (auto [place, extent] : llvm::zip(places, shape)) {
    std::optional<int64_t> constant = getConstantIntValue(place);
    if (isa<Value>(place) &&
        (!constant || *constant < 0 || *constant >= extent))
      return true;
  }
  return false;
}

static std::string butGot(StringRef wanted, Type type) {
  std::string text = wanted.str();
  llvm::raw_string_ostream(text) << ", but got '" << type << "'";
  return text;
}

/// A type with an encoding that upstream would lose: it makes results of
/// elementwise ops from the shape and the element alone.
static Type findLostEncoding(Operation *op) {
  if (OpTrait::hasElementwiseMappableTraits(op))
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && tensor.getEncoding() &&
          !llvm::is_contained(op->getOperandTypes(), type))
        return type;
  return Type();
}

/// Whether `op` is a function of math on floats that are wider than those of
/// the C library that it becomes.
static bool isTooWide(Operation *op) {
  auto isWide = [](Type type) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    return element && element.getWidth() > 64;
  };
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         llvm::any_of(op->getOperandTypes(), isWide);
}

/// Whether the resource is there, with as many bytes as its type has.
static bool isComplete(DenseResourceElementsAttr elements) {
  AsmResourceBlob *blob = elements.getRawHandle().getBlob();
  Type element = elements.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (!blob || !element.isIntOrIndexOrFloat())
    return blob;
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  int64_t bytes = llvm::divideCeil(bits, 8) *
                  (element == elements.getElementType() ? 1 : 2);
  for (int64_t extent : elements.getType().getShape())
    if (llvm::MulOverflow(bytes, extent, bytes))
      return false;
  int64_t size = blob->getData().size();
  // Eight booleans may share a byte.
  return size == bytes ||
         (bits == 1 && size == int64_t(llvm::divideCeil(bytes, 8)));
}

/// What upstream's lowerings expect of `op` without checking: if it is missing,
/// they crash, or leave what does not verify. Empty if nothing is missing.
static std::string whatUpstreamNeeds(Operation *op, TypeJudge &judge) {
  if (Type fault = judge.findFault(getTypes(op)))
    return butGot("types that symshape can lower", fault);
  if (allocatesElsewhere(op))
    return "an allocation in the default memory space";
  if (std::string wanted = describeSignlessOperands(op); !wanted.empty())
    return wanted;
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
    Type type = softmax.getInputOperandType();
    if (!isa<FloatType>(getElementTypeOrSelf(type)))
      return butGot("floats", type);
    if (!isa<TensorType>(type))
      return butGot("a tensor", type);
  }
  if (auto insert = dyn_cast<vector::InsertOp>(op);
      insert && hasOpenPlace(insert))
    return "a constant position inside of the vector";
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op))
    if (auto vector = dyn_cast<VectorType>(op->getResultTypes().front());
        vector && vector.isScalable())
      return butGot("a vector of a fixed size", vector);
  if (auto mask = dyn_cast<vector::MaskOp>(op); mask && mask.hasPassthru())
    return "no value for the lanes that are masked off";
  if (isTooWide(op))
    return "floats of at most 64 bits";
  if (isa<math::FmaOp>(op)) // what upstream's conversion refuses
    if (Type element = getElementTypeOrSelf(op->getResultTypes().front());
        !element.isF16() && !element.isBF16() && !element.isF32() &&
        !element.isF64())
      return butGot("f16, bf16, f32 or f64", element);
  if (isa<arith::AddUIExtendedOp>(op))
    if (Type type = op->getResultTypes().front();
        isa<IndexType>(getElementTypeOrSelf(type)))
      return butGot("integers of a fixed width", type);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements =
            dyn_cast<DenseResourceElementsAttr>(constant.getValue());
        elements && !isComplete(elements))
      return ("the elements of resource '" + elements.getRawHandle().getKey() +
              "'")
          .str();
  if (auto global = dyn_cast<memref::GlobalOp>(op);
      global && staticBytes(op, global.getType(), INT32_MAX) == INT32_MAX)
    return butGot("less than 2^31 bytes", global.getType());
  if (Type type = findLostEncoding(op))
    return butGot("a tensor without an encoding", type);
  return "";
}

/// Whether bufferization knows what to do with the tensors of `op`.
static bool isBufferizable(Operation *op) {
  return isa<bufferization::BufferizableOpInterface>(op) ||
         (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) &&
          llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>));
}

/// Whether a dense array can be cast to `type`.
static bool isDenseOrOpen(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return !memref ||
         memref::CastOp::areCastCompatible(
             MemRefType::get(memref.getShape(), memref.getElementType(),
                             MemRefLayoutAttrInterface(),
                             memref.getMemorySpace()),
             memref);
}

/// Whether no pass lowers `op`, in a function, with its regions, since these
/// may not hold what control flow in them becomes.
static bool hasForeignRegion(Operation *op) {
  static constexpr StringRef lowered[] = {
      "affine",   "bufferization",   "linalg", "memref",    "scf",  "shape",
      "symshape", "symshape_kernel", "tensor", "tm_tensor", "tosa", "vector"};
  return op->getNumRegions() && op->getParentOfType<func::FuncOp>() &&
         !llvm::is_contained(lowered, op->getName().getDialectNamespace());
}

/// Fails, after an error, where `op` cannot be lowered as a part of `module`.
static LogicalResult verifyOp(Operation *op, ModuleOp module,
                              TypeJudge &judge) {
  if (!op->isRegistered() || hasForeignRegion(op))
    return symshape::findPlaced(op)->emitError()
           << "expected an op that symshape can lower, but got '"
           << op->getName() << "'";
  // The LLVM dialect is what types are converted to.
  if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
    return success();
  // Passes look up functions, and put what they need, in one module.
  if (isa<func::FuncOp>(op) && !op->getRegion(0).empty() &&
      op->getParentOp() != module)
    return symshape::findPlaced(op)->emitError()
           << "'" << op->getName()
           << "' op expected to be in the module that is lowered, but is in "
              "another one inside of it";
  if (std::string missing = whatUpstreamNeeds(op, judge); !missing.empty())
    return symshape::findPlaced(op)->emitError()
           << "'" << op->getName() << "' op expected " << missing;
  return success();
}

namespace {
struct VerifyLowerablePass
    : symshape::impl::VerifyLowerablePassBase<VerifyLowerablePass> {
  using VerifyLowerablePassBase::VerifyLowerablePassBase;

  void runOnOperation() override {
    if (failed(verify(getOperation())))
      return signalPassFailure();
    TypeJudge judge(&getContext());
    for (Operation &op : *getOperation().getBody()) {
      WalkResult result = op.walk<WalkOrder::PreOrder>([&](Operation *inner) {
        return WalkResult(tensorsLast ? verifyTensors(inner)
                                      : verifyOp(inner, getOperation(), judge));
      });
      if (result.wasInterrupted())
        signalPassFailure();
    }
  }

private:
  static LogicalResult verifyTensors(Operation *op) {
    Operation *placed = symshape::findPlaced(op);
    if (op != placed)
      op->setLoc(placed->getLoc());
    // Deallocation copies a view that a function or branch passes on, to a
    // dense array, which has other strides.
    if (auto clone = dyn_cast<bufferization::CloneOp>(op);
        clone && !isDenseOrOpen(clone.getType()))
      return op->emitError()
             << "expected dynamic strides, as of 'strided<[?], offset: ?>', of "
                "a view that a function or branch passes on, but got "
             << clone.getType();
    if (isBufferizable(op))
      return success();
    return op->emitError()
           << "expected an op that symshape can lower, but got '"
           << op->getName() << "'";
  }
};
} // namespace
