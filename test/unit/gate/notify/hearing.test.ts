import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  lingerMs,
  openHearing,
  quietMs,
  type Hearing,
} from "../../../../src/gate/notify/hearing.ts"
import { alarm, type AlarmName } from "../../../../src/contract/alarms.ts"
import type { KeptAlarm } from "../../../../src/gate/notify/alarm-log.ts"

const made = (name: AlarmName, subject = "", changes: Partial<KeptAlarm> = {}): KeptAlarm => ({
  ...alarm(name, { subject, fact: "It is so", advice: "fix it" }),
  ...{ stands: true, at: 1, ...changes },
})
const frozen = made("frozen", "all")
const spent = made("limit_spent", "mm/few")
const over = (one: KeptAlarm, at = 2): KeptAlarm => ({ ...one, stands: false, at })

const pending = (hearing: Hearing, nowMs: number): readonly string[] =>
  hearing.pending(nowMs).map(({ state, alarm: { name, subject } }) => `${state} ${name} ${subject}`)

/** Shows it these alarms, has it hear all of what follows, and says what. */
function told(hearing: Hearing, now: readonly KeptAlarm[], nowMs: number): readonly string[] {
  hearing.see(now, nowMs)
  const words = pending(hearing, nowMs)
  for (const change of hearing.pending(nowMs)) hearing.heard(change, nowMs)
  return words
}

