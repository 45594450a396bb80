//===- Functions.cpp - What the AD passes share ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::symshape;

static std::string spellType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult symshape::verifyRequest(func::FuncOp func, ArrayRef<int64_t> wrt,
                                      ArrayRef<StringRef> suffixes) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a body of one block to differentiate");
  for (Type type : func.getArgumentTypes())
    if (isa<BaseMemRefType>(type))
      return emitFieldError(func, "type",
                            "to be a tensor: differentiate before "
                            "bufferisation",
                            spellType(type));
  DenseSet<int64_t> seen;
  for (int64_t number : wrt) {
    if (number < 0 || number >= func.getNumArguments() ||
        !seen.insert(number).second)
      return func.emitOpError("expected 'wrt' to number arguments, each once, "
                              "but got ")
             << number;
    Type type = func.getArgumentTypes()[number];
    if (!hasTangent(type))
      return emitFieldError(func, "element_type",
                            "of argument #" + Twine(number) +
                                " to be a float to differentiate",
                            spellType(getElementTypeOrSelf(type)));
  }
  auto module = func->getParentOfType<ModuleOp>();
  for (StringRef suffix : suffixes)
    if (module.lookupSymbol((func.getName() + suffix).str()))
      return func.emitOpError("expected no function @")
             << func.getName() << suffix << ", which is to be added";
  return success();
}

/// Inlines the calls of the function, and those that this gives.
static LogicalResult inlineCalls(func::FuncOp func) {
  InlinerInterface interface(func.getContext());
  InlinerConfig config;
  // Without recursion no chain of calls is longer than the number of functions.
  auto module = func->getParentOfType<ModuleOp>();
  size_t rounds = llvm::range_size(module.getOps<func::FuncOp>());
  for (size_t round = 0; round <= rounds; ++round) {
    SmallVector<func::CallOp> calls;
    func.walk([&](func::CallOp call) { calls.push_back(call); });
    if (calls.empty())
      return success();
    for (func::CallOp call : calls) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!callee || callee.isDeclaration() ||
          failed(inlineCall(interface, config.getCloneCallback(),
                            cast<CallOpInterface>(call.getOperation()),
                            cast<CallableOpInterface>(callee.getOperation()),
                            &callee.getBody())))
        return emitMissingRule(call);
      call.erase();
    }
  }
  return func.emitOpError("expected calls without recursion to differentiate");
}

FailureOr<func::FuncOp> symshape::copyInlined(func::FuncOp func,
                                              const Twine &name) {
  OpBuilder builder(func);
  builder.setInsertionPointAfter(func);
  auto copy = cast<func::FuncOp>(builder.clone(*func));
  copy.setName(name.str());
  if (succeeded(inlineCalls(copy)))
    return copy;
  copy.erase();
  return failure();
}

void symshape::eraseDead(func::FuncOp func) {
  eraseDeadOps(func.getBody().front());
}

bool symshape::usesAny(Operation *op, const DenseSet<Value> &values) {
  return usesAny(op, [&](Value v) { return values.contains(v); });
}

/// Adds the values of the block that depend on others to them. What a loop
/// carries is a tangent if one of its operands is.
static void addDependents(Block &block, DenseSet<Value> &dependents) {
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (hasTangent(value.getType()))
        dependents.insert(value);
  };
  for (Operation &op : block) {
    if (!usesAny(&op, dependents))
      continue;
    add(op.getResults());
    if (!isa<scf::SCFDialect>(op.getDialect()))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        add(inner.getArguments());
        addDependents(inner, dependents);
      }
  }
}

DenseSet<Value> symshape::dependentsOf(ArrayRef<Value> roots, Block &block) {
  DenseSet<Value> dependents(roots.begin(), roots.end());
  addDependents(block, dependents);
  return dependents;
}

LogicalResult symshape::emitMissingRule(Operation *op) {
  InFlightDiagnostic diag = op->emitOpError(
      "expected a derivative rule on a path that is differentiated, but there "
      "is none");
  diag.attachNote() << "implement JvpOpInterface and "
                       "LinearTransposeOpInterface for it, or take it off the "
                       "path, for example by wrt";
  diag.attachNote() << makeTriple(primitiveName(op), "rule", "missing");
  return diag;
}
