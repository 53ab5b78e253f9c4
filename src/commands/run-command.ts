import { CommanderError, type Command as Reader } from "commander"

import type { Task } from "./cli/command.ts"
import { usageFault, type ExitCode } from "./cli/exit-code.ts"
import { printFailure } from "./cli/print.ts"
import { completing, type Terminal } from "./cli/terminal.ts"
import { countersign, namesWithPlace as names } from "./countersign.ts"

/** Reads a command line and does what it asks for. Resolves with the exit code that this earns. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = 0
  const program = await countersign(words, async (task) => {
    code = await runTask(task, terminal)
  })
  printTo(program, terminal)
  try {
    await program.parseAsync(words, { from: "user" })
    return code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 0 // --help, --version
    // commander has said on stderr what is wrong.
    if (words.includes("--json")) {
      printFailure(usageFault(error), { terminal, json: true })
    }
    return 2
  }
}

/** A failure is printed in the form asked for. */
async function runTask({ run, isForScripts, place }: Task, usual: Terminal): Promise<ExitCode> {
  const complete = (text: string) => completeCommands(text, { names, options: place })
  const terminal = completing(usual, complete)
  try {
    return await run(terminal)
  } catch (error) {
    return printFailure(error, { terminal, json: isForScripts })
  }
}

/** What help is as wide as where no terminal says. */
const usualColumns = 80

/** Has commander print help and complaints there, and not on the process's own streams. */
function printTo(made: Reader, { stdout, stderr }: Pick<Terminal, "stdout" | "stderr">): void {
  made.configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    getOutHelpWidth: () => stdout.columns ?? usualColumns,
    getErrHelpWidth: () => stderr.columns ?? usualColumns,
  })
  for (const each of made.commands) printTo(each, { stdout, stderr })
}

/** Where a command line is at work, for the commands that its texts name. */
type Place = {
  /** The words of the commands that take these options. */
  readonly names: ReadonlySet<string>
  /** The options that name the installation, as they were given; empty where none was. */
  readonly options: string
}

/** A text with `options` in each command that it names, so that a reader can type it as it stands. */
export function completeCommands(text: string, { names, options }: Place): string {
  if (options === "") return text
  return text.replaceAll(named, (command, ...words: readonly string[]) => {
    const [first = "", second = "", rest = ""] = words
    if (hasPlace.test(rest)) return command
    if (names.has(`${first}${second}`)) return `countersign ${first}${second} ${options}${rest}`
    return names.has(first) ? `countersign ${first} ${options}${second}${rest}` : command
  })
}

/** A command's one or two words, or the option that makes another of it, and what stands between it and the next. */
const named = /\bcountersign ([a-z][a-z-]*)( [a-z][a-z-]*| --paper|)((?:(?!\bcountersign )[^\n])*)/g

const hasPlace = / --(?:dir|config-dir|state-dir)\b/
