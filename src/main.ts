import { CommanderError } from "commander"

import { countersign } from "./commands/countersign.ts"
import { printFailure } from "./commands/print.ts"
import { usageFault } from "./commands/usage-error.ts"

// Files and sockets that this program makes are the owner's alone.
process.umask(0o077)

try {
  const program = await countersign(process.argv.slice(2))
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2 // commander has said on stderr what is wrong
  const isForScripts = error.exitCode !== 0 && process.argv.includes("--json")
  if (isForScripts) printFailure(usageFault(error), { json: true })
}
