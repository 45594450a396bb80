# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime as a contestant: sessions over small graphs, inputs bound once."""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from contest import aligned


def session(model, threads):
    """All optimisations; inputs and outputs stay where the caller binds them."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])


def graph(nodes, inputs, output, constants=None, opset=20, element=TensorProto.FLOAT):
    """A serialised model; `inputs` maps names to symbolic shapes, `output` is (name, shape), all of `element`."""
    infos = [helper.make_tensor_value_info(name, element, shape) for name, shape in inputs.items()]
    result = helper.make_tensor_value_info(output[0], element, output[1])
    weights = [numpy_helper.from_array(np.ascontiguousarray(array), name)
               for name, array in (constants or {}).items()]
    model = helper.make_model(helper.make_graph(nodes, "g", infos, [result], weights),
                              opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    return model.SerializeToString()


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs.split(), [output], **attributes)


class Bound:
    """A session with inputs and outputs bound to arrays; calling it runs it.

    Without `output_shape`, that of one float output, outputs are those of a first run.
    """

    def __init__(self, session, inputs, output_shape=None):
        self.session, self.arrays = session, inputs
        if output_shape is None:
            self.outputs = [aligned(array, array.dtype) for array in session.run(None, inputs)]
        else:
            self.outputs = [aligned(np.zeros(output_shape, np.float32))]
        self.output = self.outputs[0]
        self.binding = session.io_binding()
        for name, array in inputs.items():
            self.binding.bind_input(name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
        for info, array in zip(session.get_outputs(), self.outputs):
            self.binding.bind_output(info.name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)

    def __call__(self):
        self.session.run_with_iobinding(self.binding)

    def results(self):
        return self.outputs
