//===- DecodeMemory.cpp - Accesses to memory ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their suffixes in any order that PTX allows: the space, the vector, the type,
// and those about caches, which change nothing here.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Parser.h"
#include <algorithm>
#include <set>

using namespace mlir::symshape::ptx;

/// Sets `isKnown` if the statement is one of these.
bool Decoder::decodeMemory(Instance &instance, bool &isKnown) {
  std::vector<std::string> words = splitOpcode(statement->opcode);
  const std::string &name = words[0];
  isKnown = true;
  if (name == "ld" || name == "ldu")
    return decodeAccess(instance, /*isLoad=*/true);
  if (name == "st")
    return decodeAccess(instance, /*isLoad=*/false);
  if (name == "atom" || name == "red")
    return decodeAtomic(instance, /*hasResult=*/name == "atom");
  if (name == "cp")
    return decodeCopy(instance);
  if (name == "ldmatrix")
    return decodeLoadMatrix(instance);
  if (name == "prefetch" || name == "prefetchu") // changes nothing
    return true;
  isKnown = false;
  return true;
}

/// Takes the suffixes from `words[first]` on apart.
bool Decoder::parseAccess(const std::vector<std::string> &words, size_t first,
                          Access &access) {
  static const std::map<std::string, Space> spaces = {
      {"global", Space::Global},      {"const", Space::Const},
      {"shared", Space::Shared},      {"shared::cta", Space::Shared},
      {"local", Space::Local},        {"param", Space::Param},
      {"param::entry", Space::Param}, {"param::func", Space::Param}};
  static const std::set<std::string> strong = {"volatile", "relaxed", "acquire",
                                               "release",  "acq_rel", "mmio"};
  static const std::set<std::string> ignored = {"weak",
                                                "nc",
                                                "ca",
                                                "cg",
                                                "cs",
                                                "lu",
                                                "cv",
                                                "wb",
                                                "wt",
                                                "cta",
                                                "cluster",
                                                "gpu",
                                                "gl",
                                                "sys",
                                                "L1::evict_normal",
                                                "L1::evict_unchanged",
                                                "L1::evict_first",
                                                "L1::evict_last",
                                                "L1::no_allocate",
                                                "L2::64B",
                                                "L2::128B",
                                                "L2::256B",
                                                "sync",
                                                "aligned",
                                                "uni"};
  static const std::set<std::string> ops = {"add",  "min", "max",  "inc",
                                            "dec",  "and", "or",   "xor",
                                            "exch", "cas", "m8n8", "noftz"};
  for (size_t i = first; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (spaces.count(word))
      access.space = spaces.at(word);
    else if (word == "v2" || word == "v4" || word == "v8" || word == "x1" ||
             word == "x2" || word == "x4")
      access.vector = unsigned(word[1] - '0');
    else if (strong.count(word))
      access.isStrong = true;
    else if (word == "trans")
      access.isTransposed = true;
    else if (ops.count(word))
      access.op += (access.op.empty() ? "" : ".") + word;
    else if (bitsOfType(word) > 1)
      access.type = word;
    else if (!ignored.count(word))
      return unknown();
  }
  return access.type.empty() ? unknown() : true;
}

/// The name of the type in memory that the table has: only the bits, and the
/// sign of what is extended, matter.
std::string Decoder::Access::key() const {
  unsigned bits = bitsOfType(type);
  return (type[0] == 's' && bits < 64 ? "s" : "u") + std::to_string(bits);
}

void Decoder::setAccess(Instruction &instruction, const Access &access,
                        unsigned bytes) {
  instruction.space = access.space;
  instruction.accessBytes = uint8_t(bytes);
  instruction.isStrong = access.isStrong;
  uint8_t log = uint8_t(__builtin_ctz(bytes));
  if (access.space == Space::Shared || access.space == Space::Generic)
    kernel->sharedGranule = std::min(kernel->sharedGranule, log);
  if (access.space != Space::Shared && access.space != Space::Local &&
      access.space != Space::Param)
    kernel->globalGranule = std::min(kernel->globalGranule, log);
}

