#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first hour of a newcomer: types README in an empty Debian 12, and says how long each part of it takes.

    first_hour.py FOLDER [--source=COMMIT] [--again] [--only=REGEX]

debootstrap makes FOLDER/root, which has no package but those that every Debian has, git and certificates; the commit
is cloned into it. Then each section of README up to "Measured beside peers", and the demo, is typed there by a root
without a desktop: blocks `sh`, whose environment is kept, and blocks `python`. A block without a language behind a
command is the error that it prints. --again types into the folder that is there, with the commit's tree.

Needs root, debootstrap (installed if need be), and the registries of Debian and of Python packages. Prints a line for
each block and a table of sections; exits 1 when a block does not do what README says.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
MIRROR = "http://deb.debian.org/debian"
HOME = "/root/symshape"  # of the clone, in the new system
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```\n(?:\n?```\n(.*?)^```\n)?", re.M | re.S)
INSIDE = """
set -e
mountpoint -q "$1/proc" || mount -t proc proc "$1/proc"
mountpoint -q "$1/dev" || mount --rbind /dev "$1/dev"
[ -z "$CACHE" ] || { mkdir -p "$1/root/.cache/ccache" && mount --bind "$CACHE" "$1/root/.cache/ccache"; }
new_root=$1; shift
exec chroot "$new_root" env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""


def say(text):
    print(f"first hour: {text}", flush=True)


def must(*command, **more):
    done = subprocess.run([str(part) for part in command], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **more)
    if done.returncode:
        sys.exit(f"{done.stdout[-3000:]}\nerror: {command[0]} ended with {done.returncode}")
    return done.stdout


def make_root(root):
    """An empty Debian 12 that trusts the registries which this machine trusts."""
    if subprocess.run(["which", "debootstrap"], stdout=subprocess.DEVNULL, check=False).returncode:
        must("apt-get", "install", "-y", "-q", "--no-install-recommends", "debootstrap")
    must("debootstrap", "--variant=minbase", "--include=ca-certificates,git", "bookworm", root, MIRROR)
    (root / "etc/apt/sources.list").write_text(
        f"deb {MIRROR} bookworm main\ndeb {MIRROR} bookworm-updates main\n"
        "deb http://deb.debian.org/debian-security bookworm-security main\n")
    for name in "etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt":
        (root / name).write_bytes(Path("/", name).read_bytes())


def copy_tree(folder, commit):
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        must("git", "clone", "-q", "--no-hardlinks", SOURCE, folder)
    must("git", "-c", "safe.directory=*", "-C", folder, "fetch", "-q", SOURCE, commit)
    must("git", "-c", "safe.directory=*", "-C", folder, "checkout", "-q", "--detach", "FETCH_HEAD")


def sections(text):
    """Titles, and the blocks of each that are typed."""
    first, *rest = re.split(r"^## ", text, flags=re.M)
    found = [("Build and install", first)]
    names = [part.split("\n", 1)[0] for part in rest]
    doors = rest[:names.index("Measured beside peers")]
    for part in [*doors, *(part for part in rest if part.startswith("The demo\n"))]:
        title, body = part.split("\n", 1)
        found.append((title, body))
    return [(title, BLOCK.findall(body)) for title, body in found]


class Reader:
    """Somebody who types; what a block exports, the next one has."""

    def __init__(self, root, home, cache):
        self.root, self.home, self.cache = root, home, cache
        self.pip = {name: value for name, value in os.environ.items() if re.match(r"PIP_(INDEX|EXTRA|CERT|DEFAULT|TRUSTED)", name)}

    def type(self, language, text):
        if language == "python":
            (self.root / "root/block.py").write_text(text)
            text = "python /root/block.py"
        exports = "\n".join(f"export {name}='{value}'" for name, value in self.pip.items())
        script = (f"{exports}\n[ ! -e /root/.typed ] || . /root/.typed\ncd {self.home}\nset -e\n{text}\n"
                  "declare -px | grep -E ' (PATH|VIRTUAL_ENV)=' > /root/.typed\n")
        (self.root / "root/typed.sh").write_text(script)
        return subprocess.run(["unshare", "-m", "bash", "-c", INSIDE, "inside", str(self.root), "bash", "/root/typed.sh"], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, errors="replace",
                              env={**os.environ, "CACHE": str(self.cache or "")})


def judge(done, printed):
    """What is wrong with what a block did; its environment is not kept where it ends with an error, as README says."""
    if not printed.startswith("error: "):
        return "" if done.returncode == 0 else f"exit status {done.returncode}"
    if done.returncode not in (1, 2, 3):
        return f"exit status {done.returncode}, but README shows an error"
    return "" if printed in done.stdout else "README shows another message"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the system is made: 15 GB, most of it PyTorch")
    parser.add_argument("--source", default="HEAD", metavar="COMMIT", help="of this tree, without what is not committed")
    parser.add_argument("--again", action="store_true", help="in the system that is there")
    parser.add_argument("--only", default="", metavar="REGEX", help="sections of README whose title matches")
    parser.add_argument("--at", default=HOME, metavar="FOLDER", help="where the clone lies in that system")
    parser.add_argument("--ccache", type=Path, metavar="FOLDER", help="a cache of the compiler, to try the rest sooner")
    arguments = parser.parse_args()
    if os.getuid():
        sys.exit("error: expected root, who alone may make a system in a folder")
    root = arguments.folder.resolve() / "root"
    if root.exists() and not arguments.again:
        sys.exit(f"error: expected no folder '{root}', or --again")
    start = time.monotonic()
    if not root.exists():
        arguments.folder.mkdir(parents=True, exist_ok=True)
        make_root(root)
        say(f"an empty Debian 12 in {time.monotonic() - start:.0f} s")
    commit = must("git", "-C", SOURCE, "rev-parse", arguments.source).strip()
    folder = root / arguments.at.lstrip("/")
    copy_tree(folder, commit)
    reader, table, wrong = Reader(root, arguments.at, arguments.ccache), [], 0
    for title, blocks in sections((folder / "README.md").read_text()):
        if not re.search(arguments.only, title):
            continue
        seconds = 0.0
        for language, text, printed in blocks:
            begun = time.monotonic()
            done = reader.type(language, text)
            took = time.monotonic() - begun
            seconds += took
            found = judge(done, printed)
            wrong += bool(found)
            say(f"{title}: {took:.0f} s: {text.strip().splitlines()[0][:80]}" + (f"  WRONG: {found}" if found else ""))
            if found or title.startswith("Build"):
                print(done.stdout[-2500:], flush=True)
        table.append((title, len(blocks), seconds))
    if arguments.ccache:
        print("\nwith what the compiler's cache held")
    print("\n| section of README | blocks typed | time |\n|---|---|---|")
    for title, count, seconds in table:
        print(f"| {title} | {count} | {seconds / 60:.1f} min |" if seconds > 90 else f"| {title} | {count} | {seconds:.0f} s |")
    total = sum(seconds for _, _, seconds in table)
    print(f"{sum(count for _, count, _ in table)} blocks in {total / 60:.0f} min on {os.cpu_count()} cores, {wrong} wrong")
    return 1 if wrong or not table else 0


if __name__ == "__main__":
    sys.exit(main())
