# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime as a contestant: sessions over small graphs, inputs bound once."""

import numpy as np
import onnxruntime
from onnx import helper, numpy_helper

from contest import aligned


def session(model, threads):
    """All optimisations; inputs and outputs stay where the caller binds them."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])


def graph(nodes, inputs, output, constants=None, opset=20):
    """A serialised model; `inputs` maps names to symbolic shapes, `output` is (name, shape)."""
    infos = [helper.make_tensor_value_info(name, 1, shape) for name, shape in inputs.items()]
    result = helper.make_tensor_value_info(output[0], 1, output[1])
    weights = [numpy_helper.from_array(np.ascontiguousarray(array), name)
               for name, array in (constants or {}).items()]
    model = helper.make_model(helper.make_graph(nodes, "g", infos, [result], weights),
                              opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    return model.SerializeToString()


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs.split(), [output], **attributes)


class Bound:
    """A session with inputs and its output bound to arrays; calling it runs it."""

    def __init__(self, session, inputs, output_shape):
        self.session, self.arrays = session, inputs
        self.output = aligned(np.zeros(output_shape, np.float32))
        self.binding = session.io_binding()
        for name, array in inputs.items():
            self.binding.bind_input(name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
        self.binding.bind_output(session.get_outputs()[0].name, "cpu", 0, np.float32, self.output.shape,
                                 self.output.ctypes.data)

    def __call__(self):
        self.session.run_with_iobinding(self.binding)
