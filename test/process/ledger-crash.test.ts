import assert from "node:assert/strict"
import { once } from "node:events"
import { after, before, describe, it } from "node:test"

import { systemClock } from "../../src/vault/process/clock.ts"
import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import { ledgerPlace, reserved, type LedgerPlace } from "../support/ledger-ask.ts"
import {
  describeKilledLedger,
  linesOf,
  noncesOf,
  recordedNonces,
  startLedgerChild,
} from "../support/ledger-crash.ts"
import { numRuns } from "../support/runs.ts"

// A short round of test/system/ledger-crash.test.ts.
describeKilledLedger(numRuns(2).numRuns)

describe("a ledger that is open in another process", () => {
  let place: LedgerPlace
  before(async () => {
    place = await ledgerPlace()
  })
  after(() => place.remove())

  for (const file of ["new", "existing"]) {
    it(`can't be opened a second time (${file} file)`, async () => {
      const child = startLedgerChild(place.file, "hold")
      const [first] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string]
      assert.equal(first, "open\n")
      await assert.rejects(openLedger({ file: place.file, clock: systemClock }), {
        name: "Fault",
        code: "already_running",
        message: /stop it first/,
      })
      child.stdin.end()
      await once(child, "exit")

      const ledger = await openLedger({ file: place.file, clock: systemClock })
      await ledger.close()
    })
  }
})

describe("a ledger whose disk refuses a write", () => {
  let place: LedgerPlace
  before(async () => {
    place = await ledgerPlace()
  })
  after(() => place.remove())

  it("rejects from then on, and has recorded every nonce that it told", async () => {
    const lines = await linesOf(startLedgerChild(place.file, "reserve", 1_200))
    const told = noncesOf(lines)
    assert.ok(told.length > 0)
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("nonce ")),
      [
        "open",
        ...Array.from({ length: 4 }, () => "broken ledger_unavailable"),
        "again ledger_unavailable",
        "note ledger_unavailable",
        "closed",
      ],
    )

    const ledger = await openLedger({ file: place.file, clock: systemClock })
    const next = await reserved(ledger, systemClock.nowMs())
    await ledger.close()
    const recorded = recordedNonces(place.file)
    assert.deepEqual(
      told.filter((nonce) => !recorded.includes(nonce)),
      [],
    )
    assert.ok(told.every((nonce) => nonce < next.nonce))
  })
})
