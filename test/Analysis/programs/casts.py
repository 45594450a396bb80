# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random casts between integers of all widths, index, and floats, and reads where they lead."""

from collections import Counter

from .basics import WIDTHS, Op, require, wrap
from .scalars import Scalars

MADE = Counter()  # casts of each kind, in all programs
KINDS = ("arith.index_cast", "arith.index_castui", "arith.trunci", "arith.extsi", "arith.extui", "index.casts",
         "index.castu", "pair", "float", "i1", "read")
ALL = {**WIDTHS, "i1": 1}


def number(value, type):
    """A value as a signed number; i1 is a truth value."""
    return -int(value) if type == "i1" else value


def typed(value, type):
    return bool(value % 2) if type == "i1" else wrap(value, ALL[type])


class Casts(Scalars):
    def convert(self, name, source, type):
        """One op; what it keeps of the bits is what its name says."""
        MADE[name] += 1
        MADE["i1"] += "i1" in (source.type, type)
        is_unsigned = name.endswith(("ui", "castu"))
        width = ALL[source.type]

        def run(value):
            signed = number(value, source.type)
            return typed(signed % 2**width if is_unsigned else signed, type)

        return self.define(type, f"{name} {source.name} : {source.type} to {type}", run, (source,))

    def narrow_type(self):
        return self.random.choice(["i1", "i8", "i8", "i16", "i32", "i64"])

    def to_or_from_index(self, source, type):
        names = ["arith.index_cast", "arith.index_cast", "arith.index_castui", "index.casts", "index.castu"]
        return self.convert(self.random.choice(names), source, type)

    def integer(self):
        return self.pick(lambda v: v.type in ALL and v.type != "index") or self.to_or_from_index(self.index(), "i32")

    def pair(self):
        """To fewer bits and back, as upstream would take for nothing."""
        MADE["pair"] += 1
        source, type = self.index(), self.narrow_type()
        name = self.random.choice(["arith.index_cast", "arith.index_castui"])
        middle = self.convert(name, source, type)
        return self.convert(name if self.chance(70) else "arith.index_cast", middle, "index")

    def resize(self):
        """Longer, shorter, and perhaps back."""
        result = self.resize_once(self.integer())
        return self.resize_once(result) if self.chance(60) else result

    def resize_once(self, source):
        wider = [t for t in ALL if t != "index" and ALL[t] > ALL[source.type]]
        narrower = [t for t in ALL if ALL[t] < ALL[source.type]]
        if wider and (not narrower or self.chance(50)):
            return self.convert(self.random.choice(["arith.extsi", "arith.extui"]), source, self.random.choice(wider))
        return self.convert("arith.trunci", source, self.random.choice(narrower))

    def by_float(self):
        """An integer, times a number, and back; what does not fit has no meaning."""
        source = self.pick(lambda v: v.type in ("i8", "i16", "i32")) or self.to_or_from_index(self.index(), "i32")
        type, factor = self.random.choice(["i8", "i32", "i64"]), self.random.choice([0.5, 1.0, -2.0, 0.25])
        MADE["float"] += 1
        a, b, c = self.name(), self.name(), self.name()
        self.ops.append(Op([f"{c} = arith.constant {factor} : f64",
                            f"{a} = arith.sitofp {source.name} : {source.type} to f64",
                            f"{b} = arith.mulf {a}, {c} : f64"], lambda env, trace: None))

        def run(value):
            result = int(value * factor)
            require(result == wrap(result, ALL[type]))
            return result

        result = self.define(type, f"arith.fptosi {b} : f64 to {type}", run, (source,))
        return self.convert("arith.index_cast", result, "index")

    def read(self):
        """An element at what is perhaps a cast."""
        source = self.tensor()
        MADE["read"] += 1
        places = [self.pair() if self.chance(30) else self.index() for _ in source.type]
        name = self.name()

        def run(env, trace):
            require(all(0 <= env[place.name] < extent for place, extent in zip(places, env[source.name])))

        self.ops.append(Op([f"{name} = tensor.extract {source.name}[{', '.join(p.name for p in places)}] : "
                            f"{source.text}"], run))

    def cast(self):
        """A cast of some kind; one to index makes it a bound or a size of what follows."""
        choice = self.random.random()
        if choice < 0.25:
            return self.pair()
        if choice < 0.55:
            return self.resize()
        if choice < 0.65:
            return self.by_float()
        if choice < 0.8:
            return self.to_or_from_index(self.index(), self.narrow_type())
        return self.to_or_from_index(self.integer(), "index")


def are_casts_made(programs):
    """Prints how many casts of each kind there are: at least one in thirty programs, where these are many."""
    print("casts: " + ", ".join(f"{MADE[kind]} {kind}" for kind in KINDS))
    return programs < 50 or all(MADE[kind] >= programs / 30 for kind in KINDS)
