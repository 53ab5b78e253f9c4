import assert from "node:assert/strict"
import { randomInt } from "node:crypto"
import { after, before, describe, it, type TestContext } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

import { failures, type CrashPostgres, type Failure } from "./crash-on-postgres.ts"
import { crashAtUrl, makeCrashSite, type CrashSite, type CrashVault } from "./crash-site.ts"
import { createCrashLoad, type CrashLoad } from "./crash-load.ts"
import { startCountingVenue } from "./counting-venue.ts"
import { startGateProcess, type GateProcess } from "./gate-process.ts"
import { createOutsideChecker } from "./outside-checker.ts"
import { query } from "./read-ledger.ts"
import { seededRandom, type SeededRandom } from "./seeded-random.ts"

/**
 * Where a vault is killed: after a stage of a request, of a batch, of a send; once a bot has its answer and
 * nothing else goes on; while it starts; at any time.
 */
const points = [
  ...["parsed", "judged", "reserved", "written", "committed", "durable", "signed", "answered"],
  ...["sent", "told", "starting", "any"],
] as const

/** With PostgreSQL a batch is durable there before it is committed here. */
const pointsOfCopy = [...points, "replicated"] as const
type Point = (typeof pointsOfCopy)[number]

/** How a vault's life ends: it is killed, or ends itself because of what its ledger depends on. */
type End = Point | Failure

const seed = process.env["CRASH_SEED"] ?? String(randomInt(2 ** 32))

/** A vault that isn't where it is to be killed by then is killed anyway, and that doesn't count. */
const longestLifeMs = 60_000

/**
 * Kills vaults under load, each point's `killsAtEach`, and holds what they recorded against what they signed. Where their
 * ledger is on PostgreSQL, servers and relay fail as often.
 */
export function describeKilledVault(
  killsAtEach: number,
  startPostgres?: () => Promise<CrashPostgres>,
): void {
  describe("a vault that is killed again and again", { timeout: 1_800_000 }, () => {
    const ends: readonly End[] =
      startPostgres === undefined ? points : [...pointsOfCopy, ...failures]
    let postgres: CrashPostgres | undefined
    let site: CrashSite
    before(async () => {
      postgres = await startPostgres?.()
      site = await makeCrashSite(Math.max(20, points.length * killsAtEach), postgres)
    })
    after(async () => {
      await site.remove()
      await postgres?.close()
    })

    it("has recorded all that it signed, signs nothing twice, and passes no cap", async (t) => {
      const startedMs = performance.now()
      const random = seededRandom(seed)
      const checker = createOutsideChecker(site.signers)
      const venue = await startCountingVenue(random, (sent) => checker.receive(sent))
      t.after(() => venue.close())
      const gate = await startCrashGate(t, site, venue.url)
      assert.equal(gate.message.type, "ready", gate.stderr())
      const door = { ...site, gateUrl: `http://127.0.0.1:${gate.message.port ?? 0}` }
      const load = createCrashLoad({ site, doors: [door], random, checker })
      const kills = new Map<End, number>()
      const starts = { lastMs: 400 }

      const plan = random.shuffled(ends.flatMap((end) => Array<End>(killsAtEach).fill(end)))
      for (const [life, end] of plan.entries()) {
        // A copy of PostgreSQL's may lack its last batch until the next start.
        if (postgres === undefined && life % 10 === 0) await checker.checkLedger(site.ledgerFile)
        // Now and then the clock was set back meanwhile: back behind the nonces that were used.
        const bornMs = performance.now()
        const vault = site.startVault(random.isOneIn(2) ? random.below(3_000) : 0)
        checker.recoverSigners() // while it starts
        t.after(() => vault.kill())
        const lived = await liveUntil(end, { vault, bornMs, starts, gate, load, random, postgres })
        assert.equal(lived, "ended as meant")
        kills.set(end, (kills.get(end) ?? 0) + 1)
      }

      const last = site.startVault()
      t.after(() => last.kill())
      assert.equal(await last.started, "ready", last.stderr())
      await load.signOne()
      await load.run(sleep(200))
      last.kill("SIGTERM")
      assert.equal(await last.ended, 0, last.stderr())
      checker.recoverSigners()
      const ledger = await checker.checkLedger(site.ledgerFile)
      if (postgres !== undefined) assert.equal(headIn(site.ledgerFile), postgres.head())

      const { requests, repeats, lost, refusals } = load.counts
      const seconds = Math.round((performance.now() - startedMs) / 1_000)
      t.diagnostic(
        [
          `seed ${seed}: ${plan.length} kills (${told(kills)})`,
          `${requests} requests, ${lost} of them without an answer, ${repeats} repeats`,
          `${checker.signatures()} signatures, ${ledger.records} records, ${ledger.withoutSignature} of them without a signature`,
          `${ledger.spentSymbols} caps reached exactly`,
          `refusals: ${told(refusals)}`,
          `${seconds} s`,
        ].join("; "),
      )
      assert.ok(ledger.withoutSignature > 0, "no kill came between record and signature")
    })
  })
}

