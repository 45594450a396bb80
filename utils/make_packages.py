#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes Debian packages of what a build folder holds; only the module of Python is compiled.

`./bootstrap package` runs it. Prints the path of each package. The folder of the
packages keeps a configuration of its own, with the places where Debian has files.
This has to run on an environment of Debian's Python, for which that module is, with pip
and utils/requirements/package.txt.
"""

import argparse
import gzip
import re
import shutil
import subprocess
import sys
from pathlib import Path

import man_page

KEPT = ["CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER", "CMAKE_BUILD_TYPE", "CMAKE_EXE_LINKER_FLAGS",
        "CMAKE_SHARED_LINKER_FLAGS", "CMAKE_MODULE_LINKER_FLAGS", "SYMSHAPE_CONTACT"]


def cached(build):
    """The cache of CMake of a build folder."""
    lines = (build / "CMakeCache.txt").read_text().splitlines()
    return {m[1]: m[2] for line in lines if (m := re.match(r"([\w-]+):\w+=(.*)", line))}


def triplet():
    return subprocess.run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"], check=True, capture_output=True,
                          text=True).stdout.strip()


def run(command, log):
    with open(log, "a", encoding="utf-8") as file:
        status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False).returncode
    if status:
        sys.exit(f"{Path(log).read_text()}\nerror: {command[0]} failed with exit status {status}")


def stage_python(source, build, view, cache, log):
    """The Python package as pip installs it, without what the other packages have; the folder."""
    if Path(sys.base_prefix) != Path("/usr"):
        sys.exit(f"error: expected Debian's Python, but got {sys.base_prefix}")
    stage = view / "python"
    defines = {"SYMSHAPE_BUILD": build, "SYMSHAPE_SYSTEM": "ON"}
    if cache.get("SYMSHAPE_CCACHE", "").startswith("/"):
        defines["CMAKE_CXX_COMPILER_LAUNCHER"] = cache["SYMSHAPE_CCACHE"]
    settings = [f"cmake.define.{name}={value}" for name, value in defines.items()]
    run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps",
         "--no-compile", "--no-build-isolation", "--target", stage, source,
         *(word for setting in [*settings, f"build-dir={view / 'python-build'}"]
           for word in ("--config-settings", setting))], log)
    (stage / "symshape" / "bin").symlink_to("../../../../bin")  # the tools of symshape-tools
    (info,) = stage.glob("symshape-*.dist-info")
    for name in ("RECORD", "REQUESTED", "direct_url.json"):  # dpkg keeps the list of files
        (info / name).unlink(missing_ok=True)
    (info / "INSTALLER").write_text("debian\n")
    return stage


def stage_man(build, view, release):
    """A manual page for each tool; the folder."""
    stage = view / "man"
    stage.mkdir()

    def shown(*command):
        return subprocess.run([*command, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout

    for path in sorted((build / "bin").glob("symshape-*")):
        if path.name == "symshape-bench":  # not installed
            continue
        text = shown(path)
        page = man_page.man_page(path.name, release, text, {verb: shown(path, verb) for verb in man_page.verbs_of(text)})
        with gzip.GzipFile(stage / f"{path.name}.1.gz", "wb", 9, mtime=0) as file:
            file.write(page.encode())
    return stage


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("out", type=Path, help="the folder for packages")
    parser.add_argument("--fast", action="store_true", help="larger packages, sooner")
    args = parser.parse_args()
    build, out = args.build.resolve(), args.out.resolve()
    source = Path(__file__).resolve().parent.parent
    cache = cached(build)
    view = out / "configured"
    shutil.rmtree(view, ignore_errors=True)
    view.mkdir(parents=True)
    for old in out.glob("*.deb"):
        old.unlink()
    log = view / "log"
    libraries = f"lib/{triplet()}"
    settings = {name: cache[name] for name in KEPT if name in cache}
    settings |= {"SYMSHAPE_BUILD": build, "BUILD_TESTING": "OFF", "CMAKE_INSTALL_PREFIX": "/usr",
                 "CMAKE_INSTALL_LIBDIR": libraries, "SYMSHAPE_MODULES": f"{libraries}/symshape",
                 "SYMSHAPE_PYTHON": stage_python(source, build, view, cache, log),
                 "SYMSHAPE_MAN": stage_man(build, view, cache["CMAKE_PROJECT_VERSION"]),
                 "SYMSHAPE_PYTHON_VERSION": f"{sys.version_info.major}.{sys.version_info.minor}"}
    run([cache["CMAKE_COMMAND"], "-S", source, "-B", view, "-G", "Ninja",
         *(f"-D{name}={value}" for name, value in settings.items())], log)
    run([cache["CMAKE_CPACK_COMMAND"], "--config", view / "CPackConfig.cmake", "-B", out / "packed",
         *(["-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"] if args.fast else [])], log)
    packages = sorted((out / "packed").glob("*.deb"))
    for package in packages:
        print(package.rename(out / package.name))
    shutil.rmtree(out / "packed")
    return 0 if len(packages) == 4 else 1


if __name__ == "__main__":
    sys.exit(main())
