//===- ExternalData.cpp - Tensors in files beside a model -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A path is checked twice: as text, and as the system resolves it, which sees
// through symbolic links.
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"

#include "symshape/Process/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir::symshape::onnx;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path_ = llvm::sys::path;

bool ExternalPlace::readEntry(WireReader reader) {
  StringRef key, value;
  while (reader.next()) {
    if (reader.field() == 1)
      key = reader.text();
    else if (reader.field() == 2)
      value = reader.text();
  }
  uint64_t number = 0;
  if (key == "location")
    location = value.str();
  else if (key == "offset")
    return !value.getAsInteger(10, offset);
  else if (key == "length") {
    if (value.getAsInteger(10, number))
      return false;
    length = number;
  }
  return true;
}

llvm::Expected<ExternalFolder::Data>
ExternalFolder::find(const ExternalPlace &place, uint64_t size) {
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::createStringError("external data in '" + place.location +
                                   "': " + why);
  };
  bool leaves = llvm::any_of(llvm::make_range(path_::begin(place.location),
                                              path_::end(place.location)),
                             [](StringRef part) { return part == ".."; });
  if (place.location.empty() || path_::is_absolute(place.location) || leaves ||
      StringRef(place.location).contains('\0'))
    return refuse("expected a file in the folder of the model");
  std::shared_ptr<llvm::MemoryBuffer> &file = files[place.location];
  if (!file) {
    llvm::SmallString<128> folder, real, full(path.empty() ? "." : path);
    if (std::error_code error = fs::real_path(full, folder))
      return refuse(error.message());
    path_::append(full, place.location);
    if (std::error_code error = fs::real_path(full, real))
      return refuse(error.message());
    if (!folder.ends_with("/"))
      folder += "/";
    if (!real.starts_with(folder))
      return refuse("expected a file in the folder of the model");
    auto opened = readPlainFile(real);
    if (!opened)
      return refuse(llvm::toString(opened.takeError()));
    file = std::move(*opened);
  }
  StringRef bytes = file->getBuffer();
  if (place.length && *place.length != size)
    return refuse("expected " + llvm::Twine(size) + " bytes, but got " +
                  llvm::Twine(*place.length));
  if (place.offset > bytes.size() || size > bytes.size() - place.offset)
    return refuse("expected " + llvm::Twine(size) + " bytes from byte " +
                  llvm::Twine(place.offset) + ", but the file has " +
                  llvm::Twine(bytes.size()));
  return Data{bytes.substr(place.offset, size), file};
}
