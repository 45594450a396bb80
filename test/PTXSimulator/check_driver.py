# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entries of the driver beside kernels: memory, streams, events, graphs, modules, and calls
that are made to fail.

    check_driver.py LIBRARY
"""

import ctypes
import os
import subprocess
import sys
import threading

import numpy as np
from ptx_device import Device, DriverError

library = sys.argv[1]
TEXT = """.version 8.3
.target sm_80
.address_size 64
.visible .global .align 4 .u32 step = 5;
.visible .entry add(.param .u64 add_0) {
  .reg .b32 %r<4>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [add_0];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %d1, %r1, 4, %d1;
  ld.global.u32 %r2, [step];
  ld.global.u32 %r3, [%d1];
  add.u32 %r3, %r3, %r2;
  st.global.u32 [%d1], %r3;
  ret;
}
"""
checks = 0


def expect(what, holds):
    global checks
    if not holds:
        sys.exit(f"{what}: does not hold")
    checks += 1


def refused(what, result, function, *arguments):
    try:
        function(*arguments)
    except DriverError as error:
        expect(f"{what}: {error}", error.result == result)
        return
    sys.exit(f"{what}: expected {result}")


def touch_device():
    """What a host does that follows a device's address: it has to be stopped."""
    device = Device(library)
    array = device.array(np.zeros(4, np.uint32))
    ctypes.c_uint32.from_address(array.pointer).value = 1
    print("not stopped")


def child(*arguments, **environment):
    return subprocess.run([sys.executable, __file__, library, *arguments], env=os.environ | environment,
                          capture_output=True, text=True, check=False)  # lint: any status


if len(sys.argv) > 2:
    touch_device()
    sys.exit()

device = Device(library)
call = device.call
module = device.module(TEXT)
kernel = module.kernel("add")
STREAM, PINNED = ctypes.c_void_p(), ctypes.c_void_p()


def memory():
    array = device.array(np.arange(8, dtype=np.uint32))
    half = np.empty(4, np.uint32)
    call("cuMemcpyDtoH_v2", half.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(array.pointer + 16), ctypes.c_size_t(16))
    expect("a copy from the middle", half.tolist() == [4, 5, 6, 7])
    refused("a copy past the end", 1, call, "cuMemcpyDtoH_v2", half.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(array.pointer + 20), ctypes.c_size_t(16))
    call("cuMemsetD32_v2", ctypes.c_uint64(array.pointer), ctypes.c_uint(7), ctypes.c_size_t(3))
    call("cuMemcpyDtoD_v2", ctypes.c_uint64(array.pointer + 16), ctypes.c_uint64(array.pointer), ctypes.c_size_t(8))
    expect("fills and copies", array.get().tolist() == [7, 7, 7, 3, 7, 7, 6, 7])
    refused("a fill past the end", 1, call, "cuMemsetD8_v2", ctypes.c_uint64(array.pointer), ctypes.c_ubyte(1), ctypes.c_size_t(33))
    begin, size = ctypes.c_uint64(), ctypes.c_size_t()
    call("cuMemGetAddressRange_v2", ctypes.byref(begin), ctypes.byref(size), ctypes.c_uint64(array.pointer + 5))
    expect("the range", (begin.value, size.value) == (array.pointer, 32))
    array.free()
    refused("a second free", 1, array.free)
    refused("use after free", 1, array.get)
    pointer = ctypes.c_uint64()
    refused("no bytes", 1, call, "cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(0))
    refused("too much", 2, call, "cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(1 << 40))
    call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(16))
    fresh = np.empty(4, np.float32)
    call("cuMemcpyDtoH_v2", fresh.ctypes.data_as(ctypes.c_void_p), pointer, ctypes.c_size_t(16))
    expect("new memory is NaN", bool(np.isnan(fresh).all()))
    call("cuMemFree_v2", pointer)
    stopped = child("touch")
    expect("a host that follows an address is stopped", stopped.returncode != 0 and "not stopped" not in stopped.stdout)


def modules():
    refused("a kernel that is not there", 500, module.kernel, "subtract")
    address, size = ctypes.c_uint64(), ctypes.c_size_t()
    call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module.handle, b"step")
    expect("the size of a variable", size.value == 4)
    value = np.array([9], np.uint32)
    call("cuMemcpyHtoD_v2", address, value.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(4))
    array = device.array(np.zeros(32, np.uint32))
    device.launch(kernel, 1, 32, [array])
    expect("a variable that the host wrote", array.get().tolist() == [9] * 32)
    array.free()
    refused("a binary", 209, device.module, "\x7fELF")
    log, handle = ctypes.create_string_buffer(200), ctypes.c_void_p()
    options, values = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.addressof(log), 200)
    refused("a text", 218, call, "cuModuleLoadDataEx", ctypes.byref(handle), b"frob", ctypes.c_uint(2), options, values)
    expect("the log", b"expected a directive of a module, but got 'frob'" in log.value)
    value = ctypes.c_int()
    for attribute, wanted in ((75, 8), (76, 0), (10, 32), (97, 166912)):
        call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(attribute), ctypes.c_int(0))
        expect(f"attribute {attribute}", value.value == wanted)


