//===- NodeOrder.h - Nodes behind what they read ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format wants the nodes of a graph in an order in which they can run, but
// converters that insert nodes put them at the end of the file.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_NODEORDER_H
#define SYMSHAPE_LIB_IMPORT_ONNX_NODEORDER_H

#include "symshape/Import/ONNX/Model.h"

namespace mlir::symshape::onnx {

/// Puts the nodes of each graph and function of `model` behind those whose
/// results they, or graphs inside of them, read. Nodes that are in order stay
/// where they are; otherwise those that come first in the file come first.
/// Nodes on a cycle say so (`NodeData::cycle`). Names that two nodes of a graph
/// define are left to the import to report, as are those that nothing defines.
/// Cost: about linear, times the depth of nested graphs.
void sortNodes(Model &model);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_NODEORDER_H
