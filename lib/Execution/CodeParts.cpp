//===- CodeParts.cpp - Code that is compiled in parts ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CodeParts.h. Functions that must stay together form a cluster: callers
// and what is inlined into them, functions that share what cannot be copied,
// and the exported ones with all that calls in their place. Clusters in the
// order of the module form parts.
//
//===----------------------------------------------------------------------===//

#include "CodeParts.h"
#include "StateFiles.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir::symshape;

/// A thread takes longer to begin than shorter modules take.
static constexpr unsigned leastLongInstructions = 4000;
/// Of a part of several functions, once it is full; and how many parts there
/// are at most, since each declares all that the module has.
static constexpr unsigned fullInstructions = 4000, mostFullParts = 64;
/// Shorter functions take less time to compile than a file to read.
static constexpr unsigned leastKeptInstructions = 800;
/// LLVM inlines shorter functions even if they have several callers.
static constexpr unsigned mostInlinedInstructions = 225;
/// Of a constant that several parts hold.
static constexpr uint64_t mostCopiedBytes = 4096;

/// The functions in which `value` occurs, and the variables.
static void findUsers(llvm::Value &value,
                      llvm::SmallSetVector<llvm::GlobalObject *, 8> &users) {
  for (llvm::User *user : value.users()) {
    if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(user))
      users.insert(instruction->getFunction());
    else if (auto *object = llvm::dyn_cast<llvm::GlobalObject>(user))
      users.insert(object);
    else
      findUsers(*user, users);
  }
}

static llvm::SmallSetVector<llvm::GlobalObject *, 8>
getUsers(llvm::GlobalObject &object) {
  llvm::SmallSetVector<llvm::GlobalObject *, 8> users;
  findUsers(object, users);
  return users;
}

/// Whether several parts may hold `variable`, if nobody can tell them apart.
static bool isSmall(const llvm::GlobalVariable &variable) {
  return variable.getDataLayout().getTypeAllocSize(variable.getValueType()) <=
         mostCopiedBytes;
}

/// Whether nobody can tell a copy from `variable`.
static bool isConstant(const llvm::GlobalVariable &variable) {
  return variable.isConstant() && variable.hasLocalLinkage() &&
         variable.hasDefinitiveInitializer() && !variable.hasSection() &&
         llvm::isa<llvm::ConstantData>(variable.getInitializer());
}

namespace {
class Splitter {
public:
  explicit Splitter(llvm::Module &module) : module(module) {}

  std::vector<CodePart> run();

private:
  void joinVariables();
  void joinInlined();
  void join(llvm::GlobalObject &one, llvm::GlobalObject &other) {
    clusters.unionSets(&one, &other);
  }
  void joinExported(llvm::GlobalObject &object) {
    exported = exported ? exported : &object;
    join(*exported, object);
  }

  /// Whether another program may have this function as well.
  bool isKept(llvm::Function &function, unsigned numInCluster) const;
  void numberParts();
  unsigned getPart(const llvm::GlobalObject &object) const {
    return parts.lookup(clusters.getLeaderValue(&object));
  }
  void makeVisible();
  std::unique_ptr<llvm::Module> extract(unsigned part);
  CodePart makeKept(llvm::Function &function, unsigned part);

  llvm::Module &module;
  llvm::EquivalenceClasses<const llvm::GlobalObject *> clusters;
  llvm::GlobalObject *exported = nullptr; ///< one of its cluster
  llvm::DenseMap<const llvm::GlobalObject *, unsigned> parts; ///< of clusters
  llvm::SmallVector<unsigned> sizes; ///< instructions of each part
  llvm::MapVector<unsigned, llvm::Function *> kept;
};
} // namespace

/// Joins the functions that use a variable that cannot be copied.
void Splitter::joinVariables() {
  for (llvm::GlobalVariable &variable : module.globals()) {
    clusters.insert(&variable);
    if (variable.isDeclaration())
      continue;
    auto users = getUsers(variable);
    if (!isConstant(variable)) {
      joinExported(variable);
      for (llvm::GlobalObject *user : users)
        joinExported(*user);
      continue;
    }
    if (!isSmall(variable))
      for (llvm::GlobalObject *user : users)
        join(*users.front(), *user);
  }
}

/// Whether LLVM would inline `function`, or had better not do without.
static bool isInlined(const llvm::Function &function) {
  if (function.hasFnAttribute(llvm::Attribute::AlwaysInline))
    return true;
  unsigned length = function.getInstructionCount();
  return length <= mostInlinedInstructions ||
         (function.hasOneUse() && length < leastKeptInstructions);
}

void Splitter::joinInlined() {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    clusters.insert(&function);
    if (!function.hasLocalLinkage() || function.hasOptNone())
      joinExported(function);
    if (!isInlined(function))
      continue;
    for (llvm::User *user : function.users()) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call && !call->getFunction()->hasOptNone())
        join(function, *call->getFunction());
    }
  }
}

bool Splitter::isKept(llvm::Function &function, unsigned numInCluster) const {
  if (numInCluster != 1 || !function.hasLocalLinkage() ||
      function.getInstructionCount() < leastKeptInstructions)
    return false;
  auto isOwn = [](const llvm::Use &operand) {
    auto *object = llvm::dyn_cast<llvm::GlobalValue>(operand);
    if (!object)
      return !llvm::isa<llvm::ConstantExpr, llvm::BlockAddress>(operand);
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
    return object->isDeclaration() ||
           (variable && isConstant(*variable) && isSmall(*variable));
  };
  return llvm::all_of(llvm::instructions(function),
                      [&](const llvm::Instruction &instruction) {
                        return llvm::all_of(instruction.operands(), isOwn);
                      });
}