/// An address: a register, or a constant with the offset in it. The second one
/// of an instruction is in operand 1 and `offset2`.
bool Decoder::addAddress(Instance &instance, const Operand &operand,
                         Instruction &instruction, bool isFirst) {
  if (operand.kind != Operand::Address)
    return failOperands();
  std::vector<uint32_t> &list = operandLists.back();
  int64_t &offset = isFirst ? instruction.offset : instruction.offset2;
  offset = int64_t(operand.value);
  Slot slot;
  if (operand.text.empty()) {
    slot = constant(8, 0);
  } else if (std::optional<Slot> found = findRegister(instance, operand.text)) {
    slot = *found;
    if (slot.bytes != 8 && !(slot.bytes == 4 && isFirst))
      return fail("expected an address of 64 bits, but '" + operand.text +
                  "' has other ones");
    if (slot.bytes == 4)
      instruction.extra |= 1;
  } else {
    uint64_t address = 0;
    if (!findAddress(instance, operand.text, address))
      return fail("'" + operand.text + "' is not known");
    slot = addressConstant(8, address);
    if (instruction.space == Space::Param &&
        instance.locals.count(operand.text))
      instruction.space = Space::Local; // of a call, not of the kernel
  }
  list.push_back(slot.place);
  return true;
}

static std::vector<const Operand *> partsOf(const Operand &operand) {
  std::vector<const Operand *> parts;
  if (operand.kind != Operand::Group)
    parts.push_back(&operand);
  for (const Operand &part : operand.parts)
    parts.push_back(&part);
  return parts;
}

bool Decoder::decodeAccess(Instance &instance, bool isLoad) {
  Access access;
  std::vector<std::string> words = splitOpcode(statement->opcode);
  if (!parseAccess(words, 1, access))
    return false;
  if (!access.op.empty())
    return unknown();
  const std::vector<Operand> &written = statement->operands;
  if (written.size() != 2)
    return failOperands();
  std::vector<const Operand *> values = partsOf(written[isLoad ? 0 : 1]);
  unsigned elementBytes = bitsOfType(access.type) / 8;
  if (values.size() != access.vector || elementBytes * access.vector > 32)
    return failOperands();
  // All values have registers of one width, or are numbers of the type's.
  std::vector<Slot> slots(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    bool isNumber = values[i]->kind != Operand::Name || values[i]->text == "_";
    char letter = !isNumber           ? 'v'
                  : elementBytes <= 2 ? 'h'
                  : elementBytes == 4 ? 'w'
                                      : 'd';
    if (!addOperand(instance, *values[i], letter, slots[i]))
      return false;
  }
  unsigned bytes = slots[0].bytes;
  for (const Slot &slot : slots)
    if (slot.bytes != bytes || bytes < std::max(2u, elementBytes))
      return failOperands();
  const char *letter = bytes == 2 ? ".h" : bytes == 4 ? ".w" : ".d";
  const HandlerEntry *found =
      entry((isLoad ? "ld." : "st.") + access.key() + letter);
  if (!found)
    return unknown();
  operandLists.emplace_back();
  Instruction instruction = begin(found->run);
  instruction.vector = uint8_t(access.vector);
  instruction.isWrite = !isLoad;
  instruction.extra = bytes << 8; // of a register, for History.h
  setAccess(instruction, access, elementBytes * access.vector);
  if (!addAddress(instance, written[isLoad ? 1 : 0], instruction, true))
    return false;
  std::vector<uint32_t> list = operandLists.back();
  operandLists.pop_back();
  std::vector<Slot> operands = {{list[0], 8}};
  operands.insert(operands.end(), slots.begin(), slots.end());
  emit(instruction, operands);
  return true;
}

bool Decoder::decodeAtomic(Instance &instance, bool hasResult) {
  Access access;
  std::vector<std::string> words = splitOpcode(statement->opcode);
  if (!parseAccess(words, 1, access))
    return false;
  bool isSum = access.op == "add";
  if (isSum && (access.type == "s32" || access.type == "s64"))
    access.type[0] = 'u';
  const HandlerEntry *found =
      access.vector == 1 ? entry("atom." + access.op + "." + access.type)
                         : nullptr;
  const std::vector<Operand> &written = statement->operands;
  if (!found)
    return unknown();
  size_t first = hasResult ? 1 : 0;
  if (written.size() != first + 1 + found->operands.size())
    return failOperands();
  operandLists.emplace_back();
  Instruction instruction = begin(found->run);
  instruction.isWrite = true;
  access.isStrong = true;
  setAccess(instruction, access, bitsOfType(access.type) / 8);
  if (!addAddress(instance, written[first], instruction, true))
    return false;
  std::vector<Slot> operands = {{operandLists.back()[0], 8}};
  operandLists.pop_back();
  instruction.extra |= hasResult ? 2 : 0;
  Slot slot;
  if (hasResult && !addOperand(instance, written[0], found->operands[0], slot))
    return false;
  if (hasResult)
    operands.push_back(slot);
  for (size_t i = 0; i < found->operands.size(); ++i) {
    if (!addOperand(instance, written[first + 1 + i], found->operands[i], slot))
      return false;
    operands.push_back(slot);
  }
  emit(instruction, operands);
  return true;
}