def streams():
    """Work happens when it is waited for, and in order."""
    array = device.array(np.zeros(32, np.uint32))
    call("cuMemHostAlloc", ctypes.byref(PINNED), ctypes.c_size_t(128), ctypes.c_uint(0))
    call("cuStreamCreate", ctypes.byref(STREAM), ctypes.c_uint(1))
    host = np.ctypeslib.as_array(ctypes.cast(PINNED, ctypes.POINTER(ctypes.c_uint32)), (32,))
    host[:] = 1
    call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(array.pointer), PINNED, ctypes.c_size_t(128), STREAM)
    device.launch(kernel, 1, 32, [array], stream=STREAM)
    call("cuMemcpyDtoHAsync_v2", PINNED, ctypes.c_uint64(array.pointer), ctypes.c_size_t(128), STREAM)
    eager = os.environ.get("SYMSHAPE_PTXSIM_STREAMS") == "eager"
    expect("before the wait", host[0] == (10 if eager else 1))
    call("cuStreamSynchronize", STREAM)
    expect("after the wait", host.tolist() == [10] * 32)
    # Another stream, behind an event.
    other, event, end = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuStreamCreate", ctypes.byref(other), ctypes.c_uint(1))
    call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(0))
    call("cuEventCreate", ctypes.byref(end), ctypes.c_uint(0))
    device.launch(kernel, 1, 32, [array], stream=STREAM)
    call("cuEventRecord", event, STREAM)
    call("cuStreamWaitEvent", other, event, ctypes.c_uint(0))
    call("cuMemcpyDtoHAsync_v2", PINNED, ctypes.c_uint64(array.pointer), ctypes.c_size_t(128), other)
    call("cuEventRecord", end, other)
    if not eager:
        refused("an event that has not happened", 600, call, "cuEventElapsedTime", ctypes.byref(ctypes.c_float()), event, end)
    call("cuEventSynchronize", end)
    expect("behind an event", host.tolist() == [19] * 32)
    took = ctypes.c_float(-1)
    call("cuEventElapsedTime", ctypes.byref(took), event, end)
    expect("the time between", took.value >= 0)
    # A graph, launched twice.
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuStreamBeginCapture_v2", STREAM, ctypes.c_int(0))
    device.launch(kernel, 1, 32, [array], stream=STREAM)
    call("cuMemcpyDtoHAsync_v2", PINNED, ctypes.c_uint64(array.pointer), ctypes.c_size_t(128), STREAM)
    refused("a wait in a capture", 900, call, "cuStreamSynchronize", STREAM)
    call("cuStreamEndCapture", STREAM, ctypes.byref(graph))
    call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
    for _ in range(2):
        call("cuGraphLaunch", executable, STREAM)
    call("cuStreamSynchronize", STREAM)
    expect("a graph", host.tolist() == [37] * 32)
    expect("counts", (device.count("graphs"), device.count("streams"), device.count("events"), device.count("host allocations")) == (2, 2, 2, 1))
    for name, handle in (("cuGraphExecDestroy", executable), ("cuGraphDestroy", graph), ("cuEventDestroy_v2", event), ("cuEventDestroy_v2", end),
                         ("cuStreamDestroy_v2", other), ("cuStreamDestroy_v2", STREAM), ("cuMemFreeHost", PINNED)):
        call(name, handle)
        refused(f"{name} twice", 1 if name == "cuMemFreeHost" else 400, call, name, handle)
    array.free()
    expect("nothing is left", device.count("allocations") == 1)  # the module's variable


