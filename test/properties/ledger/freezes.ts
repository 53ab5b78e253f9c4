import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import fc from "fast-check"

import type { FreezeScope } from "../../../src/vault/ledger/records/freeze.ts"
import { decideAsShown, thawAsShown } from "../../support/a-word.ts"
import type { FileEngine } from "../../support/ledger-engines.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  type TestVault,
} from "../../support/open-test-vault.ts"
import { numRuns } from "../../support/runs.ts"

const clients = ["a", "b"] as const
const keys = ["k1", "k2"] as const

/** Large orders wait for a person. */
const policy = `policy: free
rules: [{name: all, endpoints: [placeOrder, cancelOrder]}]
hold: [{name: large, where: [{pointer: /quantity, in: ["0.9"]}]}]
`

type Frozen = FreezeScope & { readonly cancels: boolean }

type Step =
  | { readonly kind: "freeze"; readonly frozen: Frozen }
  | { readonly kind: "thaw"; readonly scope: FreezeScope }
  | { readonly kind: "release" }
  | ({ readonly kind: "sign" } & Ask)

type Ask = {
  readonly client: (typeof clients)[number]
  readonly key: (typeof keys)[number]
  readonly what: "order" | "held" | "reducing" | "cancel"
  /** One of few, so that requests are repeated. */
  readonly idempotencyKey: string | undefined
  readonly purpose: "return" | "forward"
}

const scope: fc.Arbitrary<FreezeScope> = fc.oneof(
  fc.constant({ scope: "all", name: null } as const),
  fc.record({ scope: fc.constant("client" as const), name: fc.constantFrom(...clients) }),
  fc.record({ scope: fc.constant("key" as const), name: fc.constantFrom(...keys) }),
)

const sign = fc.record({
  kind: fc.constant("sign" as const),
  client: fc.constantFrom(...clients),
  key: fc.constantFrom(...keys),
  what: fc.constantFrom("order", "held", "reducing", "cancel"),
  idempotencyKey: fc.option(fc.constantFrom("i1", "i2", "i3"), { nil: undefined }),
  purpose: fc.constantFrom("return", "forward"),
}) as fc.Arbitrary<Step>

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: sign },
  {
    weight: 2,
    arbitrary: fc
      .tuple(scope, fc.boolean())
      .map(([each, cancels]) => ({ kind: "freeze", frozen: { ...each, cancels } }) as const),
  },
  { weight: 1, arbitrary: scope.map((each) => ({ kind: "thaw", scope: each }) as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "release" } as const) },
)

const order: Step = {
  ...{ kind: "sign", client: "a", key: "k1", what: "order" },
  ...{ idempotencyKey: undefined, purpose: "return" },
}
const freezeAll: Step = { kind: "freeze", frozen: { scope: "all", name: null, cancels: true } }
const stopsOrders = [order, freezeAll, order]

/** Written apart from the vault's own: what the words of the documentation say. */
function mayBeSigned({ client, key, what }: Ask, frozen: readonly Frozen[]): boolean {
  const meant = frozen.filter(
    ({ scope, name }) =>
      scope === "all" ||
      (scope === "client" && name === client) ||
      (scope === "key" && name === key),
  )
  const reduces = what === "cancel" || what === "reducing"
  return meant.length === 0 || (reduces && meant.every(({ cancels }) => cancels))
}

