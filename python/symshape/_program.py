# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: compiled functions, called with arrays."""

from __future__ import annotations

import dataclasses
import functools
import json
import logging
import os
import re
import sys
import warnings

import numpy as np

from . import _core
from ._arrays import TYPES, adapt, bfloat16, element_type
from ._errors import (BAD_INPUT, GUARD_FAILED, CompileError, CompileWarning, Error, GuardError, InputError,
                      read_diagnostics)
from ._facts import Answer, Extent, Facts
from ._report import Report

MODES = ("always", "auto", "never")
WHEN = ("sync", "async", "auto")
EVENTS = ("symbols", "guards", "versions", "compiles", "dispatch")
MLIR, ONNX = 0, 1
GRADIENT, VJP, JVP = 0, 1, 2
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
    """What a call is checked for: in words, as a formula, and who needs it."""

    condition: str
    formula: str
    reasons: tuple[str, ...]

    def __str__(self):
        return self.formula


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

    Inputs may be given by name: `program(x, mask=y)`. They are NumPy arrays, or anything
    with DLPack in the memory of the CPU, such as tensors of torch; they are read where
    they lie. Results are NumPy arrays, without a copy; `program.dlpack(x, y)` gives
    objects for `torch.from_dlpack` and the like. `program.prepare(x, y)` reads the
    arguments once: calling what it returns runs the program on what the arrays hold then.
    A bf16 result is an array of `ml_dtypes.bfloat16` if that is installed, else of the
    bits as uint16.

    A call raises GuardError where the program refuses the extents or data, InputError for
    arguments of a wrong number, type or rank. Several threads may call one program; the
    interpreter's lock is not held meanwhile. Made by `load` and `loads`.
    """

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
        return [Symbol(one["name"], *_range(one["range"]), one["policy"], one["why"], one.get("value"))
                for one in self._described["symbols"]]

    @functools.cached_property
    def guards(self) -> list[Guard]:
        """What each call is checked for before anything runs."""
        return [Guard(one["condition"], one["formula"], tuple(one["reasons"]))
                for one in self._described.get("guards", ())]

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
        `questionSeconds`; `places`, where most of the code comes from, each with `place` and
        `instructions`, and their sum `numInstructions`.
        """
        return json.loads(self._ask(self._compile_report))

    def result_shapes(self, *arguments, **named) -> list[tuple[int | None, ...]]:
        """The shapes of the results for arguments, of which types and shapes count, without running.

        None stands for an extent that only the call finds out. Raises as a call would
        where the shapes are refused.
        """
        arguments = self._order(arguments, named) if named else arguments
        typed = [(TYPES.index(element_type(argument)), tuple(argument.shape)) for argument in arguments]
        return [tuple(None if extent < 0 else extent for extent in shape)
                for shape in self._result_extents(*typed)]

    @property
    def compilations(self) -> int:
        """How many times code was made so far, by calls as well."""
        return self._num_compilations()

    def __str__(self):
        """A screen of text: inputs, results, weights, and for which sizes the program is valid."""
        return self._ask(self._report_text, "brief").rstrip("\n")

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
        made._original = self  # whose weights it shares
        names = [wrt] if isinstance(wrt, str) else wrt or ()
        if not _is_list(names, str):
            raise InputError(f"expected wrt to be names of arguments, but got {wrt!r}")
        if not _is_list(results, int):
            raise InputError(f"expected numbers of results, but got {results!r}")
        try:
            self._differentiate(made, kind, list(names), list(results))
        except _core.Error as error:
            raise _make_error(*error.args, made._take_diagnostics()) from None
        _tell(made._take_diagnostics())
        return made._finish()

    # --- what the bindings call --------------------------------------------

    def _finish(self):
        signature = json.loads(self._signature())
        self._inputs = [one for one in signature["arguments"] if "weight" not in one]
        self._result_types = [one["element"] for one in signature["results"]]
        if "bf16" in self._result_types and bfloat16() is not None:
            self.__class__ = _BF16Program
        return self

    def _ask(self, question, *arguments):
        try:
            return question(*arguments)
        except _core.Error as error:
            raise _make_error(*error.args, self._take_diagnostics()) from None

    def _list_inputs(self):
        return "; ".join(one["says"] for one in self._inputs)

    def _adapt(self, number, argument):
        if number >= len(self._inputs):
            raise InputError(f"expected {len(self._inputs)} inputs, but got more: {self._list_inputs()}")
        wanted = self._inputs[number]
        return adapt(argument, wanted["element"], wanted["name"])

    def _order(self, arguments, named):
        """The inputs in order, of which some are given by name."""
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
        try:
            described = json.loads(self._describe_failure())
        except _core.Error:
            raise GuardError(message) from None
        raise GuardError(message, **_read_failure(described))


