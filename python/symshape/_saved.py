# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as files and as pickles.

A file of a program is a zip archive, whose members are not compressed:

    program.json  format, symshape (the release that wrote it), name, kind (of the source:
                  "mlir" or "onnx"), options, bf16 (names of arrays that hold bits)
    source        the text or bytes of the program, as it was given
    weights       a .safetensors file, if the weights are one
    arrays/NAME   weights and first inputs that were given as arrays (.npy)
    code/...      machine code, as a state folder keeps it

The code is used where the release, the processor and the options are the same, and is
compiled anew elsewhere. Machine code is code: a file from nobody you trust is not to be
loaded, as with pickles.

A pickle is `format` and `symshape`, as a file has them, and the fields of a `Source`: plain
values, so that another release can read it, or say why it cannot.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import shutil
import tempfile
import weakref
import zipfile
from pathlib import Path

import numpy as np

from . import _core
from ._arrays import bfloat16, element_type
from ._errors import InputError

FORMAT = 1
ENDING = ".symshape"
WHERE_IT_RUNS = ("state", "state_limit", "progress", "events")  # not the program's


@dataclasses.dataclass(frozen=True)
class Source:
    """What a program was compiled from: a file that is as `seen` (time and size), or bytes."""

    path: str | None
    data: bytes | None
    kind: str
    name: str
    options: dict
    seen: tuple[int, int] | None = None

    @classmethod
    def of(cls, path, data, kind, name, options):
        """A file that is not there, or no file, is left to the compiler to tell. Paths are text, which all
        versions of Python read from a pickle."""
        options = {name: os.fspath(one) if isinstance(one, os.PathLike) else one for name, one in options.items()}
        if path is None:
            return cls(None, data, kind, name, options)
        path = os.path.abspath(path)
        return cls(path, None, kind, name, options, _look_at(path))

    def read(self) -> bytes:
        if self.data is not None:
            return self.data
        assert self.path is not None
        self.check()
        return Path(self.path).read_bytes()

    def as_plain(self) -> dict:
        """What a pickle holds."""
        return {"format": FORMAT, "symshape": _core.release()} | vars(self)

    @classmethod
    def from_plain(cls, plain, known):
        """The source of a pickle, of whatever release, whose options are to be among those that are known."""
        written = f"a pickle that symshape {plain.get('symshape', 'of an unknown release')} wrote"
        if plain.get("format") != FORMAT:
            raise InputError(f"expected a pickle of format {FORMAT}, but got format {plain.get('format')} of {written}: "
                             "load the program again, or use `save`, whose files have their source")
        fields = [field.name for field in dataclasses.fields(cls)]
        if gone := [name for name in fields if name not in plain]:
            raise InputError(f"expected a pickle of format {FORMAT} to have {gone[0]!r}, but got none in {written}")
        if new := sorted(plain["options"].keys() - known):
            raise InputError(f"expected one of the options {', '.join(sorted(known))}, but got {new[0]!r} in {written}")
        return cls(**{name: plain[name] for name in fields})

    def check(self):
        """That the file is the one that was compiled."""
        if self.path is not None and (self.seen is None or _look_at(self.path) != self.seen):
            raise InputError(f"{self.path}: expected the file that was loaded, but it has changed or is gone")


def _look_at(path):
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


# --- saving --------------------------------------------------------------------


def _take_arrays(options):
    """Options without arrays, a file of weights, and arrays by name."""
    plain, arrays = dict(options), {}
    weights = plain.pop("weights", None)
    if hasattr(weights, "items"):
        arrays |= {f"weights/{name}": array for name, array in weights.items()}
    arrays |= {f"first/{number}": array for number, array in enumerate(plain.pop("first_inputs", ()))}
    return plain, weights if isinstance(weights, (str, os.PathLike)) else None, arrays


