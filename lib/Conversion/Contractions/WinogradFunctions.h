//===- WinogradFunctions.h - What convolutions by patches share -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions for the algorithm of Winograd.h. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WINOGRADFUNCTIONS_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WINOGRADFUNCTIONS_H

#include "symshape/Conversion/CPUTile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape::winograd {

/// Private functions of `module`, made if they are missing. They run on the
/// thread that calls them; channels and features are neighbours in memory.
///
/// `input(image, rows, patches)`: at most 6 rows of an image, positions and
/// channels in one, become a row of patches [6, 6, patch, channel]. `rows` is
/// memory for 6 rows: [6, position, channel], zero past the image.
func::FuncOp getInputFunction(ModuleOp module);
/// `product(patches, weights, products, rows, across, channels, features)`:
/// products [6, 6, patch, feature] of all patches, by weights that are packed
/// for `tile`. The numbers say how much work that is: rows of patches, patches
/// of a row.
func::FuncOp getProductFunction(ModuleOp module, TileAttr tile);
/// `output(products, results)`: a row of products [6, 6, patch, feature]
/// becomes four rows of the result, [4, position, feature].
func::FuncOp getOutputFunction(ModuleOp module);

} // namespace mlir::symshape::winograd

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WINOGRADFUNCTIONS_H
