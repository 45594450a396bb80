# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A CUDA driver through ctypes: modules of PTX, arrays of NumPy, launches.

    device = Device("build/lib/libsymshape_ptxsim.so")    # or "libcuda.so.1"
    kernel = device.module(text).kernel("add")
    out = device.array(numpy.zeros(8, numpy.float32))
    device.launch(kernel, 1, 8, [out, numpy.uint32(8)])
    out.get()

An array is passed as its address, a scalar of NumPy by its value. What the driver
refuses raises DriverError.
"""

import ctypes

import numpy as np


class DriverError(Exception):
    def __init__(self, call, result, message):
        super().__init__(f"{call}: {result}" + (f": {message}" if message else ""))
        self.call, self.result, self.message = call, result, message


class Array:
    """Elements on the device; freed by `free`, or with the context."""

    def __init__(self, device, like):
        self.device, self.shape, self.dtype = device, like.shape, like.dtype
        self.bytes = like.nbytes
        pointer = ctypes.c_uint64()
        device.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(self.bytes, 1)))
        self.pointer = pointer.value
        self.set(like)

    def set(self, values):
        values = np.ascontiguousarray(values, self.dtype)
        self.device.call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.pointer),
                         values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(values.nbytes))

    def get(self):
        values = np.empty(self.shape, self.dtype)
        self.device.call("cuMemcpyDtoH_v2", values.ctypes.data_as(ctypes.c_void_p),
                         ctypes.c_uint64(self.pointer), ctypes.c_size_t(values.nbytes))
        return values

    def free(self):
        self.device.call("cuMemFree_v2", ctypes.c_uint64(self.pointer))


class Module:
    def __init__(self, device, text):
        self.device = device
        self.handle = ctypes.c_void_p()
        device.call("cuModuleLoadDataEx", ctypes.byref(self.handle), text.encode() + b"\0",
                    ctypes.c_uint(0), None, None)

    def kernel(self, name):
        function = ctypes.c_void_p()
        self.device.call("cuModuleGetFunction", ctypes.byref(function), self.handle, name.encode())
        return function

    def unload(self):
        self.device.call("cuModuleUnload", self.handle)


def triple(extents):
    extents = (extents,) if isinstance(extents, int) else tuple(extents)
    return [ctypes.c_uint(extent) for extent in extents + (1,) * (3 - len(extents))]


class Device:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.call("cuInit", ctypes.c_uint(0))
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(0))
        self.call("cuCtxSetCurrent", context)

    def message(self):
        """What the simulator said last; empty for a real driver."""
        if not hasattr(self.library, "symshape_ptxsim_message"):
            return ""
        self.library.symshape_ptxsim_message.restype = ctypes.c_char_p
        return self.library.symshape_ptxsim_message().decode()

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result != 0:
            raise DriverError(name, result, self.message())

    def count(self, what):
        function = self.library.symshape_ptxsim_count
        function.restype = ctypes.c_int64
        return function(what.encode())

    def fail_at(self, call, result):
        """The call that comes `call` calls from now gives `result`; none does if it is 0. Of the simulator."""
        self.library.symshape_ptxsim_fail_at(ctypes.c_int64(call), ctypes.c_int(result))

    def reset(self):
        """Forgets everything, a fault included."""
        self.call("cuDevicePrimaryCtxReset_v2", ctypes.c_int(0))

    def module(self, text):
        return Module(self, text)

    def array(self, values):
        return Array(self, np.ascontiguousarray(values))

    def launch(self, kernel, grid, block, arguments, shared=0, stream=None):
        holders = [ctypes.c_uint64(one.pointer) if isinstance(one, Array)
                   else (ctypes.c_char * one.nbytes).from_buffer_copy(one.tobytes())
                   for one in arguments]
        pointers = (ctypes.c_void_p * max(len(holders), 1))(
            *[ctypes.cast(ctypes.byref(holder), ctypes.c_void_p) for holder in holders])
        self.call("cuLaunchKernel", kernel, *triple(grid), *triple(block), ctypes.c_uint(shared),
                  stream, pointers, None)
        if stream is None:
            self.call("cuCtxSynchronize")


if __name__ == "__main__":
    import sys

    name = ctypes.create_string_buffer(100)
    Device(sys.argv[1]).call("cuDeviceGetName", name, ctypes.c_int(100), ctypes.c_int(0))
    print(name.value.decode())
