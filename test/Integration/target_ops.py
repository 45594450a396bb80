# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op of arith and math, and the elementwise ops and reductions of TOSA, on each type, with operands for which
they are defined, as functions of tensors."""

from dataclasses import dataclass, field

import numpy as np

from special_values import TYPES

FLOATS = {type_.name: type_ for type_ in TYPES}
ALL_FLOATS, INTEGERS = list(FLOATS), ["i1", "i8", "i16", "i32", "i64"]
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.int16, "i1": np.bool_, "i8": np.int8,
         "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
UNARY = "absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log log10 log1p log2 " \
        "round roundeven rsqrt sin sinh sqrt tan tanh trunc".split()
CLASSES = "isfinite isinf isnan isnormal".split()
BINARY = "addf subf mulf divf remf maximumf minimumf maxnumf minnumf".split()
PREDICATES = "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()
ORDERS = "eq ne slt sle sgt sge ult ule ugt uge".split()
WHOLE_BINARY = "addi subi muli andi ori xori maxsi maxui minsi minui".split()
QUOTIENTS = "divui divsi ceildivui ceildivsi floordivsi remui remsi".split()
SHIFTS = "shli shrui shrsi".split()
EXTENDED = "addui_extended mulsi_extended mului_extended".split()
COUNTS = "ctlz cttz ctpop".split()


@dataclass
class Case:
    """An op on a type: lines that make the values of `results` from the operands, which `{0}` and so on stand for."""

    op: str
    type: str
    operands: list
    lines: str
    results: list
    extent: str = "?"


@dataclass
class Program:
    """Cases in one function; operands are tensors of one extent, named by what they hold."""

    cases: list
    operands: dict = field(default_factory=dict)  # name: type

    def text(self):
        lines, names, types = [], [], []
        for case in self.cases:
            for operand in case.operands:
                self.operands.setdefault(operand, operand.split("_")[1])
        for name, type_ in self.operands.items():
            if type_ == "bf16":
                lines.append(f"%{name} = arith.bitcast %{name}.bits : tensor<?xi16> to tensor<?xbf16>")
        for k, case in enumerate(self.cases):
            text = case.lines.format(*(f"%{name}" for name in case.operands), T=f"tensor<?x{case.type}>")
            for i in range(len(case.results) + 2, -1, -1):
                text = text.replace(f"%r{i}", f"%v{k}.{i}").replace(f"%t{i}", f"%u{k}.{i}")
            lines += text.splitlines()
            for i, type_ in enumerate(case.results):
                name = f"%v{k}.{i}"
                if type_ == "bf16":
                    lines.append(f"{name}.bits = arith.bitcast {name} : tensor<{case.extent}xbf16> to tensor<{case.extent}xi16>")
                    name, type_ = f"{name}.bits", "i16"
                names.append(name)
                types.append(f"tensor<{case.extent}x{type_}>")
        arguments = ", ".join(f"%{name}.bits: tensor<?xi16>" if type_ == "bf16" else f"%{name}: tensor<?x{type_}>"
                              for name, type_ in self.operands.items())
        body = "\n  ".join(lines)
        return f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n  {body}\n  return {', '.join(names)} : {', '.join(types)}\n}}\n"

    def arrays(self):
        arrays = [operand(name) for name in self.operands]
        return [a.view(np.float16) if type_ == "f16" else a for a, type_ in zip(arrays, self.operands.values())]


def pairs(values):
    x, y = np.meshgrid(values, values)
    return x.ravel(), y.ravel()


def floats(name, type_):
    """x and y are all pairs of special values, then numbers of all sizes; z goes with them."""
    kind = FLOATS[type_]
    random = np.random.default_rng(len(type_))
    x, y = pairs(kind.specials())
    most = np.log2(kind.largest) - 1
    least = np.log2(kind.least)
    more = [random.choice([-1, 1], COUNT) * 2.0 ** random.uniform(*ends, COUNT) for ends in [(least, most), (-4, 4), (-8, 8)]]
    x = np.concatenate([x, kind.encode(more[0]), kind.encode(more[1]), kind.encode(more[2])])
    y = np.concatenate([y, kind.encode(more[1]), kind.encode(more[2]), kind.encode(more[0])])
    q = kind.encode(np.full(len(x), 7.0))
    return {"x": x, "y": y, "z": np.roll(x, 7), "q": q}[name]


COUNT = 300


def whole(name, type_):
    """x and y are all pairs of special values, then random ones; d is y without what x cannot be divided by, s is from 0 to
    the width."""
    if type_ == "i1":
        x, y = np.resize([False, True], 4 + COUNT), np.resize([False, False, True, True], 4 + COUNT)
        return {"x": x, "y": y, "d": np.ones_like(x), "s": np.zeros_like(x)}[name]
    info = np.iinfo(NUMPY[type_])
    values = np.array([0, 1, 2, 3, 7, -1, -2, -3, -7, info.max, info.max - 1, info.max // 2 + 1, info.min, info.min + 1], NUMPY[type_])
    random = np.random.default_rng(info.bits)
    more = [random.integers(info.min, info.max, COUNT, endpoint=True) >> random.integers(0, info.bits, COUNT) for _ in range(2)]
    x, y = (np.concatenate([a, b.astype(NUMPY[type_])]) for a, b in zip(pairs(values), more))
    d = np.where((y == 0) | ((x == info.min) & (y == -1)), 1, y).astype(NUMPY[type_])
    return {"x": x, "y": y, "d": d, "s": (np.arange(len(x)) % info.bits).astype(NUMPY[type_])}[name]


def convertible(type_, target, signed):
    """Floats that the integer holds once they are cut off."""
    kind, width = FLOATS[type_], int(target[1:])
    low, high = (-(2.0 ** (width - 1)), 2.0 ** (width - 1)) if signed else (0.0, 2.0 ** width)
    values = kind.decode(floats("x", type_))
    values = np.where(np.isfinite(values), values, 0.5)
    values = np.where((values <= low - 1) | (values >= high), np.fmod(values, min(high, 1e4)), values)
    values = np.where((values <= low - 1) | (values >= high), 0.75, values)
    return kind.encode(values)


def operand(name):
    what, type_, *rest = name.split("_")
    if what == "c":
        return convertible(type_, rest[0], rest[1] == "s")
    if what == "n":
        return np.resize(np.array([0, 1, -1, 2, -2, 3, 5, -5, 31], np.int32), len(floats("x", rest[0])))
    return floats(what, type_) if type_ in FLOATS else whole(what, type_)


def float_cases(t):
    x, y, z = (f"{name}_{t}" for name in "xyz")
    for name in UNARY:
        yield Case(f"math.{name}", t, [x], f"%r0 = math.{name} {{0}} : {{T}}", [t])
    for name in CLASSES:
        yield Case(f"math.{name}", t, [x], f"%r0 = math.{name} {{0}} : {{T}}", ["i1"])
    for name in BINARY:
        yield Case(f"arith.{name}", t, [x, y], f"%r0 = arith.{name} {{0}}, {{1}} : {{T}}", [t])
    for name in ("powf", "atan2", "copysign"):
        yield Case(f"math.{name}", t, [x, y], f"%r0 = math.{name} {{0}}, {{1}} : {{T}}", [t])
    for name in ("divf", "mulf", "addf"):  # by one number that is not known before
        yield Case(f"arith.{name} of a number", t, [x, f"q_{t}"], "%t2 = arith.constant 0 : index\n%t0 = tensor.extract {1}[%t2] : {T}\n"
                   "%t1 = linalg.fill ins(%t0 : TYPE) outs({0} : {T}) -> {T}\n".replace("TYPE", t) + f"%r0 = arith.{name} {{0}}, %t1 : {{T}}", [t])
    yield Case("arith.negf", t, [x], "%r0 = arith.negf {0} : {T}", [t])
    yield Case("math.fma", t, [x, y, z], "%r0 = math.fma {0}, {1}, {2} : {T}", [t])
    yield Case("math.clampf", t, [x, y, z], "%t0 = arith.minimumf {1}, {2} : {T}\n%t1 = arith.maximumf {1}, {2} : {T}\n"
               "%r0 = math.clampf {0} to [%t0, %t1] : {T}", [t])
    yield Case("math.fpowi", t, [x, f"n_i32_{t}"], "%r0 = math.fpowi {0}, {1} : {T}, tensor<?xi32>", [t])
    yield Case("math.sincos", t, [x], "%r0, %r1 = math.sincos {0} : {T}", [t, t])
    predicates = "\n".join(f"%r{i} = arith.cmpf {name}, {{0}}, {{1}} : {{T}}" for i, name in enumerate(PREDICATES))
    yield Case("arith.cmpf", t, [x, y], predicates, ["i1"] * len(PREDICATES))
    yield Case("arith.select", t, [x, y], "%t0 = arith.cmpf olt, {0}, {1} : {T}\n%r0 = arith.select %t0, {1}, {0} : tensor<?xi1>, {T}", [t])
    for other in ALL_FLOATS:
        wide = FLOATS[other].precision > FLOATS[t].precision
        if other != t and not {other, t} == {"f16", "bf16"}:
            name = "extf" if wide else "truncf"
            yield Case(f"arith.{name}", t, [x], f"%r0 = arith.{name} {{0}} : {{T}} to tensor<?x{other}>", [other])
    for signed, name in (("s", "fptosi"), ("u", "fptoui")):
        for other in INTEGERS:
            yield Case(f"arith.{name}", t, [f"c_{t}_{other}_{signed}"], f"%r0 = arith.{name} {{0}} : {{T}} to tensor<?x{other}>", [other])
    bits = {"f16": "i16", "bf16": "i16", "f32": "i32", "f64": "i64"}[t]
    yield Case("arith.bitcast", t, [x], f"%r0 = arith.bitcast {{0}} : {{T}} to tensor<?x{bits}>", [bits])


def whole_cases(t):
    x, y, d, s = (f"{name}_{t}" for name in "xyds")
    for name in WHOLE_BINARY:
        yield Case(f"arith.{name}", t, [x, y], f"%r0 = arith.{name} {{0}}, {{1}} : {{T}}", [t])
    for name in QUOTIENTS:
        if not (t == "i1" and name in ("divsi", "remsi", "ceildivsi", "floordivsi")):  # -1 / -1 overflows
            yield Case(f"arith.{name}", t, [x, d], f"%r0 = arith.{name} {{0}}, {{1}} : {{T}}", [t])
    for name in SHIFTS:
        yield Case(f"arith.{name}", t, [x, s], f"%r0 = arith.{name} {{0}}, {{1}} : {{T}}", [t])
    for name in EXTENDED:
        flag = "i1" if name == "addui_extended" else t
        types = ", ".join(["{T}", "tensor<?xi1>"] if name == "addui_extended" else ["{T}"])
        yield Case(f"arith.{name}", t, [x, y], f"%r0, %r1 = arith.{name} {{0}}, {{1}} : {types}", [t, flag])
    for name in COUNTS:
        yield Case(f"math.{name}", t, [x], f"%r0 = math.{name} {{0}} : {{T}}", [t])
    yield Case("math.absi", t, [x], "%r0 = math.absi {0} : {T}", [t])
    yield Case("math.ipowi", t, [x, s], "%r0 = math.ipowi {0}, {1} : {T}", [t])
    yield Case("arith.cmpi", t, [x, y], "\n".join(f"%r{i} = arith.cmpi {name}, {{0}}, {{1}} : {{T}}" for i, name in enumerate(ORDERS)),
               ["i1"] * len(ORDERS))
    yield Case("arith.select", t, [x, y], "%t0 = arith.cmpi slt, {0}, {1} : {T}\n%r0 = arith.select %t0, {1}, {0} : tensor<?xi1>, {T}", [t])
    for name in ("sitofp", "uitofp"):
        for other in ALL_FLOATS:
            yield Case(f"arith.{name}", t, [x], f"%r0 = arith.{name} {{0}} : {{T}} to tensor<?x{other}>", [other])
    for other in INTEGERS:
        wide, narrow = int(other[1:]), int(t[1:])
        for name in ("extsi", "extui") if wide > narrow else ("trunci",) if wide < narrow else ():
            yield Case(f"arith.{name}", t, [x], f"%r0 = arith.{name} {{0}} : {{T}} to tensor<?x{other}>", [other])
    for name in ("index_cast", "index_castui"):
        yield Case(f"arith.{name}", t, [x], f"%t0 = arith.{name} {{0}} : {{T}} to tensor<?xindex>\n"
                   f"%r0 = arith.{name} %t0 : tensor<?xindex> to {{T}}", [t])


TOSA_UNARY = "abs ceil cos erf exp floor log reciprocal rsqrt sigmoid sin tanh"
TOSA_REDUCTIONS = {"f": "reduce_max reduce_min", "i": "reduce_max reduce_min", "i1": "reduce_all reduce_any"}


def constant(name, type_, value):
    return f'%t{name} = "tosa.const"() <{{{{values = dense<{value}> : tensor<1x{type_}>}}}}> : () -> tensor<1x{type_}>\n'


def tosa_float_cases(t):
    x, y = f"x_{t}", f"y_{t}"
    for name in TOSA_UNARY.split():
        yield Case(f"tosa.{name}", t, [x], f"%r0 = tosa.{name} {{0}} : ({{T}}) -> {{T}}", [t])
    yield Case("tosa.negate", t, [x], constant(0, t, "0.0") + "%r0 = tosa.negate {0}, %t0, %t0 : ({T}, tensor<1xTYPE>, tensor<1xTYPE>) -> {T}".replace("TYPE", t), [t])
    for name in ("add", "sub", "pow"):
        yield Case(f"tosa.{name}", t, [x, y], f"%r0 = tosa.{name} {{0}}, {{1}} : ({{T}}, {{T}}) -> {{T}}", [t])
    yield Case("tosa.mul", t, [x, y], constant(0, "i8", 0) + "%r0 = tosa.mul {0}, {1}, %t0 : ({T}, {T}, tensor<1xi8>) -> {T}", [t])
    for name in ("maximum", "minimum"):
        for mode in ("PROPAGATE", "IGNORE"):
            yield Case(f"tosa.{name} {mode}", t, [x, y], f"%r0 = tosa.{name} {{0}}, {{1}} {{{{nan_mode = {mode}}}}} : ({{T}}, {{T}}) -> {{T}}", [t])
    for name in ("equal", "greater", "greater_equal"):
        yield Case(f"tosa.{name}", t, [x, y], f"%r0 = tosa.{name} {{0}}, {{1}} : ({{T}}, {{T}}) -> tensor<?xi1>", ["i1"])
    for mode in ("PROPAGATE", "IGNORE"):
        yield Case(f"tosa.clamp {mode}", t, [x], f"%r0 = tosa.clamp {{0}} {{{{max_val = 1.5 : {t}, min_val = -0.5 : {t}, nan_mode = {mode}}}}} : ({{T}}) -> {{T}}", [t])
        for name in TOSA_REDUCTIONS["f"].split():
            yield Case(f"tosa.{name} {mode}", t, [x], f"%r0 = tosa.{name} {{0}} {{{{axis = 0 : i32, nan_mode = {mode}}}}} : ({{T}}) -> tensor<1x{t}>", [t], "1")
    for other in ("i8", "i16", "i32"):
        yield Case("tosa.cast", t, [f"c_{t}_{other}_s"], f"%r0 = tosa.cast {{0}} : ({{T}}) -> tensor<?x{other}>", [other])


def tosa_whole_cases(t):
    x, y, d, s = (f"{name}_{t}" for name in "xyds")
    if t == "i1":
        yield Case("tosa.logical_not", t, [x], "%r0 = tosa.logical_not {0} : ({T}) -> {T}", [t])
        for name in ("and", "or", "xor"):
            yield Case(f"tosa.logical_{name}", t, [x, y], f"%r0 = tosa.logical_{name} {{0}}, {{1}} : ({{T}}, {{T}}) -> {{T}}", [t])
        for name in TOSA_REDUCTIONS["i1"].split():
            yield Case(f"tosa.{name}", t, [x], f"%r0 = tosa.{name} {{0}} {{{{axis = 0 : i32}}}} : ({{T}}) -> tensor<1x{t}>", [t], "1")
        return
    yield Case("tosa.bitwise_not", t, [x], "%r0 = tosa.bitwise_not {0} : ({T}) -> {T}", [t])
    for name in "bitwise_and bitwise_or bitwise_xor logical_left_shift logical_right_shift".split():
        yield Case(f"tosa.{name}", t, [x, s if "shift" in name else y], f"%r0 = tosa.{name} {{0}}, {{1}} : ({{T}}, {{T}}) -> {{T}}", [t])
    for rounded in ("true", "false"):
        yield Case(f"tosa.arithmetic_right_shift round = {rounded}", t, [x, s], f"%r0 = tosa.arithmetic_right_shift {{0}}, {{1}} "
                   f"{{{{round = {rounded}}}}} : ({{T}}, {{T}}) -> {{T}}", [t])
    if t == "i32":
        for name in ("add", "sub", "maximum", "minimum", "intdiv"):
            yield Case(f"tosa.{name}", t, [x, d if name == "intdiv" else y], f"%r0 = tosa.{name} {{0}}, {{1}} : ({{T}}, {{T}}) -> {{T}}", [t])
        for name in ("equal", "greater", "greater_equal"):
            yield Case(f"tosa.{name}", t, [x, y], f"%r0 = tosa.{name} {{0}}, {{1}} : ({{T}}, {{T}}) -> tensor<?xi1>", ["i1"])
        for name in ("abs", "clz"):
            yield Case(f"tosa.{name}", t, [x], f"%r0 = tosa.{name} {{0}} : ({{T}}) -> {{T}}", [t])
        yield Case("tosa.reduce_sum", t, [x], f"%r0 = tosa.reduce_sum {{0}} {{{{axis = 0 : i32}}}} : ({{T}}) -> tensor<1x{t}>", [t], "1")
    for name in TOSA_REDUCTIONS["i"].split():
        yield Case(f"tosa.{name}", t, [x], f"%r0 = tosa.{name} {{0}} {{{{axis = 0 : i32}}}} : ({{T}}) -> tensor<1x{t}>", [t], "1")


def programs():
    """By type, one program each."""
    for t in ALL_FLOATS:
        yield t, Program([*float_cases(t), *(tosa_float_cases(t) if t != "f64" else ())])
    for t in INTEGERS:
        yield t, Program([*whole_cases(t), *(tosa_whole_cases(t) if t != "i64" else ())])
