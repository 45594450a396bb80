//===- Facts.cpp - The engine in Python -----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include <nanobind/stl/optional.h>

using namespace symshape_python;

static void check(symshape_status status) {
  if (status != SYMSHAPE_OK)
    raiseLastError();
}

static void declare(Facts &self, const std::string &name,
                    std::optional<int64_t> min, std::optional<int64_t> max,
                    int64_t modulus, int64_t remainder) {
  symshape_symbol symbol = {};
  symbol.size = sizeof(symbol);
  symbol.name = name.c_str();
  symbol.has_min = min.has_value();
  symbol.min = min.value_or(0);
  symbol.has_max = max.has_value();
  symbol.max = max.value_or(0);
  symbol.modulus = modulus;
  symbol.remainder = remainder;
  check(symshape_facts_declare(self.facts, &symbol));
}

static std::string evaluate(const std::string &expression, nb::dict values) {
  std::vector<std::string> names;
  std::vector<int64_t> numbers;
  for (auto [name, value] : values) {
    names.push_back(nb::cast<std::string>(name));
    numbers.push_back(nb::cast<int64_t>(value));
  }
  std::vector<const char *> pointers;
  for (const std::string &name : names)
    pointers.push_back(name.c_str());
  return takeText(symshape_evaluate(expression.c_str(), pointers.data(),
                                    numbers.data(), numbers.size()));
}

void symshape_python::bindFacts(nb::module_ &module) {
  nb::class_<Facts>(module, "Facts")
      .def("__init__",
           [](Facts *self) { new (self) Facts(symshape_facts_create()); })
      .def("declare", &declare, nb::arg("name"), nb::arg("min").none(),
           nb::arg("max").none(), nb::arg("modulus"), nb::arg("remainder"))
      .def("assume",
           [](Facts &self, const char *relation) {
             check(symshape_facts_assume(self.facts, relation));
           })
      .def("push", [](Facts &self) { check(symshape_facts_push(self.facts)); })
      .def("pop", [](Facts &self) { check(symshape_facts_pop(self.facts)); })
      .def("prove",
           [](Facts &self, const char *relation) {
             return takeText(symshape_facts_prove(self.facts, relation));
           })
      .def("simplify",
           [](Facts &self, const char *expression) {
             return takeText(symshape_facts_simplify(self.facts, expression));
           })
      .def("bounds", [](Facts &self, const char *expression) {
        return takeText(symshape_facts_bounds(self.facts, expression));
      });
  module.def("evaluate", &evaluate);
  module.def("expression_symbols", [](const char *expression) {
    return takeText(symshape_expression_symbols(expression));
  });
}
