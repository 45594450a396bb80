# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in TOSA beside TF Lite (XNNPACK), one thread, and dynamic beside static builds.

For run_tosa_models.py --speed. All sizes of a network run in one dynamic build; a
static build is the program that symshape-fixate makes for one size. Contests are those
of benchmarks/contest.py: in turn, the ratio within each round, medians.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import symshape_c

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
import contest  # noqa: E402

TOLERANCE = 1e-4  # of the largest magnitude of a result
ASKED = 0.97  # of the static build's speed
DYNAMIC, STATIC, OTHER = "dynamic", "static", "TF Lite"

# Name, the folder it is in, and sizes: batch, height, width.
NETWORKS = [
    ("unet", "torch", [(1, 64, 64), (4, 64, 64), (1, 256, 256)]),
    ("face_detection_short_range", "tflite", [(1, 128, 128), (4, 128, 128), (1, 256, 256)]),
    ("face_landmark", "tflite", [(1, 192, 192), (4, 192, 192), (1, 384, 384)]),
]


def unet(weights, shape):
    """The U-Net as TF Lite has it, for images with channels before height and width."""
    import tensorflow as tf

    def convolve(x, name, stride=1):
        kernel = weights[name + ".weight"].transpose(2, 3, 1, 0)
        padding = "SAME" if stride == 1 else [[0, 0], [1, 0], [1, 0], [0, 0]]
        return tf.nn.conv2d(x, kernel, stride, padding) + weights[name + ".bias"]

    def body(image):
        fine = tf.nn.relu(convolve(tf.transpose(image, [0, 2, 3, 1]), "enter"))
        coarse = tf.nn.relu(convolve(fine, "down", 2))
        kernel = weights["channels.weight"].transpose(2, 3, 0, 1)
        coarse = tf.nn.relu6(tf.nn.depthwise_conv2d(coarse, kernel, [1, 1, 1, 1], "SAME") + weights["channels.bias"])
        wide = tf.compat.v1.image.resize_bilinear(convolve(coarse, "narrow"), shape[2:], half_pixel_centers=True)
        result = tf.sigmoid(convolve(tf.concat([fine, wide], 3), "leave"))
        return tf.transpose(result, [0, 3, 1, 2])
    function = tf.function(body, input_signature=[tf.TensorSpec(shape, tf.float32)]).get_concrete_function()
    return tf.lite.TFLiteConverter.from_concrete_functions([function]).convert()


class Peer:
    """TF Lite, with its inputs in place; results in the order of the program's."""

    def __init__(self, model, images, order=None):
        import tensorflow as tf
        self.interpreter = tf.lite.Interpreter(model_content=bytes(model), num_threads=1)
        index = self.interpreter.get_input_details()[0]["index"]
        self.interpreter.resize_tensor_input(index, images.shape)
        self.interpreter.allocate_tensors()
        self.interpreter.set_tensor(index, images)
        self.order = order or [0]

    def __call__(self):
        self.interpreter.invoke()

    def results(self):
        details = self.interpreter.get_output_details()
        return [self.interpreter.get_tensor(details[which]["index"]) for which in self.order]


class Speed:
    def __init__(self, programs, mediapipe, build, rounds):
        self.programs, self.mediapipe, self.build, self.rounds = programs, mediapipe, build, rounds
        self.library = symshape_c.load(build / "lib" / "libSymShapeC.so")
        self.rows = []

    def compile(self, path):
        return symshape_c.Program(path, library=self.library, threads=1)

    def fix(self, path, size, folder):
        result = Path(folder) / "static.mlir"
        bind = ", ".join(f"s{number} = {extent}" for number, extent in enumerate(size))
        subprocess.run([str(self.build / "bin" / "symshape-opt"), str(path), f"--symshape-fixate=bind='{bind}'",
                        "-o", str(result)], check=True)
        return self.compile(result)

    def peer(self, name, source, images):
        if source == "torch":
            return Peer(unet(np.load(self.programs / source / "unet-weights.npz"), images.shape), images)
        import tosa_tflite_models
        path, = self.mediapipe.rglob(f"{name}.tflite")
        model = tosa_tflite_models.scaled(path, *images.shape[1:3])
        return Peer(model, images, tosa_tflite_models.results_in_order(path))

    def entry(self, name, source, program, size):
        path = self.programs / source / f"{name}.mlir"
        shape = (size[0], 3, *size[1:]) if source == "torch" else (*size, 3)
        images = contest.aligned(np.random.default_rng(0).random(shape, np.float32) * 2 - 1, np.float32)
        with tempfile.TemporaryDirectory() as folder:
            fixed = self.fix(path, size, folder)
        calls = {DYNAMIC: symshape_c.Call(program, [images]), STATIC: symshape_c.Call(fixed, [images]),
                 OTHER: self.peer(name, source, images)}
        apart = self.difference(calls)
        times = contest.compete(calls, self.rounds, time.thread_time, 0)
        ratios = {against: statistics.median(there / here for here, there in zip(times[DYNAMIC], times[against]))
                  for against in (STATIC, OTHER)}
        milliseconds = {engine: statistics.median(all_) * 1e3 for engine, all_ in times.items()}
        self.rows.append({"network": name, "size": size, "ms": milliseconds, "ratio": ratios, "apart": apart})
        print(f"{name} {'x'.join(map(str, size))}: " + ", ".join(f"{engine} {ms:.3f} ms" for engine, ms in milliseconds.items())
              + f"; beside TF Lite {ratios[OTHER]:.2f}, beside static {ratios[STATIC]:.3f}"
              + (" (missed)" if ratios[STATIC] < ASKED else ""), flush=True)

    def difference(self, calls):
        """How far our first results are from TF Lite's; results of another batch are compared as they lie."""
        for call in calls.values():
            call()
        worst = 0.0
        theirs = calls[OTHER].results()
        for engine in (DYNAMIC, STATIC):
            for result, expected in zip(calls[engine].results(), theirs):
                if result.shape == expected.shape:
                    worst = max(worst, float(np.abs(result - expected).max() / np.abs(expected).max()))
        if worst > TOLERANCE:
            raise ValueError(f"results differ by {worst}")
        return worst

    def run(self, selected):
        for name, source, sizes in NETWORKS:
            if not selected(name):
                continue
            program = self.compile(self.programs / source / f"{name}.mlir")
            for size in sizes:
                self.entry(name, source, program, size)
        worst = min((row["ratio"][STATIC] for row in self.rows), default=0)
        print(f"worst beside static {worst:.3f}, asked {ASKED}; "
              f"beside TF Lite {contest.geomean([row['ratio'][OTHER] for row in self.rows]):.2f} (geometric mean)")
        return self.rows


def run(programs, mediapipe, build, rounds, selected, json_path):
    rows = Speed(programs, mediapipe, build, rounds).run(selected)
    if json_path:
        json_path.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if rows and min(row["ratio"][STATIC] for row in rows) >= ASKED else 1
