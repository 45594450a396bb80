# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the folder that gpu.sh needs on a machine with a GPU: bundles, inputs, the runner.

    gpu_bundles.py FOLDER [--build=build] [--cubin=CHIP]... [--tiny]

Run by `./bootstrap gpu-bundles`. The folder has no large weights: gpu.py makes them. It holds what
the simulated GPU computes as well, for comparison.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "test" / "Integration"), str(ROOT / "examples" / "minilm")]

import gpu_programs
import program

VARIANTS = ["general", "proved", "static"]
MOST_BYTES = 50 << 20
# On machines with a GPU; the processor that made the folder may have more.
CPU = "x86-64-v3"
# Sizes of matrices by rows, and of the weights of products; `tiny` is for a simulator.
SIZES = {"full": {"rows": (4096, 4096), "products": [(768, 768), (1024, 1024), (4096, 768), (4096, 4096), (1000, 1001)],
                  "m": [1, 8, 16, 33, 128, 512, 4096], "static m": 512,
                  "model": [[1, 8], [1, 128], [8, 128], [33, 64], [1, 512]]},
         "tiny": {"rows": (3, 128), "products": [(16, 32), (20, 21)], "m": [1, 5], "static m": 5,
                  "model": [[1, 3]]}}


class Maker:
    def __init__(self, folder, build, cubins):
        self.folder, self.tool, self.build = folder, build / "bin" / "symshape-run", build
        self.cubins = [f"--cubin={chip}" for chip in cubins]
        self.count = 0

    def save(self, name, source, *options, targets=("nvvm",)):
        """Saves a program, which is text or a path; returns the names of its bundles by target."""
        path = source
        if not isinstance(source, Path):
            path = self.folder / "program.mlir"
            path.write_text(source)
        names = {}
        for target in targets:
            names[target] = f"bundles/{name.replace(' ', '-')}-{target}"
            # Code for a chip is not for other ones.
            special = self.cubins if target == "nvvm" and not any("--chip" in str(option) for option in options) else []
            command = [self.tool, path, f"--target={target}", f"--cpu={CPU}",
                       f"--save-bundle={self.folder / names[target]}", *special, *options]
            subprocess.run(command, check=True)
            self.count += 1
        (self.folder / "program.mlir").unlink(missing_ok=True)
        return names

    def simulate(self, bundle, call, outputs, architecture):
        """What the simulated GPU computes; False if it cannot."""
        environment = {**os.environ, "SYMSHAPE_PTXSIM_ARCH": architecture,
                       "SYMSHAPE_CUDA_LIBRARY": str(self.build / "lib" / "libsymshape_ptxsim.so")}
        command = [self.build / "bin" / "symshape-bundle-run", bundle, *[f"--input=@{path}" for path in call],
                   *[f"--output={path}" for path in outputs]]
        return subprocess.run(command, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL,
                              check=False).returncode == 0


def kernel(maker, name, entry, shapes, groups=None):
    """One program, with calls, and what the simulator makes of them."""
    import check_nvvm
    _, results, tolerance, make = check_nvvm.PROGRAMS[entry]
    options = ["--chip=sm_90a", f"--wgmma={groups}"] if groups else []
    names = {**maker.save(f"kernel-{name}", check_nvvm.FILE, f"--entry={entry}", *options),
             **maker.save(f"kernel-{name}", check_nvvm.FILE, f"--entry={entry}", targets=("cpu",))}
    rng = np.random.default_rng(11)
    calls = []
    for i, shape in enumerate(shapes):
        inputs = make(rng, *(shape if isinstance(shape, tuple) else (shape,)))
        paths = [f"inputs/{name}-{i}-{j}.npy" for j in range(len(inputs))]
        for path, array in zip(paths, inputs):
            np.save(maker.folder / path, np.asarray(array))
        simulated = [f"inputs/{name}-{i}-simulated-{j}.npy" for j in range(results)]
        done = maker.simulate(names["nvvm"], paths, simulated, "90" if groups else "80")
        calls.append({"inputs": paths, "simulated": simulated if done else []})
    return {"name": name, "bundles": names, "results": results, "tolerance": tolerance, "calls": calls,
            "groups": groups is not None}


