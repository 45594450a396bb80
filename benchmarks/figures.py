#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of figures in the pages, made from the results that are kept (benchmarks/results).

    figures.py              compares; exits 1 where a page says something else
    figures.py --write      writes them into the pages
    figures.py --keep=BENCH.json NAME
                            keeps the results of a run as results/NAME.json, rounded

A table stands between `<!-- figures: KIND NAME -->`, of results/NAME.json, and
`<!-- end of figures -->`. Of one table all is from one run on one machine. What misses
its target is bold.
"""

import json
import re
import statistics
import sys
from pathlib import Path

from targets import (ANALYSIS_SHARE, BYTES_BEYOND_MODEL, CALL_MICROSECONDS, LARGE_SECONDS, OF_MEMORY, ONE_ROUNDING, READY,
                     TORCH_EACH, TORCH_MEAN, targets_of)

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results"
PAGES = ["README.md", "docs/Rationale/CpuCodegen.md", "docs/Rationale/Measured.md",
         "docs/Rationale/ONNX.md", "docs/Rationale/GPUCodegen.md", "docs/HowTo/UseFromPython.md", "docs/HowTo/ServeManyRequests.md"]
MARKED = re.compile(r"(<!-- figures: (\w+) ([\w-]+) -->\n)(.*?)(<!-- end of figures -->)", re.S)
WORK = {"P6 matmul, packed weights": "B packed", "P6 matmul, run-time B": "B of each call",
        "its convolutions alone": "convolutions alone",
        "P7 matmul + bias + gelu (384 to 1536), + bias + residual (1536 to 384)": "feed-forward"}
RATIO = {"dynamic M/onnxruntime": "dynamic M", "all dynamic/onnxruntime": "all dynamic", "dynamic/onnxruntime": "",
         "symshape/onnxruntime": "", "dynamic/static": "beside static builds",
         "symshape/static": "beside static builds", "dynamic M/peak": "dynamic M, share of the peak",
         "all dynamic/peak": "all dynamic, share of the peak"}
QUESTIONS = {"pads-400": "all 800 dims of 400 chained `tensor.pad`",
             "loops-64": "one equality behind 64 loops that carry a tensor",
             "branches-48": "one inequality behind 48 `scf.if`"}


def bold(text, is_missed):
    return f"**{text}**" if is_missed else text


def name_of(target):
    title = WORK.get(target.title, re.sub(r"^(P\d(, )?)+ ", "", target.title))
    title = re.sub(r", \d thread\(s\)|, NCHW.*", "", title)
    ratio = RATIO.get(target.ratio, target.ratio)
    return f"{title}, {ratio}" if ratio else title


def machine(run):
    at = run["machine"]
    caches = ", ".join(f"{name} {size}" for name, size in at["caches"].items())
    threads = f"{run['threads']} thread{'s' * (run['threads'] > 1)}, " if "threads" in run else ""
    rounds = f", medians of {run['rounds']} rounds" if "rounds" in run else ""
    return f"{threads}{at['architecture']} with vectors of {at['vector_bits']} bits; {caches}{rounds}."


def asked(run):
    return [target for target in targets_of(run) if target.values and "error" not in target.ratio and
            (target.each is not None or target.mean is not None)]


def targets(run):
    """A line per target: mean and least, and how many entries miss."""
    lines = [machine(run), "", "| work | entries | mean | asked | least | asked of each | entries that miss it |",
             "|---|---|---|---|---|---|---|"]
    for target in asked(run):
        missed, (entry, worst) = target.missed(), target.worst()
        mean = target.geomean()
        lines.append(" | ".join([
            f"| {name_of(target)}", str(len(target.values)),
            bold(f"{mean:.2f}", not target.is_met(mean, target.mean)), "" if target.mean is None else f"{target.mean:.2f}",
            f"{bold(f'{worst:.2f}', bool(missed))} ({entry})", f"{target.each:.2f}",
            (bold(str(len(missed)), True) if missed else "0") + " |"]))
    return lines


def entries(run):
    """Each entry of each target."""
    lines = [machine(run), ""]
    for target in asked(run):
        sizes = [re.fullmatch(r"(\d+) x (\d+) x (\d+)", entry) for entry, _ in target.values]
        lines += [f"{name_of(target)}; asked of each: {target.each:.2f}", ""]
        if all(sizes):
            columns = list(dict.fromkeys(f"{size[2]} x {size[3]}" for size in sizes))
            of = {(size[1], f"{size[2]} x {size[3]}"): value for size, (_, value) in zip(sizes, target.values)}
            lines += ["| M | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
            for m in dict.fromkeys(size[1] for size in sizes):
                cells = [bold(f"{of[m, column]:.2f}", not target.is_met(of[m, column], target.each))
                         if (m, column) in of else "" for column in columns]
                lines.append(f"| {m} | " + " | ".join(cells) + " |")
        else:
            lines += ["| entry | measured |", "|---|---|"]
            lines += [f"| {entry} | {bold(f'{value:.2f}', not target.is_met(value, target.each))} |"
                      for entry, value in target.values]
        lines.append("")
    return lines[:-1]


def time_of(milliseconds):
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.2g} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 1.5 else f"{milliseconds:.1f} ms"


def engine(run):
    """The same questions of upstream's ValueBounds and of ours; processor time."""
    times = run["facts"]["times"]
    lines = ["| the same questions of both, in one process; processor time | upstream's ValueBounds | symshape |", "|---|---|---|"]
    for name, text in QUESTIONS.items():
        if f"{name}/upstream" in times:
            ours, theirs = (times[f"{name}/{which}"]["cpu_time"] for which in ("symshape", "upstream"))
            lines.append(f"| {text} | {time_of(theirs)} | {time_of(ours)} |")
    return lines


