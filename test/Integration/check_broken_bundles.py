# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles that are not whole, were changed, or are for others: one line that says so, exit status 2 or 1, no crash.

    check_broken_bundles.py

Where the manifest is changed as well, so that it fits what was done to a file, the file may still be one that runs.
"""

import json
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from bundles import Bundle, execute, save, xxh64
from checking import Checks

PROGRAM = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %w: tensor<?xf32> {symshape.weight = "w"})
    -> (tensor<?x?xf32>, tensor<?xf32>) {
  %r = arith.addf %a, %b : tensor<?x?xf32>
  %s = math.sin %r : tensor<?x?xf32>
  return %s, %w : tensor<?x?xf32>, tensor<?xf32>
}
"""
CALL = ["--input=2x3xf32=iota", "--input=2x3xf32=iota"]


def refuse(checks, bundle, words, what, status=2):
    done = execute(["symshape-bundle-run", bundle.path, *CALL], bundle.path.parent)
    said = f"  {done.returncode}\n{done.stderr}"
    checks.that(done.returncode == status and not done.stdout, f"{what}: exit status {status}", said)
    checks.that(done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, f"{what}: one line", said)
    checks.that(words in done.stderr, f"{what}: {words}", said)


def survive(checks, bundle, what):
    """It may run; if not, it says why."""
    done = subprocess.run(["symshape-bundle-run", str(bundle.path), *CALL], capture_output=True, check=False,
                          timeout=60, stdin=subprocess.DEVNULL)
    checks.that(done.returncode in (0, 1, 2, 3), f"{what}: no crash", f"  {done.returncode}\n{done.stderr[-300:]}")
    checks.that(done.returncode == 0 or b"error: " in done.stderr, f"{what}: a message")


