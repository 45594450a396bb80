//===- CompileParts.cpp - Object files of the parts of a module -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompileParts.h.
//
//===----------------------------------------------------------------------===//

#include "CompileParts.h"
#include "Optimize.h"
#include "symshape/Execution/Status.h"
#include "symshape/Process/Progress.h"
#include "symshape/Process/Threads.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"
#include <numeric>

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// A part on its way, which one thread at a time works on.
struct Job {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module; ///< null: the object is there
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::optional<llvm::Error> problem;

  llvm::Error read(const CodePart &part, const CPUTarget &target,
                   const ObjectOptions &options);
  llvm::Error generate(const CodePart &part, const ObjectOptions &options);
};
} // namespace

llvm::Error Job::read(const CodePart &part, const CPUTarget &target,
                      const ObjectOptions &options) {
  auto parsed = llvm::parseBitcodeFile(
      {llvm::StringRef(part.bitcode.data(), part.bitcode.size()), part.content},
      context);
  if (!parsed)
    return parsed.takeError();
  if (options.cache && !part.content.empty())
    object = options.cache->getObject(parsed->get());
  if (object)
    return llvm::Error::success();
  module = std::move(*parsed);
  auto made = target.createMachine(llvm::CodeGenOptLevel::Aggressive);
  if (!made)
    return made.takeError();
  machine = std::move(*made);
  optimizeModule(*module, *machine, options);
  return llvm::Error::success();
}

llvm::Error Job::generate(const CodePart &part, const ObjectOptions &options) {
  if (object)
    return llvm::Error::success();
  auto made = generateCode(*module, *machine, options);
  if (!made)
    return made.takeError();
  object = std::move(*made);
  if (options.cache && !part.content.empty())
    options.cache->notifyObjectCompiled(module.get(),
                                        object->getMemBufferRef());
  module.reset();
  return llvm::Error::success();
}

/// Runs `work` with each job, in the order given, in several threads. Gives the
/// first error of the jobs.
static llvm::Error runAll(llvm::MutableArrayRef<Job> jobs,
                          llvm::ArrayRef<unsigned> order, unsigned threads,
                          llvm::function_ref<llvm::Error(unsigned)> work) {
  Progress *progress = Progress::current();
  if (progress)
    progress->expect(jobs.size(), "parts");
  auto run = [&](unsigned i) {
    Job &job = jobs[i];
    llvm::Error problem = runOnDeepStack([&] {
      llvm::CrashRecoveryContext recovery;
      if (!recovery.RunSafely([&] { job.problem = work(i); }))
        job.problem = makeRunError(RunStatus::Internal,
                                   "internal error: the compiler crashed");
    });
    if (problem)
      job.problem = std::move(problem);
    if (progress)
      progress->step();
  };
  {
    llvm::DefaultThreadPool pool(
        llvm::heavyweight_hardware_concurrency(threads));
    for (unsigned i : order)
      pool.async([&run, i] { run(i); });
  }
  llvm::Error first = llvm::Error::success();
  for (Job &job : jobs) {
    if (first)
      llvm::consumeError(std::move(*job.problem));
    else
      first = std::move(*job.problem);
    job.problem.reset();
  }
  return first;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::symshape::compileParts(llvm::ArrayRef<CodePart> parts,
                             const CPUTarget &target,
                             const ObjectOptions &options,
                             TimingScope &timing) {
  std::vector<Job> jobs(parts.size());
  std::vector<unsigned> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](unsigned i, unsigned j) {
    return parts[i].numInstructions > parts[j].numInstructions;
  });
  auto runJobs = [&](llvm::function_ref<llvm::Error(unsigned)> work) {
    return runAll(jobs, order, options.threads, work);
  };
  if (llvm::Error error = runJobs(
          [&](unsigned i) { return jobs[i].read(parts[i], target, options); }))
    return std::move(error);
  if (options.timing)
    timing = options.timing->nest("LLVM's code generation");
  if (Progress *progress = Progress::current())
    progress->enter("code generation");
  if (llvm::Error error = runJobs(
          [&](unsigned i) { return jobs[i].generate(parts[i], options); }))
    return std::move(error);
  std::vector<std::string> names;
  for (unsigned i : llvm::seq<unsigned>(parts.size()))
    names.push_back("part" + std::to_string(i) + ".o");
  std::vector<llvm::NewArchiveMember> members;
  for (auto [job, name] : llvm::zip_equal(jobs, names)) {
    members.emplace_back(job.object->getMemBufferRef());
    members.back().MemberName = name;
  }
  return llvm::writeArchiveToBuffer(
      members, llvm::SymtabWritingMode::NormalSymtab,
      llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
}
