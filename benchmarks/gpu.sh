#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# On a machine with a GPU: correctness of all kernels, then tables of their speed.
#
#   gpu.sh [--folder=FOLDER] [--tiny] [--minutes=10]
#
# Needs the folder that `./bootstrap gpu-bundles` has made (default: where this script
# lies, if that is such a folder, else build/gpu of the checkout), Python 3 with NumPy,
# and the driver. What else there is, it uses: PyTorch, cuBLAS, compute-sanitizer.
# --tiny takes small sizes, for a simulator (SYMSHAPE_CUDA_LIBRARY). Exit status 1 when
# a result is wrong.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$here
[[ -f $here/plan.json ]] || folder=$here/../build/gpu
exec python3 "$here/gpu.py" --folder="$folder" "$@"
