# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`symshape.jax.jit`: exports of JAX whose open sizes are those that varied between calls."""

from __future__ import annotations

import ctypes
import functools
import itertools
import logging
import threading

import jax
import numpy as np
from jax import export

from ._errors import CompileError, GuardError, InputError
from ._program import loads

log = logging.getLogger("symshape.jax")
MOST_BUILDS = 8  # of one structure of arguments; beyond, JAX compiles


# Takes over the memory of an array, which is deleted, or copies what XLA does not own alone: arrays of
# NumPy that lie behind one, and those that somebody has a view of.
_take_over = jax.jit(lambda x: x, donate_argnums=0)


class Donated:
    """A donated array, whose memory a program may write to, and may return a result in."""

    def __init__(self, leaf):
        self.array = _take_over(leaf).block_until_ready()
        size = max(self.array.nbytes, 1)  # bytes
        memory = (ctypes.c_char * size).from_address(self.array.unsafe_buffer_pointer())
        self.view = np.frombuffer(memory, self.array.dtype, self.array.size).reshape(self.array.shape)

    def holds(self, result):
        """Whether a result of the program lies in this memory."""
        return (result.shape == self.array.shape and result.dtype == self.array.dtype
                and result.__array_interface__["data"][0] == self.array.unsafe_buffer_pointer())


class Jitted:
    """A function of JAX that runs in programs of symshape. Made by `symshape.jax.jit`."""

    def __init__(self, function, static_argnums, static_argnames, donate_argnums, options):
        functools.update_wrapper(self, function)
        self.function, self.options = function, options
        self.static_argnums, self.static_argnames = static_argnums, static_argnames
        self.fallback = jax.jit(function, static_argnums=static_argnums, static_argnames=static_argnames,
                                donate_argnums=donate_argnums)
        self.donate_argnums = donate_argnums
        self.lock = threading.Lock()
        self.structures = {}

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args, **kwargs):
        leaves, tree, statics = self._split(args, kwargs)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return self.fallback(*args, **kwargs)  # inside of a transformation
        leaves = [leaf if isinstance(leaf, jax.Array) else jax.numpy.asarray(leaf) for leaf in leaves]
        key = (tree, statics, tuple((leaf.dtype, leaf.ndim, leaf.weak_type) for leaf in leaves))
        with self.lock:
            structure = self.structures.setdefault(key, Structure(self, tree, statics, leaves))
        result = structure.call(leaves)
        return self.fallback(*args, **kwargs) if result is None else result[0]

    @property
    def builds(self) -> int:
        """How many programs were compiled so far."""
        return sum(structure.builds for structure in self.structures.values())

    def _split(self, args, kwargs):
        """Leaves of what is no static argument, their tree, and the static ones."""
        numbers = {number % len(args) for number in self.static_argnums if -len(args) <= number < len(args)}
        statics = (tuple((i, args[i]) for i in sorted(numbers)),
                   tuple(sorted((name, kwargs[name]) for name in self.static_argnames if name in kwargs)))
        dynamic = (tuple(arg for i, arg in enumerate(args) if i not in numbers),
                   {name: arg for name, arg in kwargs.items() if name not in self.static_argnames})
        return *jax.tree.flatten(dynamic), statics

    def donated_leaves(self, tree, statics):
        """Numbers of the leaves of donated arguments, which are those of the function less static ones."""
        args, _ = jax.tree.unflatten(tree, range(tree.num_leaves))
        return frozenset(leaf for i in self._donated_among(statics) if i < len(args)
                         for leaf in jax.tree.leaves(args[i]))

    def _donated_among(self, statics):
        static = [position for position, _ in statics[0]]
        return [number - sum(one < number for one in static) for number in self.donate_argnums
                if number not in static]

    def bind(self, statics):
        """The function of the other arguments alone."""
        positions, names = statics

        def bound(*args, **kwargs):
            args = list(args)
            for position, value in positions:
                args.insert(position, value)
            return self.function(*args, **kwargs, **dict(names))

        return jax.jit(functools.wraps(self.function)(bound), donate_argnums=self._donated_among(statics))


