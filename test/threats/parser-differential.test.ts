import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import fc from "fast-check"

import { arbitraryOrder } from "../support/arbitrary-order.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  readBody,
  type TestVault,
} from "../support/open-test-vault.ts"
import { numRuns } from "../support/runs.ts"

/** What a careless hand or a hostile one does to JSON. */
const pieces = [
  ...['"', "\\", "{", "}", "[", "]", ",", ":", " ", "\t", "\n", "\0", "\ufeff", "\ud800"],
  ...["0", "1", "-0", "1e3", "1.0", ".5", "9007199254740993", "NaN", "null", "true"],
  ...["\\u0061", "\\ud800", "\\/", "quantity", "Quantity", '"quantity":"9",', '"price":"1",'],
  ...["__proto__", "//", "/*", "'", "İ", "K", "ſ"],
]
const edits = fc.array(
  fc.record({
    at: fc.nat(400),
    remove: fc.nat(2),
    insert: fc.oneof(fc.constant(""), fc.constantFrom(...pieces)),
  }),
  { minLength: 1, maxLength: 3 },
)
const spaces = fc.constantFrom(0, 1, "\t")

/** Like readers that know a field in any case: the last one of a name wins. */
function foldKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(foldKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.toLowerCase(), foldKeys(inner)]),
  )
}

/** Every key in the order in which a streaming reader meets them. */
function keysOf(text: string): readonly string[] {
  const keys: string[] = []
  JSON.parse(text, function (this: unknown, name: string, value: unknown) {
    if (!Array.isArray(this)) keys.push(name)
    return value
  })
  return keys
}

describe("a body that two readers could take in two ways", () => {
  let test: TestVault
  let token: string
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "mm", role: "agent" })
    token = await test.addClient({ name: "bot", keys: ["mm"] })
  })
  after(() => test.remove())

  /** The business fields of what goes out, by JavaScript's reader. */
  async function sentFor(body: string | Uint8Array, path?: string): Promise<unknown> {
    const answer = await test.sign(token, body, path === undefined ? {} : { path })
    if (answer.kind !== "answer") return undefined
    const { signer_address, nonce, expires_after, signature, ...business } = readBody(answer)
    assert.ok(signer_address && nonce && expires_after && signature)
    const text = JSON.stringify(business)
    assert.equal(keysOf(text).length, keysOf(JSON.stringify(foldKeys(business))).length)
    return business
  }

  it("isn't signed, or goes out as what every reader takes it for", async () => {
    let signed = 0
    const property = fc.asyncProperty(
      arbitraryOrder(),
      edits,
      spaces,
      async (order, all, space) => {
        let text = JSON.stringify(order, undefined, space)
        for (const { at, remove, insert } of all) {
          const start = at % text.length
          text = `${text.slice(0, start)}${insert}${text.slice(start + remove)}`
        }
        const bytes = Buffer.from(text) // a character that was cut in half is another one from here on
        const sent = await sentFor(bytes)
        if (sent === undefined) return
        signed += 1
        const asked: unknown = JSON.parse(bytes.toString())
        assert.deepEqual(sent, asked)
        assert.deepEqual(foldKeys(sent), foldKeys(asked))
      },
    )
    await fc.assert(property, numRuns(1500))
    assert.ok(signed > 0, "some edits leave an order that can be signed")
  })

  it("is read alike on a path whose body isn't documented", async () => {
    const values = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify({ value }))
    const property = fc.asyncProperty(values, async (text) => {
      const sent = await sentFor(text, cancelPath)
      if (sent !== undefined) assert.deepEqual(sent, JSON.parse(text))
    })
    await fc.assert(property, numRuns(300))
  })

  const order = JSON.stringify(limitOrder())
  const inside = order.slice(0, -1)
  const refused: readonly (readonly [string, string | Uint8Array])[] = [
    ["a field twice", `${inside},"quantity":"1000"}`],
    ["a field twice, once by escapes", `${inside},"q\\u0075antity":"1000"}`],
    ["a field in two cases", `${inside},"Quantity":"1000"}`],
    ["a number for a decimal string", order.replace('"0.1"', "1e3")],
    ["a number beyond 2^53", order.replace('"symbol_id":1', '"symbol_id":9007199254740993')],
    ["minus zero", order.replace('"symbol_id":1', '"symbol_id":-0')],
    ["a fraction that is whole", order.replace('"symbol_id":1', '"symbol_id":1.0')],
    ["an exponent too large", order.replace('"symbol_id":1', '"symbol_id":1e400')],
    ["bytes that aren't UTF-8", Buffer.from(order.replace("limit", "lim\u00ff"), "latin1")],
    ["a byte order mark", `\ufeff${order}`],
    ["half a character", order.replace('"limit"', '"\\ud800"')],
    ["a second value", `${order}{}`],
    ["a comment", `${order}//`],
    ["a trailing comma", `${inside},}`],
    ["an array for the object", `[${order}]`],
    ["10,000 brackets", "[".repeat(10_000)],
    ["a string of a megabyte", JSON.stringify({ ...limitOrder(), label: "a".repeat(1e6) })],
    ["nothing", ""],
  ]
  for (const [what, body] of refused) {
    it(`isn't signed for ${what}`, async () => {
      const code = outcomeOf(await test.sign(token, body))
      assert.match(code, /^invalid_(json|request)$/)
    })
  }

  const decimals = [
    "0x10",
    " 12",
    "1_000",
    "+1",
    "01",
    "1.",
    ".5",
    "",
    "1e3",
    "-1",
    "0",
    "NaN",
    "١",
  ]
  for (const text of decimals) {
    it(`isn't signed for the quantity ${JSON.stringify(text)}`, async () => {
      const answer = await test.sign(token, limitOrder({ quantity: text }))
      assert.equal(outcomeOf(answer), "invalid_request")
    })
  }
})
