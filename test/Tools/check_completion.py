# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bash or zsh completes for each tool and verb, beside what the tool accepts.

    check_completion.py SCRIPT FOLDER

Completions of `--` are the options of --help, read here by other means; each is one that the tool knows; an
option with words completes these, one without completes files; `symshape-onnx` completes its verbs. Fails below
FLOOR options.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FLOOR = 180


class Shell:
    def __init__(self, script, folder):
        self.script, self.tools, self.wrong, self.options = script, folder, [], 0
        self.environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    def run(self, shell, program, line, folder):
        done = subprocess.run([*shell, "-c", program], cwd=folder, env=self.environment, capture_output=True, text=True, check=False, timeout=60)
        if done.stderr or done.returncode:
            self.wrong.append(f"{line}: {done.stderr}")
        return [each for each in done.stdout.split("\n") if each]

    def complete(self, line, folder):
        words = line.split() + ([""] if line.endswith(" ") else [])
        program = f"""source {self.script}
COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_CWORD={len(words) - 1}
_symshape {words[0]} '{words[-1]}' '{words[-2] if len(words) > 1 else ""}'
printf '%s\\n' "${{COMPREPLY[@]}}"
complete -p {words[0]} > /dev/null || echo not registered"""
        return self.run(["bash"], program, line, folder)

    def help(self, command):
        done = subprocess.run([*command.split(), "--help"], env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            self.wrong.append(f"{command} --help: exit status {done.returncode}")
        return (done.stdout + done.stderr).splitlines()

    def expect(self, line, wanted, folder):
        found = self.complete(line, folder)
        if sorted(found) != sorted(wanted):
            self.wrong.append(f"{line}: expected {sorted(wanted)}, but got {sorted(found)}")

    def check(self, command, folder):
        """The options of a tool, or of a verb, and what they take."""
        wanted, taken, of_pass = [], {}, False
        for text in self.help(command):
            stripped = text.lstrip()
            indent = len(text) - len(stripped)
            if stripped.startswith("--") and indent > 4:
                of_pass = True
            elif stripped.startswith("--") and indent:
                of_pass = False
                option = re.match(r"--[\w-]+=?", stripped)[0]
                wanted.append(option)
                taken[option] = []
            elif stripped.startswith("=") and wanted and not of_pass:
                taken[wanted[-1]].append(stripped.split()[0][1:])
        self.options += len(wanted)
        self.expect(f"{command} --", sorted(set(wanted)), folder)
        first = max(wanted, key=len)
        self.expect(f"{command} {first[:-2]}", [each for each in set(wanted) if each.startswith(first[:-2])], folder)
        for option, words in taken.items():
            if words:
                self.expect(f"{command} {option}", words, folder)
                self.expect(f"{command} {option}{words[0][:2]}", [each for each in words if each.startswith(words[0][:2])], folder)
        return taken


# Stands for the part of zsh that matches what a function adds with the word before the cursor, which only
# works at a prompt.
ZSH = """
setopt no_nomatch
compadd() {
  local -a given; local each
  while [[ $1 == -* ]]; do case $1 in -S) shift 2;; -a) shift; given=(${(P)1}); shift;; --) shift; break;; esac; done
  for each in $given "$@"; do [[ $each == ${PREFIX}* ]] && print -r -- $each; done
}
compset() { [[ $1 == -P && $2 == '*=' ]] && PREFIX=${PREFIX#*=}; }
_files() { local each; for each in ${PREFIX}*; do [[ -e $each ]] && print -r -- $each; done; return 0 }
"""


class Zsh(Shell):
    def complete(self, line, folder):
        words = line.split() + ([""] if line.endswith(" ") else [])
        program = f"""{ZSH}
words=({' '.join(f"'{word}'" for word in words)}); CURRENT={len(words)}; PREFIX='{words[-1]}'
source {self.script}; true"""
        return self.run(["zsh", "-f"], program, line, folder)


# At a prompt of its own: what a Tab adds to the line.
PROMPT = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'fpath=(%s $fpath); autoload -U compinit; compinit -u -D; print rea""dy'
zpty -r shell all '*ready*'
zpty -n -w shell $'symshape-prove --expl\\t'
zpty -r shell all '*ain*' && print completed
zpty -d shell
"""


def check_prompt(shell, folder):
    if "completed" not in shell.run(["zsh", "-f"], PROMPT % shell.script.parent, "a prompt", folder):
        shell.wrong.append("a Tab after symshape-prove --expl completes nothing")


def main():
    script, tools = (Path(each).resolve() for each in sys.argv[1:])
    shell = (Zsh if script.name.startswith("_") else Shell)(script, tools)
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        for name in ("model.mlir", "model.onnx", "other.txt"):
            Path(folder, name).touch()
        for tool in sorted(path.name for path in tools.glob("symshape-*")):
            shell.check(tool, folder)
        verbs = [match[1] for line in shell.help("symshape-onnx") if (match := re.match(r"  ([a-z]+)\s+- ", line))]
        shell.expect("symshape-onnx ", verbs, folder)
        shell.expect("symshape-onnx ch", ["check"], folder)
        for verb in verbs:
            shell.check(f"symshape-onnx {verb}", folder)
        shell.expect("symshape-run --target=", ["cpu", "nvvm"], folder)
        shell.expect("symshape-run --weights=ot", ["other.txt"], folder)
        shell.expect("symshape-run --guards=on mod", ["model.mlir", "model.onnx"], folder)
        shell.expect("symshape-onnx check --all model.o", ["model.onnx"], folder)
        if isinstance(shell, Zsh):
            check_prompt(shell, folder)
    print("\n".join(shell.wrong))
    print(f"{shell.options} options of {len(verbs)} verbs and the tools, {len(shell.wrong)} wrong")
    return 1 if shell.wrong or shell.options < FLOOR or len(verbs) < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
