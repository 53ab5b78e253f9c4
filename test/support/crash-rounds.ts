import assert from "node:assert/strict"
import { randomInt } from "node:crypto"
import { after, before, describe, it, type TestContext } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

import { crashAtUrl, makeCrashSite, type CrashSite, type CrashVault } from "./crash-site.ts"
import { createCrashLoad, type CrashLoad } from "./crash-load.ts"
import { startCountingVenue } from "./counting-venue.ts"
import { startGateProcess, type GateProcess } from "./gate-process.ts"
import { createOutsideChecker } from "./outside-checker.ts"
import { seededRandom, type SeededRandom } from "./seeded-random.ts"

/**
 * Where a vault is killed: after a stage of a request, of a batch, of a send; once a bot has its answer and
 * nothing else goes on; while it starts; at any time.
 */
const points = [
  ...["parsed", "judged", "reserved", "written", "committed", "durable", "signed", "answered"],
  ...["sent", "told", "starting", "any"],
] as const
type Point = (typeof points)[number]

const seed = process.env["CRASH_SEED"] ?? String(randomInt(2 ** 32))

/** A vault that isn't where it is to be killed by then is killed anyway, and that doesn't count. */
const longestLifeMs = 60_000

/** Kills vaults under load, each point's `killsAtEach`, and holds what they recorded against what they signed. */
export function describeKilledVault(killsAtEach: number): void {
  describe("a vault that is killed again and again", { timeout: 1_800_000 }, () => {
    let site: CrashSite
    before(async () => {
      site = await makeCrashSite(Math.max(20, points.length * killsAtEach))
    })
    after(() => site.remove())

    it("has recorded all that it signed, signs nothing twice, and passes no cap", async (t) => {
      const startedMs = performance.now()
      const random = seededRandom(seed)
      const checker = createOutsideChecker(site.signers)
      const venue = await startCountingVenue(random, (sent) => checker.receive(sent))
      t.after(() => venue.close())
      const gate = await startCrashGate(t, site, venue.url)
      assert.equal(gate.message.type, "ready", gate.stderr())
      const gateUrl = `http://127.0.0.1:${gate.message.port ?? 0}`
      const load = createCrashLoad({ site, gateUrl, random, checker })
      const kills = new Map<Point, number>()
      const starts = { lastMs: 400 }

      const plan = random.shuffled(points.flatMap((point) => Array<Point>(killsAtEach).fill(point)))
      for (const [life, point] of plan.entries()) {
        if (life % 10 === 0) await checker.checkLedger(site.ledgerFile)
        // Now and then the clock was set back meanwhile: back behind the nonces that were used.
        const bornMs = performance.now()
        const vault = site.startVault(random.isOneIn(2) ? random.below(3_000) : 0)
        checker.recoverSigners() // while it starts
        t.after(() => vault.kill())
        const lived = await liveUntil(point, { vault, bornMs, starts, gate, load, random })
        assert.equal(lived, "killed")
        kills.set(point, (kills.get(point) ?? 0) + 1)
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
}

/** Has a vault sign under load until it is killed where it is to be. */
async function liveUntil(point: Point, life: Life): Promise<"killed" | "too late"> {
  const { vault, load, random, starts } = life
  if (point === "starting") {
    setTimeout(() => vault.kill(), random.below(starts.lastMs))
    assert.equal(await vault.ended, "SIGKILL", vault.stderr())
    return "killed"
  }
  assert.equal(await vault.started, "ready", vault.stderr())
  starts.lastMs = Math.ceil(performance.now() - life.bornMs)
  await load.signOne()
  if (point === "told") vault.kill()
  else aim(point, life)
  const ending = { isLate: false }
  const deadline = setTimeout(() => {
    ending.isLate = true
    vault.kill()
  }, longestLifeMs)
  await load.run(vault.ended)
  clearTimeout(deadline)
  assert.equal(await vault.ended, "SIGKILL", vault.stderr())
  return ending.isLate ? "too late" : "killed"
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

function told(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ")
}
