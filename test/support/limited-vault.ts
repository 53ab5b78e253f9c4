import type { TestContext } from "node:test"

import type { BotResults } from "../../src/link/calls/methods.ts"
import type { Clock } from "../../src/vault/process/clock.ts"
import { limitOrder, openTestVault, type TestVault } from "./open-test-vault.ts"

/** A limit of ten requests. */
export const byCount = "{name: cap, endpoints: [placeOrder], count: requests, window: 1h, max: 10}"
/** A limit of ten of the usual orders (6,300 each), and not a unit more. */
export const byNotional = '{name: cap, sum: submitted_notional, window: 1h, max: "63000"}'

/** How many requests `askAll` sends. */
export const allAtOnce = 200

/** A policy that allows orders and cancels within `limits`, which go on as a YAML list does. */
export function limitedPolicy(limits: string): string {
  return `policy: limited
rules: [{name: all, endpoints: [placeOrder, cancelOrder]}]
limits:
  - ${limits}
`
}

export type LimitedVault = {
  readonly test: TestVault
  /** Their tokens. */
  readonly bots: readonly string[]
}

/** A vault with limits, the keys `mm` and `other`, and the clients `bot0`, `bot1` … for both. */
export async function openLimited(
  t: TestContext,
  ask: {
    readonly limit: string
    readonly clients?: number
    readonly keys?: "in_memory" | "on_disk"
    readonly clock?: Clock
  },
): Promise<LimitedVault> {
  const { limit, clients = 1, ...vault } = ask
  const open = "policy: open\nrules: [{name: all, endpoints: [placeOrder]}]\n"
  const test = await openTestVault({ policies: [limitedPolicy(limit), open], ...vault })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  await test.addKey({ name: "other", role: "agent" })
  const names = Array.from({ length: clients }, (_, index) => `bot${index}`)
  const bots = await Promise.all(
    names.map((name) => test.addClient({ name, keys: ["mm", "other"] })),
  )
  return { test, bots }
}

/** Asks as often as the bots can at once, in turn. */
export function askAll(
  test: TestVault,
  bots: readonly string[],
): Promise<readonly BotResults["sign"][]> {
  const tokens = Array.from({ length: allAtOnce }, (_, index) => bots[index % bots.length] ?? "")
  return Promise.all(tokens.map((token) => test.sign(token, limitOrder())))
}

/** The answers by what they are. */
export function split(answers: readonly BotResults["sign"][]) {
  return {
    signed: answers.filter((answer) => answer.kind === "answer"),
    refused: answers.filter((answer) => answer.kind === "refused"),
  }
}
