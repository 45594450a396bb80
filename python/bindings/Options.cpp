//===- Options.cpp - Options from a dictionary ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"

using namespace symshape_python;

/// A copy that lives as long as the options; NULL for None.
const char *Options::keep(nb::handle text) {
  if (text.is_none())
    return nullptr;
  texts.push_back(std::make_unique<std::string>(nb::cast<std::string>(text)));
  return texts.back()->c_str();
}

Options::Options(nb::dict values) {
  auto get = [&](const char *name) { return nb::object(values[name]); };
  options.size = sizeof(options);
  options.entry = keep(get("entry"));
  options.weights = keep(get("weights"));
  options.no_guards = !nb::cast<bool>(get("guards"));
  options.threads = nb::cast<int32_t>(get("threads"));
  options.cpu = keep(get("cpu"));
  options.target = keep(get("target"));
  options.precision = keep(get("precision"));
  options.no_memory_plan = !nb::cast<bool>(get("plan_memory"));
  options.dynamic = nb::cast<int32_t>(get("dynamic"));
  options.async = nb::cast<int32_t>(get("when"));
  options.state = keep(get("state"));
  options.state_limit = nb::cast<uint64_t>(get("state_limit"));
  options.events = keep(get("events"));
  options.show_progress = nb::cast<bool>(get("progress"));
  for (nb::handle pair : nb::cast<nb::list>(get("first_inputs"))) {
    nb::tuple adapted = nb::cast<nb::tuple>(pair);
    firstInputs.kept.push_back({nb::cast<Array>(adapted[0]), nb::object()});
    int type = adapted[1].is_none() ? -1 : nb::cast<int>(adapted[1]);
    firstInputs.tensors.push_back(
        makeTensor(firstInputs.kept.back().array, type));
  }
  options.first_inputs = firstInputs.tensors.data();
  options.num_first_inputs = static_cast<int64_t>(firstInputs.tensors.size());
  for (nb::handle item : nb::cast<nb::list>(get("weight_tensors"))) {
    nb::tuple given = nb::cast<nb::tuple>(item);
    weights.push_back(nb::cast<Array>(given[1]));
    int type = given[2].is_none() ? -1 : nb::cast<int>(given[2]);
    named.push_back({keep(given[0]), makeTensor(weights.back(), type)});
  }
  options.weight_tensors = named.data();
  options.num_weight_tensors = static_cast<int64_t>(named.size());
  for (nb::handle fact : nb::cast<nb::list>(get("facts")))
    facts.push_back(keep(fact));
  options.facts = facts.data();
  options.num_facts = static_cast<int64_t>(facts.size());
  for (nb::handle item : nb::cast<nb::list>(get("versions"))) {
    nb::tuple version = nb::cast<nb::tuple>(item);
    versions.push_back({keep(version[0]), keep(version[1])});
  }
  options.versions = versions.data();
  options.num_versions = static_cast<int64_t>(versions.size());
  for (nb::handle item : nb::cast<nb::list>(get("donations"))) {
    nb::tuple donation = nb::cast<nb::tuple>(item);
    donations.push_back({keep(donation[0]), keep(donation[1])});
  }
  options.donations = donations.data();
  options.num_donations = static_cast<int64_t>(donations.size());
  options.donate_all = nb::cast<bool>(get("donate_all"));
}
