// A freeze on one of several hosts, under load, with sessions that break: once it is answered, nothing comes out anywhere.

import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { Fault } from "../../src/std/fault.ts"
import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { openLedgerOver } from "../../src/vault/ledger/open-ledger.ts"
import { quietMs } from "../../src/vault/ledger/postgres/server-sql.ts"
import { systemClock } from "../../src/vault/process/clock.ts"
import { plainAsk } from "../support/ledger-ask.ts"
import { postgresFleet, type PostgresLedgerPlace } from "../support/postgres-ledger.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"
import { numRuns } from "../support/runs.ts"
import { seededRandom } from "../support/seeded-random.ts"

/** What the product promises where all answer, and where a session broke off; three times as much for a busy machine. */
const promisedMs = { usual: 1_000, broken: 3_000 } as const
const freezes = numRuns(40).numRuns
const seed = process.env["FREEZE_SEED"] ?? String(Date.now())

/** Four times what a busy machine needs. */
const longestMs = 60_000 + freezes * 2_000

describe("a freeze on one of several hosts", { timeout: longestMs, ...needsPostgres }, () => {
  const primary = primaryOfSuite()

  it("is answered once nothing that was decided before it can come out of any host", async (t) => {
    const random = seededRandom(seed)
    const places = await postgresFleet(primary(), ["a", "b", "c"])
    const sessions = { lastMs: performance.now() }
    const hosts = places.map((place) => openHost(place, sessions))
    for (const host of hosts) await host.act({ act: "thawed", ...everything }) // no copy is empty
    const load = startLoad(hosts)
    const tookMs: Took = { usual: [], broken: [] }
    try {
      for (let count = 0; count < freezes; count += 1) {
        await pause(random.below(30))
        const [host, other, third] = random.shuffled(hosts)
        assert.ok(host && other && third)
        if (random.isOneIn(10)) other.breakOff()
        const quietFromMs = performance.now() - quietMs
        const ms = await freezeOnce(host, third, { load, forMs: random.below(20) })
        tookMs[sessions.lastMs >= quietFromMs ? "broken" : "usual"].push(ms)
      }
    } finally {
      await load.stop()
      await Promise.all(hosts.map((host) => host.close()))
      await Promise.all(places.map((each) => each.remove()))
    }
    tell(t, tookMs, load.counts.signed)
    assert.deepEqual(load.counts.late, [])
    assert.ok(load.counts.signed > freezes, `${load.counts.signed} signatures`)
    assertKept(tookMs)
  })
})

function assertKept(tookMs: Took): void {
  for (const how of ["usual", "broken"] as const) {
    assert.ok(Math.max(0, ...tookMs[how]) <= 3 * promisedMs[how], how)
  }
}

type Took = Record<keyof typeof promisedMs, number[]>

type Load = {
  readonly counts: { signed: number; readonly late: string[] }
  /** From when a freeze is answered until somebody is about to thaw it. */
  isFrozen: boolean
  stop(): Promise<void>
}

/** Has each host sign as fast as it can. */
function startLoad(hosts: readonly Host[]): Load {
  const load = { counts: { signed: 0, late: [] as string[] }, isFrozen: false, isOver: false }
  const running = hosts.flatMap((host) =>
    Array.from({ length: 4 }, async () => {
      while (!load.isOver) {
        const isSigned = await host.sign()
        if (isSigned && load.isFrozen) load.counts.late.push(host.name)
        if (isSigned) load.counts.signed += 1
        else await pause(1)
      }
    }),
  )
  return Object.assign(load, {
    async stop() {
      load.isOver = true
      await Promise.all(running)
    },
  })
}

/** Returns how long it took until the freeze was answered, in milliseconds. */
async function freezeOnce(
  host: Host,
  thawing: Host,
  { load, forMs }: { readonly load: Load; readonly forMs: number },
): Promise<number> {
  const askedMs = performance.now()
  await host.act({ act: "frozen", ...everything, ...why })
  const tookMs = performance.now() - askedMs
  load.isFrozen = true
  await pause(forMs)
  load.isFrozen = false
  await thawing.act({ act: "thawed", ...everything })
  return tookMs
}

const everything = { scope: "all", name: null } as const
const why = { reason: "a drill", by: "operator", cancels: false, since: 0 } as const

type Host = {
  readonly name: string
  /** Whether a signature came out. */
  sign(): Promise<boolean>
  /** Done again where the session broke meanwhile. */
  act(entry: Parameters<Ledger["act"]>[0]): Promise<void>
  /** Ends its session at the server, as a network does. */
  breakOff(): void
  close(): Promise<void>
}

/** When a session broke off or was opened last: answers wait after both. */
type Sessions = { lastMs: number }

/** A host that opens its ledger anew whenever that breaks, as a supervisor has it. */
function openHost(of: PostgresLedgerPlace, sessions: Sessions): Host {
  let opened = openAgain(of, sessions)
  const again = (broken: Ledger): void => {
    sessions.lastMs = performance.now()
    const before = opened
    opened = before.then(async (ledger) => {
      if (ledger !== broken) return ledger
      await ledger.close()
      return openAgain(of, sessions)
    })
  }
  return {
    name: of.postgres.host,
    async sign() {
      const ledger = await opened
      try {
        return await ledger.decide([], (turn) => {
          const isStopped = ledger.bindings().freezes.length > 0
          const kind = isStopped ? "refused" : turn.reserve({ ...plainAsk, nowMs: turn.nowMs }).kind
          return () => kind === "reserved"
        })
      } catch {
        again(ledger)
        return false
      }
    },
    async act(entry) {
      for (;;) {
        const ledger = await opened
        try {
          await ledger.act(entry, ledger.now())
          return
        } catch {
          again(ledger)
        }
      }
    },
    breakOff() {
      of.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countersign ${of.postgres.host}'`,
      )
      sessions.lastMs = performance.now()
    },
    close: async () => (await opened).close(),
  }
}

/** Until it opens: its session may be broken as soon as it is there. */
async function openAgain(of: PostgresLedgerPlace, sessions: Sessions): Promise<Ledger> {
  for (;;) {
    try {
      const ledger = await openOnce(of)
      sessions.lastMs = performance.now()
      return ledger
    } catch (error) {
      if (!(error instanceof Fault && error.code === "ledger_unavailable")) throw error
    }
  }
}

async function openOnce({ openStore }: PostgresLedgerPlace): Promise<Ledger> {
  const ledger = await openLedgerOver(openStore, { clock: systemClock })
  try {
    await ledger.replaceMeters(() => [], 0)
    return ledger
  } catch (error) {
    await ledger.close()
    throw error
  }
}

function tell(t: TestContext, tookMs: Took, signed: number): void {
  const figures = Object.entries(tookMs).map(([how, all]) => {
    const sorted = all.toSorted((one, other) => one - other)
    const [p50, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    return `${how}: ${all.length}, p50 ${Math.round(p50 ?? 0)} ms, most ${Math.round(most ?? 0)} ms`
  })
  t.diagnostic([`seed ${seed}: ${signed} signatures; freezes`, ...figures].join("; "))
}
