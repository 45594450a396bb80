//===- Guards.cpp - Guards of an exported program -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the exporter decided a branch by the example, it writes what calls must
// meet in Python: `L['x'].size()[0] % 2 == 0`.
//
//===----------------------------------------------------------------------===//

#include "Translator.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using llvm::Twine;
using onnx::DataType;
namespace json = llvm::json;

namespace {
/// The texts of guards, whose places in inputs become symbols.
class GuardReader {
public:
  GuardReader(Translator &translator, GraphWriter &w, StringRef code)
      : translator(translator), w(w), code(code) {}

  /// Requires it; false if it is of a form that is not known.
  bool read();

private:
  bool readPlace(StringRef &rest);
  bool readTruncated(StringRef &rest);
  bool require(StringRef text);
  GraphValue evaluate(StringRef text);

  Translator &translator;
  GraphWriter &w;
  StringRef code;
  std::string text; ///< with symbols for places
  std::vector<GraphValue> values;
};
} // namespace

/// Without parentheses around all of it.
static StringRef strip(StringRef text) {
  for (text = text.trim(); text.starts_with("(") && text.ends_with(")");
       text = text.drop_front().drop_back().trim()) {
    int depth = 0;
    for (char c : text.drop_back()) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0)
        return text;
    }
  }
  return text;
}

/// The first of `words` outside of parentheses, and where it is.
static std::pair<size_t, StringRef>
findOutside(StringRef text, llvm::ArrayRef<StringRef> words) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0)
      for (StringRef word : words)
        if (text.substr(i).starts_with(word))
          return {i, word};
  }
  return {StringRef::npos, ""};
}

/// After `L`: `['x'][0].size()[1]`, or an integer.
bool GuardReader::readPlace(StringRef &rest) {
  std::string name;
  while (rest.consume_front("[")) {
    size_t end = rest.find(']');
    if (end == StringRef::npos)
      return false;
    StringRef key = rest.take_front(end).trim("'\"");
    name += (name.empty() ? "" : "_") + key.str();
    rest = rest.drop_front(end + 1);
  }
  GraphValue input = translator.findInput(name);
  if (!input)
    return false;
  bool isSize = rest.consume_front(".size()[") || rest.consume_front(".shape[");
  if (isSize) {
    int64_t axis;
    if (rest.consumeInteger(10, axis) || !rest.consume_front("]") || axis < 0 ||
        axis >= input.rank)
      return false;
    values.push_back(w.sizeOf(input, axis));
  } else {
    if (rest.starts_with(".") || input.rank != 0 ||
        input.type != DataType::Int64)
      return false;
    values.push_back(input);
  }
  text += "g" + std::to_string(values.size() - 1);
  return true;
}

/// After `math.trunc`: `(0.6*torch.sym_float(L['x'].size()[2]))`.
bool GuardReader::readTruncated(StringRef &rest) {
  StringRef digits =
      rest.drop_front().take_until([](char c) { return c == '*'; });
  double factor;
  if (!rest.consume_front("(") || digits.getAsDouble(factor) ||
      !rest.consume_front(digits) ||
      !rest.consume_front("*torch.sym_float(L") || !readPlace(rest) ||
      !rest.consume_front("))"))
    return false;
  GraphValue size = w.cast(values.back(), DataType::Double);
  values.back() =
      w.cast(w.binary("Mul", size, w.number(factor, DataType::Double)),
             DataType::Int64);
  return true;
}

GraphValue GuardReader::evaluate(StringRef side) {
  std::vector<std::string> names;
  for (size_t i = 0; i < values.size(); ++i)
    names.push_back("g" + std::to_string(i));
  return w.own("Evaluate", values, DataType::Int64, 0,
               {w.attr("symbols", StringRef(llvm::join(names, ","))),
                w.attr("text", side)});
}

namespace {
struct Comparison {
  StringRef left, relation, right;
};
} // namespace

/// One relation of two sides.
static std::optional<Comparison> readComparison(StringRef condition) {
  auto [at, relation] =
      findOutside(condition, {"<=", ">=", "==", "!=", "<", ">"});
  if (relation.empty())
    return std::nullopt;
  Comparison read{condition.take_front(at), relation,
                  condition.drop_front(at + relation.size())};
  bool isOne = findOutside(read.right, {"<", ">", "==", "!="}).second.empty();
  return isOne ? std::optional(read) : std::nullopt;
}

