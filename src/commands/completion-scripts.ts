/** What may follow an option or stand as an argument. */
export type CompletableValue =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "file" }
  | { readonly kind: "directory" }
  | { readonly kind: "unknown" }

export type CompletableOption = {
  /** `--role`, and `-V` where there is a short one. */
  readonly flags: readonly string[]
  readonly description: string
  /** `undefined` when it takes none. */
  readonly value: CompletableValue | undefined
}

/** A command as the completion of every shell needs it. */
export type Completable = {
  /** The words that lead to it after the program's name; empty for the program itself. */
  readonly words: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly CompletableOption[]
  /** Of its first argument; `undefined` when it takes none. */
  readonly argument: CompletableValue | undefined
}

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
${all.map(bashCase).join("\n")}
  esac
  if [[ -z $words$files || $current == -* ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files ]]; then compopt -o "$files" 2>/dev/null; fi
}

complete -F _countersign countersign
`
}

function bashCase({ words, commands, options, argument }: Completable): string {
  const names = commands.map(({ name }) => name).join(" ")
  const rest = names === "" ? bashOffer(argument) : `words=${quoted(names)}`
  const flags = options.flatMap((option) => option.flags).join(" ")
  return nestedCase(`${quoted(words)})`, [
    ...valued(options).map(({ flags, value }) => `${flags.join(" | ")}) ${bashOffer(value)}`),
    `*) flags=${quoted(flags)} ${rest}`,
  ])
}

/** What follows the words of a command, by the word before it: bash and zsh write it alike. */
function nestedCase(head: string, cases: readonly string[]): string {
  const lines = cases.map((line) => `        ${line.trimEnd()} ;;`)
  return [`    ${head}`, `      case "$previous" in`, ...lines, "      esac ;;"].join("\n")
}

/** Those that take a value. */
function valued(options: readonly CompletableOption[]) {
  return options.flatMap(({ flags, value }) => (value === undefined ? [] : [{ flags, value }]))
}

function bashOffer(value: CompletableValue | undefined): string {
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
${all.map(zshCase).join("\n")}
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

function zshCase({ words, commands, options, argument }: Completable): string {
  const names = commands.map(({ name, description }) => described(name, description))
  const rest = [
    `flags_offered=(${options.flatMap(flagsOf).join(" ")})`,
    names.length > 0 ? `offered=(${names.join(" ")})` : zshOffer(argument),
  ]
  return nestedCase(`(${quoted(words)})`, [
    ...valued(options).map(({ flags, value }) => `(${flags.join("|")}) ${zshOffer(value)}`),
    `(*) ${rest.filter((part) => part !== "").join("; ")}`,
  ])
}

function flagsOf({ flags, description }: CompletableOption): readonly string[] {
  return flags.map((flag) => described(flag, description))
}

/** `_describe` takes `name:description`, with a backslash before a colon of the name. */
function described(name: string, description: string): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${description}`)
}

function zshOffer(value: CompletableValue | undefined): string {
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

/** A fish script that completes countersign's command lines, for a file in fish's completions. */
export function fishScript(all: readonly Completable[]): string {
  return `# Completes countersign's command lines in fish. Put it into ~/.config/fish/completions as countersign.fish.

function __countersign_at --description 'Whether the command line is at this command'
    set -l at ''
    set -l typed (commandline -opc)
    set -e typed[1]
    for word in $typed
        switch "$at $word"
            case ${stepsOf(all).map(fishQuoted).join(" ")}
                set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv"
end

complete -c countersign -f
${all.flatMap(fishLines).join("\n")}
`
}

function fishLines({ words, commands, options, argument }: Completable): readonly string[] {
  const start = `complete -c countersign -n ${fishQuoted(`__countersign_at ${words}`.trimEnd())}`
  const values = argument === undefined ? "" : fishOffer(argument).replace(/^ -[rx]/, "")
  return [
    ...commands.map(
      ({ name, description }) => `${start} -a ${fishQuoted(name)} -d ${fishQuoted(description)}`,
    ),
    ...options.map((option) => `${start}${optionWords(option)}`),
    ...(values === "" ? [] : [`${start}${values}`]),
  ]
}

function optionWords({ flags, description, value }: CompletableOption): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  )
  return `${names.join("")}${value === undefined ? "" : fishOffer(value)} -d ${fishQuoted(description)}`
}

/** `-r`: needs a value, and files may be one; `-x`: needs one, and files aren't. */
function fishOffer(value: CompletableValue): string {
  switch (value.kind) {
    case "choices":
      return ` -x -a ${fishQuoted(value.choices.join(" "))}`
    case "file":
      return " -r -F"
    case "directory":
      return " -x -a '(__fish_complete_directories)'"
    case "unknown":
      return " -x"
  }
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`
}

/** Every way to go down one level, as `words name`; at the top the words are empty. */
export function stepsOf(all: readonly Completable[]): readonly string[] {
  const known = new Set(all.map(({ words }) => words))
  return all.flatMap(({ words, commands }) =>
    commands.map(({ name }) => `${words} ${name}`).filter((step) => known.has(step.trimStart())),
  )
}
