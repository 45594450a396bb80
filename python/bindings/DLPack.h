//===- DLPack.h - DLPack's functions for C ----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of what a library gives as `__dlpack_c_exchange_api__`: functions
// that read and make its arrays without a call of Python. Source: DLPack 1.3,
// "C Exchange API". Names are those of the standard.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PYTHON_BINDINGS_DLPACK_H
#define SYMSHAPE_PYTHON_BINDINGS_DLPACK_H

#include <cstdint>
#include <nanobind/ndarray.h>

namespace symshape_python {

struct DLPackVersion {
  uint32_t major, minor;
};

struct DLTensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  nanobind::dlpack::dtype dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: in row-major order
  uint64_t byteOffset;
};

/// A tensor that somebody owns: `deleter` deletes the struct too.
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *managerContext;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor tensor;
};

/// Functions give 0, or -1 with an exception of Python. `deviceType` of memory
/// of this process is 1.
struct DLPackExchangeAPI {
  DLPackVersion version;
  DLPackExchangeAPI *previous;
  void *allocate;
  int (*managedFromObject)(void *object, DLManagedTensorVersioned **made);
  /// Takes over the tensor.
  int (*managedToObject)(DLManagedTensorVersioned *tensor, void **object);
  /// Of an object that outlives `made`.
  int (*tensorFromObject)(void *object, DLTensor *made);
  int (*workStream)(int32_t deviceType, int32_t deviceId, void **stream);
};

} // namespace symshape_python

#endif // SYMSHAPE_PYTHON_BINDINGS_DLPACK_H
