# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as files and as pickles, in other processes and of other versions."""

import concurrent.futures
import json
import multiprocessing
import os
import pickle
import pickletools
import random
import zipfile

import numpy as np
import onnx_file
import programs
import pytest
import symshape

ml_dtypes = pytest.importorskip("ml_dtypes")
WEIGHT = np.arange(12, dtype=np.float32).reshape(3, 4)
X = np.float32([[1, 2, 3], [4, 5, 6]])


def product(**options):
    nodes = [onnx_file.node("MatMul", "x w", "y")]
    inputs = {"x": (onnx_file.FLOAT, ["B", 3]), "w": (onnx_file.FLOAT, [3, 4])}
    return symshape.loads(onnx_file.model(nodes, inputs, ["y"]), format="onnx", weights={"w": WEIGHT}, **options)


def call(program, *inputs):
    return program(*inputs), program.compilations


@pytest.fixture
def elsewhere():
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield lambda *given: pool.submit(*given).result()


def test_a_saved_program_is_loaded_without_compiling(tmp_path, elsewhere):
    path = tmp_path / "product.symshape"
    product(facts="B <= 4").save(path)
    program = symshape.load(path)
    assert program.compilations == 0
    np.testing.assert_allclose(program(X).y, X @ WEIGHT)
    with pytest.raises(symshape.GuardError):
        program(np.ones((5, 3), np.float32))
    results, compilations = elsewhere(load_and_call, path, X)
    assert compilations == 0
    np.testing.assert_allclose(results.y, X @ WEIGHT)
    assert sorted(os.listdir(tmp_path)) == ["product.symshape"]


def load_and_call(path, *inputs):
    return call(symshape.load(path), *inputs)


def test_options_of_the_call_come_before_those_of_the_file(tmp_path):
    path = tmp_path / "product.symshape"
    product(facts="B <= 4").save(path)
    program = symshape.load(path, facts="B <= 9")
    np.testing.assert_allclose(program(np.ones((9, 3), np.float32))[0], np.ones((9, 3)) @ WEIGHT)


def test_text_arrays_of_bf16_and_first_inputs(tmp_path):
    path = tmp_path / "double.symshape"
    x = np.arange(3).astype(ml_dtypes.bfloat16)
    symshape.loads(programs.DOUBLE.replace("TYPE", "bf16"), weights={"x": x}, versions=["x0 >= 0"][:0]).save(path)
    np.testing.assert_array_equal(symshape.load(path)()[0].astype(np.float32), [0, 2, 4])
    nodes = [onnx_file.node("ReduceSum", "x axes", "y", keepdims=0)]
    model = onnx_file.model(nodes, {"x": (onnx_file.FLOAT, ["A", "B"]), "axes": (onnx_file.INT64, [1])}, ["y"])
    axes = np.array([1])
    symshape.loads(model, format="onnx", first_inputs=[X, axes]).save(path)
    np.testing.assert_array_equal(symshape.load(path)(X, axes)[0], X.sum(1))


def test_files_that_are_none(tmp_path):
    path = tmp_path / "product.symshape"
    product().save(path)
    bytes_ = path.read_bytes()
    generator = random.Random(7)
    refused = 0
    for _ in range(40):
        path.write_bytes(bytes_[:generator.randrange(len(bytes_))])
        with pytest.raises(symshape.InputError, match="expected a program that `save` wrote, but"):
            symshape.load(path)
        refused += 1
    assert refused == 40
    with pytest.raises(symshape.InputError, match="No such file"):
        symshape.load(tmp_path / "none.symshape")


