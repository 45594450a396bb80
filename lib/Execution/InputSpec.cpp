//===- InputSpec.cpp - Inputs described in text ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing of --input, and the rules that fill a tensor.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/InputSpec.h"
#include "symshape/Execution/Npy.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::symshape;
using llvm::StringRef;
using Kind = ElementType::Kind;

/// The values of an integer type, as far as int64_t holds them.
static std::pair<int64_t, int64_t> integerRange(ElementType type) {
  if (type.kind == Kind::Bool)
    return {0, 1};
  if (type.kind == Kind::Unsigned)
    return {0, type.width == 64 ? std::numeric_limits<int64_t>::max()
                                : (int64_t(1) << type.width) - 1};
  int64_t max = static_cast<int64_t>(~uint64_t(0) >> (65 - type.width));
  return {-max - 1, max};
}

/// Next number of the SplitMix64 sequence (Steele, Lea and Flood, OOPSLA 2014).
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Reads a finite decimal number.
static bool parseDouble(StringRef text, double &value) {
  return !text.empty() && llvm::to_float(text, value);
}

llvm::Error InputSpec::parseRandom(StringRef text) {
  StringRef seedText, bounds;
  std::tie(seedText, bounds) = text.split(':');
  if (seedText.getAsInteger(10, seed))
    return makeInputError("expected a seed, a number from 0 to 2^64 - 1, but "
                          "got '" +
                          seedText + "'");
  low = -1, high = 1, lowInt = 0, highInt = 2;
  if (!text.contains(':'))
    return llvm::Error::success();
  auto [lowText, highText] = bounds.split(':');
  auto badBounds = [&](const llvm::Twine &expected) {
    return makeInputError("expected " + expected + ", but got '" + bounds +
                          "'");
  };
  if (type.isFloat()) {
    if (!parseDouble(lowText, low) || !parseDouble(highText, high) ||
        !std::isfinite(high - low) || !(low < high))
      return badBounds("numbers LOW:HIGH with LOW < HIGH");
    return llvm::Error::success();
  }
  auto [min, max] = integerRange(type);
  if (lowText.getAsInteger(10, lowInt) || highText.getAsInteger(10, highInt) ||
      lowInt >= highInt || lowInt < min || highInt - 1 > max)
    return badBounds("integers LOW:HIGH of type " + type.getName() +
                     " with LOW < HIGH");
  return llvm::Error::success();
}

/// Reads a number of a type that is no float, as far as int64_t holds it.
static bool parseInteger(ElementType type, StringRef text, int64_t &integer) {
  auto [min, max] = integerRange(type);
  if (type.kind == Kind::Bool && (text == "true" || text == "false")) {
    integer = text == "true";
    return true;
  }
  uint64_t wide;
  if (type.kind == Kind::Unsigned && type.width == 64 &&
      !text.getAsInteger(10, wide)) {
    integer = static_cast<int64_t>(wide);
    return true;
  }
  return !text.getAsInteger(10, integer) && integer >= min && integer <= max;
}

bool InputSpec::appendNumber(StringRef text) {
  double number;
  int64_t integer;
  if (type.isFloat() && (text == "inf" || text == "-inf" || text == "nan")) {
    number = text == "nan" ? std::numeric_limits<double>::quiet_NaN()
                           : std::numeric_limits<double>::infinity();
    number = text.starts_with("-") ? -number : number;
  } else if (type.isFloat() ? !parseDouble(text, number)
                            : !parseInteger(type, text, integer)) {
    return false;
  }
  size_t place = elements.size();
  elements.resize(place + type.getBytes());
  type.isFloat() ? writeFloat(type, number, elements.data() + place)
                 : writeInteger(type, integer, elements.data() + place);
  return true;
}

llvm::Error InputSpec::parseNumber(StringRef text) {
  if (!shape.empty())
    return makeInputError("expected random:SEED, zeros, iota or [VALUES] for a "
                          "tensor, but got '" +
                          text + "'");
  rule = Rule::Values;
  if (appendNumber(text))
    return llvm::Error::success();
  return makeInputError("expected a value of type " + type.getName() +
                        ", random:SEED, zeros or iota, but got '" + text + "'");
}

