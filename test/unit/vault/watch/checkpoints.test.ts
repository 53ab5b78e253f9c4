import assert from "node:assert/strict"
import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises"
import { afterEach, beforeEach, describe, it } from "node:test"

import { openCheckpoints } from "../../../../src/vault/watch/checkpoints.ts"
import { isSigned } from "../../../../src/vault/ledger/audit/checkpoint.ts"
import type { Ledger } from "../../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../../src/vault/ledger/open-ledger.ts"
import { verdictOf } from "../../../support/audit-ledger.ts"
import { fakeClock, type FakeClock } from "../../../support/fake-clock.ts"
import { ledgerPlace, reserved, type LedgerPlace } from "../../../support/ledger-ask.ts"
import { query } from "../../../support/read-ledger.ts"

const hourMs = 3_600_000

describe("checkpoints", () => {
  let place: LedgerPlace
  let keyFile: string
  let clock: FakeClock
  let ledger: Ledger
  beforeEach(async () => {
    place = await ledgerPlace()
    keyFile = `${place.file}.key`
    clock = fakeClock()
    ledger = await openLedger({ file: place.file, clock })
  })
  afterEach(async () => {
    await ledger.close()
    await place.remove()
  })

  const open = () => openCheckpoints({ keyFile, ledger, clock })
  const count = async () => {
    await ledger.audit.ends() // all is on the disk then
    return query(place.file, "SELECT seq FROM entries WHERE kind = 'checkpoint'").length
  }

  it("make a key of mode 0600 with the ledger, and are signed by it", async () => {
    const checkpoints = await open()
    assert.equal((await stat(keyFile)).mode & 0o777, 0o600)
    await reserved(ledger, clock.nowMs())
    assert.equal(await checkpoints.sign(), true)
    await ledger.close()
    const { position, flaw } = await verdictOf(place.file)
    assert.equal(flaw, undefined)
    assert.ok(position.checkpoint !== null && isSigned(position.checkpoint))
    for (const changed of [{ head_seq: 2 }, { at_ms: 1 }, { head_hash: "00".repeat(32) }]) {
      assert.equal(isSigned({ ...position.checkpoint, ...changed }), false)
    }
  })

  it("come an hour after a change, and not when nothing changed", async () => {
    const checkpoints = await open()
    clock.pass(2 * hourMs)
    await checkpoints.signIfDue()
    assert.equal(await count(), 0)
    await reserved(ledger, clock.nowMs())
    await checkpoints.signIfDue()
    assert.equal(await count(), 1)
    await reserved(ledger, clock.nowMs())
    clock.pass(hourMs - 1)
    await checkpoints.signIfDue()
    assert.equal(await count(), 1)
    clock.pass(1)
    await checkpoints.signIfDue()
    assert.equal(await count(), 2)
    clock.pass(hourMs)
    await checkpoints.signIfDue()
    assert.equal(await count(), 2, "a checkpoint is no change")
  })

  it("come at a clean stop if something was recorded since the start", async () => {
    await reserved(ledger, clock.nowMs())
    const checkpoints = await open()
    await checkpoints.signChanges()
    assert.equal(await count(), 0)
    await reserved(ledger, clock.nowMs())
    await checkpoints.signChanges()
    assert.equal(await count(), 1)
  })

  it("are only missed, with an alarm, while the key is gone, until it is put back", async () => {
    const first = await open()
    assert.deepEqual(first.alarms(), [])
    await reserved(ledger, clock.nowMs())
    await first.sign()
    const pem = await readFile(keyFile)
    await rm(keyFile)

    const second = await open()
    assert.match(
      second.alarms().join(),
      /aren't signed, for .*ledger\.db\.key is gone; put it back/,
    )
    await reserved(ledger, clock.nowMs())
    assert.equal(await second.sign(), false)
    await reserved(ledger, clock.nowMs())
    assert.equal(await count(), 1)
    await assert.rejects(stat(keyFile), "no other one is made")

    await writeFile(keyFile, pem, { mode: 0o600 })
    assert.equal(await second.sign(), true)
    assert.deepEqual(second.alarms(), [])
    assert.equal(await count(), 2)
  })

  for (const [what, spoil] of [
    ["open to others", (file: string) => chmod(file, 0o644)],
    ["no key", (file: string) => writeFile(file, "canary")],
    ["empty", (file: string) => writeFile(file, "")],
  ] as const) {
    it(`go on missing with an alarm when the key's file is ${what}`, async () => {
      await open()
      await spoil(keyFile)
      const checkpoints = await open()
      assert.equal(checkpoints.alarms().length, 1)
      assert.doesNotMatch(checkpoints.alarms().join(), /canary/)
      await reserved(ledger, clock.nowMs())
      assert.equal(await checkpoints.sign(), false)
    })
  }

  it("aren't signed by another ledger's key", async () => {
    const checkpoints = await open()
    await reserved(ledger, clock.nowMs())
    await checkpoints.sign()
    const other = await ledgerPlace()
    const otherLedger = await openLedger({ file: other.file, clock })
    await openCheckpoints({ keyFile: `${other.file}.key`, ledger: otherLedger, clock })
    await otherLedger.close()
    await writeFile(keyFile, await readFile(`${other.file}.key`), { mode: 0o600 })
    await other.remove()
    assert.match((await open()).alarms().join(), /isn't this ledger's key/)
    await ledger.close()
    assert.equal(query(place.file, "SELECT count(*) AS n FROM checkpoints")[0]?.["n"], 1)
  })
})
