import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  forgetSession,
  openSession,
  post,
  proofOfSession,
  takeSecret,
} from "../../../../src/console/page/session.ts"
import { giveFetch, giveStorage, refusal } from "../../../support/console-page.ts"

const secret = "s".repeat(43)
const proof = "p".repeat(43)
const opened = () => Response.json({ proof })

/** A window at an address, and where it went from there without a step that could be taken back. */
function windowAt(hash: string) {
  const replaced: string[] = []
  const history = {
    replaceState: (_: null, __: string, address: string) => void replaced.push(address),
  }
  return { window: { location: { hash, pathname: "/" }, history }, replaced }
}

describe("a link's secret", () => {
  it("is taken out of the address, and its step in the history replaced", () => {
    const { window, replaced } = windowAt(`#${secret}`)
    assert.equal(takeSecret(window), secret)
    assert.deepEqual(replaced, ["/"])
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
    assert.equal(asked?.path, "/session")
    assert.equal(asked.method, "POST")
    assert.deepEqual(asked.body, { secret })
    assert.deepEqual([...kept.values()], [proof])
    assert.equal(proofOfSession(), proof)
  })

  it("doesn't begin where the server says no, whose own sentence is told", async (t) => {
    const kept = giveStorage(t)
    for (const status of [400, 401, 403, 503]) {
      const why = "This link doesn't open the console."
      giveFetch(t, () => refusal(status, why))
      assert.deepEqual(await openSession(secret), { ok: false, status, why })
      assert.equal(kept.size, 0)
    }
  })

  it("doesn't end an earlier one by a link that opens none", async (t) => {
    giveStorage(t)
    giveFetch(t, opened)
    await openSession(secret)
    giveFetch(t, () => refusal(401, "It works once."))
    await openSession(secret)
    assert.equal(proofOfSession(), proof)
  })

  it("says that the console doesn't answer where none does, or something else", async (t) => {
    giveStorage(t)
    const why = "The console doesn't answer; is countersign console still running?"
    const no = { ok: false, status: undefined, why }
    for (const answer of [new TypeError("fetch failed"), new Response("<html>")]) {
      giveFetch(t, () => answer)
      assert.deepEqual(await openSession(secret), no)
      assert.deepEqual(await post("end", {}), no)
    }
  })

  it("sends its proof with its calls, in a header and nowhere else", async (t) => {
    giveStorage(t)
    giveFetch(t, opened)
    await openSession(secret)
    const fetched = giveFetch(t, () => Response.json({ scope: "all" }))
    assert.deepEqual(await post("freeze", { reason: "a drill" }), {
      ok: true,
      data: { scope: "all" },
    })
    const [asked] = fetched
    assert.equal(asked?.path, "/freeze")
    assert.equal(asked.headers["countersign-console"], proof)
    assert.deepEqual(asked.body, { reason: "a drill" })
  })

  it("leaves nothing behind when it is forgotten", async (t) => {
    const kept = giveStorage(t)
    giveFetch(t, opened)
    await openSession(secret)
    forgetSession()
    assert.equal(kept.size, 0)
    assert.equal(proofOfSession(), undefined)
    const fetched = giveFetch(t, () => refusal(401, "It is over."))
    await post("look", {})
    assert.deepEqual(fetched[0]?.headers, { "content-type": "application/json" })
  })
})