/// Goes over the text once, with the number of entries so far of each bracket
/// that is open.
llvm::Error InputSpec::parseValues(StringRef text) {
  rule = Rule::Values;
  llvm::SmallVector<int64_t> counts;
  StringRef rest = text;
  auto isClosed = [&] {
    rest = rest.ltrim();
    return rest.consume_front("]");
  };
  do {
    bool isEmpty = false;
    rest = rest.ltrim();
    while (rest.consume_front("[")) {
      counts.push_back(0);
      rest = rest.ltrim();
    }
    if (rest.starts_with("]") && counts.back() == 0 &&
        counts.size() <= shape.size())
      isEmpty = true;
    if (counts.size() > shape.size() ||
        (!isEmpty && counts.size() < shape.size()))
      return makeInputError("expected values in " + llvm::Twine(shape.size()) +
                            " brackets, one for each dimension, but got " +
                            llvm::Twine(counts.size()) + " in '" + text + "'");
    if (!isEmpty) {
      StringRef value = rest.take_until(
          [](char c) { return c == ',' || c == '[' || c == ']'; });
      rest = rest.drop_front(value.size());
      if (!appendNumber(value.trim()))
        return makeInputError("expected values of type " + type.getName() +
                              ", but got '" + value.trim() + "' in '" + text +
                              "'");
      ++counts.back();
    }
    while (!counts.empty() && isClosed()) {
      int64_t expected = shape[counts.size() - 1],
              count = counts.pop_back_val();
      if (count != expected)
        return makeInputError("expected " + llvm::Twine(expected) +
                              " entries along dimension " +
                              llvm::Twine(counts.size()) + ", but got " +
                              llvm::Twine(count) + " in '" + text + "'");
      if (!counts.empty())
        ++counts.back();
    }
  } while (!counts.empty() && rest.consume_front(","));
  if (counts.empty() && rest.trim().empty())
    return llvm::Error::success();
  return makeInputError(llvm::Twine("expected ") +
                        (counts.empty() ? "nothing after the last bracket"
                                        : "',' or ']' after a value") +
                        ", but got '" + rest + "' in '" + text + "'");
}

llvm::Error InputSpec::parseRule(StringRef text) {
  if (text == "zeros") {
    rule = Rule::Zeros;
    return llvm::Error::success();
  }
  if (text == "iota") {
    rule = Rule::Iota;
    return llvm::Error::success();
  }
  if (text.consume_front("random:")) {
    rule = Rule::Random;
    return parseRandom(text);
  }
  if (text.starts_with("[") && !shape.empty())
    return parseValues(text);
  return parseNumber(text);
}

llvm::Error InputSpec::parseStrides(StringRef &text) {
  size_t begin = text.find('[');
  if (begin == StringRef::npos)
    return llvm::Error::success();
  StringRef list = text.drop_front(begin + 1);
  text = text.take_front(begin);
  auto bad = [&] {
    return makeInputError("expected strides from 0 behind the element type, "
                          "one for each dimension, such as 2x3xf32[1,2], but "
                          "got '[" +
                          list + "'");
  };
  StringRef rest = list;
  do {
    int64_t stride;
    if (rest.consumeInteger(10, stride) || stride < 0)
      return bad();
    strides.push_back(stride);
  } while (rest.consume_front(","));
  return rest == "]" ? llvm::Error::success() : bad();
}

/// Takes the extents at the start of a type such as 2x3xf32.
static bool consumeShape(StringRef &text,
                         llvm::SmallVectorImpl<int64_t> &shape) {
  while (!text.empty() && llvm::isDigit(text.front())) {
    int64_t extent;
    if (text.consumeInteger(10, extent) || !text.consume_front("x"))
      return false;
    shape.push_back(extent);
  }
  return true;
}

