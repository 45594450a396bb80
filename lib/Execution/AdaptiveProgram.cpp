//===- AdaptiveProgram.cpp - Code for the shapes that occur ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/AdaptiveProgram.h"
#include "KeptParts.h"
#include "symshape/IR/SymShape.h"
#include <chrono>

using namespace mlir;
using namespace mlir::symshape;

/// A program of so much work is compiled in half a second, or a little more.
static constexpr unsigned mostWorkInTime = 40;

/// Whether code for `general` serves all calls that code for `special` does.
static bool subsumes(llvm::ArrayRef<int64_t> general,
                     llvm::ArrayRef<int64_t> special) {
  for (auto [wide, narrow] : llvm::zip_equal(general, special))
    if (wide >= 0 && wide != narrow)
      return false;
  return true;
}

bool ProgramVariant::admits(llvm::ArrayRef<int64_t> dims) const {
  return subsumes(extents, dims);
}

AdaptiveProgram::AdaptiveProgram(ProgramSource source, AdaptiveOptions options,
                                 const WeightFile *weights)
    : source(std::move(source)), options(std::move(options)),
      isAsync(this->options.when == CompileWhen::Async ||
              (this->options.when == CompileWhen::Auto &&
               this->source.work > mostWorkInTime)),
      weights(weights) {
  llvm::StringRef entry = this->options.compile.entry;
  if (keepsProfile()) {
    state.emplace(this->options.stateFolder, this->source, entry,
                  this->options.stateLimit, this->options.compile.diagnostics);
    profile = state->loadProfile();
  } else if (!this->options.cacheFolder.empty()) {
    // Nobody asked for it: without it, code is compiled, and that is all.
    state.emplace(this->options.cacheFolder, this->source, entry, cacheLimit,
                  [](const ProgramDiagnostic &) {});
  }
}

AdaptiveProgram::~AdaptiveProgram() {
  background.stop();
  if (keepsProfile() && !profile.isEmpty())
    state->addToProfile(profile);
}

llvm::Expected<std::unique_ptr<AdaptiveProgram>>
AdaptiveProgram::open(llvm::StringRef path, AdaptiveOptions options,
                      const WeightFile *weights) {
  auto source =
      ProgramSource::read(path, options.compile.entry, nullptr,
                          options.compile.diagnostics, options.compile.onnxOps);
  if (!source)
    return source.takeError();
  return open(std::move(*source), std::move(options), weights);
}

llvm::Expected<std::unique_ptr<AdaptiveProgram>>
AdaptiveProgram::open(ProgramSource source, AdaptiveOptions options,
                      const WeightFile *weights) {
  if (llvm::Error error = options.compile.target.checkRunsHere())
    return makeInputError(llvm::toString(std::move(error)));
  options.compile.entry = source.signature.name;
  bool isGeneral = options.dynamic == DynamicMode::Always &&
                   llvm::none_of(source.dims, [](const DynamicDim &dim) {
                     return dim.policy == SymbolPolicy::Static;
                   });
  std::unique_ptr<AdaptiveProgram> program(
      new AdaptiveProgram(std::move(source), std::move(options), weights));
  if (EventLog *log = program->options.log)
    tellProgram(*log, program->source, program->options.compile.diagnostics);
  if (!isGeneral)
    return program;
  Extents all(program->source.dims.size(), -1);
  auto made = program->isAsync ? program->getSoon(all)
                               : program->waitFor(all, "code for all shapes");
  if (!made)
    return made.takeError();
  program->opened = std::move(*made);
  if (program->isReplaced(*program->opened))
    program->compileInBackground(all, "code for all shapes");
  else
    program->general = program->opened;
  return program;
}

/// What code for a call of these dims may rely on.
AdaptiveProgram::Extents
AdaptiveProgram::chooseExtents(llvm::ArrayRef<int64_t> dims,
                               DynamicMode mode) const {
  Extents extents(dims);
  for (auto [i, extent] : llvm::enumerate(extents)) {
    SymbolPolicy policy = source.dims[i].policy;
    if (policy == SymbolPolicy::Static)
      continue;
    bool isSymbol = mode == DynamicMode::Always ||
                    (mode == DynamicMode::Auto && profile.hasVaried(i));
    if (isSymbol || policy == SymbolPolicy::Dynamic)
      extent = -1;
  }
  return extents;
}

