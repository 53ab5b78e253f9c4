import { Argument, Command as Reader } from "commander"

import type { ExitCode } from "./exit-code.ts"
import type { Taken, Takes } from "./options.ts"
import { shellWord } from "../../std/visible.ts"
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
