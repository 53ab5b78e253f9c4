import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { begunAnew, changesBetween } from "../../../src/audit/widening.ts"
import { policiesOf } from "../../support/policy-case.ts"

const rule = (...keys: readonly string[]): string =>
  ["policy: p", "rules:", "  - name: quote", ...keys.map((key) => `    ${key}`)].join("\n")

function changes(before: string, after: string, name = "policies/p.yaml") {
  return changesBetween([{ name, text: before }], [{ name, text: after }])
}

function widens(before: string, after: string): readonly boolean[] {
  return changes(before, after).map((change) => change.widens)
}

describe("a change of the files", () => {
  it("is none when only order, spacing and comments differ", () => {
    const before = "policy: p\nrules:\n  - {name: a, sides: [buy], max_notional: '5'}\n"
    const after = '# new\nrules:\n  - max_notional: "5"\n    sides: [buy]\n    name: a\npolicy: p\n'
    assert.deepEqual(changes(before, after), [])
  })

  it("tells file, place, and both values", () => {
    assert.deepEqual(changes(rule('max_quantity: "0.5"'), rule('max_quantity: "0.6"')), [
      {
        file: "policies/p.yaml",
        where: "rules/quote/max_quantity",
        from: '"0.5"',
        to: '"0.6"',
        widens: true,
      },
    ])
  })

  const bounds = ["max_quantity", "max_notional", "max_slippage", "max_valid_days"]
  for (const key of bounds) {
    it(`widens when ${key} grows or goes, and not when it shrinks or comes`, () => {
      assert.deepEqual(widens(rule(`${key}: "5"`), rule(`${key}: "5.1"`)), [true])
      assert.deepEqual(widens(rule(`${key}: "5"`), rule("sides: [buy]")), [true, false])
      assert.deepEqual(widens(rule(`${key}: "5"`), rule(`${key}: "4.9"`)), [false])
      assert.deepEqual(
        widens(rule("order_types: [limit]"), rule("order_types: [limit]", `${key}: "5"`)),
        [false],
      )
    })
  }

  it("doesn't widen when a file that only allows goes, and does when one that denies goes", () => {
    const head = "policy: p\napplies_to: {clients: [bot]}\n"
    const gone = (text: string) =>
      changesBetween([{ name: "policies/p.yaml", text }], []).some((change) => change.widens)
    assert.equal(gone(`${head}rules: [{name: a, endpoints: [placeOrder]}]\n`), false)
    assert.equal(gone(`${head}deny: [{name: a, endpoints: [placeOrder]}]\n`), true)
  })

  it("compares durations, and takes what it can't compare for wider", () => {
    assert.deepEqual(widens(rule("max_expires_in: 10s"), rule("max_expires_in: 9s")), [false])
    assert.deepEqual(widens(rule("max_expires_in: 10s"), rule("max_expires_in: 1m")), [true])
    assert.deepEqual(widens(rule('max_quantity: "5"'), rule('max_quantity: {"1": "1"}')), [true])
    assert.deepEqual(widens(rule("price_band: 2%"), rule("price_band: 1%")), [true])
  })

  it("widens when a list of what is allowed gains a word or goes", () => {
    assert.deepEqual(widens(rule("sides: [buy]"), rule("sides: [sell, buy]")), [true])
    assert.deepEqual(widens(rule("sides: [sell, buy]"), rule("sides: [buy]")), [false])
    assert.deepEqual(widens(rule("sides: [buy]"), rule("order_types: [limit]")), [true, false])
  })

  it("widens when a demand goes, and not when one comes", () => {
    assert.deepEqual(widens(rule("require_flags: [post_only]"), rule("sides: [buy]")), [
      true,
      false,
    ])
    assert.deepEqual(
      widens(rule("sides: [buy]"), rule("sides: [buy]", "require_flags: [post_only]")),
      [false],
    )
    assert.deepEqual(
      widens(rule("forbid_flags: [post_only, reduce_only]"), rule("forbid_flags: [post_only]")),
      [true],
    )
    assert.deepEqual(widens(rule('min_quantity: "1"'), rule('min_quantity: "2"')), [false])
    assert.deepEqual(widens(rule('min_quantity: "2"'), rule('min_quantity: "1"')), [true])
    assert.deepEqual(widens(rule('min_quantity: "2"'), rule()), [true])
    assert.deepEqual(widens(rule(), rule('min_quantity: "2"')), [false])
  })

  for (const list of ["deny", "hold", "limits"]) {
    const entry = `policy: p\n${list}:\n  - {name: x, sides: [buy]}\n`
    it(`widens when an entry of ${list} goes or changes, and not when one comes`, () => {
      assert.deepEqual(widens(entry, "policy: p\n"), [true])
      assert.deepEqual(widens("policy: p\n", entry), [false])
      assert.deepEqual(widens(entry, entry.replace("buy", "sell")), [true])
    })
  }

  it("widens when idempotency keys are no longer required, and not when they come to be", () => {
    const required = (word: string) => `policy: p\nrequire_idempotency: ${word}\n`
    assert.deepEqual(widens("policy: p\n", required("true")), [false])
    assert.deepEqual(widens(required("false"), required("true")), [false])
    assert.deepEqual(widens(required("true"), required("false")), [true])
    assert.deepEqual(widens(required("true"), "policy: p\n"), [true])
  })

  it("widens when the time of require_check grows or goes, and not when it shrinks or comes", () => {
    const within = (time: string) => `policy: p\nrequire_check: ${time}\n`
    assert.deepEqual(widens("policy: p\n", within("5s")), [false])
    assert.deepEqual(widens(within("1m"), within("5s")), [false])
    assert.deepEqual(widens(within("5s"), within("6s")), [true])
    assert.deepEqual(widens(within("5s"), "policy: p\n"), [true])
  })

  it("widens when the time of repeat_within shrinks or goes, and not when it grows or comes", () => {
    const within = (time: string) => `policy: p\nrepeat_within: ${time}\n`
    assert.deepEqual(widens("policy: p\n", within("5s")), [false])
    assert.deepEqual(widens(within("5s"), within("1m")), [false])
    assert.deepEqual(widens(within("1m"), within("5s")), [true])
    assert.deepEqual(widens(within("5s"), "policy: p\n"), [true])
  })

  it("widens when a rule comes, and not when one goes", () => {
    assert.deepEqual(widens("policy: p\n", rule("sides: [buy]")), [true])
    assert.deepEqual(widens(rule("sides: [buy]"), "policy: p\n"), [false])
  })

  it("narrows when only a limit's max falls", () => {
    const limit = (max: string) => `policy: p\nlimits:\n  - {name: x, max: "${max}"}\n`
    assert.deepEqual(widens(limit("10"), limit("9")), [false])
    assert.deepEqual(widens(limit("10"), limit("11")), [true])
  })

  it("takes every change of venue.yaml and countersign.yaml, and of whom a policy is for, for wider", () => {
    const venue = changes(
      "extends: builtin\n",
      "extends: builtin\nbase_url: https://a.example\n",
      "venue.yaml",
    )
    assert.deepEqual(
      venue.map(({ where, widens: isWider }) => ({ where, isWider })),
      [{ where: "base_url", isWider: true }],
    )
    assert.deepEqual(widens("policy: p\n", "policy: p\napplies_to: {clients: [a]}\n"), [true])
  })

  it("tells a whole file that came or went, entry by entry", () => {
    const file = { name: "policies/new.yaml", text: rule("sides: [buy]") }
    const [name, came] = changesBetween([], [file])
    assert.deepEqual([name?.where, name?.widens], ["policy", false])
    assert.deepEqual([came?.where, came?.widens], ["rules/quote", true])
    assert.deepEqual(
      changesBetween([file], []).map((change) => change.widens),
      [false, false],
    )
  })
})

