//===- ShapeAnalysisTest.cpp - Extents and facts of a module ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/ShapeAnalysis.h"
#include "ModuleFixture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::symshape;
using ::testing::HasSubstr;

namespace {
struct ShapeAnalysisTest : ModuleFixture {
  /// The analysis of @f in `text`.
  FunctionShapes &analyse(StringRef text) {
    parse(text);
    analysis = std::make_unique<ShapeAnalysis>(*module);
    return *analysis->lookup(function("f"));
  }
  Expr symbol(StringRef name) { return analysis->arena().symbol(name); }

  std::unique_ptr<ShapeAnalysis> analysis;
};

TEST_F(ShapeAnalysisTest, ExtentsOfArguments) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func @f(%a: tensor<?x4x?xf32> {symshape.shape = #symshape.shape<[B, 4, 2*K]>},
                 %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<["<= 8", ?]>}) { return })mlir");
  Value a = shapes.function().getArgument(0),
        b = shapes.function().getArgument(1);
  EXPECT_EQ(shapes.printExtent(a, 0), "B");
  EXPECT_EQ(shapes.printExtent(a, 1), "4");
  EXPECT_EQ(shapes.printExtent(a, 2), "2*K");
  EXPECT_EQ(shapes.printExtent(b, 0), "<= 8");
  EXPECT_EQ(shapes.extent(b, 0).kind, Extent::UpperBound);
  // The expression of a dim is never its upper bound.
  EXPECT_NE(shapes.dim(b, 0), shapes.arena().constant(8));
  EXPECT_FALSE(shapes.isNamed(shapes.dim(b, 0)));
  // A dim without a name gets one.
  EXPECT_EQ(shapes.extent(b, 1).kind, Extent::Exact);
  EXPECT_TRUE(shapes.isNamed(shapes.dim(b, 1)));
}

TEST(ShapeAnalysisRulesTest, SaysThatRulesAreMissing) {
  DialectRegistry registry;
  registry.insert<func::FuncDialect, arith::ArithDialect>();
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>("func.func @f(%a: index) -> index {"
                                            "  %0 = arith.addi %a, %a : index"
                                            "  return %0 : index }",
                                            &context);
  ASSERT_TRUE(module);
  std::string told;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { told = diagnostic.str(); });
  ShapeAnalysis analysis(*module);
  EXPECT_THAT(told, HasSubstr("expected registerShapeFactsExternalModels"));
}

// Of loops without results, those alone that have what is asked about; what is
// known outside stays.
TEST_F(ShapeAnalysisTest, LooksIntoWhatIsAskedAbout) {
  parse(R"mlir(
    func.func @f(%t: memref<?xi64>, %ok: i1, %lo: index, %hi: index) -> index {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %t, %c0 : memref<?xi64>
      scf.for %i = %lo to %hi step %c1 {
        scf.if %ok {
          %zero = arith.constant 0 : i64
          memref.store %zero, %t[%i] : memref<?xi64>
        }
      }
      scf.for %i = %lo to %hi step %c1 {
        scf.if %ok {
          %x = arith.addi %n, %c1 : index
          %a = memref.alloc(%x) : memref<?xi64>
        }
      }
      %r = scf.for %i = %lo to %hi step %c1 iter_args(%s = %c0) -> index {
        scf.yield %n : index
      }
      return %r : index
    })mlir");
  auto isAlloc = +[](Operation *op) { return isa<memref::AllocOp>(op); };
  ShapeAnalysis some(*module, ShapeAnalysisOptions::forExtents(isAlloc));
  ShapeAnalysis all(*module, ShapeAnalysisOptions::forExtents());
  FunctionShapes *ofSome = some.lookup(function("f")),
                 *ofAll = all.lookup(function("f"));
  std::vector<std::string> seen;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return;
    EXPECT_TRUE(ofAll->entryOf(&op->getRegion(0)));
    seen.push_back(ofSome->entryOf(&op->getRegion(0)) ? "seen" : "left out");
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"left out", "left out", "seen",
                                            "seen", "seen"}));
  module->walk([&](memref::AllocOp alloc) {
    EXPECT_EQ(ofSome->value(alloc.getDynamicSizes()[0]).str(),
              ofAll->value(alloc.getDynamicSizes()[0]).str());
  });
  module->walk([&](func::ReturnOp ret) {
    EXPECT_EQ(ofSome->facts().bounds(ofSome->value(ret.getOperand(0))),
              ofAll->facts().bounds(ofAll->value(ret.getOperand(0))));
  });
}

