import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import type { Outcome } from "../../../../src/link/calls/both-ways.ts"
import type { Ledger } from "../../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../../src/vault/ledger/open-ledger.ts"
import type { RecordState } from "../../../../src/vault/ledger/records/record-state.ts"
import { fakeClock, ledgerTime } from "../../../support/fake-clock.ts"
import {
  recordOf,
  ledgerPlace,
  refusalEntry,
  reserved,
  type LedgerPlace,
} from "../../../support/ledger-ask.ts"
import { readLedger } from "../../../support/read-ledger.ts"

const outcomes = {
  sent: { kind: "sent" },
  unsent: { kind: "unsent" },
  accepted: { kind: "accepted", status: 200, code: "0" },
  refused: { kind: "refused", status: 400, code: "10001" },
  unknown: { kind: "unknown", status: 502 },
} as const satisfies Record<string, Outcome>

type Heard = keyof typeof outcomes
type Case = {
  readonly heard: readonly Heard[]
  readonly state: RecordState
  /** Past `expires_after`, where it differs. */
  readonly expired?: RecordState
  readonly code?: string
}

const cases: readonly Case[] = [
  { heard: [], state: "signed", expired: "expired_unresolved" },
  { heard: ["unsent"], state: "signed" },
  { heard: ["sent"], state: "sent", expired: "expired_unresolved" },
  { heard: ["sent", "unsent"], state: "sent", expired: "expired_unresolved" },
  { heard: ["unsent", "sent"], state: "sent", expired: "expired_unresolved" },
  { heard: ["unknown"], state: "unknown" },
  { heard: ["sent", "unknown"], state: "unknown" },
  { heard: ["unknown", "sent"], state: "unknown" },
  { heard: ["accepted"], state: "accepted", code: "0" },
  { heard: ["refused"], state: "refused", code: "10001" },
  { heard: ["sent", "accepted"], state: "accepted", code: "0" },
  { heard: ["accepted", "sent"], state: "accepted", code: "0" },
  { heard: ["sent", "refused"], state: "refused", code: "10001" },
  { heard: ["unknown", "accepted"], state: "accepted", code: "0" },
  { heard: ["unknown", "refused"], state: "unknown" },
  { heard: ["accepted", "refused"], state: "accepted", code: "0" },
  { heard: ["accepted", "unknown"], state: "accepted", code: "0" },
  { heard: ["refused", "accepted"], state: "refused", code: "10001" },
]

describe("the state of a record", () => {
  let place: LedgerPlace
  let ledger: Ledger
  const clock = fakeClock()
  before(async () => {
    place = await ledgerPlace()
    ledger = await openLedger({ file: place.file, clock })
  })
  after(async () => {
    await ledger.close()
    await place.remove()
  })

  for (const { heard, state, expired = state, code } of cases) {
    const words = heard.length === 0 ? "nothing" : heard.join(", then ")
    it(`is ${state} after ${words}, and ${expired} once it has expired`, async () => {
      const { record, expiresAfterMs } = await reserved(ledger, clock.nowMs())
      const lengthBefore = await ledger.count()
      for (const kind of heard)
        await ledger.settle(record, outcomes[kind], ledgerTime(clock.nowMs()))
      assert.equal(await ledger.count(), lengthBefore + heard.length, "each word is in the journal")

      const atExpiry = await recordOf(ledger, record, ledgerTime(expiresAfterMs))
      assert.equal(atExpiry?.state, state)
      assert.equal(atExpiry.outcome?.code ?? undefined, code)
      assert.equal((await recordOf(ledger, record, ledgerTime(expiresAfterMs + 1)))?.state, expired)
    })
  }

  it("carries the venue's status and code", async () => {
    const { record } = await reserved(ledger, clock.nowMs())
    await ledger.settle(record, outcomes.unknown, ledgerTime(clock.nowMs()))
    const unknown = await recordOf(ledger, record, ledgerTime(clock.nowMs()))
    assert.deepEqual(unknown?.outcome, { status: 502, code: null, order: null })
    await ledger.settle(record, outcomes.accepted, ledgerTime(clock.nowMs()))
    const accepted = await recordOf(ledger, record, ledgerTime(clock.nowMs()))
    assert.deepEqual(accepted?.outcome, { status: 200, code: "0", order: null })
  })

  it("can't be told of a request that isn't there, and nothing is written then", async () => {
    const refusal = ledger.note(refusalEntry(), ledgerTime(clock.nowMs()))!
    const lengthBefore = await ledger.count()
    for (const id of ["rec_00000000000000000000000000", refusal]) {
      const settled = ledger.settle(id, outcomes.accepted, ledgerTime(clock.nowMs()))
      await assert.rejects(settled, { name: "Fault", code: "name_unknown" })
    }
    assert.equal(await ledger.count(), lengthBefore)
    await reserved(ledger, clock.nowMs())
  })

  it("is unknown of an id that isn't there", async () => {
    assert.equal(
      await recordOf(ledger, "rec_00000000000000000000000000", ledgerTime(clock.nowMs())),
      undefined,
    )
  })

  it("outlives a restart", async () => {
    const { record } = await reserved(ledger, clock.nowMs())
    await ledger.settle(record, outcomes.refused, ledgerTime(clock.nowMs()))
    await ledger.close()
    assert.equal(readLedger(place.file).at(-1)?.row["outcome"], "refused")
    ledger = await openLedger({ file: place.file, clock })
    assert.equal((await recordOf(ledger, record, ledgerTime(clock.nowMs())))?.state, "refused")
  })
})
