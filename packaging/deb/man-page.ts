import type { Command } from "commander"

import { countersign } from "../../src/commands/countersign.ts"

/** The page countersign(1), in man(7)'s language, made of what `--help` says of each command. */
export async function manPage(version: string): Promise<string> {
  const program = await countersign()
  program.name("countersign")
  const jobs = Map.groupBy(program.commands, (each) => each.helpGroup())
  return [
    `.TH COUNTERSIGN 1 "" "Countersign ${version}" ""`,
    ".SH NAME",
    text(`countersign - ${program.description()}`),
    ".SH SYNOPSIS",
    ".B countersign",
    text("COMMAND [OPTIONS]"),
    ...[...jobs].flatMap(([job, commands]) => [
      `.SH "${quoted(job.replace(/:$/, "").toUpperCase())}"`,
      ...commands.flatMap((each) => sectionsOf(each, ["countersign"])),
    ]),
    ".SH EXIT STATUS",
    ...exitStatuses.flatMap(([status, meaning]) => [".TP", `.B ${status}`, text(meaning)]),
    ".SH FILES",
    ".TP",
    ".I /usr/lib/countersign/docs",
    text("Setting it up, policies, operations, incidents."),
    "",
  ].join("\n")
}

/** As cli/exit-code.ts has them. */
const exitStatuses = [
  ["0", "It is done."],
  ["1", "It failed; the sentence on standard error says why, and what to do."],
  ["2", "The command line isn't one that it takes."],
  ["3", "It was refused."],
  ["4", "What it needs isn't there now: the daemon, the keys, the venue."],
] as const

function sectionsOf(command: Command, words: readonly string[]): readonly string[] {
  const path = [...words, command.name()]
  if (command.commands.length > 0) return command.commands.flatMap((each) => sectionsOf(each, path))
  const help = command.createHelp()
  const usage = [...path, ...command.registeredArguments.map((each) => `<${each.name()}>`)]
  const terms = [
    ...help
      .visibleArguments(command)
      .map((each) => [help.argumentTerm(each), help.argumentDescription(each)] as const),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== "--help")
      .map((each) => [help.optionTerm(each), help.optionDescription(each)] as const),
  ]
  return [
    `.SS "${quoted(usage.join(" "))}"`,
    text(command.description()),
    ...terms.flatMap(([term, description]) => [".TP", `.B "${quoted(term)}"`, text(description)]),
    ...besides(command),
  ]
}

/** Notes and examples, line by line as `--help` prints them below the options. */
function besides(command: Command): readonly string[] {
  let printed = ""
  command.configureOutput({ writeOut: (part) => (printed += part) }).outputHelp()
  const below = printed.slice(command.helpInformation().length).trim()
  return below === "" ? [] : [".PP", ".nf", ...below.split("\n").map(text), ".fi"]
}

/** A line of text: what man(7) would take for its own language stands for itself. */
function text(line: string): string {
  const escaped = line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/[^\x20-\x7e]/gu, (character) => `\\[u${hexOf(character)}]`)
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}

/** A character's number in Unicode, as groff has it. */
function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
}

/** Text between the quotes of a macro's argument. */
function quoted(words: string): string {
  return text(words).replaceAll('"', "\\(dq")
}