def kernels(maker, is_tiny):
    """A program for each kind of kernel."""
    sys.argv[1:] = []
    import check_nvvm
    import check_nvvm_wgmma
    entries = [kernel(maker, name, name, shapes) for name, (shapes, *_) in check_nvvm.PROGRAMS.items()]
    by_groups = [(name, shapes, tile) for name, (_, shapes) in check_nvvm_wgmma.PROGRAMS.items()
                 if name in check_nvvm.PROGRAMS
                 for tile in check_nvvm_wgmma.TILES]
    return entries + [kernel(maker, f"{name}-{tile}", name, shapes, tile)
                      for name, shapes, tile in by_groups[:1 if is_tiny else None]]


def rows(maker, sizes, prefix):
    entries = []
    for name, (write, element_bytes, inputs) in gpu_programs.ROWS.items():
        m, n = sizes.get(name, sizes["rows"])
        saved = {variant: maker.save(f"{prefix}{name}-{variant}", write(variant, m, n),
                                     targets=("nvvm", "cpu") if variant == "general" else ("nvvm",))
                 for variant in VARIANTS}
        bundles = {variant: names["nvvm"] for variant, names in saved.items()}
        bundles["cpu"] = saved["general"]["cpu"]
        odd = (m - 1, n + 1)
        entries.append({"name": name, "bundles": bundles, "size": [m, n], "odd": odd, "bytes": element_bytes,
                        "inputs": inputs(m, n), "odd inputs": inputs(*odd),
                        "check inputs": [inputs(*size) for size in ((5, 128), (33, 129), (2, 1))]})
    return entries


def products(maker, sizes, prefix):
    entries = []
    for element in ("f32", "bf16"):
        for n, k in sizes["products"]:
            name = f"{prefix}product-{element}-{n}x{k}"
            m = sizes["static m"]
            bundles = {"dynamic": maker.save(name, gpu_programs.product(n, k, element))["nvvm"],
                       "static": maker.save(f"{name}-static", gpu_programs.product(n, k, element, m))["nvvm"]}
            if element == "bf16":  # by wgmma, whatever the number of rows
                for tile in ("narrow", "wide"):
                    bundles[tile] = maker.save(f"{name}-{tile}", gpu_programs.product(n, k, element), "--chip=sm_90a",
                                               f"--wgmma={tile}")["nvvm"]
            entries.append({"n": n, "k": k, "element": element, "bundles": bundles, "m": sizes["m"], "static m": m})
    return entries


def model(maker, sizes, prefix, layers):
    return {"bundles": maker.save(f"{prefix}minilm", program.program(layers), "--entry=encode", targets=("nvvm", "cpu")),
            "shapes": sizes["model"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--cubin", action="append", default=[], metavar="CHIP",
                        help="assemble the kernels for this GPU as well, by ptxas")
    parser.add_argument("--tiny", action="store_true", help="for gpu.sh --tiny alone")
    args = parser.parse_args()
    folder = args.folder
    if folder.exists() and any(folder.iterdir()) and not (folder / "plan.json").exists():
        parser.error(f"expected a new or empty folder, or one that this script made, but '{folder}' is another")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bundles").mkdir(parents=True)
    (folder / "inputs").mkdir()
    (folder / "plan.json").write_text("{}")
    maker = Maker(folder.resolve(), args.build.resolve(), args.cubin)
    plan = {"kernels": kernels(maker, args.tiny)}
    for scale, sizes in SIZES.items():
        if args.tiny and scale != "tiny":
            continue
        prefix = "" if scale == "full" else f"{scale}-"
        plan[scale] = {"rows": rows(maker, sizes, prefix), "products": products(maker, sizes, prefix),
                       "model": model(maker, sizes, prefix, 6 if scale == "full" else 1)}
    (folder / "plan.json").write_text(json.dumps(plan, indent=1))
    for path in (args.build / "bin" / "symshape-bundle-run", ROOT / "utils" / "ptx_device.py",
                 *(ROOT / "benchmarks" / name for name in ("gpu.sh", "gpu.py", "gpu_peers.py"))):
        shutil.copy(path, folder / path.name)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{maker.count} bundles, {size / 2**20:.1f} MB in {folder}")
    return 0 if size <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
