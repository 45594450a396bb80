//===- Npy.cpp - Files of NumPy's .npy format -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: magic, version, length of the header, header (a Python dictionary
// in text), data. A header is untrusted: every length is checked before use.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Npy.h"
#include "symshape/Execution/Status.h"
#include "symshape/Process/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstring>

using namespace mlir::symshape;
using llvm::StringRef;
using Kind = ElementType::Kind;

static constexpr StringRef magic("\x93NUMPY", 6);
static constexpr size_t maxNpyRank = 64;

namespace {
/// What a header says.
struct Header {
  std::string descr;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t, 4> shape;
};

/// Reads the dictionary of a header: `{'descr': '<f4', 'fortran_order': False,
/// 'shape': (2, 3), }`, keys in any order.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  llvm::Expected<Header> parse();

private:
  llvm::Error parseEntry(Header &header);
  llvm::Error parseShape(Header &header);
  llvm::Expected<std::string> parseString();

  bool consume(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }
  llvm::Error malformed(const llvm::Twine &expected) {
    return makeInputError("malformed .npy header: expected " + expected +
                          ", but got '" + printable(text.take_front(16)) + "'");
  }
  static std::string printable(StringRef bytes) {
    std::string result;
    for (char c : bytes)
      result += llvm::isPrint(c) ? c : '?';
    return result;
  }

  StringRef text;
};
} // namespace

llvm::Expected<std::string> HeaderParser::parseString() {
  char quote = consume("'") ? '\'' : consume("\"") ? '"' : 0;
  size_t end = quote ? text.find(quote) : StringRef::npos;
  if (end == StringRef::npos)
    return malformed("a string");
  std::string result = printable(text.take_front(end));
  text = text.drop_front(end + 1);
  return result;
}

llvm::Error HeaderParser::parseShape(Header &header) {
  if (!consume("("))
    return malformed("a tuple of extents");
  while (!consume(")")) {
    int64_t extent;
    text = text.ltrim();
    if (text.consumeInteger(10, extent) || extent < 0)
      return malformed("an extent");
    consume("L");
    if (header.shape.size() == maxNpyRank)
      return malformed("at most 64 dimensions");
    header.shape.push_back(extent);
    if (!consume(",") && !text.ltrim().starts_with(")"))
      return malformed("',' or ')'");
  }
  header.hasShape = true;
  return llvm::Error::success();
}

llvm::Error HeaderParser::parseEntry(Header &header) {
  llvm::Expected<std::string> key = parseString();
  if (!key)
    return key.takeError();
  if (!consume(":"))
    return malformed("':'");
  if (*key == "shape")
    return parseShape(header);
  if (*key == "fortran_order") {
    header.fortranOrder = consume("True");
    header.hasOrder = true;
    return header.fortranOrder || consume("False") ? llvm::Error::success()
                                                   : malformed("True or False");
  }
  if (*key != "descr")
    return malformed("the keys descr, fortran_order and shape, but not '" +
                     *key + "'");
  if (text.ltrim().starts_with("["))
    return makeInputError(
        "expected an array of numbers, but got one of a structured type");
  llvm::Expected<std::string> descr = parseString();
  if (!descr)
    return descr.takeError();
  header.descr = *descr;
  header.hasDescr = true;
  return llvm::Error::success();
}

llvm::Expected<Header> HeaderParser::parse() {
  Header header;
  if (!consume("{"))
    return malformed("'{'");
  while (!consume("}")) {
    if (llvm::Error error = parseEntry(header))
      return std::move(error);
    if (!consume(",") && !text.ltrim().starts_with("}"))
      return malformed("',' or '}'");
  }
  if (!text.trim().empty())
    return malformed("the end of the header");
  if (!header.hasDescr || !header.hasOrder || !header.hasShape)
    return makeInputError("malformed .npy header: expected the keys descr, "
                          "fortran_order and shape");
  return header;
}

/// The element type of a descr such as `<f4`, and whether its bytes are swapped
/// with respect to this machine.
static llvm::Expected<ElementType> parseDescr(StringRef descr, bool &swapped) {
  auto unsupported = [&]() {
    return makeInputError("expected dtype bool, int, uint or float of 1 to 8 "
                          "bytes or bfloat16 (V2), but got '" +
                          descr + "'");
  };
  StringRef rest = descr;
  bool big = rest.consume_front(">");
  if (!big && !rest.consume_front("<") && !rest.consume_front("|"))
    rest.consume_front("=");
  if (rest.size() != 2)
    return unsupported();
  unsigned bytes = rest[1] - '0';
  bool isPower = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  swapped = big && bytes > 1 && llvm::sys::IsLittleEndianHost;
  if (rest == "b1")
    return ElementType{Kind::Bool, 1};
  if (rest[0] == 'i' && isPower)
    return ElementType{Kind::Signed, 8 * bytes};
  if (rest[0] == 'u' && isPower)
    return ElementType{Kind::Unsigned, 8 * bytes};
  if (rest[0] == 'f' && isPower && bytes > 1)
    return ElementType{Kind::Float, 8 * bytes};
  if (rest == "V2")
    return ElementType{Kind::BFloat, 16};
  return unsupported();
}

/// Copies elements in column-major order at `source` to row-major order. There
/// must be some: otherwise products of the other extents may overflow.
static void copyTransposed(const char *source, TensorBuffer &tensor) {
  llvm::ArrayRef<int64_t> shape = tensor.getShape();
  int64_t size = tensor.getElementType().getBytes();
  int64_t count = tensor.getNumElements();
  llvm::SmallVector<int64_t, 4> position(shape.size(), 0), strides;
  int64_t stride = size;
  for (int64_t extent : shape) {
    strides.push_back(stride);
    stride *= extent;
  }
  char *target = tensor.getData();
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i, target += size) {
    std::memcpy(target, source + offset, size);
    for (size_t dim = shape.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++position[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      position[dim] = 0;
    }
  }
}

