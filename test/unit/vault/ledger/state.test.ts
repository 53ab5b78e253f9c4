import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  isolatedNonces,
  nonceCycle,
  turnNonces,
} from "../../../../src/vault/ledger/records/nonce-share.ts"
import { openNonces } from "../../../../src/vault/ledger/state.ts"
import { fakeClock, ledgerTime, startMs } from "../../../support/fake-clock.ts"
import { signer } from "../../../support/ledger-ask.ts"
import { numRuns } from "../../../support/runs.ts"

import fc from "fast-check"

const slots = 16

/** Hosts in turn, and each that may be isolated. */
const shares = [turnNonces, ...Array.from({ length: slots }, (_, slot) => isolatedNonces(slot))]

describe("the nonces of hosts that share a ledger", () => {
  it("are in the share of one alone, whichever nonce it is", () => {
    for (let rest = 0; rest < nonceCycle; rest += 1) {
      const owners = shares.filter(({ first, last }) => first <= rest && rest <= last)
      assert.equal(owners.length, 1, String(rest))
    }
  })

  it("are the least of their share that is above all earlier ones and not before now", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...shares),
        fc.array(fc.nat(200), { minLength: 1, maxLength: 20 }),
        (share, passes) => {
          const clock = fakeClock()
          const nonces = openNonces(
            { clock, startMs: ledgerTime(startMs), nonces: share },
            new Map(),
          )
          for (const ms of passes) {
            clock.pass(ms)
            const nowMs = clock.nowMs()
            const last = nonces.last(signer) ?? 0
            const next = nonces.next(signer, ledgerTime(nowMs), "cancel")
            if (next.kind === "too_fast") continue
            let least = Math.max(nowMs, last + 1)
            while (least % nonceCycle < share.first || least % nonceCycle > share.last) least += 1
            assert.equal(next.nonce, least)
            nonces.used(signer, next.nonce)
          }
        },
      ),
      numRuns(200),
    )
  })
})
