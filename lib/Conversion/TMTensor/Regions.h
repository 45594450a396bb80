//===- Regions.h - What functions of scalars do -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises the regions of `tm_tensor` that have a name. Private to TMTensor.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TMTENSOR_REGIONS_H
#define SYMSHAPE_LIB_CONVERSION_TMTENSOR_REGIONS_H

#include "symshape/IR/SymShape.h"
#include <optional>

namespace mlir::symshape {

/// `combiner` of an element and `update`. The operation is the one of a scatter
/// or a scan of that combiner.
struct RegionCombiner {
  Combiner combiner;
  /// An argument of the region, or a value from outside of it.
  Value update;
};

/// What a region of one op, or of none, does to its argument `element`: nothing
/// if that has no name. Adding, multiplying, the greatest and the least; and
/// the other argument alone, which replaces the element.
std::optional<RegionCombiner> readRegionCombiner(Region &region,
                                                 unsigned element);

/// An order of elements.
struct RegionOrder {
  unsigned operand; ///< whose elements are compared
  bool descending;
  bool strict; ///< equal elements are not in order
};

/// Makes what a region does with unsigned integers the same with signed ones,
/// to which it is given numbers with the other sign bit: these are in the order
/// of the unsigned ones. Gives the arguments whose numbers it combines or
/// compares; none if it does nothing with unsigned integers.
SmallVector<unsigned> makeRegionSigned(RewriterBase &b, Region &region);

/// The integer, or each element of a tensor, with the other sign bit.
Value flipSign(OpBuilder &b, Location loc, Value value);

/// The order in which a region says that two elements are, each of which has
/// two arguments, one after the other: of signed integers or floats. Nothing if
/// it is none.
std::optional<RegionOrder> readRegionOrder(Region &region);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TMTENSOR_REGIONS_H
