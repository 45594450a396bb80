//===- ProgramInspector.cpp - Questions about a program -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failure is recognised by its words: those of each guard are made again with
// the values of the call.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/ProgramInspector.h"
#include "SourceFile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "symshape/Execution/FailureText.h"
#include "symshape/IR/Places.h"
#include "symshape/Pipelines/BriefReport.h"
#include "symshape/Pipelines/OpCosts.h"
#include "symshape/Pipelines/Report.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

ProgramInspector::ProgramInspector(const ProgramSource &source)
    : signature(source.signature), dynamicDims(source.dims),
      name(source.bytes->getBufferIdentifier()) {}

ProgramInspector::~ProgramInspector() = default;

llvm::Expected<std::unique_ptr<ProgramInspector>>
ProgramInspector::open(const ProgramSource &source,
                       const DiagnosticSink &diagnostics) {
  std::unique_ptr<ProgramInspector> made(new ProgramInspector(source));
  llvm::Error error = runRecovering(made->name, [&]() -> llvm::Error {
    made->file = std::make_unique<SourceFile>(diagnostics);
    if (llvm::Error error =
            made->file->parse(*source.bytes, source.signature.name))
      return error;
    auto entry = cast<func::FuncOp>(made->file->getEntry().getOperation());
    made->analysis = std::make_unique<ShapeAnalysis>(made->file->getModule());
    made->plans = std::make_unique<GuardPlans>(*made->analysis);
    made->shapes = made->plans->lookup(entry);
    (void)made->plans->of(*made->shapes);
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return made;
}

//===----------------------------------------------------------------------===//
// What it is
//===----------------------------------------------------------------------===//

/// Adds what the signature knows of arguments or results.
static void addTypes(llvm::ArrayRef<ValueSignature> values, json::Array *list) {
  for (auto [value, described] : llvm::zip(values, *list)) {
    json::Object &object = *described.getAsObject();
    object["element"] = value.type.getName();
    if (!value.isTensor)
      object["extents"] = json::Array();
    if (value.weight)
      object["weight"] = *value.weight;
  }
}

/// Results of a function with several returns, of which the analysis says
/// nothing.
static json::Array describeTypes(llvm::ArrayRef<ValueSignature> values) {
  json::Array list;
  for (const ValueSignature &value : values) {
    json::Array extents;
    for (int64_t extent : value.shape)
      extents.push_back(extent < 0 ? "?" : std::to_string(extent));
    list.push_back(json::Object{{"name", value.name},
                                {"type", value.typeText},
                                {"extents", std::move(extents)}});
  }
  return list;
}

json::Object ProgramInspector::describe() {
  json::Object object = makeShapeReport(*shapes, *plans);
  if (object.getArray("results")->size() != signature.results.size())
    object["results"] = describeTypes(signature.results);
  addTypes(signature.arguments, object.getArray("arguments"));
  addTypes(signature.results, object.getArray("results"));
  object.erase("isPublic");
  return object;
}

llvm::Expected<std::string> ProgramInspector::report(ReportForm form) {
  std::string text;
  llvm::Error error = runRecovering(name, [&]() -> llvm::Error {
    llvm::raw_string_ostream os(text);
    if (form == ReportForm::Brief) {
      printBriefReport(os, makeBriefReport(*shapes, *plans));
      return llvm::Error::success();
    }
    ReportRequest request;
    request.withProgram = form != ReportForm::Text;
    auto made = makeReport(file->getModule(), *plans, request);
    if (failed(made))
      return cannotCompile("cannot report on '" + name + "'");
    if (profile)
      (*made->getAsObject())["profile"] = json::Object(*profile);
    switch (form) {
    case ReportForm::Brief: // above
    case ReportForm::Text:
      printReport(os, *made);
      break;
    case ReportForm::Json:
      os << llvm::formatv("{0:2}", *made);
      break;
    case ReportForm::Html:
      printReportPage(os, *made);
      break;
    }
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return text;
}

//===----------------------------------------------------------------------===//
// Values of a call
//===----------------------------------------------------------------------===//

/// The value of a symbol that stands for a dim of an argument.
ProgramInspector::Number
ProgramInspector::valueOf(Expr symbol, llvm::ArrayRef<int64_t> dims) {
  const SymbolDef *def = shapes->definition(symbol);
  auto argument = dyn_cast_or_null<BlockArgument>(def ? def->value : Value());
  if (!argument || def->kind != SymbolDef::Dim ||
      argument.getOwner() != &shapes->function().getBody().front())
    return std::nullopt;
  for (auto [place, extent] : llvm::zip(dynamicDims, dims))
    if (place.argument == argument.getArgNumber() && place.dim == def->dim &&
        extent >= 0)
      return llvm::DynamicAPInt(extent);
  return std::nullopt;
}

ProgramInspector::Number
ProgramInspector::evaluate(Expr e, llvm::ArrayRef<int64_t> dims) {
  return shapes->arena().evaluateExact(
      shapes->expand(e), [&](Expr symbol) { return valueOf(symbol, dims); });
}

std::vector<std::vector<int64_t>>
ProgramInspector::computeResults(llvm::ArrayRef<int64_t> dims) {
  std::vector<std::vector<int64_t>> results;
  for (const ValueSignature &result : signature.results)
    results.emplace_back(result.shape.begin(), result.shape.end());
  auto returns = shapes->function().getBody().getOps<func::ReturnOp>();
  if (!llvm::hasSingleElement(returns))
    return results;
  for (auto [value, shape] :
       llvm::zip((*returns.begin())->getOperands(), results)) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    for (auto [d, extent] : llvm::enumerate(shape)) {
      Extent known = shapes->extent(value, d);
      if (extent >= 0 || known.kind != Extent::Exact)
        continue;
      Number number = evaluate(known.expr, dims);
      if (number && symshape::Range::exactly(*number).fitsInt64() &&
          *number >= 0)
        extent = llvm::int64fromDynamicAPInt(*number);
    }
  }
  return results;
}

std::vector<OpCost>
ProgramInspector::computeCosts(llvm::ArrayRef<int64_t> dims) {
  auto toNumber = [&](Operation *op, Expr cost) -> std::optional<double> {
    if (!cost || op->getParentOfType<LoopLikeOpInterface>())
      return std::nullopt;
    Number value = evaluate(cost, dims);
    if (!value || !symshape::Range::exactly(*value).fitsInt64())
      return std::nullopt;
    return llvm::int64fromDynamicAPInt(*value);
  };
  std::vector<OpCost> costs;
  shapes->function().getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool hasRegions = op->getNumRegions() != 0;
    bool isStructured = isa<linalg::LinalgOp>(op);
    if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
        op->hasTrait<OpTrait::ConstantLike>() ||
        isa<tensor::EmptyOp, func::CallOp>(op))
      return WalkResult::advance();
    std::string place = describePlace(op->getLoc());
    StringRef name = op->getName().getStringRef();
    // What has other regions costs what is in them.
    bool isWhole = !hasRegions || isStructured;
    costs.push_back(
        {place.empty() ? name.str() : place, name,
         isWhole ? toNumber(op, bytesOf(*shapes, op)) : std::nullopt,
         isWhole ? toNumber(op, flopOf(*shapes, op)) : std::nullopt});
    return isStructured ? WalkResult::skip() : WalkResult::advance();
  });
  return costs;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// The words of a guard with the values of a call.
std::string ProgramInspector::instantiate(const Guard &guard,
                                          llvm::ArrayRef<int64_t> dims) {
  SmallVector<Expr> shown;
  std::string text = symshape::describe(*shapes, guard.condition, &shown);
  std::string result;
  llvm::raw_string_ostream os(result);
  for (StringRef rest = text; !rest.empty();) {
    StringRef after = rest;
    unsigned index;
    if (after.consume_front("{") && !after.consumeInteger(10, index) &&
        after.consume_front("}") && index < shown.size()) {
      if (Number value = evaluate(shown[index], dims))
        os << *value;
      else
        os << "?";
      rest = after;
      continue;
    }
    os << rest.front();
    rest = rest.drop_front(rest.starts_with("{{") ? 2 : 1);
  }
  return result;
}

llvm::Error ProgramInspector::checkGuards(llvm::ArrayRef<int64_t> dims) {
  std::string message;
  for (const Guard &guard : plans->of(*shapes).guards) {
    auto holds = guard.condition.evaluate(
        [&](Expr symbol) { return evaluate(symbol, dims); });
    if (!holds || *holds)
      continue;
    message += (message.empty() ? "@" : "\n@") + signature.name +
               ": guard failed: " + instantiate(guard, dims);
    for (const Requirement *reason : guard.reasons)
      message += "\n  needed by " + describeOrigin(*reason);
  }
  return message.empty() ? llvm::Error::success()
                         : makeRunError(RunStatus::GuardFailed, message);
}

/// The guard that a failure is of, also where others imply it.
const Guard *ProgramInspector::find(const Failure &failure,
                                    llvm::ArrayRef<int64_t> dims) {
  const GuardPlan &plan = plans->of(*shapes);
  for (const auto *list : {&plan.guards, &plan.dropped})
    for (const Guard &guard : *list)
      if (instantiate(guard, dims) == failure.message)
        return &guard;
  return nullptr;
}

static json::Value toJSON(const llvm::DynamicAPInt &number) {
  if (symshape::Range::exactly(number).fitsInt64())
    return llvm::int64fromDynamicAPInt(number);
  return llvm::to_string(number);
}

void ProgramInspector::addGuard(const Guard &guard,
                                llvm::ArrayRef<int64_t> dims,
                                json::Object &object) {
  object["relation"] = guard.condition.str();
  json::Array symbols;
  for (Expr symbol : guard.condition.symbols()) {
    Number value = evaluate(symbol, dims);
    symbols.push_back(
        json::Object{{"name", symbol.str()},
                     {"value", value ? toJSON(*value) : json::Value(nullptr)},
                     {"origin", shapes->describeSymbol(symbol)}});
  }
  object["symbols"] = std::move(symbols);
}

static json::Array describeReasons(const Failure &failure) {
  json::Array reasons;
  for (const FailureReason &reason : failure.reasons)
    reasons.push_back(json::Object{{"text", reason.text},
                                   {"op", reason.op},
                                   {"place", reason.place},
                                   {"file", reason.file},
                                   {"line", reason.line},
                                   {"column", reason.column},
                                   {"field", reason.field}});
  return reasons;
}

json::Object ProgramInspector::explain(StringRef message,
                                       llvm::ArrayRef<int64_t> dims) {
  FailureText text = parseFailures(message);
  json::Array failures;
  for (const Failure &failure : text.failures) {
    json::Object object{{"kind", nameOf(failure.kind)},
                        {"message", failure.message},
                        {"reasons", describeReasons(failure)},
                        {"primitive", failure.primitive},
                        {"field", failure.field},
                        {"observed", failure.observed},
                        {"relation", ""},
                        {"symbols", json::Array()}};
    if (failure.kind == Failure::Guard)
      if (const Guard *guard = find(failure, dims))
        addGuard(*guard, dims, object);
    failures.push_back(std::move(object));
  }
  return json::Object{{"message", message},
                      {"function", signature.name},
                      {"failures", std::move(failures)},
                      {"leftOut", text.numLeftOut}};
}
