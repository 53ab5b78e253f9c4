import { openTerminal } from "./commands/cli/terminal.ts"
import { runCommand } from "./commands/run-command.ts"

// Files and sockets that this program makes are the owner's alone.
process.umask(0o077)

const terminal = openTerminal(process)
process.on("exit", () => {
  if (terminal.lost()) process.exitCode = 1
})
process.exitCode = await runCommand(process.argv.slice(2), terminal)
