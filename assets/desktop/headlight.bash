# bash completion for headlight: commands, and the options that --help names.
_headlight() {
  local word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(headlight --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)" -- "$word")
    return
  fi
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$(headlight --help 2>/dev/null | sed -n 's/^  headlight \([a-z][a-z-]*\) .*/\1/p' | sort -u)" -- "$word")
  elif [[ ${COMP_WORDS[1]} == list ]]; then
    mapfile -t COMPREPLY < <(compgen -W "stages masks lessons models layers colormaps languages" -- "$word")
  fi
}
complete -o default -o bashdefault -F _headlight headlight