describe("a limit with window: ever", () => {
  const file = (limit: string, head = ""): string =>
    `policy: p\n${head}\nrules: [{name: all, endpoints: [placeOrder]}]\nlimits: [{${limit}}]\n`
  const life = 'name: life, sum: submitted_notional, window: ever, max: "5"'
  const anew = (before: string, after: string) =>
    begunAnew(policiesOf(before), policiesOf(after)).map(({ where, widens: wider }) => [
      where,
      wider,
    ])
  const begins = [["limits/life", true]]

  it("begins anew when it counts something else, or for others, also under another name", () => {
    assert.deepEqual(anew(file(life), file(`${life}, per: client`)), begins)
    assert.deepEqual(anew(file(life), file(`${life}, sides: [buy]`)), begins)
    assert.deepEqual(anew(file(life), file(life, "applies_to: {clients: [bot]}")), begins)
    assert.deepEqual(anew(file(life.replace("life", "old")), file(`${life}, per: client`)), begins)
  })

  it("widens nothing where none is gone", () => {
    const begun = [["limits/life", false]]
    assert.deepEqual(anew(file(life.replace("ever", "1h")), file(life)), begun)
    assert.deepEqual(anew("", file(life)), begun)
  })

  it("goes on with another name, max or mode, and with what means the same", () => {
    const raised = life.replace('"5"', '"6"')
    for (const same of [
      raised,
      life.replace("life", "cap"),
      `${life}, mode: observe`,
      `${life}, per: all`,
    ]) {
      assert.deepEqual(anew(file(life), file(same)), [])
    }
    const sides = "symbols: [BTC-PERP, ETH-PERP]"
    const turned = "symbols: [ETH-PERP, BTC-PERP]"
    assert.deepEqual(anew(file(`${life}, ${sides}`), file(`${life}, ${turned}`)), [])
  })

  it("alone does: any other window is counted again from the records", () => {
    const hourly = life.replace("ever", "1h")
    assert.deepEqual(anew(file(hourly), file(`${hourly}, per: client`)), [])
    assert.deepEqual(anew(file(life), file(hourly)), [])
  })
})
