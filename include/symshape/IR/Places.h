//===- Places.h - Where an op stands in a file ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_PLACES_H
#define SYMSHAPE_IR_PLACES_H

#include "mlir/IR/Operation.h"
#include <string>

namespace mlir::symshape {

/// `op`, or the nearest op around it that has a place in a file, since bodies
/// of named structured ops have none: where to report that something is wrong
/// with `op`. `op` itself if there is no such place.
inline Operation *findPlaced(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (at->getLoc()->findInstanceOf<FileLineColLoc>())
      return at;
  return op;
}

/// `file:line:column`; of a node of a model, which has no lines, the file and
/// the node. Empty if there is no place in a file.
inline std::string describePlace(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  std::string file = place.getFilename().str();
  if (place.getLine() != 0)
    return file + ":" + std::to_string(place.getLine()) + ":" +
           std::to_string(place.getColumn());
  auto node = loc->findInstanceOf<NameLoc>();
  return node ? file + ": " + node.getName().str() : file;
}

/// `node 'x' (Conv #3)` of a model that has nodes in place of lines; empty
/// elsewhere.
inline std::string describeNode(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  auto node = loc->findInstanceOf<NameLoc>();
  return place && place.getLine() == 0 && node ? node.getName().str() : "";
}

/// What a message says of an op and its place: of a model the node alone, since
/// its user wrote no ops.
inline std::string describeOpAndPlace(Operation *op) {
  std::string node = describeNode(op->getLoc());
  if (!node.empty())
    return node + " at " +
           op->getLoc()->findInstanceOf<FileLineColLoc>().getFilename().str();
  std::string place = describePlace(op->getLoc());
  return op->getName().getStringRef().str() +
         (place.empty() ? "" : " at " + place);
}

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_PLACES_H
