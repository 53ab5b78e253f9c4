import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openConsoleLink, type ConsoleLink } from "../../../../src/console/serve/link.ts"
import { makeSecret } from "../../../../src/console/serve/secret.ts"
import { fakeClock } from "../../../support/fake-clock.ts"

const clock = fakeClock()
const openLink = () => openConsoleLink(clock.monotonicMs)

function made(link: ConsoleLink): string {
  const secret = makeSecret()
  link.make(secret)
  return secret
}

describe("a link to the console", () => {
  it("is 32 random bytes, and another one each time", () => {
    const secrets = Array.from({ length: 20 }, makeSecret)
    assert.equal(new Set(secrets).size, 20)
    for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/)
  })

  it("works once", () => {
    const link = openLink()
    const secret = made(link)
    assert.equal(link.take(secret), true)
    assert.equal(link.take(secret), false)
  })

  it("works for 60 seconds, and not at their end", () => {
    for (const [ms, works] of [
      [59_999, true],
      [60_000, false],
    ] as const) {
      const link = openLink()
      const secret = made(link)
      clock.pass(ms)
      assert.equal(link.take(secret), works, `${ms} ms`)
    }
  })

  it("works no more once a newer one is made", () => {
    const link = openLink()
    const [older, newer] = [made(link), made(link)]
    assert.equal(link.take(older), false)
    assert.equal(link.take(newer), true)
  })

  it("isn't used up by wrong guesses", () => {
    const link = openLink()
    const secret = made(link)
    for (const wrong of ["", "A".repeat(43), `${secret}A`, secret.slice(1)]) {
      assert.equal(link.take(wrong), false)
    }
    assert.equal(link.take(secret), true)
  })

  it("isn't there before one is made", () => {
    assert.equal(openLink().take("A".repeat(43)), false)
  })
})
