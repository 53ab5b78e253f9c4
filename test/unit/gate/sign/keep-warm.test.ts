import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import { keepWarm } from "../../../../src/gate/sign/keep-warm.ts"
import type { BotParams, BotResults } from "../../../../src/link/calls/methods.ts"
import { botMethods } from "../../../../src/vault/bot-methods.ts"
import type { Address } from "../../../../src/venue/address.ts"
import {
  assertSigned,
  callOf,
  checkOf,
  limitOrder,
  openTestVault,
} from "../../../support/open-test-vault.ts"
import { until } from "../../../support/process-tree.ts"

const first = { token: "cs_1", path: "/v1/trade/orders", body: "e30=" }
const second = { ...first, body: "e319" }

type Kind = Pick<BotResults["check"], "kind">

/** What keeps it warm every millisecond, before a vault that answers by `answer`. */
function start({ answer = yes }: { readonly answer?: () => Promise<Kind> } = {}) {
  const asked: BotParams["check"][] = []
  const clock = { nowMs: 0 }
  const pause: { everyMs: number | undefined } = { everyMs: 1 }
  const warm = keepWarm({
    check(ask) {
      asked.push(ask)
      return answer()
    },
    everyMs: () => pause.everyMs,
    clock: () => clock.nowMs,
  })
  return { ...warm, asked, clock, pause }
}

function yes(): Promise<Kind> {
  return Promise.resolve({ kind: "answer" })
}

/** Far longer than the pause between two checks. */
async function aWhile(): Promise<void> {
  await sleep(50)
}

describe("keeping the way warm", () => {
  it("asks about what was signed last, again and again", async () => {
    const { asked, signed, clock } = start()
    signed(first)
    await until(() => asked.length >= 2 || undefined, "the first is asked about twice")
    const before = asked.length
    signed(second)
    await until(() => asked.length >= before + 3 || undefined, "the second is asked about")
    clock.nowMs = 10_000
    assert.deepEqual(new Set(asked.slice(0, before)), new Set([first]))
    assert.deepEqual(asked.at(-1), second)
  })

  it("ends where it isn't wanted any more", async () => {
    const { asked, signed, pause } = start()
    signed(first)
    await until(() => asked.length >= 2 || undefined, "it is asked about")
    pause.everyMs = undefined
    await aWhile()
    const before = asked.length
    await aWhile()
    assert.equal(asked.length, before)
  })

  it("goes on for ten seconds after a signature, and begins anew with the next", async () => {
    const { asked, signed, clock } = start()
    signed(first)
    clock.nowMs = 9_999
    await until(() => asked.length >= 2 || undefined, "it is asked about")
    clock.nowMs = 10_000
    await aWhile()
    const before = asked.length
    await aWhile()
    assert.equal(asked.length, before)
    signed(second)
    await until(() => asked.at(-1) === second || undefined, "it is asked about anew")
    clock.nowMs = 20_000
  })

  it("asks one at a time, however long the answer takes and however many were signed", async () => {
    const slow = Promise.withResolvers<Kind>()
    const { asked, signed } = start({ answer: () => slow.promise })
    signed(first)
    signed(second)
    await aWhile()
    assert.equal(asked.length, 1)
  })

  it("asks no second time with a token that is refused", async () => {
    const { asked, signed } = start({ answer: () => Promise.resolve({ kind: "refused" }) })
    signed(first)
    await aWhile()
    assert.equal(asked.length, 1)
  })

  it("waits for the next signature where the vault is away", async () => {
    const { asked, signed } = start({ answer: () => Promise.reject(new Error("away")) })
    signed(first)
    await aWhile()
    assert.equal(asked.length, 1)
    signed(first)
    await aWhile()
    assert.equal(asked.length, 2)
  })
})

const limited = `policy: limited
rules: [{name: all, endpoints: [placeOrder]}]
limits: [{name: daily, sum: submitted_notional, max: "1000000", window: 24h}]
`

describe("what keeps the way warm", () => {
  it("leaves no row, takes no nonce and no room, and reaches no key", async (t) => {
    const test = await openTestVault({ policies: [limited] })
    t.after(() => test.remove())
    const { address } = await test.addKey({ name: "k", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["k"] })
    const call = callOf(token, limitOrder())
    assertSigned(await test.bots.sign(call))
    const standing = async () => ({
      rows: await test.vault.ledger.count(),
      nonce: test.vault.ledger.lastNonce(address as Address), // of addKey
      limits: await test.bots.limits({ token }),
    })
    const before = await standing()

    const sign = () => assert.fail("a key was reached")
    const bots = botMethods({ ...test.vault, keyring: { ...test.vault.keyring, sign } })
    const answers: unknown[] = []
    const done = Promise.withResolvers<undefined>()
    const warm = keepWarm({
      async check(ask) {
        const answer = await bots.check(ask)
        answers.push(answer)
        if (answers.length === 200) done.resolve(undefined)
        return answer
      },
      everyMs: () => (answers.length < 200 ? 1 : undefined),
      clock: () => performance.now(),
    })
    warm.signed(checkOf(call))
    await done.promise
    assert.match(JSON.stringify(answers[0]), /"would_sign":true/)
    assert.deepEqual(await standing(), before)
  })
})
