#include "symshape/Conversion/Passes.h"
#include "symshape/Conversion/StructuredOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape
using namespace mlir;
using namespace mlir::symshape;

bool mlir::symshape::isContraction(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) &&
         succeeded(linalg::inferContractionDims(op));
}

LogicalResult mlir::symshape::lowerContraction(RewriterBase &rewriter,
                                               linalg::LinalgOp op,
                                               int64_t vectorBits) {
  return failure();
}
namespace {
struct LowerContractionsPass
    : symshape::impl::LowerContractionsPassBase<LowerContractionsPass> {
  using LowerContractionsPassBase::LowerContractionsPassBase;
  void runOnOperation() override {}
};
} // namespace
