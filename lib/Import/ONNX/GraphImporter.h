//===- GraphImporter.h - Walks the nodes of a model -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the import: names and what they carry, scope by scope.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_GRAPHIMPORTER_H
#define SYMSHAPE_LIB_IMPORT_ONNX_GRAPHIMPORTER_H

#include "Signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "symshape/Import/ONNX/Import.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace mlir::symshape::onnx {

class GraphImporter {
public:
  /// Which arm of each branch to take; nullopt: both.
  using Decisions = std::vector<std::optional<bool>>;

  GraphImporter(std::shared_ptr<const Model> model, MLIRContext *context,
                const ImportOptions &options, Decisions decisions,
                bool tolerant = false);

  /// The decisions that `run` came to: those given, then `both`.
  const Decisions &getDecisions() const { return decisions; }
  llvm::Expected<ImportedModel> run();
  /// Whether it failed in a way that no attempt can mend.
  bool isBrokenModel() const { return isBroken; }
  /// From now on, ops that remove each dimension of extent 1 remove those of
  /// open extents, which are then required to be 1.
  void removeOpenExtents() { removes = OpenExtents::Removed; }
  /// Whether such an op kept one, and an output has another rank than the model
  /// declares.
  bool keptTooMuch() const {
    return removes == OpenExtents::Kept && hasOtherRanks;
  }
  bool hasDeclaredRanks() const { return !hasOtherRanks; }

  Emitter &emit() { return emitter; }
  int64_t opset() const { return version(""); }
  /// The version of the ops of `domain` where the current nodes stand.
  int64_t version(StringRef domain) const;

  /// The tensor of a constant: in the program if it is small, else a weight.
  Tensor materialise(const std::shared_ptr<const TensorData> &data);
  /// Imports the nodes of a graph inside the current ones, at the place
  /// of the builder, with `inputs` for its inputs. Nullopt after an
  /// error. What a body asks for that may not run is checked where it runs.
  std::optional<std::vector<Operand>> importBody(const Graph &graph,
                                                 ArrayRef<Operand> inputs,
                                                 bool mayNotRun = false);

  /// Whether the current node is one of the main graph, behind which all nodes
  /// may stand in both arms of a branch.
  bool mayBranchToEnd() const;
  /// Imports an arm of the current node, and all nodes behind it, at the place
  /// of the builder; gives the outputs of the graph that were not there before.
  /// Nullopt after an error.
  std::optional<std::vector<Operand>> importToEnd(const NodeData &node,
                                                  const Graph &arm);
  /// What those outputs are, after both arms: the graph ends there.
  LogicalResult endWith(ArrayRef<Tensor> outputs);

  /// A place in the import to go back to, once what was made since is erased.
  struct Mark {
    size_t numInner, numDecided;
    bool needsValues;
  };
  Mark mark() const {
    return {traced ? traced->inner.size() : 0, numDecided, needsValues};
  }
  void backTo(Mark mark);

  /// Keeps the first error; always failure.
  LogicalResult fail(const Twine &message);
  /// The same for an invalid model: nothing goes on past that.
  LogicalResult failForGood(const Twine &message);

  /// Which arm of the next branch to take; nullopt: both. Branches are numbered
  /// in the order in which the import reaches them.
  std::optional<bool> nextDecision();
  /// Forgets the decisions behind the one that was the `number`-th.
  void forgetDecisions(size_t number) { decisions.resize(number); }
  size_t getNumDecided() const { return numDecided; }

  /// The value of an input in the first call, from now on required in every
  /// call. Null, after an error, if it is not given.
  std::shared_ptr<const TensorData> bindValue(size_t input);
  /// The same for one of its extents; nullopt after an error.
  std::optional<int64_t> bindExtent(size_t input, int64_t axis);
  /// What an expression in extents of inputs is in the first call; nullopt
  /// where that call is not known.
  std::optional<int64_t> inFirstCall(Expr e);
  /// The same of an input with one element.
  std::optional<bool> boolInFirstCall(size_t input);
  /// Whether an op without axes removes a dimension of an open extent, of which
  /// the first call says nothing.
  bool removesOpenExtent();

private:
  using Scope = llvm::StringMap<Operand>;

