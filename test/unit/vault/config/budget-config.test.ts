import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { problemText } from "../../../../src/std/yaml-file.ts"
import { parseConfig } from "../../../../src/vault/config/config.ts"

function read(budgets: string) {
  return parseConfig(`keystore: {backend: memory}\nbudgets: ${budgets}\n`, "countersign.yaml")
}

function budgets(text: string) {
  const config = read(text)
  assert.ok(config.ok)
  return config.value.budgets
}

describe("budgets in countersign.yaml", () => {
  it("are both on, with 5% for cancels and no shares, unless it says otherwise", () => {
    const isOn = { address: true, ip: true }
    const usual = { isOn, ipPart: 100, shares: new Map(), cancelReserve: 5 }
    assert.deepEqual(budgets("{}"), usual)
    assert.deepEqual(budgets("{address: on, ip: on, shares: {}, cancel_reserve: 5%}"), usual)
  })

  it("have the part of the IP's that they are given, from 1% on", () => {
    const { isOn, ipPart } = budgets("{ip: 33%}")
    assert.deepEqual([isOn, ipPart], [{ address: true, ip: true }, 33])
    assert.equal(budgets("{ip: 1%}").ipPart, 1)
    assert.equal(budgets("{ip: 100%}").ipPart, 100)
    for (const wrong of ["{ip: 0%}", "{ip: 101%}", "{ip: 33}", "{ip: 0.5%}", "{address: 33%}"]) {
      assert.equal(read(wrong).ok, false, wrong)
    }
    const unknown = read("{ip: some}")
    assert.ok(!unknown.ok)
    assert.match(unknown.error.map(problemText).join(), /on, off or a whole percentage like 33%/)
  })

  it("can each be off", () => {
    assert.deepEqual(budgets("{address: off}").isOn, { address: false, ip: true })
    assert.deepEqual(budgets("{ip: off}").isOn, { address: true, ip: false })
  })

  for (const [text, isRight] of [
    ["{shares: {bot: 95%}}", true],
    ["{shares: {bot: 96%}}", false],
    ["{shares: {bot: 40%, other: 55%}}", true],
    ["{shares: {bot: 40%, other: 56%}}", false],
    ["{shares: {bot: 100%}, cancel_reserve: 0%}", true],
    ["{shares: {bot: 100%}, cancel_reserve: 1%}", false],
    ["{cancel_reserve: 100%}", true],
    ["{cancel_reserve: 101%}", false],
  ] as const) {
    it(`${isRight ? "promise" : "don't promise"} ${text}`, () => {
      assert.equal(read(text).ok, isRight)
    })
  }

  it("name a client that need not be there yet, in whole percent", () => {
    assert.deepEqual(
      [...budgets("{shares: {bot: 40%, mm-2: 7%}}").shares],
      [
        ["bot", 40],
        ["mm-2", 7],
      ],
    )
    for (const wrong of ["bot: 0.5%", "bot: 40", "bot: -1%", "bot: 040%", "Bot: 40%"]) {
      assert.equal(read(`{shares: {${wrong}}}`).ok, false, wrong)
    }
  })

  it("are refused with a sentence when more than all is promised, and when a key is unknown", () => {
    const tooMuch = read("{shares: {bot: 96%}}")
    assert.ok(!tooMuch.ok)
    assert.match(tooMuch.error.map(problemText).join(), /more than 100% together/)
    assert.equal(read("{adress: off}").ok, false)
    assert.equal(read("{address: maybe}").ok, false)
  })
})
