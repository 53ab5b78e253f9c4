import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import {
  isolatedNonces,
  nonceCycle,
  type NonceShare,
  turnNonces,
} from "../../../../../src/vault/ledger/records/nonce-share.ts"
import { openNonces } from "../../../../../src/vault/ledger/signers/nonces.ts"
import type { Lane } from "../../../../../src/venue/payload/payload.ts"
import { fakeClock, ledgerTime, startMs } from "../../../../support/fake-clock.ts"
import { signer } from "../../../../support/ledger-ask.ts"
import { numRuns } from "../../../../support/runs.ts"

const slots = 16
const client = "mm-bot"
const askAt = (nowMs: number) =>
  ({ signer, client, nowMs: ledgerTime(nowMs), lane: "cancel" }) as const

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
            const next = nonces.next(askAt(nowMs))
            if (next.kind === "too_fast") continue
            let least = Math.max(nowMs, last + 1)
            while (least % nonceCycle < share.first || least % nonceCycle > share.last) least += 1
            assert.equal(next.nonce, least)
            nonces.used({ signer, nonce: next.nonce, client })
          }
        },
      ),
      numRuns(200),
    )
  })
})

/** A signer of many clients, whose clock a test moves. */
function sharedSigner(share?: NonceShare) {
  const clock = fakeClock()
  const nonces = openNonces({ clock, startMs: ledgerTime(startMs), nonces: share }, new Map())
  /** Follows one that another host has taken. */
  const follow = (nonce: number): void => nonces.used({ signer, nonce, client: "elsewhere" })
  /** Whether a client gets a nonce now; how long it is to wait where not. */
  const take = (of: string, lane: Lane = "cancel"): number => {
    const next = nonces.next({ signer, client: of, nowMs: ledgerTime(clock.nowMs()), lane })
    if (next.kind === "too_fast") return next.retryAfterMs
    nonces.used({ signer, nonce: next.nonce, client: of })
    return 0
  }
  const flood = (of: string, lane?: Lane): number => {
    let taken = 0
    while (take(of, lane) === 0) taken += 1
    return taken
  }
  return { clock, take, flood, follow }
}

const lanes = ["open", "reduce", "cancel"] as const

describe("a signer's nonces that several clients ask for", () => {
  for (const lane of lanes) {
    it(`are there at once for a client whose neighbours take all that they can (${lane})`, () => {
      const { clock, take, flood } = sharedSigner()
      for (let ms = 0; ms < 3_000; ms += 1) {
        for (const neighbour of ["greedy", "greedier"]) flood(neighbour, lane)
        if (ms % 50 === 0) assert.equal(take("modest", lane), 0, `after ${ms} ms`)
        clock.pass(1)
      }
    })

    it(`are there at once on an isolated host, which has 15 a second (${lane})`, () => {
      const { clock, take, flood } = sharedSigner(isolatedNonces(3))
      for (let ms = 0; ms < 60_000; ms += 64) {
        flood("greedy", lane)
        if (ms % 1_024 === 0) assert.equal(take("modest", lane), 0, `after ${ms} ms`)
        clock.pass(64)
      }
    })
  }

  it("are half one client's, a third each of two", () => {
    const { flood } = sharedSigner()
    // The first lies not ahead of the clock.
    assert.equal(flood("greedy"), 626)
    const [second, rest] = [flood("second"), flood("greedy")]
    assert.ok(second > 300 && second < 320, String(second))
    assert.equal(rest, 0)
  })

  it("last for one alone at one a millisecond", () => {
    const { clock, flood } = sharedSigner()
    flood("greedy")
    for (let ms = 0; ms < 2_000; ms += 1) {
      clock.pass(1)
      assert.equal(flood("greedy"), 1, String(ms))
    }
  })

  it("keep nobody waiting for long who follows one of a host whose clock was ahead, however far", () => {
    for (const aheadMs of [1_251, 1_750, 1_751, 10_000, 3_600_000]) {
      const { clock, take, follow } = sharedSigner()
      follow(clock.nowMs() + aheadMs)
      clock.pass(501)
      assert.equal(take("modest"), 0, `${aheadMs} ms`)
    }
  })

  it("go round among more clients than there are nonces ahead, by who waits longest", () => {
    const { clock, take } = sharedSigner(isolatedNonces(0))
    const names = Array.from({ length: 30 }, (_, index) => `client-${index}`)
    const had = new Map(names.map((name) => [name, 0]))
    for (let ms = 0; ms < 120_000; ms += 8) {
      for (const name of names) if (take(name) === 0) had.set(name, had.get(name)! + 1)
      clock.pass(8)
    }
    const counts = [...had.values()]
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join(" "))
    assert.ok(Math.min(...counts) > 55, counts.join(" "))
  })

  it("are not kept for long for clients that wait and don't come", () => {
    const { clock, take, flood } = sharedSigner(isolatedNonces(0))
    flood("greedy")
    for (let index = 0; index < 40; index += 1) take(`gone-${index}`)
    clock.pass(40 * 64)
    assert.equal(take("greedy"), 0)
  })

  it("are waited for as long as is said, and not longer, where nobody else asks", () => {
    fc.assert(
      fc.property(fc.constantFrom(...shares), fc.constantFrom(...lanes), (share, lane) => {
        const { clock, take, flood } = sharedSigner(share)
        flood("greedy", lane)
        clock.pass(take("greedy", lane))
        assert.equal(take("greedy", lane), 0)
      }),
      numRuns(100),
    )
  })
})
