import { CommanderError } from "commander"

import { countersign } from "./commands/countersign.ts"

// Files and sockets that this program makes are the owner's alone.
process.umask(0o077)

try {
  await countersign().parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2 // commander has printed what is wrong
}
