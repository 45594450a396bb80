//===- Document.cpp - A text in an editor ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Document.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;
namespace lsp = llvm::lsp;
namespace json = llvm::json;

static SmallVector<StringRef> linesOf(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  return lines;
}

namespace {
/// What two texts have in common: lines at the begin, and lines at the end.
struct CommonLines {
  CommonLines(StringRef before, StringRef after)
      : before(linesOf(before)), after(linesOf(after)) {
    size_t most = std::min(this->before.size(), this->after.size());
    while (first < most && this->before[first] == this->after[first])
      ++first;
    while (last < most - first &&
           this->before[this->before.size() - last - 1] ==
               this->after[this->after.size() - last - 1])
      ++last;
  }

  /// Where a line of the text before is now.
  std::optional<int> find(int line) const {
    if (line < static_cast<int>(first))
      return line;
    int fromEnd = static_cast<int>(before.size()) - line;
    if (fromEnd > static_cast<int>(last))
      return std::nullopt;
    return static_cast<int>(after.size()) - fromEnd;
  }

  SmallVector<StringRef> before, after;
  size_t first = 0, last = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

std::vector<Document::Part> Document::split() const {
  std::vector<Part> result;
  SmallVector<StringRef> lines = linesOf(text);
  int count = static_cast<int>(lines.size());
  for (int begin = 0; begin < count;) {
    int end = begin + 1;
    while (end < count && !lines[end].starts_with("// -----"))
      ++end;
    ArrayRef<StringRef> inPart(lines);
    result.push_back({begin,
                      end,
                      std::string(begin, '\n') +
                          llvm::join(inPart.slice(begin, end - begin), "\n") +
                          (end < count ? "\n" : ""),
                      {}});
    begin = end;
  }
  return result;
}

/// Adds to what is shown the notes that a program had before.
void Document::keepNotes(const Part &part) {
  for (const lsp::InlayHint &hint : kept.hints)
    if (part.firstLine <= hint.position.line &&
        hint.position.line < part.endLine)
      shown.hints.push_back(hint);
  for (const HoverNote &hover : kept.hovers)
    if (part.firstLine <= hover.range.start.line &&
        hover.range.end.line < part.endLine)
      shown.hovers.push_back(hover);
}

void Document::annotate() {
  isStale = false;
  llvm::StringMap<Part *> known;
  for (Part &part : parts)
    known[part.text] = &part;
  CommonLines common(shownText, text);
  kept = {};
  for (lsp::InlayHint &hint : shown.hints)
    if (auto line = common.find(hint.position.line)) {
      hint.position.line = *line;
      kept.hints.push_back(std::move(hint));
    }
  for (HoverNote &hover : shown.hovers) {
    auto start = common.find(hover.range.start.line);
    auto end = common.find(hover.range.end.line);
    if (!start || !end)
      continue;
    hover.range.start.line = *start;
    hover.range.end.line = *end;
    kept.hovers.push_back(std::move(hover));
  }
  shown = {};
  std::vector<Part> now = split();
  std::string name = llvm::sys::path::filename(uri).str();
  for (Part &part : now) {
    auto before = known.find(part.text);
    if (before != known.end())
      part.notes = before->second->notes;
    else
      part.notes = analyst.makeNotes(uri, part.text, name);
    if (!part.notes.parses) {
      keepNotes(part);
      continue;
    }
    llvm::append_range(shown.hints, part.notes.hints);
    llvm::append_range(shown.hovers, part.notes.hovers);
    llvm::append_range(shown.problems, part.notes.problems);
  }
  parts = std::move(now);
  shownText = text;
}

json::Array Document::hintsIn(const lsp::Range &range) const {
  json::Array result;
  for (const lsp::InlayHint &hint : shown.hints)
    if (range.start <= hint.position && hint.position <= range.end)
      result.push_back(hint);
  return result;
}

json::Value Document::hoverAt(const lsp::Position &position) const {
  for (const HoverNote &note : shown.hovers) {
    if (!(note.range.start <= position && position <= note.range.end))
      continue;
    lsp::Hover hover(note.range);
    hover.contents.value = json::fixUTF8(*note.markdown);
    return toJSON(hover);
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Problems and corrections
//===----------------------------------------------------------------------===//

json::Object Document::describe(const Problem &problem) const {
  json::Array related;
  for (const auto &[range, message] : problem.related)
    related.push_back(
        json::Object{{"location", json::Object{{"uri", uri}, {"range", range}}},
                     {"message", json::fixUTF8(message)}});
  return json::Object{{"range", problem.range},
                      {"severity", problem.isWarning ? 2 : 1},
                      {"source", "symshape"},
                      {"code", problem.kind},
                      {"message", json::fixUTF8(problem.message)},
                      {"relatedInformation", std::move(related)}};
}

json::Array Document::diagnostics() const {
  json::Array result;
  for (const Problem &problem : shown.problems)
    result.push_back(describe(problem));
  return result;
}

/// The edit that makes `after` of `before`: whole lines.
static json::Object editBetween(StringRef before, StringRef after) {
  CommonLines common(before, after);
  size_t oldEnd = common.before.size() - common.last;
  size_t newEnd = common.after.size() - common.last;
  size_t first = common.first;
  if (common.last == 0) // then the last line, which does not end, is replaced
    first = std::min({first, oldEnd - 1, newEnd - 1});
  std::string text =
      llvm::join(ArrayRef(common.after).slice(first, newEnd - first), "\n");
  lsp::Position end(static_cast<int>(oldEnd), 0);
  if (common.last == 0)
    end = lsp::Position(static_cast<int>(oldEnd) - 1,
                        common.before[oldEnd - 1].size());
  else if (newEnd != first)
    text += "\n";
  return json::Object{
      {"range", lsp::Range(lsp::Position(static_cast<int>(first), 0), end)},
      {"newText", json::fixUTF8(text)}};
}

std::optional<json::Object>
Document::makeAction(const Part &part, std::optional<size_t> index) const {
  std::optional<std::string> corrected = analyst.correct(uri, part.text, index);
  if (!corrected)
    return std::nullopt;
  // The printer leaves out the empty lines that stand for those before.
  std::string padding(part.firstLine, '\n');
  if (!StringRef(*corrected).starts_with(padding))
    *corrected = padding + *corrected;
  json::Object changes{{uri, json::Array{editBetween(part.text, *corrected)}}};
  return json::Object{{"kind", "quickfix"},
                      {"edit", json::Object{{"changes", std::move(changes)}}}};
}

/// Whether a line of `asked` is one of `problem`. What ends where a line begins
/// is not on it.
static bool areOnOneLine(const lsp::Range &problem, const lsp::Range &asked) {
  int last = asked.end.line;
  if (last > asked.start.line && asked.end.character == 0)
    --last;
  return problem.start.line <= last && asked.start.line <= problem.end.line;
}

json::Array Document::actionsIn(const lsp::Range &range) const {
  json::Array actions;
  for (const Part &part : parts) {
    json::Array all;
    bool isAsked = false;
    for (auto [i, problem] : llvm::enumerate(part.notes.problems)) {
      if (problem.correction.empty())
        continue;
      all.push_back(describe(problem));
      if (!areOnOneLine(problem.range, range))
        continue;
      isAsked = true;
      std::optional<json::Object> action = makeAction(part, i);
      if (!action)
        continue;
      (*action)["title"] = json::fixUTF8("accept it: " + problem.correction);
      (*action)["diagnostics"] = json::Array{describe(problem)};
      actions.push_back(std::move(*action));
    }
    if (!isAsked || all.size() < 2)
      continue;
    std::optional<json::Object> action = makeAction(part, std::nullopt);
    if (!action)
      continue;
    (*action)["title"] = "accept all that symshape-report --fix corrects";
    (*action)["diagnostics"] = std::move(all);
    actions.push_back(std::move(*action));
  }
  return actions;
}