def rewrite(path, change):
    """Changes the header of a saved program, and where code is."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["program.json"])
    members = change(header, members) or members
    members["program.json"] = json.dumps(header)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_files_of_other_versions(tmp_path):
    path = tmp_path / "product.symshape"
    product().save(path)
    # Code that this release did not write, or that somebody has changed, is compiled anew.
    rewrite(path, lambda _, members: {name: data[:-1] + b"." if name.startswith("code/") else data
                                      for name, data in members.items()})
    with pytest.warns(symshape.CompileWarning):
        program = symshape.load(path)
    assert program.compilations == 1
    np.testing.assert_allclose(program(X)[0], X @ WEIGHT)
    # A member is written into the folder of the code, wherever its name leads.
    rewrite(path, lambda _, members: {f"code/../../{tmp_path}/out" if name.startswith("code/") else name: data
                                      for name, data in members.items()})
    np.testing.assert_allclose(symshape.load(path)(X)[0], X @ WEIGHT)
    assert os.listdir(tmp_path) == ["product.symshape"]
    rewrite(path, lambda header, _: header.update(format=2, symshape="9.0"))
    with pytest.raises(symshape.InputError, match="format 1, but got format 2, written by symshape 9.0"):
        symshape.load(path)
    rewrite(path, lambda header, _: header.update(format=None) or header.pop("symshape") and None)
    with pytest.raises(symshape.InputError, match="a damaged one"):
        symshape.load(path)


def test_pickles_of_programs(tmp_path, elsewhere):
    path = tmp_path / "squares.mlir"
    path.write_text(programs.SQUARES)
    for program in (symshape.load(path), symshape.loads(programs.SQUARES)):
        results, _ = elsewhere(call, program, X, X)
        np.testing.assert_array_equal(results[0], X * X)
    results, _ = elsewhere(call, product(), X)
    np.testing.assert_allclose(results.y, X @ WEIGHT)
    loss = symshape.loads(programs.LOSS)
    x, w = np.float64([1, 2]), np.float64([3, 4])
    (value, _, gradient), _ = elsewhere(call, loss.grad(wrt="x"), x, w)
    assert value == 19
    np.testing.assert_allclose(gradient, 2 * x * w)


# A program that gives back what it gets, pickled by 0.1.0; and before a pickle said by which release.
TEXT = "(V" + r"func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\u000a  return %x : tensor<?xf32>\u000a}\u000a" + "\n"
FIELDS = f"""NsVdata
c_codecs
encode
{TEXT}Vlatin1
tRsVkind
Vmlir
sVname
V<memory>
sVoptions
(dVfacts
(tsVthreads
I2
ssVseen
Ns"""
PICKLES = {
    "0.1.0": f"""csymshape._program
_read_pickle
((dVformat
I1
sVsymshape
V0.1.0
sVpath
{FIELDS}tR.""",
    "before": f"""csymshape._program
_load_again
(ccopy_reg
_reconstructor
(csymshape._saved
Source
c__builtin__
object
NtR(dVpath
{FIELDS}btR.""",
}


@pytest.mark.parametrize("release", PICKLES)
def test_pickles_of_earlier_releases(release):
    np.testing.assert_array_equal(pickle.loads(PICKLES[release].encode("ascii"))(X[0])[0], X[0])


@pytest.mark.parametrize("old, new, words", [
    ("format\nI1\n", "format\nI2\n", "a pickle of format 1, but got format 2 of a pickle that symshape 9.0 wrote: load the program again"),
    ("Vfacts\n", "Vlanes\n", r"one of the options compile, .*, weights, but got 'lanes' in a pickle that symshape 9\.0 wrote"),
    ("Vkind\n", "Vsort\n", r"a pickle of format 1 to have 'kind', but got none in a pickle that symshape 9\.0 wrote"),
])
def test_pickles_of_later_releases(old, new, words):
    """Read, or refused with what to do: the format, an option or a field is another one."""
    text = PICKLES["0.1.0"].replace("V0.1.0", "V9.0")
    np.testing.assert_array_equal(pickle.loads(text.encode("ascii"))(X[0])[0], X[0])
    assert text.count(old) == 1
    with pytest.raises(symshape.InputError, match=words):
        pickle.loads(text.replace(old, new).encode("ascii"))


def test_a_pickle_says_which_release_wrote_it():
    data = pickle.dumps(symshape.loads(programs.SQUARES, facts="M <= 4"))
    words = [argument for _, argument, _ in pickletools.genops(data) if isinstance(argument, str)]
    assert words[words.index("symshape") + 1] == symshape._core.release() and "format" in words


def test_pickles_name_no_module_of_one_python(tmp_path):
    """Private modules of Python, as that of paths, have other names in other versions."""
    path = tmp_path / "loss.mlir"
    path.write_text(programs.LOSS)
    given = [symshape.load(path), symshape.load(path, state=tmp_path / "state"), symshape.loads(programs.LOSS),
             symshape.load(path).grad(wrt="x"), product()]
    for program in given:
        named = [name for code, name, _ in pickletools.genops(pickle.dumps(program, 3)) if code.name == "GLOBAL"]
        assert named and {name.split()[0].split(".")[0] for name in named} <= {"symshape", "numpy", "_codecs"}, named


def test_pickles_of_refusals(elsewhere):
    with pytest.raises(symshape.GuardError) as caught:
        elsewhere(call, symshape.loads(programs.SQUARES), X, X[:1])
    assert caught.value.failures[0].values == {"M": 2, "P": 1}


def test_files_that_have_changed_since(tmp_path):
    path = tmp_path / "squares.mlir"
    path.write_text(programs.SQUARES)
    program = symshape.load(path)
    path.write_text(programs.SQUARES + "\n")
    for what in (lambda: pickle.dumps(program), lambda: program.save(tmp_path / "squares.symshape")):
        with pytest.raises(symshape.InputError, match="has changed or is gone"):
            what()
    assert os.listdir(tmp_path) == ["squares.mlir"]


def test_a_model_is_saved_that_was_read_from_a_file(tmp_path):
    """Its kind is that of the file's name."""
    inputs = {"x": (onnx_file.FLOAT, ["B", 3])}
    (tmp_path / "twice.onnx").write_bytes(onnx_file.model([onnx_file.node("Add", "x x", "y")], inputs, ["y"]))
    symshape.load(tmp_path / "twice.onnx").save(tmp_path / "twice.symshape")
    (tmp_path / "twice.onnx").unlink()
    program = symshape.load(tmp_path / "twice.symshape")
    np.testing.assert_array_equal(program(x=X)["y"], X + X)
    assert program.compilations == 0


def test_derivatives_are_saved_as_what_they_are_of(tmp_path):
    with pytest.raises(symshape.InputError, match="save the program that it is of"):
        symshape.loads(programs.LOSS).grad().save(tmp_path / "loss.symshape")