type Life = {
  readonly vault: CrashVault
  readonly gate: GateProcess
  readonly load: CrashLoad
  readonly random: SeededRandom
  readonly bornMs: number
  /** How long the last start took that came to its end. */
  readonly starts: { lastMs: number }
  readonly postgres: CrashPostgres | undefined
}

/** Has a vault sign under load until its life ends as it is to. */
async function liveUntil(end: End, life: Life): Promise<"ended as meant" | "too late"> {
  const { vault, load, random, starts } = life
  if (end === "starting") {
    setTimeout(() => vault.kill(), random.below(starts.lastMs))
    assert.equal(await vault.ended, "SIGKILL", vault.stderr())
    return "ended as meant"
  }
  assert.equal(await vault.started, "ready", vault.stderr())
  starts.lastMs = Math.ceil(performance.now() - life.bornMs)
  await load.signOne()
  if (isFailure(end)) void failSoon(end, life)
  else if (end === "told") vault.kill()
  else aim(end, life)
  const ending = { isLate: false }
  const deadline = setTimeout(() => {
    ending.isLate = true
    vault.kill()
  }, longestLifeMs)
  await load.run(vault.ended)
  clearTimeout(deadline)
  if (ending.isLate) return "too late"
  assert.equal(await vault.ended, isFailure(end) ? endedByLedger : "SIGKILL", vault.stderr())
  if (isFailure(end)) await life.postgres?.mend(end)
  return "ended as meant"
}

/** The exit code of a vault that lost its ledger. */
const endedByLedger = 1

function isFailure(end: End): end is Failure {
  return (failures as readonly End[]).includes(end)
}

async function failSoon(what: Failure, { postgres, random }: Life): Promise<void> {
  await sleep(random.below(150))
  await postgres?.fail(what)
}

function aim(point: Exclude<Point, "told" | "starting">, { vault, gate, random }: Life): void {
  if (point === "any") setTimeout(() => vault.kill(), random.below(150))
  else if (point === "sent") {
    gate.child.send({ stage: point, count: 1 + random.below(15), pid: vault.pid })
  } else vault.crashAt({ stage: point, count: 1 + random.below(40) })
}

/** The real gate, which can be told to kill the vault once it has sent something. */
function startCrashGate(t: TestContext, site: CrashSite, venueUrl: string): Promise<GateProcess> {
  const args = ["--port", "0", "--bot-socket", site.botSocket, "--upstream", venueUrl]
  const preload = [`--import=${crashAtUrl}`, `--allow-fs-read=${fileURLToPath(crashAtUrl)}`]
  return startGateProcess(t, args, { NODE_OPTIONS: preload.join(" ") })
}

/** The last entry in a ledger, as {@link CrashPostgres.head} tells it. */
export function headIn(ledgerFile: string): string {
  const last = "SELECT seq, lower(hex(hash)) AS hash FROM entries ORDER BY seq DESC LIMIT 1"
  const [{ seq, hash } = {}] = query(ledgerFile, last)
  return `${String(seq)}|${String(hash)}`
}

function told(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ")
}
