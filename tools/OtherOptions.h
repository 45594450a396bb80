//===- OtherOptions.h - Options that are not a tool's own -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TOOLS_OTHEROPTIONS_H
#define SYMSHAPE_TOOLS_OTHEROPTIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

namespace mlir::symshape {

/// Leaves in `--help` the options of `category`, and `--help` and `--version`
/// themselves. LLVM, which is linked whole, registers hundreds of others: they
/// stay in `--help-hidden`, where `cl::HideUnrelatedOptions` would drop them.
inline void hideOtherOptions(
    llvm::cl::OptionCategory &category,
    llvm::cl::SubCommand &verb = llvm::cl::SubCommand::getTopLevel()) {
  for (auto &entry : llvm::cl::getRegisteredOptions(verb)) {
    llvm::cl::Option *option = entry.second;
    bool isOwn = llvm::any_of(
        option->Categories, [&](const llvm::cl::OptionCategory *each) {
          return each == &category || each->getName() == "Generic Options";
        });
    if (!isOwn && option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
  }
}

/// The same for a tool of MLIR, whose options have no category: hides all that
/// are registered now, before its own are.
inline void hideRegisteredOptions() {
  static llvm::cl::OptionCategory none("None");
  hideOtherOptions(none);
}

/// Whether the command line is `--help` alone, for which passes of MLIR need
/// not be registered: hundreds, which `--help-hidden` lists.
inline bool asksForHelp(int argc, char **argv) {
  return argc == 2 &&
         llvm::is_contained(
             llvm::ArrayRef<llvm::StringRef>{"-h", "-help", "--help"},
             llvm::StringRef(argv[1]));
}

/// The verb on the command line, or what stands for none.
inline llvm::cl::SubCommand &findVerb() {
  for (llvm::cl::SubCommand *each : llvm::cl::getRegisteredSubcommands())
    if (*each)
      return *each;
  return llvm::cl::SubCommand::getTopLevel();
}

/// What an error of LLVM about the command line is in our words: which
/// arguments are wanted, where LLVM only counts them; and no suggestion that
/// resembles the unknown option too little. Empty: nothing to tell.
inline std::string wordError(llvm::StringRef line, llvm::StringRef help) {
  bool tooMany = line.contains(": Too many positional arguments");
  if (tooMany || line.contains(": Not enough positional ")) {
    llvm::SmallVector<llvm::StringRef> wanted;
    for (llvm::cl::Option *option : findVerb().PositionalOpts)
      wanted.push_back(option->HelpStr);
    return ("error: expected " + llvm::Twine(tooMany ? "nothing after " : "") +
            llvm::join(wanted, " ") + "; " + help + " says more")
        .str();
  }
  if (line.starts_with("Must specify at ") || line.starts_with("Can specify "))
    return "";
  llvm::StringRef unknown = line.split(": Unknown command line argument ")
                                .second.rsplit(".  Try: ")
                                .first;
  return unknown.empty() ? line.str()
                         : ("error: expected an option that " + help +
                            " lists, but got " + unknown)
                               .str();
}

/// Reads the command line. False after an error.
inline bool parseOptions(int argc, char **argv, llvm::StringRef overview) {
  std::string said, before;
  llvm::raw_string_ostream os(said);
  bool isRead = llvm::cl::ParseCommandLineOptions(argc, argv, overview, &os);
  std::string help = "'" + llvm::sys::path::filename(argv[0]).str();
  if (llvm::StringRef verb = findVerb().getName(); !verb.empty())
    help += " " + verb.str();
  help += " --help'";
  for (llvm::StringRef line :
       llvm::split(llvm::StringRef(said).rtrim(), '\n')) {
    // A suggestion comes behind the option that it is for.
    llvm::StringRef close = line.split(": Did you mean '").second;
    llvm::StringRef wrong =
        llvm::StringRef(before).rsplit(", but got '").second;
    auto nameOf = [](llvm::StringRef text) {
      return text.split('\'').first.split('=').first.ltrim('-');
    };
    if (!close.empty() && nameOf(close).edit_distance(nameOf(wrong)) > 2)
      continue;
    before =
        close.empty() ? wordError(line, help) : "did you mean '" + close.str();
    if (!before.empty())
      llvm::errs() << before << '\n';
  }
  return isRead;
}

} // namespace mlir::symshape

#endif // SYMSHAPE_TOOLS_OTHEROPTIONS_H
