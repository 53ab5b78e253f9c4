import assert from "node:assert/strict"
import { appendFile, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { setTimeout as wait } from "node:timers/promises"

import type { StatusView } from "../../src/contract/views.ts"
import type { PriceView } from "../../src/contract/bot-views.ts"
import { controlPath } from "../../src/sandbox/faults.ts"
import { bot, limitOrder } from "./bot.ts"
import { countersign, countersignJson, makeInstallation, sandbox, serve } from "./countersign.ts"
import { killAllNaming } from "./process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "./trading-keys.ts"

const policy = `policy: capped
rules:
  - {name: cap, endpoints: [placeOrder], symbols: [BTC-PERP], max_notional: "10000"}
`

/** A daemon that polls the sandbox's ticker, whose prices move. */
export type PolledDaemon = {
  readonly dir: string
  /** `signed`, or the reason why a small order isn't. */
  readonly order: () => Promise<string>
  readonly price: () => Promise<PriceView>
  readonly status: () => Promise<StatusView>
  /** From now on the ticker answers 503, or again as it should. */
  setTicker(to: "dead" | "alive"): Promise<void>
}

/** Starts both, until the test ends. `every` and `maxAge` are durations as the files have them. */
export async function startPolledDaemon(
  t: TestContext,
  { every, maxAge }: { readonly every: string; readonly maxAge: string },
): Promise<PolledDaemon> {
  const venue = await sandbox(["--moving", "--seed", "7"])
  t.after(() => venue.stop())
  const installation = await makeInstallation(["--venue", "sandbox", "--upstream", venue.url])
  const { dir } = installation
  t.after(() => installation.remove())
  await pollTicker(dir, every)
  await appendFile(join(dir, "countersign.yaml"), `prices: {max_age: ${maxAge}}\n`)
  await writePolicy(dir, policy)
  await makeTradingKeys(dir)
  const token = await addClient(dir, "trader")
  const daemon = await serve(dir)
  t.after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(dir)
  })
  const trader = bot(daemon.url, token)
  return {
    dir,
    async order() {
      const order = limitOrder({ quantity: "0.1" })
      const { status, json } = await trader.post("/sign/v1/trade/orders", order)
      return status === 200 ? "signed" : String(json.data["reason"])
    },
    async price() {
      const prices = await countersignJson<readonly PriceView[]>(["prices", "show", "--dir", dir])
      const price = prices.find(({ symbol }) => symbol === "BTC-PERP")
      assert.ok(price)
      return price
    },
    status: () => countersignJson<StatusView>(["status", "--dir", dir]),
    async setTicker(to) {
      const fault = { kind: "error_before", path: "/v1/market/ticker" }
      const body = to === "dead" ? { body: JSON.stringify(fault) } : {}
      const { status } = await fetch(venue.url + controlPath, {
        method: to === "dead" ? "POST" : "DELETE",
        headers: { "Content-Type": "application/json" },
        ...body,
      })
      assert.equal(status, 200)
    },
  }
}

/** The sandbox's venue.yaml without prices of its own, and with its poll as it stands there behind a #. */
async function pollTicker(dir: string, every: string): Promise<void> {
  const file = join(dir, "venue.yaml")
  const text = await readFile(file, "utf8")
  const polled = text
    .replaceAll(/^ +reference_price: .*\n/gm, "")
    .replace(/^#(price_poll: .* every: )5s\}$/m, `$1${every}}`)
  assert.match(polled, /^price_poll: /m)
  await writeFile(file, polled)
}

/** Waits for a polled price, which no person has confirmed yet, and confirms it. */
export async function confirmPolled({ dir, price, order }: PolledDaemon): Promise<void> {
  for (let tries = 0; (await price()).state === "none"; tries += 1) {
    assert.ok(tries < 100, "a price is polled")
    await wait(100)
  }
  assert.equal((await price()).state, "unconfirmed")
  assert.equal(await order(), "notional_unknown")
  const shown = (await price()).pending ?? ""
  const named = `${(await price()).symbol}=${shown}`
  const { code, stdout } = await countersign(["prices", "confirm", named, "--dir", dir])
  assert.equal(code, 0, stdout)
}

/** Places orders for so long, all of which must be signed. Returns the prices that were in force. */
export async function tradeFor(
  { order, price }: PolledDaemon,
  forMs: number,
): Promise<ReadonlySet<string | null>> {
  const prices = new Set<string | null>()
  const endMs = performance.now() + forMs
  while (performance.now() < endMs) {
    assert.equal(await order(), "signed")
    const { state, value, by } = await price()
    assert.equal(state, "known")
    if (by === "price poll") prices.add(value)
    await wait(100)
  }
  return prices
}

/** Places orders until one is refused. Returns what alarms and `status` told before that. */
export async function tellsBeforeRefusal({ dir, order, status }: PolledDaemon) {
  const told = { alarms: new Set<string>(), lines: "" }
  for (;;) {
    const { alarms } = await status()
    const lines = (await countersign(["status", "--dir", dir])).stdout
    const outcome = await order()
    if (outcome !== "signed") return { ...told, outcome }
    for (const { name, subject } of alarms) told.alarms.add(`${name} ${subject}`)
    told.lines += lines
    await wait(50)
  }
}
