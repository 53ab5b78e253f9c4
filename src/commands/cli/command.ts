import { Argument, Command as Reader, Option } from "commander"

import { Fault } from "../../std/fault.ts"
import { shellWord } from "../../std/visible.ts"
import type { ExitCode } from "./exit-code.ts"
import type { Terminal } from "./terminal.ts"

/** What every command says of itself. */
export type About = {
  /** In one line; the words that lead to it are in countersign.ts. */
  readonly description: string
  /** Shown by `--help` above the examples. */
  readonly notes?: string
  /** Lines to copy; a test holds that each would be understood. */
  readonly examples: readonly string[]
}

type CommandShape<Options> = About & {
  readonly options?: Takes<Options>
  /** @throws {Fault} whose sentence is printed, and whose code becomes the exit code. */
  readonly run: (options: Options, terminal: Terminal) => Promise<ExitCode>
}

/** What a command line asks for, once it is read. */
export type Task = {
  /** Whether `--json` is among its options. */
  readonly isForScripts: boolean
  /** The options that name its installation, as they were given; empty where none was. */
  readonly place: string
  readonly run: (terminal: Terminal) => Promise<ExitCode>
}

/** A command, whatever its options. */
export type Command = {
  /** Makes commander's reader of its words, under its name; `start` gets what they ask for. */
  reader(name: string, start: (task: Task) => Promise<void>): Reader
}

/** A command of the command line. */
export function command<Options extends object = object>(shape: CommandShape<Options>): Command {
  return {
    reader: (name, start) => {
      const takes = Object.entries<Taken<unknown>>(shape.options ?? {})
      const reader = new Reader(name).description(shape.description)
      for (const [, { declared }] of takes) {
        if (declared instanceof Argument) reader.addArgument(declared)
        else reader.addOption(declared)
      }
      reader.addHelpText("after", helpOf(shape))
      const valuesOf = (): Options => {
        const values = takes.map(([word, each]) => [word, each.valueOf(readBy(reader, each))])
        return Object.fromEntries(values) as Options // under each name what it declares
      }
      return reader.action(() =>
        start({
          isForScripts: reader.getOptionValue("json") === true,
          place: placeOf(reader),
          run: async (terminal) => shape.run(valuesOf(), terminal),
        }),
      )
    },
  }
}

/** What commander has read of one word. */
function readBy(reader: Reader, { declared }: Taken<unknown>): unknown {
  if (!(declared instanceof Argument)) return reader.getOptionValue(declared.attributeName())
  return reader.processedArgs[reader.registeredArguments.indexOf(declared)]
}

const placeOptions: readonly (string | undefined)[] = ["--dir", "--config-dir", "--state-dir"]

function placeOf(reader: Reader): string {
  return reader.options
    .filter(({ long }) => placeOptions.includes(long))
    .flatMap((each) => {
      const value: unknown = reader.getOptionValue(each.attributeName())
      return typeof value === "string" ? `${each.long ?? ""} ${shellWord(value)}` : []
    })
    .join(" ")
}

function helpOf({ notes, examples }: About): string {
  const lines = examples.map((line) => `  ${line}`)
  return [...(notes === undefined ? [] : [notes]), "", "Examples:", ...lines].join("\n")
}

/** A word that a command takes: how commander reads it, and the value that the command has of it. */
type Taken<Value, Declared = Option | Argument> = {
  readonly declared: Declared
  /** Of what commander has read; `undefined` where the word wasn't given. */
  readonly valueOf: (read: unknown) => Value
}

/** For each of a command's options and arguments, under the name that the command has for it. */
export type Takes<Options> = { readonly [Name in keyof Options]: Taken<Options[Name]> }

/** What a command has of the words that it takes. */
export type Given<Words> = {
  readonly [Name in keyof Words]: Words[Name] extends Taken<infer Value> ? Value : never
}

type OptionalTaken<Value> = Taken<Value | undefined, Option>

/** `<name>`: a text that has to be given. */
export function argument(flags: string, description: string): Taken<string> {
  return taken(new Argument(flags, description))
}

/** `[name]`: a text. */
export function optionalArgument(flags: string, description: string): Taken<string | undefined> {
  return taken(new Argument(flags, description))
}

/** `[names...]`: any number of texts. */
export function words(flags: string, description: string): Taken<readonly string[]> {
  return taken(new Argument(flags, description))
}

/** `--yes`. One that says no, like `--no-cancels`, is true unless it is given. */
export function flag(flags: string, description: string): Taken<boolean> {
  return { declared: new Option(flags, description), valueOf: (read) => read === true }
}

/** `--to <file>`: a text. */
export function option(flags: string, description: string): OptionalTaken<string> {
  return taken(new Option(flags, description))
}

/** `--role <role>`: one of a few words. */
export function choice<const Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
): OptionalTaken<Word> {
  return taken(new Option(flags, description).choices(words))
}

/** `--account <address>`, once for each. `parse` throws commander's `InvalidArgumentError`. */
export function repeated<Value>(
  flags: string,
  description: string,
  parse: (text: string) => Value,
): Taken<readonly Value[]> {
  const collect = (text: string, earlier: readonly Value[] = []) => [...earlier, parse(text)]
  const { declared, valueOf } = taken<readonly Value[] | undefined>(
    new Option(flags, description).argParser(collect),
  )
  return { declared, valueOf: (read) => valueOf(read) ?? [] }
}

/** An option that has to be given. */
export function required<Value>({ declared }: OptionalTaken<Value>): Taken<Value, Option> {
  return taken(declared.makeOptionMandatory())
}

/** An option with the value that it has where it isn't given. */
export function withDefault<Value>(
  { declared }: OptionalTaken<Value>,
  value: NoInfer<Value>,
): Taken<Value, Option> {
  return taken(declared.default(value))
}

/**
 * An option as what `read` makes of its text, where it is given. What it makes nothing of is refused before the command
 * has begun, with `what` the option takes.
 */
export function parsed<Text extends string | undefined, Value>(
  { declared, valueOf }: Taken<Text, Option>,
  read: (text: string) => Value | undefined,
  what: string,
): Taken<Value | Exclude<Text, string>> {
  return {
    declared,
    valueOf: (given) => {
      const text = valueOf(given)
      if (text === undefined) return text as Exclude<Text, string>
      const value = read(text)
      if (value !== undefined) return value
      throw new Fault("usage", `${declared.long ?? declared.flags} takes ${what}.`)
    },
  }
}

/** A word as commander reads it. commander has no types for that: `Value` is what its declaration says. */
export function taken<Value, Declared extends Option | Argument = Option>(
  declared: Declared,
): Taken<Value, Declared> {
  return { declared, valueOf: (read) => read as Value }
}

/** The words of two declarations; an option that both have is the other's, in the place of the first. */
export function joined<One, Other>(
  one: Takes<One> | undefined,
  other: Takes<Other>,
): Takes<One & Other> {
  return { ...one, ...other } as Takes<One & Other> // a spread's type doesn't follow through the mapped one
}
