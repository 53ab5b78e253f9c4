import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openConsoleLink } from "../../../../src/vault/console/link.ts"
import { fakeClock } from "../../../support/fake-clock.ts"

const clock = fakeClock()
const openLink = () => openConsoleLink(clock.monotonicMs)

describe("a link to the console", () => {
  it("is 32 random bytes, and another one each time", () => {
    const link = openLink()
    const secrets = Array.from({ length: 20 }, () => link.make())
    assert.equal(new Set(secrets).size, 20)
    for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/)
  })

  it("works once", () => {
    const link = openLink()
    const secret = link.make()
    assert.equal(link.take(secret), true)
    assert.equal(link.take(secret), false)
  })

  it("works for 60 seconds, and not at their end", () => {
    for (const [ms, works] of [
      [59_999, true],
      [60_000, false],
    ] as const) {
      const link = openLink()
      const secret = link.make()
      clock.pass(ms)
      assert.equal(link.take(secret), works, `${ms} ms`)
    }
  })

  it("works no more once a newer one is made", () => {
    const link = openLink()
    const [older, newer] = [link.make(), link.make()]
    assert.equal(link.take(older), false)
    assert.equal(link.take(newer), true)
  })

  it("isn't used up by wrong guesses", () => {
    const link = openLink()
    const secret = link.make()
    for (const wrong of ["", "A".repeat(43), `${secret}A`, secret.slice(1)]) {
      assert.equal(link.take(wrong), false)
    }
    assert.equal(link.take(secret), true)
  })

  it("isn't there before one is made", () => {
    assert.equal(openLink().take("A".repeat(43)), false)
  })
})
