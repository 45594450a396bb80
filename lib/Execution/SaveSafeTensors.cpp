//===- SaveSafeTensors.cpp - Write weight files ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header. The format has no gaps between tensors: those of the widest
// elements come first.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/SaveSafeTensors.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;

/// What the format calls an element type.
static std::string getDtype(ElementType type) {
  using Kind = ElementType::Kind;
  if (type.kind == Kind::Bool)
    return "BOOL";
  if (type.kind == Kind::Index)
    return "I64";
  llvm::StringRef name = type.kind == Kind::Unsigned ? "U"
                         : type.kind == Kind::Signed ? "I"
                         : type.kind == Kind::BFloat ? "BF"
                                                     : "F";
  return (name + llvm::Twine(type.width)).str();
}

/// The header, with blanks at its end.
static std::string makeHeader(llvm::ArrayRef<NamedTensor> tensors) {
  llvm::json::Object header;
  int64_t offset = 0;
  for (const NamedTensor &named : tensors) {
    int64_t end = offset + named.tensor.getNumBytes();
    header[named.name] = llvm::json::Object{
        {"dtype", getDtype(named.tensor.getElementType())},
        {"shape", llvm::json::Array(named.tensor.getShape())},
        {"data_offsets", llvm::json::Array{offset, end}}};
    offset = end;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(header));
  text.append(llvm::alignTo(text.size() + 8, 64) - 8 - text.size(), ' ');
  return text;
}

void mlir::symshape::printSafeTensors(
    llvm::raw_ostream &os, const std::vector<NamedTensor> &unsorted) {
  std::vector<NamedTensor> tensors;
  for (int64_t bytes : {8, 4, 2, 1})
    for (const NamedTensor &named : unsorted)
      if (named.tensor.getElementType().getBytes() == bytes)
        tensors.push_back(named);
  std::string header = makeHeader(tensors);
  char length[8];
  llvm::support::endian::write64le(length, header.size());
  os << llvm::StringRef(length, sizeof(length)) << header;
  for (const NamedTensor &named : tensors)
    os << llvm::StringRef(named.tensor.getData(), named.tensor.getNumBytes());
}
