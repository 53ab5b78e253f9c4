import assert from "node:assert/strict"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { describe, it, type TestContext } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import { startCountingVenue } from "./counting-venue.ts"
import { makeFleetSite, startFleet, type Fleet } from "./crash-fleet.ts"
import { createCrashLoad, type Door } from "./crash-load.ts"
import { assertSameTables, checkBatches } from "./fleet-checker.ts"
import { allSign, fleetEvents, type Around, type FleetEvent } from "./fleet-events.ts"
import { stateOf } from "./fleet-host.ts"
import { tellRun, tellSilences, told, type CheckedFleet } from "./fleet-report.ts"
import { silenceAfter, type Silence } from "./fleet-silence.ts"
import { createOutsideChecker, type OutsideChecker } from "./outside-checker.ts"
import { query } from "./read-ledger.ts"
import { seededRandom, type SeededRandom } from "./seeded-random.ts"
import { keepSignings, type Signings } from "./signings.ts"

const seed = process.env["CRASH_SEED"] ?? String(randomInt(2 ** 32))

/** More than are asked for in a run, and for each time as long that it is. */
const symbols = { least: 250, often: 100 }

/** Twice what a busy machine needs, and for each time as long that a run is. */
const longestMs = { least: 720_000, often: 180_000 }

/** Kills, stops and cuts off hosts that share a ledger, and holds what they recorded against what they signed. */
export function describeKilledFleet(times: number): void {
  const timeout = longestMs.least + times * longestMs.often
  describe("three hosts that are killed again and again", { timeout }, () => {
    it("record all that they sign, once, and pass no cap", (t) => startRun(t, times))
  })
}

async function startRun(t: TestContext, times: number): Promise<void> {
  t.diagnostic(`seed ${seed}`)
  const startedMs = performance.now()
  const tellTime = (what: string): void => {
    t.diagnostic(`${what} after ${Math.round((performance.now() - startedMs) / 1_000)} s`)
  }
  const random = seededRandom(seed)
  const ofSymbols = Math.max(symbols.least, times * symbols.often)
  const site = await makeFleetSite({ symbols: ofSymbols, isolates: true })
  const checker = createOutsideChecker(site.sites[0]?.signers ?? [], true)
  const venue = await startCountingVenue(random, (sent) => checker.receive(sent))
  const fleet = await startFleet(t, site, venue.url)
  try {
    const { firstLedger } = site
    await checkRun(t, { fleet, random, checker, times, firstLedger, tellTime })
  } catch (error) {
    for (const host of fleet.hosts) t.diagnostic(await stateOf(host))
    throw error
  } finally {
    await Promise.all(fleet.hosts.map((host) => host.end()))
    venue.close()
    await site.remove()
  }
  tellTime("all done")
}

type Run = {
  readonly fleet: Fleet
  readonly random: SeededRandom
  readonly checker: OutsideChecker
  readonly times: number
  readonly firstLedger: string
  tellTime(what: string): void
}

/** So that the budget of the address that has most is spent now and then, and hardly another's. */
const longestPauseMs = 120

async function checkRun(t: TestContext, run: Run): Promise<void> {
  const { fleet, random, checker } = run
  const { hosts } = fleet
  const signings = keepSignings()
  const doors = hosts.map(({ door }) => door)
  const onSigned = (door: Door): void => signings.note(hosts[doors.indexOf(door)]?.name ?? "")
  const [{ site } = assert.fail()] = hosts
  const load = createCrashLoad({ site, doors, random, checker, onSigned, longestPauseMs })

  const ending = new AbortController()
  const loaded = load.run(once(ending.signal, "abort"))
  loaded.catch((error: unknown) => ending.abort(error))
  const silences: Silence[] = []
  try {
    run.tellTime("loaded")
    await haveAllHappen(run, signings, { silences, stop: ending.signal })
    run.tellTime("all had happened")
    await load.fillCaps() // while the load goes on
    await makeAnew(run, signings)
  } finally {
    t.diagnostic(`events: ${silences.map(({ what }) => what).join(", ")}`)
    ending.abort()
  }
  await loaded
  const repeated = await load.repeatAtEach()
  const caps = await load.fillCaps()
  await endAll(t, fleet)
  run.tellTime("ended")
  checker.recoverSigners()
  const ledger = await checkCopies(fleet, checker)
  tellSilences(t, silences)
  tellRun(t, { ...load.counts, ...ledger, ...repeated, caps, checker, silences })
  assert.equal(ledger.spentSymbols, caps)
  assert.equal(load.counts.refusals.get("signer_pace"), undefined, "hosts keep each other back")
}

/** Fills `silences` as it goes. */
async function haveAllHappen(
  { fleet, times }: Run,
  signings: Signings,
  { silences, stop }: { readonly silences: Silence[]; readonly stop: AbortSignal },
): Promise<void> {
  const around: Around = { ...fleet, random: seededRandom(`${seed}/events`), signings }
  await allSign(around)
  for (const event of planned(around.random, times)) {
    stop.throwIfAborted()
    await sleep(around.random.below(100))
    silences.push(await silenceAfter(event, around))
  }
  // Nothing that came late ends a vault after this.
  await sleep(calmMs)
  await allSign(around)
}

const calmMs = 1_000

/** What happens, in an order of the seed's. */
function planned(random: SeededRandom, times: number): readonly FleetEvent[] {
  const all = Object.entries(fleetEvents) as readonly [FleetEvent, { readonly share: number }][]
  return random.shuffled(
    all.flatMap(([event, { share }]) =>
      Array<FleetEvent>(Math.max(1, Math.round(share * times))).fill(event),
    ),
  )
}

/** Has one host make its copy anew of what PostgreSQL has, from the ledger as it was moved there. */
async function makeAnew({ fleet: { hosts }, firstLedger }: Run, signings: Signings): Promise<void> {
  const host = hosts.at(-1)
  assert.ok(host)
  const last = host.vault()
  host.restore(firstLedger)
  last.kill()
  while (host.vault() === last) await sleep(5)
  assert.equal(await host.vault().started, "ready", host.vault().stderr())
  await allSign({ hosts, signings })
}

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

/** Holds each copy against what was signed, and all against each other and against what PostgreSQL has. */
async function checkCopies(
  { hosts, servers, publicKeys }: Fleet,
  checker: OutsideChecker,
): Promise<CheckedFleet> {
  const { batches, last } = await checkBatches({ server: servers.primary(), publicKeys })
  const head = servers.head()
  assert.equal(`${last?.seq}|${last?.hash}`, head)
  const checked = []
  for (const { site } of hosts) {
    checked.push(await checker.checkLedger(site.ledgerFile))
    assert.equal(headIn(site.ledgerFile), head)
  }
  const [first] = checked
  assert.ok(first)
  for (const each of checked) assert.deepEqual(each, first)
  const tables = assertSameTables(hosts.map(({ site }) => site.ledgerFile))
  return { ...first, batches, tables }
}

function headIn(ledgerFile: string): string {
  const last = "SELECT seq, lower(hex(hash)) AS hash FROM entries ORDER BY seq DESC LIMIT 1"
  const [{ seq, hash } = {}] = query(ledgerFile, last)
  return `${String(seq)}|${String(hash)}`
}
