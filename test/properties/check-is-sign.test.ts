// What `/check` says of a request is what `/sign` does at the same moment.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { Refusal } from "../../src/contract/refusal.ts"
import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { utf8 } from "../../src/std/bytes.ts"
import { fakeClock } from "../support/fake-clock.ts"
import { guardedWallet, valuedAccount } from "../support/guarded-account.ts"
import {
  callOf,
  cancelPath,
  checkOf,
  limitOrder,
  openTestVault,
  testPassphrase,
  type CallChanges,
  type TestVault,
} from "../support/open-test-vault.ts"
import { arbitraryPolicy, placing } from "../support/drawn-policies.ts"
import { numRuns } from "../support/runs.ts"

const venue = `${sandboxProfile({ url: sandboxUrl, asOf: new Date() })}${valuedAccount}`
const clients = ["one", "two"] as const
/** What the account is read to be worth, mostly within what the guards on losses allow. */
const equities = ["10000", "10000", "10000", "9980", "9700", "9400", "1"] as const

/** What a reading shows. */
type Shown = { readonly quantity: string; readonly equity: string }

type Step =
  | {
      readonly kind: "ask"
      readonly client: (typeof clients)[number]
      readonly body: Readonly<Record<string, unknown>>
      readonly changes: CallChanges
      /** It is checked and recorded just before, or a while, or names one of the checks that were: as far back as that. */
      readonly check: "recorded" | "late" | number | undefined
    }
  | { readonly kind: "pass"; readonly ms: number }
  | ({ readonly kind: "read"; readonly waitMs: number } & Shown)
  | { readonly kind: "freeze"; readonly name: (typeof clients)[number] }
  | {
      readonly kind: "fall" | "price" | "thaw" | "release" | "grant" | "refuse" | "lock" | "unlock"
    }

const cancelling = fc
  .constantFrom("101", "102")
  .map((order_id) => ({ body: { order_id }, changes: { path: cancelPath } }))
const unread = fc.constantFrom(
  { body: limitOrder({ quantity: 0.1 }), changes: {} },
  { body: limitOrder(), changes: { path: "/v1/trade/nothing" } },
  { body: limitOrder(), changes: { key: "nobody" } },
  { body: limitOrder(), changes: { expiresIn: "soon" } },
)

const asking = fc
  .tuple(
    fc.constantFrom(...clients),
    fc.oneof({ weight: 12, arbitrary: placing }, { weight: 3, arbitrary: cancelling }, unread),
    fc.constantFrom(...Array<undefined>(20).fill(undefined), "agent", "wallet"),
    fc.option(fc.uuid(), { nil: undefined, freq: 3 }),
    fc.constantFrom(...([undefined, undefined, "recorded", "recorded", "late", 0, 1] as const)),
  )
  .map(([client, { body, changes }, key, idempotencyKey, check]): Step => {
    const isKeyed = check === undefined && idempotencyKey
    const named = { ...(key && { key }), ...(isKeyed && { idempotencyKey }) }
    return { kind: "ask", client, body, changes: { ...named, ...changes }, check }
  })

/** What a person does, or a market, the more often the oftener it stands here. */
const words = [
  ...(["price", "price", "price", "thaw", "thaw", "release", "grant", "grant", "refuse"] as const),
  ...(["lock", "unlock", "unlock", "fall", "fall", "fall"] as const),
]

const arbitraryStep = fc.oneof(
  { weight: 24, arbitrary: asking },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(1, 400, 400, 1_000, 3_000, 11_000)
      .map((ms): Step => ({ kind: "pass", ms })),
  },
  {
    weight: 5,
    arbitrary: fc
      .record({
        quantity: fc.constantFrom("0", "0", "0.3", "-0.4"),
        equity: fc.constantFrom(...equities),
        waitMs: fc.constantFrom(0, 2_000, 30_000),
      })
      .map((shown): Step => ({ kind: "read", ...shown })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...clients).map((name): Step => ({ kind: "freeze", name })),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...words).map((kind): Step => ({ kind })),
  },
)

/** What a hold's refusal says before and after it is opened differs, and nothing else of it. */
function saidOf(refusal: Refusal) {
  return refusal.code === "approval_required" ? { code: refusal.code } : refusal
}

describe("for any policies, what was asked before, and any request", () => {
  it("/check says what /sign does: whether, and why not, with code, sentence and data", async () => {
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryPolicy, { minLength: 1, maxLength: 2 }),
        fc.array(arbitraryStep, { minLength: 20, maxLength: 40 }),
        async (policies, steps) => {
          const clock = fakeClock()
          const named = policies.map((text, index) => text.replace("drawn", `drawn-${index}`))
          const test = await openTestVault({ policies: named, venue, clock, keys: "on_disk" })
          try {
            const tokens = await populate(test)
            const checks: string[] = []
            for (const step of steps) {
              const outcome = await take(step, { test, tokens, clock, checks })
              if (outcome !== undefined) seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
            }
          } finally {
            await test.remove()
          }
        },
      ),
      numRuns(30),
    )
    for (const code of [
      "signed",
      "policy_denied",
      "limit_exhausted",
      "approval_required",
      "frozen",
      "guard_unreadable",
      "guard_exceeded",
      "guard_tripped",
      "nothing_to_reduce",
      "check_required",
      "check_expired",
      "check_unknown",
      "check_mismatch",
      "idempotency_conflict",
    ])
      assert.ok((seen.get(code) ?? 0) > 0, `${code} among ${JSON.stringify([...seen])}`)
  })
})

