import { runCommand } from "./commands/run-command.ts"
import { openTerminal } from "./commands/terminal.ts"

// Files and sockets that this program makes are the owner's alone.
process.umask(0o077)

process.exitCode = await runCommand(process.argv.slice(2), openTerminal(process))
