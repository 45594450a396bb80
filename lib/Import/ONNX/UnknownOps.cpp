//===- UnknownOps.cpp - Ops without a definition --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ops at once that a model has and nothing here defines.
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

std::vector<UnknownOp> GraphImporter::listUnknownOps() {
  std::map<std::string, std::vector<std::string>> unknown;
  std::function<void(ArrayRef<NodeData>)> visit =
      [&](ArrayRef<NodeData> nodes) {
        for (const NodeData &node : nodes) {
          if (!findDefinition(node) && !findFunction(node) && !isGiven(node)) {
            std::string name = escaped(node.opType);
            if (!canonicalDomain(node.domain).empty())
              name = escaped(node.domain) + "." + name;
            if (ops().find(node.domain, node.opType,
                           std::numeric_limits<int64_t>::max()))
              name += " of version " + std::to_string(version(node.domain));
            unknown[name].push_back(node.name.empty()
                                        ? "#" + std::to_string(node.number)
                                        : "'" + escaped(node.name) + "'");
          }
          for (const AttributeData &attribute : node.attributes)
            if (attribute.graph)
              visit(attribute.graph->nodes);
        }
      };
  visit(model->graph.nodes);
  for (const Function &callee : model->functions) {
    opsets.push_back(callee.opsets);
    visit(callee.nodes);
    opsets.pop_back();
  }
  std::vector<UnknownOp> result;
  for (auto &[name, nodes] : unknown)
    result.push_back({name, std::move(nodes)});
  return result;
}

StringRef mlir::symshape::onnx::whyUnknownOp(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"RandomNormal", "RandomNormalLike", "RandomUniform",
              "RandomUniformLike", "Bernoulli", "Multinomial"},
             "draws random numbers, but only inputs determine what a call "
             "gives: make the numbers outside, and give the model an input for "
             "them")
      .Cases(
          {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"},
          "computes with strings: do so outside of the model")
      .Case("ImageDecoder",
            "decodes compressed images: do so outside of the model")
      .Default("");
}

std::string mlir::symshape::onnx::describeUnknownOps(ArrayRef<UnknownOp> ops) {
  std::string text =
      ops.empty() ? "" : "expected ops that have a definition, but got";
  for (const auto &[name, nodes] : ops) {
    text += "\n  " + name + ": " + std::to_string(nodes.size()) +
            (nodes.size() == 1 ? " node, " : " nodes, ");
    constexpr size_t most = 3;
    text += llvm::join(ArrayRef(nodes).take_front(most), ", ");
    if (nodes.size() > most)
      text += ", ...";
    if (StringRef reason = whyUnknownOp(name); !reason.empty())
      text += ": " + reason.str();
  }
  return text;
}
