import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { pageHeaders, without } from "../../../support/console.ts"
import { assertRefused, startGate, type HttpAsk } from "../../../support/gate.ts"

const policy =
  "default-src 'none';script-src 'self';style-src 'self';connect-src 'self';img-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types lit-html"
const pagelessPolicy = "default-src 'none';frame-ancestors 'none'"

const visit = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }

type ConsoleCall = HttpAsk & {
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
}

const withoutProof = without(pageHeaders, "countersign-console")
const json = { method: "POST", body: "{}" } as const
const type = { "content-type": "application/json" }

/** What anybody can have. */
const open: readonly ConsoleCall[] = [
  { method: "GET", path: "/console", headers: {} },
  { method: "GET", path: "/console/assets/main.js", headers: {} },
]
/** What only the page can ask for, as it does. */
const ofPage: readonly ConsoleCall[] = [
  { method: "GET", path: "/console/events", headers: pageHeaders },
  { ...json, path: "/console/session", headers: { ...withoutProof, ...type } },
  { ...json, path: "/console/freeze", headers: { ...pageHeaders, ...type } },
  { ...json, path: "/console/end", headers: { ...pageHeaders, ...type } },
]
const calls = [...open, ...ofPage]

describe("the console's page", () => {
  it("is the same for everyone, may load nothing but its own files, and is kept by nobody", async (t) => {
    const gate = await startGate(t)
    const reply = await gate.ask({ path: "/console" })
    assert.equal(reply.status, 200)
    assert.match(reply.text, /^<!doctype html>/)
    const { headers } = reply
    assert.equal(headers["content-type"], "text/html; charset=utf-8")
    assert.equal(headers["content-security-policy"], policy)
    assert.equal(headers["cache-control"], "no-store")
    assert.equal(headers["cross-origin-opener-policy"], "same-origin")
    assert.equal(headers["cross-origin-resource-policy"], "same-origin")
    assert.equal(headers["x-content-type-options"], "nosniff")
    assert.equal(headers["referrer-policy"], "no-referrer")
    assert.equal(headers["set-cookie"], undefined)
    assert.deepEqual(gate.vault.calls, [])
  })

  it("gets its scripts, its styles and its libraries", async (t) => {
    const gate = await startGate(t)
    for (const [name, type] of [
      ["main.js", "text/javascript; charset=utf-8"],
      ["style.css", "text/css; charset=utf-8"],
      ["lib/lit-html.js", "text/javascript; charset=utf-8"],
      ["lib/directives/repeat.js", "text/javascript; charset=utf-8"],
      ["lib/uplot.css", "text/css; charset=utf-8"],
    ] as const) {
      const reply = await gate.ask({ path: `/console/assets/${name}` })
      assert.deepEqual([reply.status, reply.headers["content-type"]], [200, type], name)
      assert.equal(reply.headers["content-security-policy"], policy)
      assert.equal(reply.headers["cache-control"], "no-store")
    }
    assert.deepEqual(gate.vault.calls, [])
  })

  it("gets no other file, by whatever name", async (t) => {
    const gate = await startGate(t)
    for (const name of [
      ...["", "nothing.js", "page.html", "lib/lit-html.d.ts", "lib", "views", "constructor"],
      ...[
        "../page.html",
        "../../main.ts",
        "views/../main.js",
        "./main.js",
        "/main.js",
        "//main.js",
      ],
      ...["%2e%2e/main.ts", "..%2f..%2fmain.ts", "main%2ejs", "%6dain.js", "main.js%00", "%zz"],
      ...["..\\main.ts", "main.js/", "MAIN.js", "lib/../../../../package.json", "/etc/passwd"],
    ]) {
      const reply = await gate.ask({ path: `/console/assets/${name}` })
      assertRefused(reply, 404, "unknown_endpoint")
    }
    assertRefused(await gate.ask({ path: "/console/assets/main.js?a" }), 400, "invalid_header")
  })

  it("is found under its one name", async (t) => {
    const gate = await startGate(t)
    for (const path of ["/console/", "/Console", "/consoles", "/%63onsole", "/console/Events"]) {
      assertRefused(await gate.ask({ path }), 404, "unknown_endpoint")
    }
  })

  it("leaves every other answer the policy that it had", async (t) => {
    const gate = await startGate(t)
    for (const path of ["/healthz", "/whoami", "/v1/a", "/consoles", "/"]) {
      const { headers } = await gate.ask({ path })
      assert.equal(headers["content-security-policy"], pagelessPolicy, path)
    }
    const signed = await gate.post("/sign/v1/trade/orders")
    assert.equal(signed.headers["content-security-policy"], pagelessPolicy)
  })
})

