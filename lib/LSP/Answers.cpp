//===- Answers.cpp - Two answers as one -----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "llvm/ADT/STLExtras.h"

namespace json = llvm::json;
using llvm::StringRef;

bool mlir::symshape::offersUTF8(const json::Object &params) {
  const json::Object *abilities = params.getObject("capabilities");
  const json::Object *general =
      abilities ? abilities->getObject("general") : nullptr;
  const json::Array *encodings =
      general ? general->getArray("positionEncodings") : nullptr;
  return encodings && llvm::is_contained(*encodings, json::Value("utf-8"));
}

static json::Value mergeHovers(json::Value ours, json::Value theirs) {
  const json::Object *left = ours.getAsObject();
  const json::Object *right = theirs.getAsObject();
  if (!left || !right)
    return left ? ours : theirs;
  auto textIn = [](const json::Object *hover) {
    const json::Object *contents = hover->getObject("contents");
    return contents ? contents->getString("value").value_or("") : "";
  };
  json::Object merged = *left;
  merged["contents"] = json::Object{
      {"kind", "markdown"},
      {"value", (textIn(left) + "\n\n---\n\n" + textIn(right)).str()}};
  return merged;
}

static json::Value mergeLists(json::Value ours, json::Value theirs) {
  json::Array merged;
  for (json::Value *list : {&ours, &theirs})
    if (const json::Array *array = list->getAsArray())
      for (const json::Value &element : *array)
        merged.push_back(element);
  return merged;
}

/// What we can do beside what upstream's server says it can.
static json::Value mergeAbilities(json::Value theirs, bool hasUTF8) {
  json::Object *answer = theirs.getAsObject();
  json::Object merged = answer ? std::move(*answer) : json::Object();
  json::Object *stated = merged.getObject("capabilities");
  json::Object abilities = stated ? std::move(*stated) : json::Object();
  abilities["hoverProvider"] = true;
  abilities["inlayHintProvider"] = true;
  abilities.try_emplace("codeActionProvider", true);
  abilities.try_emplace("textDocumentSync",
                        json::Object{{"openClose", true}, {"change", 1}});
  // Both count bytes, which is the same as UTF-16 in all but comments and
  // names.
  if (hasUTF8)
    abilities["positionEncoding"] = "utf-8";
  merged["capabilities"] = std::move(abilities);
  merged["serverInfo"] = json::Object{{"name", "symshape-lsp-server"}};
  return merged;
}

json::Value mlir::symshape::mergeAnswers(StringRef method, json::Value ours,
                                         json::Value theirs, bool hasUTF8) {
  if (method == "textDocument/hover")
    return mergeHovers(std::move(ours), std::move(theirs));
  if (method == "textDocument/codeAction")
    return mergeLists(std::move(ours), std::move(theirs));
  if (method == "initialize")
    return mergeAbilities(std::move(theirs), hasUTF8);
  return theirs;
}
