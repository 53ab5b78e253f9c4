// What several hosts on a real PostgreSQL have in memory, against what a start from each one's copy makes of it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { copyLedger, readLedger } from "../../src/audit/open-ledger.ts"
import { Fault } from "../../src/std/fault.ts"
import { openLedger, openLedgerOver } from "../../src/vault/ledger/open-ledger.ts"
import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { prepareLedgerFile } from "../../src/vault/ledger/sqlite/database.ts"
import { maxSkewMs } from "../../src/vault/ledger/postgres/turn-keeper.ts"
import type { Act } from "../../src/vault/ledger/records/row.ts"
import { ever } from "../../src/vault/policy/terms.ts"
import { formatDecimal } from "../../src/venue/decimal.ts"
import { aClaim, hourMs } from "../support/a-claim.ts"
import { fakeClock, ledgerTime, type FakeClock } from "../support/fake-clock.ts"
import {
  isLate,
  openHold,
  otherSigner,
  plainAsk,
  requestEntry,
  signer,
} from "../support/ledger-ask.ts"
import { postgresFleet, type PostgresLedgerPlace } from "../support/postgres-ledger.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"
import { numRuns } from "../support/runs.ts"
import { query } from "../support/read-ledger.ts"

const signers = [signer, otherSigner]
const names = ["a", "b", "c"]
const small = fc.nat({ max: 2 })
const shortMs = 5_000
const shortMax = 4
/** How far the clocks of two hosts may be from each other. */
const apartMs = 2 * maxSkewMs

const claims = [
  aClaim({ release: "refused", max: "30" }),
  aClaim({ meter: "short", lengthMs: shortMs, release: "refused", max: `${shortMax}` }),
  aClaim({ meter: "life", window: ever, amount: "0.3", max: "9" }),
]

/** What one host does. */
type Deed = (fleet: Fleet, host: Host) => unknown

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(small, small).map(
      ([of, body]): Deed =>
        (fleet, host) =>
          fleet.reserve(host, of, body),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat({ max: 4 }), small).map(
      ([of, says]): Deed =>
        (fleet, host) =>
          fleet.settle(host, of, says),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat({ max: 6 }), small).map(
      ([which, of]): Deed =>
        (_fleet, host) =>
          host.ledger.act(acts(of)[which]!, host.nowMs()),
    ),
  },
  {
    weight: 1,
    arbitrary: small.map(
      (body): Deed =>
        (_fleet, host) =>
          openHold(host.ledger, holdAsk(body, host.nowMs())),
    ),
  },
  {
    weight: 2,
    arbitrary: small.map(
      (says): Deed =>
        (_fleet, host) =>
          decideHold(host, says),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map(
      (isKept): Deed =>
        (_fleet, host) =>
          host.recount(isKept),
    ),
  },
)

/** What is done at once, each by a host; then time passes. */
type Round = {
  readonly deeds: readonly (readonly [host: number, deed: Deed])[]
  readonly passMs: number
}

const round: fc.Arbitrary<Round> = fc.record({
  deeds: fc.array(fc.tuple(small, deed), { minLength: 1, maxLength: 5 }),
  passMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 2_500 }) },
    { weight: 1, arbitrary: fc.constantFrom(61_000, hourMs) },
  ),
})

const outcomes = [
  { kind: "sent" },
  { kind: "refused", status: 400, code: "10001" },
  { kind: "accepted", status: 200, code: "0" },
] as const

function acts(of: number): readonly Act[] {
  const name = `client-${of}`
  const freeze = { reason: `${of}`, by: "operator", cancels: of > 0, since: of }
  const price = { symbol_id: of, value: "2", as_of: of, by: "feed", confirmed: of > 0 }
  return [
    { act: "thawed", scope: "client", name },
    { act: "thawed", scope: "all", name: null },
    { act: "heartbeat_armed", client: name },
    { act: "heartbeat_missed", client: name },
    { act: "price_set", ...price },
    { act: "set_accepted", hash: name },
    { act: "frozen", scope: "client", name, ...freeze },
  ]
}

function holdAsk(body: number, nowMs: number) {
  const { client, key, operation, target } = requestEntry
  const asked = { client, key, operation, target, body: `{"n":${body}}` }
  return { ...asked, policy: "p", rule: "large", worst: "w", expires_at: nowMs + 600_000 }
}

async function decideHold({ ledger, nowMs }: Host, says: number): Promise<void> {
  const [hold] = ledger.holds(nowMs()).filter(({ state }) => state === "pending")
  const to = says === 0 ? "refused" : "released"
  if (hold !== undefined) await ledger.decideHold(hold.hold, { to, by: "operator" }, nowMs())
}

type Host = {
  readonly ledger: Ledger
  readonly clock: FakeClock
  readonly nowMs: () => ReturnType<typeof ledgerTime>
  recount(isKept: boolean): Promise<void>
}

function hostOf(ledger: Ledger, clock: FakeClock): Host {
  return {
    ledger,
    clock,
    nowMs: () => ledger.now(),
    recount: (isKept) =>
      ledger.replaceMeters(() => claims, hourMs, isKept ? { countedBy: "these limits" } : {}),
  }
}

