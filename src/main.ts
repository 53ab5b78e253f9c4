import { openTerminal } from "./commands/cli/terminal.ts"
import { runCommand } from "./commands/run-command.ts"

// Files and sockets that this program makes are the owner's alone.
process.umask(0o077)

process.exitCode = await runCommand(process.argv.slice(2), openTerminal(process))
