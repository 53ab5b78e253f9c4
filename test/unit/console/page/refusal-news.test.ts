import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { gatherRefusals, quietMs } from "../../../../src/console/page/model.ts"
import { allowedRow, refusedRow } from "../../../support/console-look.ts"

const sentence = "Refused for maker: The order is larger than 5."

describe("the news of refusals", () => {
  it("is nothing before anything was refused, nor for what was allowed or held", () => {
    const news = gatherRefusals()
    assert.equal(news.tell(0), "")
    news.hear([allowedRow, { ...allowedRow, result: "held" }])
    assert.equal(news.tell(1), "")
  })

  it("tells a refusal at once, and lets it stay for a few seconds", () => {
    const news = gatherRefusals()
    news.hear([refusedRow])
    assert.equal(news.tell(1_000), sentence)
    assert.equal(news.tell(1_000 + quietMs - 1), sentence)
    assert.equal(news.tell(1_000 + quietMs), "")
    assert.equal(news.tell(1_001 + quietMs), "")
  })

  it("gathers what comes meanwhile into one sentence, the last with its reason", () => {
    const news = gatherRefusals()
    news.hear([refusedRow])
    news.tell(0)
    news.hear([{ ...refusedRow, client: "taker", message: "Frozen." }, allowedRow, refusedRow])
    news.hear(
      Array.from({ length: 1_232 }, (_, n) =>
        n === 0 ? { ...refusedRow, message: null } : refusedRow,
      ),
    )
    assert.equal(news.tell(quietMs - 1), sentence)
    assert.equal(news.tell(quietMs), "")
    assert.equal(news.tell(quietMs + 1), "1,234 refused, the last one for maker: order_too_large")
  })

  it("takes a sentence away before it tells the same once more, which wouldn't be read else", () => {
    const news = gatherRefusals()
    const told = [0, quietMs, quietMs + 250].map((nowMs) => {
      news.hear([refusedRow])
      return news.tell(nowMs)
    })
    assert.deepEqual(told, [
      sentence,
      "",
      "2 refused, the last one for maker: The order is larger than 5.",
    ])
  })

  it("says that there is no reason where none is told", () => {
    const news = gatherRefusals()
    news.hear([{ ...refusedRow, reason: null, message: null }])
    assert.equal(news.tell(0), "Refused for maker: It says no reason.")
  })
})
