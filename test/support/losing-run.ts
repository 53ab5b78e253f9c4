import assert from "node:assert/strict"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import { marketControlPaths } from "../../src/sandbox/market-control.ts"
import { bot, type Answer } from "./bot.ts"
import { countersign } from "./countersign.ts"
import { truePrices } from "./guarded-checker.ts"
import { equityLine, startGuardedSite, type GuardedSite } from "./guarded-site.ts"
import { processesBelow, signalProcess } from "./process-tree.ts"
import { seededRandom, type SeededRandom } from "./seeded-random.ts"

const path = "/v1/trade/orders"
const max = 3_000
const callers = 4
const kills = 4
/** For how long bots go on asking after the guard has tripped. */
const afterTripMs = 8_000
const longestMs = 80_000
const slippage = 0.01
const feeRate = 0.001

/** A price that rests, then falls by a thousandth a second, with a step now and then. */
function priceLines(random: SeededRandom): string {
  const startMs = Date.parse("2026-05-28T12:00:00Z")
  let price = 64_000
  return Array.from({ length: 120 }, (_, second) => {
    if (second > 15) price *= 1 - 0.001 * (random.isOneIn(8) ? 4 : 1)
    return `${startMs + second * 1_000},BTC-PERP,${price.toFixed(1)}\n`
  }).join("")
}

type Row = {
  readonly kind: string
  readonly act?: string
  readonly at_ms: number
  readonly operation?: string
  readonly since?: number
  readonly lost?: string
}
/** What the market really was at a moment. */
type Truth = { readonly atMs: number; readonly price: number; readonly equity: number }

/** Has bots buy into a falling market under a guard on losses while its daemon's processes are killed. */
export function describeLosingRun(seed: string): void {
  describe(`an account that loses under load, seed ${seed}`, { timeout: 300_000 }, () => {
    const random = seededRandom(`losses/${seed}`)
    let home: string
    let site: GuardedSite
    before(async () => {
      home = await mkdtemp(join(tmpdir(), "cs-losing-"))
      await writeFile(join(home, "prices"), priceLines(random))
      site = await startGuardedSite({
        ...{ market: ["--market", join(home, "prices")], lag: "300ms", expiresIn: "2s" },
        ...{ guard: `drawdown: {max: "${max}"}`, account: equityLine },
        faults: [
          { kind: "drop_after", path, chance: 0.05 },
          { kind: "latency", ms: 500, path: "/v1/account/", chance: 0.15 },
          { kind: "error_before", path: "/v1/account/equity", chance: 0.1 },
        ],
      })
    })
    after(async () => {
      await site.remove()
      await rm(home, { recursive: true, force: true })
    })

    it("opens nothing once it has lost too much, and loses no more than prices do to what it holds", async (t) => {
      const run = startRun(site, random)
      const tripped = await run.tripped()
      await sleep(afterTripMs)
      await run.stop()
      const rows = await readRows(site)
      const trip = rows.findIndex(({ act }) => act === "guard_tripped")
      const granted = rows.flatMap((row, index) => (isOpener(row) ? [index] : []))
      assert.ok(trip >= 0 && granted.length >= 10, `${granted.length} granted`)
      assert.deepEqual(
        granted.filter((index) => index > trip),
        [],
        "an opener is granted after the trip",
      )
      assert.ok((run.refusals.get("guard_tripped") ?? 0) > 10, JSON.stringify([...run.refusals]))
      assert.ok((run.refusals.get("guard_exceeded") ?? 0) > 0, JSON.stringify([...run.refusals]))

      const bound = boundOf(run.truths, { tripped, rows, trip, held: await heldIn(site) })
      t.diagnostic(
        `seed ${seed}: ${granted.length} granted, ${run.killed()} kills; refusals ${[...run.refusals].join(" ")}; ${bound.told}`,
      )
      assert.ok(bound.lost <= bound.most, bound.told)
      assert.ok(bound.lost > max, "so that it could have been passed")
    })
  })
}

function isOpener({ kind, operation }: Row): boolean {
  return kind === "request" && operation === "placeOrder"
}

