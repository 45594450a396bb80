//===- Streams.cpp - Entries about streams, events and graphs -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is the list of what was sent to a stream while it was captured.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include <chrono>

using namespace mlir::symshape::ptx;

static double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch())
      .count();
}

extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return runCall("cuStreamCreate", Needs::Context, [&](Driver &driver) {
    *stream = driver.streams.make();
    (*stream)->isBlocking = !(flags & 1);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return runCall(
      "cuStreamDestroy_v2", Needs::Context,
      [&](Driver &driver) {
        if (!driver.streams.has(stream))
          return CUDA_ERROR_INVALID_HANDLE;
        driver.drain(*stream);
        for (auto &entry : driver.events.objects)
          if (entry.second->stream == stream)
            entry.second->stream = nullptr;
        if (stream->capture)
          driver.graphs.remove(stream->capture);
        driver.streams.remove(stream);
        return CUDA_SUCCESS;
      },
      /*givesBack=*/true);
}

CUresult cuStreamSynchronize(CUstream stream) {
  return runCall("cuStreamSynchronize", Needs::Context, [&](Driver &driver) {
    CUstream_st *found = driver.find(stream);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    if (found->capture)
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return found == &driver.defaultStream ? driver.drainBlocking()
                                          : driver.drain(*found);
  });
}

CUresult cuStreamQuery(CUstream stream) {
  return runCall("cuStreamQuery", Needs::Context, [&](Driver &driver) {
    CUstream_st *found = driver.find(stream);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    if (found->queue.empty())
      return CUDA_SUCCESS;
    driver.drain(*found); // who asks again and again gets there
    return CUDA_ERROR_NOT_READY;
  });
}

CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *),
                          void *data) {
  return runCall("cuLaunchHostFunc", Needs::Context, [&](Driver &driver) {
    return driver.submit(stream, [=](Driver &) {
      function(data);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  return runCall("cuEventCreate", Needs::Context, [&](Driver &driver) {
    *event = driver.events.make();
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return runCall(
      "cuEventDestroy_v2", Needs::Context,
      [&](Driver &driver) {
        return driver.events.remove(event) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_HANDLE;
      },
      /*givesBack=*/true);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return runCall("cuEventRecord", Needs::Context, [&](Driver &driver) {
    CUstream_st *found = driver.find(stream);
    if (!found || !driver.events.has(event))
      return CUDA_ERROR_INVALID_HANDLE;
    event->stream = found;
    uint64_t number = ++event->records;
    return driver.submit(stream, [=](Driver &later) {
      if (later.events.has(event)) {
        event->happened = number;
        event->milliseconds = now();
      }
      return CUDA_SUCCESS;
    });
  });
}

/// Runs the stream of an event until the event has happened.
static CUresult waitFor(Driver &driver, CUevent event) {
  if (!driver.events.has(event) || event->happened == event->records ||
      !event->stream)
    return CUDA_SUCCESS;
  return driver.drain(*event->stream, event);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return runCall("cuStreamWaitEvent", Needs::Context, [&](Driver &driver) {
    if (!driver.events.has(event))
      return CUDA_ERROR_INVALID_HANDLE;
    return driver.submit(stream,
                         [=](Driver &later) { return waitFor(later, event); });
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return runCall("cuEventSynchronize", Needs::Context, [&](Driver &driver) {
    return driver.events.has(event) ? waitFor(driver, event)
                                    : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventQuery(CUevent event) {
  return runCall("cuEventQuery", Needs::Context, [&](Driver &driver) {
    if (!driver.events.has(event))
      return CUDA_ERROR_INVALID_HANDLE;
    if (event->happened == event->records)
      return CUDA_SUCCESS;
    waitFor(driver, event);
    return CUDA_ERROR_NOT_READY;
  });
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  return runCall("cuEventElapsedTime", Needs::Context, [&](Driver &driver) {
    if (!driver.events.has(begin) || !driver.events.has(end) ||
        !begin->records || !end->records)
      return CUDA_ERROR_INVALID_HANDLE;
    if (begin->happened != begin->records || end->happened != end->records)
      return CUDA_ERROR_NOT_READY;
    *milliseconds = float(end->milliseconds - begin->milliseconds);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  return runCall(
      "cuStreamBeginCapture_v2", Needs::Context, [&](Driver &driver) {
        if (!driver.streams.has(stream)) // stream 0 cannot be captured
          return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        if (stream->capture)
          return CUDA_ERROR_ILLEGAL_STATE;
        driver.drain(*stream);
        stream->capture = driver.graphs.make();
        return CUDA_SUCCESS;
      });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return runCall("cuStreamEndCapture", Needs::Context, [&](Driver &driver) {
    if (!driver.streams.has(stream) || !stream->capture)
      return CUDA_ERROR_ILLEGAL_STATE;
    *graph = stream->capture;
    stream->capture = nullptr;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long) {
  return runCall("cuGraphInstantiateWithFlags", Needs::Context,
                 [&](Driver &driver) {
                   if (!driver.graphs.has(graph))
                     return CUDA_ERROR_INVALID_HANDLE;
                   *executable = driver.executables.make();
                   (*executable)->operations = graph->operations;
                   return CUDA_SUCCESS;
                 });
}

/// The result: a word that says what did not fit, and two nodes.
struct CUgraphExecUpdateResultInfo {
  int result;
  void *errorNode, *errorFromNode;
};

CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                              CUgraphExecUpdateResultInfo *info) {
  return runCall("cuGraphExecUpdate_v2", Needs::Context, [&](Driver &driver) {
    if (!driver.executables.has(executable) || !driver.graphs.has(graph))
      return CUDA_ERROR_INVALID_HANDLE;
    bool fits = executable->operations.size() == graph->operations.size();
    *info = {fits ? 0 : 2, nullptr, nullptr};
    if (!fits)
      return CUresult(910); // CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
    executable->operations = graph->operations;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return runCall("cuGraphLaunch", Needs::Context, [&](Driver &driver) {
    if (!driver.executables.has(executable))
      return CUDA_ERROR_INVALID_HANDLE;
    return driver.submit(stream,
                         [operations = executable->operations](Driver &later) {
                           for (const Operation &operation : operations) {
                             CUresult result = operation(later);
                             if (result != CUDA_SUCCESS)
                               return result;
                           }
                           return CUDA_SUCCESS;
                         });
  });
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return runCall(
      "cuGraphExecDestroy", Needs::Context,
      [&](Driver &driver) {
        return driver.executables.remove(executable)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_HANDLE;
      },
      /*givesBack=*/true);
}

CUresult cuGraphDestroy(CUgraph graph) {
  return runCall(
      "cuGraphDestroy", Needs::Context,
      [&](Driver &driver) {
        return driver.graphs.remove(graph) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_HANDLE;
      },
      /*givesBack=*/true);
}

} // extern "C"