  /// All ops without a definition, in words; empty: none.
  std::vector<UnknownOp> listUnknownOps();
  LogicalResult makeFunction();
  LogicalResult addInputs();
  LogicalResult addInput(const ValueInfo &input, ArrayRef<Expr> dims);
  Tensor openZeros(Value argument, ArrayRef<Expr> dims, DataType type);
  LogicalResult addInitializers(const Graph &graph);
  LogicalResult importNodes(ArrayRef<NodeData> nodes);
  SmallVector<StringRef> listMissingOutputs() const;
  LogicalResult importNode(const NodeData &node);
  /// Refuses types and ranks of operands, and values of attributes, that no
  /// version of the op takes.
  LogicalResult checkLimits(const NodeData &node);
  LogicalResult importOp(const NodeData &node, bool isOpen = false);
  LogicalResult importOpen(const NodeData &node, Block *block, Operation *last);
  Operand open(Operand operand);
  LogicalResult verifySince(Block *block, Operation *last);
  LogicalResult importGraphNodes();
  /// Erases what became of the node: the ops after `last`, and its outputs.
  void eraseNode(const NodeData &node, Block *block, Operation *last);
  LogicalResult skipNode(const NodeData &node, size_t number, Operation *last);
  bool declareResults(const NodeData &node, size_t number);
  bool giveResults(const NodeData &node, size_t number);
  /// Whether the options say what all its results are.
  bool isGiven(const NodeData &node) const;
  Expr parseGivenExtent(StringRef text, Value extent);
  func::CallOp callUnknown(const NodeData &node, size_t number,
                           ArrayRef<Type> types);
  void trace(StringRef name, std::optional<size_t> node);
  void traceBody(const Graph &graph);
  void finishTrace();
  LogicalResult callFunction(const NodeData &node, const Function &function,
                             ArrayRef<Operand> operands);
  LogicalResult returnOutputs();
  std::optional<Operand> lookup(StringRef name) const;
  LogicalResult define(StringRef name, Operand operand);
  const Registry &ops() const {
    return options.ops ? *options.ops : Registry::standard();
  }
  const Definition *findDefinition(const NodeData &node) const;
  const Function *findFunction(const NodeData &node) const;

  friend class Node;
  std::shared_ptr<const Model> model;
  ImportOptions options;
  OpBuilder builder;
  std::shared_ptr<ExprArena> ownedArena;
  ExprArena &arena;
  Emitter emitter;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::vector<Scope> scopes;
  /// What the model and the functions around import, innermost last.
  std::vector<ArrayRef<OpsetId>> opsets;
  std::vector<StringRef> callStack;
  /// Bodies of branches and loops in functions, for one call each: constants in
  /// them are used to the end.
  std::vector<std::shared_ptr<const Graph>> boundGraphs;
  unsigned numImported = 0; ///< nodes, those of a body each time
  unsigned numUnsure = 0;   ///< bodies around that may not run
  /// The number of the node of the main graph, if it is not in a body.
  std::optional<size_t> mainNode;
  unsigned numEnds = 0;  ///< branches around that go to the end
  bool hasEnded = false; ///< all outputs are there
  std::vector<Weight> weights;
  /// Constants that became tensors. Keeps them alive, so that no other one can
  /// get the address of one.
  llvm::DenseMap<const TensorData *,
                 std::pair<std::shared_ptr<const TensorData>, Tensor>>
      materialised;
  llvm::StringSet<> weightNames;
  DimNames names;
  bool tolerant; ///< goes on past nodes that cannot be imported
  bool isBroken = false;
  std::shared_ptr<ImportTrace> traced; ///< null: not asked for
  Decisions decisions;
  size_t numDecided = 0;
  Operation *entryMark = nullptr; ///< the last op that reads an argument's dim
  std::string error;
  bool needsValues = false, likesValues = false;
  enum class OpenExtents {
    NotMet,
    Kept,
    Removed
  } removes = OpenExtents::NotMet;
  bool hasOtherRanks = false; ///< an output than is declared
  SmallVector<std::pair<StringRef, Tensor>> inputs;
  llvm::DenseSet<size_t> boundInputs;
  std::string where;               ///< the node that is being imported
  std::deque<NodeData> normalised; ///< nodes made of older forms
};

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_GRAPHIMPORTER_H
