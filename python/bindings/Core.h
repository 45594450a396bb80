//===- Core.h - What the files of the bindings share ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API as Python sees it, type by type. What errors and texts mean is
// decided in Python (python/symshape), not here.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PYTHON_BINDINGS_CORE_H
#define SYMSHAPE_PYTHON_BINDINGS_CORE_H

#include "symshape-c/Inspect.h"
#include <memory>
#include <mutex>
#include <deque>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

namespace symshape_python {

namespace nb = nanobind;

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
/// One whose elements may lie anywhere.
using View = nb::ndarray<nb::ro, nb::device::cpu>;

struct DLPackExchangeAPI;

/// What holds on to the memory of an input: one of both.
struct Kept {
  Array array;
  nb::object object;
};

/// What is known of the inputs of a program.
struct InputKinds {
  std::vector<bool> donated;  ///< input by input
  std::vector<bool> integers; ///< i64 or index: takes Python's integers
  bool hasBuffers = false;    ///< what each is, Python knows
};

/// What a call reads.
struct Inputs {
  std::vector<symshape_tensor> tensors;
  std::vector<symshape_strides> strides; ///< empty: all in row-major order
  std::vector<Kept> kept;                ///< for each tensor
  std::deque<int64_t> numbers;           ///< those of Python, in memory
  nb::object library; ///< a text, whose arrays were given first; null: NumPy's
  /// How arrays of that library are made; null: by a call of Python.
  const DLPackExchangeAPI *exchange = nullptr;
};

/// Reads the arguments of a call: integers; arrays by the functions of
/// `program._exchange_of(type)`, if it gives some; or as an array that a library
/// gives. What is not an array in row-major order is given to
/// `program._adapt(number, argument)`, which makes one, and the number of its
/// `symshape_type`, or None. If the program has buffers, and
/// `program._is_buffer(number)`, it gives an array with strides that the buffer
/// takes. `program._library_of(type)` says whose arrays are not NumPy's. Those
/// that are donated must be writable, or `program._refuse_donated(number)`
/// raises.
void readInputs(nb::handle program, nb::args arguments, const InputKinds &kinds,
                Inputs &inputs);

/// The tensor that an array is; `type` is a `symshape_type`, or negative for
/// that of the array.
symshape_tensor makeTensor(const Array &array, int type);

/// Results as objects that own them: as NumPy arrays, where a bf16 is a uint16,
/// or as objects of DLPack. `results` hold nothing afterwards. One without an
/// owner lies in an input.
nb::list makeResults(std::vector<symshape_tensor> &results,
                     const Inputs &inputs, bool asDLPack);

/// Results as arrays of the library whose functions are `inputs.exchange`.
nb::list exchangeResults(std::vector<symshape_tensor> &results,
                         const Inputs &inputs);

/// Takes over text of the library; raises the last error where it is null.
std::string takeText(char *text);
/// Raises the last error of the library as `symshape._core.Error`.
[[noreturn]] void raiseLastError();

/// The options of a dictionary as the C API takes them, and what they point to.
class Options {
public:
  explicit Options(nb::dict values);
  Options(const Options &) = delete;

  symshape_options options = {};
  std::vector<Array> weights;

private:
  const char *keep(nb::handle text);

  std::vector<std::unique_ptr<std::string>> texts;
  std::vector<symshape_tensor> first;
  Inputs firstInputs;
  std::vector<symshape_named_tensor> named;
  std::vector<symshape_version_request> versions;
  std::vector<symshape_donation> donations;
  std::vector<const char *> facts;
};

void bindProgram(nb::module_ &module);
void bindFacts(nb::module_ &module);

/// A set of facts; destroyed with the object.
struct Facts {
  explicit Facts(symshape_facts *facts) : facts(facts) {}
  Facts(const Facts &) = delete;
  ~Facts() { symshape_facts_destroy(facts); }
  symshape_facts *facts;
};

} // namespace symshape_python

#endif // SYMSHAPE_PYTHON_BINDINGS_CORE_H
