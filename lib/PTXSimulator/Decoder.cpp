//===- Decoder.cpp - From statements to a kernel --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all instructions have in common, and those that stand in the table as
// they are spelled.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Block.h"
#include "Parser.h"
#include <set>

using namespace mlir::symshape::ptx;

/// Of a kernel; more shared memory has to be dynamic.
static constexpr uint64_t maxStaticSharedBytes = 48 * 1024;
static constexpr uint64_t maxLocalBytes = 512 * 1024;
static constexpr uint64_t maxParameterBytes = 32764;
static constexpr uint64_t maxFrameBytes = 64 << 20;

std::vector<std::string>
mlir::symshape::ptx::splitOpcode(const std::string &opcode) {
  std::vector<std::string> words(1);
  for (char c : opcode) {
    if (c == '.')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

bool Decoder::fail(const std::string &message) {
  complaint = {statement ? statement->line : 0, message};
  return false;
}

bool Decoder::failOperands() {
  return fail("'" + statement->opcode + "' has other operands than expected");
}

bool Decoder::unknown() {
  return fail("instruction '" + statement->opcode + "' is not known");
}

Instruction Decoder::begin(Handler run, Flow flow) {
  Instruction instruction;
  instruction.run = run;
  instruction.flow = flow;
  instruction.line = statement->line;
  instruction.guard = guard;
  instruction.guardNegated = statement->guardNegated;
  auto id = nameIds.emplace(statement->opcode, uint32_t(kernel->names.size()));
  if (id.second)
    kernel->names.push_back(statement->opcode);
  instruction.name = id.first->second;
  return instruction;
}

uint32_t Decoder::emit(Instruction instruction,
                       const std::vector<Slot> &operands) {
  std::vector<uint32_t> places;
  for (const Slot &operand : operands)
    places.push_back(operand.place);
  instruction.numOperands = uint16_t(places.size());
  operandLists.push_back(std::move(places));
  kernel->code.push_back(instruction);
  return uint32_t(kernel->code.size() - 1);
}

bool Decoder::setGuard(Instance &instance) {
  guard = -1;
  if (statement->guard.empty())
    return true;
  std::optional<Slot> slot = findRegister(instance, statement->guard);
  if (!slot || slot->bytes != 0)
    return fail("expected a predicate, but got '" + statement->guard + "'");
  guard = int32_t(slot->place);
  return true;
}

bool Decoder::decode(const Function &function, Kernel &result) {
  kernel = &result;
  kernel->name = function.name;
  for (const Variable &parameter : function.parameters) {
    uint64_t place = (kernel->parameterBytes + parameter.alignment - 1) /
                     parameter.alignment * parameter.alignment;
    kernel->parameters.push_back(parameter);
    kernel->parameterPlaces.push_back(place);
    kernel->parameterBytes = place + parameter.bytes();
  }
  for (unsigned i = 0; i < 3; ++i) {
    kernel->maxThreads[i] = function.maxThreads[i];
    kernel->requiredThreads[i] = function.requiredThreads[i];
  }
  Instance instance;
  instance.function = &function;
  if (!expand(instance))
    return false;
  // Falling off the end is a return.
  Statement last;
  last.line = function.line;
  last.opcode = "ret";
  statement = &last;
  guard = -1;
  emit(begin(nullptr, Flow::Exit), {});
  statement = nullptr;
  for (const std::vector<uint32_t> &list : operandLists)
    kernel->operands.insert(kernel->operands.end(), list.begin(), list.end());
  const uint32_t *operands = kernel->operands.data();
  for (Instruction &instruction : kernel->code) {
    instruction.operands = operands;
    operands += instruction.numOperands;
  }
  kernel->localBytes = (kernel->localBytes + 15) / 16 * 16;
  return placeDynamic() && checkLimits();
}

/// Puts dynamic shared memory behind the static one.
bool Decoder::placeDynamic() {
  uint64_t &total = kernel->staticSharedBytes,
           alignment = kernel->dynamicAlignment;
  if (!dynamicConstants.empty())
    total = (total + alignment - 1) / alignment * alignment;
  for (size_t index : dynamicConstants)
    kernel->constants[index].value += spaceBegin + total;
  return true;
}

/// What a device has for one kernel; and enough for the simulator.
bool Decoder::checkLimits() {
  const std::pair<const char *, std::pair<uint64_t, uint64_t>> limits[] = {
      {"static shared memory",
       {kernel->staticSharedBytes, maxStaticSharedBytes}},
      {"local memory", {kernel->localBytes, maxLocalBytes}},
      {"parameters", {kernel->parameterBytes, maxParameterBytes}},
      {"registers", {kernel->frameBytes, maxFrameBytes}}};
  for (const auto &limit : limits)
    if (limit.second.first > limit.second.second)
      return fail("kernel '" + kernel->name + "' has " +
                  std::to_string(limit.second.first) + " bytes of " +
                  limit.first + ", but " + std::to_string(limit.second.second) +
                  " is the most");
  return true;
}

/// Decodes the body of a function at the end of the code; returns go to what
/// comes after it.
bool Decoder::expand(Instance &instance) {
  const Function &function = *instance.function;
  unsigned depth = 0;
  for (const Instance *outer = instance.caller; outer; outer = outer->caller) {
    if (outer->function == &function || ++depth > 64)
      return fail("'" + function.name +
                  "' calls itself, which is not supported");
  }
  for (const Statement &one : function.body) {
    instance.placeOfStatement.push_back(uint32_t(kernel->code.size()));
    statement = &one;
    if (!setGuard(instance) || !decodeStatement(instance))
      return false;
    if (kernel->code.size() > (1u << 20))
      return fail("expected at most 2^20 instructions with all calls expanded");
    if (kernel->frameBytes > maxFrameBytes)
      return checkLimits();
  }
  instance.placeOfStatement.push_back(uint32_t(kernel->code.size()));
  for (const Instance::Fixup &fixup : instance.fixups) {
    uint32_t target = instance.placeOfStatement[fixup.statement];
    if (fixup.operand < 0)
      kernel->code[fixup.instruction].extra = target;
    else
      operandLists[fixup.instruction][fixup.operand] = target;
  }
  return true;
}

/// The first architecture that has an instruction, if it is not sm_80 or
/// before.
static unsigned architectureOf(const std::string &opcode) {
  auto has = [&](const char *part) {
    return opcode.find(part) != std::string::npos;
  };
  static const std::set<std::string> later = {"add", "sub",  "mul",  "setp",
                                              "ex2", "tanh", "atom", "red"};
  std::string name = opcode.substr(0, opcode.find('.'));
  if (name == "elect" || name == "griddepcontrol" || name == "wgmma" ||
      has("fence.proxy") ||
      (has("bf16") && (later.count(name) || (name == "cvt" && !has(".f32")))))
    return 90;
  return has(".xorsign") ? 86 : 80;
}

bool Decoder::decodeStatement(Instance &instance) {
  bool isKnown = false;
  unsigned needed = architectureOf(statement->opcode);
  if (needed > architecture)
    return fail("instruction '" + statement->opcode + "' needs sm_" +
                std::to_string(needed) + ", but the device has sm_" +
                std::to_string(architecture));
  if (statement->opcode.compare(0, 6, "wgmma.") == 0 &&
      module.target != "sm_90a")
    return fail("instruction '" + statement->opcode +
                "' needs a module for sm_90a, but got one for '" +
                module.target + "'");
  if (!decodeControl(instance, isKnown) ||
      (!isKnown && !decodeMemory(instance, isKnown)) ||
      (!isKnown && !decodeProducts(instance, isKnown)))
    return false;
  if (isKnown)
    return true;
  const std::string &opcode = statement->opcode;
  if (opcode.compare(0, 4, "mov.") == 0)
    return decodeMove(instance);
  if (opcode.compare(0, 4, "cvt.") == 0 && statement->operands.size() == 2)
    return decodeConversion(instance);
  return decodeTabled(instance);
}

/// The operands with groups taken apart.
static std::vector<const Operand *> flatten(const Statement &statement) {
  std::vector<const Operand *> operands;
  for (const Operand &operand : statement.operands) {
    if (operand.kind != Operand::Group)
      operands.push_back(&operand);
    for (const Operand &part : operand.parts)
      operands.push_back(&part);
  }
  return operands;
}

bool Decoder::decodeTabled(Instance &instance) {
  const std::vector<Operand> &written = statement->operands;
  bool hasPair = !written.empty() && written[0].kind == Operand::Group;
  const HandlerEntry *found =
      hasPair ? entry(statement->opcode + "|") : nullptr;
  found = found ? found : entry(statement->opcode);
  if (!found)
    return unknown();
  std::vector<const Operand *> operands = flatten(*statement);
  if (operands.size() != found->operands.size())
    return failOperands();
  std::vector<Slot> slots(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!addOperand(instance, *operands[i], found->operands[i], slots[i]))
      return false;
    if (operands[i]->negated) { // !%p: a predicate of its own
      Slot inverse = newSlot(0);
      Instruction invert = begin(entry("not.pred")->run);
      invert.guard = -1;
      emit(invert, {inverse, slots[i]});
      slots[i] = inverse;
    }
  }
  Instruction instruction = begin(found->run, found->flow);
  instruction.extra = found->extra;
  instruction.member = int8_t(found->member);
  emit(instruction, slots);
  return true;
}

/// mov, also between a register and a group: the table has pack and unpack for
/// those.
bool Decoder::decodeMove(Instance &instance) {
  if (statement->operands.size() != 2)
    return failOperands();
  const Operand &to = statement->operands[0], &from = statement->operands[1];
  bool unpacks = to.kind == Operand::Group, packs = from.kind == Operand::Group;
  if (!unpacks && !packs)
    return decodeTabled(instance);
  size_t parts = unpacks ? to.parts.size() : from.parts.size();
  std::string key = unpacks ? "unpack" : "pack";
  const HandlerEntry *found =
      entry(key + statement->opcode.substr(3) + "." + std::to_string(parts));
  if (!found || (unpacks && packs))
    return unknown();
  std::vector<const Operand *> operands = flatten(*statement);
  std::vector<Slot> slots(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    if (!addOperand(instance, *operands[i], found->operands[i], slots[i]))
      return false;
  emit(begin(found->run), slots);
  return true;
}

/// cvt with one operand, whose registers may be wider than their types.
bool Decoder::decodeConversion(Instance &instance) {
  const HandlerEntry *found = entry(statement->opcode);
  if (!found)
    return unknown();
  std::vector<std::string> words = splitOpcode(statement->opcode);
  Slot to, from;
  bool isVariable = found->operands == "vv";
  const Operand &source = statement->operands[1];
  char letter = source.kind == Operand::Name     ? 'v'
                : source.kind == Operand::Single ? 'w'
                                                 : 'd';
  if (!addOperand(instance, statement->operands[0], isVariable ? 'v' : 'w',
                  to) ||
      !addOperand(instance, source, isVariable ? letter : 'w', from))
    return false;
  auto isWideEnough = [&](const Slot &slot, const std::string &type) {
    return slot.bytes != 0 && 8 * slot.bytes >= bitsOfType(type);
  };
  if (!isWideEnough(to, words[words.size() - 2]) ||
      !isWideEnough(from, words.back()))
    return failOperands();
  Instruction instruction = begin(found->run);
  instruction.extra = found->extra;
  instruction.vector = uint8_t(to.bytes);
  instruction.accessBytes = uint8_t(from.bytes);
  emit(instruction, {to, from});
  return true;
}
