#compdef headlight
# zsh completion for headlight: commands, and the options that --help names.
local -a options commands
options=(${(f)"$(headlight --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)"})
commands=(${(f)"$(headlight --help 2>/dev/null | sed -n 's/^  headlight \([a-z][a-z-]*\) .*/\1/p' | sort -u)"})
if [[ $PREFIX == -* ]]; then
  compadd -a options
else
  (( CURRENT == 2 )) && compadd -a commands
  _files
fi