/** What a freeze stops, of a vault with this engine. */
export function holdFreezes(engine: FileEngine): void {
  describe("while something is frozen", () => {
    let test: TestVault
    const tokens: Record<string, string> = {}
    let run = 0
    before(async () => {
      test = await openTestVault({ policies: [policy], elsewhere: engine.elsewhere() })
      for (const key of keys) await test.addKey({ name: key, role: "agent" })
      for (const name of clients) {
        tokens[name] = await test.addClient({ name, keys: [...keys] })
      }
    })
    after(() => test.remove())

    async function ask({ client, key, what, idempotencyKey, purpose }: Ask): Promise<boolean> {
      const changes = {
        ...{ key, purpose },
        ...(idempotencyKey !== undefined && { idempotencyKey: `${idempotencyKey}-${what}-${run}` }),
      }
      const bodies = {
        order: limitOrder(),
        held: limitOrder({ quantity: "0.9" }),
        reducing: limitOrder({ flags: ["reduce_only"] }),
        cancel: { order_id: "1" },
      }
      const path = what === "cancel" ? { path: cancelPath } : {}
      const answer = await test.sign(tokens[client] ?? "", bodies[what], { ...changes, ...path })
      return answer.kind === "answer"
    }

    async function releaseAll(): Promise<void> {
      const pending = (await test.admin.listHolds()).filter(({ state }) => state === "pending")
      for (const { id } of pending) await decideAsShown(test, id)
    }

    async function thawAll(): Promise<void> {
      if (test.vault.active().freezes.length === 0) return
      await thawAsShown(test)
    }

    /** What is frozen after a step; `heard` hears of every request whether it was signed. */
    async function play(
      step: Step,
      frozen: readonly Frozen[],
      heard: (asked: Ask, isSigned: boolean) => void,
    ): Promise<readonly Frozen[]> {
      switch (step.kind) {
        case "release":
          await releaseAll()
          return frozen
        case "sign":
          heard(step, await ask(step))
          return frozen
        case "freeze": {
          await test.admin.freeze({ ...step.frozen, reason: "a drill" })
          const earlier = frozen.find((each) => isSame(each, step.frozen))
          const cancels = step.frozen.cancels && earlier?.cancels !== false
          return [...without(frozen, step.frozen), { ...step.frozen, cancels }]
        }
        case "thaw":
          if (frozen.some((each) => isSame(each, step.scope))) await thawAsShown(test, step.scope)
          return without(frozen, step.scope)
      }
    }

    it("nothing that it stops is ever signed: not anew, not as a repeat, not with a release", async () => {
      let signed = 0
      let stopped = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          run += 1
          await thawAll()
          let frozen: readonly Frozen[] = []
          for (const each of steps) {
            frozen = await play(each, frozen, (asked, isSigned) => {
              const isStopped = !mayBeSigned(asked, frozen)
              assert.ok(!(isSigned && isStopped))
              signed += Number(isSigned)
              stopped += Number(isStopped)
            })
          }
        }),
        { ...numRuns(60 * engine.share), examples: [[stopsOrders]] }, // an engine may be due few runs
      )
      assert.ok(signed > 0 && stopped > 0, "both happened")
    })

    it("a freeze that was answered lets out no signature of the 200 that were at work", async () => {
      for (const withKeys of [false, true]) {
        run += 1
        await thawAll()
        const order: string[] = []
        const asks = Array.from({ length: 200 }, async (_, index) => {
          const idempotencyKey = withKeys ? `n${index}` : undefined
          const asking = { client: "a", key: "k1", what: "order", purpose: "return" } as const
          if (index > 100) await new Promise((resolve) => setImmediate(resolve))
          order.push((await ask({ ...asking, idempotencyKey })) ? "signed" : "refused")
        })
        const freezing = test.admin
          .freeze({ scope: "all", name: null, reason: "a drill", cancels: true })
          .then(() => order.push("frozen"))
        await Promise.all([...asks, freezing])
        const answered = order.indexOf("frozen")
        assert.ok(order.slice(answered).every((each) => each !== "signed"))
        assert.ok(order.includes("refused"))
        if (!withKeys) assert.ok(order.includes("signed"))
      }
    })
  })
}

function isSame(a: FreezeScope, b: FreezeScope): boolean {
  return a.scope === b.scope && a.name === b.name
}

function without(frozen: readonly Frozen[], scope: FreezeScope): readonly Frozen[] {
  return frozen.filter((each) => !isSame(each, scope))
}
