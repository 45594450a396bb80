//===- Operands.cpp - Places of operands ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers, constants, special registers and addresses of variables.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Decoder.h"
#include "Parser.h"
#include <algorithm>
#include <cstring>

using namespace mlir::symshape::ptx;

/// A new place in the frame: a vector of a cache line's alignment, or, for
/// predicates, a word.
Slot Decoder::newSlot(unsigned bytes) {
  Slot slot{kernel->frameBytes, bytes};
  kernel->frameBytes += bytes ? bytes * warpLanes : 64;
  return slot;
}

Slot Decoder::constant(unsigned bytes, uint64_t value) {
  if (bytes && bytes < 8)
    value &= (uint64_t(1) << (8 * bytes)) - 1;
  auto found = constants.find({bytes, value});
  if (found != constants.end())
    return found->second;
  Slot slot = newSlot(bytes);
  kernel->constants.push_back({slot.place, uint8_t(bytes ? bytes : 1), value});
  return constants[{bytes, value}] = slot;
}

std::optional<Slot> Decoder::findRegister(Instance &instance,
                                          const std::string &name) {
  auto known = instance.slots.find(name);
  if (known != instance.slots.end())
    return known->second;
  auto declared = instance.function->registers.find(name);
  if (declared == instance.function->registers.end())
    return std::nullopt;
  unsigned bits = declared->second;
  unsigned bytes = bits == 1 ? 0 : bits == 8 ? 2 : bits / 8;
  return instance.slots[name] = newSlot(bytes);
}

bool Decoder::findSpecial(const std::string &name, Slot &slot) {
  static const std::unordered_map<std::string, Special> known = {
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::TidY},
      {"%tid.z", Special::TidZ},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::NtidY},
      {"%ntid.z", Special::NtidZ},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::CtaidY},
      {"%ctaid.z", Special::CtaidZ},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::NctaidY},
      {"%nctaid.z", Special::NctaidZ},
      {"%laneid", Special::LaneId},
      {"%warpid", Special::WarpId},
      {"%nwarpid", Special::NwarpId},
      {"%smid", Special::SmId},
      {"%nsmid", Special::NsmId},
      {"%gridid", Special::GridId},
      {"%lanemask_eq", Special::LanemaskEq},
      {"%lanemask_le", Special::LanemaskLe},
      {"%lanemask_lt", Special::LanemaskLt},
      {"%lanemask_ge", Special::LanemaskGe},
      {"%lanemask_gt", Special::LanemaskGt},
      {"%clock", Special::Clock},
      {"%globaltimer", Special::Clock64},
      {"%clock64", Special::Clock64},
      {"%total_smem_size", Special::TotalSharedBytes},
      {"%dynamic_smem_size", Special::DynamicSharedBytes}};
  auto which = known.find(name);
  if (which == known.end())
    return false;
  auto made = specials.find(name);
  if (made == specials.end()) {
    bool isWide =
        which->second == Special::Clock64 || which->second == Special::GridId;
    Slot fresh = newSlot(isWide ? 8 : 4);
    kernel->specials.push_back({fresh.place, which->second, isWide});
    made = specials.emplace(name, fresh).first;
  }
  slot = made->second;
  return true;
}

/// The address of a variable or parameter, in its own space.
bool Decoder::findAddress(Instance &instance, const std::string &name,
                          uint64_t &address) {
  isDynamic = false;
  auto local = instance.locals.find(name);
  auto shared = instance.shared.find(name);
  if (local != instance.locals.end() || shared != instance.shared.end()) {
    address = local != instance.locals.end() ? local->second : shared->second;
    return true;
  }
  for (const Variable &variable : instance.function->variables) {
    if (variable.name != name)
      continue;
    uint64_t &total = variable.space == Space::Shared
                          ? kernel->staticSharedBytes
                          : kernel->localBytes;
    total = (total + variable.alignment - 1) / variable.alignment *
            variable.alignment;
    address = spaceBegin + total;
    total += variable.bytes();
    (variable.space == Space::Shared ? instance.shared
                                     : instance.locals)[name] = address;
    return true;
  }
  for (size_t i = 0; i < kernel->parameters.size() && !instance.caller; ++i)
    if (kernel->parameters[i].name == name) {
      address = kernel->parameterPlaces[i];
      return true;
    }
  auto symbol = symbols.find(name);
  if (symbol != symbols.end()) {
    address = symbol->second;
    return true;
  }
  return findShared(name, address);
}

