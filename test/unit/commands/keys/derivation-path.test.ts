import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { defaultPathText, parseDerivationPath } from "../../../../src/commands/keys/secret-text.ts"
import { numRuns } from "../../../support/runs.ts"

const hardened = 2 ** 31
const levels = (count: number): string => `m${"/1".repeat(count)}`

describe("parseDerivationPath", () => {
  for (const [text, indexes] of [
    [defaultPathText, [hardened + 44, hardened + 60, hardened, 0, 0]],
    ["m/0", [0]],
    ["m/0'", [hardened]],
    ["m/2147483647", [hardened - 1]],
    ["m/2147483647'", [2 * hardened - 1]],
    [levels(10), [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
  ] as const) {
    it(`reads ${text}`, () => {
      assert.deepEqual(parseDerivationPath(text), { ok: true, value: { text, indexes } })
    })
  }

  for (const [text, problem] of [
    ["", "must start with m/"],
    ["m", "must start with m/"],
    ["M/0", "must start with m/"],
    ["/0", "must start with m/"],
    ["0/1", "must start with m/"],
    ["44'/60'/0'/0/0", "must start with m/"],
    [" m/0", "must start with m/"],
    ["m/", "has nothing at level 1"],
    ["m/0/", "has nothing at level 2"],
    ["m//0", "has nothing at level 1"],
    ["m/44h/60", "must mark a hardened number with ', not with h, at level 1"],
    ["m/44'/60H", "must mark a hardened number with ', not with h, at level 2"],
    ["m/2147483648", "has a number over 2147483647 at level 1"],
    ["m/0/2147483648'", "has a number over 2147483647 at level 2"],
    [`m/${"9".repeat(400)}`, "has a number over 2147483647 at level 1"],
    ["m/044'", "has a number with a zero in front at level 1"],
    ["m/00", "has a number with a zero in front at level 1"],
    [levels(11), "has 11 levels; 10 are the most"],
    ...[
      "m/-1",
      "m/+1",
      "m/1.0",
      "m/1e3",
      "m/0x1",
      "m/1''",
      "m/'",
      "m/ 1",
      "m/1 ",
      "m/１",
      "m/1\n",
    ].map(
      (wrong) => [wrong, "must have a number, with or without ' behind it, at level 1"] as const,
    ),
  ] as const) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))}, and says where and why`, () => {
      assert.deepEqual(parseDerivationPath(text), { ok: false, error: problem })
    })
  }

  it("quotes nothing of what it refuses", () => {
    for (const text of ["m/hunter2hunter2", "hunter2hunter2", "m/0/hunter2hunter2'"]) {
      const path = parseDerivationPath(text)
      assert.ok(!path.ok && !path.error.includes("hunter2"))
    }
  })

  it("reads back whatever is written of numbers in range, and never throws", () => {
    const index = fc.integer({ min: 0, max: 2 * hardened - 1 })
    const written = (each: number): string => (each < hardened ? `${each}` : `${each - hardened}'`)
    const indexes = fc.array(index, { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(indexes, (numbers) => {
        const path = parseDerivationPath(`m/${numbers.map(written).join("/")}`)
        assert.deepEqual(path.ok && path.value.indexes, numbers)
      }),
      numRuns(100),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(parseDerivationPath(`m/${text}`).ok, /^(0|[1-9]\d{0,8})'?$/.test(text))
      }),
      numRuns(100),
    )
  })
})
