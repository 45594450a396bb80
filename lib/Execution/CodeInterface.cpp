//===- CodeInterface.cpp - What callers of code need to know --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/CodeInterface.h"
#include "llvm/Support/Endian.h"

using namespace mlir::symshape;
using llvm::support::endian::read64le;

/// More than any tensor has.
static constexpr uint64_t maxCodeRank = 1024;

static void append(std::string &bytes, uint64_t number) {
  char digits[8];
  llvm::support::endian::write64le(digits, number);
  bytes.append(digits, sizeof(digits));
}

static void append(std::string &bytes, const std::vector<unsigned> &numbers) {
  append(bytes, uint64_t(numbers.size()));
  for (unsigned number : numbers)
    append(bytes, uint64_t(number));
}

static void append(std::string &bytes, const std::vector<std::string> &texts) {
  append(bytes, texts.size());
  for (const std::string &text : texts) {
    append(bytes, text.size());
    bytes += text;
  }
}

std::string CodeInterface::serialize() const {
  std::string lists;
  append(lists, preparedRanks);
  append(lists, arguments);
  append(lists, results);
  append(lists, versionNames);
  append(lists, functions);
  if (!onlyPrepared.empty())
    append(lists, onlyPrepared);
  std::string bytes;
  append(bytes, lists.size());
  return bytes + lists;
}

static std::optional<uint64_t> takeNumber(llvm::StringRef &bytes) {
  if (bytes.size() < 8)
    return std::nullopt;
  uint64_t number = read64le(bytes.data());
  bytes = bytes.drop_front(8);
  return number;
}

/// How many entries a list has, of at least 8 bytes each.
static std::optional<uint64_t> takeCount(llvm::StringRef &bytes) {
  std::optional<uint64_t> count = takeNumber(bytes);
  return count && *count <= bytes.size() / 8 ? count : std::nullopt;
}

/// Numbers of at most `most`.
static bool takeNumbers(llvm::StringRef &bytes, uint64_t most,
                        std::vector<unsigned> &numbers) {
  std::optional<uint64_t> count = takeCount(bytes);
  for (uint64_t i = 0; count && i < *count; ++i) {
    uint64_t number = *takeNumber(bytes);
    if (number > most)
      return false;
    numbers.push_back(number);
  }
  return count.has_value();
}

static bool takeTexts(llvm::StringRef &bytes, std::vector<std::string> &texts) {
  std::optional<uint64_t> count = takeCount(bytes);
  for (uint64_t i = 0; count && i < *count; ++i) {
    std::optional<uint64_t> size = takeNumber(bytes);
    if (!size || *size > bytes.size())
      return false;
    texts.push_back(bytes.take_front(*size).str());
    bytes = bytes.drop_front(*size);
  }
  return count.has_value();
}

std::optional<EntryFunctions> CodeInterface::getEntryFunctions() const {
  size_t withoutGuard = 1 + !preparedRanks.empty() + !versionNames.empty();
  bool hasGuard = functions.size() == withoutGuard + 1;
  if (functions.size() != withoutGuard + hasGuard)
    return std::nullopt;
  EntryFunctions known;
  auto next = functions.begin();
  known.entry = *next++;
  if (!preparedRanks.empty())
    known.prepare = *next++;
  if (hasGuard)
    known.guard = *next++;
  if (!versionNames.empty())
    known.version = *next;
  return known;
}

std::optional<CodeInterface> CodeInterface::parse(llvm::StringRef bytes) {
  std::optional<uint64_t> size = takeNumber(bytes);
  if (!size || *size > bytes.size())
    return std::nullopt;
  bytes = bytes.take_front(*size);
  CodeInterface interface;
  if (!takeNumbers(bytes, maxCodeRank, interface.preparedRanks) ||
      !takeTexts(bytes, interface.arguments) ||
      !takeTexts(bytes, interface.results) ||
      !takeTexts(bytes, interface.versionNames) ||
      !takeTexts(bytes, interface.functions))
    return std::nullopt;
  if (bytes.empty())
    return interface;
  if (interface.arguments.empty() ||
      !takeNumbers(bytes, interface.arguments.size() - 1,
                   interface.onlyPrepared) ||
      interface.onlyPrepared.empty() || !bytes.empty())
    return std::nullopt;
  return interface;
}