describe("a call of the console", () => {
  it("is answered to its one method", async (t) => {
    const gate = await startGate(t)
    for (const { path, method } of calls) {
      for (const other of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
        if (other === method) continue
        const reply = await gate.ask({ path, method: other })
        assert.deepEqual([reply.status, reply.headers["allow"]], [405, method], path)
      }
    }
    assert.deepEqual(gate.vault.calls, [])
  })

  it("has the policy of the page, when it is refused too", async (t) => {
    const gate = await startGate(t)
    for (const { path } of calls) {
      for (const method of ["GET", "PUT"]) {
        const { headers } = await gate.ask({ path, method, headers: { origin: "null" } })
        assert.equal(headers["content-security-policy"], policy)
        assert.equal(headers["cache-control"], "no-store")
      }
    }
  })

  for (const [name, value] of [
    ["origin", "http://127.0.0.1:1"],
    ["origin", "https://127.0.0.1:PORT"],
    ["origin", "http://evil.example"],
    ["origin", "null"],
    ["sec-fetch-site", "cross-site"],
    ["sec-fetch-site", "same-site"],
  ] as const) {
    it(`is refused to another origin or port: ${name} ${value}`, async (t) => {
      const gate = await startGate(t)
      for (const call of calls) {
        const headers = { ...call.headers, [name]: value.replace("PORT", String(gate.port)) }
        assertRefused(await gate.ask({ ...call, headers }), 403, "origin_refused")
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  it("is refused under a name that isn't ours, to which somebody's DNS may point", async (t) => {
    const gate = await startGate(t)
    for (const call of calls) {
      for (const host of [`evil.example:${gate.port}`, "127.0.0.1", "127.0.0.1:1"]) {
        const headers = { ...call.headers, ...visit, host }
        assertRefused(await gate.ask({ ...call, headers }), 421, "misdirected_host")
      }
    }
    assert.deepEqual(gate.vault.calls, [])
  })

  it("is refused where nobody says that the page makes it, but for the page itself and its files", async (t) => {
    const gate = await startGate(t)
    for (const site of [{}, { "sec-fetch-site": "none" }]) {
      for (const call of open) {
        assert.equal((await gate.ask({ ...call, headers: site })).status, 200)
      }
      for (const call of ofPage) {
        const headers = { ...without(call.headers, "sec-fetch-site"), ...site }
        assertRefused(await gate.ask({ ...call, headers }), 403, "origin_refused")
      }
    }
    assert.deepEqual(gate.vault.calls, [])
  })
})

describe("a link to the console on another site", () => {
  for (const site of ["cross-site", "same-site"]) {
    it(`opens the page, and nothing else: ${site}`, async (t) => {
      const gate = await startGate(t)
      for (const call of calls) {
        const headers = { ...call.headers, ...visit, "sec-fetch-site": site }
        const reply = await gate.ask({ ...call, headers })
        if (call.path === "/console") assert.equal(reply.status, 200)
        else assertRefused(reply, 403, "origin_refused")
      }
      for (const path of ["/whoami", "/healthz", "/console/", "/consoles"]) {
        const headers = { ...visit, "sec-fetch-site": site }
        assertRefused(await gate.ask({ path, headers }), 403, "origin_refused")
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const [name, other] of [
    ["frame", { ...visit, "sec-fetch-dest": "iframe" }],
    ["fetch", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" }],
    ["script", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" }],
    ["call of another origin's script", { ...visit, origin: "http://evil.example" }],
    ["request that says less", { "sec-fetch-mode": "navigate" }],
  ] as const) {
    it(`isn't a ${name}`, async (t) => {
      const gate = await startGate(t)
      const headers = { ...other, "sec-fetch-site": "cross-site" }
      assertRefused(await gate.ask({ path: "/console", headers }), 403, "origin_refused")
    })
  }

  it("isn't a form that is sent there", async (t) => {
    const gate = await startGate(t)
    const headers = { ...visit, "sec-fetch-site": "cross-site" }
    const reply = await gate.ask({ method: "POST", path: "/console", headers })
    assertRefused(reply, 403, "origin_refused")
  })
})
