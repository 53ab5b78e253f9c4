import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { Refusal } from "../../../../src/link/refusal.ts"
import { cookie, noSession, pageHeaders, session, without } from "../../../support/console.ts"
import {
  assertRefused,
  startGate,
  type HttpAsk,
  type HttpReply,
  type TestGate,
  type TestGateOptions,
} from "../../../support/gate.ts"

const secret = "s".repeat(43)
const type = { "content-type": "application/json" }
/** At login the page has no session yet. */
const loginHeaders = { ...type, "sec-fetch-site": "same-origin" }
const sessionHeaders = { ...type, ...pageHeaders }

type Page = {
  readonly gate: TestGate
  /** Posts what the page posts, or something in its place. */
  readonly post: (name: string, body: unknown, headers?: HttpAsk["headers"]) => Promise<HttpReply>
}

async function startPage(t: TestContext, options: TestGateOptions = {}): Promise<Page> {
  const gate = await startGate(t, options)
  return {
    gate,
    post: (name, body, headers = name === "session" ? loginHeaders : sessionHeaders) =>
      gate.ask({
        method: "POST",
        path: `/console/${name}`,
        headers,
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  }
}

/** What each call takes. */
const bodies = { session: { secret }, freeze: { reason: "odd fills" }, end: {} } as const
const names = ["session", "freeze", "end"] as const
const ofSession = ["freeze", "end"] as const

describe("POST /console/session", () => {
  it("makes a session of a link: half of it a cookie of the console's paths alone", async (t) => {
    const endsAt = 90_500
    const script = {
      openConsole: () => ({ kind: "answer" as const, session, ends_at: endsAt }),
    }
    const { gate, post } = await startPage(t, { script, clock: () => 30_000 })
    const reply = await post("session", { secret })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.envelope.data, { proof: session.proof, ends_at: endsAt })
    assert.deepEqual(reply.headers["set-cookie"], [
      `${cookie}; Path=/console; HttpOnly; SameSite=Strict; Max-Age=60`,
    ])
    assert.equal(reply.headers["cache-control"], "no-store")
    assert.deepEqual(gate.vault.calls, [{ method: "openConsole", params: { secret } }])
  })

  it("is taken from the page by its Origin alone", async (t) => {
    const { gate, post } = await startPage(t)
    const headers = { ...type, origin: `http://127.0.0.1:${gate.port}` }
    assert.equal((await post("session", { secret }, headers)).status, 200)
  })

  it("gives the cookie no time where the session has none left", async (t) => {
    const script = {
      openConsole: () => ({ kind: "answer" as const, session, ends_at: 1 }),
    }
    const { post } = await startPage(t, { script, clock: () => 30_000 })
    assert.match(String((await post("session", { secret })).headers["set-cookie"]), /Max-Age=0$/)
  })

  it("passes on that the vault refuses the link, and sets no cookie", async (t) => {
    const used = noSession("The link was used; run countersign console for another.")
    const { post } = await startPage(t, { script: { openConsole: () => used } })
    const reply = await post("session", { secret })
    assertRefused(reply, 401, "unauthorized")
    assert.equal(reply.envelope.msg, used.refusal.message)
    assert.equal(reply.headers["set-cookie"], undefined)
  })

  it("passes on that there were too many bad links", async (t) => {
    const refusal: Refusal = {
      code: "too_many_bad_tokens",
      message: "Wait.",
      data: { retry_after_ms: 1_500 },
    }
    const script = { openConsole: () => ({ kind: "refused" as const, refusal, record: null }) }
    const { post } = await startPage(t, { script })
    const reply = await post("session", { secret })
    assertRefused(reply, 429, "too_many_bad_tokens")
    assert.equal(reply.headers["retry-after"], "2")
  })

  it("doesn't bother the vault with what is no link's secret", async (t) => {
    const { gate, post } = await startPage(t)
    const others = ["", "s".repeat(42), "s".repeat(44), `${"s".repeat(42)}=`, 1, null]
    for (const body of [
      ...others.map((each) => ({ secret: each })),
      ...[{}, { secret, more: 1 }, [secret], secret, "{", "", `{"secret":"${secret}"`],
    ]) {
      assertRefused(await post("session", body), 400, "invalid_request")
    }
    assert.deepEqual(gate.vault.calls, [])
  })
})

describe("POST /console/freeze", () => {
  it("has the vault freeze, with the session and the person's reason", async (t) => {
    const { gate, post } = await startPage(t)
    const reply = await post("freeze", { reason: "odd fills" })
    assert.equal(reply.status, 200)
    const { freeze } = reply.envelope.data
    assert.equal((freeze as { readonly reason: string }).reason, "odd fills")
    const params = { session, reason: "odd fills" }
    assert.deepEqual(gate.vault.calls, [{ method: "consoleFreeze", params }])
  })

  it("takes a reason of 1 to 200 characters, and nothing else", async (t) => {
    const { gate, post } = await startPage(t)
    for (const length of [1, 200]) {
      assert.equal((await post("freeze", { reason: "r".repeat(length) })).status, 200)
    }
    for (const body of [
      ...["", "r".repeat(201), 1, null].map((reason) => ({ reason })),
      ...[{}, { reason: "r", scope: "key" }, { reason: "r", session }, "", "[]"],
    ]) {
      const reply = await post("freeze", body)
      assertRefused(reply, 400, "invalid_request")
      assert.match(reply.envelope.msg, /1 to 200/)
    }
    assert.equal(gate.vault.calls.length, 2)
  })

  it("says why the vault refuses", async (t) => {
    const { post } = await startPage(t, { script: { consoleFreeze: () => noSession() } })
    const reply = await post("freeze", { reason: "odd fills" })
    assertRefused(reply, 401, "unauthorized")
    assert.equal(reply.envelope.msg, "The session is over.")
  })
})

describe("POST /console/end", () => {
  it("ends the session and takes the cookie back", async (t) => {
    const { gate, post } = await startPage(t)
    const reply = await post("end", {})
    assert.deepEqual([reply.status, reply.envelope.data], [200, {}])
    assert.deepEqual(reply.headers["set-cookie"], [
      "countersign_console=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0",
    ])
    assert.deepEqual(gate.vault.calls, [{ method: "closeConsole", params: { session } }])
  })

  it("says why the vault refuses", async (t) => {
    const { post } = await startPage(t, { script: { closeConsole: () => noSession() } })
    const reply = await post("end", {})
    assertRefused(reply, 401, "unauthorized")
    assert.equal(reply.headers["set-cookie"], undefined)
  })

  it("takes nothing but {}", async (t) => {
    const { gate, post } = await startPage(t)
    for (const body of [{ a: 1 }, "", "[]"]) {
      assertRefused(await post("end", body), 400, "invalid_request")
    }
    assert.deepEqual(gate.vault.calls, [])
  })
})

describe("a call of the page", () => {
  it("must be plain JSON and no longer than any other", async (t) => {
    const { gate, post } = await startPage(t, { limits: { maxBodyBytes: 100 } })
    for (const name of names) {
      const own = name === "session" ? loginHeaders : sessionHeaders
      for (const other of ["text/plain", "application/x-www-form-urlencoded", ""]) {
        const headers = { ...own, "content-type": other }
        assertRefused(await post(name, bodies[name], headers), 415, "unsupported_media_type")
      }
      assertRefused(await post(name, " ".repeat(101)), 413, "body_too_large")
      const chunked = { ...own, "transfer-encoding": "chunked" }
      assertRefused(await post(name, " ".repeat(101), chunked), 413, "body_too_large")
    }
    assert.deepEqual(gate.vault.calls, [])
  })

  it("is told that the vault is away", async (t) => {
    const { gate, post } = await startPage(t)
    await gate.vault.close()
    for (const name of names) {
      assertRefused(await post(name, bodies[name]), 503, "vault_unavailable")
    }
  })

  it("takes the header of a session where it acts on one, once", async (t) => {
    const { gate, post } = await startPage(t)
    const atLogin = { ...loginHeaders, "countersign-console": session.proof }
    assertRefused(await post("session", { secret }, atLogin), 400, "invalid_header")
    for (const name of ofSession) {
      const proof = [session.proof, session.proof]
      const twice = { ...sessionHeaders, "countersign-console": proof }
      assertRefused(await post(name, bodies[name], twice), 400, "invalid_header")
      const other = { ...sessionHeaders, "countersign-key": "mm" }
      assertRefused(await post(name, bodies[name], other), 400, "invalid_header")
    }
    assert.deepEqual(gate.vault.calls, [])
  })
})

/** No session, each in a way of its own. */
const withoutSession: Readonly<Record<string, HttpAsk["headers"]>> = {
  "neither half": loginHeaders,
  "a cookie without a proof": without(sessionHeaders, "countersign-console"),
  "a proof without a cookie": without(sessionHeaders, "cookie"),
  "an empty proof": { ...sessionHeaders, "countersign-console": "" },
  "a proof that is none": { ...sessionHeaders, "countersign-console": `${session.proof}p` },
  "a cookie that is none": { ...sessionHeaders, cookie: `${cookie}c` },
  "a cookie in quotes": { ...sessionHeaders, cookie: `countersign_console="${session.cookie}"` },
  "an empty cookie": { ...sessionHeaders, cookie: "countersign_console=" },
  "a cookie of another name": { ...sessionHeaders, cookie: `x${cookie}` },
  "two cookies": { ...sessionHeaders, cookie: `${cookie}; ${cookie}` },
  "two cookies, one of them empty": {
    ...sessionHeaders,
    cookie: `countersign_console=; ${cookie}`,
  },
  "two cookies in two headers": { ...sessionHeaders, cookie: [cookie, cookie] },
}

describe("a call of a session", () => {
  for (const [what, headers] of Object.entries(withoutSession)) {
    it(`is refused with ${what}`, async (t) => {
      const { gate, post } = await startPage(t)
      for (const name of ofSession) {
        assertRefused(await post(name, bodies[name], headers), 401, "unauthorized")
      }
      const path = "/console/events"
      assertRefused(await gate.ask({ path, headers: headers ?? {} }), 401, "unauthorized")
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  it("is taken beside cookies of others", async (t) => {
    const { post } = await startPage(t)
    const others = { ...sessionHeaders, cookie: `a=1;${cookie} ; countersign_consoles=2; b` }
    assert.equal((await post("end", {}, others)).status, 200)
  })

  it("leaves no secret in the log", async (t) => {
    const { gate, post } = await startPage(t)
    for (const name of names) await post(name, bodies[name])
    assert.ok(gate.logged.length >= 3)
    const logged = JSON.stringify(gate.logged)
    for (const each of [secret, session.cookie, session.proof, "odd fills"]) {
      assert.ok(!logged.includes(each))
    }
  })
})
