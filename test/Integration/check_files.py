# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that the tools read and write, where the system does not play along.

Writing: what cannot be written wholly (a limit of the size of files stands for a full disk) leaves the old file
as it was, and no other; a full device as standard output is told in words. Reading: a pipe without an end, and a
link to /dev/zero, are refused at once, whatever they stand for.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx_file
from checking import Checks

PROGRAM = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
FLOOR = 190  # checks


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def execute(command, folder, stdout=subprocess.PIPE, **options):
    # Without /bin/sh, and with its output in pipes, which the limit is not about.
    return subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=60, **options)


def tree(folder):
    """What is there: bytes of files, and where links lead to."""
    return {str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file()}


def tell(checks, done, status, words, what):
    said = f"  {done.returncode}\n{done.stderr}"
    checks.that(done.returncode == status, f"{what}: exit status {status}", said)
    checks.that(words in done.stderr, f"{what}: {words}", said)
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    checks.that(len(errors) == 1, f"{what}: one error", said)


def writers(out):
    """Each file that a tool writes: (exit status if it cannot, command)."""
    run = ["symshape-run", "program.mlir"]
    call = ["--input=3000xf32=iota"]
    return [(2, [*run, *call, f"--output={out}"]),
            (2, ["symshape-bundle-run", "bundle", *call, f"--output={out}"]),
            (2, [*run, f"--object={out}"]),
            (2, [*run, f"--assembly={out}"]),
            (2, ["symshape-onnx", "infer", "model.onnx", "-o", out]),
            (2, ["symshape-onnx", "import", "model.onnx", "-o", out]),
            (2, ["symshape-onnx", "import", "model.onnx", "-o", out, "--bytecode"]),
            (2, ["symshape-report", "program.mlir", "-o", out]),
            (2, ["symshape-report", "program.mlir", "--format=json", "-o", out]),
            (2, ["symshape-report", "program.mlir", "--format=html", "-o", out]),
            (2, ["symshape-report", "program.mlir", f"--fix={out}"]),
            (1, ["symshape-opt", "program.mlir", "-o", out]),
            (1, ["symshape-opt", "program.mlir", f"--o={out}", "--emit-bytecode"]),
            (1, ["symshape-reduce", "program.mlir", "-o", out]),
            (1, ["symshape-reduce", "program.mlir", f"-o={out}"])]


def replaced(checks, folder):
    """Over an old file, a new one, and a link; then without a limit, with the permissions that were there."""
    for name in ("old", "new", "link"):
        for status, command in writers(name):
            (folder / "old").write_text("as it was")
            (folder / "link").unlink(missing_ok=True)
            (folder / "link").symlink_to("old")
            before = tree(folder)
            what = " ".join(command)
            tell(checks, execute(command, folder, preexec_fn=limit_files), status, "cannot write", what)
            checks.that(tree(folder) == before, f"{what}: all is as it was", f"  {sorted(tree(folder))}")
    for _, command in writers("link"):
        (folder / "old").write_text("as it was")
        (folder / "old").chmod(0o640)
        before = set(tree(folder))
        done = execute(command, folder)
        what = " ".join(command)
        checks.that(done.returncode == 0, f"{what}: exit status 0", done.stderr)
        checks.that((folder / "link").is_symlink() and (folder / "old").read_bytes() != b"as it was", f"{what}: replaced")
        checks.that((folder / "old").stat().st_mode & 0o777 == 0o640, f"{what}: the permissions are kept")
        checks.that(set(tree(folder)) == before, f"{what}: nothing else")


def bundles(checks, folder):
    before = tree(folder)
    save = ["symshape-run", "program.mlir"]
    for place in ("bundle", "another"):
        done = execute([*save, f"--save-bundle={place}"], folder, preexec_fn=limit_files)
        tell(checks, done, 2, f"cannot write '{place}/", f"a bundle as {place}")
    checks.that(tree(folder) == before and not (folder / "another").exists(), "bundles are as they were")
    done = execute(["symshape-bundle-run", "bundle", "--input=3xf32=iota"], folder)
    checks.that(done.stdout == "3xf32: [0, 2, 4]\n", "the old bundle runs", done.stderr)
    done = execute([*save, "--input=3xf32=iota", "--state=state"], folder, preexec_fn=limit_files)
    checks.that(done.returncode == 0 and done.stderr.count("warning: cannot write 'state/") == 2, "a run goes on without state",
                done.stderr)
    checks.that([path.name for path in (folder / "state").iterdir()] == ["lock"], "no state")


