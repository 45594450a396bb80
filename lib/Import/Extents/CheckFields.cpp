//===- CheckFields.cpp - What a check finds, for programs -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CheckFields.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/CheckFields.h"
#include "symshape/Analysis/PythonConditions.h"
#include "symshape/Import/Extents/Check.h"
#include "symshape/Import/Extents/Conditions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;
namespace json = llvm::json;

json::Value onnx::describeExtent(ModelExtents &extents, Expr e) {
  if (!e)
    return nullptr;
  if (std::optional<int64_t> number = e.asInt64())
    return *number;
  std::string text = extents.text(e);
  if (text.empty())
    return nullptr;
  return escaped(text);
}

//===----------------------------------------------------------------------===//
// Validity
//===----------------------------------------------------------------------===//

/// The argument that is an input of the model, by its number; weights follow.
static json::Object describeName(ModelExtents &extents,
                                 const PythonConditions::Name &name) {
  json::Object object{{"name", name.name}};
  if (!name.text.empty())
    object["text"] = json::fixUTF8(name.text);
  std::vector<const ValueInfo *> inputs = extents.model().getInputs();
  if (name.argument && *name.argument < inputs.size()) {
    object["input"] = escaped(inputs[*name.argument]->name);
    object["dim"] = name.dim;
  } else {
    object["is"] = json::fixUTF8(name.origin);
  }
  return object;
}

static json::Array describeNames(ModelExtents &extents,
                                 const PythonConditions &python) {
  json::Array names;
  for (const PythonConditions::Name &name : python.names())
    names.push_back(describeName(extents, name));
  return names;
}

