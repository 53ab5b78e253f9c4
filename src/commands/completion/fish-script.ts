import {
  stepsOf,
  type Completable,
  type CompletableOption,
  type CompletableValue,
} from "./completable.ts"

/** A fish script that completes countersign's command lines, for a file in fish's completions. */
export function fishScript(all: readonly Completable[]): string {
  return `# Completes countersign's command lines in fish. Put it into ~/.config/fish/completions as countersign.fish.

function __countersign_at --description 'Whether the command line is at this command'
    set -l at ''
    set -l typed (commandline -opc)
    set -e typed[1]
    for word in $typed
        switch "$at $word"
            case ${stepsOf(all).map(quoted).join(" ")}
                set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv"
end

complete -c countersign -f
${all.flatMap(commandLines).join("\n")}
`
}

function commandLines({ words, commands, options, argument }: Completable): readonly string[] {
  const start = `complete -c countersign -n ${quoted(`__countersign_at ${words}`.trimEnd())}`
  const values = argument === undefined ? "" : offer(argument).replace(/^ -[rx]/, "")
  return [
    ...commands.map(
      ({ name, description }) => `${start} -a ${quoted(name)} -d ${quoted(description)}`,
    ),
    ...options.map((option) => `${start}${optionWords(option)}`),
    ...(values === "" ? [] : [`${start}${values}`]),
  ]
}

function optionWords({ flags, description, value }: CompletableOption): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  )
  return `${names.join("")}${value === undefined ? "" : offer(value)} -d ${quoted(description)}`
}

/** `-r`: needs a value, and files may be one; `-x`: needs one, and files aren't. */
function offer(value: CompletableValue): string {
  switch (value.kind) {
    case "choices":
      return ` -x -a ${quoted(value.choices.join(" "))}`
    case "file":
      return " -r -F"
    case "directory":
      return " -x -a '(__fish_complete_directories)'"
    case "unknown":
      return " -x"
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`
}