def outputs(checks, folder):
    """Standard output is full."""
    model = "model.onnx"
    commands = [(2, ["symshape-run", "program.mlir", "--input=3xf32=iota"]),
                (2, ["symshape-run", "--help"]),
                (2, ["symshape-bundle-run", "bundle", "--input=3xf32=iota"]),
                (2, ["symshape-bundle-run", "--help"]),
                (2, ["symshape-report", "program.mlir"]),
                (2, ["symshape-report", "program.mlir", "--format=html"]),
                (2, ["symshape-report", "program.mlir", "--suggest-versions"]),
                (2, ["symshape-onnx", "import", model]), (2, ["symshape-onnx", "infer", model, "-o", "-"]),
                (2, ["symshape-onnx", "check", model]), (2, ["symshape-onnx", "explain", model]),
                (2, ["symshape-onnx", "diff", model, model]), (2, ["symshape-onnx", "ops"]),
                (2, ["symshape-prove", "problem.prove"]), (2, ["symshape-prove", "problem.prove", "--explain"]),
                (1, ["symshape-opt", "program.mlir"]), (1, ["symshape-opt", "program.mlir", "--emit-bytecode"]),
                (1, ["symshape-opt", "--show-dialects"]), (1, ["symshape-reduce", "program.mlir"]),
                (2, ["symshape-ptx-run", "--help"]), (2, ["symshape-lsp-server", "--help"])]
    with open("/dev/full", "w") as full:
        for status, command in commands:
            tell(checks, execute(command, folder, stdout=full), status, "cannot write", " ".join(command))


def endless(checks, folder):
    """No plain files: a pipe, and a device; and such that are too large."""
    os.mkfifo(folder / "pipe")
    for kind, target in [("pipe", folder / "pipe"), ("zero", Path("/dev/zero"))]:
        for suffix in ("mlir", "onnx", "npy", "safetensors", "prove", "calls"):
            (folder / f"{kind}.{suffix}").symlink_to(target)
        call = ["--input=3xf32=iota"]
        for status, command in [(2, ["symshape-run", f"{kind}.mlir"]), (2, ["symshape-run", f"{kind}.onnx"]),
                                (2, ["symshape-run", "program.mlir", f"--input=@{kind}.npy"]),
                                (2, ["symshape-run", "program.mlir", f"--calls={kind}.calls"]),
                                (2, ["symshape-run", "program.mlir", *call, f"--weights={kind}.safetensors"]),
                                (2, ["symshape-bundle-run", "bundle", f"--input=@{kind}.npy"]),
                                (2, ["symshape-bundle-run", "bundle", f"--calls={kind}.calls"]),
                                (2, ["symshape-bundle-run", "bundle", *call, f"--weights={kind}.safetensors"]),
                                (1, ["symshape-onnx", "check", f"{kind}.onnx"]),
                                (2, ["symshape-onnx", "check", "model.onnx", f"--assume={kind}.calls"]),
                                (2, ["symshape-report", f"{kind}.mlir"]),
                                (2, ["symshape-report", "program.mlir", f"--events={kind}.calls"]),
                                (2, ["symshape-prove", f"{kind}.prove"]), (1, ["symshape-opt", f"{kind}.mlir"]),
                                (1, ["symshape-reduce", f"{kind}.mlir", "-o", "small.mlir"]),
                                (2, ["symshape-ptx-run", f"{kind}.mlir"])]:
            done = execute(command, folder)
            what = " ".join(command)
            tell(checks, done, status, ": expected a plain file", what)
            checks.that(done.stderr.count("\n") == 1, f"{what}: one line", done.stderr)
        for name in ("manifest.json", "signature.json", "program.o"):
            shutil.rmtree(folder / "broken", ignore_errors=True)
            shutil.copytree(folder / "bundle", folder / "broken")
            (folder / "broken" / name).unlink()
            (folder / "broken" / name).symlink_to(target)
            done = execute(["symshape-bundle-run", "broken", *call], folder)
            tell(checks, done, 2, f"cannot read 'broken/{name}': expected a plain file", name)
    with open("/dev/zero") as zero:
        done = subprocess.run(["symshape-prove", "-"], stdin=zero, capture_output=True, text=True, check=False, timeout=60)
    tell(checks, done, 2, "cannot read '-': expected at most 256 MiB", "endless standard input")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="files") as name:
        folder = Path(name)
        (folder / "program.mlir").write_text(PROGRAM)
        (folder / "problem.prove").write_text("symbol B in [1, 64]\nprove B >= 1\n")
        nodes = [onnx_file.node("Relu", "x", "y")]
        (folder / "model.onnx").write_bytes(onnx_file.model(nodes, {"x": (onnx_file.FLOAT, ["B", 4])}, ["y"]))
        saved = execute(["symshape-run", "program.mlir", "--save-bundle=bundle"], folder)
        checks.that(saved.returncode == 0, "a bundle is saved", saved.stderr)
        replaced(checks, folder)
        bundles(checks, folder)
        outputs(checks, folder)
        endless(checks, folder)
    checks.that(checks.made >= FLOOR, f"at least {FLOOR} checks are made")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
