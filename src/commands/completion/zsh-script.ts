import {
  stepsOf,
  type Completable,
  type CompletableOption,
  type CompletableValue,
} from "./completable.ts"

/** A zsh script that completes countersign's command lines, for a file `_countersign` in `$fpath`. */
export function zshScript(all: readonly Completable[]): string {
  return `#compdef countersign
# Completes countersign's command lines in zsh. Put it into a directory of $fpath as _countersign.

_countersign() {
  local at='' previous=\${words[CURRENT-1]} index
  local -a offered flags_offered
  if [[ $PREFIX == --*=* ]]; then
    previous=\${PREFIX%%=*}
    compset -P '*='
  fi
  for ((index = 2; index < CURRENT; index++)); do
    case "$at \${words[index]}" in
      (${stepsOf(all).map(quoted).join("|")})
        at="\${at:+$at }\${words[index]}" ;;
    esac
  done
  case "$at" in
${all.map(commandCase).join("\n")}
  esac
  (( $#offered )) && _describe command offered
  if [[ $PREFIX == -* ]] || (( ! $#offered )); then
    (( $#flags_offered )) && _describe -o option flags_offered
  fi
}

if [[ $funcstack[1] == _countersign ]]; then
  _countersign "$@"
else
  compdef _countersign countersign
fi
`
}

function commandCase({ words, commands, options, argument }: Completable): string {
  const values = options.flatMap(({ flags, value }) =>
    value === undefined ? [] : [`(${flags.join("|")}) ${offer(value)}`],
  )
  const names = commands.map(({ name, description }) => described(name, description))
  const rest = [
    `flags_offered=(${options.flatMap(flagsOf).join(" ")})`,
    names.length > 0 ? `offered=(${names.join(" ")})` : offer(argument),
  ]
  const other = `(*) ${rest.filter((part) => part !== "").join("; ")}`
  return [
    `    (${quoted(words)})`,
    `      case "$previous" in`,
    ...[...values, other].map((line) => `        ${line.trimEnd()} ;;`),
    "      esac ;;",
  ].join("\n")
}

function flagsOf({ flags, description }: CompletableOption): readonly string[] {
  return flags.map((flag) => described(flag, description))
}

/** `_describe` takes `name:description`, with a backslash before a colon of the name. */
function described(name: string, description: string): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${description}`)
}

function offer(value: CompletableValue | undefined): string {
  switch (value?.kind) {
    case "choices":
      return `compadd -- ${value.choices.map(quoted).join(" ")}`
    case "file":
      return "_files"
    case "directory":
      return "_files -/"
    case "unknown":
    case undefined:
      return ""
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
