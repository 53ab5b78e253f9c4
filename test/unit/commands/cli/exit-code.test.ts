import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { CommanderError } from "commander"

import { usageFault } from "../../../../src/commands/cli/exit-code.ts"
import { countersign } from "../../../../src/commands/countersign.ts"

const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"

/** What a wrong command line is told, on stderr and as JSON. */
async function complaint(
  words: readonly string[],
): Promise<{ readonly text: string; readonly message: string }> {
  const program = await countersign(words)
  let text = ""
  const listen = (made: typeof program): void => {
    made.configureOutput({ writeErr: (part) => (text += part) })
    for (const each of made.commands) listen(each)
  }
  listen(program)
  try {
    program.parse(words, { from: "user" })
  } catch (error) {
    assert.ok(error instanceof CommanderError)
    return { text, message: usageFault(error).message }
  }
  return assert.fail("it was understood")
}

describe("what a wrong command line is told", () => {
  const slips: readonly (readonly [readonly string[], RegExp])[] = [
    [["srve"], /unknown command 'srve'.*\(Did you mean serve\?\)/s],
    [["polcy"], /unknown command 'polcy'.*\(Did you mean policy\?\)/s],
    [["policy", "chek"], /unknown command 'chek'.*\(Did you mean check\?\)/s],
    [["status", "--jsn"], /unknown option '--jsn'.*\(Did you mean --json\?\)/s],
    [["status", "--dri=/x"], /unknown option '--dri=…'/],
    [["init", "--backend", "keystor"], /argument '…' is invalid\. Allowed choices are .*keystore/],
  ]
  for (const [words, says] of slips) {
    it(`helps on after: countersign ${words.join(" ")}`, async () => {
      const { text, message } = await complaint(words)
      assert.match(text, says)
      assert.match(message, says)
    })
  }

  const leaks: readonly (readonly string[])[] = [
    [secret],
    [`0x${secret}`],
    [`it's\n${secret}`],
    ["keys", secret],
    ["keys", "import", "--name", "a", "--role", "wallet", secret],
    ["keys", "import", "--name", "a", "--role", secret],
    ["keys", "import", `--${secret}`],
    ["keys", "import", `-${secret}`],
    ["keys", "import", `--private-key=${secret}`],
    ["keys", "import", `--private-key=a'\n${secret}`],
    ["sandbox", "--account", secret],
    ["init", "--backend", `'\n${secret}`],
    ["clients", "add", "bot", "--keys", "mm", "--right", secret],
  ]
  for (const words of leaks) {
    const shown = words.map((word) => word.replaceAll(secret, "SECRET"))
    it(`doesn't repeat the secret of: countersign ${JSON.stringify(shown.join(" "))}`, async () => {
      const { text, message } = await complaint(words)
      assert.notEqual(text, "")
      assert.equal(text.includes(secret), false)
      assert.equal(message.includes(secret), false)
    })
  }
})