TEST_F(ShapeAnalysisTest, ValuesConditionsAndElements) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %x: index)
        -> (index, i1, i1, tensor<2xindex>) {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      %s = arith.addi %n, %c3 : index
      %yes = arith.cmpi sge, %n, %c0 : index
      %unknown = arith.cmpi slt, %x, %n : index
      %e = tensor.from_elements %s, %c3 : tensor<2xindex>
      return %s, %yes, %unknown, %e : index, i1, i1, tensor<2xindex>
    })mlir");
  ExprArena &arena = shapes.arena();
  EXPECT_EQ(shapes.value(returned("f", 0)), symbol("N") + 3);
  EXPECT_TRUE(
      prove(shapes.facts(), shapes.condition(returned("f", 1))).isYes());
  EXPECT_EQ(prove(shapes.facts(), shapes.condition(returned("f", 2))).verdict,
            Verdict::Unknown);
  EXPECT_TRUE(shapes.condition(returned("f", 2)).isLiteral());
  EXPECT_EQ(shapes.element(returned("f", 3), {arena.zero()}), symbol("N") + 3);
  EXPECT_EQ(shapes.element(returned("f", 3), {arena.one()}), arena.constant(3));
}

// What is known of a counter is known inside of its loop, and weighs on nothing
// that comes after it.
TEST_F(ShapeAnalysisTest, FactsOfCountersStayInTheirLoops) {
  auto numFactsAfter = [&](unsigned numLoops) {
    std::string text = R"mlir(
      func.func @f(%n: index) {
        %c0 = arith.constant 0 : index
        %c32 = arith.constant 32 : index
        %c64 = arith.constant 64 : index)mlir";
    for (unsigned i = 0; i < numLoops; ++i)
      text += R"mlir(
        scf.for %i = %c0 to %n step %c32 {
          %r = arith.minsi %i, %c64 : index
        })mlir";
    FunctionShapes &shapes = analyse(text + " return }");
    size_t mentionsCounter = 0;
    for (FactId id = 0; id < shapes.facts().numFacts(); ++id) {
      mentionsCounter +=
          llvm::any_of(Formula(shapes.facts().fact(id)).symbols(), [&](Expr s) {
            const SymbolDef *def = shapes.definition(s);
            return def && def->kind == SymbolDef::Iteration;
          });
    }
    return mentionsCounter;
  };
  EXPECT_EQ(numFactsAfter(1), 0u);
  EXPECT_EQ(numFactsAfter(3), 0u);
}

TEST_F(ShapeAnalysisTest, RequirementsHaveTheAnswerOfTheFactsBeforeThem) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %flag: i1) {
      symshape.assert "N <= 64", "first"
      symshape.assert "N <= 65", "implied"
      scf.if %flag {
        symshape.assert "N <= 4", "inside"
      }
      symshape.assert "N <= 5", "outside"
      symshape.assert "N <= -1", "never"
      return
    })mlir");
  ArrayRef<Requirement> required = shapes.requirements();
  ASSERT_EQ(required.size(), 5u);
  for (const Requirement &r : required)
    EXPECT_TRUE(r.isUserAssert);
  EXPECT_EQ(required[0].answer.verdict, Verdict::Unknown);
  EXPECT_EQ(required[1].answer.verdict, Verdict::Yes);
  EXPECT_EQ(required[2].answer.verdict, Verdict::Unknown);
  EXPECT_EQ(required[2].premises.size(), 1u);
  EXPECT_EQ(required[3].answer.verdict, Verdict::Unknown);
  EXPECT_TRUE(required[3].premises.empty());
  EXPECT_EQ(required[4].answer.verdict, Verdict::No);
  // What the entry knows is what the signature says, not what asserts say.
  EXPECT_FALSE(shapes.entryFacts().isProvably(
      Relation::le(symbol("N"), shapes.arena().constant(64))));
}

TEST_F(ShapeAnalysisTest, DeclaredFactsAreObligationsOfCallers) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func @f(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                 %b: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
        attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 64], multiple_of = 8>],
                    symshape.assume = [#symshape.fact<"N != 16">]} { return })mlir");
  EXPECT_EQ(shapes.declared().size(), 5u);
  EXPECT_TRUE(shapes.entryFacts().isProvably(Relation::eq(
      shapes.dim(shapes.function().getArgument(1), 0), symbol("N"))));
}

