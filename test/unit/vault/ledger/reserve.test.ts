import { describe, it } from "node:test"

import type { Ledger } from "../../../../src/vault/ledger/ledger.ts"
import type { Reservation } from "../../../../src/vault/ledger/records/reservation.ts"
import { startMs, ledgerTime } from "../../../support/fake-clock.ts"
import {
  recordOf,
  reserve,
  assertReserved,
  otherSigner,
  plainAsk,
  requestEntry,
  reserveAt,
  reserved,
  signer,
} from "../../../support/ledger-ask.ts"
import {
  clock,
  ledger,
  openLedgerForEach,
  place,
  reopen,
} from "../../../support/ledger-for-each.ts"
import { countCommits, query, readLedger } from "../../../support/read-ledger.ts"
import { numRuns } from "../../../support/runs.ts"

import assert from "node:assert/strict"

import fc from "fast-check"

const dayMs = 86_400_000

openLedgerForEach()

function reserveMany(count: number): Promise<readonly Reservation[]> {
  return Promise.all(Array.from({ length: count }, () => reserveAt(ledger, clock.nowMs())))
}

/** Each for a client of its own: one alone may have half of a signer's nonces. */
async function reserveTogether(count: number): Promise<readonly Reservation[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const entry = { ...plainAsk.entry, client: `bot-${index}` }
      return reserve(ledger, { ...plainAsk, entry, nowMs: ledgerTime(clock.nowMs()) })
    }),
  )
}

function noncesOf(reservations: readonly Reservation[]): readonly number[] {
  return reservations.map((reservation) => {
    assertReserved(reservation)
    return reservation.nonce
  })
}

describe("what is made of a reservation", () => {
  it("comes out once the record is durable", async () => {
    await ledger.count() // what the start wrote is there
    const earlier = countCommits(`${place.file}-wal`)
    const ask = { ...plainAsk, nowMs: ledgerTime(clock.nowMs()) }
    // The thread has something to do, so that the record isn't with it before something is made.
    const busy = ledger.count()
    await Promise.resolve()
    const made = await ledger.decide([], (turn) => {
      const reservation = turn.reserve(ask)
      assertReserved(reservation)
      return () => [reservation.nonce, countCommits(`${place.file}-wal`)]
    })
    await busy
    assert.deepEqual(made, [startMs, earlier])
    assert.ok(countCommits(`${place.file}-wal`) > earlier)
  })

  it("is nothing where making it throws, though its nonce is used and its record is there", async () => {
    const ask = { ...plainAsk, nowMs: ledgerTime(clock.nowMs()) }
    const failing = ledger.decide([], (turn) => {
      turn.reserve(ask)
      return () => {
        throw new Error("no signature")
      }
    })
    await assert.rejects(failing, /no signature/)
    assert.equal(await ledger.count(), 1)
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, startMs + 1)
  })
})

describe("a nonce", () => {
  it("is the time when the signer has used no later one", async () => {
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, startMs)
    clock.pass(5)
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, startMs + 5)
  })

  it("rises by one for each of 200 requests that come at once, in their order", async () => {
    assert.deepEqual(
      noncesOf(await reserveMany(200)),
      Array.from({ length: 200 }, (_, index) => startMs + index),
    )
  })

  it("is each signer's own", async () => {
    await reserved(ledger, clock.nowMs())
    assert.equal((await reserved(ledger, clock.nowMs(), otherSigner)).nonce, startMs)
  })

  it("goes on above the last one after a restart", async () => {
    const [last = 0] = noncesOf(await reserveMany(20)).slice(-1)
    await reopen()
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, last + 1)
  })

  it("goes on above the last one when the clock is set back a day while the ledger is open", async () => {
    await reserveTogether(1_001) // as far ahead of the clock as it goes
    clock.setWall(startMs - dayMs)
    clock.pass(1)
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, startMs + 1_001)
  })

  it("goes on above the last one when the clock is set back a day between two starts", async () => {
    const [last = 0] = noncesOf(await reserveMany(20)).slice(-1)
    clock.setWall(startMs - dayMs)
    await reopen()
    assert.deepEqual(noncesOf(await reserveMany(2)), [last + 1, last + 2])
    await reopen()
    assert.deepEqual(noncesOf(await reserveMany(2)), [last + 3, last + 4])
  })

  it("is taken within the call, before anything is awaited", async () => {
    const first = reserveAt(ledger, clock.nowMs())
    const second = reserveAt(ledger, clock.nowMs())
    assert.deepEqual(noncesOf([await second, await first]), [startMs + 1, startMs])
  })

  it("rises whatever the clock does", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(5_000) }),
      fc.record({ kind: fc.constant("set" as const), ms: fc.integer({ min: -dayMs, max: 9_000 }) }),
      fc.constant({ kind: "reopen" as const, ms: 0 }),
    )
    let last = 0
    const tryOnce = async (): Promise<void> => {
      const [reservation] = await reserveMany(1).catch(() => [])
      if (reservation?.kind !== "reserved") return
      assert.ok(reservation.nonce > last)
      assert.ok(reservation.nonce >= clock.nowMs())
      last = reservation.nonce
    }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        for (const { kind, ms } of steps) {
          if (kind === "pass") clock.pass(ms)
          else if (kind === "set") clock.setWall(clock.nowMs() + ms)
          else await reopen()
          await tryOnce()
        }
      }),
      numRuns(8),
    )
  })
})

