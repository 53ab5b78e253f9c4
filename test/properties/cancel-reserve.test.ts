import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { createRateLimiter } from "../../src/sandbox/state/rate-limiter.ts"
import { budgetMax, reserveEveryMs, type Spending } from "../../src/vault/budgets/budget.ts"
import { openBudgets } from "../../src/vault/budgets/budgets.ts"
import { numRuns } from "../support/runs.ts"
import { seededRandom } from "../support/seeded-random.ts"
import { nothingKept, orderSpending } from "../support/spending.ts"

/**
 * How clients of one address go on that were refused a cancel: 50 times a second; when they are told to, to the
 * millisecond or by `Retry-After` in seconds; and when it isn't their turn, so that it passes unused.
 */
const manners = ["floods", "exact", "rounded", "absent"] as const
type Manner = (typeof manners)[number]

/** The address's budget was spent just before, so that there is nothing but its reserve. */
const playMs = 55_000
/** How long after the time that it was told a client comes at most. */
const latestMs = 80

const byAddress: Spending = { ...orderSpending, terms: { ...nothingKept, ip: undefined } }

type Client = {
  readonly spending: Spending
  readonly manner: Manner
  dueMs: number
  /** When it had a cancel signed. */
  readonly signedMs: number[]
}

/** Plays clients that want one cancel after the other. The venue takes each that is signed. */
function play(seed: string, each: readonly Manner[]): readonly Client[] {
  const random = seededRandom(seed)
  let nowMs = 0
  const budgets = openBudgets({ monotonicMs: () => nowMs })
  const limiter = createRateLimiter()
  const sign = (spending: Spending): void => {
    budgets.count(spending)
    const asked = { ...spending, isCancel: true, ip: "here", ipWeight: 0, nowMs }
    assert.ok(limiter.take(asked).ok, "it is refused")
  }
  const clients: readonly Client[] = each.map((manner, index) => ({
    spending: { ...byAddress, client: `${index}`, lane: "cancel" },
    ...{ manner, dueMs: random.below(1_000), signedMs: [] },
  }))
  /** Asks for a client, and tells when it asks again. */
  const ask = ({ manner, spending, signedMs }: Client): number => {
    const soonMs = nowMs + (manner === "floods" ? 20 : 1 + random.below(latestMs))
    if (budgets.shortage(spending) === undefined) {
      if (manner === "absent") return soonMs
      sign(spending)
      signedMs.push(nowMs)
      return soonMs
    }
    const toldMs = budgets.ask(spending)?.retryAfterMs ?? 0
    if (manner === "exact") return soonMs + toldMs
    return manner === "rounded" ? soonMs + Math.ceil(toldMs / 1_000) * 1_000 : soonMs
  }
  sign({ ...byAddress, addressWeight: budgetMax.address })
  for (; nowMs < playMs; nowMs = Math.min(...clients.map(({ dueMs }) => dueMs))) {
    const due = clients.filter(({ dueMs }) => dueMs <= nowMs)
    for (const client of random.shuffled(due)) client.dueMs = ask(client)
  }
  return clients
}

function longestWaitMs({ signedMs }: Client): number {
  return Math.max(...[...signedMs, playMs].map((ms, index) => ms - (signedMs[index - 1] ?? 0)))
}

describe("the reserve for cancels of an address that several clients have spent", () => {
  it("comes round to each that asks when it is told to, however the others ask", () => {
    const several = fc.array(fc.constantFrom(...manners), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), several, (seed, each) => {
        const clients = play(seed, each)
        const [absent, present] = [true, false].map((isAbsent) =>
          clients.filter(({ manner }) => (manner === "absent") === isAbsent),
        )
        // Each turn may be used late, by the second that `Retry-After` is rounded up.
        const roundMs = present!.length * (1 + absent!.length) * 2 * reserveEveryMs
        for (const client of present!) {
          assert.ok(longestWaitMs(client) <= roundMs, `${client.manner}: ${longestWaitMs(client)}`)
        }
        assert.ok(absent!.every(({ signedMs }) => signedMs.length === 0))
      }),
      numRuns(60),
    )
  })
})
