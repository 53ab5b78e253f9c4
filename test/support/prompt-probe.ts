// Asks one question of commands/prompts.ts, prints what came of it as JSON, and ends with the code that the
// command line would end with: node prompt-probe.ts secret|new|deed|agreed|passphrase|new-passphrase

import { exitCodes } from "../../src/commands/exit-code.ts"
import { askNewPassphrase, askPassphrase } from "../../src/commands/passphrase.ts"
import { askNewSecret, askSecret, confirmDeed } from "../../src/commands/prompts.ts"
import { Fault } from "../../src/std/fault.ts"

const instead = "name a file with --file"
const questions: Readonly<Record<string, () => Promise<Uint8Array | undefined>>> = {
  secret: () => askSecret("The secret", instead),
  new: () => askNewSecret("A new secret", instead),
  deed: () => confirmDeed("Burn it?", {}).then(() => undefined),
  agreed: () => confirmDeed("Burn it?", { yes: true }).then(() => undefined),
  passphrase: askPassphrase,
  "new-passphrase": askNewPassphrase,
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
