import assert from "node:assert/strict"
import { beforeEach, describe, it } from "node:test"

import {
  type ConsoleLink,
  type Halves,
  makeSecret,
  openConsoleLink,
  openSessions,
  type Sessions,
} from "../../../../src/console/serve/sessions.ts"
import { fakeClock, type FakeClock } from "../../../support/fake-clock.ts"

const minuteMs = 60_000

let clock: FakeClock
let sessions: Sessions
beforeEach(() => {
  clock = fakeClock()
  sessions = openSessions(clock.monotonicMs)
})

const isOpen = (session: Halves): boolean => sessions.hear(session) !== undefined

describe("a session of the console", () => {
  it("has two secrets of 32 random bytes", () => {
    const { cookie, proof } = sessions.open()
    for (const secret of [cookie, proof]) assert.match(secret, /^[A-Za-z0-9_-]{43}$/)
    assert.notEqual(cookie, proof)
  })

  it("needs both, and of one session", () => {
    const session = sessions.open()
    const other = sessions.open()
    const wrong = "A".repeat(43)
    const { cookie, proof } = session
    for (const forged of [
      { cookie: wrong, proof },
      { cookie, proof: wrong },
      { cookie: wrong, proof: wrong },
      { cookie: proof, proof: cookie },
      { cookie, proof: other.proof },
      { cookie: other.cookie, proof },
    ]) {
      assert.equal(isOpen(forged), false)
    }
    assert.deepEqual([isOpen(session), isOpen(other)], [true, true])
  })

  it("ends after 15 minutes of silence, and not before", () => {
    const session = sessions.open()
    clock.pass(15 * minuteMs - 1)
    assert.equal(isOpen(session), true)
    clock.pass(15 * minuteMs - 1)
    assert.equal(isOpen(session), true)
    clock.pass(15 * minuteMs)
    assert.equal(isOpen(session), false)
  })

  it("ends when it is told to, and the others stay", () => {
    const [session, other] = [sessions.open(), sessions.open()]
    const heard = sessions.hear(session)
    assert.ok(heard !== undefined)
    sessions.end(heard)
    assert.deepEqual([isOpen(session), isOpen(other)], [false, true])
  })

  it("is one of four: a fifth ends the one that was heard least recently", () => {
    const open = () => (clock.pass(1), sessions.open())
    const [first, second, third, fourth] = [open(), open(), open(), open()]
    assert.deepEqual([first, second, third, fourth].map(isOpen), [true, true, true, true])
    clock.pass(1)
    for (const heard of [first, third, fourth]) assert.equal(isOpen(heard), true)
    const fifth = open()
    assert.deepEqual([first, second, third, fourth, fifth].map(isOpen), [
      ...[true, false, true, true],
      true,
    ])
  })

  it("makes room for another when it is over", () => {
    const four = Array.from({ length: 4 }, () => sessions.open())
    clock.pass(15 * minuteMs)
    const fifth = sessions.open()
    assert.deepEqual([...four, fifth].map(isOpen), [false, false, false, false, true])
  })
})

const linkClock = fakeClock()
const openLink = () => openConsoleLink(linkClock.monotonicMs)

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
      linkClock.pass(ms)
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
