//===- CPUTarget.cpp - The CPU that code is generated for -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are those of LLVM's target parsers, which know the architecture of
// each; features are those of the subtarget that LLVM makes of a name.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/CPUTarget.h"

#include "symshape/Conversion/CPUTile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <unistd.h>

using namespace mlir::symshape;
using llvm::StringRef;
using llvm::Triple;

/// Register tiles in a block of an attention: many enough that what is read
/// for each block costs little, few enough for its scores to stay in the cache.
static constexpr int64_t tilesPerBlock = 4;

/// Features that systems turn off and that code uses only through
/// intrinsics.
static constexpr StringRef intrinsicFeatures[] = {"pku", "rtm", "sgx", "shstk"};

static llvm::Error refuse(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

static Triple getHostTriple() { return Triple(llvm::sys::getProcessTriple()); }

static llvm::Expected<const llvm::Target *>
findCPUTarget(const Triple &triple) {
  static const bool initialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  (void)initialized;
  std::string message;
  if (const auto *target = llvm::TargetRegistry::lookupTarget(triple, message))
    return target;
  return refuse("no code generator for '" + triple.str() + "'");
}

/// The names that `CPUTarget::get` takes besides "native" and "generic".
static llvm::SmallVector<StringRef> listNames(const Triple &triple) {
  llvm::SmallVector<StringRef> names;
  if (triple.getArch() == Triple::x86_64)
    llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  else if (triple.isAArch64())
    llvm::AArch64::fillValidCPUArchList(names);
  return names;
}

/// Second-level cache of the smallest CPUs in wide use with such vectors, if
/// there is no machine to ask.
static int64_t getTypicalCacheBytes(const CPUTarget &target) {
  if (target.triple.isAArch64())
    return 512 << 10;
  return target.vectorBits == 512 ? 1 << 20 : 256 << 10;
}

/// Fills in the facts that follow from the names.
static llvm::Error readFeatures(CPUTarget &target) {
  auto found = findCPUTarget(target.triple);
  if (!found)
    return found.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> info((*found)->createMCSubtargetInfo(
      target.triple, target.cpu, target.features));
  if (!info)
    return refuse("no code generator for '" + target.triple.str() + "'");
  if (target.triple.getArch() == Triple::x86_64) {
    bool is512 = info->checkFeatures("+avx512f,+avx512vl");
    // Vectors of AVX without AVX2 have no integers.
    bool is256 = info->checkFeatures("+avx2");
    target.vectorBits = is512 ? 512 : is256 ? 256 : 128;
    target.vectorRegisters = is512 ? 32 : 16;
    target.fma = info->checkFeatures("+fma");
    target.halfConversions = info->checkFeatures("+f16c");
    target.scaleInstruction = target.permutations = is512;
    target.dotProducts =
        info->checkFeatures(is512 ? "+avx512vnni" : "+avx2,+avxvnni");
    target.bfloatProducts = is512 && info->checkFeatures("+avx512bf16");
    target.maskedBits = is512 && info->checkFeatures("+avx512bw") ? 8
                        : is256                                   ? 32
                                                                  : 0;
  } else if (target.triple.isAArch64()) {
    // Two of 32 are left for what is loaded ahead: no multiplication reads
    // memory, and with all of them in a tile sums go to the stack.
    target.vectorRegisters = 30;
    target.fma = true;
    target.halfConversions = true;
  }
  target.cacheBytes = getTypicalCacheBytes(target);
  return llvm::Error::success();
}

CPUTarget CPUTarget::getHost() {
  static const CPUTarget host = [] {
    CPUTarget target;
    target.triple = getHostTriple();
    target.cpu = llvm::sys::getHostCPUName().str();
    llvm::SubtargetFeatures features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
    target.features = features.getString();
    // Without a code generator, the facts are those of any CPU.
    llvm::consumeError(readFeatures(target));
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (bytes > 0)
      target.cacheBytes = bytes;
    return target;
  }();
  return host;
}

llvm::Expected<CPUTarget> CPUTarget::get(StringRef cpu, StringRef triple) {
  CPUTarget target;
  target.triple =
      triple.empty() ? getHostTriple() : Triple(Triple::normalize(triple));
  bool isHere = target.triple.getArch() == getHostTriple().getArch();
  if (cpu.empty())
    cpu = isHere ? "native" : "generic";
  if (cpu == "native" && isHere) {
    Triple wanted = target.triple;
    target = getHost();
    target.triple = wanted;
    return target;
  }
  llvm::SmallVector<StringRef> names = listNames(target.triple);
  if (names.empty())
    return refuse("expected a triple of x86_64 or aarch64, but got '" +
                  target.triple.str() + "'");
  if (cpu != "generic" && !llvm::is_contained(names, cpu))
    return refuse("expected the CPU to be " +
                  llvm::Twine(isHere ? "native, " : "") + "generic, " +
                  llvm::join(names, ", ") + ", but got '" + cpu + "'");
  target.cpu = cpu;
  if (llvm::Error error = readFeatures(target))
    return std::move(error);
  return target;
}

int64_t CPUTarget::getBlockRows() const {
  return tilesPerBlock * getTileRows(vectorRegisters, /*vectors=*/2, fma);
}

llvm::Error CPUTarget::checkRunsOn(const llvm::StringMap<bool> &present) const {
  llvm::SmallVector<StringRef> needed, missing;
  if (cpu != "generic")
    llvm::X86::getFeaturesForCPU(cpu, needed);
  for (StringRef feature : needed) {
    if (llvm::is_contained(intrinsicFeatures, feature))
      continue;
    if (auto known = present.find(feature);
        known != present.end() && !known->second)
      missing.push_back(feature);
  }
  if (missing.empty())
    return llvm::Error::success();
  return refuse("this machine cannot run code for " + cpu + ": it lacks " +
                llvm::join(missing, ", "));
}

llvm::Error CPUTarget::checkRunsHere() const {
  CPUTarget host = getHost();
  if (triple.getArch() != host.triple.getArch() ||
      triple.getOS() != host.triple.getOS())
    return refuse("this machine cannot run code for '" + triple.str() + "'");
  if (cpu == host.cpu && features == host.features)
    return llvm::Error::success();
  if (triple.getArch() == Triple::x86_64)
    return checkRunsOn(llvm::sys::getHostCPUFeatures());
  // What a CPU of another architecture has is not known by its name.
  if (cpu == "generic")
    return llvm::Error::success();
  return refuse("expected the CPU to be native or generic to run on this "
                "machine, but got '" +
                cpu + "'");
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
CPUTarget::createMachine(llvm::CodeGenOptLevel level) const {
  auto target = findCPUTarget(triple);
  if (!target)
    return target.takeError();
  // Scalars of bf16 that live on from block to block are f32 there, and LLVM
  // makes them bf16 again by an instruction that takes denormals as zero, if
  // there is one; else by a function, which is ours.
  std::string used = features;
  if (triple.getArch() == Triple::x86_64)
    used +=
        (used.empty() ? "" : ",") + std::string("-avx512bf16,-avxneconvert");
  // By default each constant is reached through a register of its own that
  // holds 64 bits of address; code and constants are near each other instead.
  std::unique_ptr<llvm::TargetMachine> machine((*target)->createTargetMachine(
      triple, cpu, used, llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small, level));
  if (!machine)
    return refuse("no code generator for '" + triple.str() + "'");
  return machine;
}
