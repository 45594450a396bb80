//===- Tensors.cpp - Arrays of Python as tensors, and back ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "DLPack.h"
#include <algorithm>
#include <atomic>
#include <optional>

using namespace symshape_python;
using Code = nb::dlpack::dtype_code;

/// The `symshape_type` of elements; -1 if there is none.
static int toType(nb::dlpack::dtype type) {
  int size = type.bits == 8    ? 0
             : type.bits == 16 ? 1
             : type.bits == 32 ? 2
             : type.bits == 64 ? 3
                               : -1;
  if (type.lanes != 1 || size < 0)
    return -1;
  switch (static_cast<Code>(type.code)) {
  case Code::Bool:
    return size == 0 ? SYMSHAPE_BOOL : -1;
  case Code::Int:
    return SYMSHAPE_I8 + size;
  case Code::UInt:
    return SYMSHAPE_U8 + size;
  case Code::Float:
    return size == 1   ? SYMSHAPE_F16
           : size == 2 ? SYMSHAPE_F32
           : size == 3 ? SYMSHAPE_F64
                       : -1;
  case Code::Bfloat:
    return size == 1 ? SYMSHAPE_BF16 : -1;
  default:
    return -1;
  }
}

static nb::dlpack::dtype toDLPack(int type) {
  auto make = [](Code code, int bits) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code),
                             static_cast<uint8_t>(bits), 1};
  };
  switch (type) {
  case SYMSHAPE_BOOL:
    return make(Code::Bool, 8);
  case SYMSHAPE_I8:
  case SYMSHAPE_I16:
  case SYMSHAPE_I32:
  case SYMSHAPE_I64:
    return make(Code::Int, 8 << (type - SYMSHAPE_I8));
  case SYMSHAPE_U8:
  case SYMSHAPE_U16:
  case SYMSHAPE_U32:
  case SYMSHAPE_U64:
    return make(Code::UInt, 8 << (type - SYMSHAPE_U8));
  case SYMSHAPE_F16:
    return make(Code::Float, 16);
  case SYMSHAPE_BF16:
    return make(Code::Bfloat, 16);
  case SYMSHAPE_F32:
    return make(Code::Float, 32);
  case SYMSHAPE_F64:
    return make(Code::Float, 64);
  default:
    return make(Code::Int, 64);
  }
}

symshape_tensor symshape_python::makeTensor(const Array &array, int type) {
  if (array.ndim() > SYMSHAPE_MAX_RANK)
    throw nb::value_error("expected an array of at most 16 dimensions");
  symshape_tensor tensor = {};
  tensor.data = const_cast<void *>(array.data());
  tensor.type = type < 0 ? toType(array.dtype()) : type;
  tensor.rank = static_cast<int32_t>(array.ndim());
  for (size_t i = 0; i < array.ndim(); ++i)
    tensor.extents[i] = static_cast<int64_t>(array.shape(i));
  return tensor;
}

/// Whether the elements lie at addresses that are multiples of their size.
static bool isAligned(const Array &array) {
  size_t bytes = array.itemsize();
  return bytes == 0 || array.size() == 0 ||
         reinterpret_cast<uintptr_t>(array.data()) % bytes == 0;
}

/// Whether a type is that of NumPy's arrays itself, for which nobody is asked.
/// It is looked up once and kept. No guard of a static: an import may let
/// another thread take the interpreter's lock, which would wait for the guard.
static bool isNumPy(nb::handle type) {
  static std::atomic<PyObject *> array{nullptr};
  if (!array)
    array = nb::object(nb::module_::import_("numpy").attr("ndarray"))
                .release()
                .ptr();
  return type.ptr() == array;
}

/// How far apart neighbours along each dimension are in row-major order.
static void fillRowMajor(const symshape_tensor &tensor, int64_t *strides) {
  int64_t stride = 1;
  for (int32_t d = tensor.rank; d-- > 0;) {
    strides[d] = stride;
    stride *= tensor.extents[d];
  }
}

/// Says of the first `count` inputs where their elements lie: in row-major
/// order, if it has not been said.
static void fillStrides(Inputs &inputs, size_t count) {
  while (inputs.strides.size() < count) {
    const symshape_tensor &tensor = inputs.tensors[inputs.strides.size()];
    symshape_strides dense = {};
    fillRowMajor(tensor, dense.strides);
    inputs.strides.push_back(dense);
  }
}

