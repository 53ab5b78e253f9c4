import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { utf8 } from "../../src/std/bytes.ts"
import { type JsonValue, parseStrictJson } from "../../src/venue/json.ts"
import { arbitraryJson } from "../support/arbitrary-json.ts"
import { arbitraryOrder } from "../support/arbitrary-order.ts"
import { numRuns } from "../support/runs.ts"

const orderBytes = arbitraryOrder().map((order) => utf8(JSON.stringify(order)))

/** Pieces that make near-JSON: most of what is put together of them is nearly right. */
const pieces = fc.constantFrom(
  ...["{", "}", "[", "]", ",", ":", '"', '"a":', '"A":', '"\\u0061":', '"b":', '"a"', '""', " "],
  ...["0", "-0", "-", "1", "1.0", "1e3", "9007199254740993", "true", "false", "null", "tru", "NaN"],
  ...[
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\',
    '"\n"',
    "\ufeff",
    "\0",
    '"__proto__":',
    '"toString":',
  ],
)
const nearJson = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
  fc.array(pieces, { maxLength: 6 }).map((parts) => `[${parts.join(",")}]`),
  fc.array(pieces, { maxLength: 6 }).map((parts) => `{${parts.join("")}}`),
)

type Change = { readonly at: number; readonly remove: number; readonly insert: Uint8Array }
const changes = fc.array(
  fc.record({
    at: fc.nat(400),
    remove: fc.nat(3),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      pieces.map((piece) => utf8(piece)),
    ),
  }),
  { minLength: 1, maxLength: 3 },
)

describe("parseStrictJson, for any input,", () => {
  it("reads every allowed value as it was written, compact or spaced", () => {
    const property = fc.property(arbitraryJson(), fc.constantFrom(0, 2, "\t"), (value, indent) => {
      const parsed = parseStrictJson(utf8(JSON.stringify(value, null, indent)))
      assert.ok(parsed.ok)
      assert.deepEqual(structuredClone(parsed.value), value)
      assertFrozen(parsed.value)
    })
    fc.assert(property, numRuns(1000))
  })

  it("reads every order", () => {
    const property = fc.property(orderBytes, (bytes) => {
      assert.ok(parseStrictJson(bytes).ok)
    })
    fc.assert(property, numRuns(300))
  })

  it("never throws on any bytes, and what it accepts JSON.parse reads alike", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), agreesWithJsonParse), numRuns(2000))
  })

  it("agrees with JSON.parse on what it accepts of nearly right JSON", () => {
    const property = fc.property(nearJson, (text) => agreesWithJsonParse(utf8(text)))
    fc.assert(property, numRuns(2000))
  })

  it("agrees with JSON.parse on what it accepts of orders with damaged bytes", () => {
    const property = fc.property(orderBytes, changes, (bytes, made) =>
      agreesWithJsonParse(made.reduce(applyChange, bytes)),
    )
    fc.assert(property, numRuns(2000))
  })

  it("refuses an order in which any key is written once more, in any case", () => {
    const property = fc.property(arbitraryOrder(), fc.nat(), fc.boolean(), (order, pick, upper) => {
      const keys = Object.keys(order)
      const key = keys[pick % keys.length]!
      const again = upper ? key.toUpperCase() : key
      const text = `${JSON.stringify(order).slice(0, -1)},"${again}":0}`
      const parsed = parseStrictJson(utf8(text))
      assert.ok(!parsed.ok)
      assert.match(parsed.error.message, upper ? /another case/ : /twice/)
    })
    fc.assert(property, numRuns(300))
  })
})

/** What is accepted has one meaning; what is refused says where. */
function agreesWithJsonParse(bytes: Uint8Array): void {
  const parsed = parseStrictJson(bytes)
  if (!parsed.ok) {
    assert.ok(parsed.error.offset >= 0 && parsed.error.offset <= bytes.length)
    return
  }
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  assert.deepEqual(structuredClone(parsed.value), JSON.parse(text))
  assertFrozen(parsed.value)
}

function assertFrozen(value: JsonValue): void {
  if (typeof value !== "object" || value === null) return
  assert.ok(Object.isFrozen(value))
  if (!Array.isArray(value)) assert.equal(Object.getPrototypeOf(value), null)
  for (const part of Object.values(value) as JsonValue[]) assertFrozen(part)
}

function applyChange(bytes: Uint8Array, { at, remove, insert }: Change): Uint8Array {
  const start = at % (bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + remove)])
}
