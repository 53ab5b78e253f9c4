import { Option, type Argument, type Command } from "commander"

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

/** The program and every command below it, in the order of `--help`. */
export function completables(program: Command): readonly Completable[] {
  return below(program, "")
}

/** Every way to go down one level, as `words name`; at the top the words are empty. */
export function stepsOf(all: readonly Completable[]): readonly string[] {
  const known = new Set(all.map(({ words }) => words))
  return all.flatMap(({ words, commands }) =>
    commands.map(({ name }) => `${words} ${name}`).filter((step) => known.has(step.trimStart())),
  )
}

function below(command: Command, words: string): readonly Completable[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const own: Completable = {
    words,
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: help.visibleOptions(command).map(optionOf),
    argument: command.registeredArguments.map(valueOf)[0],
  }
  const others = commands.filter((each) => each.name() !== "help")
  return [own, ...others.flatMap((each) => below(each, `${words} ${each.name()}`.trimStart()))]
}

function optionOf(option: Option): CompletableOption {
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    value: option.required || option.optional ? valueOf(option) : undefined,
  }
}

/** What the placeholder of an option, `<file>`, or the name of an argument says of its values. */
const kinds: ReadonlyMap<string, CompletableValue> = new Map([
  ["file", { kind: "file" }],
  ["payload", { kind: "file" }],
  ["dir", { kind: "directory" }],
])

function valueOf(from: Option | Argument): CompletableValue {
  if (from.argChoices !== undefined) return { kind: "choices", choices: from.argChoices }
  const name = from instanceof Option ? /[<[]([^>\].]+)/.exec(from.flags)?.[1] : from.name()
  return kinds.get(name ?? "") ?? { kind: "unknown" }
}
