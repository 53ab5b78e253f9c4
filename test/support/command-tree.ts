import type { Command } from "commander"

/** Every command that does something, under its words: `policy check`. */
export function leavesOf(
  command: Command,
  words: readonly string[] = [],
): ReadonlyMap<string, Command> {
  const leaves = new Map<string, Command>()
  for (const each of command.commands) {
    const path = [...words, each.name()]
    if (each.commands.length === 0) leaves.set(path.join(" "), each)
    for (const [name, leaf] of leavesOf(each, path)) leaves.set(name, leaf)
  }
  return leaves
}

/** What `--help` prints. */
export function helpOf(command: Command): string {
  let text = ""
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  return text
}

/** The lines under `Examples:` of a help text. */
export function examplesIn(help: string): readonly string[] {
  const [, below = ""] = help.split(/^Examples:\n/m)
  return (/^(?: {2}.*\n)*/.exec(below)?.[0] ?? "").split("\n").flatMap((line) => line.trim() || [])
}

/** The words that a shell makes of each `countersign …` in a line, without redirections. */
export function commandLinesOf(line: string): readonly (readonly string[])[] {
  return line
    .split(/&&|\|/)
    .map((part) => part.trim().split(/ [<>] /)[0] ?? "")
    .filter((part) => /(?:^|\(| )countersign /.test(part))
    .map((part) => part.replace(/^.*?\bcountersign /, "").replace(/\)$/, ""))
    .map((part) =>
      [...part.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
        ([, single, double, bare]) => single ?? double ?? bare ?? "",
      ),
    )
}
