# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole convolutional networks (networks.py) beside ONNX Runtime, each compiled once, and
beside a build for each size.

For each size also the share of what the machine can do, in fused multiply-adds on
registers: of convolutions and products alone, as if all else took no time.
"""

import numpy as np
import onnx
import symshape_c

import networks
import onnx_graphs
from bench_matmul import PEAK, Peak
from contest import ORT, Group, Ratio, aligned

OURS, STATIC = "symshape", "static"
SIZES = [(1, 64, 64), (2, 33, 65), (3, 97, 32), (1, 224, 224), (4, 224, 160)]
QUICK_SIZES = SIZES[:2]
TOLERANCE = 1e-4  # of the largest number of a result
LEAST = 0.85  # of ONNX Runtime, at any size
OF_STATIC, LEAST_OF_STATIC = 0.97, 0.9  # of a build for the size


def work_of(data, size):
    """Floating-point operations of convolutions and products."""
    model = onnx.load_from_string(data)
    for dim, extent in zip(model.graph.input[0].type.tensor_type.shape.dim, (size[0], 3, *size[1:])):
        dim.dim_value = extent
    for info in model.graph.output:
        info.type.tensor_type.ClearField("shape")
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    shape = {info.name: [dim.dim_value for dim in info.type.tensor_type.shape.dim]
             for info in [*graph.value_info, *graph.output]}
    shape.update((weight.name, list(weight.dims)) for weight in graph.initializer)
    work = 0
    for node in graph.node:
        if node.op_type == "Conv":
            work += 2 * np.prod(shape[node.output[0]]) * np.prod(shape[node.input[1]][1:])
        elif node.op_type == "MatMul":
            work += 2 * np.prod(shape[node.output[0]]) * shape[node.input[1]][0]
    return float(work)


def difference(results, references):
    """The largest, as a part of the largest number of its result."""
    return max(float(np.abs(ours - theirs).max(initial=0) / np.abs(theirs).max(initial=1e-30))
               for ours, theirs in zip(results, references))


def network_group(bench, name, peak):
    has_static = bench.threads == 1 and not bench.quick
    group = Group(f"network {name}",
                  [Ratio(OURS, ORT, 1.0, LEAST)] + [Ratio(OURS, STATIC, OF_STATIC, LEAST_OF_STATIC)] * has_static)
    path = bench.out / f"network-{name.replace(' ', '-')}.onnx"
    data = networks.build(name)
    path.write_bytes(data)
    program, session = bench.load(path), onnx_graphs.session(str(path), bench.threads)
    shares = []
    for size in QUICK_SIZES if bench.quick else SIZES:
        image = aligned(np.random.default_rng(0).standard_normal((size[0], 3, *size[1:]), np.float32))
        call, bound = symshape_c.Call(program, [image]), onnx_graphs.Bound(session, {"image": image})
        contestants = {OURS: call, ORT: bound, PEAK: peak.call}
        if has_static:
            contestants[STATIC] = symshape_c.Call(bench.load(path, dynamic="never", first=[image]), [image])
        row = bench.entry(group, " x ".join(map(str, size)), contestants, work_of(data, size))
        row["gflops"][PEAK] = peak.work / row["us"][PEAK] / 1e3 * bench.threads
        shares.append(row["gflops"][OURS] / row["gflops"][PEAK])
        row["difference"] = difference(call.results(), bound.outputs)
        if not row["difference"] <= TOLERANCE:
            row["remark"] = f"DIFFERS by {row['difference']:.1e}"
    group.notes.append(f"share of the measured peak: {', '.join(f'{share:.2f}' for share in shares)}")
    return group


def groups(bench):
    peak = Peak(bench)
    for name in networks.NETWORKS:
        yield network_group(bench, name, peak)
