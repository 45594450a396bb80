#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that #includes respect the layer order of symshape.

Looks at every C++ and TableGen file under include/symshape, include/symshape-c
and lib. Rules:

  order    a layer includes only itself, its peers, and layers below it;
  peers    of two layers of one rank, at most one includes the other;
  pure     Process, Expr and Constraints include no MLIR header but Support, Presburger
           and the two headers of the affine constraint bridge;
  link     these link SUPPORT_ONLY, without libMLIR;
  runtime  Runtime, Bundle and PTXSimulator include neither LLVM nor MLIR, nor any other
           layer, but that Bundle includes Runtime;
  linked   the libraries of a folder link, directly or through others, those of each folder
           that it includes: static libraries must say what they call;
  known    every folder is a layer of the table in this script.

Prints one line per breach, `file:line: rule: message`, and exits 1; prints
nothing and exits 0 when all is well or the folders do not exist yet.
"""

import argparse
import re
import sys
from pathlib import Path

ORDER = [
    ["Runtime", "PTXSimulator"],
    ["Bundle"],
    ["Process"],
    ["Expr"],
    ["Constraints"],
    ["IR"],
    ["Extensions", "Analysis"],
    ["Transforms"],
    ["Conversion"],
    ["Pipelines"],
    ["Execution", "Import", "CAPI", "LSP", "Reducer"],
    ["tools", "Plugin", "InitAll"],
]
RANK = {layer: rank for rank, peers in enumerate(ORDER) for layer in peers}

# What each of these may include beside itself.
RUN_TIME = {"Runtime": (), "PTXSimulator": (), "Bundle": ("Runtime",)}
PURE_LAYERS = {"Process", "Expr", "Constraints"}
PURE_MLIR = re.compile(
    r"mlir/(Support/|Analysis/Presburger/|Analysis/FlatLinearValueConstraints\.h$"
    r"|Dialect/Affine/Analysis/AffineStructures\.h$)"
)
SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cpp", ".inc", ".def", ".td", ".pdll"}
INCLUDE = re.compile(r'^\s*#?\s*include\s*[<"]([^>"]+)[>"]')


def layer_of(path):
    """The layer of a path relative to the project root, or None.

    `include/symshape/IR/Ops.h` and `lib/IR/Ops.cpp` are IR; a file directly in
    include/symshape (such as InitAll.h) belongs to the top layer. A C header
    named after a layer (include/symshape-c/Runtime.h), or after the runtime and
    what it is for (RuntimeGPU.h), belongs to that layer.
    """
    parts = path.parts
    if parts[:2] == ("include", "symshape-c"):
        stem = "Runtime" if path.stem.startswith("Runtime") else path.stem
        return stem if stem in RANK else "CAPI"
    if parts[:2] == ("include", "symshape"):
        return parts[2] if len(parts) > 3 else "InitAll"
    if parts[:1] == ("lib",):
        return parts[1] if len(parts) > 2 else "InitAll"
    if parts[:1] == ("tools",):
        return "tools"
    return None


def included_path(root, source, included):
    """The file that `included` names when written in `source`, relative to the root; what is
    not of this project stays as it is."""
    if included.startswith(("symshape/", "symshape-c/")):
        return Path("include") / included
    # As the compiler looks for it: beside the source, then in the folder of its layer.
    layer = root.joinpath(*source.relative_to(root).parts[:2])
    for folder in (source.parent, layer):
        resolved = (folder / included).resolve()
        if resolved.exists() and root in resolved.parents:
            return resolved.relative_to(root)
    return Path(included)


def target_layer(root, source, included):
    """The layer that `included` names when written in `source`, or None."""
    return layer_of(included_path(root, source, included))


def includes_of(path):
    """Yields (line number, included path) of a file, block comments left out."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def breach(layer, included, target):
    """The rule that the include breaks, as `rule: message`, or None."""
    if layer in PURE_LAYERS and included.startswith(("mlir/", "mlir-c/")):
        if not PURE_MLIR.match(included):
            return f"pure: {layer} must not include {included}"
    if layer in RUN_TIME and (
        included.startswith(("mlir", "llvm")) or target not in (None, layer, *RUN_TIME[layer])
    ):
        return f"runtime: {layer} must not include {included}"
    if target is not None and RANK.get(target, -1) > RANK[layer]:
        return f"order: {layer} must not include {target} ({included})"
    return None