def calls(run):
    """A call from Python beside others of the same sum."""
    lines = [machine(run), "", "| sum of two arrays, µs a call | `program(a, b)` | `call()`, prepared | ONNX Runtime's `run` | NumPy's `a + b` |",
             "|---|---|---|---|---|"]
    for row in run["calls"]["rows"]:
        ours = bold(f"{row['symshape']:.2f}", row["symshape"] > CALL_MICROSECONDS)
        lines.append(f"| {row['entry']} | {ours} | {row['prepared']:.2f} | {row['onnxruntime']:.2f} | {row['numpy']:.2f} |")
    return lines


def ready(run):
    """Processor seconds of fresh processes, and MiB beyond a process that has loaded the engine."""
    lines = [machine(run), "", "| model | first | final | warm | ONNX Runtime | OpenVINO | analysis | MiB after | at most |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in run["ready"]["rows"]:
        most = {**READY, "final": LARGE_SECONDS if row["entry"].endswith("x 512") else READY["final"]}
        cells = [bold(f"{row[what]['processor']:.2f}", row[what]["processor"] > most[what]) for what in most]
        cells += [f"{row[peer]['processor']:.2f}" if row[peer] else "" for peer in ("onnxruntime", "openvino")]
        share = row["report"]["analysis"]
        cells.append(bold(f"{share:.0%}", share > ANALYSIS_SHARE))
        for what, beyond in BYTES_BEYOND_MODEL.items():
            mebibytes = row["final"][f"{what}_bytes"] / 2**20
            cells.append(bold(f"{mebibytes:.0f}", mebibytes - row["model_bytes"] / 2**20 > beyond))
        lines.append(f"| {row['entry']} | {' | '.join(cells)} |")
    return lines


def gpu(run):
    """The tables of speed of gpu.py."""
    lines = [f"{run['device']}, which copies {run['copy']:.0f} GB/s."]
    for made in run["tables"]:
        if not made["asked"] and "ms" not in made["title"]:
            continue
        heads = [head for i, head in enumerate(made["heads"]) if any(str(line[i]) for line in made["lines"])
                 or not head]
        places = [made["heads"].index(head) for head in heads]
        lines += ["", made["title"], "", "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
        for line in made["lines"]:
            cells = []
            for place in places:
                least, cell = made["asked"].get(made["heads"][place]), str(line[place])
                cells.append(bold(cell, bool(least and cell) and float(cell) < least))
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def torch(run):
    """Networks of PyTorch beside Inductor's dynamic build and eager: ratios of times, and seconds until the first answer."""
    lines = [machine(run)]
    for kind, rows in run["torch"].items():
        means = {other: statistics.geometric_mean(statistics.geometric_mean(row["ratio"][other]) for row in rows.values()
                                                  if other in row["ratio"]) for other in ("Inductor", "eager")}
        kind += ", in bf16" if run.get("precision") == "bf16" else ""
        lines += ["", f"| {kind} | Inductor's time / ours | eager's time / ours | compiling, s | Inductor's, s |", "|---|---|---|---|---|",
                  f"| all {len(rows)}, geometric mean | {bold('%.2f' % means['Inductor'], means['Inductor'] < TORCH_MEAN)} | {means['eager']:.2f} | | |"]
        for name, row in rows.items():
            cells = [statistics.geometric_mean(row["ratio"][other]) if other in row["ratio"] else None for other in ("Inductor", "eager")]
            ours, theirs = (row["seconds"].get(engine) for engine in ("symshape", "Inductor"))
            lines.append(f"| {name} | " + " | ".join([
                "failed" if cells[0] is None else bold(f"{cells[0]:.2f}", cells[0] < TORCH_EACH), f"{cells[1]:.2f}",
                bold(f"{ours:.1f}", theirs is not None and ours > theirs), "" if theirs is None else f"{theirs:.1f}"]) + " |")
    return lines


PRECISION = ["precision-products", "precision-codes", "precision-rows", "precision-networks"]  # subjects of bench.py


def precision(run):
    """Milliseconds of each group of products, rows and networks; of weights read from memory, shares of the bound."""
    lines = [machine(run)]
    for group in (group for subject in PRECISION for group in run.get(subject, [])):
        names = list(dict.fromkeys(name for row in group["rows"] for name in row["us"]))
        shares = list(dict.fromkeys(key for row in group["rows"] for key in row["ratio"] if key.endswith("/bound")))
        heads = ["ms", *names, *(key.replace("/bound", ", of the bound") for key in shares)]
        lines += ["", f"{group['title']}:", "", "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
        for row in group["rows"]:
            cells = [f"{row['us'][name] / 1000:.3g}" if name in row["us"] else "" for name in names]
            cells += [bold(f"{row['ratio'][key]:.2f}", row["ratio"][key] < OF_MEMORY) for key in shares]
            lines.append(f"| {row['entry']} | {' | '.join(cells)} |")
        means = [f"mean of {key}: " + bold(f"{summary['geomean']:.2f}", summary.get("worst_verdict") == "missed")
                 for key, summary in group["summary"].items()]
        lines += ["", "; ".join(means), "", *(f"- {note}" for note in group["notes"])]
    return lines


def accuracy(run):
    """Errors of ops in last places, by terms, and of networks."""
    made = run["accuracy"]
    names = list(made["ops"][0]["errors"])
    lines = [machine(run), "", "| op | " + " | ".join(f"{name}, {terms:,} terms" for name in names for terms in made["terms"]) + " |",
             "|---" * (1 + len(names) * len(made["terms"])) + "|"]
    for row in made["ops"]:
        cells = [bold(f"{error:.2g}", name != "f32" and error > ONE_ROUNDING) for name in names for error in row["errors"][name]]
        lines.append(f"| {row['entry']} | {' | '.join(cells)} |")
    engines = list(made["networks"][0]["error"])
    lines += ["", "| network | " + " | ".join(engines) + " |", "|---" * (1 + len(engines)) + "|"]
    for row in made["networks"]:
        lines.append(f"| {row['entry']} | {' | '.join(format(row['error'][engine], '.1e') for engine in engines)} |")
    return lines


WORKERS = {"one": "one process", "processes": "processes of a pool", "dask": "Dask", "ray": "Ray"}


def workers(run):
    """Rows a second by what gives the batches to workers."""
    one = next(row for row in run["rows"] if row["entry"] == "one")
    rounds = "one round" if run["rounds"] == 1 else f"medians of {run['rounds']} rounds"
    lines = [f"{run['model']}, {run['count']} rows of 3 to 128 words on {run['cores']} cores, {rounds}; "
             f"the machine had other work (a load of {run['load'][0]:.0f}).", "",
             "| workers | rows a second, with the start | after the first answer | beside one process |", "|---|---|---|---|"]
    for row in run["rows"]:
        count = "" if row["entry"] == "one" else f"{run['workers']} "
        lines.append(f"| {count}{WORKERS[row['entry']]} | {row['all']:.0f} | {row['running']:.0f} | {row['running'] / one['running']:.2f} |")
    return lines


KINDS = {"workers": workers, "targets": targets, "entries": entries, "engine": engine, "calls": calls, "ready": ready,
         "gpu": gpu, "torch": torch, "precision": precision, "accuracy": accuracy}


def page_with_tables(text):
    def table(match):
        run = json.loads((RESULTS / f"{match[3]}.json").read_text())
        return f"{match[1]}{chr(10).join(KINDS[match[2]](run))}\n{match[5]}"
    return MARKED.sub(table, text)


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list) else value


def keep(source, name):
    """Writes the results with a row per line."""
    text = json.dumps(rounded(json.loads(Path(source).read_text())), separators=(",", ":"))
    text = re.sub(r'(?=\{"(entry|title|layers|name|family_index|heads)")|(?<=[,{])(?="\w+":[\[{])', "\n", text)
    (RESULTS / f"{name}.json").write_text(text + "\n")


def main():
    arguments = sys.argv[1:]
    if arguments and arguments[0].startswith("--keep="):
        return keep(arguments[0].removeprefix("--keep="), arguments[1])
    tables, other = 0, []
    for page in PAGES:
        path = ROOT / page
        text = path.read_text()
        made = page_with_tables(text)
        tables += len(MARKED.findall(text))
        if made != text:
            other.append(page)
            if arguments == ["--write"]:
                path.write_text(made)
    print(f"{tables} tables, {len(other)} pages that say something else: {', '.join(other)}")
    return 1 if not tables or (other and arguments != ["--write"]) else 0


if __name__ == "__main__":
    sys.exit(main())