/// cp.async.ca.shared.global [to], [from], bytes{, bytes of the source}, and
/// the instructions that wait.
bool Decoder::decodeCopy(Instance &instance) {
  const std::string &opcode = statement->opcode;
  const std::vector<Operand> &written = statement->operands;
  if (opcode == "cp.async.commit_group" || opcode == "cp.async.wait_all" ||
      opcode == "cp.async.wait_group") {
    bool hasCount = opcode == "cp.async.wait_group";
    if (written.size() != (hasCount ? 1 : 0) ||
        (hasCount && written[0].kind != Operand::Integer))
      return failOperands();
    const HandlerEntry *found = entry(opcode);
    Instruction instruction = begin(found->run);
    instruction.extra = hasCount ? uint32_t(written[0].value) : found->extra;
    emit(instruction, {});
    return true;
  }
  static const std::set<std::string> forms = {
      "cp.async.ca.shared.global", "cp.async.cg.shared.global",
      "cp.async.ca.shared::cta.global", "cp.async.cg.shared::cta.global"};
  size_t cut = opcode.find(".L2::");
  bool hasHint = cut != std::string::npos &&
                 opcode.find("cache_hint") != std::string::npos;
  if (!forms.count(opcode.substr(0, cut)) || hasHint)
    return unknown();
  if (written.size() < 3 || written.size() > 4 ||
      written[2].kind != Operand::Integer)
    return failOperands();
  uint64_t bytes = written[2].value;
  bool isWhole = opcode.find(".cg.") != std::string::npos;
  if (bytes != 16 && (isWhole || (bytes != 8 && bytes != 4)))
    return fail(
        "expected a copy of 4, 8 or 16 bytes, with .cg of 16, but got " +
        std::to_string(bytes));
  operandLists.emplace_back();
  Instruction instruction = begin(entry("cp.async")->run);
  Access access;
  access.space = Space::Global;
  setAccess(instruction, access, unsigned(bytes));
  access.space = Space::Shared;
  setAccess(instruction, access, unsigned(bytes));
  instruction.isWrite = true;
  if (!addAddress(instance, written[0], instruction, true) ||
      !addAddress(instance, written[1], instruction, false))
    return false;
  std::vector<uint32_t> list = operandLists.back();
  operandLists.pop_back();
  Slot count;
  if (!addOperand(instance, written.size() == 4 ? written[3] : written[2], 'w',
                  count))
    return false;
  emit(instruction, {{list[0], 8}, {list[1], 8}, count});
  return true;
}

bool Decoder::decodeLoadMatrix(Instance &instance) {
  Access access;
  if (!parseAccess(splitOpcode(statement->opcode), 1, access))
    return false;
  const std::vector<Operand> &written = statement->operands;
  if (access.op != "m8n8" || access.type != "b16" || access.vector == 8 ||
      (access.space != Space::Shared && access.space != Space::Generic))
    return unknown();
  if (written.size() != 2 || partsOf(written[0]).size() != access.vector)
    return failOperands();
  const HandlerEntry *found = entry("ldmatrix");
  operandLists.emplace_back();
  Instruction instruction = begin(found->run, Flow::Converge);
  instruction.member = -1;
  instruction.vector = uint8_t(access.vector);
  setAccess(instruction, access, 16);
  if (!addAddress(instance, written[1], instruction, true))
    return false;
  instruction.extra |= access.isTransposed ? 2 : 0;
  std::vector<Slot> operands = {{operandLists.back()[0], 8}};
  operandLists.pop_back();
  for (const Operand *part : partsOf(written[0])) {
    Slot slot;
    if (!addOperand(instance, *part, 'w', slot))
      return false;
    operands.push_back(slot);
  }
  emit(instruction, operands);
  return true;
}