/// The header's text and the data after it.
static llvm::Error splitFile(StringRef bytes, StringRef &header,
                             StringRef &data) {
  if (!bytes.starts_with(magic) || bytes.size() < 10)
    return makeInputError("expected a .npy file, but got something else");
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    return makeInputError("expected .npy version 1, 2 or 3, but got " +
                          llvm::Twine(version));
  size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin)
    return makeInputError("truncated .npy header");
  size_t length = version == 1
                      ? llvm::support::endian::read16le(bytes.data() + 8)
                      : llvm::support::endian::read32le(bytes.data() + 8);
  if (bytes.size() - begin < length)
    return makeInputError("truncated .npy header: expected " +
                          llvm::Twine(length) + " bytes, but got " +
                          llvm::Twine(bytes.size() - begin));
  header = bytes.substr(begin, length);
  data = bytes.drop_front(begin + length);
  return llvm::Error::success();
}

namespace {
/// A file with as much data as its header says.
struct Array {
  ElementType type;
  llvm::SmallVector<int64_t, 4> shape;
  bool isSwapped = false, isFortranOrder = false;
  StringRef data;
};
} // namespace

static llvm::Expected<Array> parseArray(StringRef bytes) {
  Array array;
  StringRef text;
  if (llvm::Error error = splitFile(bytes, text, array.data))
    return std::move(error);
  llvm::Expected<Header> header = HeaderParser(text).parse();
  if (!header)
    return header.takeError();
  llvm::Expected<ElementType> type = parseDescr(header->descr, array.isSwapped);
  if (!type)
    return type.takeError();
  array.type = *type;
  array.shape = std::move(header->shape);
  array.isFortranOrder = header->fortranOrder;
  std::optional<int64_t> size = checkedByteSize(array.type, array.shape);
  if (!size || static_cast<uint64_t>(*size) != array.data.size())
    return makeInputError(
        "expected data for " + tensorTypeToString(array.type, array.shape) +
        ", but got " + llvm::Twine(array.data.size()) + " bytes");
  return array;
}

llvm::Expected<TensorBuffer> mlir::symshape::parseNpy(StringRef bytes) {
  llvm::Expected<Array> array = parseArray(bytes);
  if (!array)
    return array.takeError();
  ElementType type = array->type;
  StringRef data = array->data;
  llvm::Expected<TensorBuffer> tensor =
      TensorBuffer::allocate(type, array->shape);
  if (!tensor)
    return tensor.takeError();
  if (array->isFortranOrder && array->shape.size() > 1 && !data.empty())
    copyTransposed(data.data(), *tensor);
  else if (!data.empty())
    std::memcpy(tensor->getData(), data.data(), data.size());
  char *out = tensor->getData();
  int64_t elementBytes = type.getBytes(), size = data.size();
  for (int64_t i = 0; array->isSwapped && i < size; i += elementBytes)
    std::reverse(out + i, out + i + elementBytes);
  for (int64_t i = 0; type.kind == Kind::Bool && i < size; ++i)
    out[i] = out[i] != 0;
  return tensor;
}

/// What `parse` makes of the bytes of a file.
static llvm::Expected<TensorBuffer>
readFile(StringRef path,
         llvm::function_ref<llvm::Expected<TensorBuffer>(StringRef)> parse) {
  auto file = readPlainFile(path);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + llvm::toString(file.takeError()));
  llvm::Expected<TensorBuffer> tensor = parse((*file)->getBuffer());
  if (!tensor)
    return makeInputError("'" + path +
                          "': " + llvm::toString(tensor.takeError()));
  return tensor;
}

llvm::Expected<TensorBuffer> mlir::symshape::readNpy(StringRef path) {
  return readFile(path, parseNpy);
}

llvm::Expected<TensorBuffer> mlir::symshape::readNpyType(StringRef path) {
  return readFile(path, [](StringRef bytes) -> llvm::Expected<TensorBuffer> {
    llvm::Expected<Array> array = parseArray(bytes);
    if (!array)
      return array.takeError();
    return TensorBuffer::view(array->type, array->shape, nullptr, nullptr);
  });
}

llvm::Error mlir::symshape::writeNpy(StringRef path,
                                     const TensorBuffer &tensor) {
  ElementType type = tensor.getElementType();
  char code = type.kind == Kind::Bool       ? 'b'
              : type.kind == Kind::BFloat   ? 'V'
              : type.kind == Kind::Unsigned ? 'u'
              : type.isFloat()              ? 'f'
                                            : 'i';
  std::string header = "{'descr': '";
  header += type.getBytes() == 1 ? '|' : '<';
  header += code + std::to_string(type.getBytes()) +
            "', 'fortran_order': False, 'shape': (";
  // As Python writes a tuple: (), (8,), (2, 3).
  llvm::ListSeparator separator(", ");
  for (int64_t extent : tensor.getShape())
    header += llvm::StringRef(separator).str() + std::to_string(extent);
  header += tensor.getShape().size() == 1 ? ",), }" : "), }";
  // Data begin at a multiple of 64 bytes; a newline ends the header.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  char length[2];
  llvm::support::endian::write16le(length, header.size());
  return toInputError(replaceFile(path, [&](llvm::raw_ostream &os) {
    os << magic << '\x01' << '\0' << StringRef(length, 2) << header
       << StringRef(tensor.getData(), tensor.getNumBytes());
  }));
}
