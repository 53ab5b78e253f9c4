import { stepsOf, type Completable, type CompletableValue } from "./completable.ts"

/** A bash script that completes countersign's command lines. */
export function bashScript(all: readonly Completable[]): string {
  return `# Completes countersign's command lines in bash. To load it: source <(countersign completion bash)

_countersign() {
  local IFS=$' \\t\\n' current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local at='' words='' flags='' files='' index
  # bash takes --option=value for three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$at \${COMP_WORDS[index]}" in
      ${stepsOf(all).map(quoted).join(" | ")})
        at="\${at:+$at }\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$at" in
${all.map(commandCase).join("\n")}
  esac
  if [[ -z $words$files || $current == -* ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files ]]; then compopt -o "$files" 2>/dev/null; fi
}

complete -F _countersign countersign
`
}

function commandCase({ words, commands, options, argument }: Completable): string {
  const values = options.flatMap(({ flags, value }) =>
    value === undefined ? [] : [`${flags.join(" | ")}) ${offer(value)}`],
  )
  const flags = options.flatMap((option) => option.flags).join(" ")
  const rest =
    commands.length > 0
      ? `words=${quoted(commands.map(({ name }) => name).join(" "))}`
      : offer(argument)
  return [
    `    ${quoted(words)})`,
    `      case "$previous" in`,
    ...[...values, `*) flags=${quoted(flags)} ${rest}`].map(
      (line) => `        ${line.trimEnd()} ;;`,
    ),
    "      esac ;;",
  ].join("\n")
}

function offer(value: CompletableValue | undefined): string {
  switch (value?.kind) {
    case "choices":
      return `words=${quoted(value.choices.join(" "))}`
    case "file":
      return "files=default"
    case "directory":
      return "files=dirnames"
    case "unknown":
    case undefined:
      return ""
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