/** Hosts that share a ledger. */
class Fleet {
  readonly hosts: readonly Host[]
  readonly #places: readonly PostgresLedgerPlace[]
  readonly #records: string[] = []
  copies = 0

  constructor(hosts: readonly Host[], places: readonly PostgresLedgerPlace[]) {
    this.hosts = hosts
    this.#places = places
  }

  async take({ deeds, passMs }: Round): Promise<void> {
    await Promise.all(
      deeds.map(async ([of, each]) => {
        try {
          await each(this, this.hosts[of % this.hosts.length]!)
        } catch (error) {
          const isSecond = error instanceof Fault && error.code === "usage"
          if (!isSecond && !isLate(error)) throw error
        }
      }),
    )
    for (const { clock } of this.hosts) clock.pass(passMs)
  }

  async reserve({ ledger }: Host, of: number, body: number): Promise<void> {
    const entry = { ...requestEntry, body: `{"n":${body}}` }
    const answer = await ledger.decide([], (turn) => {
      const { nowMs } = turn
      const hold = ledger.findRelease(entry, nowMs)
      const release = hold === undefined ? undefined : { hold }
      const reservation = turn.reserve({
        ...{ ...plainAsk, signer: signers[of % 2]!, entry, claims, release, nowMs },
      })
      return () => reservation
    })
    if (answer.kind === "reserved") this.#records.push(answer.record)
  }

  async settle({ ledger, nowMs }: Host, of: number, says: number): Promise<void> {
    const record = this.#records.at(-1 - of)
    if (record !== undefined) await ledger.settle(record, outcomes[says]!, nowMs())
  }

  /** Each host's memory is what a start from its copy has. */
  async compare(): Promise<void> {
    for (const [index, host] of this.hosts.entries()) {
      await host.ledger.decide([], () => () => undefined)
      await host.ledger.audit.ends() // what was heard of outcomes is told by then
      const file = `${this.#places[index]!.file}.copy${(this.copies += 1)}`
      await prepareLedgerFile(file)
      await readLedger(this.#places[index]!.file, (ledger) => copyLedger(ledger, file))
      const reopened = await openLedger({ file, clock: host.clock })
      try {
        await reopened.replaceMeters(() => claims, hourMs)
        assert.deepEqual(tell(host.ledger, host), tell(reopened, host), `host ${names[index]}`)
      } finally {
        await reopened.close()
      }
      assertNoCapPassed(file)
    }
    const all = this.hosts.map(({ ledger }) => signers.map((each) => ledger.lastNonce(each)))
    for (const nonces of all) assert.deepEqual(nonces, all[0])
  }
}

function tell(ledger: Ledger, { nowMs }: Host) {
  // A start goes on from the last row, where memory knows how far others' clocks have come since.
  const laterMs = [0, 1, 999, 2_999, 3_000, 5_000, 60_000, hourMs].map((ms) => ms + apartMs)
  const { raises, ...bindings } = ledger.bindings()
  return {
    ...{ bindings, raises },
    holds: ledger.holds(nowMs()),
    nonces: signers.map((each) => ledger.lastNonce(each)),
    used: laterMs.map((ms) =>
      ledger
        .headroom(claims, ledgerTime(nowMs() + ms))
        .map(({ claim, used, fits }) => [claim.meter, formatDecimal(used), fits]),
    ),
  }
}

/** Of those whose room was never given back no more than the limit lets through fell into one window. */
function assertNoCapPassed(file: string): void {
  const kept = query(file, "SELECT counted_at FROM requests WHERE released_at IS NULL")
  const times = kept.map(({ counted_at }) => counted_at as number)
  for (const atMs of times) {
    const within = times.filter((each) => each > atMs - shortMs && each <= atMs)
    assert.ok(within.length <= shortMax, `${within.length} within ${shortMs} ms`)
  }
}

describe("the state of several hosts", needsPostgres, () => {
  const primary = primaryOfSuite()

  async function withFleet(
    offsetsMs: readonly number[],
    use: (fleet: Fleet) => Promise<void>,
  ): Promise<void> {
    const places = await postgresFleet(primary(), names.slice(0, offsetsMs.length))
    const hosts = await Promise.all(
      places.map(async ({ openStore }, index) => {
        const clock = fakeClock()
        clock.setWall(clock.nowMs() + offsetsMs[index]!)
        const host = hostOf(await openLedgerOver(openStore, { clock }), clock)
        await host.recount(false)
        return host
      }),
    )
    try {
      await use(new Fleet(hosts, places))
    } finally {
      await Promise.all(hosts.map(({ ledger }) => ledger.close()))
      await Promise.all(places.map((each) => each.remove()))
    }
  }

  for (const [what, offsetsMs] of [
    ["whose clocks agree", [0, 0, 0]],
    ["whose clocks are apart", [maxSkewMs, -maxSkewMs]],
  ] as const) {
    it(`is in each one's memory what a start from its copy has, of hosts ${what}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(round, { minLength: 10, maxLength: 40, size: "max" }),
          async (rounds) => {
            await withFleet(offsetsMs, async (fleet) => {
              for (const [index, each] of rounds.entries()) {
                await fleet.take(each)
                if (index % 8 === 7) await fleet.compare()
              }
              await fleet.compare()
            })
          },
        ),
        { ...numRuns(4), endOnFailure: true },
      )
    })
  }
})
