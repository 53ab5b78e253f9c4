import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { GuardUse } from "../../../../src/contract/bot-views.ts"
import { guardedWallet } from "../../../support/guarded-account.ts"
import { openGuarded } from "../../../support/guarded-vault.ts"

const rules = "rules: [{name: all, endpoints: [placeOrder]}]"
const other = `policy: other\napplies_to: {clients: [other]}\n${rules}\n`
const withGuard = (guard: string): string =>
  `policy: bot\napplies_to: {clients: [bot]}\n${rules}\nguards: [{name: small, ${guard}}]\n`

/** What stands in a row, by what it is of. */
function rowsOf(uses: readonly GuardUse[]) {
  return uses.map(({ kind, measure, symbol, side, ...use }) => [
    [symbol, measure ?? kind, side].filter((part) => part !== null).join(" "),
    use.measured,
    use.in_flight,
    use.room,
    use.max,
  ])
}

describe("what a guard leaves", () => {
  it("isn't known of an account that was never read", async (t) => {
    const { test } = await openGuarded(t)
    const [first, ...others] = await test().admin.listGuards()
    assert.deepEqual(first, {
      ...{ policy: "bot", guard: "small", file: "policies/0.yaml", line: 4 },
      ...{ account: guardedWallet.address, account_name: "main" },
      ...{ kind: "max_position", measure: "net", symbol: "BTC-PERP", side: "long" },
      ...{ max: "1", measured: null, in_flight: null, room: null, read_at: null, tripped_at: null },
      ...{ loss_unknown: null, rearmed_until: null },
    })
    assert.deepEqual(
      others.map(({ kind, side, room }) => [kind, side, room]),
      [
        ["max_position", "short", null],
        ["max_open_orders", null, null],
      ],
    )
  })

  it("is what an order may still open, on each side", async (t) => {
    const { test, begin, tell, ask } = await openGuarded(t)
    const order = { symbol: "1", is_buy: true, remaining: "0.1", reduce_only: false }
    const positions = [{ symbol: "BTC-PERP", quantity: "0.2" }]
    await tell(await begin(), { orders: [order], positions })
    const readAt = test().vault.now()
    assert.equal(await ask({ quantity: "0.3" }), null)
    const uses = await test().admin.listGuards()
    assert.deepEqual(rowsOf(uses), [
      ["BTC-PERP net long", "0.3", "0.3", "0.4", "1"],
      ["BTC-PERP net short", "0", "0", "1", "1"],
      ["max_open_orders", "1", "1", "1", "3"],
    ])
    assert.ok(uses.every(({ read_at }) => read_at === readAt))
    assert.equal((await ask({ quantity: "0.5" }))?.code, "guard_exceeded")
    assert.equal(await ask({ quantity: "0.4" }), null)
  })

  it("is nothing, and no less, where somebody went beyond it", async (t) => {
    const { test, begin, tell } = await openGuarded(t)
    await tell(await begin(), { orders: [], positions: [{ symbol: "1", quantity: "5" }] })
    assert.deepEqual(rowsOf(await test().admin.listGuards())[0], [
      "BTC-PERP net long",
      ...["5", "0", "0", "1"],
    ])
  })

  it("is told of a default's symbols once the account has any of them", async (t) => {
    const guard = 'max_position: {default: {notional: "100000"}, BTC-PERP: {gross: "2"}}'
    const { test, begin, tell } = await openGuarded(t, { policies: [withGuard(guard), other] })
    const ofSymbols = async () => rowsOf(await test().admin.listGuards()).map(([of]) => of)
    assert.deepEqual(await ofSymbols(), ["BTC-PERP gross"])
    const positions = [{ symbol: "2", quantity: "-1" }]
    await tell(await begin(), { orders: [], positions })
    const uses = await test().admin.listGuards()
    assert.deepEqual(
      uses.map(({ measure, side }) => [measure, side]),
      [
        ["gross", null],
        ["notional", "long"],
        ["notional", "short"],
      ],
    )
    const short = uses[2]
    assert.equal(Number(short?.measured) + Number(short?.room), 100_000)
  })

  it("isn't known in quote units without a price", async (t) => {
    const guard = 'max_open_notional: "1000", max_open_orders: 0'
    const { test, clock, begin, tell } = await openGuarded(t, {
      policies: [withGuard(guard), other],
    })
    clock.pass(30 * 86_400_000)
    const order = { symbol: "1", is_buy: false, remaining: "0.1", reduce_only: false }
    await tell(await begin(), { orders: [order], positions: [] })
    assert.deepEqual(rowsOf(await test().admin.listGuards()), [
      ["max_open_orders", "1", "0", "0", "0"],
      ["max_open_notional", null, null, null, "1000"],
    ])
  })

  it("is told the client that is under it, and no other", async (t) => {
    const { test, bot, other: outsider } = await openGuarded(t)
    const told = async (token: string) => {
      const answer = await test().bots.limits({ token })
      return answer.kind === "answer" ? answer.guards : assert.fail(answer.refusal.message)
    }
    assert.deepEqual(await told(bot), await test().admin.listGuards())
    assert.deepEqual(await told(outsider), [])
  })
})
