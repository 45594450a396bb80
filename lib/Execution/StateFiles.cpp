//===- StateFiles.cpp - The files of a state folder -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateFiles.h"
#include "ParseJSON.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir::symshape;

/// Increased when the contents of files change: old files are then foreign.
static constexpr int64_t profileFormat = 1, codeFormat = 3;

static constexpr size_t hashDigits = 32;
static constexpr llvm::StringLiteral profileSuffix = ".profile.json";
static constexpr llvm::StringLiteral codeSuffix = ".code";
static constexpr llvm::StringLiteral partSuffix = ".part";

static llvm::Error unusableFile(const llvm::Twine &why,
                                std::errc code = std::errc::invalid_argument) {
  return llvm::createStringError(std::make_error_code(code), why);
}

std::string mlir::symshape::hashTexts(llvm::ArrayRef<llvm::StringRef> parts) {
  llvm::BLAKE3 hasher;
  for (llvm::StringRef part : parts) {
    uint64_t size = part.size();
    hasher.update({reinterpret_cast<const uint8_t *>(&size), sizeof(size)});
    hasher.update(part);
  }
  return llvm::toHex(hasher.final<hashDigits / 2>(), /*LowerCase=*/true);
}

static bool isStateFileName(llvm::StringRef name, llvm::StringRef suffix) {
  auto isDigit = [](char c) {
    return llvm::isHexDigit(c) && !llvm::isUpper(c);
  };
  return name.consume_back(suffix) && name.size() == hashDigits &&
         llvm::all_of(name, isDigit);
}

bool mlir::symshape::isProfileName(llvm::StringRef name) {
  return isStateFileName(name, profileSuffix);
}

bool mlir::symshape::isCodeName(llvm::StringRef name) {
  return isStateFileName(name, codeSuffix) || isStateFileName(name, partSuffix);
}

std::string mlir::symshape::makeProfileName(llvm::StringRef subject) {
  return (subject + profileSuffix).str();
}

std::string mlir::symshape::makeCodeName(llvm::StringRef subject) {
  return (subject + codeSuffix).str();
}

std::string mlir::symshape::makePartName(llvm::StringRef subject) {
  return (subject + partSuffix).str();
}

/// The object in `text`, of this format and about `subject`.
static llvm::Expected<llvm::json::Object>
parseHeader(llvm::StringRef text, int64_t format, llvm::StringRef subject) {
  auto value = parseJSON(text);
  if (!value)
    return unusableFile(llvm::toString(value.takeError()));
  llvm::json::Object *object = value->getAsObject();
  std::optional<int64_t> found =
      object ? object->getInteger("format") : std::nullopt;
  if (!found)
    return unusableFile("it is not of this tool");
  if (*found != format)
    return unusableFile("it has format " + llvm::Twine(*found) +
                            ", but this tool reads " + llvm::Twine(format),
                        std::errc::not_supported);
  if (object->getString("subject") != subject)
    return unusableFile("it is about something else");
  return std::move(*object);
}

void mlir::symshape::writeProfile(llvm::raw_ostream &os,
                                  llvm::StringRef subject,
                                  const ShapeProfile &profile) {
  os << llvm::json::Value(llvm::json::Object{{"format", profileFormat},
                                             {"subject", subject},
                                             {"dims", profile.toJSON()}})
     << '\n';
}

llvm::Expected<ShapeProfile>
mlir::symshape::parseProfile(llvm::StringRef bytes, llvm::StringRef subject,
                             size_t numDims) {
  auto object = parseHeader(bytes, profileFormat, subject);
  if (!object)
    return object.takeError();
  const llvm::json::Value *dims = object->get("dims");
  std::optional<ShapeProfile> profile =
      dims ? ShapeProfile::fromJSON(*dims, numDims) : std::nullopt;
  if (!profile)
    return unusableFile("expected a range for each of " + llvm::Twine(numDims) +
                        " dims");
  return std::move(*profile);
}

void mlir::symshape::writeCode(llvm::raw_ostream &os, llvm::StringRef subject,
                               llvm::StringRef code) {
  os << llvm::json::Value(
            llvm::json::Object{{"format", codeFormat},
                               {"subject", subject},
                               {"hash", hashTexts({subject, code})}})
     << '\n'
     << code;
}

llvm::Expected<llvm::StringRef>
mlir::symshape::parseCode(llvm::StringRef bytes, llvm::StringRef subject) {
  auto [line, code] = bytes.split('\n');
  auto header = parseHeader(line, codeFormat, subject);
  if (!header)
    return header.takeError();
  if (header->getString("hash") != hashTexts({subject, code}))
    return unusableFile("it is damaged");
  return code;
}