TEST_F(ShapeAnalysisTest, DefinitionsOfSymbols) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func @f(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, 8*K]>}, %x: index) {
      %s = symshape.size "x + N" (x = %x)
      return
    })mlir");
  const SymbolDef *n = shapes.definition(symbol("N"));
  ASSERT_TRUE(n);
  EXPECT_EQ(n->kind, SymbolDef::Dim);
  EXPECT_EQ(n->dim, 0);
  EXPECT_TRUE(n->backed);
  const SymbolDef *k = shapes.definition(symbol("K"));
  ASSERT_TRUE(k);
  EXPECT_EQ(k->kind, SymbolDef::Solved);
  EXPECT_TRUE(k->backed);
  Expr x = shapes.value(shapes.function().getArgument(1));
  ASSERT_TRUE(shapes.definition(x));
  EXPECT_FALSE(shapes.definition(x)->backed);
  EXPECT_FALSE(shapes.definition(symbol("unused")));
  auto le = [&](Expr e) {
    return Formula(Relation::le(e, shapes.arena().constant(4)));
  };
  EXPECT_TRUE(shapes.isBacked(le(symbol("N") * symbol("K"))));
  EXPECT_FALSE(shapes.isBacked(le(symbol("N") + x)));
  EXPECT_FALSE(shapes.isBacked(Formula::opaque()));
  EXPECT_EQ(shapes.symbolsOfDim(shapes.function().getArgument(0), 0),
            ArrayRef(symbol("N")));
}

TEST_F(ShapeAnalysisTest, CallersOfPrivateFunctionsTakeOver) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func private @callee(%t: tensor<?xf32>) -> tensor<?xf32> {
      %r = tensor.concat dim(0) %t, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    func.func private @recursive(%t: tensor<?xf32>) -> tensor<?xf32> {
      %r = call @recursive(%t) : (tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
      %r = call @callee(%t) : (tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })mlir");
  EXPECT_FALSE(shapes.callersTakeOver());
  EXPECT_TRUE(analysis->lookup(function("callee"))->callersTakeOver());
  EXPECT_FALSE(analysis->lookup(function("recursive"))->callersTakeOver());
  EXPECT_EQ(shapes.printExtent(returned("f"), 0), "2*N");
}

TEST_F(ShapeAnalysisTest, OpsWithoutRuleAndLookup) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func private @external(tensor<?xf32>) -> tensor<?xf32>
    func.func @f(%t: tensor<?xf32>) -> tensor<?xf32> {
      %r = call @external(%t) : (tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })mlir");
  ASSERT_EQ(shapes.opsWithoutRule().size(), 1u);
  EXPECT_TRUE(isa<func::CallOp>(shapes.opsWithoutRule().front()));
  EXPECT_EQ(shapes.printExtent(returned("f"), 0), "?");
  EXPECT_EQ(analysis->lookup(function("external")), nullptr);
  EXPECT_EQ(analysis->lookup(shapes.opsWithoutRule().front()), &shapes);
}

namespace {
/// A rule that says 15 of dimension 0, the extent of the operand of dimension
/// 1, and at most 5 of dimension 2.
struct Contradictory
    : ShapeFactsOpInterface::ExternalModel<Contradictory, tosa::CustomOp> {
  void populateShapeFacts(Operation *op, ShapeFacts &facts) const {
    Value result = op->getResult(0);
    facts.setExact(result, 0, facts.constant(15));
    facts.setExact(result, 1, facts.dim(op->getOperand(0), 1));
    facts.setExtent(result, 2, Extent::upperBound(facts.constant(5)));
  }
};
} // namespace