def session():
    """What a program does from begin to end; gives back whatever it has got, also when a call
    fails."""
    held = []
    try:
        own = device.module(TEXT)
        held.append(own.unload)
        array = device.array(np.zeros(32, np.uint32))
        held.append(array.free)
        device.launch(own.kernel("add"), 1, 32, [array])
        return array.get().tolist()
    finally:
        for release in reversed(held):
            try:
                release()
            except DriverError:
                checked.append("release")


def threads():
    """The context is current where it was made so, and nowhere else."""
    results = []

    def work():
        pointer, context = ctypes.c_uint64(), ctypes.c_void_p()
        results.append(device.library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4)))
        device.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(0))
        device.call("cuCtxPushCurrent_v2", context)
        results.append(device.library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4)))
        results.append(device.library.cuMemFree_v2(pointer))
        device.call("cuCtxPopCurrent_v2", None)
        device.call("cuDevicePrimaryCtxRelease_v2", ctypes.c_int(0))
        results.append(device.library.cuCtxSynchronize())
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    expect(f"a thread of its own: {results}", results == [201, 0, 0, 201])


def failures():
    """Each call of a session fails in turn: told, nothing left, and the next session works."""
    calls = device.count("calls")
    wanted = session()
    calls = device.count("calls") - calls
    before = [device.count(what) for what in ("allocations", "modules")]
    failed = 0
    for number in range(1, calls + 1):
        for code in (2, 999):
            device.fail_at(number, code)
            released = len(checked)
            try:
                result = session()
                failed += len(checked) > released and result == wanted
            except DriverError as error:
                failed += error.result == code
            device.fail_at(0, 0)
            after = [device.count(what) for what in ("allocations", "modules")]
            # An array whose first copy fails has no owner yet; the wrapper is not what is tested.
            if after[0] > before[0]:
                before = after
            expect("what is left", after[1] == before[1] and session() == wanted)
    expect(f"{failed} failures of {2 * calls}", failed == 2 * calls and calls >= 8)


def faults():
    """After a kernel failed, everything fails the same way until the context is reset."""
    array = device.array(np.zeros(16, np.uint32))
    refused("a launch past the end", 700, device.launch, kernel, 1, 32, [array])
    refused("what comes after", 700, array.get)
    device.reset()
    again = device.module(TEXT).kernel("add")
    array = device.array(np.zeros(32, np.uint32))
    device.launch(again, 1, 32, [array])
    expect("after the reset", array.get().tolist() == [5] * 32)
    call("cuDevicePrimaryCtxRelease_v2", ctypes.c_int(0))
    expect("what was left at the end", device.count("leaked") >= 2)
    refused("no context", 201, call, "cuCtxSynchronize")


checked = []
memory()
modules()
streams()
threads()
failures()
faults()
name = ctypes.c_char_p()
call("cuGetErrorName", ctypes.c_int(716), ctypes.byref(name))
expect("a name", name.value == b"CUDA_ERROR_MISALIGNED_ADDRESS")
print(f"{checks} checks")
if checks < 62:
    sys.exit("expected at least 62 checks")
