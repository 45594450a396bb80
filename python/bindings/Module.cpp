//===- Module.cpp - The extension module symshape._core -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"

using namespace symshape_python;

/// The class of errors. No object of Python is kept in a static variable, which
/// would be freed after the interpreter.
static nb::object errorClass() {
  return nb::module_::import_("symshape._core").attr("Error");
}

void symshape_python::raiseLastError() {
  symshape_status status;
  std::string message = symshape_last_error(&status);
  nb::object error = errorClass()(message, static_cast<int>(status));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                  error.ptr());
  throw nb::python_error();
}

std::string symshape_python::takeText(char *text) {
  if (!text)
    raiseLastError();
  std::string copy = text;
  symshape_free_text(text);
  return copy;
}

NB_MODULE(_core, module) {
  // PyTorch keeps functions that it compiled, and with them programs, to the
  // end.
  nb::set_leak_warnings(false);
  module.doc() = "The C API of symshape. Use the package `symshape` instead.";
  nb::object error = nb::steal(
      PyErr_NewException("symshape._core.Error", PyExc_Exception, nullptr));
  module.attr("Error") = error;
  module.def("version", &symshape_version);
  module.def("release", &symshape_release);
  bindFacts(module);
  bindProgram(module);
}
