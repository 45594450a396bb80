# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls: arrays in and out. The oracle is NumPy."""

import gc
import threading
import time

import numpy as np
import programs
import pytest
import symshape

ml_dtypes = pytest.importorskip("ml_dtypes")


@pytest.fixture(scope="module")
def squares():
    return symshape.loads(programs.SQUARES)


@pytest.mark.parametrize("shape", [(2, 3), (0, 4), (1, 1), (5, 17), (3, 0)])
def test_every_shape_of_one_compilation(squares, shape):
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    (result,) = squares(x, x[::-1])
    np.testing.assert_array_equal(result, x * x[::-1])
    assert result.dtype == np.float32 and squares.compilations == 1


def test_a_later_program_takes_its_code_from_the_cache(tmp_path, monkeypatch):
    x = np.ones((2, 3), np.float32)
    for folder, compilations in [("one", 1), ("one", 0), ("two", 1), ("off", 1), ("off", 1)]:
        monkeypatch.setenv("SYMSHAPE_CACHE", folder if folder == "off" else str(tmp_path / folder))
        program = symshape.loads(programs.SQUARES)
        np.testing.assert_array_equal(program(x, 2 * x)[0], 2 * x)
        assert program.compilations == compilations, folder
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_layouts_that_are_checked():
    program = symshape.loads(programs.SQUARES, layouts="check")
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    shifted = np.frombuffer(b"\0" + x.tobytes(), np.float32, offset=1).reshape(x.shape)
    for view, why in ((x.T, "strides of (4, 24) bytes for extents (6, 4)"), (x[:, ::2], "strides of (24, 8) bytes"),
                      (shifted, "addresses that are no multiples"), (x.astype(">f4"), "bytes in the order of another")):
        with pytest.raises(symshape.InputError, match="expected an array in row-major order, but got ") as caught:
            program(view, x)
        assert why in str(caught.value) and 'layouts="copy"' in str(caught.value)
    for same in (x, x[1:3], x[:0, ::2], x[:1].T.reshape(1, 6), x.tolist()):  # read where they lie, or no array
        np.testing.assert_array_equal(program(same, same)[0], np.square(same))
    with pytest.raises(symshape.InputError, match="expected layouts to be one of copy, check, but got 'strided'"):
        symshape.loads(programs.SQUARES, layouts="strided")


def test_buffers_are_read_where_they_lie():
    program = symshape.loads(programs.BUFFERS, layouts="check")
    assert [tuple(map(str, one.extents)) for one in program.inputs] == [("M", "N"), ("P", "Q")]
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    columns = np.asfortranarray(x)
    views = (slice(None), slice(None, None, -1), slice(1, 3), slice(0, 0), slice(2, 3), slice(None, None, 2))
    for rows in views:
        for view in (x[rows], x[rows, ::2], x[rows, ::-1], x.T[rows], np.broadcast_to(x[:1], (4, 6))[rows]):
            other = columns[:view.shape[0], :view.shape[1]] if view.shape[1] > 4 else np.asfortranarray(view)
            np.testing.assert_array_equal(program(view, other)[0], view * other)
    call = program.prepare(x[::2], columns[::2][:, :6].copy("F"))
    x[0] = 7
    np.testing.assert_array_equal(call()[0][0], 7 * columns[0])
    with pytest.raises(symshape.GuardError, match=r"expected stride 1 of %q dim 0 \(memref<.*>\), but got 6"):
        program(x, x)
    with pytest.raises(ValueError, match="one that reads buffers: it has no profile"):
        program.prepare(x, columns)._profile(1)
    shifted = np.frombuffer(b"\0" + x.tobytes(), np.float32, offset=1).reshape(x.shape)
    with pytest.raises(symshape.InputError, match="addresses that are no multiples"):
        program(shifted, columns)
    with pytest.raises(symshape.InputError, match="but got 4x6xf64"):
        program(x.astype(np.float64), columns)


def test_buffers_that_do_not_fit_are_copied():
    program = symshape.loads(programs.BUFFERS)
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    shifted = np.frombuffer(b"\0" + x.tobytes(), np.float32, offset=1).reshape(x.shape)
    for view in (x, x[::-1], x.T, x[:, ::2], x[1:1], shifted, x.astype(">f4"), x.tolist()):
        np.testing.assert_array_equal(program(view, view)[0], np.square(np.asarray(view, np.float32)))


