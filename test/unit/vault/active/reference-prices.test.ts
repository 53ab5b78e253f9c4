import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { referencePrice } from "../../../../src/vault/active/active-set.ts"
import { parseConfig } from "../../../../src/vault/config/config.ts"
import type { FileSet } from "../../../../src/vault/config/load-files.ts"
import type { Standing } from "../../../../src/vault/ledger/bindings.ts"
import { operatorName } from "../../../../src/vault/ledger/records/bindings.ts"
import { formatDecimal, wholeDecimal } from "../../../../src/venue/decimal.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import { symbolTable, testProfile } from "../../../support/test-profile.ts"

const nowMs = Date.UTC(2026, 10, 20, 12)
const minuteMs = 60_000

/** A set with a price of venue.yaml and a fed one, each as old as it is told. */
function setWith(ages: { readonly writtenMs: number; readonly fedMs: number }): FileSet & Standing {
  const config = parseConfig("keystore: {backend: memory}\nprices: {max_age: 10m}\n", "c.yaml")
  assert.ok(config.ok)
  const written = { value: wholeDecimal(100n), asOfMs: nowMs - ages.writtenMs, maxAgeMs: 3_600_000 }
  const symbol = { id: 1, name: "BTC-PERP", market: "perp", quote: "USD" } as const
  const profile = testProfile({ symbols: symbolTable([{ ...symbol, referencePrice: written }]) })
  const fed = { symbolId: 1, value: wholeDecimal(200n), asOfMs: nowMs - ages.fedMs }
  const prices = new Map([[1, { ...fed, by: "feed", confirmed: true }]])
  const files = { config: config.value, profile, policies: [], texts: [], policyHash: "" }
  const stands = { raises: [], acceptedHash: undefined, freezes: [], armed: [] }
  return { ...files, prices, ...stands, marks: new Map(), guards: [] }
}

function priceOf(set: FileSet & Standing): string | undefined {
  const price = referencePrice(1, set, ledgerTime(nowMs))
  return price === undefined ? undefined : formatDecimal(price)
}

describe("the reference price of a symbol with two", () => {
  it("is the later one of those that are fresh", () => {
    assert.equal(priceOf(setWith({ writtenMs: 5 * minuteMs, fedMs: minuteMs })), "200")
    assert.equal(priceOf(setWith({ writtenMs: minuteMs, fedMs: 5 * minuteMs })), "100")
  })

  it("is the fresh one where the other is stale, and none where both are", () => {
    assert.equal(priceOf(setWith({ writtenMs: 30 * minuteMs, fedMs: 11 * minuteMs })), "100")
    assert.equal(priceOf(setWith({ writtenMs: 61 * minuteMs, fedMs: 9 * minuteMs })), "200")
    assert.equal(priceOf(setWith({ writtenMs: 61 * minuteMs, fedMs: 11 * minuteMs })), undefined)
  })

  it("is good for an hour when an operator gave it, whatever max_age says", () => {
    const set = setWith({ writtenMs: 61 * minuteMs, fedMs: 60 * minuteMs })
    const price = set.prices.get(1)
    assert.ok(price)
    const byOperator = { ...set, prices: new Map([[1, { ...price, by: operatorName }]]) }
    assert.equal(priceOf(byOperator), "200")
  })
})