describe("expires_after", () => {
  it("is the ttl after now, or after the nonce when that is later", async () => {
    const [first, second] = await reserveMany(2)
    assert.equal(first?.kind === "reserved" && first.expiresAfterMs, startMs + 15_000)
    assert.equal(second?.kind === "reserved" && second.expiresAfterMs, startMs + 15_001)
  })
})

describe("a signer's pace", () => {
  it("allows a nonce exactly 1,000 ms ahead of the clock and refuses the next", async () => {
    assert.equal(noncesOf(await reserveTogether(1_001)).at(-1), startMs + 1_000)
    assert.deepEqual(await reserveAt(ledger, clock.nowMs()), {
      kind: "refused",
      refusal: {
        code: "signer_pace",
        message:
          "This signer's next nonce would lie too far ahead of the clock, or is kept for its other clients: a signer has one a millisecond, 15 a second on a host that can't reach PostgreSQL; try again a little later.",
        data: { retry_after_ms: 1 },
      },
    })
    assert.equal(await ledger.count(), 1_001, "the refused one is not recorded")
  })

  it("leaves half of that for other clients, of which the next has a quarter", async () => {
    assert.equal(noncesOf(await reserveMany(501)).at(-1), startMs + 500)
    const [refused] = await reserveMany(1)
    assert.equal(refused?.kind, "refused")
    const entry = { ...plainAsk.entry, client: "other-bot" }
    const others = Array.from({ length: 252 }, () =>
      reserve(ledger, { ...plainAsk, entry, nowMs: ledgerTime(clock.nowMs()) }),
    )
    const kinds = (await Promise.all(others)).map(({ kind }) => kind)
    assert.deepEqual(kinds.indexOf("refused"), 250)
  })

  it("keeps 250 ms more for what reduces risk, which a flood of orders can't take", async () => {
    await reserveTogether(1_001)
    const reduce = (lane: "cancel" | "reduce", index: number) => {
      const entry = { ...plainAsk.entry, client: `reducer-${index}` }
      return reserve(ledger, { ...plainAsk, entry, lane, nowMs: ledgerTime(clock.nowMs()) })
    }
    const lanes = Array.from({ length: 251 }, (_, turn) =>
      reduce(turn % 2 ? "cancel" : "reduce", turn),
    )
    const kinds = (await Promise.all(lanes)).map(({ kind }) => kind)
    assert.deepEqual(kinds, [...Array.from({ length: 250 }, () => "reserved"), "refused"])
  })

  it("lets the same signer go on when the time has passed, and others at once", async () => {
    await reserveTogether(1_001)
    await reserved(ledger, clock.nowMs(), otherSigner)
    clock.pass(1)
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, startMs + 1_001)
  })
})

describe("a clock that runs ahead", () => {
  it("is followed up to 10 s", async () => {
    clock.setWall(startMs + 10_000)
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, startMs + 10_000)
  })

  it("stops signing one millisecond later, before anything is written", async () => {
    clock.setWall(startMs + 10_001)
    await assert.rejects(reserveAt(ledger, clock.nowMs()), { name: "Fault", code: "clock_unsafe" })
    assert.equal(await ledger.count(), 0)
  })

  it("stops nothing that reduces risk: that is signed by the time that has passed", async () => {
    clock.setWall(startMs + dayMs)
    clock.pass(500)
    const asked = await reserve(ledger, { ...plainAsk, lane: "cancel", nowMs: ledger.now() })
    assertReserved(asked)
    assert.equal(asked.nonce, startMs + 500)
    assert.equal(asked.expiresAfterMs, startMs + 500 + plainAsk.ttlMs)
  })

  it("lets signing go on once it is right again, with nonces as if nothing had been", async () => {
    clock.setWall(startMs + dayMs)
    await assert.rejects(reserveAt(ledger, clock.nowMs()), { code: "clock_unsafe" })
    clock.setWall(startMs)
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, startMs)
  })

  it("doesn't stop the signer when it was followed and is then set right", async () => {
    clock.setWall(startMs + 9_000)
    await reserved(ledger, clock.nowMs())
    clock.setWall(startMs)
    assert.equal((await reserved(ledger, clock.nowMs())).nonce, startMs + 9_001)
  })
})