/// An integer that is at most 0 where the condition holds, and above where not.
static std::optional<std::string> measure(StringRef condition) {
  condition = strip(condition);
  for (auto [word, kind] : {std::pair<StringRef, StringRef>{" or ", "or"},
                            std::pair<StringRef, StringRef>{" and ", "and"}})
    if (auto [at, found] = findOutside(condition, {word}); !found.empty()) {
      auto one = measure(condition.take_front(at)),
           two = measure(condition.drop_front(at + word.size()));
      if (!one || !two)
        return std::nullopt;
      return (kind == "or" ? "min(" : "max(") + *one + ", " + *two + ")";
    }
  if (condition.consume_front("not ")) {
    auto one = measure(condition);
    return one ? std::optional("1 - (" + *one + ")") : std::nullopt;
  }
  auto comparison = readComparison(condition);
  if (!comparison)
    return std::nullopt;
  std::string made;
  StringRef rest = measureText(comparison->relation);
  while (!rest.empty()) {
    bool isLeft = rest.starts_with("(a)");
    if (isLeft || rest.starts_with("(b)")) {
      made += "(" + strip(isLeft ? comparison->left : comparison->right).str();
      rest = rest.drop_front(2);
    }
    made += rest.front();
    rest = rest.drop_front();
  }
  return made;
}

bool GuardReader::require(StringRef condition) {
  condition = strip(condition);
  if (auto [at, word] = findOutside(condition, {" and "}); !word.empty())
    return require(condition.take_front(at)) &&
           require(condition.drop_front(at + word.size()));
  std::string message = ("guard of the export: " + code).str();
  if (!findOutside(condition, {" or ", "not "}).second.empty()) {
    auto measured = measure(condition);
    if (measured)
      w.require(evaluate(*measured), "<=", w.integer(0), message);
    return measured.has_value();
  }
  auto comparison = readComparison(condition);
  if (!comparison)
    return false;
  auto [left, relation, right] = *comparison;
  w.require(evaluate(strip(left)), relation, evaluate(strip(right)), message);
  return true;
}

bool GuardReader::read() {
  constexpr size_t longest = 1 << 14; // what is read recurses
  if (code.size() > longest)
    return false;
  StringRef rest = code;
  while (!rest.empty()) {
    bool isStart = text.empty() || !(llvm::isAlnum(text.back()) ||
                                     text.back() == '_' || text.back() == '.');
    // `torch.sym_max` is `max`.
    if (isStart && rest.consume_front("torch.sym_"))
      continue;
    if (isStart && rest.consume_front("math.trunc")) {
      if (!readTruncated(rest))
        return false;
      continue;
    }
    // No size comes near 2^63: the greatest number stands for those above.
    if (isStart && llvm::isDigit(rest.front())) {
      StringRef digits = rest.take_while(llvm::isDigit);
      int64_t number = 0;
      text += digits.getAsInteger(10, number)
                  ? std::to_string(std::numeric_limits<int64_t>::max())
                  : digits.str();
      rest = rest.drop_front(digits.size());
      continue;
    }
    if (!isStart || !rest.starts_with("L[")) {
      text += rest.front();
      rest = rest.drop_front();
      continue;
    }
    rest = rest.drop_front();
    if (!readPlace(rest))
      return false;
  }
  return !values.empty() && require(text);
}

llvm::Error Translator::addGuards() {
  const json::Array *guards = program->getRoot().getArray("guards_code");
  if (!guards)
    return llvm::Error::success();
  w.setPlace("guards of the export");
  for (const json::Value &guard : *guards) {
    StringRef code = guard.getAsString().value_or("");
    if (!GuardReader(*this, w, code).read())
      return llvm::createStringError(
          "expected guards that compare sizes of inputs, but got '" +
          onnx::escaped(code) +
          "': export with prefer_deferred_runtime_asserts_over_guards=True");
  }
  return llvm::Error::success();
}
