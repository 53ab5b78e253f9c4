import assert from "node:assert/strict"
import { beforeEach, describe, it } from "node:test"

import type { ConsoleSession } from "../../../../src/link/console-methods.ts"
import type { Refusal } from "../../../../src/link/refusal.ts"
import type { Result } from "../../../../src/std/result.ts"
import { openConsoleAccess, type ConsoleAccess } from "../../../../src/vault/console/access.ts"
import { fakeClock, type FakeClock } from "../../../support/fake-clock.ts"

const wrong = "A".repeat(43)
const wrongSession = { cookie: wrong, proof: wrong }

let clock: FakeClock
let told: unknown[]
let access: ConsoleAccess
beforeEach(() => {
  clock = fakeClock()
  told = []
  access = openConsoleAccess(clock, (event) => told.push(event))
})

function logIn(): ConsoleSession {
  const opened = access.open(access.link().secret)
  assert.ok(opened.ok)
  return opened.value.session
}

function codeOf(answer: Result<unknown, Refusal>): string {
  return answer.ok ? "ok" : answer.error.code
}

describe("access to the console", () => {
  it("is by a link's secret, once, and by the session that it gave", () => {
    const { secret, validForMs } = access.link()
    assert.equal(validForMs, 60_000)
    const opened = access.open(secret)
    assert.ok(opened.ok)
    assert.equal(opened.value.leftMs, 12 * 3_600_000)
    assert.deepEqual(access.check(opened.value.session), { ok: true, value: 12 * 3_600_000 })
    assert.equal(codeOf(access.open(secret)), "unauthorized")
    assert.equal(codeOf(access.end(opened.value.session)), "ok")
    assert.equal(codeOf(access.check(opened.value.session)), "unauthorized")
  })

  it("says how to get in where it is refused, and not what of it was wrong", () => {
    const { cookie, proof } = logIn()
    const refusals = [
      access.check({ cookie, proof: wrong }),
      access.check({ cookie: wrong, proof }),
      access.end(wrongSession),
    ]
    assert.equal(new Set(refusals.map((each) => JSON.stringify(each))).size, 1)
    for (const refusal of [...refusals, access.open(wrong)]) {
      assert.match(refusal.ok ? "" : refusal.error.message, /run countersign console/)
    }
  })

  it("counts wrong secrets, of links and sessions together: 20 at once, then one a second", () => {
    const session = logIn()
    for (let n = 0; n < 10; n += 1) {
      assert.equal(codeOf(access.open(wrong)), "unauthorized")
      assert.equal(codeOf(access.check(wrongSession)), "unauthorized")
    }
    const refused = access.end(wrongSession)
    assert.ok(!refused.ok && refused.error.code === "too_many_bad_tokens")
    assert.deepEqual(refused.error.data, { retry_after_ms: 1_000 })
    clock.pass(999)
    assert.equal(codeOf(access.open(wrong)), "too_many_bad_tokens")
    clock.pass(1)
    assert.equal(codeOf(access.open(wrong)), "unauthorized")
    assert.equal(codeOf(access.open(wrong)), "too_many_bad_tokens")
    assert.equal(codeOf(access.check(session)), "ok")
    assert.equal(codeOf(access.open(access.link().secret)), "ok")
  })

  it("goes by a clock that nobody sets", () => {
    const { secret } = access.link()
    clock.setWall(clock.nowMs() - 86_400_000)
    clock.pass(60_000)
    assert.equal(codeOf(access.open(secret)), "unauthorized")

    const session = logIn()
    clock.setWall(clock.nowMs() + 365 * 86_400_000)
    assert.equal(codeOf(access.check(session)), "ok")
    clock.setWall(clock.nowMs() - 365 * 86_400_000)
    clock.pass(15 * 60_000)
    assert.equal(codeOf(access.check(session)), "unauthorized")
  })

  it("counts the time of a suspend where the machine tells it", () => {
    let uptimeMs = 0
    access = openConsoleAccess({ ...clock, uptimeMs: () => uptimeMs }, () => undefined)
    const session = logIn()
    uptimeMs = 15 * 60_000 - 1
    assert.equal(codeOf(access.check(session)), "ok")
    uptimeMs += 15 * 60_000
    assert.equal(codeOf(access.check(session)), "unauthorized")
  })

  it("is told of, without any secret", () => {
    const session = logIn()
    access.end(session)
    assert.deepEqual(told, [
      { kind: "link_made" },
      { kind: "session_opened" },
      { kind: "session_ended", why: "left" },
    ])
  })
})
