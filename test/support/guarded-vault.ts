import assert from "node:assert/strict"
import type { TestContext } from "node:test"

import type { BotParams } from "../../src/link/calls/methods.ts"
import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { fakeClock, startMs } from "./fake-clock.ts"
import { guardedAccount, guardedWallet } from "./guarded-account.ts"
import { limitOrder, openTestVault } from "./open-test-vault.ts"

/** Of the wallet whose account is bounded. */
export const guarded = `policy: bot
applies_to: {clients: [bot]}
rules: [{name: all, endpoints: [placeOrder, placeBatch, chaseOrder, cancelOrder, setPositionMode]}]
guards: [{name: small, max_position: {BTC-PERP: {net: "1"}}, max_open_orders: 3}]
`
const unguarded = `policy: other
applies_to: {clients: [other]}
rules: [{name: all, endpoints: [placeOrder]}]
`

export type Reading = BotParams["polledAccount"]["reading"]
export const nothing: Reading = { orders: [], positions: [] }

type Ask = {
  readonly time?: "stands_still" | "goes_on"
  readonly policies?: readonly string[]
  readonly account?: string
}

/** A vault whose account is bounded to 1 BTC-PERP for one of its two clients. Signatures are good for 15 s. */
export async function openGuarded(t: TestContext, ask: Ask = {}) {
  const { time = "stands_still", policies = [guarded, unguarded] } = ask
  const clock = fakeClock()
  const [asOf, given] = time === "goes_on" ? [new Date(), {}] : [new Date(startMs), { clock }]
  const venue = `${sandboxProfile({ url: sandboxUrl, asOf })}${ask.account ?? guardedAccount}`
  let test = await openTestVault({ policies, venue, keys: "on_disk", ...given })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet", secret: guardedWallet.secret })
  await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  const keys = ["mm"]
  const bot = await test.addClient({ name: "bot", keys })
  const other = await test.addClient({ name: "other", keys })
  const place = async (changes: Record<string, unknown>, by = bot, path?: string) => {
    const call = path === undefined ? {} : { path }
    const body = path === undefined ? limitOrder(changes) : changes
    const checked = test.check(by, body, call)
    const answer = await test.sign(by, body, call)
    const would = checked.kind === "answer" ? checked.report.refusal : checked.refusal
    const refusal = answer.kind === "refused" ? answer.refusal : null
    assert.deepEqual(would, refusal, "a check tells the same")
    return refusal
  }
  const begin = async (): Promise<string> => {
    clock.pass(30_000)
    const { round } = await test.bots.accountPoll()
    return round?.ticket ?? assert.fail("no reading was begun")
  }
  return {
    clock,
    other,
    ask: place,
    bot,
    begin,
    test: () => test,
    tell: (ticket: string, reading: Reading = nothing) =>
      test.bots.polledAccount({ ticket, reading }),
    /** An account that was read as having nothing. */
    readEmpty: async () => {
      const { kind } = await test.bots.polledAccount({ ticket: await begin(), reading: nothing })
      assert.equal(kind, "answer")
    },
    reopen: async () => {
      test = await test.reopen()
    },
  }
}