def files(checks, whole, folder):
    manifest = json.loads((whole / "manifest.json").read_text())
    listed = manifest["files"]
    checks.that(all(xxh64((whole / name).read_bytes()) == int(entry["xxh64"], 16) for name, entry in listed.items()),
                "hashes are those of the files")
    for name in ("manifest.json", "program.o", "signature.json", "weights.safetensors"):
        bundle = Bundle(whole, folder)
        (bundle.path / name).unlink()
        refuse(checks, bundle, "No such file or directory", f"without {name}")
        if name == "manifest.json":
            continue
        data = (whole / name).read_bytes()
        for cut in (0, 1, len(data) // 2, len(data) - 1):
            bundle = Bundle(whole, folder)
            (bundle.path / name).write_bytes(data[:cut])
            refuse(checks, bundle, f"expected {len(data)} bytes, but got {cut}", f"{name} cut")
        bundle = Bundle(whole, folder)
        (bundle.path / name).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        refuse(checks, bundle, "is not as it was when the bundle was saved", f"{name} changed")
    shutil.rmtree(bundle.path)
    refuse(checks, bundle, "No such file or directory", "no folder")
    bundle.path.mkdir()
    refuse(checks, bundle, "No such file or directory", "empty folder")


def manifests(checks, whole, folder):
    text = (whole / "manifest.json").read_text()
    for cut in range(0, len(text) - 2, 29):
        bundle = Bundle(whole, folder)
        (bundle.path / "manifest.json").write_text(text[:cut])
        refuse(checks, bundle, "manifest.json': expected JSON", f"the first {cut} bytes of the manifest")
    lacking = "this machine cannot run code for znver9: it lacks avx9, sse99"
    for words, change in [
            ("expected a bundle of version 2, but got version 1", {"version": 1}),
            ("expected the manifest of a bundle", {"format": "other"}),
            ("expected the target cpu or nvvm, but got 'vliw'", {"target": "vliw"}),
            ("this machine cannot run code for pdp11", {"cpu": {"architecture": "pdp11"}}),
            ("manifest.json': expected the size of 'signature.json'", {"files": {}})]:
        refuse(checks, Bundle(whole, folder).manifest(lambda m, change=change: m.update(change)), words, str(change))
    refuse(checks, Bundle(whole, folder).manifest(
        lambda m: m["cpu"].update(name="znver9", features=["avx9", *m["cpu"]["features"], "sse99"])), lacking, "features")
    for other in ("[]", "3", '"x"', "{}", "null", "[" * 100000):
        bundle = Bundle(whole, folder)
        (bundle.path / "manifest.json").write_text(other)
        refuse(checks, bundle, "manifest.json': expected", other[:9])
    refuse(checks, Bundle(whole, folder).manifest(lambda m: m.update(target="nvvm")), "no GPU", "for a GPU", status=1)


def objects(checks, whole, folder):
    data = (whole / "program.o").read_bytes()
    rng = random.Random(4)
    for other in (b"", b"\x7fELF", data[:64], b"x" * 1000, data[:-8]):
        survive(checks, Bundle(whole, folder).replace("program.o", other), f"an object of {len(other)} bytes")
    sections = struct.unpack_from("<Q", data, 40)[0]
    for _ in range(60):
        changed = bytearray(data)
        for _ in range(rng.choice([1, 2, 8])):
            at = rng.choice([rng.randrange(16, 64), rng.randrange(sections, len(data))])
            changed[at] = rng.choice([0, 1, 127, 255, rng.randrange(256)])
        survive(checks, Bundle(whole, folder).replace("program.o", bytes(changed)), "headers of the object changed")
    # Relocations, and symbols, that lie elsewhere.
    for i in range(struct.unpack_from("<H", data, 60)[0]):
        kind, offset, size = (struct.unpack_from(f, data, sections + 64 * i + at)[0]
                              for f, at in [("<I", 4), ("<Q", 24), ("<Q", 32)])
        for item in range(offset, offset + size, 24) if kind in (2, 4) else ():
            changed = bytearray(data)
            far = struct.pack("<I", 0xfffffff0)
            place = item + (6 if kind == 2 else 12)  # the section of a symbol; the symbol of a relocation
            changed[place:place + (2 if kind == 2 else 4)] = far[2:] if kind == 2 else far
            survive(checks, Bundle(whole, folder).replace("program.o", bytes(changed)), "a symbol that lies elsewhere")


def texts(checks, whole, folder):
    rng = random.Random(5)
    for name in ("signature.json", "weights.safetensors"):
        data = (whole / name).read_bytes()
        for _ in range(60):
            changed = bytearray(data)
            for _ in range(rng.choice([1, 3])):
                at = rng.randrange(len(changed))
                changed[at:at + rng.choice([0, 1, 5])] = rng.choice([b"", b'"', b"9", b"{", b"\\", b"\0", b"-1"])
            survive(checks, Bundle(whole, folder).replace(name, bytes(changed)), f"{name} changed")


def signatures(checks, whole, folder):
    """What does not fit the code, though it fits the manifest."""
    text = (whole / "signature.json").read_text()

    def first(kind, **fields):
        return lambda s: s[kind][0].update(fields)

    lies = [lambda s: s["results"].pop(), lambda s: s.update(results=[]), lambda s: s.pop("results"),
            lambda s: s["results"].append(s["results"][0]), lambda s: s["results"].reverse(),
            lambda s: s["arguments"].pop(), lambda s: s["arguments"].pop(0), lambda s: s.update(arguments=[]),
            lambda s: s["arguments"].reverse(), lambda s: s["arguments"][2].pop("weight"),
            first("arguments", weight="w"), lambda s: s["arguments"].append(s["arguments"][0]),
            lambda s: s["arguments"].append(s["arguments"][2]), lambda s: s["arguments"][2].update(weight="v")]
    for kind in ("arguments", "results"):
        lies += [first(kind, **{"shape": shape}) for shape in ([], [-1], [-1] * 3, [-1, 3], [2, 3], [-1] * 60)]
        lies += [first(kind, element=element) for element in ("f64", "f16", "bf16", "i1", "i32", "ui32", "index", "i64")]
        lies += [first(kind, isTensor=False, shape=[]), first(kind, isSignless=True), first(kind, valueBits=31)]
    for number, lie in enumerate(lies):
        signature = json.loads(text)
        lie(signature)
        bundle = Bundle(whole, folder).replace("signature.json", json.dumps(signature).encode())
        refuse(checks, bundle, "expected the signature and the target of the code, but got others", f"lie {number}")
    signature = json.loads(text)
    for value in signature["arguments"] + signature["results"]:
        value["name"] = "another name, which changes nothing"
    bundle = Bundle(whole, folder).replace("signature.json", json.dumps(signature).encode())
    done = execute(["symshape-bundle-run", bundle.path, *CALL], folder)
    checks.that(done.returncode == 0 and done.stdout.startswith("2x3xf32: "), "words are free", done.stderr)
    signature["function"] = "other"
    refuse(checks, Bundle(whole, folder).replace("signature.json", json.dumps(signature).encode()),
           "expected the code of @other, but it is not there", "another function")


def folders(checks, folder):
    """What a bundle is not written to."""
    (Path(folder) / "other").mkdir()
    (Path(folder) / "other" / "notes").write_text("x")
    for place, words in [("other", "holds something else"), ("program.mlir", "cannot write 'program.mlir'"),
                         ("program.mlir/below", "cannot write 'program.mlir/below'")]:
        done = execute(["symshape-run", "program.mlir", f"--save-bundle={place}"], folder)
        checks.that(done.returncode == 2 and words in done.stderr, place, f"  {done.returncode}\n{done.stderr}")
    for options, words in [(["--input=2xf32=iota"], "expected no --input"), (["--object=a.o"], "expected either"),
                           (["--dynamic=auto"], "expected no --dynamic"), (["--guard-pages"], "expected no --guard-pages"),
                           (["--repeat=2"], "expected no --repeat with --save-bundle, which runs nothing"),
                           (["--cubin=sm_80"], "expected --save-bundle and --target=nvvm with --cubin")]:
        done = execute(["symshape-run", "program.mlir", "--save-bundle=new", *options], folder)
        checks.that(done.returncode == 2 and words in done.stderr, words, f"  {done.returncode}\n{done.stderr}")
        checks.that(not (Path(folder) / "new").exists(), "nothing is written")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="bundle") as folder:
        (Path(folder) / "program.mlir").write_text(PROGRAM)
        header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
        (Path(folder) / "w.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
        whole = Path(folder) / "whole"
        options = ["--weights=w.safetensors"]
        save("program.mlir", "whole", options, folder)
        (whole / "kernels.ptx").write_text("")
        save("program.mlir", "whole", options, folder)  # which replaces it
        checks.that(not (whole / "kernels.ptx").exists(), "what the old one had is gone")
        checks.that(execute(["symshape-bundle-run", "whole", *CALL], folder).returncode == 0, "the whole bundle runs")
        files(checks, whole, folder)
        manifests(checks, whole, folder)
        objects(checks, whole, folder)
        texts(checks, whole, folder)
        signatures(checks, whole, folder)
        folders(checks, folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
