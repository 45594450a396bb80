//===- ReportPage.cpp - A report as a page --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts in ReportPage/ around the JSON, which is all that they read.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/Report.h"

#include "ReportPage.inc"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;
namespace json = llvm::json;

/// JSON that may stand in a script of a page: with `<` only as an escape, which
/// occurs in strings alone.
static void printEmbedded(llvm::raw_ostream &os, const json::Value &report) {
  for (char c : llvm::to_string(report))
    if (c == '<')
      os << "\\u003c";
    else
      os << c;
}

void mlir::symshape::printReportPage(llvm::raw_ostream &os,
                                     const json::Value &report) {
  llvm::StringRef rest(kPage_html);
  while (!rest.empty()) {
    auto [before, after] = rest.split("{{");
    os << before;
    auto [part, behind] = after.split("}}");
    if (part == "report")
      printEmbedded(os, report);
    else
      os << llvm::StringSwitch<llvm::StringRef>(part)
                .Case("page.css", kPage_css)
                .Case("expressions.js", kExpressions_js)
                .Case("layout.js", kLayout_js)
                .Case("graph.js", kGraph_js)
                .Case("memory.js", kMemory_js)
                .Case("sections.js", kSections_js)
                .Case("verdict.js", kVerdict_js)
                .Case("profile.js", kProfile_js)
                .Case("page.js", kPage_js)
                .Default("");
    rest = behind;
  }
}
