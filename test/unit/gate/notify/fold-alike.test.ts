import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Change } from "../../../../src/gate/notify/hearing.ts"
import { bySubject, foldAlike, maxAlike } from "../../../../src/gate/notify/message.ts"
import { alarm, type AlarmName } from "../../../../src/contract/alarms.ts"

function changes(count: number, state: Change["state"], name: AlarmName): readonly Change[] {
  return Array.from({ length: count }, (_, n) => {
    const said = { subject: `S${n}`, fact: `S${n} is stale`, advice: `set S${n}` }
    return { state, alarm: { ...alarm(name, said), stands: state === "raised", at: 0 } }
  })
}

describe("alarms of one kind that come together", () => {
  it("are told one by one as long as they are few", () => {
    const few = changes(maxAlike, "raised", "price_stale")
    assert.deepEqual(
      foldAlike(few),
      few.map((change) => ({ change, of: [change] })),
    )
    assert.deepEqual(foldAlike([]), [])
  })

  it("are one where one more would be too many, and say how many they are", () => {
    const many = changes(maxAlike + 1, "raised", "price_stale")
    const [told, ...others] = foldAlike(many)
    assert.deepEqual([told?.of, others], [many, []])
    const only = told?.change
    assert.deepEqual([only?.state, only?.alarm.subject], ["raised", ""])
    assert.equal(only?.alarm.fact, "There are 6 alarms like this one: S0 is stale")
    assert.equal(only.alarm.advice, "set S0")
  })

  it("hide none of another kind, and none that is over", () => {
    const prices = changes(100, "raised", "price_stale")
    const over = changes(2, "cleared", "price_stale")
    const limits = changes(maxAlike, "raised", "limit_spent")
    const folded = foldAlike([...prices, ...over, ...limits])
    assert.deepEqual(
      folded.map(
        ({
          change: {
            state,
            alarm: { name },
          },
        }) => `${state} ${name}`,
      ),
      [
        "raised price_stale",
        ...over.map(() => "cleared price_stale"),
        ...limits.map(() => "raised limit_spent"),
      ],
    )
  })

  it("are told one by one where each is ended by its subject, but for what is never over", () => {
    const prices = changes(maxAlike + 1, "raised", "price_stale")
    const unknown = changes(maxAlike + 1, "raised", "outcome_unknown")
    const told = foldAlike([...prices, ...unknown], bySubject)
    assert.deepEqual(
      told.map(({ change: { alarm }, of }) => [alarm.name, of.length]),
      [...prices.map(() => ["price_stale", 1]), ["outcome_unknown", maxAlike + 1]],
    )
  })
})
