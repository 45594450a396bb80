//===- Diff.cpp - Two models beside one another ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verb diff. Both models are brought to one arena, in which each extent of
// an input is a symbol of its own, named by its place.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/Verbs.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
/// What a model says, in terms of the places of its inputs.
struct Interface {
  std::vector<std::vector<Expr>> inputs, outputs; ///< extents
  std::vector<Formula> guards;
};

class Diff {
public:
  Diff(ModelExtents &left, ModelExtents &right) : left(left), right(right) {}

  std::vector<std::string> run();

private:
  bool isSameProgram();
  Interface read(ModelExtents &model, StringRef side);
  std::string placeName(size_t input, size_t dim);
  std::string reasonOf(const ConstraintSet &set, ArrayRef<Formula> conditions,
                       const Formula &refuted);
  bool compareNames(const char *what, ArrayRef<const ValueInfo *> x,
                    ArrayRef<const ValueInfo *> y);
  void compareGuards(const Interface &from, const Interface &to,
                     StringRef other);
  void compareOutputs(const Interface &x, const Interface &y);
  void assumeAll(ConstraintSet &set, const Interface &side);
  void tell(const Twine &line) { found.push_back(line.str()); }

  ModelExtents &left, &right;
  ExprArena arena;
  std::vector<std::string> found;
};
} // namespace

/// The name of an extent of an input, by the first model's name of the input.
std::string Diff::placeName(size_t input, size_t dim) {
  return left.shapes().spellingOfArgument(input) + ".dim" + std::to_string(dim);
}

/// The numbers in a condition, and the differences between two of them.
static void addConstants(const Formula &f, SmallVectorImpl<int64_t> &numbers) {
  if (f.isLiteral()) {
    Expr difference = f.relation.lhs - f.relation.rhs;
    for (Expr e : {f.relation.lhs, f.relation.rhs, difference})
      for (const Expr::Term &term : e.terms())
        if (term.powers.empty() && term.coefficient <= kMaxExtent &&
            term.coefficient >= -kMaxExtent) {
          // As an extent it is at least 0.
          int64_t number = std::abs(int64_t(term.coefficient));
          if (!llvm::is_contained(numbers, number))
            numbers.push_back(number);
        }
  }
  for (const Formula &part : f.parts)
    addConstants(part, numbers);
}

/// Numbers for the symbols at which all of `conditions` hold and `relation`
/// does not, looked for among a few possible extents. `set` holds what
/// `conditions` say.
static std::optional<std::string> findWitness(const ConstraintSet &set,
                                              ArrayRef<Formula> conditions,
                                              const Formula &refuted) {
  SmallVector<Expr> symbols = refuted.symbols();
  for (const Formula &condition : conditions)
    llvm::append_range(symbols, condition.symbols());
  SmallVector<Expr> distinct;
  for (Expr symbol : symbols)
    if (!llvm::is_contained(distinct, symbol))
      distinct.push_back(symbol);
  // Numbers that data decides are not ours to choose.
  if (llvm::any_of(distinct, [](Expr symbol) {
        return symbol.asSymbol()->contains(".%");
      }))
    return std::nullopt;
  SmallVector<int64_t> numbers{1, 2, 64, 96, 0, 3, 4, 5, 7, 8, 32, 33};
  for (const Formula &condition : conditions)
    addConstants(condition, numbers);
  addConstants(refuted, numbers);
  // Each pair of numbers for alternating symbols; then mixed ones.
  constexpr unsigned numTries = 4096;
  for (unsigned attempt = 0; attempt < numTries; ++attempt) {
    DenseMap<Expr, int64_t> values;
    uint64_t state = attempt;
    for (auto [i, symbol] : llvm::enumerate(distinct)) {
      if (std::optional<int64_t> known = set.simplify(symbol).asInt64()) {
        values[symbol] = *known;
        continue;
      }
      values[symbol] = numbers[state % numbers.size()];
      state = i % 2 ? state * 6364136223846793005u + attempt
                    : state / numbers.size() + i;
    }
    auto value = [&](Expr symbol) -> std::optional<llvm::DynamicAPInt> {
      return llvm::DynamicAPInt(values.lookup(symbol));
    };
    bool holds = llvm::all_of(conditions, [&](const Formula &condition) {
      return condition.evaluate(value) == true;
    });
    if (!holds || refuted.evaluate(value) != false)
      continue;
    SmallVector<Expr> named = refuted.symbols();
    std::string text;
    for (Expr symbol : distinct)
      if (llvm::is_contained(named, symbol))
        text += (text.empty() ? "" : ", ") + symbol.str() + " = " +
                std::to_string(values[symbol]);
    return text;
  }
  return std::nullopt;
}

