import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { ActiveSet } from "../../../../src/vault/active/active-set.ts"
import type { Client } from "../../../../src/vault/ledger/records/bindings.ts"
import { authenticate, hashToken, makeToken } from "../../../../src/vault/request/authorize.ts"
import { countBadTokens } from "../../../../src/vault/watch/bad-tokens.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"

const token = makeToken()
const client: Client = {
  name: "bot",
  token_hash: hashToken(token),
  keys: ["mm"],
  rights: [],
  allow_type_b: false,
}
/** Only the look-up by hash matters here. */
const set = { clientByTokenHash: new Map([[client.token_hash, client]]) } as unknown as ActiveSet
const startMs = ledgerTime(1_780_000_000_000)

/** Asks with wrong tokens at given times and collects what each is answered. */
function guess(times: readonly number[], count = countBadTokens(startMs)) {
  return times.map((nowMs) => {
    const result = authenticate(makeToken(), set, { count, nowMs: ledgerTime(nowMs) })
    assert.ok(!result.ok)
    return result.error
  })
}

describe("authenticating", () => {
  it("finds the client whose token it is", () => {
    const found = authenticate(token, set, { count: countBadTokens(startMs), nowMs: startMs })
    assert.deepEqual(found, { ok: true, value: client })
  })

  it("refuses what is one character off, a part, more, and the hash that is kept", () => {
    const last = token.endsWith("A") ? "B" : "A"
    const wrong = [
      `${token.slice(0, -1)}${last}`,
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase(),
      hashToken(token),
      "",
      "__proto__",
    ]
    for (const each of wrong) {
      const result = authenticate(each, set, { count: countBadTokens(startMs), nowMs: startMs })
      assert.equal(result.ok, false, each)
    }
  })

  it("answers 20 wrong tokens as wrong and throttles the next, until a second has passed", () => {
    const count = countBadTokens(startMs)
    const codes = guess(
      Array.from({ length: 21 }, () => startMs),
      count,
    ).map(({ code }) => code)
    assert.deepEqual([...new Set(codes.slice(0, 20))], ["unauthorized"])
    assert.equal(codes[20], "too_many_bad_tokens")
    const [early, due] = guess([startMs + 999, startMs + 1000], count)
    assert.deepEqual([early?.code, due?.code], ["too_many_bad_tokens", "unauthorized"])
  })

  it("says how long to wait", () => {
    const refusals = guess(Array.from({ length: 21 }, (_, index) => startMs + index))
    const last = refusals.at(-1)
    assert.ok(last?.code === "too_many_bad_tokens")
    assert.equal(last.data.retry_after_ms, 980)
  })

  it("serves a right token however many wrong ones came before", () => {
    const count = countBadTokens(startMs)
    guess(
      Array.from({ length: 1000 }, () => startMs),
      count,
    )
    assert.ok(authenticate(token, set, { count, nowMs: startMs }).ok)
  })

  it("refuses a token from the moment of its end on, and tells who shows it when that was", () => {
    const ending = { ...client, expires_at: startMs + 1_000 }
    const at = (ms: number, shown = token) => {
      const ends = { clientByTokenHash: new Map([[client.token_hash, ending]]) }
      const check = { count: countBadTokens(startMs), nowMs: ledgerTime(startMs + ms) }
      return authenticate(shown, ends as unknown as ActiveSet, check)
    }
    assert.deepEqual(at(999), { ok: true, value: ending })
    const expired = at(1_000)
    assert.ok(!expired.ok && expired.error.code === "token_expired")
    assert.deepEqual(expired.error.data, { expired_at: startMs + 1_000 })
    assert.match(
      expired.error.message,
      /^The token of bot expired at 2026-05-28T20:26:41Z; .* countersign clients renew bot\.$/,
    )
    assert.deepEqual(at(1_000, makeToken()), at(0, makeToken()), "nobody else learns of it")
  })

  it("counts an expired token as no guess", () => {
    const ended = new Map([[client.token_hash, { ...client, expires_at: startMs }]])
    const count = countBadTokens(startMs)
    const ends = { clientByTokenHash: ended } as unknown as ActiveSet
    for (let tries = 0; tries < 21; tries++) authenticate(token, ends, { count, nowMs: startMs })
    assert.equal(guess([startMs], count)[0]?.code, "unauthorized")
  })

  it("neither frees nor locks anybody when the clock is set back", () => {
    const count = countBadTokens(startMs)
    guess(
      Array.from({ length: 20 }, () => startMs),
      count,
    )
    const [back, later] = guess([startMs - 3_600_000, startMs - 3_600_000 + 1000], count)
    assert.deepEqual([back?.code, later?.code], ["too_many_bad_tokens", "unauthorized"])
  })

  it("quotes no token", () => {
    const canary = `cs_${"canary".repeat(7)}`
    const result = authenticate(canary, set, { count: countBadTokens(startMs), nowMs: startMs })
    assert.equal(JSON.stringify(result).includes("canary"), false)
  })
})

describe("a new token", () => {
  it("is cs_ and 256 bits, another one each time", () => {
    const tokens = Array.from({ length: 100 }, makeToken)
    for (const each of tokens) {
      assert.equal(Buffer.from(each.slice(3), "base64url").length, 32)
    }
    assert.equal(new Set(tokens).size, 100)
  })
})
