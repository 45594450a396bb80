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

static void append(std::string &bytes, const std::vector<std::string> &texts) {
  append(bytes, texts.size());
  for (const std::string &text : texts) {
    append(bytes, text.size());
    bytes += text;
  }
}

std::string CodeInterface::serialize() const {
  std::string lists;
  append(lists, preparedRanks.size());
  for (unsigned rank : preparedRanks)
    append(lists, rank);
  append(lists, arguments);
  append(lists, results);
  append(lists, versionNames);
  append(lists, functions);
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
  std::optional<uint64_t> numRanks = takeCount(bytes);
  for (uint64_t i = 0; numRanks && i < *numRanks; ++i) {
    uint64_t rank = *takeNumber(bytes);
    if (rank > maxCodeRank)
      return std::nullopt;
    interface.preparedRanks.push_back(rank);
  }
  if (!numRanks || !takeTexts(bytes, interface.arguments) ||
      !takeTexts(bytes, interface.results) ||
      !takeTexts(bytes, interface.versionNames) ||
      !takeTexts(bytes, interface.functions) || !bytes.empty())
    return std::nullopt;
  return interface;
}