/// An input that is a buffer.
static void readBuffer(nb::handle program, size_t number, nb::handle argument,
                       Inputs &inputs) {
  auto adapted = nb::cast<nb::tuple>(program.attr("_adapt")(number, argument));
  View view = nb::cast<View>(adapted[0]);
  int type = adapted[1].is_none() ? -1 : nb::cast<int>(adapted[1]);
  Array array(view.handle());
  fillStrides(inputs, number);
  inputs.tensors.push_back(makeTensor(array, type));
  inputs.kept.push_back({std::move(array), nb::object()});
  symshape_strides strides = {};
  for (size_t d = 0; d < view.ndim(); ++d)
    strides.strides[d] = view.stride(d);
  inputs.strides.push_back(strides);
}

/// Whether elements are in row-major order.
static bool isRowMajor(const DLTensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t stride = 1;
  bool isDense = true;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    isDense &= tensor.shape[d] == 1 || tensor.strides[d] == stride;
    stride *= tensor.shape[d];
  }
  return isDense || stride == 0;
}

/// The functions of DLPack for arrays of a type; null if there are none.
static const DLPackExchangeAPI *findExchange(nb::handle program,
                                             nb::handle type) {
  nb::object capsule = program.attr("_exchange_of")(type);
  if (capsule.is_none())
    return nullptr;
  auto *api = static_cast<DLPackExchangeAPI *>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (!api)
    PyErr_Clear();
  return api && api->version.major == 1 ? api : nullptr;
}

/// The tensor that an array is, read by `api`; nullopt for one that others must
/// look at: on a device, with gaps, or whose elements are not what its memory
/// holds.
static std::optional<symshape_tensor> exchange(const DLPackExchangeAPI &api,
                                               nb::handle array) {
  constexpr int32_t cpu = 1;
  DLTensor given = {};
  if (api.tensorFromObject(array.ptr(), &given) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  symshape_tensor tensor = {};
  tensor.data = static_cast<char *>(given.data) + given.byteOffset;
  tensor.type = toType(given.dtype);
  tensor.rank = given.ndim;
  if (given.deviceType != cpu || tensor.type < 0 || !isRowMajor(given) ||
      given.ndim > SYMSHAPE_MAX_RANK ||
      reinterpret_cast<uintptr_t>(tensor.data) % (given.dtype.bits / 8) != 0 ||
      nb::cast<bool>(array.attr("is_neg")()))
    return std::nullopt;
  std::copy_n(given.shape, given.ndim, tensor.extents);
  return tensor;
}

/// An integer of Python as a tensor of rank 0; false for anything else.
static bool readInteger(nb::handle argument, Inputs &inputs) {
  if (!PyLong_CheckExact(argument.ptr()))
    return false;
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(argument.ptr(), &overflow);
  if (overflow)
    return false;
  inputs.numbers.push_back(number);
  symshape_tensor tensor = {};
  tensor.data = &inputs.numbers.back();
  tensor.type = SYMSHAPE_I64;
  inputs.tensors.push_back(tensor);
  inputs.kept.push_back({});
  return true;
}

void symshape_python::readInputs(nb::handle program, nb::args arguments,
                                 const InputKinds &kinds, Inputs &inputs) {
  size_t count = arguments.size();
  inputs.tensors.reserve(count);
  inputs.kept.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (i < kinds.integers.size() && kinds.integers[i] &&
        readInteger(arguments[i], inputs))
      continue;
    nb::handle kind = arguments[i].type();
    if (!inputs.library.is_valid() && !isNumPy(kind)) {
      nb::object library = program.attr("_library_of")(kind);
      if (!library.is_none())
        inputs.library = std::move(library);
    }
    if (kinds.hasBuffers && nb::cast<bool>(program.attr("_is_buffer")(i))) {
      readBuffer(program, i, arguments[i], inputs);
      continue;
    }
    bool isDonated = i < kinds.donated.size() && kinds.donated[i];
    const DLPackExchangeAPI *api =
        isNumPy(kind) ? nullptr : findExchange(program, kind);
    if (api && !inputs.exchange)
      inputs.exchange = api;
    if (api && !isDonated) {
      if (auto tensor = exchange(*api, arguments[i])) {
        inputs.tensors.push_back(*tensor);
        inputs.kept.push_back({Array(), nb::borrow(arguments[i])});
        continue;
      }
    }
    Array array;
    int type = -1;
    bool isArray = (!api || isDonated) &&
                   nb::try_cast<Array>(arguments[i], array, /*convert=*/false);
    if (isArray && isAligned(array))
      type = toType(array.dtype());
    // What is no such array is copied, and the copy can be written to.
    if (type >= 0 && isDonated) {
      nb::ndarray<nb::c_contig, nb::device::cpu> writable;
      if (!nb::try_cast(arguments[i], writable, /*convert=*/false) ||
          nb::cast<bool>(program.attr("_is_immutable")(kind)))
        program.attr("_refuse_donated")(i);
    }
    if (type < 0) {
      nb::tuple adapted =
          nb::cast<nb::tuple>(program.attr("_adapt")(i, arguments[i]));
      if (!nb::try_cast<Array>(adapted[0], array))
        program.attr("_refuse_unreadable")(i);
      if (!adapted[1].is_none())
        type = nb::cast<int>(adapted[1]);
    }
    inputs.tensors.push_back(makeTensor(array, type));
    inputs.kept.push_back({std::move(array), nb::object()});
  }
  if (kinds.hasBuffers)
    fillStrides(inputs, count);
}