static bool isSameData(const std::vector<TensorData> &x,
                       const std::vector<TensorData> &y) {
  return x.size() == y.size() &&
         llvm::all_of(llvm::zip_equal(x, y), [](const auto &pair) {
           const auto &[a, b] = pair;
           return a.name == b.name && a.type == b.type && a.dims == b.dims &&
                  a.bytes == b.bytes;
         });
}

/// Whether both models become the same ops, on the same constants: data then
/// decides the same.
bool Diff::isSameProgram() {
  auto textOf = [](ModelExtents &model) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    model.shapes().function()->print(stream);
    return text;
  };
  return isSameData(left.model().graph.initializers,
                    right.model().graph.initializers) &&
         textOf(left) == textOf(right);
}

Interface Diff::read(ModelExtents &model, StringRef side) {
  FunctionShapes &shapes = model.shapes();
  // Symbols of the analysis by place; those that data decides stay separate.
  auto symbolOf = [&](StringRef name) -> Expr {
    Expr symbol = model.arena().symbol(name);
    const SymbolDef *def = shapes.definition(symbol);
    if (def && def->kind == SymbolDef::Dim)
      if (auto argument = dyn_cast<BlockArgument>(def->value);
          argument && argument.getOwner()->getParentOp() == shapes.function())
        return arena.symbol(placeName(argument.getArgNumber(), def->dim));
    return arena.symbol((side + name).str());
  };
  auto move = [&](Expr e) -> Expr {
    e = shapes.expand(e);
    ParseError error;
    Expr moved = arena.parse(e.str(), error);
    if (!moved)
      return arena.freshSymbol(side);
    return arena.substitute(
        moved, [&](Expr symbol) { return symbolOf(*symbol.asSymbol()); });
  };
  Interface result;
  std::function<Formula(const Formula &)> moveAll =
      [&](const Formula &f) -> Formula {
    Formula copy = f;
    if (f.isLiteral()) {
      copy.relation.lhs = move(f.relation.lhs);
      copy.relation.rhs = move(f.relation.rhs);
    }
    for (Formula &part : copy.parts)
      part = moveAll(part);
    return copy;
  };
  for (auto [i, input] : llvm::enumerate(model.model().getInputs())) {
    std::vector<Expr> &dims = result.inputs.emplace_back();
    const KnownValue *value = model.find(input->name);
    for (size_t d = 0; value && d < value->dims.size(); ++d) {
      BlockArgument argument = shapes.function().getArgument(i);
      Expr place = arena.symbol(placeName(i, d));
      dims.push_back(place);
      // An extent in the type is as good as a guard.
      if (Expr extent = shapes.dim(argument, d); extent.isConstant())
        result.guards.push_back(Relation::eq(place, move(extent)));
    }
  }
  for (const Guard &guard : model.plan().guards)
    result.guards.push_back(moveAll(guard.condition));
  for (const ValueInfo &output : model.model().graph.outputs) {
    std::vector<Expr> &dims = result.outputs.emplace_back();
    if (const KnownValue *value = model.find(output.name))
      for (Expr dim : value->dims)
        dims.push_back(move(dim));
  }
  return result;
}

