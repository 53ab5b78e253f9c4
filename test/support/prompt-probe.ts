// Asks one question of a terminal of this process's streams, prints what came of it as JSON, and ends with the
// code that the command line would end with: node prompt-probe.ts secret|new|deed|passphrase|new-passphrase

import { confirmDeed, openTerminal } from "../../src/commands/cli/terminal.ts"
import { exitCodes } from "../../src/commands/cli/exit-code.ts"
import { askNewPassphrase, askPassphrase } from "../../src/commands/cli/secret-option.ts"
import { Fault } from "../../src/std/fault.ts"

const instead = "name a file with --file"
const terminal = openTerminal(process)
const { prompts } = terminal
const questions: Readonly<Record<string, () => Promise<Uint8Array | undefined>>> = {
  secret: () => prompts.secret("The secret", instead),
  new: () => prompts.newSecret("A new secret", instead),
  deed: () => confirmDeed(terminal, "Burn it?").then(() => undefined),
  passphrase: () => askPassphrase(terminal),
  "new-passphrase": () => askNewPassphrase(terminal),
}

try {
  const answer = await questions[process.argv[2] ?? ""]?.()
  const text = answer === undefined ? null : new TextDecoder().decode(answer)
  process.stdout.write(JSON.stringify({ text }))
} catch (error) {
  if (!(error instanceof Fault)) throw error
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }))
  process.exitCode = exitCodes[error.code]
}
