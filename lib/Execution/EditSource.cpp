//===- EditSource.cpp - Declarations changed in the text ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signature is read only as brackets, strings and comments; the edited text
// is parsed, and returned only if it gives the module.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/EditSource.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "symshape/Conversion/TMTensorOps.h"
#include "symshape/Execution/ArgumentNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Part of a text: offsets of its first character and past its last.
struct Span {
  size_t begin = 0, end = 0;
};

/// The text of one function, from its operation's name on.
class SignatureText {
public:
  /// Fails if there is none at `begin`.
  static std::optional<SignatureText> read(StringRef text, size_t begin);

  /// Gives `name` another value; null removes it. The dictionary may come or go
  /// with an attribute.
  void set(StringAttr name, Attribute value);
  /// The same for an argument such as `%x`. False if it is not there.
  bool setOfArgument(StringRef argument, StringAttr name, Attribute value);

  std::string text; ///< as it is by now

private:
  explicit SignatureText(StringRef text) : text(text.str()) {}
  bool parse();
  size_t skipToken(size_t at) const;
  size_t closeOf(size_t open) const;
  size_t find(StringRef word, Span within) const;
  std::optional<Span> findEntry(Span dictionary, StringRef name) const;
  void setIn(Span dictionary, StringAttr name, Attribute value);
  void eraseIfEmpty(Span dictionary);

  Span arguments;                 ///< without the parentheses
  size_t body = StringRef::npos;  ///< its brace
  std::optional<Span> attributes; ///< without the braces
};
} // namespace

static std::string entryOf(StringAttr name, Attribute value) {
  std::string entry;
  llvm::raw_string_ostream(entry) << name.getValue() << " = " << value;
  return entry;
}

/// The end of the token at `at`: a comment, a string, an arrow, a word or one
/// character.
size_t SignatureText::skipToken(size_t at) const {
  StringRef rest = StringRef(text).drop_front(at);
  if (rest.starts_with("//"))
    return at + std::min(rest.find('\n'), rest.size());
  if (rest.starts_with("->") || rest.starts_with(">="))
    return at + 2;
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%' || c == '$';
  };
  if (isWord(rest.front()))
    return at + rest.take_while(isWord).size();
  if (rest.front() != '"')
    return at + 1;
  size_t end = 1;
  while (end < rest.size() && rest[end] != '"')
    end += rest[end] == '\\' ? 2 : 1;
  return at + std::min(end + 1, rest.size());
}

/// Where the bracket that opens at `open` closes; the end if it does not.
size_t SignatureText::closeOf(size_t open) const {
  unsigned depth = 0;
  for (size_t at = open; at < text.size(); at = skipToken(at)) {
    StringRef token = StringRef(text).slice(at, skipToken(at));
    if (token.size() != 1)
      continue;
    if (StringRef("([{<").contains(token))
      ++depth;
    else if (StringRef(")]}>").contains(token) && --depth == 0)
      return at;
  }
  return text.size();
}

/// The first `word` outside any brackets, or npos.
size_t SignatureText::find(StringRef word, Span within) const {
  for (size_t at = within.begin; at < within.end;) {
    size_t next = skipToken(at);
    StringRef token = StringRef(text).slice(at, next);
    if (token == word)
      return at;
    bool opens = token.size() == 1 && StringRef("([{<").contains(token);
    at = opens ? closeOf(at) + 1 : next;
  }
  return StringRef::npos;
}

bool SignatureText::parse() {
  size_t open = find("(", {0, text.size()});
  if (open == StringRef::npos)
    return false;
  size_t close = closeOf(open);
  arguments = {open + 1, close};
  size_t word = find("attributes", {close, text.size()});
  body = find("{", {close, text.size()});
  attributes.reset();
  if (word != StringRef::npos && word < body && body != StringRef::npos) {
    attributes = {body + 1, closeOf(body)};
    body = find("{", {attributes->end + 1, text.size()});
  }
  return body != StringRef::npos;
}

std::optional<SignatureText> SignatureText::read(StringRef text, size_t begin) {
  SignatureText signature(text.drop_front(begin));
  if (signature.parse())
    return signature;
  return std::nullopt;
}

/// The entry of a dictionary, without the comma and blanks around it.
std::optional<Span> SignatureText::findEntry(Span dictionary,
                                             StringRef name) const {
  for (size_t begin = dictionary.begin; begin < dictionary.end;) {
    size_t comma = std::min(find(",", {begin, dictionary.end}), dictionary.end);
    size_t first = find(name, {begin, comma});
    if (first != StringRef::npos) {
      StringRef entry = StringRef(text).slice(first, comma).rtrim();
      return Span{first, first + entry.size()};
    }
    begin = comma + 1;
  }
  return std::nullopt;
}

/// Erases the braces of a dictionary without entries, and the word before.
void SignatureText::eraseIfEmpty(Span dictionary) {
  StringRef all = text;
  if (!all.slice(dictionary.begin, dictionary.end).trim().empty())
    return;
  StringRef before = all.take_front(dictionary.begin - 1).rtrim();
  if (before.consume_back("attributes"))
    before = before.rtrim();
  text.erase(before.size(), dictionary.end + 1 - before.size());
}

