import { CommanderError, type Command as Reader } from "commander"

import type { Task } from "./cli/command.ts"
import { completeCommands } from "./cli/complete-commands.ts"
import type { ExitCode } from "./cli/exit-code.ts"
import { printFailure } from "./cli/print.ts"
import { completing, type Terminal } from "./cli/terminal.ts"
import { usageFault } from "./cli/usage-error.ts"
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
