import assert from "node:assert/strict"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { describe, it, type TestContext } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import { createCrashLoad, type Door } from "./crash-load.ts"
import { startCountingVenue } from "./counting-venue.ts"
import { fleetEvents, happen, type Around, type FleetEvent, type Happened } from "./fleet-events.ts"
import type { FleetHost } from "./fleet-host.ts"
import { makeFleetSite, startFleet, type Fleet } from "./crash-fleet.ts"
import { createOutsideChecker, type OutsideChecker } from "./outside-checker.ts"
import { query } from "./read-ledger.ts"
import { seededRandom, type SeededRandom } from "./seeded-random.ts"
import { keepSignings } from "./signings.ts"

const seed = process.env["CRASH_SEED"] ?? String(randomInt(2 ** 32))

/** What happens in a round, in an order of the seed's. */
const happenings: Readonly<Record<FleetEvent, number>> = {
  ...{ kill: 5, clock: 1, stop: 2, relay: 1, terminate: 2, cancel: 2 },
  ...{ standby: 1, primary: 1, failover: 1 },
}

/** More than are asked for in a round. */
const symbols = 250

/** Kills, stops and cuts off hosts that share a ledger, and holds what they recorded against what they signed. */
export function describeKilledFleet(rounds: number): void {
  describe("three hosts that are killed again and again", { timeout: rounds * 300_000 }, () => {
    for (let round = 1; round <= rounds; round += 1) {
      it(`record all that they sign, once, and pass no cap (${round})`, (t) =>
        runRound(t, round === 1 ? seed : `${seed}/${round}`))
    }
  })
}

type Silence = Happened & { readonly event: FleetEvent; readonly ms: number }

async function runRound(t: TestContext, seed: string): Promise<void> {
  t.diagnostic(`seed ${seed}`)
  const startedMs = performance.now()
  const random = seededRandom(seed)
  const site = await makeFleetSite(symbols)
  const checker = createOutsideChecker(site.sites[0]?.signers ?? [])
  const venue = await startCountingVenue(random, (sent) => checker.receive(sent))
  const fleet = await startFleet(t, site, venue.url)
  try {
    await checkRound(t, { fleet, random, checker, seed })
  } catch (error) {
    for (const host of fleet.hosts) t.diagnostic(await stateOf(host))
    throw error
  } finally {
    await Promise.all(fleet.hosts.map((host) => host.end()))
    venue.close()
    await site.remove()
  }
  t.diagnostic(`${Math.round((performance.now() - startedMs) / 1_000)} s`)
}

/** What a failed round is looked into by. */
async function stateOf(host: FleetHost): Promise<string> {
  const vault = host.vault()
  const state = await Promise.race([vault.started.catch(String), sleep(1, "starting")])
  return `${host.name}: ended by ${host.ends.join(" | ")}; then ${state}: ${vault.stderr()}`
}

type Round = {
  readonly seed: string
  readonly fleet: Fleet
  readonly random: SeededRandom
  readonly checker: OutsideChecker
}

async function checkRound(t: TestContext, { fleet, random, checker, seed }: Round): Promise<void> {
  const { hosts } = fleet
  const signings = keepSignings()
  const doors = hosts.map(({ door }) => door)
  const onSigned = (door: Door): void => signings.note(hosts[doors.indexOf(door)]?.name ?? "")
  const [{ site } = assert.fail()] = hosts
  const load = createCrashLoad({ site, doors, random, checker, onSigned })

  const ending = new AbortController()
  const loaded = load.run(once(ending.signal, "abort"))
  loaded.catch((error: unknown) => ending.abort(error))
  const silences: Silence[] = []
  try {
    const happening = { ...fleet, random: seededRandom(`${seed}/events`), signings }
    await haveAllHappen(happening, silences, ending.signal)
  } finally {
    t.diagnostic(`events: ${silences.map(({ what }) => what).join(", ")}`)
    ending.abort()
  }
  await loaded
  await load.repeatAtEach()
  const caps = await load.fillCaps()
  await endAll(t, fleet)
  checker.recoverSigners()
  const ledger = await checkCopies(fleet, checker)

  const { requests, repeats, lost, refusals } = load.counts
  t.diagnostic(
    [
      `${silences.length} events`,
      `${requests} requests, ${lost} of them without an answer, ${repeats} repeats`,
      `${checker.signatures()} signatures, ${ledger.records} records, ${ledger.withoutSignature} of them without a signature`,
      `${ledger.spentSymbols} of ${caps} caps reached exactly`,
      `refusals: ${told(refusals)}`,
    ].join("; "),
  )
  tellSilences(t, silences)
  assert.equal(ledger.spentSymbols, caps)
  assert.equal(refusals.get("signer_pace"), undefined, "hosts keep each other from signing")
}

