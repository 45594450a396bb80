//===- Decoder.h - From statements to a kernel ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every operand its place in the frame of a warp and every opcode its
// handler. Calls are expanded in place, so a function that calls itself, or is
// called through a pointer, is refused.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_DECODER_H
#define SYMSHAPE_PTXSIMULATOR_DECODER_H

#include "HandlerTable.h"
#include <map>
#include <optional>

namespace mlir::symshape::ptx {

/// Where an operand is in the frame, and the bytes of an element; 0 for a
/// predicate.
struct Slot {
  uint32_t place = 0;
  unsigned bytes = 0;
};

/// Addresses of the variables of a module.
using Symbols = std::map<std::string, uint64_t>;

/// Makes one kernel. Every method that returns a bool returns false after it
/// has set `complaint`.
class Decoder {
public:
  /// `architecture` is that of the device: 80 for sm_80.
  Decoder(const Module &module, const Symbols &symbols,
          const HandlerTable &table, unsigned architecture)
      : module(module), symbols(symbols), table(table),
        architecture(architecture) {}

  bool decode(const Function &entry, Kernel &result);

  Complaint complaint;

private:
  /// A function that is being expanded, with the places of its names.
  struct Instance {
    const Function *function = nullptr;
    Instance *caller = nullptr;
    std::unordered_map<std::string, Slot> slots;
    /// Where parameters and variables of the body are, in local memory.
    std::map<std::string, uint64_t> locals;
    std::map<std::string, uint64_t> shared;
    std::vector<uint32_t> placeOfStatement;
    struct Fixup {
      uint32_t instruction;
      int operand; ///< -1: `Instruction::extra`
      uint32_t statement;
    };
    std::vector<Fixup> fixups;
  };
  /// The suffixes of an access, taken apart.
  struct Access {
    Space space = Space::Generic;
    unsigned vector = 1;
    bool isStrong = false, isTransposed = false;
    std::string op, type;
    std::string key() const;
  };

  bool fail(const std::string &message);
  bool failOperands();
  bool unknown();

  bool expand(Instance &instance);
  bool placeDynamic();
  bool checkLimits();
  bool decodeStatement(Instance &instance);
  bool decodeTabled(Instance &instance);
  bool decodeMove(Instance &instance);
  bool decodeConversion(Instance &instance);

  // DecodeControl.cpp
  bool decodeControl(Instance &instance, bool &isKnown);
  bool decodeBranch(Instance &instance);
  bool decodeIndexedBranch(Instance &instance);
  bool decodeCall(Instance &instance);
  bool bindParameters(Instance &inner, const std::vector<Variable> &names,
                      const Operand &list);
  bool decodeBarrier(Instance &instance, const std::vector<std::string> &words);
  bool findLabel(const Instance &instance, const std::string &name,
                 uint32_t &statement);

  // DecodeMemory.cpp
  bool decodeMemory(Instance &instance, bool &isKnown);
  bool parseAccess(const std::vector<std::string> &words, size_t first,
                   Access &access);
  bool decodeAccess(Instance &instance, bool isLoad);
  bool decodeAtomic(Instance &instance, bool hasResult);
  bool decodeCopy(Instance &instance);
  bool decodeLoadMatrix(Instance &instance);
  bool addAddress(Instance &instance, const Operand &operand,
                  Instruction &instruction, bool isFirst);
  void setAccess(Instruction &instruction, const Access &access,
                 unsigned bytes);

  // DecodeProducts.cpp
  bool decodeProducts(Instance &instance, bool &isKnown);
  bool decodeProduct(Instance &instance, const std::vector<std::string> &words);

  // Operands.cpp
  bool addOperand(Instance &instance, const Operand &operand, char letter,
                  Slot &slot);
  bool findName(Instance &instance, const Operand &operand, unsigned bytes,
                Slot &slot);
  bool findSpecial(const std::string &name, Slot &slot);
  bool findAddress(Instance &instance, const std::string &name,
                   uint64_t &address);
  bool findShared(const std::string &name, uint64_t &address);
  std::optional<Slot> findRegister(Instance &instance, const std::string &name);
  Slot newSlot(unsigned bytes);
  Slot constant(unsigned bytes, uint64_t value);
  Slot addressConstant(unsigned bytes, uint64_t value);

  // Instructions.
  uint32_t emit(Instruction instruction, const std::vector<Slot> &operands);
  Instruction begin(Handler run, Flow flow = Flow::Plain);
  bool setGuard(Instance &instance);
  const HandlerEntry *entry(const std::string &key) const {
    return table.find(key);
  }

  const Module &module;
  const Symbols &symbols;
  const HandlerTable &table;
  unsigned architecture;
  Kernel *kernel = nullptr;
  const Statement *statement = nullptr;
  int32_t guard = -1;                              ///< of the statement
  std::vector<std::vector<uint32_t>> operandLists; ///< by instruction
  std::map<std::pair<unsigned, uint64_t>, Slot> constants;
  std::map<std::string, Slot> specials;
  std::map<std::string, uint64_t> sharedPlaces; ///< of variables of the module
  /// Whether the last address found is relative to the begin of dynamic shared
  /// memory, which is known at the end, and the constants that are.
  bool isDynamic = false;
  std::vector<size_t> dynamicConstants;
  std::unordered_map<std::string, uint32_t> nameIds;
  std::map<unsigned, Slot> scratch;
};

/// Splits at dots: `ld.global.v4.b32` gives four words.
std::vector<std::string> splitOpcode(const std::string &opcode);

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_DECODER_H