void onnx::addValidity(ModelExtents &extents, json::Object &fields) {
  PythonConditions python(extents.shapes(), extents.namesOfAuthor());
  json::Array conditions, unknown;
  ArrayRef<Guard> guards = extents.plan().guards;
  for (const Guard &guard : guards)
    if (auto text = python.spell(guard.condition))
      conditions.push_back(std::move(*text));
  for (const UnknownOp &op : extents.unknownOps()) {
    json::Object one{{"name", op.name}, {"nodes", json::Array(op.nodes)}};
    if (StringRef reason = whyUnknownOp(op.name); !reason.empty())
      one["reason"] = reason;
    unknown.push_back(std::move(one));
  }
  fields["schemaVersion"] = 1;
  fields["sentence"] = json::fixUTF8(describeValidity(extents));
  fields["valid"] = extents.isPossible() && !extents.isRefused();
  fields["isComplete"] =
      conditions.size() == guards.size() && !extents.asksFirstCall();
  fields["conditions"] = std::move(conditions);
  fields["names"] = describeNames(extents, python);
  fields["unknownOps"] = std::move(unknown);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {
class ConditionFields {
public:
  explicit ConditionFields(ModelExtents &extents)
      : extents(extents), python(extents.shapes(), extents.namesOfAuthor()) {}

  json::Object describe(const Formula &condition,
                        ArrayRef<const Requirement *> reasons) {
    SmallVector<StringRef> lines;
    std::string text =
        json::fixUTF8(describeCondition(extents, condition, reasons));
    StringRef(text).split(lines, '\n');
    json::Array where;
    for (StringRef line : ArrayRef(lines).drop_front())
      where.push_back(line.trim().str());
    json::Array needs;
    for (const std::string &need : describeNeeds(reasons))
      needs.push_back(json::fixUTF8(need));
    json::Object object{{"text", lines.front().str()},
                        {"where", std::move(where)},
                        {"neededBy", std::move(needs)},
                        {"condition", nullptr}};
    if (auto spelled = python.spell(condition))
      object["condition"] = std::move(*spelled);
    return object;
  }
  /// The names of all conditions so far.
  json::Array names() { return describeNames(extents, python); }

private:
  ModelExtents &extents;
  PythonConditions python;
};
} // namespace

static void addConditions(ModelExtents &extents, json::Object &fields) {
  ConditionFields writer(extents);
  json::Array guards, never, checks;
  const GuardPlan &plan = extents.plan();
  for (const Guard &guard : plan.guards) {
    json::Object object = writer.describe(guard.condition, guard.reasons);
    object["isBound"] = isCommonBound(guard.condition);
    guards.push_back(std::move(object));
  }
  for (const Requirement *violated : plan.violated)
    never.push_back(writer.describe(violated->condition, violated));
  for (const DeferredCheck &check : plan.deferred)
    checks.push_back(writer.describe(check.condition, check.reasons));
  fields["guards"] = std::move(guards);
  fields["never"] = std::move(never);
  fields["checks"] = std::move(checks);
  // Those of `addValidity`, which are of guards, come first.
  fields["names"] = writer.names();
}

static void addErrors(ModelExtents &extents, json::Object &fields) {
  using Skipped = ImportTrace::Skipped;
  json::Array errors, asked;
  unsigned numUnknown = 0;
  for (const Skipped &skipped : extents.skipped()) {
    if (skipped.cause == Skipped::Refused)
      errors.push_back(escaped(skipped.reason));
    if (skipped.cause == Skipped::Asks)
      asked.push_back(escaped(skipped.reason));
    numUnknown += skipped.cause == Skipped::Follows;
  }
  fields["errors"] = std::move(errors);
  fields["forFirstCall"] = std::move(asked);
  fields["numUnknownNodes"] = numUnknown;
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

/// What all entries about a claim begin with.
static json::Object describeEntry(ModelExtents &extents,
                                  const ShapeClaim &claim, Standing standing) {
  const KnownValue &value = *claim.value;
  return json::Object{{"entry", nameOf(claim.kind)},
                      {"name", escaped(claim.info->name)},
                      {"byte", static_cast<int64_t>(claim.info->offset)},
                      {"standing", nameOf(standing)},
                      {"by", describeSource(extents.model(), value)}};
}

static json::Array describeClaims(ModelExtents &extents,
                                  ArrayRef<ShapeClaim> claims) {
  json::Array list;
  for (const ShapeClaim &claim : claims) {
    if (!claim.value)
      continue;
    auto add = [&](StringRef field, json::Value declared,
                   json::Value inferred) {
      json::Object object =
          describeEntry(extents, claim, Standing::Contradicted);
      object["field"] = field;
      object["declared"] = std::move(declared);
      object["inferred"] = std::move(inferred);
      list.push_back(std::move(object));
    };
    if (claim.hasOtherType)
      add("type", nameOf(claim.info->type.element), nameOf(claim.value->type));
    if (claim.hasOtherRank)
      add("rank", static_cast<int64_t>(claim.info->type.dims.size()),
          static_cast<int64_t>(claim.value->dims.size()));
    for (auto [i, each] : llvm::enumerate(claim.extents)) {
      json::Object object = describeEntry(extents, claim, each.standing);
      object["dim"] = static_cast<int64_t>(i);
      object["declared"] = describeExtent(extents, each.declared);
      object["inferred"] = describeExtent(extents, each.inferred);
      if (each.standing == Standing::Undecided)
        object["reason"] = json::fixUTF8(each.reason);
      list.push_back(std::move(object));
    }
  }
  return list;
}

std::pair<Outcome, json::Object> onnx::describeCheck(ModelExtents &extents) {
  json::Object fields, counts;
  addValidity(extents, fields);
  addErrors(extents, fields);
  bool isPossible = extents.isPossible();
  json::Array claims;
  if (isPossible)
    claims = describeClaims(extents, judgeClaims(extents));
  // After the claims, whose names for extents of data it uses.
  addConditions(extents, fields);
  for (Standing standing : allStandings)
    counts[nameOf(standing)] = llvm::count_if(claims, [&](json::Value &claim) {
      return claim.getAsObject()->getString("standing") == nameOf(standing);
    });
  bool isRefused = !isPossible || !extents.unknownOps().empty() ||
                   *counts.getInteger(nameOf(Standing::Contradicted)) != 0;
  fields["claims"] = std::move(claims);
  fields["counts"] = std::move(counts);
  Outcome outcome = isRefused             ? Outcome::Refused
                    : extents.isRefused() ? Outcome::Incomplete
                                          : Outcome::Done;
  return {outcome, std::move(fields)};
}
