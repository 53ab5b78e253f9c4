import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  forgetSession,
  openSession,
  post,
  proofOfSession,
  sessionHeaders,
  takeSecret,
} from "../../../src/console/session.ts"
import { envelope, giveFetch, giveStorage } from "../../support/console-page.ts"

const secret = "s".repeat(43)
const proof = "p".repeat(43)
const opened = () => envelope(200, "ok", { proof, ends_at: 0 })

/** A window at an address, and where it went from there without a step that could be taken back. */
function windowAt(hash: string) {
  const replaced: string[] = []
  const history = {
    replaceState: (_: null, __: string, address: string) => void replaced.push(address),
  }
  return { window: { location: { hash, pathname: "/console" }, history }, replaced }
}

describe("a link's secret", () => {
  it("is taken out of the address, and its step in the history replaced", () => {
    const { window, replaced } = windowAt(`#${secret}`)
    assert.equal(takeSecret(window), secret)
    assert.deepEqual(replaced, ["/console"])
  })

  it("isn't what names a place on the page, which stays", () => {
    for (const hash of ["", "#", "#decisions", `#${"s".repeat(19)}`]) {
      const { window, replaced } = windowAt(hash)
      assert.equal(takeSecret(window), undefined, hash)
      assert.deepEqual(replaced, [])
    }
    assert.equal(takeSecret(windowAt(`#${"s".repeat(20)}`).window), "s".repeat(20))
  })
})

describe("a session of the console", () => {
  it("begins with a link's secret, which isn't kept; its proof is", async (t) => {
    const kept = giveStorage(t)
    const fetched = giveFetch(t, opened)
    assert.equal((await openSession(secret)).ok, true)
    const [asked] = fetched
    assert.equal(asked?.path, "/console/session")
    assert.equal(asked.method, "POST")
    assert.deepEqual(asked.body, { secret })
    assert.deepEqual([...kept.values()], [proof])
    assert.equal(proofOfSession(), proof)
  })

  it("doesn't begin with the proof of an earlier one, which the gate refuses there", async (t) => {
    giveStorage(t)
    const fetched = giveFetch(t, opened)
    await openSession(secret)
    await openSession(secret)
    for (const { headers } of fetched) {
      assert.deepEqual(headers, { "content-type": "application/json" })
    }
  })

  it("doesn't begin where the daemon says no, whose own sentence is told", async (t) => {
    const kept = giveStorage(t)
    for (const status of [400, 401, 403, 429, 503]) {
      giveFetch(t, () => envelope(status, "This link doesn't open the console."))
      const answered = await openSession(secret)
      assert.deepEqual(answered, { ok: false, why: "This link doesn't open the console." })
      assert.equal(kept.size, 0)
    }
  })

  it("doesn't end an earlier one by a link that opens none", async (t) => {
    giveStorage(t)
    giveFetch(t, opened)
    await openSession(secret)
    giveFetch(t, () => envelope(401, "It works once."))
    await openSession(secret)
    assert.equal(proofOfSession(), proof)
  })

  it("says that the daemon doesn't answer where none does, or something else", async (t) => {
    giveStorage(t)
    const why = "The daemon doesn't answer; is it running?"
    for (const answer of [new TypeError("fetch failed"), new Response("<html>")]) {
      giveFetch(t, () => answer)
      assert.deepEqual(await openSession(secret), { ok: false, why })
      assert.deepEqual(await post("end", {}), { ok: false, why })
    }
  })

  it("sends its proof with its calls, in a header and nowhere else", async (t) => {
    giveStorage(t)
    giveFetch(t, opened)
    await openSession(secret)
    const fetched = giveFetch(t, () => envelope(200, "ok", { freeze: {} }))
    assert.deepEqual(await post("freeze", { reason: "a drill" }), {
      ok: true,
      data: { freeze: {} },
    })
    const [asked] = fetched
    assert.equal(asked?.path, "/console/freeze")
    assert.equal(asked.headers["Countersign-Console"], proof)
    assert.deepEqual(asked.body, { reason: "a drill" })
  })

  it("leaves nothing behind when it is forgotten", async (t) => {
    const kept = giveStorage(t)
    giveFetch(t, opened)
    await openSession(secret)
    forgetSession()
    assert.equal(kept.size, 0)
    assert.equal(proofOfSession(), undefined)
    assert.deepEqual(sessionHeaders(), {})
  })
})