def libraries(root):
    """What each library links, and the folder below lib that it is made in, by its name."""
    links, folders = {}, {}
    for path in (root / "lib").rglob("CMakeLists.txt"):
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        folder = path.parent.relative_to(root / "lib")
        for call, arguments in re.findall(r"(\w+)\(([^)]*)\)", text):
            words = arguments.split()
            if call in ("add_symshape_library", "add_symshape_conversion") and "SOURCES" in words:
                prefix = "SymShapeConversion" if call == "add_symshape_conversion" else ""
                name = prefix + words[0]
                links[name] = words[words.index("LINK") :] if "LINK" in words else []
                folders[name] = folder
            elif call == "target_link_libraries" and words[1:2] == ["INTERFACE"]:
                links[words[0]] = words[2:]
    return links, folders


def library_folder(root, path, folders):
    """The folder whose libraries hold what `path` declares or defines, or None: that of the
    source, or of the only source with the stem of a header below include."""
    if path.parts[:2] == ("include", "symshape") and len(path.parts) > 3:
        sources = list((root / "lib" / path.parts[2]).rglob(path.stem + ".cpp"))
        if len(sources) != 1:
            return None
        path = sources[0].relative_to(root)
    if path.parts[:1] != ("lib",):
        return None
    return next((p for p in path.relative_to("lib").parents if p in folders), None)


def unlinked(root, used, folders, links):
    """Breaches of `linked`; `used` has, for each folder, what it includes and a place of it."""
    found = []
    for folder, targets in used.items():
        reached, waiting = set(), [name for name in folders if folders[name] == folder]
        while waiting:
            name = waiting.pop()
            if name in links and name not in reached:
                reached.add(name)
                waiting += links[name]
        missing = set(targets) - {folders[name] for name in reached if name in folders} - {folder}
        found += [f"{targets[other]}: linked: {folder} must link {other}" for other in missing]
    return found


def check(root):
    """Returns the breaches under `root`, sorted, as printable lines."""
    found = []
    peers = {}  # (layer, peer) -> places where layer includes peer
    used = {}  # folder of libraries -> what it includes, with a place
    links, folders = libraries(root)
    in_folders = set(folders.values())
    unknown = set()
    for folder in ("include/symshape", "include/symshape-c", "lib"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            name = path.relative_to(root)
            layer = layer_of(name)
            if layer not in RANK:
                unknown.add(layer)
                continue
            for line, included in includes_of(path):
                target = target_layer(root, path, included)
                message = breach(layer, included, target)
                here = library_folder(root, name, in_folders)
                there = library_folder(root, included_path(root, path, included), in_folders)
                if here and there:
                    used.setdefault(here, {}).setdefault(there, f"{name}:{line}")
                if message:
                    found.append(f"{name}:{line}: {message}")
                elif target and target != layer and RANK.get(target) == RANK[layer]:
                    place = (f"{name}:{line}", included)
                    peers.setdefault((layer, target), []).append(place)
    for (layer, target), places in peers.items():
        if (target, layer) in peers:
            for place, included in places:
                found.append(
                    f"{place}: peers: {layer} and {target} include each other ({included})"
                )
    for layer in PURE_LAYERS:
        path = root / "lib" / layer / "CMakeLists.txt"
        if path.is_file() and "SUPPORT_ONLY" not in path.read_text(encoding="utf-8"):
            found.append(f"lib/{layer}/CMakeLists.txt:1: link: {layer} must link SUPPORT_ONLY")
    for layer in unknown:
        found.append(f"lib/{layer}:1: known: '{layer}' is no layer; add it to ORDER with a reason")
    return sorted(found + unlinked(root, used, folders, links))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", default=".", help="project root (default: .)")
    breaches = check(Path(parser.parse_args().root).resolve())
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
