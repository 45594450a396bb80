#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write MediaPipe's networks as TOSA with open extents, with what TF Lite computes.

    tosa_tflite_models.py MEDIAPIPE FOLDER [--filter=REGEX]

Needs utils/requirements/tosa-models-tflite.txt and `mlir-opt-22`; MEDIAPIPE is the
unpacked wheel. FOLDER gets NAME.mlir and NAME.npz, as tosa_torch_models.py writes
them; `cN_ownK` is how far two sets of kernels of TF Lite are apart. At sizes other
than its own, TF Lite gets the network with the constants that come from the size of
the image (targets of reshapes, slices and resizes) in proportion; where its results
have no batch of their own, it runs image by image.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).resolve().parent))
import tosa_old_form  # noqa: E402

# Names, which axes of the image are open, and sizes: batch, height, width. The
# others of the wheel have ops of their own (custom), or sparse weights.
NETWORKS = {
    "face_detection_short_range": ("NHW", [(1, 128, 128), (3, 128, 128), (1, 160, 96), (2, 64, 192), (1, 16, 16)]),
    "face_landmark": ("NHW", [(1, 192, 192), (2, 192, 192), (1, 384, 192), (1, 192, 576)]),
    "hand_recrop": ("NHW", [(1, 256, 256), (3, 256, 256), (1, 384, 256), (2, 256, 512)]),
    "palm_detection_lite": ("NHW", [(1, 192, 192), (2, 192, 192), (1, 96, 160), (2, 256, 64)]),
    "palm_detection_full": ("NHW", [(1, 192, 192), (2, 192, 192), (1, 96, 160), (2, 256, 64)]),
    "iris_landmark": ("N", [(1, 64, 64), (2, 64, 64), (5, 64, 64)]),
    "hand_landmark_lite": ("N", [(1, 224, 224), (2, 224, 224), (3, 224, 224)]),
    "hand_landmark_full": ("N", [(1, 224, 224), (2, 224, 224), (3, 224, 224)]),
    "pose_landmark_full": ("N", [(1, 256, 256), (2, 256, 256)]),
}


def convert(source, open_axes):
    """The network as TOSA 1.0, with the first axes open."""
    from tensorflow.python.pywrap_mlir import experimental_tflite_to_tosa_bytecode
    with tempfile.TemporaryDirectory() as folder:
        bytecode = Path(folder) / "old.mlirbc"
        experimental_tflite_to_tosa_bytecode(str(source), str(bytecode))
        text = subprocess.run(["mlir-opt-22", "--mlir-very-unsafe-disable-verifier-on-parsing",
                               "--mlir-print-op-generic", "--mlir-print-elementsattrs-with-hex-if-larger=16",
                               str(bytecode)], capture_output=True, text=True, check=True).stdout
    return tosa_old_form.upgrade(text, range(len(open_axes)))


def scaled(source, height, width):
    """The network for another size of the image, as a flatbuffer."""
    from tensorflow.lite.python import schema_py_generated as schema
    from tensorflow.lite.tools import flatbuffer_utils
    model = flatbuffer_utils.read_model(str(source))
    graph = model.subgraphs[0]
    image = graph.tensors[graph.inputs[0]].shape
    ratios = (height / image[1], width / image[2])

    def constant(operator, operand):
        return model.buffers[graph.tensors[operator.inputs[operand]].buffer]

    def write(buffer, values):
        buffer.data = np.frombuffer(np.asarray(values, np.int32).tobytes(), np.uint8)

    written = set()
    for operator in graph.operators:
        code = model.operatorCodes[operator.opcodeIndex]
        kind = max(code.builtinCode, code.deprecatedBuiltinCode)
        before = [int(extent) for extent in graph.tensors[operator.inputs[0]].shape]
        after = [int(extent) for extent in graph.tensors[operator.outputs[0]].shape]
        if kind == schema.BuiltinOperator.RESIZE_BILINEAR and id(constant(operator, 1)) not in written:
            buffer = constant(operator, 1)
            written.add(id(buffer))
            write(buffer, [int(after[1 + i] * ratios[i]) for i in range(2)])
        elif kind == schema.BuiltinOperator.RESHAPE and len(after) == 3 and before[0] == 1 and after[1] != 1:
            options = operator.builtinOptions
            if options is not None and options.newShape is not None:
                options.newShape = np.array([1, -1, after[2]], np.int32)
            if len(operator.inputs) > 1:
                write(constant(operator, 1), [1, -1, after[2]])
        elif kind == schema.BuiltinOperator.STRIDED_SLICE and before[:3] == after[:3]:
            operator.builtinOptions.endMask |= 0b111  # the ends of these axes, whatever they are
    return flatbuffer_utils.convert_object_to_bytearray(model)


class TFLite:
    """The network at one height and width."""

    def __init__(self, source, height, width, reference=False):
        import tensorflow as tf
        kinds = tf.lite.experimental.OpResolverType
        self.interpreter = tf.lite.Interpreter(
            model_content=bytes(scaled(source, height, width)), num_threads=1,
            experimental_op_resolver_type=kinds.BUILTIN_REF if reference else kinds.AUTO)
        self.input = self.interpreter.get_input_details()[0]["index"]

    def run(self, images):
        self.interpreter.resize_tensor_input(self.input, images.shape)
        self.interpreter.allocate_tensors()
        self.interpreter.set_tensor(self.input, images)
        self.interpreter.invoke()
        return [self.interpreter.get_tensor(detail["index"]) for detail in self.interpreter.get_output_details()]

    def __call__(self, images):
        """All at once where the results say so, else image by image."""
        results = self.run(images)
        if all(result.shape[0] == len(images) for result in results):
            return results
        each = [self.run(image[None]) for image in images]
        return [np.concatenate(parts) for parts in zip(*each)]


def results_in_order(source):
    """Positions of TF Lite's results in the order of the program's."""
    from tensorflow.lite.tools import flatbuffer_utils
    import tensorflow as tf
    graph = flatbuffer_utils.read_model(str(source)).subgraphs[0]
    details = tf.lite.Interpreter(str(source)).get_output_details()
    return [[detail["index"] for detail in details].index(output) for output in graph.outputs]


def record(source, open_axes, sizes, path):
    rng, data = np.random.default_rng(0), {}
    order = results_in_order(source)
    for number, (batch, height, width) in enumerate(sizes):
        images = rng.random((batch, height, width, 3), np.float32) * 2 - 1
        results = TFLite(source, height, width)(images)
        plain = TFLite(source, height, width, reference=True)(images)
        data[f"c{number}_in0"] = images
        for place, which in enumerate(order):
            data[f"c{number}_out{place}"] = results[which]
            data[f"c{number}_own{place}"] = np.abs(results[which] - plain[which]).max() / np.abs(results[which]).max()
    _, height, width = sizes[0]
    refused = [(1, height + 1, width), (1, height, width - 2 if open_axes == "N" else width - 1), (1, 0, width)]
    for number, size in enumerate(refused):
        data[f"r{number}_in0"] = np.zeros((*size, 3), np.float32)
    np.savez_compressed(path, **data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mediapipe", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--filter", default="", help="names of the networks that are written")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, (open_axes, sizes) in NETWORKS.items():
        if not re.search(arguments.filter, name):
            continue
        source, = arguments.mediapipe.rglob(f"{name}.tflite")
        path = arguments.folder / f"{name}.mlir"
        path.write_text(convert(source, open_axes))
        record(source, open_axes, sizes, path.with_suffix(".npz"))
        print(f"{name}: {open_axes} open, {len(sizes)} calls", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