def test_arrays_that_are_not_in_order_are_copied(squares):
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    for view in (x.T, x[:, ::2], x[::-1], np.asfortranarray(x), x.astype(">f4")):
        np.testing.assert_array_equal(squares(view, view)[0], np.asarray(view, np.float32) ** 2)
    unaligned = np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(4, 6)
    np.testing.assert_array_equal(squares(unaligned, unaligned)[0], x * x)
    x.flags.writeable = False
    np.testing.assert_array_equal(squares(x, x)[0], x * x)


def test_lists_and_numbers_take_the_type_of_the_argument(squares):
    np.testing.assert_array_equal(squares([[1, 2]], [[3, 4]])[0], np.float32([[3, 8]]))
    first = symshape.loads(programs.FIRST)
    np.testing.assert_array_equal(first(np.arange(5, dtype=np.float32), 2)[0], [0, 1])
    with pytest.raises(symshape.InputError, match="%n: expected an array or numbers of index"):
        first([1], "two")


TYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16,
         "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}


@pytest.mark.parametrize("name", TYPES)
def test_element_types(name):
    program = symshape.loads(programs.DOUBLE.replace("TYPE", name))
    x = np.array([0, 1, 3, -5, 60]).astype(TYPES[name])
    (result,) = program(x)
    assert result.dtype == x.dtype and program.results[0].element == name
    np.testing.assert_array_equal(result.astype(np.float64), [0, 2, 6, -10, 120])
    np.testing.assert_array_equal(program.prepare(x)()[0].astype(np.float64), [0, 2, 6, -10, 120])


class Exchanged:
    """An array that is nothing but DLPack."""

    def __init__(self, array):
        self.array = array
        self.dtype = array.dtype

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_in_and_out_without_copies(squares):
    x = np.random.default_rng(1).standard_normal((3, 4), np.float32)
    (result,) = squares.dlpack(Exchanged(x), x)
    array = np.from_dlpack(result)
    np.testing.assert_array_equal(array, x * x)
    assert array.ctypes.data == np.from_dlpack(result).ctypes.data


def test_inputs_are_read_where_they_lie(squares):
    x = np.ones((2, 2), np.float32)
    prepared = squares.prepare(x, x)
    x[:] = 3
    np.testing.assert_array_equal(prepared()[0], np.full((2, 2), 9, np.float32))
    x[:] = 4
    np.testing.assert_array_equal(prepared()[0], np.full((2, 2), 16, np.float32))


def test_results_outlive_the_program():
    program = symshape.loads(programs.SQUARES)
    x = np.full((100, 100), 2, np.float32)
    (result,) = program(x, x)
    view = result[10:20]
    del program, result
    gc.collect()
    np.testing.assert_array_equal(view, np.full((10, 100), 4, np.float32))


def test_inputs_that_do_not_fit(squares):
    x = np.ones((2, 3), np.float32)
    for arguments, words in [((x,), "expected 2 inputs, but got 1"), ((x, x, x), "expected 2 inputs, but got 3"),
                             ((x, x.astype(np.float64)), r"expected \?x\?xf32 for %y, but got 2x3xf64"),
                             ((x, x[0]), r"for %y, but got 3xf32"),
                             ((x, x.astype(complex)), "complex128"),
                             ((x, np.array([["a"]])), "%y: expected an array of f32, but got one of text")]:
        with pytest.raises(symshape.InputError, match=words):
            squares(*arguments)
    assert issubclass(symshape.InputError, ValueError)


def test_inputs_by_name():
    program = symshape.loads(programs.DIFFERENCE)
    x, y = np.full((2, 3), 5, np.float32), np.full((2, 3), 3, np.float32)
    for arguments, named in [((), {"x": x, "y": y}), ((), {"y": y, "x": x}), ((x,), {"y": y}), ((x, y), {})]:
        np.testing.assert_array_equal(program(*arguments, **named)[0], x - y)
        np.testing.assert_array_equal(program.prepare(*arguments, **named)()[0], x - y)
        np.testing.assert_array_equal(np.from_dlpack(program.dlpack(*arguments, **named)[0]), x - y)
        assert program.result_shapes(*arguments, **named) == [(2, 3)]
    for arguments, named, words in [((x,), {"z": y}, r"expected the name of an input \(x, y\), but got 'z'"),
                                    ((x,), {"x": y}, "expected each input once, but got 'x' twice"),
                                    ((), {"x": y}, r"expected an input for 'y'; the inputs are %x: \[M, N\] f32; %y: "),
                                    ((x, y, x), {}, r"expected 2 inputs, but got 3: %x: \[M, N\] f32; %y")]:
        with pytest.raises(symshape.InputError, match=words):
            program(*arguments, **named)


