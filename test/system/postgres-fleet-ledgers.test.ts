// Whole ledgers of two hosts on a real PostgreSQL: what one decides while the other stops, revokes or ends.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { Fault } from "../../src/std/fault.ts"
import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { openLedgerOver, type LedgerOptions } from "../../src/vault/ledger/open-ledger.ts"
import type { Freeze } from "../../src/vault/ledger/records/freeze.ts"
import type { Act } from "../../src/vault/ledger/records/row.ts"
import type { Client, KeyEntry } from "../../src/vault/ledger/records/bindings.ts"
import { maxSkewMs } from "../../src/vault/ledger/postgres/turn-keeper.ts"
import { quietMs } from "../../src/vault/ledger/postgres/server-sql.ts"
import { freezeMethods } from "../../src/vault/stops/freeze-methods.ts"
import type { Mark } from "../../src/vault/ledger/signers/mark-file.ts"
import type { OpenSigner } from "../../src/vault/ledger/signers/signer-marks.ts"
import type { Address } from "../../src/venue/address.ts"
import { aClaim } from "../support/a-claim.ts"
import { fakeClock, startMs, type FakeClock } from "../support/fake-clock.ts"
import {
  assertReserved,
  isLate,
  plainAsk,
  reserve,
  reserved,
  signer,
} from "../support/ledger-ask.ts"
import { postgresFleet, type PostgresLedgerPlace } from "../support/postgres-ledger.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"
import { until } from "../support/process-tree.ts"
import { countedAt } from "../../src/vault/ledger/records/request-row.ts"

type Host = {
  readonly ledger: Ledger
  readonly clock: FakeClock
  readonly place: PostgresLedgerPlace
}

const freeze: Freeze = {
  scope: "all",
  name: null,
  reason: "r",
  by: "operator",
  cancels: true,
  since: 0,
}
const frozen: Act = { act: "frozen", ...freeze }

const client: Client = {
  name: "bot",
  token_hash: "ab".repeat(32),
  keys: ["mm"],
  rights: [],
  allow_type_b: false,
}

const wallet = `0x${"12".repeat(20)}` as Address

function agentKey(name: string, digit: string): KeyEntry {
  const of = { role: "agent", wallet, network: "sandbox", approval: "approved" } as const
  return {
    name,
    address: `0x${digit.repeat(40)}` as Address,
    ...of,
    targets: [],
    expires_at: null,
  }
}

/** Marks on a disk that takes so long from the second write on. */
function slowMarks(writeMs: number): OpenSigner {
  let writes = 0
  return () =>
    Promise.resolve({
      lock: { release: () => undefined },
      file: {
        read: () => Promise.resolve(undefined),
        write: () => pause((writes += 1) === 1 ? 0 : writeMs),
        close: () => Promise.resolve(),
      },
    } as never)
}

