import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { needsTerminal, onTerminal, shellLine } from "../support/terminal.ts"
import { ctrlC, ctrlD, enter, type Typed } from "../support/typist.ts"

const probe = fileURLToPath(new URL("../support/prompt-probe.ts", import.meta.url))
const chosen = "twelve chars"

describe("a question on the terminal", { timeout: 120_000, ...needsTerminal }, () => {
  let home: string
  let stdout: string
  before(() => {
    home = mkdtempSync(join(tmpdir(), "cs-prompts-"))
    stdout = join(home, "stdout")
  })
  after(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }))

  /** Standard output goes to a file, so the screen shows what goes to standard error, and nothing else. */
  async function asked(question: string, typed: readonly Typed[]) {
    const line = `${shellLine([process.execPath, probe, question])} > ${shellLine([stdout])}`
    const { code, screen } = await onTerminal(line, typed)
    return { code, screen, printed: JSON.parse(readFileSync(stdout, "utf8")) as unknown }
  }

  it("takes a secret without showing it, and writes on standard error alone", async () => {
    const { code, screen, printed } = await asked("secret", [
      { after: "The secret", keys: enter },
      { after: "Type it, or press Ctrl-C", keys: `s3crét word${enter}` },
    ])
    assert.deepEqual([code, printed], [0, { text: "s3crét word" }])
    for (const part of ["s3c", "word"]) assert.equal(screen.includes(part), false)
  })

  it("asks twice for a new secret, until it is long enough and typed alike", async () => {
    const { code, screen, printed } = await asked("new", [
      { after: "A new secret", keys: `eleven char${enter}` },
      { after: "It has 11 characters and needs 12 or more", keys: `eleven chars${enter}` },
      { after: "A new secret, once more", keys: `twelve chars${enter}` },
      { after: "This isn't the same", keys: `eleven chars${enter}` },
    ])
    assert.deepEqual([code, printed], [0, { text: "eleven chars" }])
    assert.equal(screen.includes("eleven char"), false)
  })

  it("counts characters, not bytes", async () => {
    const eleven = await asked("new", [
      { after: "A new secret", keys: `${"é".repeat(10)}🔑${enter}` },
      { after: "It has 11 characters", keys: ctrlC },
    ])
    assert.equal(eleven.code, 1)
    const text = `${"é".repeat(11)}🔑`
    const twelve = await asked("new", [
      { after: "A new secret", keys: `${text}${enter}` },
      { after: "once more", keys: `${text}${enter}` },
    ])
    assert.deepEqual([twelve.code, twelve.printed], [0, { text }])
  })

  for (const [question, first] of [
    ["secret", "The secret"],
    ["new", "A new secret"],
    ["deed", "Burn it?"],
    ["passphrase", "Passphrase of the keystore"],
    ["new-passphrase", "New passphrase of the keystore"],
  ] as const) {
    for (const [name, keys] of [
      ["Ctrl-C", ctrlC],
      ["Ctrl-C after some letters", `abc${ctrlC}`],
      ["Ctrl-D", ctrlD],
      ["Ctrl-D after some letters", `abc${ctrlD}`],
    ] as const) {
      it(`is left by ${name} with nothing done: ${question}`, async () => {
        const { code, printed } = await asked(question, [{ after: first, keys }])
        assert.deepEqual(printed, { code: "cancelled", message: "Nothing was done." })
        assert.equal(code, 1)
      })
    }
  }

  it("is left at its second part too", async () => {
    const { code, printed } = await asked("new", [
      { after: "A new secret", keys: `${chosen}${enter}` },
      { after: "once more", keys: ctrlC },
    ])
    assert.deepEqual([code, printed], [1, { code: "cancelled", message: "Nothing was done." }])
  })

  it("about a deed takes enter for no, and y for yes", async () => {
    const no = await asked("deed", [{ after: "Burn it?", keys: enter }])
    assert.deepEqual(
      [no.code, no.printed],
      [1, { code: "cancelled", message: "Nothing was done." }],
    )
    const yes = await asked("deed", [{ after: "Burn it?", keys: "y" }])
    assert.deepEqual([yes.code, yes.printed], [0, { text: null }])
  })

  it("takes a new passphrase twice, and one that there is once", async () => {
    const made = await asked("new-passphrase", [
      { after: "New passphrase of the keystore", keys: `${chosen}${enter}` },
      { after: "once more", keys: `${chosen}${enter}` },
    ])
    assert.deepEqual(made.printed, { text: chosen })
    const given = await asked("passphrase", [{ after: "Passphrase of", keys: `short${enter}` }])
    assert.deepEqual(given.printed, { text: "short" })
  })

  it("isn't asked where standard error is no terminal", async () => {
    const line = shellLine([process.execPath, probe, "secret"])
    const { code, screen } = await onTerminal(`${line} 2> ${shellLine([join(home, "stderr")])}`, [])
    assert.match(screen, /^\{"code":"usage","message":"There is no terminal to ask on; name a file/)
    assert.equal(code, 2)
  })
})

describe("a question without a terminal", () => {
  for (const [question, code, exit, message] of [
    ["secret", "usage", 2, "There is no terminal to ask on; name a file with --file."],
    ["new", "usage", 2, "There is no terminal to ask on; name a file with --file."],
    ["deed", "usage", 2, "There is no terminal to ask on; agree to it with --yes."],
    ["passphrase", "passphrase_missing", 1, undefined],
    ["new-passphrase", "passphrase_missing", 1, undefined],
  ] as const) {
    it(`isn't asked, and the error says what to do: ${question}`, () => {
      const input = `${chosen}\n${chosen}\n`
      const ended = spawnSync(process.execPath, [probe, question], { input, encoding: "utf8" })
      const printed = JSON.parse(ended.stdout) as { code: string; message: string }
      assert.deepEqual([printed.code, ended.status, ended.stderr], [code, exit, ""])
      if (message === undefined) assert.match(printed.message, /--passphrase-file/)
      else assert.equal(printed.message, message)
    })
  }
})
