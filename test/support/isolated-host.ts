import assert from "node:assert/strict"
import { copyFileSync } from "node:fs"

import type { PostgresLedger } from "../../src/vault/config/ledger-config.ts"
import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { openLedgerOver, type LedgerOptions } from "../../src/vault/ledger/open-ledger.ts"
import type { ReserveAsk } from "../../src/vault/ledger/records/reservation.ts"
import { verdictOf } from "./audit-ledger.ts"
import { fakeClock, type FakeClock } from "./fake-clock.ts"
import { assertReserved, plainAsk, requestEntry, reserve } from "./ledger-ask.ts"
import { postgresFleet, type PostgresLedgerPlace } from "./postgres-ledger.ts"
import type { Primary } from "./postgres-suite.ts"

/** For how long a host of these may be isolated, and its part of the nonces. */
export const isolated = { forMs: 60_000, slot: 3 }

/** How long a start looks for the server; a busy machine may need as much to find it. */
export const reachMs = 3_000

export const cancel = {
  ...plainAsk,
  entry: { ...requestEntry, operation: "cancelOrder" },
  lane: "cancel",
} as const

/** Asks now, for what must be taken. */
export async function asked(ledger: Ledger, ask: Omit<ReserveAsk, "nowMs"> = cancel) {
  const reservation = await reserve(ledger, { ...ask, nowMs: ledger.now() })
  assertReserved(reservation)
  return reservation
}

/** Does it with a ledger, and closes that. */
export async function during<Done>(
  opening: Promise<Ledger>,
  work: (ledger: Ledger) => Promise<Done>,
): Promise<Done> {
  const ledger = await opening
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

/** A host whose relay can be taken away. */
export type Host = {
  readonly place: PostgresLedgerPlace
  readonly clock: FakeClock
  readonly open: (options?: Partial<LedgerOptions>) => Promise<Ledger>
  /** Opens it where PostgreSQL is reached, and closes it. */
  readonly reached: <Done = void>(
    work?: (ledger: Ledger) => Promise<Done>,
    options?: Partial<LedgerOptions>,
  ) => Promise<Done>
  /** The same where it isn't: the ledger is isolated then. */
  readonly parted: <Done>(
    work: (ledger: Ledger) => Promise<Done>,
    options?: Partial<LedgerOptions>,
  ) => Promise<Done>
}

export function hostAt(place: PostgresLedgerPlace): Host {
  const clock = fakeClock()
  const open: Host["open"] = (options) => openLedgerOver(place.openStore, { clock, ...options })
  return {
    ...{ place, clock, open },
    reached: (work = () => Promise.resolve() as Promise<never>, options) =>
      during(
        openReached(() => open(options)),
        work,
      ),
    async parted(work, options) {
      await place.part()
      try {
        return await during(open(options), (ledger) => {
          assert.ok(ledger.isolated)
          return work(ledger)
        })
      } finally {
        place.mend()
      }
    },
  }
}

/** A busy machine may not find the server in time: what is isolated then is opened anew, as a supervisor does. */
async function openReached(open: () => Promise<Ledger>): Promise<Ledger> {
  for (;;) {
    const ledger = await open()
    if (ledger.isolated === undefined) return ledger
    await ledger.broken
    await ledger.close()
  }
}

/** Hosts that may be isolated, and have the ledger's first entries. */
export async function isolatedHosts(
  primary: Primary,
  names: readonly string[],
  settings: Partial<PostgresLedger> = {},
): Promise<readonly Host[]> {
  const places = await postgresFleet(primary, names, { isolated, reachMs, ...settings })
  const hosts = places.map(hostAt)
  const [first, ...others] = hosts
  assert.ok(first)
  await first.reached((ledger) => asked(ledger))
  for (const { place } of others) copyFileSync(first.place.file, place.file)
  for (const { reached } of others) await reached((ledger) => asked(ledger))
  return hosts
}

/** With a host and another one. The ledgers that they leave must be whole. */
export async function withIsolated(
  primary: Primary,
  use: (host: Host, other: Host) => Promise<void>,
): Promise<void> {
  const hosts = await isolatedHosts(primary, ["a", "b"])
  const [other, host] = hosts
  assert.ok(other && host)
  try {
    await use(host, other)
    for (const { place } of hosts) assert.equal((await verdictOf(place.file)).flaw, undefined)
  } finally {
    await Promise.all(hosts.map(({ place }) => place.remove()))
  }
}
