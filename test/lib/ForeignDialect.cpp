//===- ForeignDialect.cpp - Ops of somebody else, for tests ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `foreign.says`, an op whose rule says what its attributes spell, whether it
// is so or not: what rules of other people may say.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "symshape/IR/ShapeFacts.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// `exact` and `at_most` hold, for each result, a number per dimension,
/// negative where nothing is said; with `copies`, result i has the extents of
/// operand i.
class SaysOp
    : public Op<SaysOp, OpTrait::VariadicOperands, OpTrait::VariadicResults,
                OpTrait::ZeroRegions, ShapeFactsOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "foreign.says"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  void populateShapeFacts(ShapeFacts &facts) {
    say(facts, "exact", [](Expr e) { return Extent::exact(e); });
    say(facts, "at_most", [](Expr e) { return Extent::upperBound(e); });
    if ((*this)->hasAttr("copies"))
      for (auto [from, to] :
           llvm::zip((*this)->getOperands(), (*this)->getResults()))
        facts.copyExtents(from, to);
  }

private:
  void say(ShapeFacts &facts, StringRef name,
           llvm::function_ref<Extent(Expr)> make) {
    auto all = (*this)->getAttrOfType<ArrayAttr>(name);
    if (!all)
      return;
    for (auto [result, numbers] : llvm::zip((*this)->getResults(), all))
      for (auto [d, number] :
           llvm::enumerate(cast<DenseI64ArrayAttr>(numbers).asArrayRef()))
        if (number >= 0)
          facts.setExtent(result, d, make(facts.constant(number)));
  }
};

class ForeignDialect : public Dialect {
public:
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    addOperations<SaysOp>();
  }
  static StringRef getDialectNamespace() { return "foreign"; }
};
} // namespace

void symshape::test::registerForeignDialect(DialectRegistry &registry) {
  registry.insert<ForeignDialect>();
}
