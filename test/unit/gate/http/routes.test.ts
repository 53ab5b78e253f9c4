import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { hostsByPort } from "../../../../src/gate/http/admit.ts"
import type { Refusal } from "../../../../src/contract/refusal.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { signedBody, token } from "../../../support/fake-vault.ts"
import { assertRefused, jsonHeaders, startGate } from "../../../support/gate.ts"

const routes = [
  { path: "/v1/trade/orders", method: "POST" },
  { path: "/v1/trade/orders", method: "GET" },
  { path: "/sign/v1/trade/orders", method: "POST" },
  { path: "/check/v1/trade/orders", method: "POST" },
  { path: "/whoami", method: "GET" },
  { path: "/records/r-1", method: "GET" },
  { path: "/healthz", method: "GET" },
  { path: "/readyz", method: "GET" },
] as const
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] as const

describe("gate routes", () => {
  for (const path of new Set(routes.map((route) => route.path))) {
    const taken: readonly string[] = routes.flatMap((each) =>
      each.path === path ? each.method : [],
    )
    it(`answers ${taken.join(" and ")} alone on ${path}`, async (t) => {
      const gate = await startGate(t)
      for (const method of methods.filter((name) => !taken.includes(name))) {
        const reply = await gate.ask({ method, path, headers: jsonHeaders })
        assert.equal(reply.status, 405, method)
        assert.equal(reply.headers["allow"], taken.join(", "))
        assert.equal(reply.headers["countersign-source"], "daemon")
        if (method !== "HEAD") assert.equal(reply.envelope.code, "method_not_allowed")
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const path of [
    "/",
    "/v1",
    "/v1/",
    "/sign",
    "/sign/v1",
    "/sign/v2/trade/orders",
    "/check/v1/",
    "/V1/trade/orders",
    "/whoami/",
    "/Whoami",
    "/records/",
    "/records/a/b",
    "/healthz/x",
    "//v1/trade/orders",
    // Express can't decode these, nor take the last one apart.
    "/v1/%zz",
    "/sign/v1/%zz",
    "/records/a%zz/b",
    "//a@[/v1/trade/orders#",
    "/%2e%2e/v1/trade/orders",
  ]) {
    it(`finds nothing at ${path}`, async (t) => {
      const gate = await startGate(t)
      for (const method of ["GET", "POST"]) {
        const reply = await gate.ask({ method, path, headers: jsonHeaders })
        assertRefused(reply, 404, "unknown_endpoint")
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const path of ["/v1/a%2fb", "/v1/../whoami", "/v1//trade", "/v1/a\\b", "/v1/a;b"]) {
    it(`gives ${path} to the vault as it came`, async (t) => {
      const gate = await startGate(t)
      await gate.post(`/sign${path}`)
      assert.deepEqual(
        gate.vault.calls.map((call) => "path" in call.params && call.params.path),
        [path],
      )
    })
  }

  it("names the path that was meant most likely", async (t) => {
    const gate = await startGate(t)
    const messageOf = async (path: string) =>
      (await gate.ask({ method: "GET", path, headers: jsonHeaders })).envelope.msg
    assert.match(await messageOf("/whoam"), /did you mean \/whoami\? GET \/openapi\.json/)
    assert.match(await messageOf("/health"), /did you mean \/healthz\?/)
    assert.doesNotMatch(await messageOf("/nothing/like/it"), /did you mean/)
  })

  it("finds nothing at a path longer than the link carries", async (t) => {
    const gate = await startGate(t)
    const path = (length: number): string => `/v1/${"a".repeat(length - 4)}`
    assert.equal((await gate.post(`/sign${path(256)}`)).status, 200)
    assertRefused(await gate.post(`/sign${path(257)}`), 404, "unknown_endpoint")
  })
})

describe("every answer", () => {
  for (const [what, status, ask] of [
    ["of a route", 200, { path: "/healthz" }],
    ["of none", 404, { path: "/nothing" }],
    ["to a path that can't be decoded", 404, { path: "/v1/%zz" }],
    ["to what isn't admitted", 421, { path: "/healthz", headers: { host: "evil.example" } }],
  ] as const) {
    it(`keeps pages out and doesn't tell what serves it: ${what}`, async (t) => {
      const gate = await startGate(t)
      const reply = await gate.ask(ask)
      assert.equal(reply.status, status)
      assert.equal(
        reply.headers["content-security-policy"],
        "default-src 'none';frame-ancestors 'none'",
      )
      assert.equal(reply.headers["x-content-type-options"], "nosniff")
      assert.equal(reply.headers["x-powered-by"], undefined)
      assert.equal(reply.headers["etag"], undefined)
    })
  }
})

describe("POST /sign", () => {
  it("answers the signed body itself, and names its record", async (t) => {
    const gate = await startGate(t)
    const reply = await gate.post("/sign/v1/trade/orders", '{"a":1}')
    assert.equal(reply.status, 200)
    assert.equal(reply.text, signedBody)
    assert.equal(reply.headers["countersign-record"], "r-1")
    assert.equal(reply.headers["countersign-source"], "daemon")
    assert.match(String(reply.headers["content-type"]), /^application\/json/)
  })

  it("gives the vault the bytes, the token and both headers as they came", async (t) => {
    const gate = await startGate(t)
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
    const headers = { "Countersign-Key": "mm-agent", "countersign-expires-in": " 10s" }
    await gate.post("/sign/v1/trade/orders", body, headers)
    assert.deepEqual(gate.vault.calls, [
      {
        method: "sign",
        params: {
          token,
          path: "/v1/trade/orders",
          body: body.toString("base64"),
          key: "mm-agent",
          expiresIn: "10s",
          purpose: "return",
        },
      },
    ])
  })

  it("answers the vault's refusal with its record", async (t) => {
    const gate = await startGate(t, { script: { sign: () => denied } })
    const reply = await gate.post("/sign/v1/trade/orders")
    assertRefused(reply, 403, "policy_denied")
    assert.deepEqual(reply.envelope.data, denied.refusal.data)
    assert.equal(reply.headers["countersign-record"], "r-2")
  })
})

describe("GET and /check", () => {
  it("answer the vault's value in a success envelope", async (t) => {
    const gate = await startGate(t)
    const headers = { authorization: `bearer ${token}` }
    const whoami = await gate.ask({ path: "/whoami", headers })
    assert.equal(whoami.envelope.code, "0")
    assert.equal(whoami.envelope.data["client"], "mm-bot")
    const record = await gate.ask({ path: "/records/r-7", headers })
    assert.equal(record.envelope.data["id"], "r-7")
    const checked = await gate.post("/check/v1/trade/orders")
    assert.equal(checked.envelope.data["would_sign"], true)
    assert.deepEqual(
      gate.vault.calls.map(({ method }) => method),
      ["whoami", "record", "check"],
    )
  })

  it("answer the vault's refusals", async (t) => {
    const unauthorized = refusal({ code: "unauthorized", message: "No.", data: null })
    const unknown = refusal({ code: "unknown_record", message: "None.", data: null })
    const gate = await startGate(t, {
      script: { whoami: () => unauthorized, record: () => unknown, check: () => unauthorized },
    })
    const headers = { authorization: `Bearer ${token}` }
    const whoami = await gate.ask({ path: "/whoami", headers })
    assertRefused(whoami, 401, "unauthorized")
    assert.equal(whoami.headers["www-authenticate"], "Bearer")
    assertRefused(await gate.ask({ path: "/records/r", headers }), 404, "unknown_record")
    assertRefused(await gate.post("/check/v1/trade/orders"), 401, "unauthorized")
  })

  it("know no record whose id can't be one", async (t) => {
    const gate = await startGate(t)
    const headers = { authorization: `Bearer ${token}` }
    const ask = (id: string) => gate.ask({ path: `/records/${id}`, headers })
    assert.equal((await ask("a".repeat(64))).status, 200)
    for (const id of ["a".repeat(65), "a%20b", "a'b", "%zz", "%2Fa"]) {
      assertRefused(await ask(id), 404, "unknown_record")
    }
    assert.equal(gate.vault.calls.length, 1)
  })
})

describe("health", () => {
  it("is alive without a vault, and not ready", async (t) => {
    const gate = await startGate(t)
    await gate.vault.close()
    assert.equal((await gate.ask({ path: "/healthz" })).status, 200)
    const ready = await gate.ask({ path: "/readyz" })
    assertRefused(ready, 503, "vault_unavailable")
    assert.equal(ready.headers["retry-after"], "1")
  })

  it("is ready while the vault signs anything, and says what and why not all", async (t) => {
    const told = [
      { signs: "all", reasons: [] },
      { signs: "reduce_only", reasons: ["disk_low"] },
      { signs: "nothing", reasons: ["restore_unaccepted", "locked"] },
    ] as const
    const answers = [...told]
    const gate = await startGate(t, { script: { health: () => answers.shift() ?? told[2] } })
    for (const each of told.slice(0, 2)) {
      const ready = await gate.ask({ path: "/readyz" })
      assert.deepEqual([ready.status, ready.envelope.data], [200, each])
    }
    const reply = await gate.ask({ path: "/readyz" })
    assertRefused(reply, 503, "not_signing")
    assert.deepEqual(reply.envelope.data, told[2])
    assert.match(
      reply.envelope.msg,
      /signs nothing: restore_unaccepted, locked\. countersign status/,
    )
    assert.equal(reply.headers["retry-after"], undefined)
  })
})

describe("a call's headers", () => {
  for (const [what, authorization] of [
    ["none", undefined],
    ["another scheme", `Basic ${token}`],
    ["no prefix", `Bearer ${"t".repeat(46)}`],
    ["one too short to be a token", `Bearer cs_${"t".repeat(31)}`],
    ["one longer than the link carries", `Bearer cs_${"t".repeat(126)}`],
    ["a strange character", `Bearer ${token}.`],
    ["two in one header", `Bearer ${token}, Bearer ${token}`],
    ["two headers", [`Bearer ${token}`, `Bearer ${token}`]],
  ] as const) {
    it(`need a bearer token: ${what} isn't enough`, async (t) => {
      const gate = await startGate(t)
      const given = authorization === undefined ? {} : { authorization: [authorization].flat() }
      const headers = { "content-type": "application/json", ...given }
      for (const { path, method } of routes.slice(0, 6)) {
        const reply = await gate.ask({ method, path, headers })
        assertRefused(reply, 401, "unauthorized")
        assert.equal(reply.headers["www-authenticate"], "Bearer")
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const [name, value] of [
    ["idempotency-key", ""],
    ["idempotency-key", "a b"],
    ["idempotency-key", "\u00e9"],
    ["idempotency-key", "a".repeat(65)],
    ["idempotency-key", ["a", "a"]],
    ["countersign-shadow", "1"],
    ["countersign-keys", "mm"],
    ["countersign-record", "r-1"],
    ["countersign-key", ["mm", "mm"]],
    ["countersign-expires-in", ["1", "1"]],
    ["countersign-key", "a".repeat(65)],
    ["countersign-expires-in", "1".repeat(33)],
  ] as const) {
    it(`can't hold ${name}: ${String(value).slice(0, 5)}`, async (t) => {
      const gate = await startGate(t)
      const reply = await gate.post("/v1/trade/orders", "{}", { [name]: [value].flat() })
      assertRefused(reply, 400, "invalid_header")
      assert.deepEqual(reply.envelope.data, { header: name })
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  it("can't ask any call to wait, or for anything else that there isn't: a sentence names it", async (t) => {
    const gate = await startGate(t)
    for (const { path, method } of routes) {
      const headers = { ...jsonHeaders, "countersign-wait": "5000" }
      const reply = await gate.ask({ method, path, headers })
      assertRefused(reply, 400, "invalid_header")
      assert.deepEqual(reply.envelope.data, { header: "countersign-wait" })
      assert.match(reply.envelope.msg, /header countersign-wait isn't supported here; leave it out/)
    }
    assert.deepEqual(gate.vault.calls, [])
  })

  it("may be of others, with names of theirs", async (t) => {
    const gate = await startGate(t)
    const reply = await gate.post("/sign/v1/trade/orders", "{}", { "x-countersign-wait": "5000" })
    assert.equal(reply.status, 200)
  })

  it("can't choose a key where nothing is signed", async (t) => {
    const gate = await startGate(t)
    const headers = { authorization: `Bearer ${token}`, "countersign-key": "mm" }
    const reply = await gate.ask({ path: "/whoami", headers })
    assertRefused(reply, 400, "invalid_header")
  })

  it("can't hold an idempotency key where nothing is judged", async (t) => {
    const gate = await startGate(t)
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": "a" }
    const reply = await gate.ask({ path: "/whoami", headers })
    assertRefused(reply, 400, "invalid_header")
    assert.deepEqual(gate.vault.calls, [])
  })

  it("hands the vault the idempotency key that a check is asked with", async (t) => {
    const gate = await startGate(t)
    const reply = await gate.post("/check/v1/trade/orders", "{}", { "idempotency-key": "a" })
    assert.equal(reply.status, 200)
    assert.partialDeepStrictEqual(gate.vault.calls, [{ params: { idempotencyKey: "a" } }])
  })

  it("can't be a query string, but of what reads from the venue", async (t) => {
    const gate = await startGate(t)
    const others = routes.filter(({ path, method }) => !path.startsWith("/v1") || method === "POST")
    assert.equal(others.length, routes.length - 1)
    for (const { path, method } of others) {
      const reply = await gate.ask({ method, path: `${path}?`, headers: jsonHeaders })
      assertRefused(reply, 400, "invalid_header")
    }
  })
})

describe("what breaks", () => {
  for (const [code, status] of [
    ["ledger_unavailable", 503],
    ["clock_unsafe", 503],
    ["signature_check_failed", 500],
  ] as const) {
    it(`is told as ${code} without the vault's words, and logged by who knows why`, async (t) => {
      const script = {
        sign() {
          throw new Fault(code, "canary /var/lib")
        },
      }
      const gate = await startGate(t, { script })
      const reply = await gate.post("/sign/v1/trade/orders")
      assertRefused(reply, status, code)
      assert.doesNotMatch(reply.text, /canary/)
      assert.ok(!gate.logged.some(({ event }) => event === "failed"))
    })
  }

  it("is internal when bots aren't told, and leaves no words in the answer or the log", async (t) => {
    const script = {
      sign() {
        throw new Error("canary")
      },
      check() {
        throw new Fault("key_not_found", "canary")
      },
    }
    const gate = await startGate(t, { script })
    for (const path of ["/sign/v1/x", "/check/v1/x"]) {
      const reply = await gate.post(path)
      assertRefused(reply, 500, "internal")
      assert.doesNotMatch(reply.text, /canary|at /)
    }
    assert.doesNotMatch(JSON.stringify(gate.logged), /canary|cs_/)
    assert.equal(gate.logged.filter(({ event }) => event === "failed").length, 2)
  })

  it("is internal where it breaks before there is a route, and the next call is served", async (t) => {
    let isBroken = true
    const hosts = hostsByPort([])
    const gate = await startGate(t, {
      settings() {
        if (isBroken) throw new Error("canary")
        return { upstream: undefined, hosts }
      },
    })
    for (const path of ["/whoami", "/records/r-1", "/nothing"]) {
      const reply = await gate.ask({ path })
      assertRefused(reply, 500, "internal")
      assert.doesNotMatch(reply.text, /canary|at /)
    }
    assert.equal(gate.logged.filter(({ event }) => event === "failed").length, 3)
    isBroken = false
    assert.equal((await gate.ask({ path: "/healthz" })).status, 200)
  })

  it("is vault_unavailable when nobody is there to sign", async (t) => {
    const gate = await startGate(t)
    await gate.vault.close()
    assertRefused(await gate.post("/sign/v1/trade/orders"), 503, "vault_unavailable")
  })

  it("is overloaded when too many requests are at work", async (t) => {
    let release: (() => void) | undefined
    const gate = await startGate(t, {
      limits: { maxInFlight: 1 },
      script: {
        health: () =>
          new Promise((resolve) => (release = () => resolve({ signs: "all", reasons: [] }))),
      },
    })
    const first = gate.ask({ path: "/readyz" })
    while (release === undefined) await new Promise((resolve) => setImmediate(resolve))
    const second = await gate.ask({ path: "/readyz" })
    assertRefused(second, 503, "overloaded")
    assert.equal(second.headers["retry-after"], "1")
    assert.equal((await gate.ask({ path: "/healthz" })).status, 200)
    release()
    assert.equal((await first).status, 200)
    assert.equal((await gate.ask({ path: "/whoami", headers: jsonHeaders })).status, 200)
  })
})

function refusal<Of extends Refusal>(given: Of) {
  return { kind: "refused", refusal: given, record: null } as const
}

const denied = {
  kind: "refused",
  record: "r-2",
  refusal: {
    code: "policy_denied",
    message: "Too much.",
    data: {
      policy: "mm",
      rule: "quote",
      reason: "quantity_over_max",
      file: "mm.yaml",
      line: 3,
      asked: "2",
      allowed: "1",
    },
  },
} as const
