# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of PyTorch: called as the module is, with a state of their own where it has one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InputError
from ._program import _DressedProgram, loads
from ._results import Results


def plain(tensor):
    """A tensor as an array of NumPy that shares its memory, where that can be."""
    import torch
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype != torch.bfloat16:
        return tensor.numpy()
    from ._arrays import bfloat16
    kind = bfloat16()
    if kind is None:
        raise InputError("expected the package ml_dtypes, which weights of bf16 need")
    return tensor.view(torch.int16).numpy().view(kind)


def _write(target, value, name):
    """Writes what the program makes of an input into what was given."""
    if hasattr(target, "copy_"):
        import torch
        with torch.no_grad():
            target.copy_(torch.as_tensor(value))
    elif isinstance(target, np.ndarray) and target.flags.writeable:
        np.copyto(target, np.asarray(value))
    else:
        raise InputError(f"expected an array for {name} that can be written to, as the program changes it, "
                         f"but got {type(target).__name__}")


class TorchProgram(_DressedProgram):
    """A program that `symshape.from_torch` made.

    Beside what every program takes, a call takes arguments as the module does: trees of
    tensors such as lists, dictionaries and caches, and numbers, which must be those of the
    example. Results are a list of tensors, the leaves of what the module returns.

    `state` has the buffers that calls change, by name. A call reads them, and writes what
    they become; so calls of such a program go one after another. Inputs that the module
    changes are changed as well.
    """

    state: dict[str, Any]

    def _dress_as(self, module, exported, archive, write):
        self._module = module  # whose memory it shares
        self._exported, self._archive, self._write = exported, archive, write
        self.parameters = archive.parameters
        self.state = archive.state
        self._spec = exported.call_spec.in_spec
        return self

    @property
    def inputs(self):
        return [one for one in super().inputs if one.name.lstrip("%") not in self.state]

    # --- calls -------------------------------------------------------------

    def _is_flat(self, arguments, named):
        """Whether a call has arrays in the order of the inputs, or by their names."""
        arrays = [*arguments, *named.values()]
        names = {one["name"].lstrip("%") for one in self._inputs} | {"out"}
        return all(hasattr(one, "dtype") for one in arrays) and named.keys() <= names

    def _flatten(self, arguments, named, is_tree=False):
        """The arrays among the leaves of arguments as the module takes them, and what is left by name."""
        from torch.utils import _pytree
        if not is_tree and len(arguments) == 1 and isinstance(arguments[0], dict) and not named:
            names = {one["name"].lstrip("%") for one in self._inputs}
            if arguments[0].keys() <= names and all(hasattr(one, "dtype") for one in arguments[0].values()):
                return arguments, named
        if not is_tree and self._is_flat(arguments, named):
            return arguments, named
        out = {key: named.pop(key) for key in ("out",) if key in named}
        wanted = list(self._spec.child(1).context)
        if set(named) == set(wanted):
            named = {key: named[key] for key in wanted}
        leaves, spec = _pytree.tree_flatten((tuple(arguments), named))
        if spec != self._spec:
            raise InputError("expected arguments of the structure of the example, "
                             f"{_pytree.treespec_pprint(self._spec)}, but got {_pytree.treespec_pprint(spec)}")
        flat = []
        for number, (leaf, (name, constant)) in enumerate(zip(leaves, self._archive.inputs, strict=True)):
            if name is not None:
                flat.append(leaf)
            elif not isinstance(constant, (dict, list)) and leaf != constant and leaf is not None:
                raise InputError(f"expected {constant!r} for argument #{number}, as in the example, which is part of "
                                 f"the program, but got {leaf!r}")
        return tuple(flat), out

    def _run_with(self, arguments, named, parameters):
        """A call with trees of arguments, and parameters by name."""
        arguments, named = self._flatten(arguments, dict(named), is_tree=True)
        return self._run_flat(super().__call__, arguments, named | parameters)

    def _run(self, call, arguments, named):
        return self._run_flat(call, *self._flatten(arguments, dict(named)))

    def _run_flat(self, call, arguments, named):
        count = len(self.state) + len(self._archive.written)
        if not count:
            return call(*arguments, **named)
        if "out" in named:
            raise InputError("expected no out: the program has a state")
        given = super()._order(arguments, named | self.state)
        results = call(*given)
        new, results = list(results)[-count:], self._cut(results, len(results) - count)
        for name, value in zip(self.state, new):
            self.state[name] = value
        for place, value in zip(self._archive.written, new[len(self.state):]):
            _write(given[place], value, self._inputs[place]["name"])
        return results

    @staticmethod
    def _cut(results, count):
        return Results.of(list(results)[:count], results._names[:count]) if isinstance(results, Results) else results[:count]

    def __call__(self, *arguments, **named):
        return self._run(super().__call__, arguments, named)

    def dlpack(self, *arguments, **named):
        if self.state or self._archive.written:
            raise InputError("expected a program without a state: call it")
        return super().dlpack(*self._flatten(arguments, dict(named))[0])

    def prepare(self, *arguments, **named):
        if self.state or self._archive.written:
            raise InputError("expected a program without a state, whose calls do not depend on those before")
        arguments, named = self._flatten(arguments, dict(named))
        return super().prepare(*arguments, **named)

    # --- weights -----------------------------------------------------------

    def load_state_dict(self, tensors) -> None:
        """Takes other values for the parameters and buffers, as `torch.nn.Module.load_state_dict` does.

        Each of them is there, with its shape and type. Code is not made anew where only
        weights of 1 KiB and more differ. Calls that run meanwhile may see either.
        """
        known = {**self._exported.state_dict}
        missing, unknown = known.keys() - tensors.keys(), tensors.keys() - known.keys()
        if missing or unknown:
            raise InputError(f"expected tensors by the names of the module, but {', '.join(sorted(missing or unknown))} "
                             f"{'is missing' if missing else 'is none of them'}")
        import torch
        for name, old in known.items():
            new = torch.as_tensor(tensors[name]).detach()
            if new.shape != old.shape or new.dtype != old.dtype:
                raise InputError(f"expected {name} to be {tuple(old.shape)} {old.dtype}, but got {tuple(new.shape)} {new.dtype}")
            known[name] = new
        archive = self._write(tensors=known)
        source = self._get_source("load weights into")
        fresh = loads(archive.data, name=source.name,
                      **source.options | {"weights": {name: plain(one) for name, one in archive.weights.items()}})
        self._swap(fresh)
        self._archive, self.__dict__["_source"] = archive, fresh._get_source("load")
        self.state.update({name: known[name].clone() for name in self.state if name in known})

    def __reduce__(self):
        if self.state or self._archive.written:
            raise InputError("cannot pickle a program with a state: pickle the module")
        return super().__reduce__()


__all__ = ["TorchProgram", "plain"]