namespace {
/// A result, and the input in whose memory it lies if it has none of its own.
struct OwnedResult {
  symshape_tensor tensor;
  Kept input;
  int64_t strides[SYMSHAPE_MAX_RANK] = {}; ///< where DLPack asks for them
  DLManagedTensorVersioned managed = {};
};
} // namespace

/// Takes over a result.
static OwnedResult *own(symshape_tensor &result, const Inputs &inputs) {
  auto *owned = new OwnedResult{result, {}};
  if (!result.owner)
    for (size_t i = 0; i < inputs.tensors.size(); ++i)
      if (inputs.tensors[i].data == result.data)
        owned->input = inputs.kept[i];
  result = symshape_tensor();
  return owned;
}

static void release(OwnedResult *owned) {
  symshape_release_results(&owned->tensor, 1);
  delete owned;
}

nb::list symshape_python::makeResults(std::vector<symshape_tensor> &results,
                                      const Inputs &inputs, bool asDLPack) {
  nb::list list;
  for (symshape_tensor &result : results) {
    OwnedResult *whole = own(result, inputs);
    symshape_tensor *owned = &whole->tensor;
    nb::capsule owner(whole, [](void *pointer) noexcept {
      release(static_cast<OwnedResult *>(pointer));
    });
    size_t shape[SYMSHAPE_MAX_RANK];
    for (int32_t i = 0; i < owned->rank; ++i)
      shape[i] = static_cast<size_t>(owned->extents[i]);
    nb::dlpack::dtype type = toDLPack(owned->type);
    if (asDLPack) {
      list.append(nb::ndarray<nb::array_api>(owned->data, owned->rank, shape,
                                             owner, nullptr, type));
      continue;
    }
    if (owned->type == SYMSHAPE_BF16)
      type = toDLPack(SYMSHAPE_U16);
    list.append(nb::ndarray<nb::numpy>(owned->data, owned->rank, shape, owner,
                                       nullptr, type));
  }
  return list;
}

nb::list symshape_python::exchangeResults(std::vector<symshape_tensor> &results,
                                          const Inputs &inputs) {
  nb::list list;
  for (symshape_tensor &result : results) {
    OwnedResult *owned = own(result, inputs);
    symshape_tensor &tensor = owned->tensor;
    fillRowMajor(tensor, owned->strides);
    owned->managed = {
        inputs.exchange->version,
        owned,
        [](DLManagedTensorVersioned *self) {
          // The input may be Python's.
          nb::gil_scoped_acquire acquire;
          release(static_cast<OwnedResult *>(self->managerContext));
        },
        /*flags=*/0,
        {tensor.data, /*deviceType=*/1, /*deviceId=*/0, tensor.rank,
         toDLPack(tensor.type), tensor.extents, owned->strides,
         /*byteOffset=*/0}};
    void *made;
    if (inputs.exchange->managedToObject(&owned->managed, &made) != 0)
      nb::raise_python_error();
    list.append(nb::steal(static_cast<PyObject *>(made)));
  }
  return list;
}