/// A future that has its value.
template <typename T>
static bool isReady(const std::shared_future<T> &future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/// The variant that is wanted, or else any that serves the call.
std::shared_ptr<const ProgramVariant>
AdaptiveProgram::findAtHand(llvm::ArrayRef<int64_t> dims,
                            const Extents &wanted) const {
  auto it = variants.find(wanted);
  if (it != variants.end() && isReady(it->second) && it->second.get().variant)
    return it->second.get().variant;
  for (const auto &[extents, future] : variants)
    if (subsumes(extents, dims) && isReady(future) && future.get().variant)
      return future.get().variant;
  return nullptr;
}

AdaptiveProgram::Wish AdaptiveProgram::count(const Extents &dims) {
  Wish wish;
  std::optional<ShapeProfile> toKeep;
  {
    std::lock_guard<std::mutex> lock(mutex);
    wish.isFirst = profile.isEmpty();
    if (wants(EventLog::Compiles) || wants(EventLog::Symbols))
      wish.reason = explain(dims);
    unsigned varied = profile.countVaried();
    profile.add(dims);
    hasCounted = true;
    if (keepsProfile() && profile.countVaried() != varied)
      toKeep = profile;
    wish.extents = chooseExtents(dims, options.dynamic);
    wish.found = findAtHand(dims, wish.extents);
  }
  if (toKeep)
    state->addToProfile(*toKeep);
  return wish;
}

void AdaptiveProgram::uncountFirst() {
  std::lock_guard<std::mutex> lock(mutex);
  if (profile.countVaried() == 0)
    profile = {};
}

/// The code that is wanted for a call of these dims, if it exists and the call
/// changes nothing: whether the call is refused is left to that code.
std::shared_ptr<const ProgramVariant>
AdaptiveProgram::findKnown(llvm::ArrayRef<int64_t> dims) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!profile.contains(dims))
    return nullptr;
  Extents wanted = chooseExtents(dims, options.dynamic);
  auto found = findAtHand(dims, wanted);
  if (!found || found->extents != wanted)
    return nullptr;
  hasCounted = true;
  return found;
}

/// What is required does not depend on the extents that code is for: any
/// existing code says whether the call is refused.
bool AdaptiveProgram::isRefused(llvm::ArrayRef<TensorView> inputs) {
  std::shared_ptr<const ProgramVariant> any;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (const Variants *all : {&quickVariants, &variants})
      for (const auto &[extents, future] : *all)
        if (isReady(future) && future.get().variant)
          any = future.get().variant;
  }
  return any && !any->program->accepts(any->weights.front(), inputs);
}

llvm::Expected<ServedCall> AdaptiveProgram::serveRefused() {
  Extents all(source.dims.size(), -1);
  Manner manner;
  manner.replaces = false;
  auto made = isAsync ? getSoon(all)
                      : waitFor(all,
                                "a call is refused, which code for all "
                                "shapes explains",
                                manner);
  if (!made)
    return made.takeError();
  return ServedCall{!(*made)->hasServed.exchange(true), *made};
}

llvm::Expected<ServedCall>
AdaptiveProgram::serve(llvm::ArrayRef<TensorView> inputs) {
  if (llvm::Error error = source.signature.checkInputs(inputs))
    return std::move(error);
  Extents dims = getDims(inputs);
  if (auto known = findKnown(dims))
    return ServedCall{!known->hasServed.exchange(true), known};
  if (isRefused(inputs))
    return serveRefused();
  Wish wish = count(dims);
  auto found = wish.found;
  if (isAsync || !found) {
    auto made =
        isAsync ? serveSoon(dims, wish) : waitFor(wish.extents, wish.reason);
    if (!made)
      return made.takeError();
    found = std::move(*made);
  }
  if (wish.isFirst && !found->program->accepts(found->weights.front(), inputs))
    uncountFirst();
  return ServedCall{!found->hasServed.exchange(true), found};
}

llvm::Expected<CallResults>
AdaptiveProgram::call(llvm::ArrayRef<TensorBuffer> inputs) {
  llvm::SmallVector<TensorView> views(inputs.begin(), inputs.end());
  auto served = serve(views);
  if (!served)
    return served.takeError();
  const ProgramVariant &variant = *served->variant;
  auto results = variant.program->call(variant.weights.front(), inputs);
  if (results) {
    tellServed(*served, views);
    return results;
  }
  return llvm::handleErrors(
      results.takeError(), [&](std::unique_ptr<RunError> error) -> llvm::Error {
        tellRefused(*served, error->getMessage());
        return llvm::Error(std::move(error));
      });
}

