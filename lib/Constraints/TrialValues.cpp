//===- TrialValues.cpp - Values of symbols worth a try --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialValues.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;
using llvm::DynamicAPInt;
using llvm::SmallVector;

std::optional<DynamicAPInt> mlir::symshape::allowedValue(const SymbolInfo &info,
                                                         DynamicAPInt value) {
  const auto &[min, max] = info.range;
  const Residue &r = info.residue;
  if (min && value < *min)
    value = *min;
  if (max && value > *max)
    value = *max;
  if (r.modulus == 0)
    value = r.remainder;
  else if (DynamicAPInt up = value + mod(r.remainder - value, r.modulus);
           info.range.contains(up))
    value = up;
  else
    value = up - r.modulus;
  if (info.range.contains(value) && r.contains(value))
    return value;
  return std::nullopt;
}

SmallVector<DynamicAPInt, 12>
mlir::symshape::trialValues(const Relation *relation, const SymbolInfo &info,
                            const DynamicAPInt &present, ValueOf valueOf) {
  SmallVector<DynamicAPInt, 12> values;
  auto add = [&](const DynamicAPInt &value) {
    std::optional<DynamicAPInt> fitting = allowedValue(info, value);
    if (fitting && *fitting != present && !llvm::is_contained(values, *fitting))
      values.push_back(*fitting);
  };
  const DynamicAPInt one(1);
  for (const DynamicAPInt &near :
       {present + one, present - one, present + one + one, DynamicAPInt(0)})
    add(near);
  if (relation && relation->kind != Relation::Divides) {
    Expr gap = relation->rhs - relation->lhs;
    if (auto value = gap.arena().evaluateExact(gap, valueOf))
      for (const DynamicAPInt &far :
           {present + *value, present - *value, present + *value + one,
            present - *value - one})
        add(far);
  }
  for (const auto &end : {info.range.max, info.range.min})
    if (end)
      add(*end);
  return values;
}
