# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of the tools' options in bash, from what `--help` of the tool, or of its verb, prints:
# nothing here names an option. The packages install it; else `source utils/completion/symshape.bash`.

# The options in a text of --help, with `=` behind those that take a value; those of
# passes are further to the right.
_symshape_options() {
  sed -nE 's/^ {2,4}(--[A-Za-z0-9-]+)(=?).*/\1\2/p' <<<"$1"
}

# The words that the option $2 takes, which stand below it.
_symshape_values() {
  awk -v option="$2" '
    /^ *--/ { split($1, parts, "="); ours = /^  ( |  )?-/ && parts[1] == option; next }
    ours && /^    =/ { print substr($1, 2); next }
    $1 !~ /^=/ { ours = 0 }' <<<"$1"
}

_symshape() {
  local tool=$1 line=${COMP_LINE:0:COMP_POINT} verb= help each
  local word=${line##*[[:space:]]} # what readline takes apart at `=` is one word
  COMPREPLY=()
  if [[ ${tool##*/} == symshape-onnx ]]; then
    for each in ${line%"$word"}; do
      [[ $each == "$tool" || $each == -* ]] || { verb=$each; break; }
    done
  fi
  help=$("$tool" $verb --help 2>/dev/null)
  if [[ $word == --*=* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_symshape_values "$help" "${word%%=*}")" -- "${word#*=}")
    ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "${word#*=}")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_symshape_options "$help")" -- "$word")
    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
  elif [[ ${tool##*/} == symshape-onnx && -z $verb ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(sed -nE 's/^  ([a-z]+) +- .*/\1/p' <<<"$help")" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -o filenames -o bashdefault -F _symshape symshape-opt symshape-run symshape-prove symshape-report \
  symshape-onnx symshape-ptx-run symshape-bundle-run symshape-lsp-server symshape-reduce
