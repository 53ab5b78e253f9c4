import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { option, parsed } from "../../../../src/commands/cli/command.ts"
import { momentForm, momentOf } from "../../../../src/commands/cli/values.ts"

describe("a moment on the command line", () => {
  it("is a date in UTC, or a time with its zone", () => {
    assert.equal(momentOf("2026-05-28"), Date.UTC(2026, 4, 28))
    assert.equal(momentOf("2026-05-28T12:00:00Z"), Date.UTC(2026, 4, 28, 12))
    assert.equal(momentOf("2026-05-28T12:00+02:00"), Date.UTC(2026, 4, 28, 10))
  })

  it("is so long ago where it is a duration", () => {
    const before = Date.now()
    const atMs = momentOf("7d") ?? 0
    assert.ok(atMs >= before - 7 * 86_400_000 && atMs <= Date.now() - 7 * 86_400_000)
  })

  for (const text of ["", "soon", "2026-13-01", "2026-05-28T12:00:00", "28.5.2026", "7"]) {
    it(`isn't ${JSON.stringify(text)}`, () => {
      const before = parsed(option("--before <when>", "since when"), momentOf, momentForm)
      assert.throws(() => before.valueOf(text), { code: "usage", message: /--before takes/ })
    })
  }
})
