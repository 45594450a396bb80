# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports of JAX with open extents, each compiled once, at the calls that lie beside them with what JAX gave.

    check_exports.py LIBRARY FOLDER

NAME.mlirbc is `Exported.mlir_module_serialized`; NAME.npz holds, call by call, c{k}_in{j} in the order of the
module's arguments and c{k}_out{i}, or, where JAX refuses the call by its constraints, refused{k}.
"""

import sys
from pathlib import Path

import numpy as np
import symshape_c

GUARD_FAILED = 3
SUFFIXES = (".mlirbc", ".vhlo.bc")
CALLS = 5


def numbered(data, prefix):
    return [data[f"{prefix}{i}"] for i in range(len(data.files)) if f"{prefix}{i}" in data.files]


def find_paths(folder):
    return sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIXES))


def check_call(name, program, data, k, compares=True):
    """How many results were compared, and whether the call was to be refused."""
    try:
        results = program(*numbered(data, f"c{k}_in"))
    except symshape_c.Error as error:
        assert f"refused{k}" in data.files, f"{name}, call {k}: {error}"
        assert error.status == GUARD_FAILED, f"{name}, call {k}: status {error.status}: {error}"
        return 0, True
    assert f"refused{k}" not in data.files, f"{name}, call {k}: expected a refusal: {data[f'refused{k}']}"
    expected = numbered(data, f"c{k}_out")
    assert len(results) == len(expected) > 0, f"{name}, call {k}: {len(results)} results"
    for i, (one, two) in enumerate(zip(results, expected)):
        if two.dtype.kind == "c":  # the parts along a last axis
            two = two.view(two.real.dtype).reshape(*two.shape, 2)
        assert one.shape == two.shape and one.dtype == two.dtype, f"{name}, call {k}, result {i}: {one.dtype}{one.shape}"
        if not compares:
            continue
        if two.dtype.kind == "f":
            np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-5, err_msg=f"{name}, call {k}, result {i}")
        else:
            np.testing.assert_array_equal(one, two, err_msg=f"{name}, call {k}, result {i}")
    return len(expected) if compares else 0, False


def check_export(path, library, compares=True):
    """How many results of all calls were compared, and how many calls were to be refused. Without `compares`,
    results are only of the right types and extents."""
    data = np.load(path.with_name(path.name.partition(".")[0] + ".npz"))
    program = symshape_c.Program(path, library=library)
    calls = [check_call(path.stem, program, data, k, compares) for k in range(CALLS)]
    return sum(count for count, _ in calls), sum(is_refused for _, is_refused in calls)


def main():
    library, paths = sys.argv[1], find_paths(Path(sys.argv[2]))
    counts = [check_export(path, library) for path in paths]
    print(f"{len(paths)} programs, {sum(results for results, _ in counts)} results, "
          f"{sum(refusals for _, refusals in counts)} refusals")


if __name__ == "__main__":
    main()
