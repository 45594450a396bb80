# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of a program: what is wrong with one is told before anything is compiled."""

from __future__ import annotations

import os
import sys

import numpy as np

from ._arrays import adapt, element_type
from ._errors import InputError

MODES = ("always", "auto", "never")
LAYOUTS = ("copy", "check")
WHEN = ("sync", "async", "auto")
EVENTS = ("symbols", "guards", "versions", "compiles", "dispatch")


def is_list(values, kind):
    """Whether they are several of a kind, or none, and no text."""
    return not isinstance(values, (str, bytes)) and hasattr(values, "__iter__") and all(
        isinstance(value, kind) for value in values)


def _read_weights(weights):
    """The path of a file, and tensors by name."""
    if weights is None or isinstance(weights, (str, os.PathLike)):
        return (None if weights is None else os.fspath(weights)), []
    if not hasattr(weights, "items") or not is_list(weights, str):
        raise InputError(f"expected weights to be a .safetensors file, or arrays by name, but got {weights!r}")
    return None, [(name, *adapt(tensor, element_type(tensor, name), name)) for name, tensor in weights.items()]


def _read_versions(versions):
    if hasattr(versions, "items"):
        named = list(versions.items())
    else:
        several = () if versions is None else versions if is_list(versions, object) else [versions]
        named = [(f"version{number}", one) for number, one in enumerate(several)]
    for name, one in named:
        if not isinstance(name, str) or not (isinstance(one, str) or is_list(one, str)):
            raise InputError("expected versions to be {name: condition}, or conditions, such as "
                             f"'L <= 128 and 16 | L', but got {versions!r}")
    return [(name, one if isinstance(one, str) else " and ".join(one)) for name, one in named]


def _read_first_inputs(first_inputs):
    if not is_list(first_inputs, object) or hasattr(first_inputs, "dtype"):
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


def _read_donations(donate):
    """Pairs of names, and whether those are meant that the program proposes."""
    if donate is None or isinstance(donate, (bool, np.bool_)):
        return [], bool(donate)
    if not hasattr(donate, "items") or not is_list([*donate, *donate.values()], str):
        raise InputError("expected donate to be True, or names of inputs and of the results that may take their "
                         f"memory, such as {{'past': 'present'}}, but got {donate!r}")
    return list(donate.items()), False


def _is_watched():
    """Whether a person looks at standard error, where a line can be erased."""
    try:
        return os.isatty(2) and sys.stderr.fileno() == 2 and os.environ.get("TERM", "dumb") != "dumb"
    except (AttributeError, OSError, ValueError):
        return False  # a notebook, or a process without it


def read_options(*, entry=None, dynamic="always", versions=(), facts=(), threads=None, weights=None, guards=True,
                 cpu=None, target=None, precision=None, plan_memory=True, compile="auto", state=None, state_limit=0,
                 first_inputs=(), events=None, progress=None, layouts="copy", donate=None):
    if dynamic not in MODES:
        raise InputError(f"expected dynamic to be one of {', '.join(MODES)}, but got {dynamic!r}")
    if layouts not in LAYOUTS:
        raise InputError(f"expected layouts to be one of {', '.join(LAYOUTS)}, but got {layouts!r}")
    if compile not in WHEN:
        raise InputError(f"expected compile to be one of {', '.join(WHEN)}, but got {compile!r}")
    _check_types(entry=entry, threads=threads, cpu=cpu, target=target, precision=precision, state=state,
                 state_limit=state_limit, events=events, guards=guards, plan_memory=plan_memory)
    for category in events.split(",") if events else ():
        if category.strip() not in EVENTS:
            raise InputError(f"expected events of {', '.join(EVENTS)}, but got {category.strip()!r}")
    if progress not in (True, False, None):
        raise InputError(f"expected progress to be True, False or None, but got {progress!r}")
    file, tensors = _read_weights(weights)
    donations, donates_all = _read_donations(donate)
    return dict(entry=entry, dynamic=MODES.index(dynamic), versions=_read_versions(versions),
                facts=read_facts(facts), donations=donations, donate_all=donates_all, threads=0 if threads is None else threads,
                weights=file, weight_tensors=tensors, guards=guards, cpu=cpu, target=target,
                precision=precision, plan_memory=plan_memory, when=WHEN.index(compile),
                state=None if state is None else os.fspath(state), state_limit=state_limit,
                first_inputs=_read_first_inputs(first_inputs), events=events,
                progress=_is_watched() if progress is None else progress)
