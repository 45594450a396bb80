# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: compiled functions, called with arrays."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import concurrent.futures
import dataclasses
import functools
import json
import logging
import os
import re
import reprlib
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _saved
from ._arrays import TYPES, adapt, bfloat16, check_layout, element_type, place
from ._errors import (BAD_INPUT, GUARD_FAILED, CompileError, CompileWarning, Error, GuardError, InputError,
                      read_diagnostics, say_conditions)
from ._facts import Answer, Extent, Facts
from ._options import is_list, read_options
from ._profile import Profile
from ._progress import NotebookBar, notebook_display
from ._report import Report, show_program
from ._results import Results, convert, exchange_of, fill, library_of

FORMATS = {"mlir": 0, "onnx": 1}
GRADIENT, VJP, JVP = 0, 1, 2
LARGEST = 2**48 - 1  # extent
# What people write who come from elsewhere.
ELSEWHERE = {"run": "sessions of ONNX Runtime", "forward": "modules of PyTorch", "predict": "models of scikit-learn"}
log = logging.getLogger("symshape")


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A name for extents: its closed range (None: no bound), policy, and where it comes from.

    `value` is the only value that the signature leaves it, if that is so.
    """

    name: str
    min: int | None
    max: int | None
    policy: str
    why: str
    value: int | None = None

    def __str__(self):
        return self.name

    def __repr__(self):
        """Without ends that every extent has."""
        said = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        plain = {"min": (None, 0), "max": (None, LARGEST), "value": (None,)}
        return f"Symbol({', '.join(f'{key}={value!r}' for key, value in said.items() if value not in plain.get(key, ()))})"


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An argument or result: name, MLIR type, element type such as "f32", and extents.

    `weight` is the name of the weight that an argument is bound to, or None: those are
    no inputs of calls.
    """

    name: str
    type: str
    element: str
    extents: tuple[Extent, ...]
    weight: str | None = None

    @property
    def rank(self) -> int:
        return len(self.extents)

    def __str__(self):
        return f"{self.name}: [{', '.join(map(str, self.extents))}] {self.element}"


@dataclasses.dataclass(frozen=True)
class Guard:
    """What a call is checked for: in words, as a formula of the engine, who needs it, and as a person writes it."""

    condition: str
    formula: str
    reasons: tuple[str, ...]
    plain: str

    def __str__(self):
        return self.plain


@dataclasses.dataclass(frozen=True)
class Version:
    """Code for calls that meet a condition; the default has an empty one."""

    name: str
    condition: str
    serves: str


def _range(text):
    low, high = re.fullmatch(r"\[(-?\d*), (-?\d*)\]", text).groups()
    return (int(low) if low else None), (int(high) if high else None)


def _tell(diagnostics):
    """Warnings become warnings of Python, remarks are logged; gives the rest."""
    rest = []
    for one in read_diagnostics(diagnostics):
        if one.severity == "warning":
            warnings.warn(str(one).replace("warning: ", "", 1), CompileWarning, stacklevel=4)
        elif one.severity == "remark":
            log.info("%s", one)
        else:
            rest.append(one)
    return rest


def _log_event(text):
    event = json.loads(text)
    category, name = event.pop("category"), event.pop("event")
    words = " ".join(f"{key}={json.dumps(event[key], ensure_ascii=False)}" for key in sorted(event))
    logging.getLogger(f"symshape.{category}").info("%s %s", name, words)


