import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import { bot } from "./bot.ts"
import { createGuardedAsks } from "./guarded-asks.ts"
import { createGuardedChecker, truePrices, type Bounds } from "./guarded-checker.ts"
import type { GuardedChecker } from "./guarded-checker.ts"
import { createGuardedLoad, type GuardedCounts } from "./guarded-load.ts"
import { clearFaults, startGuardedSite, type GuardedSite } from "./guarded-site.ts"
import { processesBelow, signalProcess, until } from "./process-tree.ts"
import { seededRandom, type SeededRandom } from "./seeded-random.ts"

export type GuardedSize = { readonly requests: number; readonly kills: number }

const bounds: Bounds = {
  positions: new Map([
    [1, 0.8],
    [2, 15],
  ]),
  openOrders: 20,
  openNotional: 150_000,
}

const guard = `max_position: {BTC-PERP: {net: "0.8"}, ETH-PERP: {net: "15"}}, max_open_orders: 20, max_open_notional: "150000"`

const readFaults = (path: string): readonly object[] => [
  { kind: "drop_before", path, chance: 0.03 },
  { kind: "drop_after", path, chance: 0.03 },
  { kind: "rate_limit", scope: "ip", path, chance: 0.03 },
  { kind: "error_before", path, chance: 0.03 },
  { kind: "broken_json", path, chance: 0.02 },
  { kind: "latency", ms: 900, path, chance: 0.15 },
  { kind: "clock_offset", ms: -3_000, path, chance: 0.08 },
  { kind: "clock_offset", ms: 5_000, path, chance: 0.08 },
]

const path = "/v1/trade/orders"
const faults: readonly object[] = [
  { kind: "lag", ms: 400 },
  ...readFaults("/v1/trade/open-orders"),
  ...readFaults("/v1/account/positions"),
  { kind: "drop_before", path, chance: 0.04 },
  { kind: "drop_after", path, chance: 0.08 },
  { kind: "error_before", path, chance: 0.04 },
  { kind: "error_after", path, chance: 0.08 },
  { kind: "latency", ms: 700, path, chance: 0.2 },
]

/** From one kill to the next. */
const betweenKillsMs = [2_500, 7_000] as const

/** Has bots trade a guarded account while its daemon's processes are killed, and holds it against the market's truth. */
export function describeGuardedRun(seed: string, size: GuardedSize): void {
  describe(`a guarded account under load, seed ${seed}`, { timeout: 7_200_000 }, () => {
    let site: GuardedSite
    before(async () => {
      const market = ["--market", "volatile", "--seed", seed]
      site = await startGuardedSite({ market, lag: "600ms", expiresIn: "2s", guard, faults })
    })
    after(() => site.remove())

    it("never passes its bounds, lets out always, and has its room again", async (t) => {
      const startedMs = performance.now()
      const random = seededRandom(`guards/${seed}`)
      const checker = createGuardedChecker({ ...site, url: site.venue.url }, bounds)
      const market = await watchMarket(site.venue.url, checker)
      t.after(() => market.stop())
      const asks = createGuardedAsks(random, { ...checker, prices: market.prices })
      const load = createGuardedLoad({ site, random, asks, checker })
      const killing = killAgainAndAgain(site, random, size.kills)
      await load.run(() => killing.isOver() && load.counts.requests >= size.requests)
      await checker.catchUp()
      const seconds = Math.round((performance.now() - startedMs) / 1_000)
      t.diagnostic(`seed ${seed}: ${killing.told()}; ${told(load.counts, checker)}; ${seconds} s`)

      assert.deepEqual(checker.excesses, [])
      assert.deepEqual(load.wronged, [])
      assertBusy(load.counts, checker)
      await closeAll(site, checker)
      assert.deepEqual(checker.excesses, [])
    })
  })
}

/** Follows the truth as it goes on. */
async function watchMarket(url: string, checker: GuardedChecker) {
  let prices = await truePrices(url)
  let isOver = false
  const watch = async (): Promise<void> => {
    while (!isOver) {
      await sleep(250, undefined, { ref: false })
      prices = await truePrices(url)
      await checker.catchUp()
    }
  }
  const watching = watch()
  return {
    prices: () => prices,
    async stop() {
      isOver = true
      await watching
    },
  }
}