/// Names, types and ranks, as far as extents can be compared at all.
bool Diff::compareNames(const char *what, ArrayRef<const ValueInfo *> x,
                        ArrayRef<const ValueInfo *> y) {
  if (x.size() != y.size()) {
    tell(Twine(what) + "s: " + Twine(x.size()) + " and " + Twine(y.size()));
    return false;
  }
  bool isComparable = true;
  for (auto [i, pair] : llvm::enumerate(llvm::zip(x, y))) {
    const ValueInfo &a = *std::get<0>(pair), &b = *std::get<1>(pair);
    std::string name = std::string(what) + " #" + std::to_string(i);
    if (a.name != b.name)
      tell(name + ": '" + escaped(a.name) + "' and '" + escaped(b.name) + "'");
    const KnownValue *u = left.find(a.name), *v = right.find(b.name);
    if (!u || !v || !u->isKnown || !v->isKnown) {
      tell(name + ": nothing is known of it");
      isComparable = false;
      continue;
    }
    if (u->type != v->type)
      tell(name + ": " + onnx::nameOf(u->type) + " and " +
           onnx::nameOf(v->type));
    if (u->dims.size() != v->dims.size()) {
      tell(name + ": ranks " + Twine(u->dims.size()) + " and " +
           Twine(v->dims.size()));
      isComparable = false;
    }
  }
  return isComparable;
}

void Diff::assumeAll(ConstraintSet &set, const Interface &side) {
  SymbolInfo extent;
  extent.range = symshape::Range::between(0, kMaxExtent);
  for (const std::vector<Expr> &dims : side.inputs)
    for (Expr dim : dims)
      set.declare(dim, extent);
  for (const Formula &guard : side.guards)
    assume(set, guard);
}

/// Where it does not hold, if such a case is found.
std::string Diff::reasonOf(const ConstraintSet &set,
                           ArrayRef<Formula> conditions,
                           const Formula &refuted) {
  if (auto witness = findWitness(set, conditions, refuted))
    return witness->empty() ? "" : ": differs at " + *witness;
  return ": not decided";
}

/// Each guard of `to` must hold where those of `from` do.
void Diff::compareGuards(const Interface &from, const Interface &to,
                         StringRef other) {
  ConstraintSet set(arena);
  assumeAll(set, from);
  for (const Formula &guard : to.guards)
    if (!llvm::is_contained(from.guards, guard) && !prove(set, guard).isYes())
      tell("only " + other + " needs " + guard.str() +
           reasonOf(set, from.guards, guard));
}

/// An extent for a reader: names of data are of no use to one.
static std::string spell(Expr e) {
  std::string text = e.str();
  return StringRef(text).contains(".%") ? "what data decides" : text;
}

void Diff::compareOutputs(const Interface &x, const Interface &y) {
  ConstraintSet set(arena);
  assumeAll(set, x);
  assumeAll(set, y);
  for (auto [i, dims] : llvm::enumerate(x.outputs))
    for (auto [d, a] : llvm::enumerate(dims)) {
      Expr b = y.outputs[i][d];
      Relation equal = Relation::eq(a, b);
      if (set.isProvably(equal))
        continue;
      std::vector<Formula> conditions = x.guards;
      conditions.insert(conditions.end(), y.guards.begin(), y.guards.end());
      tell("output #" + Twine(i) + " dim " + Twine(d) + ": " + spell(a) +
           " and " + spell(b) + reasonOf(set, conditions, equal));
    }
}

static std::vector<const ValueInfo *> outputsOf(const ModelExtents &extents) {
  std::vector<const ValueInfo *> result;
  for (const ValueInfo &output : extents.model().graph.outputs)
    result.push_back(&output);
  return result;
}

std::vector<std::string> Diff::run() {
  bool inputs = compareNames("input", left.model().getInputs(),
                             right.model().getInputs());
  bool outputs = compareNames("output", outputsOf(left), outputsOf(right));
  if (inputs) {
    bool isSame = isSameProgram();
    Interface x = read(left, isSame ? "both." : "left.");
    Interface y = read(right, isSame ? "both." : "right.");
    compareGuards(y, x, "the first");
    compareGuards(x, y, "the second");
    if (outputs)
      compareOutputs(x, y);
  }
  return std::move(found);
}

std::vector<std::string> mlir::symshape::onnx::diffLines(ModelExtents &left,
                                                         ModelExtents &right) {
  return Diff(left, right).run();
}

Outcome mlir::symshape::onnx::diffModels(ModelExtents &left,
                                         ModelExtents &right, raw_ostream &os) {
  std::vector<std::string> found = diffLines(left, right);
  for (const std::string &line : found)
    os << line << '\n';
  if (found.empty())
    os << "same inputs, outputs and guards\n";
  return found.empty() ? Outcome::Done : Outcome::Refused;
}