/// A variable of the module in shared memory: static ones get their place when
/// they are first named, extern ones share the one behind them.
bool Decoder::findShared(const std::string &name, uint64_t &address) {
  auto placed = sharedPlaces.find(name);
  if (placed != sharedPlaces.end()) {
    address = placed->second;
    return true;
  }
  for (const Variable &variable : module.variables) {
    if (variable.name != name || variable.space != Space::Shared)
      continue;
    if (variable.isExtern || variable.count == 0) {
      kernel->dynamicAlignment =
          std::max(kernel->dynamicAlignment, variable.alignment);
      isDynamic = true;
      address = 0;
      return true;
    }
    uint64_t &total = kernel->staticSharedBytes;
    total = (total + variable.alignment - 1) / variable.alignment *
            variable.alignment;
    address = sharedPlaces[name] = spaceBegin + total;
    total += variable.bytes();
    return true;
  }
  return false;
}

/// A constant made of the address that was found last.
Slot Decoder::addressConstant(unsigned bytes, uint64_t value) {
  if (!isDynamic)
    return constant(bytes, value);
  Slot slot = newSlot(bytes);
  dynamicConstants.push_back(kernel->constants.size());
  kernel->constants.push_back({slot.place, uint8_t(bytes), value});
  return slot;
}

/// A name that is no number: a register, a special register, or an address.
bool Decoder::findName(Instance &instance, const Operand &operand,
                       unsigned bytes, Slot &slot) {
  if (operand.text == "_") {
    Slot &sink = scratch[bytes];
    if (sink.bytes == 0 && sink.place == 0)
      sink = newSlot(bytes);
    slot = sink;
    return true;
  }
  if (std::optional<Slot> found = findRegister(instance, operand.text)) {
    slot = *found;
    return true;
  }
  if (findSpecial(operand.text, slot))
    return true;
  if (operand.text == "WARP_SZ") {
    slot = constant(bytes, warpLanes);
    return true;
  }
  uint64_t address = 0;
  if (bytes < 4 || !findAddress(instance, operand.text, address))
    return fail("'" + operand.text + "' is not known");
  slot = addressConstant(bytes, address + operand.value);
  return true;
}

/// A number as an element of so many bytes. A float takes the precision that
/// the operand has.
static uint64_t bitsOf(const Operand &operand, unsigned bytes) {
  uint64_t bits = operand.value;
  if (operand.kind == Operand::Single && bytes == 8) {
    uint32_t word = uint32_t(bits);
    float single;
    std::memcpy(&single, &word, 4);
    double wide = single;
    std::memcpy(&bits, &wide, 8);
  } else if (operand.kind == Operand::Double && bytes == 4) {
    double wide;
    std::memcpy(&wide, &bits, 8);
    float single = float(wide);
    uint32_t word;
    std::memcpy(&word, &single, 4);
    bits = word;
  }
  return bits;
}

/// `letter` as in HandlerEntry; v is a register of any width.
bool Decoder::addOperand(Instance &instance, const Operand &operand,
                         char letter, Slot &slot) {
  unsigned bytes = letter == 'p'   ? 0
                   : letter == 'h' ? 2
                   : letter == 'w' ? 4
                                   : 8;
  switch (operand.kind) {
  case Operand::Name:
    if (!findName(instance, operand, bytes, slot))
      return false;
    break;
  case Operand::Integer:
  case Operand::Single:
  case Operand::Double:
    if (letter == 'v')
      return failOperands();
    slot = bytes == 0 ? constant(0, operand.value ? ~uint64_t(0) : 0)
                      : constant(bytes, bitsOf(operand, bytes));
    break;
  default:
    return failOperands();
  }
  if (letter != 'v' && slot.bytes != bytes)
    return fail(
        "'" + statement->opcode + "' expects " +
        (bytes == 0 ? "a predicate" : std::to_string(8 * bytes) + " bits") +
        ", but '" + operand.text + "' has " +
        (slot.bytes == 0 ? "one bit" : std::to_string(8 * slot.bytes)));
  return true;
}