describe("who watches a ledger", () => {
  function heardOf(watched: Ledger): readonly string[] {
    const heard: string[] = []
    watched.watch({
      reserved: ({ client }, record) => heard.push(`${client} ${record}`),
      paced: (key) => heard.push(`paced ${key}`),
      clockUnsafe: () => heard.push("clock"),
    })
    return heard
  }

  it("hears of a request once its record is durable", async () => {
    const earlier = countCommits(`${place.file}-wal`)
    let commits = 0
    ledger.watch({ reserved: () => (commits = countCommits(`${place.file}-wal`) - earlier) })
    const heard = heardOf(ledger)
    const { record } = await reserved(ledger, clock.nowMs())
    assert.ok(commits > 0)
    assert.deepEqual(heard, [`mm-bot ${record}`])
  })

  it("hears of a nonce that was asked for too fast, of a clock that ran ahead, and of no other refusal", async () => {
    await reserveMany(1_001)
    const heard = heardOf(ledger)
    await reserveAt(ledger, clock.nowMs())
    assert.deepEqual(heard, ["paced mm-agent"])
    clock.setWall(startMs + 10_001)
    await assert.rejects(reserveAt(ledger, clock.nowMs()), { code: "clock_unsafe" })
    await ledger.close()
    await assert.rejects(reserveAt(ledger, clock.nowMs()), { code: "ledger_unavailable" })
    assert.deepEqual(heard, ["paced mm-agent", "clock"])
  })
})

describe("a reservation", () => {
  it("is recorded in full", async () => {
    const { record, nonce, expiresAfterMs } = await reserved(ledger, clock.nowMs())
    assert.match(record, /^rec_[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.deepEqual(await recordOf(ledger, record, ledgerTime(clock.nowMs())), {
      id: record,
      state: "signed",
      client: requestEntry.client,
      key: requestEntry.key,
      operation: requestEntry.operation,
      nonce,
      expires_after: expiresAfterMs,
      decided_at: startMs,
      policy_hash: requestEntry.policy_hash,
      refusal: null,
      outcome: null,
      idempotency_key: null,
      client_order_id: null,
    })
    await ledger.close()
    assert.deepEqual(
      readLedger(place.file).map(({ row }) => row),
      [
        {
          seq: 1,
          kind: "request",
          id: record,
          at_ms: startMs,
          client: "mm-bot",
          key: "mm-agent",
          operation: "placeOrder",
          path: "/v1/trade/place-order",
          target: null,
          body: requestEntry.body,
          policy_hash: requestEntry.policy_hash,
          rule: "market-maker/quote",
          purpose: "forward",
          signer,
          nonce,
          expires_after: expiresAfterMs,
        },
      ],
    )
    assert.deepEqual(
      query(place.file, "SELECT * FROM signers").map((row) => ({ ...row })),
      [{ address: signer, last_nonce: nonce }],
    )
  })

  it("shares its commit with those that come together", async () => {
    // With a key its row is in the tables at once, so no commit of theirs comes later.
    const keyed = (key: string) =>
      reserve(ledger, {
        ...plainAsk,
        entry: {
          ...requestEntry,
          idempotency: { by: "header", key, binding: "" },
        },
        nowMs: ledgerTime(clock.nowMs()),
      })
    const before = countCommits(`${place.file}-wal`)
    await Promise.all(Array.from({ length: 100 }, (_, index) => keyed(`k${index}`)))
    const together = countCommits(`${place.file}-wal`) - before
    assert.equal(together, 1)
    await keyed("one")
    await keyed("another")
    assert.equal(countCommits(`${place.file}-wal`) - before - together, 2)
  })

  it("gives ids of different milliseconds an order in time", async () => {
    const ids: string[] = []
    for (let count = 0; count < 5; count++) {
      ids.push((await reserved(ledger, clock.nowMs())).record)
      clock.pass(1)
    }
    assert.deepEqual([...ids].sort(), ids)
  })
})