/** Marks in memory, that begin with `found`; `last` is what was written last. */
function keptMarks(found?: Mark) {
  let last: Mark | undefined
  const file = {
    read: () => Promise.resolve(found),
    write: (mark: Mark) => {
      last = mark
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
  }
  const open = () => Promise.resolve({ lock: { release: () => undefined }, file })
  return { open: open as never as OpenSigner, last: () => last }
}

/** A mark whose signer waits for an operator's word. */
const ofAnother: Mark = {
  ...{ ledger: "cd".repeat(16), seq: 9, hash: "00".repeat(32) },
  ...{ nonce: 5, waits: true },
}

const newName = "ab".repeat(16)

type Others = NonNullable<Ledger["others"]>

function othersOf({ ledger: { others } }: Host): Others {
  assert.ok(others)
  return others
}

/** Records an operator's word about this host's signers. */
async function acceptRestore(ledger: Ledger): Promise<void> {
  const signers = ledger.marks.waiting()
  await ledger.act({ act: "restore_accepted", ledger: newName, signers }, ledger.now())
}

describe("the ledgers of two hosts", needsPostgres, () => {
  const primary = primaryOfSuite()

  async function withHosts(
    options: readonly Partial<LedgerOptions>[],
    use: (...hosts: Host[]) => Promise<void>,
    aheadMs: readonly number[] = [],
  ): Promise<void> {
    const places = await postgresFleet(primary(), ["a", "b", "c"].slice(0, options.length))
    const hosts = await Promise.all(
      places.map(async (each, index): Promise<Host> => {
        const clock = fakeClock()
        clock.setWall(clock.nowMs() + (aheadMs[index] ?? 0))
        const ledger = await openLedgerOver(each.openStore, { clock, ...options[index] })
        return { ledger, clock, place: each }
      }),
    )
    try {
      await use(...hosts)
    } finally {
      await Promise.all(hosts.map(({ ledger }) => ledger.close()))
      await Promise.all(places.map((each) => each.remove()))
    }
  }

  /** With others where the machine stood still: all is counted then, and nothing given out. */
  async function withHostsInTime(...given: Parameters<typeof withHosts>): Promise<void> {
    for (let left = 3; ; left -= 1) {
      try {
        await withHosts(...given)
        return
      } catch (error) {
        if (left === 1 || !isLate(error)) throw error
      }
    }
  }

  it("gives out nothing later than a freeze on another host allows, though the mark's disk stands still", () =>
    withHosts([{ signers: slowMarks(7_000) }, {}], async (a, b) => {
      await a.ledger.claim(signer)
      a.clock.pass(5_000)
      let isFrozen = false
      const late = reserve(a.ledger, { ...plainAsk, nowMs: a.ledger.now() }).then(
        () => assert.ok(!isFrozen, "given out after the freeze was answered"),
        (error: unknown) => assert.ok(error instanceof Fault),
      )
      await pause(100)
      await b.ledger.act(frozen, b.ledger.now())
      isFrozen = true
      await late
    }))

  it("thaw what another froze a moment ago", () =>
    withHosts([{}, {}], async ({ ledger }, { ledger: other }) => {
      const act = (entry: Act) => ledger.act(entry, ledger.now())
      const { thaw } = freezeMethods({ ledger, act, active: () => ledger.bindings() } as never)
      for (let time = 0; time < 5; time += 1) {
        await other.act(frozen, other.now()) // the first is answered late, the next at once
        assert.deepEqual(await thaw({ freezes: [freeze] }), [])
      }
      await assert.rejects(thaw({ freezes: [freeze] }), /has changed since it was shown/)
    }))

  it("hear once of each client that any of them heard", () =>
    withHosts([{}, {}], async (...hosts) => {
      const [a, b] = hosts.map(othersOf) as [Others, Others]
      const heard = async (by: typeof a, ...clients: string[]) =>
        (await by.tellHeard(clients)).toSorted()
      assert.deepEqual(await heard(a), [])
      assert.deepEqual(await heard(a, "bot", "it's"), ["bot", "it's"])
      assert.deepEqual(await heard(b, "other"), ["bot", "it's", "other"])
      assert.deepEqual(await heard(b), [])
      assert.deepEqual(await heard(a, "bot"), ["bot", "other"])
      assert.deepEqual(await heard(b), ["bot"])
    }))

  it("hear of all clients when they tell of them at once", () =>
    withHosts([{}, {}], async (...hosts) => {
      const [a, b] = hosts.map(othersOf) as [Others, Others]
      const names = Array.from({ length: 500 }, (_, index) => `bot-${index}`)
      for (let time = 0; time < 50; time += 1) {
        const heard = await Promise.all([a.tellHeard(names), b.tellHeard(names.toReversed())])
        for (const each of heard) assert.equal(each.length, names.length)
      }
    }))

  it("has each host's marks follow the name that the ledger gets where another accepts a restore", async () => {
    const [ofA, ofB] = [keptMarks(ofAnother), keptMarks()]
    await withHosts([{ signers: ofA.open }, { signers: ofB.open }], async ({ ledger: a }, b) => {
      await a.claim(signer)
      await b.ledger.claim(signer)
      await acceptRestore(a)
      await a.marks.accept(newName)
      await until(
        () => (ofB.last()?.ledger === newName ? true : undefined),
        "b's mark has the name",
      )
    })
    assert.equal(ofB.last()?.ledger, newName)
  })

  it("frees no signer of a host that waits by the word that another host's operator gave", async () => {
    const [ofA, ofB] = [keptMarks(ofAnother), keptMarks(ofAnother)]
    await withHosts([{ signers: ofA.open }, { signers: ofB.open }], async ({ ledger: a }, b) => {
      await a.claim(signer)
      await b.ledger.claim(signer)
      await acceptRestore(a)
      await b.ledger.act(frozen, b.ledger.now()) // having followed it
      assert.equal(b.ledger.marks.waiting().length, 1)
    })
  })

  it("keeps cancels stopped where another host freezes the same and lets them be, not knowing", () =>
    withHosts([{}, {}], async (a, b) => {
      await a.ledger.act({ ...frozen, cancels: false }, a.ledger.now())
      await b.ledger.act({ ...frozen, cancels: true }, b.ledger.now())
      assert.deepEqual(
        b.ledger.bindings().freezes.map(({ cancels }) => cancels),
        [false],
      )
    }))

  it("keeps a freeze for as long as what a silent holder decided may come, and no longer", () =>
    withHosts([{ signers: slowMarks(7_000) }, {}], async (a, b) => {
      await a.ledger.claim(signer)
      a.clock.pass(5_000)
      const decided = reserve(a.ledger, { ...plainAsk, nowMs: a.ledger.now() })
      const dropped = assert.rejects(decided, Fault)
      await pause(100)
      const asked = await b.place.ask("SELECT clock_timestamp()")
      await b.ledger.act(frozen, b.ledger.now())
      // It did something until it was asked for its turn, which it had for a second more. Its mark would be there after 7 s.
      const waited = `SELECT extract(epoch FROM quiet_at - timestamptz '${asked}') FROM countersign.head`
      const seconds = Number(b.place.sql(waited))
      assert.ok(seconds >= 2 && seconds < 6, `${seconds} s`)
      await dropped
    }))

  it("gives the turn on at its end only once all that it decided is out", () =>
    withHosts([{ signers: slowMarks(1_500) }, {}], async (a, b) => {
      await a.ledger.claim(signer)
      a.clock.pass(5_000)
      await pause(quietMs) // since b's start
      let isFrozen = false
      const decided = reserve(a.ledger, { ...plainAsk, nowMs: a.ledger.now() }).then(
        () => assert.ok(!isFrozen, "given out after the freeze was answered"),
        (error: unknown) => assert.ok(error instanceof Fault),
      )
      await pause(100)
      const closed = a.ledger.close()
      await b.ledger.act(frozen, b.ledger.now())
      isFrozen = true
      await Promise.all([decided, closed])
    }))

  it("lets no limit pass where another host, ahead, hears that a request was refused", () =>
    withHostsInTime(
      [{}, {}],
      async (a, b) => {
        const claims = [aClaim({ lengthMs: 5_000, max: "4", release: "refused" })]
        for (const { ledger } of [a, b]) await ledger.replaceMeters(() => claims, 5_000)
        const ask = ({ ledger }: Host) =>
          reserve(ledger, { ...plainAsk, claims, nowMs: ledger.now() })
        const [first] = await Promise.all([ask(b), ask(b), ask(b), ask(b)])
        assertReserved(first)
        for (const { clock } of [a, b]) clock.pass(5_000 - maxSkewMs)
        for (const outcome of [
          { kind: "sent" },
          { kind: "refused", status: 400, code: "1" },
        ] as const) {
          await a.ledger.settle(first.record, outcome, a.ledger.now())
        }
        await b.ledger.decide([], () => () => undefined)
        await b.ledger.audit.ends()
        // Of the four one was given back, and none is over by the time that they were counted at.
        // Where the machine stands still for 2 s, nothing is given out of what is counted all the same.
        const assertLate = (error: unknown): void => assert.ok(isLate(error))
        for (let count = 0; count < 4; count += 1) await ask(b).catch(assertLate)
        const times: number[] = []
        for await (const row of b.ledger.history(0)) {
          if (row.id !== first.record) times.push(countedAt(row))
        }
        for (const atMs of times) {
          const within = times.filter((each) => each > atMs - 5_000 && each <= atMs)
          assert.ok(within.length <= 4, `${within.length} within a window`)
        }
      },
      [maxSkewMs, -maxSkewMs],
    ))

  /** What may be asked for of a client that was in force as it was asked. */
  const changes: Readonly<Record<string, Act>> = {
    "a change": { act: "client_set", client: { ...client, allow_type_b: true } },
    "a new token": { act: "client_token_set", name: client.name, token_hash: "cd".repeat(32) },
  }

  for (const [what, change] of Object.entries(changes)) {
    it(`brings no client back by ${what} that another host revoked meanwhile`, () =>
      withHosts([{}, {}], async (a, b) => {
        const act = (entry: Act) => b.ledger.act(entry, b.ledger.now())
        const ofA = () => a.ledger.bindings().clients[0]!
        await act({ act: "client_added", client })
        await a.ledger.decide([], () => () => undefined)
        const { seq } = await b.ledger.audit.ends()
        const revoked = act({ act: "client_revoked", name: client.name })
        const isAdded = async () =>
          (await b.place.ask("SELECT seq FROM countersign.head")) === `${seq}` ? undefined : true
        await Promise.race([revoked, until(isAdded, "b has revoked the client")])
        // As a command does: what it asks for is made of what is known here.
        const isKnown = ofA().token_hash === null
        if (!isKnown)
          await assert.rejects(a.ledger.act(change, a.ledger.now()), /changed meanwhile/)
        await revoked
        await a.ledger.decide([], () => () => undefined)
        assert.equal(ofA().token_hash, null)
        // As it is now it can be changed.
        await a.ledger.act({ act: "client_set", client: ofA() }, a.ledger.now())
      }))

    it(`brings no client back by ${what} that was revoked here while both waited for the turn`, () =>
      withHosts([{}, {}], async (a, b) => {
        const act = (entry: Act) => a.ledger.act(entry, a.ledger.now())
        await act({ act: "client_added", client })
        await b.ledger.decide([], () => () => undefined)
        const both = await Promise.allSettled([
          act({ act: "client_revoked", name: client.name }),
          act(change),
        ])
        assert.deepEqual(
          both.map(({ status }) => status),
          ["fulfilled", "rejected"],
        )
        assert.equal(a.ledger.bindings().clients[0]?.token_hash, null)
      }))
  }

  it("takes what is asked for together, though each changes something", () =>
    withHosts([{}, {}], async (a, b) => {
      const act = (entry: Act) => a.ledger.act(entry, a.ledger.now())
      await act({ act: "key_added", key: agentKey("old", "1") })
      await act({ act: "key_added", key: agentKey("new", "2") })
      await b.ledger.decide([], () => () => undefined) // a has to wait for its turn
      const price = { value: "64000", as_of: startMs, by: "feed", confirmed: true }
      await Promise.all([
        ...[1, 2, 3].map((symbol_id) => act({ act: "price_set", symbol_id, ...price })),
        act({ act: "key_targets_set", name: "new", targets: [wallet] }),
        act({ act: "key_replaced", from: "old", to: "new" }),
      ])
      const { prices, keys } = a.ledger.bindings()
      assert.deepEqual([...prices.keys()], [1, 2, 3])
      assert.equal(keys.get("old")?.approval, "retired")
      assert.deepEqual(keys.get("new")?.targets, [wallet])
    }))

  it("signs for one signer on two hosts whose clocks are as far apart as they may be", () =>
    withHosts(
      [{}, {}],
      async (a, b) => {
        for (let count = 0; count < 5; count += 1) {
          await reserved(a.ledger, a.ledger.now())
          await reserved(b.ledger, b.ledger.now())
          for (const { clock } of [a, b]) clock.pass(100)
        }
      },
      [maxSkewMs, -maxSkewMs],
    ))
})
