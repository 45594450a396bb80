//===- EventLog.cpp - What happened to a program --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/EventLog.h"
#include "SourceFile.h"
#include "symshape/Execution/ShapeProfile.h"
#include "symshape/Pipelines/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir::symshape;
namespace json = llvm::json;

static constexpr llvm::StringLiteral categoryNames[] = {
    "symbols", "guards", "versions", "compiles", "dispatch"};

/// Sets which events are wanted.
llvm::Error EventLog::select(llvm::StringRef categories) {
  llvm::SmallVector<llvm::StringRef> names;
  categories.split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    const auto *found = llvm::find(categoryNames, name.trim());
    if (found == std::end(categoryNames))
      return makeInputError("expected events of " +
                            llvm::join(llvm::ArrayRef(categoryNames), ", ") +
                            ", but got '" + name.trim() + "'");
    wanted |= 1u << (found - categoryNames);
  }
  if (names.empty())
    wanted = ~0u;
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<EventLog>>
EventLog::open(llvm::StringRef categories,
               std::function<void(const std::string &)> receiver) {
  std::unique_ptr<EventLog> log(new EventLog());
  if (llvm::Error error = log->select(categories))
    return std::move(error);
  log->receiver = std::move(receiver);
  return log;
}

llvm::Expected<std::unique_ptr<EventLog>>
EventLog::open(llvm::StringRef categories, llvm::StringRef path) {
  std::unique_ptr<EventLog> log(new EventLog());
  if (llvm::Error error = log->select(categories))
    return std::move(error);
  if (path.empty())
    return log;
  log->path = path.str();
  std::error_code problem;
  log->file = std::make_unique<llvm::raw_fd_ostream>(path, problem);
  if (problem)
    return makeInputError("cannot write '" + path + "': " + problem.message());
  return log;
}

void EventLog::tell(Category category, llvm::StringRef event,
                    json::Object fields) {
  if (!wants(category))
    return;
  std::string line;
  llvm::raw_string_ostream os(line);
  if (receiver || !path.empty()) {
    fields["category"] = categoryNames[category];
    fields["event"] = event;
    os << json::Value(std::move(fields)) << (receiver ? "" : "\n");
  } else {
    os << "symshape: " << categoryNames[category] << ": " << event;
    llvm::SmallVector<llvm::StringRef> keys;
    for (const auto &field : fields)
      keys.push_back(field.first);
    llvm::sort(keys);
    for (llvm::StringRef key : keys)
      os << ' ' << key << '=' << *fields.get(key);
    os << '\n';
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (receiver)
    return receiver(line);
  if (problem)
    return;
  llvm::raw_fd_ostream &to = file ? *file : llvm::errs();
  to << line;
  to.flush(); // also if the process dies
  if (!file)
    return;
  problem = file->error();
  file->clear_error(); // or else the destructor ends the process
}

llvm::Error EventLog::checkWritten() {
  std::lock_guard<std::mutex> lock(mutex);
  return problem ? makeInputError("cannot write '" + path +
                                  "': " + problem.message())
                 : llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// Logs each object of a field of the report.
static void tellAll(EventLog &log, EventLog::Category category,
                    llvm::StringRef event, json::Object &report,
                    llvm::StringRef key) {
  if (json::Array *array = report.getArray(key))
    for (json::Value &element : *array)
      if (json::Object *fields = element.getAsObject()) {
        fields->erase("origin"); // a part of `why`
        if (fields->getString("limits") == llvm::StringRef())
          fields->erase("range");
        fields->erase("limits");
        log.tell(category, event, std::move(*fields));
      }
}

void mlir::symshape::tellProgram(EventLog &log, const ProgramSource &source,
                                 const DiagnosticSink &diagnostics) {
  if (!log.wants(EventLog::Symbols) && !log.wants(EventLog::Guards) &&
      !log.wants(EventLog::Versions))
    return;
  json::Object report;
  llvm::StringRef entry = source.signature.name;
  llvm::Error error =
      runRecovering(source.bytes->getBufferIdentifier(), [&]() -> llvm::Error {
        SourceFile file(diagnostics);
        if (llvm::Error error = file.parse(*source.bytes, entry))
          return error;
        report =
            makeShapeReport(file.getModule().lookupSymbol<func::FuncOp>(entry));
        return llvm::Error::success();
      });
  llvm::consumeError(std::move(error)); // reported when it is compiled
  tellAll(log, EventLog::Symbols, "symbol", report, "symbols");
  tellAll(log, EventLog::Guards, "guard", report, "guards");
  tellAll(log, EventLog::Guards, "dropped", report, "dropped");
  tellAll(log, EventLog::Versions, "version", report, "versions");
  if (json::Array *unused = report.getArray("unusedVersions"))
    for (json::Value &why : *unused)
      log.tell(EventLog::Versions, "unused",
               json::Object{{"why", std::move(why)}});
}

//===----------------------------------------------------------------------===//
// What a profile says
//===----------------------------------------------------------------------===//

json::Array mlir::symshape::describeProfile(const ProgramSource &source,
                                            const ShapeProfile &profile) {
  json::Array dims;
  for (auto [dim, range] : llvm::zip(source.dims, profile.getRanges())) {
    std::string name = source.signature.arguments[dim.argument].name + " dim " +
                       std::to_string(dim.dim);
    std::string says = name;
    llvm::raw_string_ostream os(says);
    if (range.min == range.max)
      os << " was " << range.min << " in all calls: a number in the code";
    else
      os << " was from " << range.min << " to " << range.max
         << ": a symbol in the code";
    dims.push_back(json::Object{{"dim", std::move(name)},
                                {"min", range.min},
                                {"max", range.max},
                                {"says", std::move(says)}});
  }
  return dims;
}