class Program(_core.Program):
    """A compiled function. `program(x, y)` returns the list of its results.

    Inputs may be given by name, `program(x, mask=y)` or `program({"x": x, "mask": y})`.
    They are NumPy arrays, or anything with DLPack in the memory of the CPU, such as
    tensors of torch; they are read where they lie. Results are arrays of torch or JAX if
    an input is, else of NumPy, without a copy; `program.dlpack(x, y)` gives objects for
    the `from_dlpack` of any library. `program(x, out=y)` copies the results into arrays that
    are there: the only one, or several in order or by name. Where the program names its results, as a model in
    ONNX does, `results.logits` and `results["logits"]` are one of them. `program.prepare(x, y)` reads the
    arguments once: calling what it returns runs the program on what the arrays hold then.
    A bf16 result is an array of `ml_dtypes.bfloat16` if that is installed, else of the
    bits as uint16.

    A call raises GuardError where the program refuses the extents or data, InputError for
    arguments of a wrong number, type or rank. Several threads may call one program; the
    interpreter's lock is not held meanwhile. Made by `load` and `loads`.
    """

    parameters: list[str]  # of programs of `symshape.from_torch`
    _module: Any  # whose memory such a program shares

    # --- what is known -----------------------------------------------------

    @functools.cached_property
    def _described(self):
        return json.loads(self._ask(super()._describe))

    @functools.cached_property
    def facts(self) -> Facts:
        """What holds in every call that the program accepts; can be asked, not added to."""
        return Facts._of(self._ask(super()._facts))

    def _tensors(self, key):
        return [Tensor(one["name"], one["type"], one["element"],
                       tuple(Extent(text, lambda: self.facts) for text in one["extents"]), one.get("weight"))
                for one in self._described[key]]

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._described["name"]

    @functools.cached_property
    def arguments(self) -> list[Tensor]:
        """All arguments, weights among them."""
        return self._tensors("arguments")

    @property
    def inputs(self) -> list[Tensor]:
        """The arguments that calls pass."""
        return [argument for argument in self.arguments if argument.weight is None]

    @functools.cached_property
    def results(self) -> list[Tensor]:
        return self._tensors("results")

    @functools.cached_property
    def symbols(self) -> list[Symbol]:
        """The names in the extents of the arguments."""
        ranges = [_range(one["range"]) for one in self._described["symbols"]]
        return [Symbol(one["name"], low, high, one["policy"], one["why"], one.get("value"))
                for one, (low, high) in zip(self._described["symbols"], ranges)]

    @functools.cached_property
    def guards(self) -> list[Guard]:
        """What each call is checked for before anything runs.

        Bounds that only keep numbers of elements within 64 bits are checked, too, but not
        listed, as in what `symshape-onnx check` prints; `report()` has them.
        """
        return [Guard(one["condition"], one["formula"], tuple(one["reasons"]), one["plain"])
                for one in self._described.get("guards", ()) if not one["isBound"]]

    @property
    def versions(self) -> list[Version]:
        """The versions in order of preference; empty where there is one for all."""
        return [Version(one["name"], one["condition"], one["serves"])
                for one in self._described.get("versions", ())]

    def prove(self, relation: str) -> Answer:
        """Whether a relation over the symbols holds in every call that is accepted."""
        return self.facts.prove(relation)

    def report(self) -> Report:
        """What is known of the function, memory included; shows as text, JSON and HTML."""
        return Report(lambda form: self._ask(self._report_text, form))

    def compile_report(self) -> dict:
        """What compiling the program for all shapes takes; compiles it once more to see.

        A dictionary of plain values: `function`, `seconds`; `stages` and `passes`, lists of
        dictionaries of `name` and `seconds`; `questions`, the ten costliest to the fact
        engine, each with `question`, `place`, `asked`, `decided` (of these, not answered
        from memory), `steps`, `seconds`, and the sums of all, `numAsked`, `numDecided`,
        `questionSeconds`; `numRewriteSteps`, how often rewrite patterns looked at an op;
        `places`, where most of the code comes from, each with `place` and `instructions`,
        and their sum `numInstructions`.
        """
        return json.loads(self._ask(self._compile_report))

    def profile(self, *arguments, repeat: int = 10, **named) -> Profile:
        """Where the time of such a call goes: time, bytes and FLOP of each node of the program.

        Compiles the program once more, with timers around its kernels, and calls it
        `repeat` times; reports that are made later show the profile. An input of the name
        `repeat` goes by its place.
        """
        if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 1:
            raise InputError(f"expected repeat to be a number of at least 1, but got {repeat!r}")
        return Profile(json.loads(self._ask(super().prepare(*arguments, **named)._profile, repeat)))

    def result_shapes(self, *arguments, **named) -> list[tuple[int | None, ...]]:
        """The shapes of the results for arguments, of which types and shapes count, without running.

        None stands for an extent that only the call finds out. Raises as a call would
        where the shapes are refused.
        """
        arguments = self._order(arguments, named) if named else arguments
        typed = [(TYPES.index(element_type(argument)), tuple(argument.shape)) for argument in arguments]
        return [tuple(None if extent < 0 else extent for extent in shape)
                for shape in self._result_extents(*typed)]

    # --- other ways to call ------------------------------------------------

    async def acall(self, *arguments, **named) -> Results:
        """A call that can be awaited: it runs in the threads of the event loop's executor."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, functools.partial(self, *arguments, **named))

    def map(self, calls: Iterable, workers: int | None = None) -> Iterator[Results]:
        """The results of many calls, in order, as they are there.

        Each of `calls` is a tuple or list of inputs, a dictionary of them by name, or the
        only input. `workers` calls run at a time (default: as many as there are
        processors), and at most twice as many are read ahead. The exception of a call is
        raised where its results would be.
        """
        workers = os.cpu_count() or 1 if workers is None else workers
        if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
            raise InputError(f"expected workers to be a number of at least 1, but got {workers!r}")
        if not hasattr(calls, "__iter__"):
            raise InputError(f"expected the inputs of several calls, such as [(x, y), (v, w)], but got {calls!r}")
        return self._map(calls, workers)

    def _map(self, calls, workers):
        ahead = collections.deque()
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            try:
                for inputs in calls:
                    if len(ahead) == 2 * workers:
                        yield ahead.popleft().result()
                    several = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
                    ahead.append(pool.submit(self, *several))
                while ahead:
                    yield ahead.popleft().result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    # --- files and pickles ---------------------------------------------------

    def save(self, path) -> None:
        """Writes the program to a file, by custom `.symshape`, that `symshape.load` takes.

        It holds the source, the options, weights, and machine code for this processor,
        which is compiled for it now. Raises InputError where the file that was loaded has
        changed since, or has its data in others.
        """
        _saved.save(self._get_source("save"), path, _compile_bytes)

    def _get_source(self, what):
        source = self.__dict__.get("_source")
        if source is None:
            raise InputError(f"cannot {what} a derivative: {what} the program that it is of, and derive again")
        return source

    def _with(self, **options):
        """The same program with other options."""
        return _load_again(self._get_source("recompile"), **options)

    def __reduce__(self):
        """A pickle is the path of the file that was loaded, or the source, with the options: it is
        compiled again where it is read, or comes from the cache. It says which release wrote it."""
        if "_derived" in self.__dict__:
            return _derive_again, self._derived
        source = self._get_source("pickle")
        source.check()
        state = {"parameters": self.parameters} if "parameters" in self.__dict__ else None
        return _read_pickle, (source.as_plain(),), state

    def __setstate__(self, state):
        self.__dict__.update(state)

    @property
    def compilations(self) -> int:
        """How many times code was made so far, by calls as well."""
        return self._num_compilations()

    def __str__(self):
        """A screen of text: inputs, results, weights, and for which sizes the program is valid."""
        return self._ask(self._report_text, "brief").rstrip("\n")

    def _repr_html_(self):
        return show_program(self._described)

    if not TYPE_CHECKING:  # which tells by itself what there is

        def __getattr__(self, name):
            words = f"'Program' object has no attribute '{name}'"
            if name in ELSEWHERE:
                words = f"expected a program of symshape to be called, {self._show_call()}, but got '{name}', which {ELSEWHERE[name]} have"
            raise AttributeError(words, name=name, obj=self)

    def _show_call(self):
        given = ", ".join(f"{one.name}=..." if one.name.isidentifier() else "..." for one in self.inputs)
        return f"program({given})" if len(given) < 80 else "program({name: array, ...})"

    def __repr__(self):
        inputs = ", ".join(map(str, self.inputs))
        return f"<symshape.Program @{self.name}({inputs}) -> ({', '.join(map(str, self.results))})>"

    # --- derivatives -------------------------------------------------------

    def grad(self, wrt=None, result: int | None = None) -> Program:
        """The program that returns all results, then the gradient by each argument of `wrt`.

        `wrt` are names of arguments, `%` left out or not, or of weights; None: all of
        floats. The result that is differentiated, number `result`, is a float or a tensor
        of rank 0. Raises CompileError where an op has no derivative.
        """
        return self._derive(GRADIENT, wrt, None if result is None else [result])

    def vjp(self, wrt=None, results=None) -> Program:
        """The program that takes the arguments and a cotangent of each of `results` (numbers;
        None: all of floats), and returns all results, then the cotangent by each of `wrt`."""
        return self._derive(VJP, wrt, results)

    def jvp(self, wrt=None, results=None) -> Program:
        """The program that takes the arguments and a tangent of each of `wrt`, and returns all
        results, then the tangent of each of `results`."""
        return self._derive(JVP, wrt, results)

    def _derive(self, kind, wrt, results):
        results = () if results is None else results
        made = Program()
        made._derived = self, kind, wrt, results  # whose weights it shares
        made._layouts = self._layouts
        names = [wrt] if isinstance(wrt, str) else wrt or ()
        if not is_list(names, str):
            raise InputError(f"expected wrt to be names of arguments, but got {wrt!r}")
        if not is_list(results, int):
            raise InputError(f"expected numbers of results, but got {results!r}")
        try:
            self._differentiate(made, kind, list(names), list(results))
        except _core.Error as error:
            raise _make_error(*error.args, made._take_diagnostics()) from None
        _tell(made._take_diagnostics())
        return made._finish()

    # --- what the bindings call --------------------------------------------

    _layouts = "copy"
    _library_of = staticmethod(library_of)
    _convert = staticmethod(convert)
    _exchange_of = staticmethod(exchange_of)

    def _finish(self):
        signature = json.loads(self._signature())
        self._inputs = [one for one in signature["arguments"] if "weight" not in one]
        self._set_kinds([one["element"] in ("i64", "index") for one in self._inputs],
                        any("strides" in one for one in self._inputs))
        self._result_types = [one["element"] for one in signature["results"]]
        names = [one["name"] for one in signature["results"]]
        names = tuple(None if name.startswith("result #") else name for name in names)
        self._result_names = names if any(names) else None
        self._bf16 = bfloat16() if "bf16" in self._result_types else None
        if self._result_names or self._bf16 is not None:
            self.__class__ = _DressedProgram
        return self

    def _ask(self, question, *arguments):
        try:
            return question(*arguments)
        except _core.Error as error:
            raise _make_error(*error.args, self._take_diagnostics()) from None

    def _list_inputs(self):
        return "; ".join(one["says"] for one in self._inputs)

    def _is_buffer(self, number):
        return number < len(self._inputs) and "strides" in self._inputs[number]

    @staticmethod
    def _is_immutable(kind):
        """Whether arrays of a type never change, though others can read their memory."""
        return library_of(kind) == "jax"

    def _refuse_unreadable(self, number):
        raise InputError(f"{self._inputs[number]['name']}: expected a tensor whose elements are in memory, but got one that "
                         "stands for others, such as of torch.func.vmap")

    def _refuse_donated(self, number):
        raise InputError(f"expected input {number}, which is donated, to be an array that can be written to")

    def _adapt(self, number, argument):
        if number >= len(self._inputs):
            raise InputError(f"expected {len(self._inputs)} inputs, but got more: {self._list_inputs()}")
        wanted = self._inputs[number]
        if "strides" in wanted:
            return place(argument, wanted, self._layouts == "copy")
        if self._layouts == "check":
            check_layout(argument, wanted["name"])
        return adapt(argument, wanted["element"], wanted["name"])

    def _take_out(self, named):
        """Takes the arrays for results out of the names of a call, unless an input is called so."""
        return None if any(one["name"].lstrip("%") == "out" for one in self._inputs) else named.pop("out", None)

    def _fill(self, out, results):
        return fill(out, results, self._result_types, self._result_names)

    def _order(self, arguments, named):
        """The inputs in order, of which some are given by name."""
        if not named and len(arguments) == 1 and isinstance(arguments[0], dict):
            arguments, named = (), arguments[0]
        names = [one["name"].lstrip("%") for one in self._inputs]
        for name in named:
            if name not in names:
                raise InputError(f"expected the name of an input ({', '.join(names)}), but got {name!r}")
            if name in names[:len(arguments)]:
                raise InputError(f"expected each input once, but got {name!r} twice")
        missing = [name for name in names[len(arguments):] if name not in named]
        if missing:
            raise InputError(f"expected an input for {missing[0]!r}; the inputs are {self._list_inputs()}")
        return (*arguments, *(named[name] for name in names[len(arguments):]))

    def _fail(self, status, message):
        """Raises what a failed call means."""
        if status != GUARD_FAILED:
            raise _make_error(message, status, self._take_diagnostics())
        message = say_conditions(message)
        try:
            described = json.loads(self._describe_failure())
        except _core.Error:
            raise GuardError(message) from None
        raise GuardError(message, **_read_failure(described))


def _read_failure(described):
    error = GuardError.read("", described)
    return {"function": error.function, "failures": error.failures}


class _DressedProgram(Program):
    """One whose results have names, or are bf16, which NumPy shows with the type of `ml_dtypes`."""

    __doc__ = Program.__doc__

    def __call__(self, *arguments, **named):
        return self._dress(super().__call__(*arguments, **named))

    def _dress(self, arrays):
        if self._bf16 is not None:
            arrays = [array.view(self._bf16) if type_ == "bf16" and isinstance(array, np.ndarray) else array
                      for array, type_ in zip(arrays, self._result_types)]
        return Results.of(arrays, self._result_names) if self._result_names else arrays

    def prepare(self, *arguments, **named):
        return _DressedCall(self, super().prepare(*arguments, **named))


_DressedProgram.__name__ = "Program"  # in messages of Python


class _DressedCall:
    """A prepared call of one."""

    def __init__(self, program, prepared):
        self._program = program
        self._prepared = prepared
        self.dlpack = prepared.dlpack

    def __call__(self):
        return self._program._dress(self._prepared())


def _make_error(message, status, told=()):
    message = message.replace("no weights are given (--weights)", "no weights are given (the option weights)")
    message = message.replace("to be given, for the program", "to be given (the option first_inputs), for the program")
    diagnostics = _tell(told)
    if status == BAD_INPUT:
        return InputError("\n".join([message, *map(str, diagnostics)]), status)
    if status == GUARD_FAILED:
        return GuardError(say_conditions(message))
    return CompileError(message, diagnostics, status)


def _compile_bytes(data, kind, name, **options):
    return _compile(None, data, kind, name, options)


def _load_again(source, **options):
    source.check()
    return _compile(source.path, source.data, source.kind, source.name, source.options | options)


def _read_pickle(plain):
    return _load_again(_saved.Source.from_plain(plain, read_options.__kwdefaults__.keys()))


def _derive_again(original, *request):
    return original._derive(*request)


def _compile(path, data, kind, name, options):
    known = read_options.__kwdefaults__
    for option in options.keys() - known.keys():
        raise TypeError(f"expected one of the options {', '.join(sorted(known))}, but got {option!r}")
    program = Program()
    handler = _log_event if log.isEnabledFor(logging.INFO) else None
    display = notebook_display() if options.get("progress") is not False else None
    try:
        with NotebookBar(display) if display else contextlib.nullcontext():
            program._compile(path, data, FORMATS[kind], name, read_options(**options), handler)
    except _core.Error as error:
        raise _make_error(*error.args, program._take_diagnostics()) from None
    _tell(program._take_diagnostics())
    program._finish()
    program._layouts = options.get("layouts", "copy")
    program._source = _saved.Source.of(path, data, kind, name, options)
    given = len(options.get("first_inputs", ()))
    if given not in (0, len(program._inputs)):
        raise InputError(f"expected {len(program._inputs)} first_inputs, but got {given}: {program._list_inputs()}")
    return program


def load(path, **options) -> Program:
    """Compiles a function of a file: MLIR (text or bytecode, such as an export of JAX), a `.pt2` that
    `torch.export.save` wrote, or a model by its ending `.onnx`.

    Or loads a program that `Program.save` wrote, by its ending `.symshape`: options come
    before those that it was saved with. It holds machine code: load it from whom you trust.

    entry        the function (default: main, or else the only public one)
    dynamic      which dims are symbols in the code: "always" (all, one compilation), "auto"
                 (those that differ between calls), "never" (a compilation for each shape)
    versions     {name: condition}, or conditions: code for calls that meet it, such as
                 "L <= 128 and 16 | L"
    facts        relations over names of dims that calls must meet, such as "L <= 512"; one or
                 several
    threads      the most that a call uses (default: SYMSHAPE_THREADS, or 1); results do not depend on it
    weights      a .safetensors file, or {name: array} for weights or arguments; arrays are
                 not copied
    guards       False: do not check what the program requires; a call that breaks it is
                 undefined
    cpu          whose instructions to use, as LLVM calls it (default: all of this machine)
    precision    in which type products of f32 are formed: "f32"; "bf16", which rounds their operands and
                 nothing else; "int8" or "int4", which keeps their weights in 8 or 4 bits (`compare`
                 measures what these do); "bf16,-NAME,-NAME" leaves layers of these names as they are
                 (default: as the program says, f32 if it says nothing)
    plan_memory  False: each temporary buffer is an allocation of its own
    compile      whether calls wait for the best code: "sync" (they do), "async" (code for all
                 shapes that is made quickly serves calls until better code is there; results
                 may then differ between calls in rounding), "auto" (async for a program that
                 takes about a second or more to compile, else sync)
    state        a folder that keeps machine code for later processes, and which dims have
                 varied; state_limit: bytes. Without it, code is kept in the user's cache
                 (the variable SYMSHAPE_CACHE: another folder, or "off")
    first_inputs arrays of the first call, where a model depends on their values
    events       categories to log, of symbols, guards, versions, compiles, dispatch
    donate       inputs whose memory a result may take, by the names of both, as {"past": "present"}
                 ("#0" is the first result); True: those that an export of JAX donates. Where it is
                 proved safe, the result is written in the memory of the input and shares it. What
                 such an input holds after a call is not specified
    layouts      what becomes of an array that cannot be read where it lies, such as a transposed
                 view: "copy" (each call copies it) or "check" (the call is refused)
    progress     whether a line on standard error says how far compiling is, once it takes more
                 than a second; it is erased at the end. None: if that is a terminal. In a
                 notebook, a bar does, unless it is False

    Raises CompileError, whose diagnostics have places, or InputError. Warnings of the
    compiler are warnings (CompileWarning); where the logger `symshape` listens to INFO, it
    is told what is compiled and which code serves a call.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"expected the path of a file, but got {reprlib.repr(path)}: what is in memory is for loads")
    path = os.fspath(path)
    if path.endswith(_saved.ENDING):
        return _saved.load(path, options, _compile_bytes)
    return _compile(path, None, "onnx" if path.endswith(".onnx") else "mlir", "", options)


def loads(source, *, format: str = "mlir", name: str = "<memory>", **options) -> Program:
    """The same of text or bytes in memory; `format` is "mlir" or "onnx".

    `name` stands for the file in messages. External data of a model is looked for in the
    folder of that name.
    """
    if format not in FORMATS:
        raise InputError(f"expected the format 'mlir' or 'onnx', but got {format!r}")
    if not isinstance(source, (str, bytes, bytearray, memoryview)):
        raise InputError(f"expected the text or bytes of a program, but got {source!r}")
    if isinstance(source, str) and source.endswith((".mlir", ".onnx")) and "\n" not in source:
        raise InputError(f"expected the text or bytes of a program, but got {source!r}: files are for load")
    data = source.encode() if isinstance(source, str) else bytes(source)
    if format == "mlir" and data[:1] == b"\x08" and data[1:2] != b"\0":  # its version, which comes first
        raise InputError('expected text or bytecode of MLIR, but got what looks like a model of ONNX: give format="onnx"')
    return _compile(None, data, format, name, options)


__all__ = ["Error", "Guard", "Program", "Symbol", "Tensor", "Version", "load", "loads"]
