import assert from "node:assert/strict"
import type { TestContext } from "node:test"

import { valuedAccount } from "./guarded-account.ts"
import { nothing, openGuarded, type Reading } from "./guarded-vault.ts"

const guardOf = (lines: string) => `policy: bot
applies_to: {clients: [bot]}
rules: [{name: all, endpoints: [placeOrder, cancelOrder]}]
guards: [{name: day, shock: "0%", ${lines}}]
`

/** A vault whose account may lose so much, and is read as told. */
export async function openLosing(t: TestContext, lines: string, account = valuedAccount) {
  const guarded = await openGuarded(t, { policies: [guardOf(lines)], account })
  /** The account is read to be worth so much. */
  const read = async (equity: string, wait = 30_000, shown: Partial<Reading> = {}) => {
    guarded.clock.pass(wait - 30_000)
    const reading = { ...nothing, ...shown, equity }
    const { kind } = await guarded.tell(await guarded.begin(), reading)
    assert.equal(kind, "answer")
  }
  const guards = () => guarded.test().admin.listGuards()
  return {
    ...guarded,
    read,
    /** So that it is believed, however far it is from the one before. */
    readTwice: async (equity: string) => {
      await read(equity)
      await read(equity)
    },
    guards,
    measured: async () => (await guards())[0]?.measured,
    frozen: () =>
      guarded
        .test()
        .vault.active()
        .freezes.map(({ scope, name, by }) => [scope, name, by]),
  }
}
