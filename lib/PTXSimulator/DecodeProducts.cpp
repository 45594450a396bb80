//===- DecodeProducts.cpp - Products by four warps ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma of two f16 or two bf16, with sums of f32.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace mlir::symshape::ptx;

/// Sets `isKnown` if the statement is one of these.
bool Decoder::decodeProducts(Instance &instance, bool &isKnown) {
  std::vector<std::string> words = splitOpcode(statement->opcode);
  if (words[0] != "wgmma")
    return true;
  isKnown = true;
  kernel->hasProducts = true;
  if (words.size() > 1 && words[1] == "mma_async")
    return decodeProduct(instance, words);
  const HandlerEntry *found = entry(statement->opcode);
  bool hasCount = words.size() > 1 && words[1] == "wait_group";
  if (!found)
    return unknown();
  const std::vector<Operand> &written = statement->operands;
  if (written.size() != (hasCount ? 1 : 0) ||
      (hasCount && written[0].kind != Operand::Integer))
    return failOperands();
  Instruction instruction = begin(found->run, found->flow);
  instruction.extra = hasCount ? uint32_t(written[0].value) : 0;
  emit(instruction, {});
  return true;
}

/// m64n<8 to 256>k16; 0 if it is another shape.
static unsigned columnsOf(const std::string &shape) {
  size_t end = shape.find("k16");
  if (shape.compare(0, 4, "m64n") != 0 || end == std::string::npos ||
      end + 3 != shape.size() || end > 7)
    return 0;
  unsigned columns = 0;
  for (size_t i = 4; i < end; ++i) {
    if (shape[i] < '0' || shape[i] > '9')
      return 0;
    columns = 10 * columns + unsigned(shape[i] - '0');
  }
  return columns % 8 == 0 && columns <= 256 ? columns : 0;
}

/// wgmma.mma_async.sync.aligned.SHAPE.f32.T.T {sums}, A, B, adds, sign of A,
/// sign of B{, whether A is transposed}, whether B is: A is a descriptor, or
/// four registers, which are not transposed.
bool Decoder::decodeProduct(Instance &instance,
                            const std::vector<std::string> &words) {
  if (words.size() != 8 || words[2] != "sync" || words[3] != "aligned" ||
      words[5] != "f32" || words[6] != words[7] ||
      (words[6] != "f16" && words[6] != "bf16"))
    return unknown();
  unsigned columns = columnsOf(words[4]);
  if (columns == 0)
    return unknown();
  const std::vector<Operand> &written = statement->operands;
  bool fromRegisters = written.size() > 1 && written[1].kind == Operand::Group;
  if (written.size() != (fromRegisters ? 7u : 8u) ||
      written[0].kind != Operand::Group ||
      written[0].parts.size() != columns / 2 ||
      (fromRegisters && written[1].parts.size() != 4) || written[3].negated)
    return failOperands();
  for (size_t i = 4; i < written.size(); ++i) {
    uint64_t value = written[i].value;
    bool isFine = i < 6 ? value == 1 || value + 1 == 0 : value <= 1;
    if (written[i].kind != Operand::Integer || !isFine)
      return failOperands();
  }
  std::vector<Slot> slots;
  auto add = [&](const Operand &operand, char letter) {
    slots.emplace_back();
    return addOperand(instance, operand, letter, slots.back());
  };
  for (const Operand &sum : written[0].parts)
    if (!add(sum, 'w'))
      return false;
  if (!fromRegisters && !add(written[1], 'd'))
    return false;
  for (const Operand &part : written[1].parts)
    if (!add(part, 'w'))
      return false;
  if (!add(written[2], 'd') || !add(written[3], 'p'))
    return false;
  const HandlerEntry *found = entry("wgmma." + words[6]);
  Instruction instruction = begin(found->run, found->flow);
  uint32_t transposesA = fromRegisters ? 0 : uint32_t(written[6].value);
  instruction.extra = transposesA | uint32_t(written.back().value) << 1 |
                      (written[4].value == 1 ? 0 : 4) |
                      (written[5].value == 1 ? 0 : 8) |
                      (fromRegisters ? 16 : 0) | columns << 8;
  emit(instruction, slots);
  return true;
}