bool InputSpec::isType(StringRef text) {
  llvm::SmallVector<int64_t> shape;
  return consumeShape(text, shape) && ElementType::parse(text);
}

llvm::Expected<InputSpec> InputSpec::parse(StringRef text) {
  InputSpec spec;
  auto fail = [&](llvm::Error error) {
    return makeInputError("input '" + text +
                          "': " + llvm::toString(std::move(error)));
  };
  if (text.starts_with("@")) {
    spec.rule = Rule::File;
    spec.path = text.drop_front().str();
    if (!StringRef(spec.path).ends_with(".npy"))
      return fail(makeInputError("expected the name of a .npy file"));
    return spec;
  }
  auto [typeText, ruleText] = text.split('=');
  if (!text.contains('='))
    return fail(makeInputError("expected @FILE.npy, or a type and what it "
                               "holds, such as 2x3xf32=iota"));
  if (llvm::Error error = spec.parseStrides(typeText))
    return fail(std::move(error));
  StringRef rest = typeText;
  if (!consumeShape(rest, spec.shape))
    return fail(makeInputError("expected a type such as 2x3xf32, but got '" +
                               typeText + "'"));
  std::optional<ElementType> type = ElementType::parse(rest);
  if (!type)
    return fail(makeInputError("expected an element type such as f32, i64, i1 "
                               "or index, but got '" +
                               rest + "'"));
  spec.type = *type;
  if (!spec.strides.empty() && spec.strides.size() != spec.shape.size())
    return fail(makeInputError("expected " + llvm::Twine(spec.shape.size()) +
                               " strides, but got " +
                               llvm::Twine(spec.strides.size())));
  if (!checkedByteSize(*type, spec.shape))
    return fail(makeInputError("expected a size of at most 2^47 bytes"));
  if (llvm::Error error = spec.parseRule(ruleText))
    return fail(std::move(error));
  return spec;
}

void InputSpec::fillRandom(TensorBuffer &tensor) const {
  uint64_t state = seed;
  char *data = tensor.getData();
  int64_t count = tensor.getNumElements();
  uint64_t span =
      static_cast<uint64_t>(highInt) - static_cast<uint64_t>(lowInt);
  for (int64_t i = 0; i < count; ++i, data += type.getBytes()) {
    uint64_t bits = nextRandom(state);
    if (!type.isFloat()) {
      writeInteger(
          type,
          static_cast<int64_t>(static_cast<uint64_t>(lowInt) + bits % span),
          data);
      continue;
    }
    double unit = static_cast<double>(bits >> 40) * 0x1p-24;
    writeFloat(type, low + (high - low) * unit, data);
    // Rounding to a narrow type may reach the upper bound, which is excluded.
    if (readAsDouble(type, data) >= high)
      writeFloat(type, low, data);
  }
}

llvm::Expected<TensorBuffer> InputSpec::loadType() const {
  if (rule == Rule::File)
    return readNpyType(path);
  return TensorBuffer::view(type, shape, nullptr, nullptr, strides);
}

llvm::Expected<TensorBuffer> InputSpec::load() const {
  if (rule == Rule::File)
    return readNpy(path);
  llvm::Expected<TensorBuffer> tensor = TensorBuffer::allocate(type, shape);
  if (!tensor)
    return tensor.takeError();
  char *data = tensor->getData();
  int64_t count = tensor->getNumElements();
  switch (rule) {
  case Rule::File:
    break;
  case Rule::Zeros:
    std::memset(data, 0, tensor->getNumBytes());
    break;
  case Rule::Random:
    fillRandom(*tensor);
    break;
  case Rule::Values:
    llvm::copy(elements, data);
    break;
  case Rule::Iota:
    for (int64_t i = 0; i < count; ++i, data += type.getBytes())
      type.isFloat() ? writeFloat(type, static_cast<double>(i), data)
                     : writeInteger(type, i, data);
    break;
  }
  return strides.empty() ? std::move(tensor) : tensor->withStrides(strides);
}
