//===- ParserTest.cpp - Modules of PTX as text ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/PTXSimulator/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::symshape::ptx;

/// The module of a text that is right.
static Module parse(const std::string &text) {
  Module module;
  Parser parser(text);
  EXPECT_TRUE(parser.parse(module))
      << parser.complaint.line << ": " << parser.complaint.message;
  return module;
}

/// `LINE: message` of one that is not.
static std::string complaint(const std::string &text) {
  Module module;
  Parser parser(text);
  EXPECT_FALSE(parser.parse(module));
  return std::to_string(parser.complaint.line) + ": " +
         parser.complaint.message;
}

TEST(ParserTest, numbers) {
  Module module =
      parse(".visible .entry k() {\n  op 10, -3, 0x1F, 017, 0b101, 0f3F800000, "
            "0d3FF0000000000000, 1.5, -0f3F800000;\n}\n");
  const std::vector<Operand> &operands = module.functions["k"].body[0].operands;
  ASSERT_EQ(operands.size(), 9u);
  EXPECT_EQ(operands[0].value, 10u);
  EXPECT_EQ(int64_t(operands[1].value), -3);
  EXPECT_EQ(operands[2].value, 31u);
  EXPECT_EQ(operands[3].value, 15u);
  EXPECT_EQ(operands[4].value, 5u);
  EXPECT_EQ(operands[5].kind, Operand::Single);
  EXPECT_EQ(operands[5].value, 0x3f800000u);
  EXPECT_EQ(operands[6].value, 0x3ff0000000000000u);
  EXPECT_EQ(operands[7].kind, Operand::Double);
  EXPECT_EQ(operands[7].value, 0x3ff8000000000000u);
  EXPECT_EQ(operands[8].value, 0xbf800000u);
}

TEST(ParserTest, leavesOutWhatIsForDebuggers) {
  Module module = parse(".version 8.3\n.target sm_80, debug\n.file 1 \"a.c\"\n"
                        ".entry k() {\n  .loc 1 2 3\n  op 0x3340U, 5U;\n}\n"
                        ".section .debug_abbrev\n{\n.b8 1\n.b8 2, 3\n}\n");
  EXPECT_EQ(module.target, "sm_80");
  const std::vector<Operand> &operands = module.functions["k"].body[0].operands;
  EXPECT_EQ(operands[0].value, 0x3340u);
  EXPECT_EQ(operands[1].value, 5u);
}

TEST(ParserTest, operands) {
  Module module =
      parse(".entry k() {\n"
            "  @!%p1 ld.global.L1::no_allocate.v2.u32 {%r1, _}, "
            "[%rd1+-8]; // a comment\n"
            "  /* another\n one */ setp.eq.s32 %p1|%p2, %r1, !%p3;\n"
            "  mov.u64 %rd1, table+4;\n}\n");
  const std::vector<Statement> &body = module.functions["k"].body;
  ASSERT_EQ(body.size(), 3u);
  EXPECT_EQ(body[0].guard, "%p1");
  EXPECT_TRUE(body[0].guardNegated);
  EXPECT_EQ(body[0].opcode, "ld.global.L1::no_allocate.v2.u32");
  EXPECT_EQ(body[0].operands[0].parts[1].text, "_");
  EXPECT_EQ(int64_t(body[0].operands[1].value), -8);
  EXPECT_EQ(body[1].line, 4u);
  EXPECT_EQ(body[1].operands[0].parts[1].text, "%p2");
  EXPECT_TRUE(body[1].operands[2].negated);
  EXPECT_EQ(body[2].operands[1].value, 4u);
}

TEST(ParserTest, scopesHaveNamesOfTheirOwn) {
  Module module =
      parse(".entry k() {\n  .reg .b32 %r<2>;\n  {\n  .reg .b64 %r1;\n"
            "L:\n  op %r1;\n  bra L;\n  }\n  op %r1;\nL:\n}\n");
  Function &function = module.functions["k"];
  EXPECT_NE(function.body[0].operands[0].text, "%r1");
  EXPECT_EQ(function.registers[function.body[0].operands[0].text], 64u);
  EXPECT_EQ(function.body[2].operands[0].text, "%r1");
  EXPECT_EQ(function.registers["%r1"], 32u);
  EXPECT_EQ(function.labels.size(), 2u);
}

TEST(ParserTest, variables) {
  Module module = parse(".global .align 8 .b8 a[2][3] = {{1, 2, 3}, {4}};\n"
                        ".const .f32 f = 0f3F800000;\n"
                        ".extern .shared .align 16 .b8 s[];\n"
                        ".global .u64 p = generic(a);\n");
  ASSERT_EQ(module.variables.size(), 4u);
  EXPECT_EQ(module.variables[0].bytes(), 6u);
  EXPECT_EQ(module.variables[0].init, (std::vector<uint8_t>{1, 2, 3, 4}));
  EXPECT_EQ(module.variables[0].alignment, 8u);
  EXPECT_EQ(module.variables[1].init[3], 0x3f);
  EXPECT_TRUE(module.variables[2].isExtern);
  EXPECT_EQ(module.variables[2].bytes(), 0u);
  EXPECT_EQ(module.variables[3].relocations[0].symbol, "a");
}

TEST(ParserTest, complaints) {
  EXPECT_EQ(complaint(".entry k() {\n  op 1\n}"),
            "3: expected ',', but got '}'");
  EXPECT_EQ(complaint(".entry k() {\n  op 1;"),
            "2: expected '}', but got the end of the text");
  EXPECT_EQ(complaint("\n.entry k() {\n  .wrong 3;\n}"),
            "3: expected a directive of a function, but got '.wrong'");
  EXPECT_EQ(complaint(".entry k() {\nL:\nL:\n}"),
            "4: expected 'L' to be defined once, but got '}'");
  EXPECT_EQ(complaint(".entry k() {}\n.entry k() {}"),
            "2: 'k' is defined twice");
  EXPECT_EQ(complaint(".global .b8 a[99999999999999999999];"),
            "1: expected an extent of at most 2^40, but got ']'");
}

/// Text with pieces that are left out, repeated or changed ends in a module or
/// a complaint, and nothing else.
TEST(ParserTest, survivesDamagedText) {
  const std::string text =
      ".version 8.3\n.target sm_80\n.global .align 4 .u32 t[2] = {1, t+4};\n"
      ".func (.param .b32 r) f(.param .b32 a) {\n  ret;\n}\n"
      ".visible .entry k(.param .u64 .ptr .global .align 4 p) .maxntid 32, 1, "
      "1 {\n"
      "  .reg .b32 %r<3>;\n  { .param .b32 x; call (x), f, (x); }\n"
      "  @!%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1+4];\nL: .branchtargets A, "
      "B;\n"
      "A:\n  bra A;\n  add.f32 %r1, 0f3F800000, -1.5;\n}\n";
  std::mt19937 random(7);
  unsigned modules = 0, complaints = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      size_t place = random() % damaged.size(), length = random() % 9;
      switch (random() % 3) {
      case 0:
        damaged.erase(place, length);
        break;
      case 1:
        damaged.insert(place, text.substr(random() % text.size(), length));
        break;
      default:
        damaged[place] = char(random());
      }
    }
    Module module;
    Parser parser(damaged);
    ++(parser.parse(module) ? modules : complaints);
  }
  EXPECT_GT(modules, 500u);
  EXPECT_GT(complaints, 5000u);
}