/** Kills the vault, the gate or both at random moments, until it was so often. */
function killAgainAndAgain({ daemon }: GuardedSite, random: SeededRandom, kills: number) {
  const counts = { "vault/main": 0, "gate/main": 0 }
  const isOver = (): boolean => counts["vault/main"] + counts["gate/main"] >= kills
  const run = async (): Promise<void> => {
    while (!isOver()) {
      const [leastMs, mostMs] = betweenKillsMs
      await sleep(leastMs + random.below(mostMs - leastMs))
      const both = random.shuffled(["vault/main", "gate/main"] as const)
      for (const name of random.isOneIn(4) ? both : both.slice(1)) {
        const found = processesBelow(daemon.pid).find((each) => each.commandLine.includes(name))
        if (found === undefined) continue // it is being started again
        signalProcess(found.pid, "SIGKILL")
        counts[name] += 1
      }
    }
  }
  void run()
  return {
    isOver,
    told: () => `${counts["vault/main"]} kills of the vault, ${counts["gate/main"]} of the gate`,
  }
}

/** Of the openers that a guard would grant who knows the sandbox's truth. */
const leastShare = 0.3

/** What is safe by refusing all proves nothing. */
function assertBusy(load: GuardedCounts, { most, counts }: GuardedChecker): void {
  const { granted, refusals } = load
  assert.ok(shareOf(load) >= leastShare, `${shareOf(load)} of what fits was granted`)
  assert.ok(granted >= 40, `${granted} granted`)
  assert.ok(counts.accepted >= 25, `${counts.accepted} accepted`)
  assert.ok((refusals.get("guard_exceeded max_position") ?? 0) > 0)
  for (const [symbolId, max] of bounds.positions) {
    const came = most.positions.get(symbolId) ?? 0
    assert.ok(came >= max / 8, `the position in ${symbolId} came to ${came} at most`)
  }
}

/** Cancels and closes all, and waits until a reading gives the whole room back. */
async function closeAll(site: GuardedSite, checker: GuardedChecker): Promise<void> {
  await clearFaults(site.venue)
  const trader = bot(site.daemon.url, site.tokens[0])
  // The last kill may have been a moment ago.
  const post = (to: string, body: object) => trader.post(to, body).catch(() => undefined)
  const cancel = async () => (await post(`${path}/cancel-all`, {}))?.status === 200 || undefined
  await until(cancel, "all is cancelled")
  for (const [symbol_id, max] of bounds.positions) {
    const order = { symbol_id, order_type: "market", quantity: String(max), slippage: "0.01" }
    await until(async () => {
      await checker.catchUp()
      const held = checker.position(symbol_id)
      if (held === 0) return true
      await post(path, { ...order, is_buy: held < 0, flags: ["reduce_only"] })
      return undefined
    }, `${symbol_id} is closed`)
    await until(async () => {
      const answer = await post(`/check${path}`, { ...order, is_buy: true })
      return answer?.json.data["would_sign"] === true || undefined
    }, `there is room for ${max} of ${symbol_id}`)
    await until(async () => {
      const answer = await post(path, { ...order, is_buy: false, flags: ["reduce_only"] })
      return answer?.json.code === "nothing_to_reduce" || undefined
    }, `there is nothing to reduce of ${symbol_id}`)
  }
}

function shareOf({ fitting, fittingGranted }: GuardedCounts): number {
  return fittingGranted / fitting
}

function told(counts: GuardedCounts, { most, counts: seen }: GuardedChecker): string {
  const { requests, granted, openers, fitting, others, lost, sent, kept, refusals } = counts
  const positions = Array.from(most.positions, ([id, came]) => `${came} of ${id}`).join(", ")
  const refused = Array.from(refusals, ([code, count]) => `${code} ${count}`).join(", ")
  return [
    `${requests} requests, ${lost} without an answer`,
    `${granted} granted that can open, with ${openers} orders; ${others} others signed`,
    `${Math.round(shareOf(counts) * 100)} % granted of the ${fitting} openers that an omniscient guard would have granted`,
    `bots sent ${sent} themselves and kept ${kept}`,
    `refusals: ${refused}`,
    `the venue accepted ${seen.accepted} openers, ${seen.fills} fills, ${seen.partial} of them in part, ${seen.cancelled} cancelled`,
    `at most ${positions}, ${most.openOrders} open orders, ${Math.round(most.openNotional)} open notional`,
  ].join("; ")
}