// A static extent is required to be what the rule says.
TEST_F(ShapeAnalysisTest, RulesAgreeWithTypes) {
  tosa::CustomOp::attachInterface<Contradictory>(context);
  parse(R"mlir(
    func.func @contradicts(%t: tensor<?x?x?xf32>) -> tensor<7x?x?xf32> {
      %r = tosa.custom %t {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<?x?x?xf32>) -> tensor<7x?x?xf32>
      return %r : tensor<7x?x?xf32>
    }
    func.func @exceeds(%t: tensor<?x?x?xf32>) -> tensor<?x?x6xf32> {
      %r = tosa.custom %t {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<?x?x?xf32>) -> tensor<?x?x6xf32>
      return %r : tensor<?x?x6xf32>
    }
    func.func @may(%t: tensor<?x?x?xf32>) -> tensor<15x4x?xf32> {
      %r = tosa.custom %t {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<?x?x?xf32>) -> tensor<15x4x?xf32>
      return %r : tensor<15x4x?xf32>
    }
    func.func @agrees(%t: tensor<15x4x3xf32>) -> tensor<15x4x3xf32> {
      %r = tosa.custom %t {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<15x4x3xf32>) -> tensor<15x4x3xf32>
      return %r : tensor<15x4x3xf32>
    }
    func.func @open(%t: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
      %r = tosa.custom %t {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      return %r : tensor<?x?x?xf32>
    })mlir");
  ShapeAnalysis analysis(*module);
  for (auto [name, verdict, field] :
       {std::tuple("contradicts", Verdict::No, "dimension 0 of the result"),
        std::tuple("exceeds", Verdict::No, "dimension 2 of the result"),
        std::tuple("may", Verdict::Unknown, "dimension 1 of the result")}) {
    ArrayRef<Requirement> required =
        analysis.lookup(function(name))->requirements();
    ASSERT_EQ(required.size(), 1u) << name;
    EXPECT_EQ(required[0].answer.verdict, verdict) << name;
    EXPECT_EQ(required[0].field, field);
  }
  for (const Requirement &requirement :
       analysis.lookup(function("agrees"))->requirements())
    EXPECT_TRUE(requirement.answer.isYes());
  EXPECT_TRUE(analysis.lookup(function("open"))->requirements().empty());
}

TEST_F(ShapeAnalysisTest, ClosesOverPremisesAndCounters) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                 %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %x: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      scf.for %i = %c0 to %n step %c1 {
        symshape.assert "i + 1 <= M" (i = %i), "counter"
        symshape.assert "i + 1 <= x" (i = %i, x = %x), "data"
      }
      return
    })mlir");
  auto backed = [&](const Formula &f) { return shapes.isBacked(f); };
  const Requirement *counter = nullptr, *data = nullptr;
  for (const Requirement &r : shapes.requirements()) {
    counter = r.message == "counter" ? &r : counter;
    data = r.message == "data" ? &r : data;
  }
  ASSERT_TRUE(counter && data);
  EXPECT_EQ(counter->iterations.size(), 1u);
  std::optional<Formula> closed = closeOver(shapes, *counter, backed);
  ASSERT_TRUE(closed);
  // N turns need N <= M; no turns need nothing.
  for (auto [n, m, met] : {std::tuple(0, 0, true), std::tuple(3, 3, true),
                           std::tuple(3, 2, false), std::tuple(1, 0, false)}) {
    int valueOfN = n, valueOfM = m;
    auto holds = closed->evaluate([&](Expr s) {
      return std::optional(
          llvm::DynamicAPInt(s == symbol("N") ? valueOfN : valueOfM));
    });
    EXPECT_EQ(holds, met) << n << " " << m;
  }
  EXPECT_FALSE(closeOver(shapes, *data, backed));
}

TEST_F(ShapeAnalysisTest, Describes) {
  FunctionShapes &shapes = analyse(R"mlir(
    func.func @f(%q: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>, symshape.name = "%q"},
                 %k: tensor<?xf32> {symshape.name = "%k"}) -> tensor<?xf32> {
      %r = linalg.add ins(%q, %k : tensor<?xf32>, tensor<?xf32>) outs(%q : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })mlir");
  EXPECT_EQ(shapes.spellingOfArgument(0), "%q");
  const Requirement *unproved = nullptr;
  for (const Requirement &r : shapes.requirements())
    if (r.answer.verdict == Verdict::Unknown)
      unproved = &r;
  ASSERT_TRUE(unproved);
  SmallVector<Expr> shown;
  std::string text = describe(shapes, unproved->condition, &shown);
  EXPECT_THAT(text, HasSubstr("extent of %q dim 0 (B = {0}) must equal extent "
                              "of %k dim 0"));
  EXPECT_EQ(shown.size(), 2u);
  EXPECT_EQ(describe(shapes, unproved->condition, nullptr).find('{'),
            std::string::npos);
  EXPECT_THAT(describeOrigin(*unproved), HasSubstr("linalg.add"));
}
} // namespace
