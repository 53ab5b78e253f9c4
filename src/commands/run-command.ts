import { CommanderError } from "commander"

import type { Task } from "./command.ts"
import { countersign } from "./countersign.ts"
import type { ExitCode } from "./exit-code.ts"
import { printFailure } from "./print.ts"
import { usageFault } from "./usage-error.ts"

/** Reads a command line and does what it asks for. Resolves with the exit code that this earns. */
export async function runCommand(words: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = 0
  const program = await countersign(words, async (task) => {
    code = await runTask(task)
  })
  try {
    await program.parseAsync(words, { from: "user" })
    return code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 0 // --help, --version
    // commander has said on stderr what is wrong.
    if (words.includes("--json")) printFailure(usageFault(error), { json: true })
    return 2
  }
}

/** A failure is printed in the form asked for. */
async function runTask({ run, isForScripts }: Task): Promise<ExitCode> {
  try {
    return await run()
  } catch (error) {
    return printFailure(error, { json: isForScripts })
  }
}
