import assert from "node:assert/strict"

import { dialAdmin } from "../../src/commands/installation/admin.ts"
import type { AdminLink } from "../../src/contract/client.ts"
import { bot, type Bot } from "./bot.ts"
import {
  makeInstallation,
  serve,
  startCountersign,
  withBudgets,
  type Served,
  type Started,
  type StartOptions,
} from "./countersign.ts"
import { killAllNaming } from "./process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "./trading-keys.ts"

const policy = `policy: desk
rules:
  - {name: quote, endpoints: [placeOrder], symbols: [BTC-PERP, ETH-PERP], order_types: [limit], max_quantity: "0.5"}
  - {name: get-out, endpoints: [cancelOrder, cancelAll]}
  - {name: own-agents, endpoints: [approveAgent], agent_addresses: held}
hold:
  - {name: ether, endpoints: [placeOrder], symbols: [ETH-PERP], ttl: 1h}
limits:
  - {name: hourly, sum: submitted_notional, window: 1h, max: "1000000"}
`

/** A daemon with something of everything that the console shows, and a console of it. */
export type ConsoleSite = {
  readonly dir: string
  readonly daemon: Served
  readonly bot: Bot
  readonly console: OpenedConsole
  remove(): Promise<void>
}

/** A `countersign console` that runs. */
export type OpenedConsole = Started & {
  /** Its origin. */
  readonly url: string
  readonly port: number
  /** The link that it printed, which works once. */
  readonly link: string
}

/** Starts a console and waits for its link. @throws when it ends before. */
export async function openConsole(
  dir: string,
  options: readonly string[] = [],
  start?: StartOptions,
): Promise<OpenedConsole> {
  const link = /^(http:\/\/127\.0\.0\.1:(\d+))\/#([A-Za-z0-9_-]{43})$/m
  const started = await startCountersign(["console", "--dir", dir, ...options], link, start)
  const [found, url = "", port] = started.found
  return { ...started, url, port: Number(port), link: found }
}

/** Starts it: the keys `main` and `mm`, `mm` approved for 30 days, and the client `bot`. */
export async function startConsoleSite(): Promise<ConsoleSite> {
  const installation = await makeInstallation()
  const { dir } = installation
  await withBudgets(dir, "")
  await writePolicy(dir, policy)
  const daemon = await serve(dir)
  await makeTradingKeys(dir)
  const token = await addClient(dir, "bot")
  const admin = await dialAdmin({ configDir: dir, stateDir: dir })
  assert.ok(admin !== undefined)
  await approve(admin)
  admin.close()
  const console = await openConsole(dir)
  return {
    ...{ dir, daemon, console },
    bot: bot(daemon.url, token),
    async remove() {
      await console.stop()
      await daemon.stop("SIGKILL")
      await killAllNaming(dir)
      await installation.remove()
    },
  }
}

/** As `countersign agent approve` does, but for the venue: its yes is made up. */
async function approve(admin: AdminLink): Promise<void> {
  const signed = await admin.call("approveAgent", { agent: "mm", validDays: 30, label: "" })
  assert.ok(signed.kind === "signed")
  const { record } = signed
  await admin.call("settleOperation", { record, outcome: { kind: "sent" } })
  const outcome = { kind: "accepted", status: 200, code: "0" } as const
  await admin.call("settleOperation", { record, outcome })
}