def test_options_of_a_wrong_kind():
    for options, words in [({"threads": "2"}, "expected threads to be a number from 1 to 2147483647, but got '2'"),
                           ({"threads": 0}, "expected threads to be a number from 1 to 2147483647, but got 0"),
                           ({"threads": True}, "expected threads to be a number from 1 to 2147483647, but got True"),
                           ({"entry": 3}, "expected entry to be text, but got 3"),
                           ({"cpu": 3}, "expected cpu to be text, but got 3"),
                           ({"state_limit": -1}, "expected state_limit to be a number from 0 to .*, but got -1"),
                           ({"first_inputs": [np.ones(3)]}, "expected 2 first_inputs, but got 1: %x: ")]:
        with pytest.raises(symshape.InputError, match=words):
            symshape.loads(programs.DIFFERENCE, **options)


def test_one_fact_and_the_only_public_function():
    program = symshape.loads(programs.DIFFERENCE.replace("@main", "@other"), facts="M <= 4", versions="M <= 2")
    assert program.name == "other" and program.prove("M <= 4").verdict == "yes"
    assert [version.condition for version in program.versions][0] == "M <= 2"


def test_other_threads_run_meanwhile():
    program = symshape.loads(programs.LOOP)
    finished = threading.Event()

    def work():
        program(30_000_000, 0.5)
        finished.set()

    thread = threading.Thread(target=work)
    thread.start()
    ticks = 0
    while not finished.is_set() and ticks < 10:
        time.sleep(0.001)
        ticks += not finished.is_set()
    thread.join()
    assert ticks == 10, "the interpreter was locked while the program ran"


def test_several_threads_call_one_program(squares):
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(200):
            x = rng.standard_normal((rng.integers(0, 9), rng.integers(0, 9)), np.float32)
            if not np.array_equal(squares(x, x)[0], x * x):
                wrong.append(x)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_give_the_same_bits():
    x = np.random.default_rng(3).standard_normal((300, 1000), np.float32)
    one, two = (symshape.loads(programs.SQUARES, threads=threads)(x, x)[0] for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_weights_are_bound_once_and_shared():
    w = np.array([1.0, 2.0, 3.0])
    program = symshape.loads(programs.LOSS, entry="loss", weights={"w": w})
    assert [one.name for one in program.inputs] == ["%x"] and program.arguments[1].weight == "w"
    x = np.array([2.0, 3.0, 4.0])
    assert program(x)[0] == (w * x * x).sum()
    with pytest.raises(symshape.GuardError):
        program(x[:2])


def test_modes_compile_as_they_say(tmp_path):
    x = [np.ones((rows, 2), np.float32) for rows in (2, 2, 3, 4)]
    counts = {}
    for mode in ("always", "auto", "never"):
        program = symshape.loads(programs.SQUARES, dynamic=mode)
        for array in x:
            np.testing.assert_array_equal(program(array, array)[0], array)
        counts[mode] = program.compilations
    assert counts == {"always": 1, "auto": 2, "never": 3}
    state = tmp_path / "state"
    for expected in (1, 0):
        program = symshape.loads(programs.SQUARES, state=state)
        program(x[0], x[0])
        assert program.compilations == expected
        del program


def test_versions_that_are_asked_for():
    program = symshape.loads(programs.SQUARES, versions={"row": "M == 1", "wide": ["16 | N", "M <= 8"]})
    assert [one.name for one in program.versions] == ["row", "wide", "default"]
    assert program.versions[0].condition == "M == 1"
    for shape in ((1, 3), (2, 16), (9, 16)):
        x = np.full(shape, 3, np.float32)
        np.testing.assert_array_equal(program(x, x)[0], np.full(shape, 9, np.float32))
    for bad in ("M ==", "Z == 1", "M == 1 or N == 1"):
        with pytest.raises(symshape.Error):
            symshape.loads(programs.SQUARES, versions=[bad])


def test_overhead_of_a_call(squares):
    x = np.ones((2, 3), np.float32)
    prepared = squares.prepare(x, x)
    best = {"call": 1.0, "prepared": 1.0}
    for _ in range(50):
        for name, call in (("call", lambda: squares(x, x)), ("prepared", prepared)):
            begin = time.perf_counter()
            for _ in range(400):
                call()
            best[name] = min(best[name], (time.perf_counter() - begin) / 400)
    print({name: f"{1e6 * seconds:.2f} us" for name, seconds in best.items()})
    assert best["call"] < 10e-6, best  # 2 us on a machine that does nothing else
