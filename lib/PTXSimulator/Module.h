//===- Module.h - A PTX module as it is written -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of the text: functions, variables, statements. Not for
// running; the decoder makes a `Kernel` of an entry.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_MODULE_H
#define SYMSHAPE_PTXSIMULATOR_MODULE_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace mlir::symshape::ptx {

/// An operand as written.
///
///   Name     %r1, _, symbol, symbol+4 (value is the 4)
///   Integer, Single, Double           value holds the bits
///   Address  [name+value]; the name is empty for an absolute address
///   Group    {a, b}, (a, b) or a|b, in `parts`
struct Operand {
  enum Kind { Name, Integer, Single, Double, Address, Group };
  Kind kind = Name;
  std::string text;
  uint64_t value = 0;
  bool negated = false; ///< !%p1
  std::vector<Operand> parts;
};

/// One instruction as written. Names of inner scopes are already unique;
/// `scope` is where its label is looked up.
struct Statement {
  uint32_t line = 0;
  uint32_t scope = 0;
  std::string guard; ///< of `@%p1`; empty if there is none
  bool guardNegated = false;
  std::string opcode; ///< with all suffixes
  std::vector<Operand> operands;
};

/// State spaces. `Const` is a part of global memory that is not written.
enum class Space : uint8_t { Generic, Global, Const, Shared, Local, Param };

/// A variable, or a parameter. `count` is 0 for `extern ... name[]`, else the
/// number of elements. Bytes that `init` does not give are 0.
struct Variable {
  /// Bytes [place, place + bytes) hold the address of a symbol plus `addend`.
  struct Relocation {
    uint64_t place, bytes;
    std::string symbol;
    uint64_t addend;
    bool generic;
  };
  std::string name;
  Space space = Space::Global;
  uint64_t alignment = 1, elementBytes = 1, count = 1;
  std::vector<uint8_t> init;
  std::vector<Relocation> relocations;
  bool isExtern = false;
  uint32_t line = 0;

  uint64_t bytes() const { return elementBytes * count; }
};

/// A kernel (`isEntry`) or a function that kernels call.
struct Function {
  std::string name;
  bool isEntry = false, hasBody = false;
  uint32_t line = 0;
  std::vector<Variable> parameters, results;
  std::vector<Variable>
      variables; ///< declared in the body: local, shared, param
  std::unordered_map<std::string, unsigned>
      registers; ///< bits; 1 for predicates
  std::vector<Statement> body;
  std::vector<uint32_t> parentScopes; ///< by scope; scope 0 is its own parent
  std::map<std::pair<uint32_t, std::string>, uint32_t> labels; ///< -> statement
  std::map<std::pair<uint32_t, std::string>, std::vector<std::string>>
      branchTargets;
  uint32_t maxThreads[3] = {0, 0, 0};      ///< .maxntid; 0 if there is none
  uint32_t requiredThreads[3] = {0, 0, 0}; ///< .reqntid
};

/// A module. Owner: whoever loads it; kernels refer to it while they are made.
struct Module {
  std::vector<Variable> variables;
  std::map<std::string, Function> functions;
  std::string target; ///< sm_80
};

/// A complaint about the text, with its line.
struct Complaint {
  uint32_t line = 0;
  std::string message; ///< empty: all is well
};

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_MODULE_H
