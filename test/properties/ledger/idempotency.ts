import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import fc from "fast-check"

import type { BotResults } from "../../../src/link/calls/methods.ts"
import type { Outcome } from "../../../src/link/calls/both-ways.ts"
import { pathsOf } from "../../../src/vault/config/installation.ts"
import { signRequest } from "../../../src/vault/request/sign-request.ts"
import type { FileEngine } from "../../support/ledger-engines.ts"
import {
  callOf,
  limitOrder,
  openTestVault,
  readBody,
  type CallChanges,
  type TestVault,
} from "../../support/open-test-vault.ts"
import { readLedger } from "../../support/read-ledger.ts"
import { numRuns } from "../../support/runs.ts"
import { setClock } from "../../support/set-clock.ts"

const answer = { body: Buffer.from('{"code":"0"}').toString("base64") }
const outcomes: readonly Outcome[] = [
  { kind: "sent" },
  { kind: "unsent" },
  { kind: "unsent", withdrawn: true },
  { kind: "unsent", withdrawn: true, status: 429, code: "10029" },
  { kind: "unknown", status: null },
  { kind: "accepted", status: 200, code: "0", answer },
  { kind: "refused", status: 400, code: "10001", answer },
  { kind: "refused", status: 400, code: "10001", again: true },
]

const ask = fc.record({
  client: fc.nat(1),
  key: fc.nat(2),
  body: fc.nat(1),
  purpose: fc.constantFrom("return" as const, "forward" as const),
})
type Ask = typeof ask extends fc.Arbitrary<infer Value> ? Value : never

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("sign" as const),
      asks: fc.array(ask, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      ask,
      outcome: fc.constantFrom(...outcomes),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("clock" as const),
      ms: fc.constantFrom(-3_600_000, -1, 0, 1, 9_000, 20_000, 90_000_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "reopen" as const }) },
)

/** What a key was used for first. */
type Used = { readonly ask: Ask; readonly record: string; readonly text: string; answered: boolean }

/** What idempotency keys stand for, of a vault with this engine. */
export function holdIdempotency(engine: FileEngine): void {
  describe("idempotency keys, whatever comes in whatever order", () => {
    let test: TestVault
    let tokens: readonly string[]
    let round = 0
    const used = new Map<string, Used>()
    before(async () => {
      test = await openTestVault({ keys: "on_disk", elsewhere: engine.elsewhere() })
      await test.addKey({ name: "mm", role: "agent" })
      tokens = [
        await test.addClient({ name: "by-header", keys: ["mm"] }),
        await test.addClient({ name: "by-id", keys: ["mm"], idempotencyBy: "client_order_id" }),
      ]
    })
    after(() => test.remove())

    const nameOf = ({ client, key }: Ask): string => `${round}-${client}-${key}`

    async function sign(asked: Ask): Promise<BotResults["sign"] | "clock_unsafe"> {
      const name = nameOf(asked)
      const order = limitOrder({ price: `${60_000 + asked.body}` })
      const { purpose } = asked
      const byId = asked.client === 1
      const changes: CallChanges = byId ? { purpose } : { purpose, idempotencyKey: name }
      const body = byId ? { ...order, client_order_id: name } : order
      const call = callOf(tokens[asked.client] ?? "", body, changes)
      const result = await signRequest(call, test.vault)
      const isOfClock = result.kind === "refused" && result.refusal.code === "clock_unsafe"
      return isOfClock ? "clock_unsafe" : result
    }

    function check(asked: Ask, result: BotResults["sign"] | "clock_unsafe"): void {
      if (result === "clock_unsafe") return
      const first = used.get(nameOf(asked))
      const isSame = first !== undefined && isSameAsk(first.ask, asked)
      if (result.kind === "refused") {
        const expected = isSame
          ? /^(idempotency_expired|already_accepted)$/
          : /^idempotency_conflict$/
        assert.match(result.refusal.code, expected)
        assert.ok(first)
      } else if (first !== undefined) {
        assert.deepEqual([isSame, result.record], [true, first.record])
        assert.ok(result.kind === "answer" ? result.body === first.text : first.answered)
      } else {
        assert.ok(result.kind === "answer" && result.repeat === "first")
        const { record, body: text } = result
        used.set(nameOf(asked), { ask: asked, record, text, answered: false })
      }
    }

    const isSameAsk = (a: Ask, b: Ask): boolean => a.body === b.body && a.purpose === b.purpose

    /** The first answers come first: that's the order in which they were reserved. */
    async function signAll(asks: readonly Ask[]): Promise<void> {
      const results = await Promise.all(
        asks.map(async (asked) => ({ asked, result: await sign(asked) })),
      )
      const isFirst = ({ result }: (typeof results)[number]): boolean =>
        result !== "clock_unsafe" && result.kind === "answer" && result.repeat === "first"
      for (const { asked, result } of results.filter(isFirst)) check(asked, result)
      for (const { asked, result } of results.filter((each) => !isFirst(each))) check(asked, result)
    }

    async function settle(asked: Ask, outcome: Outcome): Promise<void> {
      const first = used.get(nameOf(asked))
      if (first === undefined) return
      const { record } = first
      await test.bots.report({ token: tokens[asked.client] ?? "", record, outcome })
      if ("answer" in outcome && outcome.answer !== undefined) first.answered = true
    }

    it("stand for one record, one nonce and one text each", async (t) => {
      const clock = setClock(t)
      const steps = fc.array(step, { maxLength: 12 })
      const property = fc.asyncProperty(steps, async (taken) => {
        round += 1
        clock.setTo(0)
        for (const each of taken) {
          if (each.kind === "sign") await signAll(each.asks)
          else if (each.kind === "settle") await settle(each.ask, each.outcome)
          else if (each.kind === "clock") clock.setTo(each.ms)
          else test = await test.reopen()
        }
      })
      await fc.assert(property, numRuns(40 * engine.share))

      await test.close()
      const requests = readLedger(pathsOf(test.installation).ledgerFile).filter(
        ({ kind }) => kind === "request",
      )
      const expected = [...used.values()].map(({ record, text }) => [
        record,
        readBody({ kind: "answer", record, path: "", body: text, expiresAfter: 0, goodForMs: 0 })[
          "nonce"
        ],
      ])
      assert.deepEqual(
        new Map(requests.map(({ id, row }) => [id, row["nonce"]])),
        new Map(expected as [string, unknown][]),
      )
      assert.equal(new Set(requests.map(({ row }) => row["nonce"])).size, requests.length)
    })
  })
}
