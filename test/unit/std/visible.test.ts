import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { visible } from "../../../src/std/visible.ts"

describe("text that others chose", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["plain → text, 25 %…", "plain → text, 25 %…"],
    ["\u001b[2Jgone", "\\u001b[2Jgone"],
    ["a\r\nb\tc", "a\\u000d\\u000ab\\u0009c"],
    ["\u009b1m", "\\u009b1m"],
    ["\u202ebackwards\u2066", "\\u202ebackwards\\u2066"],
    ["\u2028\u2029", "\\u2028\\u2029"],
    ["\u{e0041}", "\\udb40\\udc41"],
  ]
  for (const [text, shown] of cases) {
    it(`is shown as ${shown}`, () => assert.equal(visible(text), shown))
  }
})
