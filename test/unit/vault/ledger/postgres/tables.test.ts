import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Session } from "../../../../../src/vault/ledger/postgres/session.ts"
import { readLedger } from "../../../../../src/vault/ledger/postgres/tables.ts"

const name = "ab".repeat(16)

/** A session with a server that says this of its ledger. */
function saying(ledger: string, seq = "7"): Session {
  const rows = [[[ledger, seq, "cd".repeat(32), "", "1780000000000"]], [[""]]]
  return {
    ended: new Promise(() => undefined),
    run: () => Promise.resolve(rows),
    end: () => undefined,
  }
}

describe("the ledger that a server tells of", () => {
  it("has a name of 32 hex digits, which may stand in a command", async () => {
    assert.equal((await readLedger(saying(name), { hasAppend: true }))?.name, name)
    for (const other of ["", `${name}\n`, `${name} $(reboot)`, name.toUpperCase(), name.slice(1)])
      await assert.rejects(readLedger(saying(other), { hasAppend: true }), {
        code: "ledger_unusable",
        message: "PostgreSQL tells a ledger's name that isn't one; nothing is signed.",
      })
  })

  it("ends with an entry that is a number", async () => {
    for (const seq of ["-1", "1e3", "1; run: reboot", "9".repeat(16)])
      await assert.rejects(
        readLedger(saying(name, seq), { hasAppend: true }),
        /tells a number that isn't one/,
      )
  })
})