describe("what a target has yet to hear", () => {
  it("is an alarm once, however long it lasts", () => {
    const hearing = openHearing("warning")
    assert.deepEqual(told(hearing, [frozen, spent], 0), [
      "raised frozen all",
      "raised limit_spent mm/few",
    ])
    assert.deepEqual(told(hearing, [{ ...frozen, fact: "By another", at: 5 }, spent], 5_000), [])
    assert.deepEqual(told(openHearing("warning"), [], 0), [])
  })

  it("is what it didn't take, again and again until it does", () => {
    const hearing = openHearing("warning")
    hearing.see([frozen], 0)
    for (const nowMs of [0, 1, 1_000_000]) {
      assert.deepEqual(pending(hearing, nowMs), ["raised frozen all"])
    }
  })

  it("is another subject by itself", () => {
    const hearing = openHearing("warning")
    const client = made("frozen", "client bot")
    told(hearing, [frozen, client], 0)
    assert.deepEqual(told(hearing, [frozen, over(client), made("frozen", "key mm")], 1), [
      "cleared frozen client bot",
      "raised frozen key mm",
    ])
  })

  it("is at once that a freeze is over, and the next one", () => {
    const hearing = openHearing("warning")
    told(hearing, [frozen], 0)
    assert.deepEqual(told(hearing, [over(frozen)], 1), ["cleared frozen all"])
    assert.deepEqual(told(hearing, [over(frozen)], 2), [])
    assert.deepEqual(told(hearing, [frozen], 3), ["raised frozen all"])
  })

  it("is that what is measured is over only once it has been so for a minute", () => {
    const hearing = openHearing("warning")
    told(hearing, [spent], 0)
    assert.deepEqual(told(hearing, [over(spent)], 5_000), [])
    assert.deepEqual(told(hearing, [over(spent)], 5_000 + lingerMs - 1), [])
    assert.ok(!hearing.isDone(over(spent)))
    assert.deepEqual(told(hearing, [over(spent)], 5_000 + lingerMs), ["cleared limit_spent mm/few"])
    assert.ok(hearing.isDone(over(spent)))
    assert.deepEqual(told(hearing, [spent], 5_001 + lingerMs), ["raised limit_spent mm/few"])
  })

  it("is nothing of what goes to and fro within a minute, which is counted anew", () => {
    const hearing = openHearing("warning")
    told(hearing, [spent], 0)
    for (let nowMs = 10_000; nowMs < 10 * lingerMs; nowMs += 10_000) {
      const now = nowMs % 20_000 === 0 ? spent : over(spent, nowMs)
      assert.deepEqual(told(hearing, [now], nowMs), [])
    }
    told(hearing, [spent], 10 * lingerMs)
    told(hearing, [over(spent)], 10 * lingerMs + 1)
    assert.deepEqual(told(hearing, [over(spent)], 11 * lingerMs), [])
    assert.deepEqual(told(hearing, [over(spent)], 11 * lingerMs + 1), [
      "cleared limit_spent mm/few",
    ])
  })

  it("is what came and went while nobody looked, as one that has passed", () => {
    const hearing = openHearing("warning")
    const waits = over(made("hold_waits", "h"))
    assert.deepEqual(told(hearing, [waits], 0), ["passed hold_waits h"])
    assert.deepEqual(told(hearing, [waits], 1), [])
    assert.deepEqual(
      told(hearing, [{ ...waits, at: 9 }], 2),
      ["passed hold_waits h"],
      "a later one",
    )
  })

  it("is of a critical one that it was so, though it is over, and then its end", () => {
    const hearing = openHearing("warning")
    for (const at of [2, 9]) {
      assert.deepEqual(told(hearing, [over(frozen, at)], 0), ["passed frozen all"])
      assert.equal(hearing.isDone(over(frozen, at)), false)
      assert.deepEqual(told(hearing, [over(frozen, at)], 1), ["cleared frozen all"])
      assert.equal(hearing.isDone(over(frozen, at)), true)
      assert.deepEqual(told(hearing, [over(frozen, at)], 2), [])
    }
    const measured = openHearing("warning")
    assert.deepEqual(told(measured, [over(spent)], 0), ["passed limit_spent mm/few"])
    assert.deepEqual(told(measured, [over(spent)], lingerMs - 1), [])
    assert.deepEqual(told(measured, [over(spent)], lingerMs), ["cleared limit_spent mm/few"])
  })

  it("is what is critical first, whenever it came", () => {
    const hearing = openHearing("warning")
    const stale = made("price_stale", "X")
    hearing.see([stale], 0)
    assert.deepEqual(told(hearing, [stale, made("price_ageing", "X"), frozen], 1), [
      "raised frozen all",
      "raised price_stale X",
      "raised price_ageing X",
    ])
  })

  it("is the end of what a vault that was started anew doesn't know any more", () => {
    const hearing = openHearing("warning")
    told(hearing, [frozen, spent], 0)
    assert.deepEqual(told(hearing, [spent], 1), ["cleared frozen all"])
    assert.deepEqual(told(hearing, [], 2), [])
    assert.deepEqual(told(hearing, [], 2 + lingerMs), ["cleared limit_spent mm/few"])
    assert.deepEqual(told(hearing, [], 3 + lingerMs), [])
  })

  it("is what came back while its end was being told", () => {
    const hearing = openHearing("warning")
    told(hearing, [frozen], 0)
    hearing.see([over(frozen)], 1)
    const [ending] = hearing.pending(1)
    hearing.see([frozen], 2)
    if (ending !== undefined) hearing.heard(ending, 3)
    assert.deepEqual(pending(hearing, 3), ["raised frozen all"])
  })

  it("is nothing below its severity, and all of it", () => {
    const stale = made("price_stale", "BTC-PERP")
    const grave = openHearing("critical")
    assert.deepEqual(told(grave, [stale, frozen], 0), ["raised frozen all"])
    assert.deepEqual([grave.isDone(over(stale)), grave.isDone(over(frozen))], [true, false])
    const all = openHearing("warning")
    assert.deepEqual(told(all, [stale, frozen], 0), [
      "raised frozen all",
      "raised price_stale BTC-PERP",
    ])
  })

  it("is an unknown outcome once, never that it is over, and others of that minute together", () => {
    const hearing = openHearing("warning")
    const [first, second] = ["rec_1", "rec_2"].map((record) =>
      made("outcome_unknown", record, { stands: false }),
    ) as [KeptAlarm, KeptAlarm]
    assert.deepEqual(told(hearing, [first], 1_000), ["raised outcome_unknown rec_1"])
    assert.deepEqual(told(hearing, [{ ...first, at: 7 }, second], 1_001), [], "it is quiet")
    assert.deepEqual([hearing.isDone(first), hearing.isDone(second)], [true, false])
    assert.deepEqual(told(hearing, [second], 1_000 + quietMs - 1), [])
    assert.deepEqual(told(hearing, [second], 1_000 + quietMs), ["raised outcome_unknown rec_2"])
    assert.deepEqual(told(hearing, [], 1_000 + 2 * quietMs), [])
  })
})