void Splitter::numberParts() {
  llvm::MapVector<const llvm::GlobalObject *,
                  llvm::SmallVector<llvm::Function *>>
      members;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      members[clusters.getLeaderValue(&function)].push_back(&function);
  unsigned full =
      std::max(fullInstructions, module.getInstructionCount() / mostFullParts);
  unsigned open = ~0u;
  for (auto &[leader, functions] : members) {
    bool isAlone = isKept(*functions.front(), functions.size());
    if (isAlone || open == ~0u || sizes[open] >= full) {
      sizes.push_back(0);
      if (!isAlone)
        open = sizes.size() - 1;
    }
    unsigned part = isAlone ? sizes.size() - 1 : open;
    parts[leader] = part;
    for (llvm::Function *function : functions)
      sizes[part] += function->getInstructionCount();
    if (isAlone)
      kept[part] = functions.front();
  }
}

/// Gives functions that other parts call a name that these see.
void Splitter::makeVisible() {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || !function.hasLocalLinkage())
      continue;
    bool isCalledFromAfar =
        llvm::any_of(getUsers(function), [&](llvm::GlobalObject *user) {
          return getPart(*user) != getPart(function);
        });
    if (!isCalledFromAfar)
      continue;
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    function.setDSOLocal(true);
  }
}

std::unique_ptr<llvm::Module> Splitter::extract(unsigned part) {
  llvm::ValueToValueMapTy map;
  auto copy =
      llvm::CloneModule(module, map, [&](const llvm::GlobalValue *value) {
        auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(value);
        if (variable && isConstant(*variable))
          return true;
        auto *object = llvm::dyn_cast<llvm::GlobalObject>(value);
        return object && getPart(*object) == part;
      });
  auto isUnused = [](llvm::GlobalObject &object) {
    object.removeDeadConstantUsers();
    return object.use_empty() &&
           (object.isDeclaration() || object.hasLocalLinkage());
  };
  for (auto &variable : llvm::make_early_inc_range(copy->globals()))
    if (isUnused(variable))
      variable.eraseFromParent();
  for (auto &function : llvm::make_early_inc_range(copy->functions()))
    if (function.isDeclaration() && isUnused(function))
      function.eraseFromParent();
  copy->setModuleIdentifier("");
  copy->setSourceFileName("");
  return copy;
}

static llvm::SmallVector<char, 0> writeBitcode(const llvm::Module &module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::WriteBitcodeToFile(module, os);
  return bytes;
}

/// Removes from a module of one function what comes from the program around it:
/// ranges of arguments, names of constants, and the order of what is used.
static void normalize(llvm::Module &module, llvm::Function &function) {
  llvm::SmallSetVector<llvm::GlobalVariable *, 4> constants;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    for (llvm::Value *operand : instruction.operands())
      if (auto *constant = llvm::dyn_cast<llvm::GlobalVariable>(operand))
        constants.insert(constant);
  for (llvm::Argument &argument : function.args())
    argument.removeAttr(llvm::Attribute::Range);
  for (llvm::GlobalVariable *constant : constants) {
    constant->setName("constant");
    constant->removeFromParent();
    module.insertGlobalVariable(constant);
  }
  llvm::SmallVector<llvm::Function *> declarations;
  for (llvm::Function &other : module)
    if (&other != &function)
      declarations.push_back(&other);
  llvm::sort(declarations, [](llvm::Function *a, llvm::Function *b) {
    return a->getName() < b->getName();
  });
  for (llvm::Function *declaration : declarations) {
    declaration->removeFromParent();
    module.getFunctionList().push_back(declaration);
  }
}

CodePart Splitter::makeKept(llvm::Function &function, unsigned part) {
  constexpr llvm::StringLiteral prefix = "symshape.kernel";
  function.setName(prefix); // a number says where it stands in this program
  auto copy = extract(part);
  llvm::Function *copied = copy->getFunction(function.getName());
  normalize(*copy, *copied);
  CodePart made;
  auto bytes = writeBitcode(*copy);
  made.content = hashTexts({llvm::StringRef(bytes.data(), bytes.size())});
  std::string name = (prefix + "." + made.content).str();
  copied->setName(name);
  made.bitcode = writeBitcode(*copy);
  function.setName(name);
  return made;
}

std::vector<CodePart> Splitter::run() {
  joinVariables();
  joinInlined();
  numberParts();
  makeVisible();
  std::vector<CodePart> made;
  llvm::StringMap<llvm::Function *> contents;
  for (auto [part, function] : kept) {
    CodePart one = makeKept(*function, part);
    auto [found, isNew] = contents.try_emplace(one.content, function);
    if (!isNew) {
      function->replaceAllUsesWith(found->second);
      continue;
    }
    one.numInstructions = sizes[part];
    made.push_back(std::move(one));
  }
  for (auto [part, size] : llvm::enumerate(sizes))
    if (!kept.contains(part))
      made.push_back({writeBitcode(*extract(part)), "", size});
  return made;
}

bool mlir::symshape::isLong(const llvm::Module &module) {
  return module.getInstructionCount() >= leastLongInstructions &&
         module.alias_empty() && module.ifunc_empty();
}

std::vector<CodePart> mlir::symshape::splitIntoParts(llvm::Module &module) {
  return Splitter(module).run();
}
