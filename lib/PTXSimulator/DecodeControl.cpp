//===- DecodeControl.cpp - Branches, calls and barriers -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decides which instruction comes next.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Decoder.h"

using namespace mlir::symshape::ptx;

/// Sets `isKnown` if the statement is one of these.
bool Decoder::decodeControl(Instance &instance, bool &isKnown) {
  std::vector<std::string> words = splitOpcode(statement->opcode);
  const std::string &name = words[0];
  isKnown = true;
  if (name == "bra")
    return decodeBranch(instance);
  if (name == "brx")
    return decodeIndexedBranch(instance);
  if (name == "call")
    return decodeCall(instance);
  if (name == "exit" || (name == "ret" && !instance.caller)) {
    emit(begin(nullptr, Flow::Exit), {});
    return true;
  }
  if (name == "ret") {
    uint32_t end = uint32_t(instance.function->body.size());
    instance.fixups.push_back(
        {emit(begin(nullptr, Flow::Branch), {}), -1, end});
    return true;
  }
  if ((name == "bar" || name == "barrier") &&
      statement->opcode != "bar.warp.sync")
    return decodeBarrier(instance, words);
  isKnown = false;
  return true;
}

/// The statement of a label, looked up from the statement's scope outwards.
bool Decoder::findLabel(const Instance &instance, const std::string &name,
                        uint32_t &target) {
  const Function &function = *instance.function;
  for (uint32_t scope = statement->scope;;
       scope = function.parentScopes[scope]) {
    auto found = function.labels.find({scope, name});
    if (found != function.labels.end()) {
      target = found->second;
      return true;
    }
    if (scope == function.parentScopes[scope])
      return fail("label '" + name + "' is not known");
  }
}

bool Decoder::decodeBranch(Instance &instance) {
  uint32_t target = 0;
  if (statement->operands.size() != 1)
    return failOperands();
  if (!findLabel(instance, statement->operands[0].text, target))
    return false;
  instance.fixups.push_back(
      {emit(begin(nullptr, Flow::Branch), {}), -1, target});
  return true;
}

bool Decoder::decodeIndexedBranch(Instance &instance) {
  const Function &function = *instance.function;
  if (statement->operands.size() != 2)
    return failOperands();
  const std::vector<std::string> *names = nullptr;
  for (const auto &list : function.branchTargets)
    if (list.first.second == statement->operands[1].text)
      names = &list.second;
  if (!names)
    return fail("list of targets '" + statement->operands[1].text +
                "' is not known");
  std::vector<Slot> operands(1);
  if (!addOperand(instance, statement->operands[0], 'w', operands[0]))
    return false;
  operands.resize(1 + names->size());
  uint32_t place = emit(begin(nullptr, Flow::IndexedBranch), operands);
  for (size_t i = 0; i < names->size(); ++i) {
    uint32_t target = 0;
    if (!findLabel(instance, (*names)[i], target))
      return false;
    instance.fixups.push_back({place, int(1 + i), target});
  }
  return true;
}

/// Gives parameters of a function the places of the variables in `list`.
bool Decoder::bindParameters(Instance &inner,
                             const std::vector<Variable> &names,
                             const Operand &list) {
  if (names.size() != list.parts.size())
    return failOperands();
  for (size_t i = 0; i < names.size(); ++i) {
    uint64_t address = 0;
    if (!findAddress(*inner.caller, list.parts[i].text, address))
      return fail("expected a variable of .param, but got '" +
                  list.parts[i].text + "'");
    inner.locals[names[i].name] = address;
  }
  return true;
}

/// `call (results), function, (arguments)`: the function's body follows, and
/// its parameters are the variables that the call names.
bool Decoder::decodeCall(Instance &instance) {
  const Statement *call = statement;
  std::vector<const Operand *> lists;
  const Operand *callee = nullptr;
  for (const Operand &operand : call->operands) {
    if (operand.kind == Operand::Group)
      lists.push_back(&operand);
    else if (!callee && operand.kind == Operand::Name)
      callee = &operand;
  }
  auto found =
      callee ? module.functions.find(callee->text) : module.functions.end();
  if (found == module.functions.end())
    return fail("expected a function of the module, but got '" +
                (callee ? callee->text : "") + "'");
  const Function &function = found->second;
  if (!function.hasBody && function.name == "__assertfail") {
    emit(begin(entry("trap")->run), {});
    return true;
  }
  if (!function.hasBody)
    return fail("function '" + function.name + "' has no body");
  size_t expected = (function.results.empty() ? 0 : 1) +
                    (function.parameters.empty() ? 0 : 1);
  if (lists.size() < expected)
    return failOperands();
  Instance inner;
  inner.function = &function;
  inner.caller = &instance;
  if (!function.results.empty() &&
      !bindParameters(inner, function.results, *lists[0]))
    return false;
  if (!function.parameters.empty() &&
      !bindParameters(inner, function.parameters, *lists[expected - 1]))
    return false;
  // A guarded call is one that the other lanes go around.
  uint32_t around = 0;
  bool isGuarded = guard >= 0;
  if (isGuarded) {
    Instruction skip = begin(nullptr, Flow::Branch);
    skip.guardNegated = !skip.guardNegated;
    around = emit(skip, {});
  }
  if (!expand(inner))
    return false;
  statement = call;
  if (isGuarded)
    kernel->code[around].extra = uint32_t(kernel->code.size());
  return true;
}

/// bar.sync a, b; bar.arrive a, b; bar.red.popc.u32 d, a, b, p; the same as
/// barrier, also with .cta and .aligned.
bool Decoder::decodeBarrier(Instance &instance,
                            const std::vector<std::string> &words) {
  BarrierKind kind = BarrierKind::Sync;
  bool isReduction = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word == "arrive")
      kind = BarrierKind::Arrive;
    else if (word == "red")
      isReduction = true;
    else if (word == "popc")
      kind = BarrierKind::RedPopc;
    else if (word == "and")
      kind = BarrierKind::RedAnd;
    else if (word == "or")
      kind = BarrierKind::RedOr;
    else if (word != "sync" && word != "cta" && word != "aligned" &&
             word != "u32" && word != "pred")
      return unknown();
  }
  if (isReduction != (kind >= BarrierKind::RedPopc))
    return unknown();
  const std::vector<Operand> &written = statement->operands;
  size_t first = isReduction ? 1 : 0,
         last = isReduction ? written.size() - 1 : written.size();
  if (last < first + 1 || last > first + 2 ||
      (isReduction && written.size() < 3))
    return failOperands();
  std::vector<Slot> slots(2);
  slots[1] = constant(4, 0);
  for (size_t i = first; i < last; ++i)
    if (!addOperand(instance, written[i], 'w', slots[i - first]))
      return false;
  if (isReduction) {
    slots.resize(4);
    if (!addOperand(instance, written[0],
                    kind == BarrierKind::RedPopc ? 'w' : 'p', slots[2]) ||
        !addOperand(instance, written.back(), 'p', slots[3]))
      return false;
    if (written.back().negated) {
      Slot inverse = newSlot(0);
      emit(begin(entry("not.pred")->run), {inverse, slots[3]});
      slots[3] = inverse;
    }
  }
  Instruction instruction = begin(nullptr, Flow::Barrier);
  instruction.extra = uint32_t(kind);
  emit(instruction, slots);
  return true;
}