type Tokens = Readonly<Record<(typeof clients)[number], string>>

async function populate(test: TestVault): Promise<Tokens> {
  await test.admin.setPrice({ symbol: "BTC-PERP", value: "63000" })
  await test.addKey({ name: "wallet", role: "wallet", secret: guardedWallet.secret })
  await test.addKey({ name: "agent", role: "agent", wallet: "wallet" })
  await test.addKey({ name: "second", role: "agent", wallet: "wallet" })
  return {
    one: await test.addClient({ name: "one", keys: ["agent", "wallet"] }),
    two: await test.addClient({ name: "two", keys: ["second"] }),
  }
}

/** What the gate does when a reading is due. */
async function readAccount({ quantity, equity }: Shown, { bots }: TestVault): Promise<void> {
  const { round } = await bots.accountPoll()
  if (round === null) return
  const reading = { orders: [], positions: [{ symbol: "BTC-PERP", quantity }], equity }
  assert.equal((await bots.polledAccount({ ticket: round.ticket, reading })).kind, "answer")
}

type Site = {
  readonly test: TestVault
  readonly tokens: Tokens
  readonly clock: ReturnType<typeof fakeClock>
  /** The records of checks, the latest first. */
  readonly checks: string[]
}

async function take(
  step: Step,
  { test, tokens, clock, checks }: Site,
): Promise<string | undefined> {
  const { admin, vault } = test
  switch (step.kind) {
    case "ask":
      return askBoth(step, { test, tokens, clock, checks }, tokens[step.client])
    case "pass":
      clock.pass(step.ms)
      break
    case "read":
      clock.pass(step.waitMs)
      await readAccount(step, test)
      break
    case "fall":
      for (const equity of ["10000", "9000", "9000"]) {
        clock.pass(30_000)
        await readAccount({ quantity: "0", equity }, test)
      }
      break
    case "freeze":
      await admin.freeze({ scope: "client", name: step.name, reason: "drawn", cancels: true })
      break
    case "thaw":
      if (vault.active().freezes.length > 0) {
        await admin.thaw({ freezes: [...vault.active().freezes] })
      }
      break
    case "price":
      await admin.setPrice({ symbol: "BTC-PERP", value: "63000" })
      break
    case "lock":
      await admin.lock()
      break
    case "unlock":
      await admin.unlock({ secret: utf8(testPassphrase) })
      break
    case "release":
    case "grant":
    case "refuse":
      await decide(step.kind, test)
  }
  return undefined
}

/** A person's word on what waits longest, if anything does. */
async function decide(
  word: "release" | "grant" | "refuse",
  { admin, vault }: TestVault,
): Promise<void> {
  const [waiting] = vault.ledger.holds(vault.now()).filter(({ state }) => state === "pending")
  if (waiting === undefined) return
  const decision = word === "refuse" ? "refused" : "released"
  const policy_hash = vault.active().policyHash
  const said = { id: waiting.hold, decision, policy_hash } as const
  const grant = { forMs: 5_000, times: 2, upTo: "1" }
  // Not every request may be granted; it waits on then.
  if (word === "grant") await admin.decideHold({ ...said, grant }).catch(() => undefined)
  else await admin.decideHold(said)
}

/** What a recorded check says, and its record; `undefined` where it has none. */
async function record(
  { body, changes }: Extract<Step, { readonly kind: "ask" }>,
  { bots }: TestVault,
  token: string,
): Promise<string | undefined> {
  const recorded = await bots.check({ ...checkOf(callOf(token, body, changes)), shadow: true })
  assert.ok(recorded.kind === "answer")
  assert.notEqual(recorded.report.refusal?.code, "check_required")
  return recorded.record ?? undefined
}

/** Both are asked within one moment; returns what came of it. */
async function askBoth(
  step: Extract<Step, { readonly kind: "ask" }>,
  { test, checks, clock }: Site,
  token: string,
): Promise<string> {
  const { body } = step
  const isNamed = typeof step.check === "number" || step.check === undefined
  const named = isNamed ? undefined : await record(step, test, token)
  if (named !== undefined) checks.unshift(named)
  if (step.check === "late") clock.pass(4_001)
  const check = typeof step.check === "number" ? checks[step.check] : named
  const changes = { ...step.changes, ...(check !== undefined && { check }) }
  const checked = await test.bots.check(checkOf(callOf(token, body, changes)))
  const signed = await test.sign(token, body, changes)
  assert.ok(checked.kind === "answer", "a client that is known is answered")
  const { would_sign: wouldSign, refusal } = checked.report
  if (signed.kind === "refused") {
    assert.ok(refusal !== null, `/check would sign, /sign says ${signed.refusal.message}`)
    assert.deepEqual(saidOf(refusal), saidOf(signed.refusal))
    assert.equal(wouldSign, false)
    return refusal.code
  }
  assert.equal(refusal, null)
  assert.equal(wouldSign, true)
  return "signed"
}