void SignatureText::setIn(Span dictionary, StringAttr name, Attribute value) {
  std::optional<Span> entry = findEntry(dictionary, name.getValue());
  if (entry && value) {
    text.replace(entry->begin, entry->end - entry->begin, entryOf(name, value));
  } else if (entry) {
    // With the comma after it, or else the one before.
    StringRef behind =
        StringRef(text).slice(entry->end, dictionary.end).ltrim();
    StringRef before =
        StringRef(text).slice(dictionary.begin, entry->begin).rtrim();
    if (behind.starts_with(","))
      entry->end = behind.drop_front().ltrim().begin() - text.data();
    else if (before.ends_with(","))
      entry->begin = dictionary.begin + before.size() - 1;
    text.erase(entry->begin, entry->end - entry->begin);
    dictionary.end -= entry->end - entry->begin;
    eraseIfEmpty(dictionary);
  } else if (value) {
    bool isEmpty =
        StringRef(text).slice(dictionary.begin, dictionary.end).trim().empty();
    text.insert(dictionary.begin, entryOf(name, value) + (isEmpty ? "" : ", "));
  }
  parse();
}

void SignatureText::set(StringAttr name, Attribute value) {
  if (attributes)
    return setIn(*attributes, name, value);
  text.insert(body, "attributes {" + entryOf(name, value) + "} ");
  parse();
}

bool SignatureText::setOfArgument(StringRef argument, StringAttr name,
                                  Attribute value) {
  size_t place = find(argument, arguments);
  if (place == StringRef::npos)
    return false;
  size_t end = std::min(find(",", {place, arguments.end}), arguments.end);
  size_t open = find("{", {place, end});
  if (open != StringRef::npos) {
    setIn({open + 1, closeOf(open)}, name, value);
  } else {
    text.insert(end, " {" + entryOf(name, value) + "}");
    parse();
  }
  return true;
}

/// Where the op of `function` begins in the text that it was parsed from.
static std::optional<size_t> findOffset(StringRef text, func::FuncOp function) {
  auto loc = dyn_cast<FileLineColLoc>(function.getLoc());
  if (!loc)
    return std::nullopt;
  size_t begin = 0;
  for (unsigned line = 1; line < loc.getLine(); ++line) {
    begin = text.find('\n', begin);
    if (begin == StringRef::npos)
      return std::nullopt;
    ++begin;
  }
  begin += loc.getColumn() - 1;
  if (!text.drop_front(begin).starts_with("func.func"))
    return std::nullopt;
  return begin;
}

/// Calls `visit` with each name whose value differs, and the value it has now.
static void
forEachChange(DictionaryAttr before, DictionaryAttr after,
              llvm::function_ref<void(StringAttr, Attribute)> visit) {
  for (NamedAttribute attribute : before)
    if (after.get(attribute.getName()) != attribute.getValue())
      visit(attribute.getName(), after.get(attribute.getName()));
  for (NamedAttribute attribute : after)
    if (!before.get(attribute.getName()))
      visit(attribute.getName(), attribute.getValue());
}

static DictionaryAttr attributesOf(func::FuncOp function, unsigned argument) {
  DictionaryAttr attributes = function.getArgAttrDict(argument);
  return attributes ? attributes : DictionaryAttr::get(function.getContext());
}

SourceEditor::SourceEditor(ModuleOp module, StringRef text)
    : module(module), text(text) {
  module.walk([&](func::FuncOp function) {
    Declared declared{function, function->getDiscardableAttrDictionary(), {}};
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      declared.ofArguments.push_back(attributesOf(function, i));
    before.push_back(std::move(declared));
  });
}

/// Whether `text` is a module like `module`, as tools read it.
static bool isTextOf(ModuleOp module, StringRef text) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), {});
  OwningOpRef<ModuleOp> parsed =
      parseWithArgumentNames(sources, module.getContext());
  return parsed && succeeded(lowerTMTensor(*parsed)) &&
         OperationEquivalence::isEquivalentTo(
                       parsed->getOperation(), module,
                       OperationEquivalence::IgnoreLocations);
}

std::optional<std::string> SourceEditor::edit() const {
  std::string edited = text.str();
  // From the last function on: what comes before stays where it is.
  for (Declared declared : llvm::reverse(before)) {
    func::FuncOp function = declared.function;
    std::optional<size_t> begin = findOffset(text, function);
    auto signature = begin ? SignatureText::read(edited, *begin)
                           : std::optional<SignatureText>();
    if (!signature)
      continue; // the comparison tells whether it matters
    forEachChange(
        declared.attributes, function->getDiscardableAttrDictionary(),
        [&](StringAttr name, Attribute value) { signature->set(name, value); });
    for (unsigned i = 0; i < declared.ofArguments.size(); ++i)
      forEachChange(declared.ofArguments[i], attributesOf(function, i),
                    [&](StringAttr name, Attribute value) {
                      signature->setOfArgument(getArgumentName(function, i),
                                               name, value);
                    });
    edited.replace(*begin, std::string::npos, signature->text);
  }
  if (!isTextOf(module, edited))
    return std::nullopt;
  return edited;
}