llvm::Expected<std::pair<AdaptiveProgram::Variant, bool>>
AdaptiveProgram::makeOnce(
    Variants &all, const Extents &extents,
    llvm::function_ref<llvm::Expected<Variant>(const DiagnosticSink &)> make) {
  const DiagnosticSink &sink = options.compile.diagnostics;
  std::promise<Outcome> promise;
  std::shared_future<Outcome> future;
  bool isMine = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto &place = all[extents];
    isMine = !place.valid();
    if (isMine)
      place = promise.get_future().share();
    future = place;
  }
  if (isMine) {
    Outcome outcome;
    DiagnosticSink keeping;
    if (sink)
      keeping = [&](const ProgramDiagnostic &diagnostic) {
        outcome.diagnostics.push_back(diagnostic);
        sink(diagnostic);
      };
    auto variant = make(keeping);
    if (variant)
      outcome.variant = std::move(*variant);
    else
      llvm::handleAllErrors(
          variant.takeError(),
          [&](const RunError &e) {
            outcome.status = e.getStatus();
            outcome.message = e.getMessage();
          },
          [&](const llvm::ErrorInfoBase &e) { outcome.message = e.message(); });
    promise.set_value(std::move(outcome));
  }
  const Outcome &outcome = future.get();
  if (!outcome.variant) {
    // The first one was told while it compiled.
    if (!isMine && sink)
      llvm::for_each(outcome.diagnostics, sink);
    return makeRunError(outcome.status, outcome.message);
  }
  return std::make_pair(outcome.variant, isMine);
}

llvm::Expected<AdaptiveProgram::Variant>
AdaptiveProgram::waitFor(const Extents &extents, llvm::StringRef reason,
                         Manner manner) {
  auto made = makeOnce(variants, extents, [&](const DiagnosticSink &sink) {
    CompileOptions compile = makeOptions(extents);
    compile.diagnostics = sink;
    if (manner.mayStop) {
      compile.stop = &background.isStopping();
      compile.showProgress = false; // calls go on, and their results are shown
    }
    return makeVariant(compile, extents, reason);
  });
  if (!made)
    return made.takeError();
  auto [variant, isMine] = *made;
  if (isMine)
    dropQuick(*variant);
  if (isMine && manner.replaces)
    dropSuperfluous(*variant);
  return variant;
}

CompileOptions AdaptiveProgram::makeOptions(const Extents &extents) const {
  CompileOptions compile = options.compile;
  if (llvm::any_of(extents, [](int64_t extent) { return extent >= 0; }))
    compile.extents = extents;
  return compile;
}

llvm::Expected<AdaptiveProgram::Variant>
AdaptiveProgram::makeVariant(const CompileOptions &compile,
                             const Extents &extents, llvm::StringRef reason) {
  auto variant = std::make_shared<ProgramVariant>();
  // What is asked to be kept is as good as can be. The cache holds quick code
  // for processes that end before there is better code.
  bool isKept = state && !(compile.quick && keepsProfile());
  if (isKept)
    variant->program = state->loadProgram(source, compile);
  bool isLoaded = variant->program != nullptr;
  if (!isLoaded) {
    CompileOptions options = compile;
    std::optional<KeptParts> parts;
    if (state)
      options.parts = &parts.emplace(*state, compile.target);
    auto code = compileCode(source, options);
    if (!code)
      return code.takeError();
    ++numCompilations;
    if (isKept)
      state->storeCode(compile, *code);
    auto program = Program::load(source, std::move(*code), compile);
    if (!program)
      return program.takeError();
    variant->program = std::move(*program);
  }
  variant->extents = extents;
  variant->isLoaded = isLoaded;
  variant->isQuick = compile.quick;
  auto begin = std::chrono::steady_clock::now();
  for (symshape_rt_guard_mode mode : options.guardModes) {
    auto bound = variant->program->bindWeights(weights, mode);
    if (!bound)
      return bound.takeError();
    variant->weights.push_back(std::move(*bound));
  }
  variant->bindSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (wants(EventLog::Compiles) && !compile.isStopping()) {
    const CompileTimes &times = variant->program->getTimes();
    options.log->tell(
        EventLog::Compiles, isLoaded ? "loaded" : "compiled",
        llvm::json::Object{
            {"code", describe(*variant)},
            {"reason", reason},
            {"totalMs", 1e3 * (times.parse + times.passes + times.jit)}});
  }
  return variant;
}

/// Forgets the other variants whose calls `variant` serves as well; running
/// calls finish. If async, code for fewer shapes is the better one.
void AdaptiveProgram::dropSuperfluous(const ProgramVariant &variant) {
  if (isAsync &&
      variant.extents == chooseExtents(variant.extents, DynamicMode::Always))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = variants.begin(); it != variants.end();) {
    bool isOther = it->first != variant.extents;
    if (isOther && isReady(it->second) &&
        subsumes(variant.extents, it->first)) {
      if (wants(EventLog::Compiles))
        options.log->tell(
            EventLog::Compiles, "replaced",
            llvm::json::Object{{"code", describe(it->first)},
                               {"by", describe(variant.extents)}});
      it = variants.erase(it);
    } else
      ++it;
  }
}
