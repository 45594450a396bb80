//===- ForkedRun.cpp - A run in a process of its own ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkedRun.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;
namespace json = llvm::json;

static std::vector<Section> splitSections(StringRef path, StringRef text) {
  std::vector<Section> sections{{path, text.take_front(0), 0}};
  unsigned lines = 0;
  const char *begin = text.begin();
  for (StringRef rest = text; !rest.empty();) {
    StringRef line = rest.take_front(rest.find('\n') + 1);
    if (line.empty())
      line = rest;
    rest = rest.drop_front(line.size());
    ++lines;
    if (line.ltrim().starts_with("// -----")) {
      begin = rest.begin();
      sections.push_back({path, rest.take_front(0), lines});
    }
    sections.back().text = StringRef(begin, rest.begin() - begin);
  }
  return sections;
}

void PassObserver::runBeforePass(Pass *pass, Operation *op) {
  StringRef name = pass->getArgument();
  if (name.empty() && pass->getName().contains("Adaptor"))
    return;
  snprintf(shared.pass, sizeof(shared.pass), "%s",
           (name.empty() ? pass->getName() : name).str().c_str());
}

void PassObserver::runAfterPassFailed(Pass *pass, Operation *op) {
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
    if (invalid.empty())
      invalid = diag.str();
  });
  (void)verify(op);
}

void Errors::add(Diagnostic &diag) {
  if (diag.getSeverity() != DiagnosticSeverity::Error)
    return;
  last = diag.str();
  auto place = diag.getLocation()->findInstanceOf<FileLineColLoc>();
  if (!place && placeless.empty())
    placeless = last;
  if (!first.empty())
    return;
  first = last;
  if (place)
    this->place = (place.getFilename().getValue() + ":" +
                   Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                      .str();
}

json::Object test::describeRun(const Errors &errors, StringRef invalid,
                               LogicalResult result) {
  json::Object record;
  bool isInvalid = !invalid.empty() && invalid == errors.last;
  record["status"] = isInvalid ? "invalid"
                     : errors.first.empty()
                         ? (succeeded(result) ? "ok" : "silent")
                     : !errors.placeless.empty() ? "no place"
                     : succeeded(result)         ? "odd"
                                                 : "refused";
  if (!errors.first.empty()) {
    record["message"] = json::fixUTF8(StringRef(errors.first).take_front(300));
    record["place"] = errors.place;
  }
  if (!errors.placeless.empty())
    record["placeless"] =
        json::fixUTF8(StringRef(errors.placeless).take_front(300));
  return record;
}

OwningOpRef<ModuleOp> test::parseSection(MLIRContext &context,
                                         const Section &section) {
  std::string text(section.linesBefore, '\n');
  text += section.text;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(text, section.path), llvm::SMLoc());
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
  return parseSourceFile<ModuleOp>(sources, &context);
}

static void limitProcess() {
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    signal(number, SIG_DFL);
}

/// Limits what runs from now on.
static void limitTime(unsigned seconds) {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  rlimit time{};
  getrlimit(RLIMIT_CPU, &time);
  time.rlim_cur = used.ru_utime.tv_sec + used.ru_stime.tv_sec + seconds + 1;
  setrlimit(RLIMIT_CPU, &time);
  alarm(10 * seconds); // one that waits for ever
}

/// The records of the runs from `begin` on, until one ends its process; a line
/// each.
[[noreturn]] static void
runChild(unsigned begin, unsigned number, unsigned seconds, int records,
         int errors, Shared &shared,
         llvm::function_ref<json::Object(unsigned, Shared &)> run) {
  dup2(errors, STDERR_FILENO);
  // What a pass prints is not among the records.
  dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
  limitProcess();
  llvm::raw_fd_ostream os(records, /*shouldClose=*/false);
  for (unsigned i = begin; i < number; ++i) {
    (void)!ftruncate(errors, 0);
    lseek(errors, 0, SEEK_SET);
    shared.pass[0] = 0;
    limitTime(seconds);
    os << json::Value(run(i, shared)) << '\n';
    os.flush();
  }
  _exit(0);
}

static json::Object describeDeath(int status, int errors,
                                  const Shared &shared) {
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  bool late = number == SIGXCPU || number == SIGALRM || number == SIGKILL;
  char text[400] = "";
  ssize_t size = pread(errors, text, sizeof(text) - 1, 0);
  return json::Object{
      {"status", late ? "late" : "crash"},
      {"signal", number},
      {"pass", std::string(shared.pass)},
      {"message", json::fixUTF8(StringRef(text, size > 0 ? size : 0))}};
}

void test::runForked(unsigned number, unsigned seconds,
                     llvm::function_ref<json::Object(unsigned, Shared &)> run,
                     llvm::function_ref<void(unsigned, json::Object)> tell) {
  auto *shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int errors = memfd_create("stderr", 0);
  for (unsigned next = 0; next < number;) {
    int ends[2];
    if (pipe(ends) != 0)
      llvm::report_fatal_error("cannot make a pipe");
    pid_t child = fork();
    if (child == 0)
      runChild(next, number, seconds, ends[1], errors, *shared, run);
    close(ends[1]);
    std::string line;
    char text[4096];
    for (ssize_t size; (size = read(ends[0], text, sizeof(text))) > 0;)
      for (char c : StringRef(text, size)) {
        if (c != '\n') {
          line += c;
          continue;
        }
        tell(next++, *llvm::cantFail(json::parse(line)).getAsObject());
        line.clear();
      }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (next < number) {
      tell(next, describeDeath(status, errors, *shared));
      ++next;
    }
  }
  close(errors);
  munmap(shared, sizeof(Shared));
}

void test::printNotParsed(const Section &section) {
  llvm::outs() << json::Value(json::Object{{"file", section.path},
                                           {"line", section.linesBefore + 1},
                                           {"status", "not parsed"}})
               << '\n';
}

int test::forEachSection(ArrayRef<std::string> files,
                         llvm::function_ref<void(const Section &)> run) {
  for (const std::string &path : files) {
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file) {
      llvm::errs() << path << ": " << file.getError().message() << '\n';
      return 2;
    }
    for (const Section &section : splitSections(path, (*file)->getBuffer())) {
      llvm::outs().flush();
      pid_t child = fork();
      if (child == 0) {
        run(section);
        llvm::outs().flush();
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (status != 0)
        printNotParsed(section);
    }
  }
  return 0;
}
