//===- AliasTracker.cpp - Which tensors share elements --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op gives a view of an operand, or may: then neither is alone any more.
//
//===----------------------------------------------------------------------===//

#include "AliasTracker.h"
#include "Program.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir::symshape::pytorch;
using llvm::StringRef;
namespace json = llvm::json;

/// The ops whose results may share elements with an operand.
static bool mayBeView(StringRef target) {
  static const llvm::StringSet<> ops{"alias",
                                     "as_strided",
                                     "broadcast_tensors",
                                     "broadcast_to",
                                     "chunk",
                                     "clip",
                                     "contiguous",
                                     "detach",
                                     "diagonal",
                                     "dropout",
                                     "expand",
                                     "expand_as",
                                     "feature_dropout",
                                     "flatten",
                                     "lift_fresh",
                                     "mT",
                                     "matrix_H",
                                     "meshgrid",
                                     "movedim",
                                     "narrow",
                                     "numpy_T",
                                     "permute",
                                     "positive",
                                     "reshape",
                                     "reshape_as",
                                     "resolve_conj",
                                     "resolve_neg",
                                     "select",
                                     "slice",
                                     "split",
                                     "split_with_sizes",
                                     "squeeze",
                                     "swapaxes",
                                     "swapdims",
                                     "t",
                                     "tensor_split",
                                     "to",
                                     "transpose",
                                     "type_as",
                                     "unbind",
                                     "unflatten",
                                     "unfold",
                                     "unsafe_chunk",
                                     "unsafe_split",
                                     "unsqueeze",
                                     "view",
                                     "view_as",
                                     "moveaxis",
                                     "_reshape_alias",
                                     "_unsafe_view",
                                     "real",
                                     "imag",
                                     "atleast_1d",
                                     "atleast_2d",
                                     "atleast_3d",
                                     "hsplit",
                                     "vsplit",
                                     "dsplit",
                                     "alpha_dropout",
                                     "ravel",
                                     "pad",
                                     "_to_copy",
                                     "T",
                                     "H"};
  return !target.consume_front("aten.") ||
         ops.contains(target.split('.').first);
}

void mlir::symshape::pytorch::visitNames(
    const json::Value &value, llvm::function_ref<void(StringRef)> visit) {
  if (const json::Array *list = value.getAsArray()) {
    for (const json::Value &each : *list)
      visitNames(each, visit);
    return;
  }
  for (StringRef key : {"name", "as_name"})
    if (StringRef name = nameIn(&value, key); !name.empty())
      visit(name);
  if (const json::Object *object = value.getAsObject())
    for (const auto &[key, member] : *object)
      if (key == "arg" || StringRef(key).starts_with("as_"))
        visitNames(member, visit);
}

/// The tensor that an op changes in place.
static StringRef firstTensorOf(const json::Object &node) {
  const json::Array *inputs = node.getArray("inputs");
  if (!inputs || inputs->empty())
    return "";
  const json::Object *input = inputs->front().getAsObject();
  const json::Value *argument = input ? input->get("arg") : nullptr;
  auto [kind, member] = argument ? openUnion(*argument)
                                 : std::pair<StringRef, const json::Value *>();
  return kind == "as_tensor" ? nameIn(member) : "";
}

void AliasTracker::add(StringRef name, size_t group) {
  groups[name] = group;
  names[group].push_back(name);
}

void AliasTracker::note(const json::Object &node, StringRef target,
                        bool changes) {
  const json::Array *inputs = node.getArray("inputs"),
                    *outputs = node.getArray("outputs");
  bool isView = !changes && mayBeView(target);
  if (inputs && isView)
    for (const json::Value &input : *inputs)
      if (const json::Object *object = input.getAsObject())
        if (const json::Value *argument = object->get("arg"))
          visitNames(*argument, [&](StringRef name) {
            if (auto it = groups.find(name); it != groups.end())
              names[it->second].clear();
          });
  if (!outputs || isView)
    return;
  auto changed = changes ? groups.find(firstTensorOf(node)) : groups.end();
  size_t same = changed == groups.end() ? 0 : changed->second;
  for (const json::Value &output : *outputs)
    visitNames(output, [&](StringRef name) {
      if (changes)
        return add(name, same);
      names.emplace_back();
      add(name, names.size() - 1);
    });
}

bool AliasTracker::mayChange(const json::Object &node) const {
  auto it = groups.find(firstTensorOf(node));
  return it != groups.end() && !names[it->second].empty();
}

llvm::ArrayRef<StringRef> AliasTracker::namesOf(StringRef result) const {
  auto it = groups.find(result);
  if (it == groups.end())
    return {};
  return names[it->second];
}