def _plain(value):
    """Versions and facts may be any iterable of text."""
    if isinstance(value, np.bool_):
        return bool(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else list(value)


def save(source: Source, path, compile_):
    """Writes the file; `compile_(data, kind, name, **options)` makes a program, whose code is kept."""
    given = {key: value for key, value in source.options.items() if key not in WHERE_IT_RUNS}
    options, weight_file, arrays = _take_arrays(given)
    data, name = source.read(), os.path.basename(source.name or source.path or "")
    bits = [key for key, array in arrays.items() if element_type(array) == "bf16"]
    header = {"format": FORMAT, "symshape": _core.release(), "name": name, "kind": source.kind,
              "options": options, "bf16": bits}
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"expected the path of a file to write, such as 'model{ENDING}', but got {path!r}")
    path = os.fspath(path)
    if not os.path.isdir(parent := os.path.dirname(path) or "."):
        raise InputError(f"cannot write '{path}': expected a folder '{parent}', but there is none")
    with tempfile.TemporaryDirectory() as folder:
        code = os.path.join(folder, "code")
        compile_(data, source.kind, name, **given | {"state": code, "compile": "sync", "progress": False})
        beside = f"{path}.{os.getpid()}.tmp"
        try:
            with zipfile.ZipFile(beside, "w") as archive:
                archive.writestr("program.json", json.dumps(header, default=_plain, indent=1))
                archive.writestr("source", data)
                if weight_file is not None:
                    archive.write(weight_file, "weights")
                for key, array in arrays.items():
                    array = np.asarray(array)
                    with archive.open(f"arrays/{key}.npy", "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, array.view(np.uint16) if key in bits else array,
                                                  allow_pickle=False)
                for file in sorted(Path(code).glob("*.code")):
                    archive.write(file, f"code/{file.name}")
            os.replace(beside, path)
        finally:
            if os.path.exists(beside):
                os.unlink(beside)


# --- loading -------------------------------------------------------------------


def _read_header(archive, path):
    try:
        header = json.loads(archive.read("program.json"))
        if header["format"] == FORMAT:
            return header
        words = f"format {header['format']}, written by symshape {header['symshape']}"
    except (KeyError, TypeError, ValueError) as error:
        words = f"a damaged one ({error!r})"
    raise InputError(f"{path}: expected a program of format {FORMAT}, but got {words}")


def _read_arrays(archive, bits):
    arrays = {}
    for name in archive.namelist():
        if name.startswith("arrays/") and name.endswith(".npy"):
            key = name[len("arrays/"):-len(".npy")]
            array = np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
            if key in bits and bfloat16() is None:
                raise InputError("expected ml_dtypes to be installed, for arrays of bf16")
            arrays[key] = array.view(bfloat16()) if key in bits else array
    return arrays


def _unpack(archive, header, folder):
    """The options that the file says, with code and weights in a folder."""
    options = header["options"]
    arrays = _read_arrays(archive, header["bf16"])
    weights = {key[len("weights/"):]: array for key, array in arrays.items() if key.startswith("weights/")}
    if "weights" in archive.namelist():
        weights = os.path.join(folder, "weights.safetensors")
        with archive.open("weights") as member, open(weights, "wb") as file:
            shutil.copyfileobj(member, file)
    if weights:
        options["weights"] = weights
    first = sorted((int(key[len("first/"):]), key) for key in arrays if key.startswith("first/"))
    if first:
        options["first_inputs"] = [arrays[key] for _, key in first]
    code = os.path.join(folder, "code")
    os.mkdir(code, 0o700)
    for name in archive.namelist():
        if name.startswith("code/"):  # whatever folders a member names, the file is in this one
            Path(code, os.path.basename(name)).write_bytes(archive.read(name))
    options["state"] = code
    return options


def load(path, options, compile_):
    """The program of a file; `options` come before those that it was saved with."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="symshape-"))
        try:
            with zipfile.ZipFile(path) as archive:
                header = _read_header(archive, path)
                given = _unpack(archive, header, folder) | options
                data, kind, name = archive.read("source"), header["kind"], header["name"]
        except InputError:
            raise
        except FileNotFoundError as error:
            raise InputError(f"cannot read '{path}': {error.strerror}") from error
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError, EOFError, OSError) as error:
            raise InputError(f"{path}: expected a program that `save` wrote, but {error}") from error
        program = compile_(data, kind, name, **given)
        weakref.finalize(program, stack.pop_all().close)
        return program


__all__ = ["ENDING", "Source", "load", "save"]
