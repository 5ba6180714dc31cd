const BASH = `# aish completion for bash
_aish() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}") line
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    [[ $line == "\${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$line")
  done < <(command aish __complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _aish aish
`;

const ZSH = `#compdef aish
_aish() {
  local -a items
  local word about
  while IFS=$'\\t' read -r word about; do
    items+=("\${word//:/\\\\:}:$about")
  done < <(command aish __complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)
  if (( \${#items} )); then _describe 'aish' items; else _files; fi
}
compdef _aish aish
`;

const FISH = `# aish completion for fish
function __aish_complete
    set -l words (commandline -opc)
    command aish __complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c aish -f -a '(__aish_complete)'
complete -c aish -n 'test (count (__aish_complete)) -eq 0' -F
`;

/** The scripts that shells source. They call \`aish __complete\`, so they know every command of the installed version. */
export const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