def _read_failure(described):
    error = GuardError.read("", described)
    return {"function": error.function, "failures": error.failures}


class _BF16Program(Program):
    """One with results of bf16, which NumPy shows with the type of `ml_dtypes`."""

    __doc__ = Program.__doc__

    def __call__(self, *arguments, **named):
        return self._view(super().__call__(*arguments, **named))

    def _view(self, arrays):
        return [array.view(bfloat16()) if type_ == "bf16" else array
                for array, type_ in zip(arrays, self._result_types)]

    def prepare(self, *arguments, **named):
        return _BF16Call(self, super().prepare(*arguments, **named))


class _BF16Call:
    """A prepared call of one."""

    def __init__(self, program, prepared):
        self._program = program
        self._prepared = prepared
        self.dlpack = prepared.dlpack

    def __call__(self):
        return self._program._view(self._prepared())


def _make_error(message, status, told=()):
    message = message.replace("no weights are given (--weights)", "no weights are given (the option weights)")
    diagnostics = _tell(told)
    if status == BAD_INPUT:
        return InputError("\n".join([message, *map(str, diagnostics)]), status)
    if status == GUARD_FAILED:
        return GuardError(message)
    return CompileError(message, diagnostics, status)


def _is_list(values, kind):
    """Whether they are several of a kind, or none, and no text."""
    return not isinstance(values, (str, bytes)) and hasattr(values, "__iter__") and all(
        isinstance(value, kind) for value in values)


def _read_weights(weights):
    """The path of a file, and tensors by name."""
    if weights is None or isinstance(weights, (str, os.PathLike)):
        return (None if weights is None else os.fspath(weights)), []
    if not hasattr(weights, "items") or not _is_list(weights, str):
        raise InputError(f"expected weights to be a .safetensors file, or arrays by name, but got {weights!r}")
    return None, [(name, *adapt(tensor, element_type(tensor, name), name)) for name, tensor in weights.items()]


def _read_versions(versions):
    if hasattr(versions, "items"):
        named = list(versions.items())
    else:
        several = () if versions is None else versions if _is_list(versions, object) else [versions]
        named = [(f"version{number}", one) for number, one in enumerate(several)]
    for name, one in named:
        if not isinstance(name, str) or not (isinstance(one, str) or _is_list(one, str)):
            raise InputError("expected versions to be {name: condition}, or conditions, such as "
                             f"'L <= 128 and 16 | L', but got {versions!r}")
    return [(name, one if isinstance(one, str) else " and ".join(one)) for name, one in named]


def _read_first_inputs(first_inputs):
    if not _is_list(first_inputs, object) or hasattr(first_inputs, "dtype"):
        raise InputError(f"expected first_inputs to be the arrays of a call, in a list, but got {first_inputs!r}")
    return [adapt(array, element_type(np.asarray(array), f"input {number}"), f"input {number}")
            for number, array in enumerate(first_inputs)]


BOUNDS = {"threads": (1, 2**31 - 1), "state_limit": (0, 2**64 - 1)}  # of options that are numbers
SWITCHES = ("guards", "plan_memory")


def _check_types(**options):
    """Options of one word, number or path; None: the default."""
    for name, value in options.items():
        if name in BOUNDS:
            least, most = BOUNDS[name]
            fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
            wanted = f"a number from {least} to {most}"
        elif name in SWITCHES:
            fits, wanted = isinstance(value, (bool, np.bool_)), "True or False"
        elif name == "state":
            fits, wanted = isinstance(value, (str, os.PathLike)), "the path of a folder"
        else:
            fits, wanted = isinstance(value, str), "text"
        if not fits and (value is not None or name in SWITCHES):
            raise InputError(f"expected {name} to be {wanted}, but got {value!r}")