/** What was lost, and the most that may have been: the bound, what prices did to the position since, and what was in flight. */
function boundOf(
  truths: readonly Truth[],
  {
    tripped,
    rows,
    trip,
    held,
  }: {
    readonly tripped: number
    readonly rows: readonly Row[]
    readonly trip: number
    readonly held: number
  },
) {
  const [first, last] = [truths[0], truths.at(-1)]
  if (first === undefined || last === undefined) throw new Error("nothing was seen")
  // The reading before the one that tripped was begun this long before it at most.
  const since = truths.filter(({ atMs }) => atMs >= tripped - 6_000)
  const move = Math.max(...since.map(({ price }) => price)) - last.price
  const late = rows.slice(0, trip).filter((row) => isOpener(row) && row.at_ms >= tripped - 12_000)
  const inFlight = late.length * 0.2 * last.price * (slippage + feeRate)
  const lost = Math.max(...truths.map(({ equity }) => equity)) - last.equity
  const most = max + held * move + inFlight
  const figures = { lost, max, held, move, inFlight, most }
  const told = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(2)}`)
  return { lost, most, told: told.join(", ") }
}

function startRun(site: GuardedSite, random: SeededRandom) {
  const truths: Truth[] = []
  const refusals = new Map<string, number>()
  let [isOver, killed] = [false, 0]

  async function watch(): Promise<void> {
    while (!isOver) {
      truths.push(await truthOf(site))
      await sleep(200)
    }
  }

  async function ask(token: string): Promise<void> {
    while (!isOver) {
      const body = {
        ...{ symbol_id: 1, is_buy: true, quantity: random.pick(["0.02", "0.05", "0.2"]) },
        ...{ order_type: "market", slippage: String(slippage) },
      }
      const to = random.isOneIn(4) ? `/sign${path}` : path
      const answer = await bot(site.daemon.url, token)
        .post(to, body, { "Countersign-Expires-In": "1500" })
        .catch(() => undefined) // it was killed meanwhile
      if (answer !== undefined) note(answer)
      await sleep(50 + random.below(200))
    }
  }

  function note({ status, json: { code } }: Answer): void {
    if (status === 403) refusals.set(code, (refusals.get(code) ?? 0) + 1)
  }

  async function kill(): Promise<void> {
    while (!isOver && killed < kills) {
      await sleep(4_000 + random.below(4_000))
      const name = random.pick(["vault/main", "vault/main", "gate/main"])
      const found = processesBelow(site.daemon.pid).find((each) => each.commandLine.includes(name))
      if (found === undefined) continue // it is being started again
      signalProcess(found.pid, "SIGKILL")
      killed += 1
    }
  }

  const tokens = Array.from({ length: callers }, (_, index) => site.tokens[index % 2]!)
  const all = Promise.all([watch(), kill(), ...tokens.map(ask)])
  return {
    ...{ truths, refusals },
    killed: () => killed,
    async stop() {
      isOver = true
      await all
    },
    /** About when. */
    async tripped(): Promise<number> {
      const lastMs = Date.now() + longestMs
      while (!refusals.has("guard_tripped")) {
        assert.ok(Date.now() < lastMs, `it doesn't trip: ${JSON.stringify([...refusals])}`)
        await sleep(50)
      }
      return Date.now()
    },
  }
}

type MarketTruth = {
  readonly now_ms: number
  readonly accounts: readonly {
    readonly account_address: string
    readonly equity: string
    readonly positions: readonly { readonly quantity: string }[]
  }[]
}

async function marketOf({ venue, account }: GuardedSite) {
  const answer = await fetch(venue.url + marketControlPaths.market)
  const { data } = (await answer.json()) as { readonly data: MarketTruth }
  const own = data.accounts.find((each) => each.account_address === account)
  return { atMs: data.now_ms, own: own ?? assert.fail("the sandbox doesn't know the account") }
}

async function truthOf(site: GuardedSite): Promise<Truth> {
  const { atMs, own } = await marketOf(site)
  const price = (await truePrices(site.venue.url)).get(1) ?? 0
  return { atMs, price, equity: Number(own.equity) }
}

async function heldIn(site: GuardedSite): Promise<number> {
  const { own } = await marketOf(site)
  return Number(own.positions[0]?.quantity ?? "0")
}

async function readRows({ dir }: GuardedSite): Promise<readonly Row[]> {
  const { stdout } = await countersign(["audit", "export", "--dir", dir])
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => (JSON.parse(line) as { readonly row: Row }).row)
}
