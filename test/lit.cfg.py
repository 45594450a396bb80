# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit configuration of all builds; lit.site.cfg.py of a build loads it.

Substitutions: %plugin, the path of the plug-in; %test_plugin, that of test passes; %python, a Python with NumPy;
%cmake, %cc, %cxx and %launcher, what the build used; %build, the build folder;
%source, the root of the source tree.
%python is that of ./bootstrap test, in this build folder or in build/: without NumPy and Z3
nothing runs, since most of the tests would be skipped. %onnx_suite and %tosa_suite are the
folders of what others publish as tests, %python_wheels that of the wheels for the Python package,
%ptxas that of the assembler for GPUs.
Features: `numpy`, `z3` and `plugin` (always there), `onnx-suite`, `tosa-suite`, `python-wheels`, `ptxas`,
`chromium` (a browser for pages; `./bootstrap report-page` installs one), `zsh`, `sanitize`, and `sse42`,
`avx2` and `avx512` (this machine runs code for
x86-64-v2, -v3 and -v4).
"""

import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "symshape"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".prove"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.symshape_obj_root, "test")

binaries = os.path.join(config.symshape_obj_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [binaries, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.environment["FILECHECK_OPTS"] = (
    "--enable-var-scope --allow-unused-prefixes=false --dump-input=fail"
)
config.environment["PYTHONPATH"] = os.path.join(config.symshape_src_root, "utils")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["SYMSHAPE_CACHE"] = "off"  # tests compile, and leave the user's caches alone
if "SYMSHAPE_THREADS" in os.environ:  # of calls, where a test does not say it
    config.environment["SYMSHAPE_THREADS"] = os.environ["SYMSHAPE_THREADS"]
# Memory is filled when it is allocated and when it is freed, small blocks too, which the C library
# would keep as they are: what nobody has written shows, and what is read after it was freed.
config.environment["MALLOC_PERTURB_"] = os.environ.get("MALLOC_PERTURB_", "165")
config.environment["GLIBC_TUNABLES"] = os.environ.get("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0")
# The share of programs that numeric tests also call with empty arrays (utils/symrun.py).
config.environment["SYMRUN_EMPTY"] = os.environ.get("SYMRUN_EMPTY", "0")
# All CPUs for each program, and the code that serves most calls also where a test asks for quick code
# (SYMRUN_QUICK): twice the time.
config.environment["SYMSHAPE_LONG"] = os.environ.get("SYMSHAPE_LONG", "")

venvs = [os.path.join(folder, "venv", "bin", "python")
         for folder in (config.symshape_obj_root, os.path.join(config.symshape_src_root, "build"))]
python = next((path for path in venvs if os.path.exists(path)), shutil.which("python3") or sys.executable)
imported = subprocess.run([python, "-c", "import numpy, z3"], capture_output=True, text=True)
if imported.returncode:
    lit_config.fatal(f"expected a Python with NumPy and Z3, but {python} says: {imported.stderr.strip()}\n"
                     "`./bootstrap test` installs them")
config.available_features |= {"numpy", "z3", "plugin"}

# From the system, and not from the tools, which the tests of these features are of.
flags = set()
if os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as file:
        flags = {word for line in file if line.startswith("flags") for word in line.split()}
for feature, needed in [("sse42", {"sse4_2", "popcnt"}), ("avx2", {"avx2", "fma", "f16c", "bmi2"}),
                        ("avx512", {"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"})]:
    if needed <= flags:
        config.available_features.add(feature)

if any(map(shutil.which, ("chromium-headless-shell", "chromium"))):
    config.available_features.add("chromium")
if shutil.which("zsh"):
    config.available_features.add("zsh")

plugin = os.path.join(config.symshape_obj_root, "lib", "SymShapePlugin.so")
if config.sanitize:
    config.available_features.add("sanitize")
    # The libraries of MLIR keep registries alive to the end on purpose, and take
    # from arenas, without a mark, what headers compiled here have marked as free.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:allow_user_poisoning=0"
    config.environment["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    # For stock tools and Python, which load our libraries.
    config.environment["LD_PRELOAD"] = config.sanitizer_runtime

# What others publish as tests, the wheels for the Python package and the assembler for GPUs are
# where ./bootstrap test fetches them, like %python.
for suite, stamp in ("onnx-suite", "fetched"), ("tosa-suite", "packages/fetched"), ("python-wheels", "fetched"), ("ptxas", "fetched"):
    folders = [os.path.join(folder, suite) for folder in (
        config.symshape_obj_root, os.path.join(config.symshape_src_root, "build"))]
    folder = next((path for path in folders if os.path.exists(os.path.join(path, stamp))), None)
    if folder:
        config.available_features.add(suite)
        config.substitutions.append((f"%{suite.replace('-', '_')}", folder))

config.substitutions += [
    ("%plugin", plugin),
    ("%test_plugin", os.path.join(config.test_exec_root, "lib", "SymShapeTestPasses.so")),
    ("%python", python),
    ("%cmake", config.cmake),
    ("%cc", config.cc),
    ("%cxx", config.cxx),
    ("%launcher", config.launcher),
    ("%build", config.symshape_obj_root),
    ("%source", config.symshape_src_root),
]