def read_facts(facts):
    """Of one text or several, a list."""
    texts = [facts] if isinstance(facts, str) or not hasattr(facts, "__iter__") else list(facts)
    if hasattr(facts, "items") or not all(isinstance(text, str) for text in texts):
        raise InputError(f"expected facts to be text, or several texts, such as 'L <= 512', but got {facts!r}")
    return texts


def _is_watched():
    """Whether a person looks at standard error, where a line can be erased."""
    try:
        return os.isatty(2) and sys.stderr.fileno() == 2 and os.environ.get("TERM", "dumb") != "dumb"
    except (AttributeError, OSError, ValueError):
        return False  # a notebook, or a process without it


def _options(*, entry=None, dynamic="always", versions=(), facts=(), threads=None, weights=None, guards=True, cpu=None,
             target=None, plan_memory=True, compile="auto", state=None, state_limit=0, first_inputs=(),
             events=None, progress=None):
    if dynamic not in MODES:
        raise InputError(f"expected dynamic to be one of {', '.join(MODES)}, but got {dynamic!r}")
    if compile not in WHEN:
        raise InputError(f"expected compile to be one of {', '.join(WHEN)}, but got {compile!r}")
    _check_types(entry=entry, threads=threads, cpu=cpu, target=target, state=state, state_limit=state_limit,
                 events=events, guards=guards, plan_memory=plan_memory)
    for category in events.split(",") if events else ():
        if category.strip() not in EVENTS:
            raise InputError(f"expected events of {', '.join(EVENTS)}, but got {category.strip()!r}")
    if progress not in (True, False, None):
        raise InputError(f"expected progress to be True, False or None, but got {progress!r}")
    file, tensors = _read_weights(weights)
    return dict(entry=entry, dynamic=MODES.index(dynamic), versions=_read_versions(versions),
                facts=read_facts(facts), threads=0 if threads is None else threads,
                weights=file, weight_tensors=tensors, guards=guards, cpu=cpu, target=target,
                plan_memory=plan_memory, when=WHEN.index(compile),
                state=None if state is None else os.fspath(state), state_limit=state_limit,
                first_inputs=_read_first_inputs(first_inputs), events=events,
                progress=_is_watched() if progress is None else progress)


def _compile(path, data, format_, name, options):
    known = _options.__kwdefaults__
    for option in options.keys() - known.keys():
        raise TypeError(f"expected one of the options {', '.join(sorted(known))}, but got {option!r}")
    program = Program()
    handler = _log_event if log.isEnabledFor(logging.INFO) else None
    try:
        program._compile(path, data, format_, name, _options(**options), handler)
    except _core.Error as error:
        raise _make_error(*error.args, program._take_diagnostics()) from None
    _tell(program._take_diagnostics())
    program._finish()
    given = len(options.get("first_inputs", ()))
    if given not in (0, len(program._inputs)):
        raise InputError(f"expected {len(program._inputs)} first_inputs, but got {given}: {program._list_inputs()}")
    return program


def load(path, **options) -> Program:
    """Compiles a function of a file: MLIR (text or bytecode), or a model by its ending `.onnx`.

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
    progress     whether a line on standard error says how far compiling is, once it takes more
                 than a second; it is erased at the end. None: if that is a terminal

    Raises CompileError, whose diagnostics have places, or InputError. Warnings of the
    compiler are warnings (CompileWarning); where the logger `symshape` listens to INFO, it
    is told what is compiled and which code serves a call.
    """
    return _compile(os.fspath(path), None, MLIR, "", options)


def loads(source, *, format: str = "mlir", name: str = "<memory>", **options) -> Program:
    """The same of text or bytes in memory; `format` is "mlir" or "onnx".

    `name` stands for the file in messages. External data of a model is looked for in the
    folder of that name.
    """
    if format not in ("mlir", "onnx"):
        raise InputError(f"expected the format 'mlir' or 'onnx', but got {format!r}")
    if not isinstance(source, (str, bytes, bytearray, memoryview)):
        raise InputError(f"expected the text or bytes of a program, but got {source!r}")
    if isinstance(source, str) and source.endswith((".mlir", ".onnx")) and "\n" not in source:
        raise InputError(f"expected the text or bytes of a program, but got {source!r}: files are for load")
    data = source.encode() if isinstance(source, str) else bytes(source)
    return _compile(None, data, ONNX if format == "onnx" else MLIR, name, options)


__all__ = ["Error", "Guard", "Program", "Symbol", "Tensor", "Version", "load", "loads"]