class Structure:
    """Calls whose arguments differ in extents alone."""

    def __init__(self, owner, tree, statics, leaves):
        self.owner, self.tree, self.leaves = owner, tree, leaves
        self.jitted = owner.bind(statics)
        self.donated = owner.donated_leaves(tree, statics)
        self.seen = []  # the extents of calls, each once
        self.programs = []  # newest first: (open dims by number, program, kept leaves, tree of results)
        self.builds = 0
        self.why_not = None
        self.lock = threading.Lock()
        if any(jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.extended) for leaf in leaves):
            self._give_up("an argument has a type of JAX's own")
        elif any(device.platform != "cpu" for leaf in leaves for device in leaf.devices()):
            self._give_up("an argument is not in the memory of the CPU")

    def call(self, leaves):
        """A tuple of the result; None where JAX has to compute it."""
        extents = tuple(extent for leaf in leaves for extent in leaf.shape)
        if 0 in extents:
            return None  # a symbol of JAX is 1 at least
        for fits, program in tuple(self.programs):
            if fits(extents):
                return self._run(program, leaves)
        with self.lock:
            program = self._build(extents)
        return program and self._run(program, leaves)

    def _run(self, program, leaves):
        run, kept, tree, avals = program
        taken = {i: Donated(leaves[i]) for i in kept if i in self.donated and self._can_be_written(leaves[i])}
        arguments = [taken[i].view if i in taken else self._as_exchanged(leaves[i]) for i in kept]
        try:
            results = run(*arguments)
        except GuardError as error:
            if taken:
                raise  # what was donated may have been overwritten
            log.warning("%s: JAX computes a call, for %s", self.owner.__name__, str(error).split("\n")[0])
            return None
        results = [self._as_jax(result, aval, taken.values()) for result, aval in zip(results, avals, strict=True)]
        return (jax.tree.unflatten(tree, results),)

    @staticmethod
    def _can_be_written(leaf):
        return leaf.ndim > 0 and not jax.numpy.issubdtype(leaf.dtype, jax.numpy.complexfloating)

    @staticmethod
    def _as_exchanged(leaf):
        """Complex numbers are pairs along a last axis."""
        is_complex = jax.numpy.issubdtype(leaf.dtype, jax.numpy.complexfloating)
        return jax.numpy.stack([leaf.real, leaf.imag], -1) if is_complex else leaf

    @staticmethod
    def _as_jax(result, aval, taken):
        result = np.asarray(result)
        for donated in taken:
            if donated.holds(result):
                return donated.array
        if jax.numpy.issubdtype(aval.dtype, jax.numpy.complexfloating):
            result = jax.lax.complex(result[..., 0], result[..., 1])
        return jax.numpy.asarray(result, aval.dtype)

    def _give_up(self, why):
        self.why_not = why
        log.warning("%s: falls back to jax.jit: %s", self.owner.__name__, why)

    def _build(self, extents):
        if self.why_not:
            return None
        if extents not in self.seen:
            self.seen.append(extents)
        for fits, program in self.programs:  # of another thread meanwhile
            if fits(extents):
                return program
        if self.builds == MOST_BUILDS:
            return self._give_up(f"expected at most {MOST_BUILDS} programs")
        symbols = self._choose_symbols()
        try:
            program = self._compile(symbols)
        except (CompileError, InputError) as error:
            return self._give_up(f"symshape refuses it: {str(error).splitlines()[0]}")
        except Exception as error:  # whatever the export or the function itself raises
            what = "for all sizes" if symbols else "at all"
            return self._give_up(f"it cannot be exported {what}: {str(error).splitlines()[0]}")
        self.programs.insert(0, (self._matcher(symbols), program))
        return program

    def _choose_symbols(self):
        """Names of the dims that varied, by number; those that always were equal share one."""
        columns = list(zip(*self.seen, strict=True))
        varied = {}
        for column in columns:
            if len(set(column)) > 1:
                varied.setdefault(column, f"d{len(varied)}")
        return {i: varied[column] for i, column in enumerate(columns) if column in varied}

    def _matcher(self, symbols):
        fixed = [(i, extent) for i, extent in enumerate(self.seen[-1]) if i not in symbols]
        groups = {}
        for i, name in symbols.items():
            groups.setdefault(name, []).append(i)
        shared = [group for group in groups.values() if len(group) > 1]

        def fits(extents):
            return (all(extents[i] == extent for i, extent in fixed)
                    and all(len({extents[i] for i in group}) == 1 for group in shared))
        return fits

    def _compile(self, symbols):
        names = sorted(set(symbols.values()))
        dims = dict(zip(names, export.symbolic_shape(", ".join(names)))) if names else {}
        extents = iter([dims[symbols[i]] if i in symbols else extent for i, extent in enumerate(self.seen[-1])])
        specs = []
        for leaf in self.leaves:
            shape = tuple(itertools.islice(extents, leaf.ndim))
            specs.append(jax.ShapeDtypeStruct(shape, leaf.dtype, weak_type=leaf.weak_type))
        args, kwargs = jax.tree.unflatten(self.tree, specs)
        exported = export.export(self.jitted, platforms=["cpu"])(*args, **kwargs)
        self.builds += 1
        log.info("%s: compiles for %s", self.owner.__name__,
                 "all " + ", ".join(names) if names else "the extents of one call")
        run = loads(exported.mlir_module_serialized, name=f"{self.owner.__name__}.mlirbc", **({"donate": True} | self.owner.options))
        return run, exported.module_kept_var_idx, exported.out_tree, exported.out_avals


def jit(function=None, *, static_argnums=(), static_argnames=(), donate_argnums=(), **options):
    """Like `jax.jit`, but one program for all sizes of the dims that varied between calls.

    The first call compiles for its extents. When another one has others, the function is
    exported again (`jax.export`) with a symbol for each dim that varied; dims that were equal
    in all calls share one. Arguments and results are pytrees, passed on without copies.

    static_argnums, static_argnames, donate_argnums   as of `jax.jit`: arrays that are donated
               are deleted, and a result is written in the memory of one where that is safe.
               A call with donated arrays that the program refuses is a GuardError
    options    those of `symshape.load`

    Where the function cannot be exported for all sizes, or symshape refuses it, `jax.jit`
    runs it, and the logger "symshape.jax" says so in a warning. Under `jax.grad`, `jax.vmap`
    or another `jax.jit` it is the function itself.
    """
    if function is None:
        return functools.partial(jit, static_argnums=static_argnums, static_argnames=static_argnames,
                                 donate_argnums=donate_argnums, **options)
    if not callable(function):
        raise InputError(f"expected a function, but got {function!r}")

    def numbers(given):
        return (given,) if isinstance(given, int) else tuple(given)
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    return Jitted(function, numbers(static_argnums), names, numbers(donate_argnums), options)
