# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the packages of Debian hold and need, by dpkg-deb.

    check_packages.py LIST INCLUDE MAINTAINER

LIST names a package a line. INCLUDE is the folder of headers in the source tree, each of which has to be in
the package for development. MAINTAINER is the person whom all packages name.
"""

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

LIB = "/usr/lib/" + subprocess.run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"], check=True,
                                   capture_output=True, text=True).stdout.strip()
TOOLS = "run opt report prove onnx ptx-run bundle-run lsp-server reduce".split()
LAYERS = ("Analysis Constraints Execution Expr Extensions IR Import LSP PTXSimulator Pipelines Process "
          "Reducer Runtime StableHLO Transforms").split() + [
    f"Conversion{folder}" for folder in "Contractions GPU Math Rows Runtime Structure TMTensor TensorOps Tosa Vectors Windows".split()]

SOURCE = Path(__file__).resolve().parents[3]
RELEASE = re.search(r'^version = "(.*)"', (SOURCE / "pyproject.toml").read_text(), re.M)[1]
CORE = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
DIST = "/usr/lib/python3/dist-packages"
MODULES = [path.name for path in (SOURCE / "python/symshape").iterdir() if path.suffix in (".py", ".pyi", ".typed")]



def documents(folder, package):
    """Where the files of a folder of the tree are in a package."""
    return [f"/usr/share/doc/{package}/{path.relative_to(SOURCE)}"
            for path in (SOURCE / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]


# name: what it has to depend on, and all of its files but headers and copyright.
EXPECTED = {
    "libsymshapec0": (["libmlir-22 (>=", "libllvm22", "libc6", "libstdc++6"], [f"{LIB}/libSymShapeC.so.0"]),
    "symshape-tools": (["libmlir-22 (>=", "libllvm22", "libc6"],
                       [f"/usr/bin/symshape-{tool}" for tool in TOOLS]
                       + [f"/usr/share/bash-completion/completions/symshape-{tool}" for tool in TOOLS]
                       + ["/usr/share/zsh/vendor-completions/_symshape"]
                       + [f"/usr/share/man/man1/symshape-{tool}.1.gz" for tool in TOOLS]
                       + documents("docs", "symshape-tools") + ["/usr/share/doc/symshape-tools/README.md"]
                       + [f"{LIB}/symshape/SymShapePlugin.so", f"{LIB}/symshape/libsymshape_ptxsim.so"]),
    "python3-symshape": (["libsymshapec0 (=", "symshape-tools (=", "python3 (>=", "python3 (<<", "python3-numpy", "libc6"],
                         [f"{DIST}/symshape/{name}" for name in [*MODULES, "bin", CORE]]
                         + [f"{DIST}/symshape-{RELEASE}.dist-info/{name}"
                            for name in ("INSTALLER", "METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE")]),
    "libsymshape-dev": (["libsymshapec0 (=", "symshape-tools (=", "libmlir-22-dev", "llvm-22-dev"],
                        [f"{LIB}/libSymShape{layer}.a" for layer in LAYERS]
                        + [f"{LIB}/libSymShapeC.so", f"{LIB}/pkgconfig/symshape.pc"]
                        + [f"{LIB}/cmake/SymShape/SymShape{part}.cmake"
                           for part in ("Config", "ConfigVersion", "Targets", "Targets-release")]
                        + documents("examples", "libsymshape-dev")),
}


def ask(*arguments):
    return subprocess.run(["dpkg-deb", *arguments], check=True, capture_output=True, text=True).stdout


def main():
    packages, include, maintainer = Path(sys.argv[1]).read_text().split(), Path(sys.argv[2]), sys.argv[3]
    failed, seen, count = [], [], 0

    def that(holds, text):
        if not holds:
            failed.append(text)

    for package in packages:
        name, version = ask("-f", package, "Package").strip(), ask("-f", package, "Version").strip()
        seen.append(name)
        named = ask("-f", package, "Maintainer").strip()
        that(named == maintainer, f"{name}: expected {maintainer}, but got {named}")
        needs, expected = EXPECTED[name]
        depends = ask("-f", package, "Depends").strip()
        for need in needs:
            that(re.search(rf"(^|, ){re.escape(need)}", depends), f"{name}: needs {need}, but: {depends}")
        for same in re.findall(r"\(= (.*?)\)", depends):
            that(same == version, f"{name}: expected {version}, but got {same}")
        entries = [line.split(None, 5) for line in ask("-c", package).splitlines()]
        files = {entry[5].split(" -> ")[0].removeprefix("."): entry for entry in entries if entry[0][0] != "d"}
        count += len(files)
        for path, entry in files.items():
            mode = "-rwxr-xr-x" if path.startswith("/usr/bin/") else "-rw-r--r--"
            that(entry[1] == "root/root" and entry[0] in (mode, "lrwxrwxrwx"), f"{path}: {entry[:2]}")
        headers = {path for path in files if path.startswith("/usr/include/")}
        rest = set(files) - headers
        that(rest == {f"/usr/share/doc/{name}/copyright", *expected}, f"{name}: {rest ^ set(expected)}")
        wanted = {f"/usr/include/{path.relative_to(include)}" for path in include.rglob("*")
                  if path.suffix in (".h", ".td")} if name.endswith("-dev") else set()
        that(wanted <= headers and len(headers - wanted) in (range(15, 60) if wanted else [0]),
             f"{name}: headers {wanted - headers}, and {len(headers - wanted)} that are generated")
        that(("py3compile -p" in ask("-I", package, "postinst")) if name == "python3-symshape" else True,
             f"{name}: expected py3compile after it is unpacked")
        that(("ldconfig" in ask("-I", package, "postinst")) if name == "libsymshapec0" else True,
             f"{name}: expected ldconfig after it is unpacked")
    that(sorted(seen) == sorted(EXPECTED), f"expected {sorted(EXPECTED)}, but got {seen}")
    print("\n".join(failed))
    print(f"{len(packages)} packages, {count} files, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