/** Fills `silences` as it goes. */
async function haveAllHappen(
  around: Around,
  silences: Silence[],
  stop: AbortSignal,
): Promise<void> {
  const { hosts, random, signings } = around
  const all = Object.entries(happenings) as readonly [FleetEvent, number][]
  const plan = random.shuffled(
    all.flatMap(([event, times]) => Array<FleetEvent>(times).fill(event)),
  )
  const allSign = () => Promise.all(hosts.map(({ name }) => signings.next(name)))
  await allSign()
  for (const event of plan) {
    stop.throwIfAborted()
    await sleep(random.below(300))
    const happened = await happen[event](around)
    await allSign()
    const span = { fromMs: happened.atMs, toMs: performance.now() }
    silences.push({ ...happened, event, ms: signings.silence(span, happened.host?.name) })
  }
  // Nothing that came late ends a vault after this.
  await sleep(calmMs)
  await allSign()
}

const calmMs = 1_000

/** What is recorded a second later, of refusals and by the venue's answers, is by then. */
const settledMs = 2_000

/**
 * Stops the hosts one after the other: the first, whose ledger it was, signs a checkpoint as it ends, and each follows
 * what came before it ends.
 */
async function endAll(t: TestContext, { hosts }: Fleet): Promise<void> {
  await sleep(settledMs)
  const ends: string[] = []
  for (const host of hosts) ends.push(await host.end("SIGTERM"))
  const before = new Map<string, number>()
  for (const end of hosts.flatMap((host) => host.ends)) before.set(end, (before.get(end) ?? 0) + 1)
  t.diagnostic(`vaults ended: ${told(before)}`)
  assert.deepEqual(ends, ["0", "0", "0"])
  for (const end of before.keys()) assert.match(end, /^SIGKILL$|^1 .*\bledger_unavailable: /)
}

/** Holds each copy against what was signed, and against PostgreSQL's last entry. */
async function checkCopies({ hosts, servers }: Fleet, checker: OutsideChecker) {
  const head = servers.head()
  const checked = []
  for (const { site } of hosts) {
    checked.push(await checker.checkLedger(site.ledgerFile))
    assert.equal(headIn(site.ledgerFile), head)
  }
  const [first] = checked
  assert.ok(first)
  for (const each of checked) assert.deepEqual(each, first)
  return first
}

function headIn(ledgerFile: string): string {
  const last = "SELECT seq, lower(hex(hash)) AS hash FROM entries ORDER BY seq DESC LIMIT 1"
  const [{ seq, hash } = {}] = query(ledgerFile, last)
  return `${String(seq)}|${String(hash)}`
}

const toldMs = 1_000

function tellSilences(t: TestContext, silences: readonly Silence[]): void {
  for (const [event, all = []] of Object.entries(Object.groupBy(silences, ({ event }) => event))) {
    const sorted = all.map(({ ms }) => Math.round(ms)).sort((one, other) => one - other)
    const p50 = sorted[Math.floor(sorted.length / 2)]
    t.diagnostic(`silence of the others after ${event}: p50 ${p50} ms, max ${sorted.at(-1)} ms`)
  }
  for (const { what, event, ms } of silences.filter(({ ms }) => ms > toldMs)) {
    t.diagnostic(`${Math.round(ms)} ms: ${what}: ${fleetEvents[event] ?? "not explained"}`)
  }
}

function told(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ")
}
