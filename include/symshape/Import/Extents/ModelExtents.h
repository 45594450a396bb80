//===- ModelExtents.h - Extents of the values of a model --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of each value of the main graph of an ONNX model, in the names
// of its author, and for which sizes the model is valid. Works by importing the
// model and analysing the program; generates no code. Not for: values inside
// branches, loops and functions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_MODELEXTENTS_H
#define SYMSHAPE_IMPORT_EXTENTS_MODELEXTENTS_H

#include "symshape/Analysis/Validity.h"
#include "symshape/Import/ONNX/Import.h"

namespace mlir::symshape::onnx {

/// What a user knows of the extents of inputs.
struct ExtentOptions {
  struct NameRange {
    std::string name;
    std::optional<int64_t> min, max;
  };
  std::vector<NameRange> ranges;
  /// Relations between expressions over names: `past + seq <= 4096`.
  std::vector<std::string> facts;
  /// Numbers that names stand for.
  llvm::StringMap<int64_t> values;
  /// The definitions of ops; null: those of the standard.
  std::shared_ptr<const Registry> ops;
  /// What is taken for true of results of nodes whose op has no definition.
  llvm::StringMap<GivenResult> results;
};

/// Reads `NAME=MIN:MAX`, where an end may be left out, or `NAME=NUMBER`.
llvm::Expected<ExtentOptions::NameRange> parseNameRange(StringRef text);
/// Reads `NAME=NUMBER`.
llvm::Error parseNameValue(StringRef text, llvm::StringMap<int64_t> &values);
/// The lines of a file, without comments, which begin with `#`.
llvm::Expected<std::vector<std::string>> readFacts(StringRef path);

/// A value of the main graph, or of one inside it.
struct KnownValue {
  StringRef name;
  const Graph *graph = nullptr; ///< that it is inside; null: the main one
  std::optional<size_t> node;   ///< of that graph, which makes it
  bool isStored = false;        ///< an initializer; neither: an input
  DataType type = DataType::Undefined;
  bool isKnown = false;      ///< without: neither type nor rank
  SmallVector<Expr, 4> dims; ///< inside; null if not known outside
};

class ModelExtents {
public:
  /// An error if the model is invalid; what cannot be imported is skipped.
  static llvm::Expected<std::unique_ptr<ModelExtents>>
  infer(std::shared_ptr<const Model> model, const ExtentOptions &options = {});
  ~ModelExtents();

  const Model &model() const { return *file; }
  /// Initializers, inputs, and results of nodes, in order.
  ArrayRef<KnownValue> values() const { return known; }
  const KnownValue *find(StringRef name) const;
  /// Values inside branches and loops: inputs, and results of nodes.
  ArrayRef<KnownValue> innerValues() const { return inner; }
  const KnownValue *findInner(const Graph &graph, StringRef name) const;
  /// The elements of an integer list, null where they are data; nullopt for
  /// all other values.
  std::optional<SmallVector<Expr, 4>> elements(StringRef name);
  /// Nodes that could not be imported.
  ArrayRef<ImportTrace::Skipped> skipped() const { return trace().skipped; }
  /// Whether an op that has a definition refused a node.
  bool isRefused() const { return skips(ImportTrace::Skipped::Refused); }
  /// Whether a node needs what the first call gives, so that more may hold.
  bool asksFirstCall() const { return skips(ImportTrace::Skipped::Asks); }
  ArrayRef<UnknownOp> unknownOps() const { return trace().unknownOps; }
  /// Whether type and rank of its results are what the model declares.
  bool isDeclaredOnly(size_t node) const {
    return trace().declaredOnly.contains(node);
  }

  FunctionShapes &shapes() { return *functionShapes; }
  ExprArena &arena() { return functionShapes->arena(); }
  /// What holds in every call that the guards let pass.
  ConstraintSet &facts() { return functionShapes->facts(); }
  const GuardPlan &plan() const { return guards; }
  /// False where no call is valid, as far as is known.
  bool isPossible() {
    return guards.violated.empty() && !facts().isContradictory();
  }
  DimNames &names() { return imported.names; }
  /// The names that the author of the model wrote, not what exported it.
  IsWritten namesOfAuthor() const {
    return [this](StringRef name) {
      return imported.names.isWritten(name) &&
             !isNameOfExporter(imported.names.textOf(name));
    };
  }

  /// What an author's text says; a symbol if it is not an expression, null if
  /// it names nothing.
  Expr parse(const Dimension &dim);
  Expr parse(StringRef text);
  /// Whether inputs say what all names of `e` stand for.
  bool isOverInputs(Expr e) const;
  /// Whether all names of `e` are an author's, and inputs say what they are.
  bool isNamedByAuthor(Expr e) const;
  /// Lets `symbol`, which only the analysis knows, be called `name`, a symbol
  /// that no input binds.
  void callAs(Expr symbol, Expr name) { given[symbol] = name; }
  /// As `dim_param` holds it; extents without a name get one. Empty if it is
  /// too long.
  std::string text(Expr e);
  /// `[N, 2*L, 64]`; `unknown` if nothing is known.
  std::string text(const KnownValue &value);
  /// An equal expression, given that the guards hold, that is no larger, and
  /// whose names are an author's where those of `e` are.
  Expr simplify(Expr e);
  /// A condition over inputs as a person writes it, `N >= 1`, in the syntax of
  /// Python; extents that have no name are called `input.dim0`. A line says for
  /// each name that is made up what it stands for.
  std::string text(const Formula &condition);
  /// Names an extent that data decides, and the node that decides it.
  std::string describeOpen(Expr symbol);

private:
  ModelExtents();
  bool skips(ImportTrace::Skipped::Cause cause) const;
  const ImportTrace &trace() const { return *imported.trace; }
  llvm::Error declare(const ExtentOptions &options);
  llvm::Expected<Relation> parseRelation(StringRef text);
  void readValues();
  void readInnerValues();
  Expr translate(Expr e);

  std::shared_ptr<const Model> file;
  MLIRContext context;
  ImportedModel imported;
  std::unique_ptr<ShapeAnalysis> analysis;
  FunctionShapes *functionShapes = nullptr;
  GuardPlan guards;
  std::vector<KnownValue> known, inner;
  llvm::StringMap<size_t> numbers; ///< of values, and of entries of the trace
  /// Of values inside.
  llvm::DenseMap<std::pair<const Graph *, StringRef>, size_t> innerNumbers;
  DenseMap<Expr, Expr> simplified, given;
  llvm::StringMap<int64_t> fixed; ///< numbers that names stand for
};

/// The node that makes a value, for a message.
std::string describeNode(const Model &model, const KnownValue &value);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_MODELEXTENTS_H
