//===- Entailments.cpp - Random elementary entailments --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which theorems make up which kind, and how entailments are written.
//
//===----------------------------------------------------------------------===//

#include "EntailmentMaker.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;

Entailment EntailmentMaker::make(llvm::StringRef kind, Theorem theorem) {
  entailment = Entailment();
  entailment.kind = kind;
  order.resize(16);
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i;
  (this->*theorem)();
  return std::move(entailment);
}

// Random rows, and sums modulo a number, come up more often than others: they
// are what the affine tier is for.
std::vector<Entailment> mlir::symshape::makeEntailments(ExprArena &arena,
                                                        unsigned count,
                                                        unsigned seed) {
  const std::pair<llvm::StringRef, std::vector<EntailmentMaker::Theorem>>
      kinds[] = {
          {"linear",
           {&EntailmentMaker::chain, &EntailmentMaker::scaledBound,
            &EntailmentMaker::sumOfOrders, &EntailmentMaker::weightedSum,
            &EntailmentMaker::weightedSum, &EntailmentMaker::weightedSum,
            &EntailmentMaker::convexSequence, &EntailmentMaker::strictOrder,
            &EntailmentMaker::reversedOrder}},
          {"residues",
           {&EntailmentMaker::multipleAtLeast,
            &EntailmentMaker::chineseRemainder,
            &EntailmentMaker::combinedMultiple,
            &EntailmentMaker::productOfMultiples, &EntailmentMaker::oddAndEven,
            &EntailmentMaker::sumAndDifference, &EntailmentMaker::congruentSums,
            &EntailmentMaker::congruentSums}},
          {"divisions",
           {&EntailmentMaker::euclid, &EntailmentMaker::convolution,
            &EntailmentMaker::nestedDivisions,
            &EntailmentMaker::paddedToMultiple,
            &EntailmentMaker::symbolicDivisor,
            &EntailmentMaker::monotoneDivision,
            &EntailmentMaker::quotientOfSolved, &EntailmentMaker::withoutCarry,
            &EntailmentMaker::sumOfQuotients,
            &EntailmentMaker::sumOfRemainders}},
          {"min and max",
           {&EntailmentMaker::leastOfTwo, &EntailmentMaker::minPlusMax,
            &EntailmentMaker::dominatedOperand,
            &EntailmentMaker::greatestLowerBound, &EntailmentMaker::clampedTile,
            &EntailmentMaker::largestFits, &EntailmentMaker::broadcastOfOne,
            &EntailmentMaker::clampsCommute, &EntailmentMaker::minOfSums}},
          {"products",
           {&EntailmentMaker::monotoneProduct,
            &EntailmentMaker::cancelledFactor,
            &EntailmentMaker::productIsDivided, &EntailmentMaker::reshapedCount,
            &EntailmentMaker::neighbours, &EntailmentMaker::boundedProduct,
            &EntailmentMaker::productInSum, &EntailmentMaker::weightedProducts,
            &EntailmentMaker::weightedProducts}},
          {"joint",
           {&EntailmentMaker::squeezedSum, &EntailmentMaker::solvedSystem,
            &EntailmentMaker::tightSum, &EntailmentMaker::boundedSystem,
            &EntailmentMaker::impossibleValue, &EntailmentMaker::sumOfPairs,
            &EntailmentMaker::crossedBounds}}};
  EntailmentMaker maker(arena, seed);
  std::vector<Entailment> entailments;
  for (unsigned i = 0; i < count; ++i) {
    const auto &[kind, theorems] = kinds[i % std::size(kinds)];
    entailments.push_back(
        maker.make(kind, theorems[i / std::size(kinds) % theorems.size()]));
  }
  return entailments;
}

void mlir::symshape::printProblems(llvm::ArrayRef<Entailment> entailments,
                                   llvm::raw_ostream &os) {
  for (const Entailment &entailment : entailments) {
    os << "# " << entailment.kind << "\npush\n";
    for (const auto &[symbol, info] : entailment.symbols) {
      os << "symbol " << symbol.str() << " in ";
      info.range.print(os);
      if (!info.residue.isAll())
        os << " residue " << info.residue.remainder << " mod "
           << info.residue.modulus;
      os << '\n';
    }
    for (const Relation &fact : entailment.facts)
      os << "assume " << fact.str() << '\n';
    os << "prove " << entailment.question.str() << "  # expect "
       << (entailment.holds ? "yes" : "no") << "\npop\n";
  }
}
