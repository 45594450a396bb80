//===- PrintProfile.cpp - A profile as a table -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Profile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::symshape;
using llvm::StringRef;
namespace json = llvm::json;

static double number(const json::Object &object, StringRef key) {
  return object.getNumber(key).value_or(0);
}

/// `object[key] * scale` in a column, or a dash where it is not known.
static std::string column(const json::Object &object, StringRef key,
                          double scale) {
  if (auto value = object.getNumber(key))
    return llvm::formatv("{0:f1}", *value * scale);
  return "-";
}

void mlir::symshape::printProfile(llvm::raw_ostream &os,
                                  const json::Object &profile, size_t most) {
  double all = number(profile, "seconds");
  const json::Object &peak = *profile.getObject("peak");
  os << llvm::formatv(
      "a call of @{0} takes {1:f3} ms, {2:f3} ms of it outside of kernels "
      "(mean of {3})\n",
      *profile.getString("function"), 1e3 * all, 1e3 * number(profile, "rest"),
      int64_t(number(profile, "calls")));
  os << llvm::formatv("peak here: {0:f1} GFLOP/s of a product of matrices, "
                      "{1:f1} GB/s of memory that is read\n",
                      1e-9 * number(peak, "flopPerSecond"),
                      1e-9 * number(peak, "bytesPerSecond"));
  os << "       ms      %   kernels     MFLOP        MB   GFLOP/s    GB/s  "
        "of peak  node\n";
  const json::Array &nodes = *profile.getArray("nodes");
  for (size_t i = 0; i < std::min(most, nodes.size()); ++i) {
    const json::Object &node = *nodes[i].getAsObject();
    double seconds = number(node, "seconds");
    double perSecond = seconds > 0 ? 1 / seconds : 0;
    std::string share = column(node, "share", 100);
    os << llvm::formatv(
        "{0,9:f3} {1,6:f1} {2,9} {3,9} {4,9} {5,9} {6,7} {7,8}  {8}\n",
        1e3 * seconds, all > 0 ? 100 * seconds / all : 0,
        int64_t(number(node, "kernels") + 0.5), column(node, "flop", 1e-6),
        column(node, "bytes", 1e-6), column(node, "flop", 1e-9 * perSecond),
        column(node, "bytes", 1e-9 * perSecond),
        share == "-" ? share : share + "%", *node.getString("name"));
  }
  if (nodes.size() > most)
    os << "and " << nodes.size() - most << " nodes more\n";
}
