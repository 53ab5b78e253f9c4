import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { askRaw } from "../../../support/ask-raw.ts"
import { signedRecord } from "../../../support/console-look.ts"
import { pageHeaders, startConsole, whyOf, without } from "../../../support/console-server.ts"
import type { HttpAsk, HttpReply } from "../../../support/gate.ts"
import { connectRaw } from "../../../support/link-peer.ts"

const policy =
  "default-src 'none';script-src 'self';style-src 'self';connect-src 'self';img-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types lit-html"

const visit = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }

type Call = HttpAsk & {
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
}

/** What anybody can have. */
const open: readonly Call[] = ["/", "/assets/main.js"].map((path) => ({
  ...{ method: "GET", path, headers: {} },
}))
/** What only the page can call, as it does. */
const ofPage: readonly Call[] = ["/session", "/look", "/record", "/held", "/freeze", "/end"].map(
  (path) => ({
    ...{ method: "POST", path, headers: pageHeaders, body: "{}" },
  }),
)
const calls = [...open, ...ofPage]

function assertRefused(reply: HttpReply, status: number): void {
  assert.equal(reply.status, status)
  assert.notEqual(whyOf(reply), "")
  for (const name of Object.keys(reply.headers)) assert.doesNotMatch(name, /^access-control-/)
}

describe("the console's page", () => {
  it("is the same for everyone, may load nothing but its own files, and is kept by nobody", async (t) => {
    const site = await startConsole(t)
    const { status, text, headers } = await site.ask({ path: "/" })
    assert.equal(status, 200)
    assert.match(text, /^<!doctype html>/)
    assert.equal(headers["content-type"], "text/html; charset=utf-8")
    assert.equal(headers["content-security-policy"], policy)
    assert.equal(headers["cache-control"], "no-store")
    assert.equal(headers["cross-origin-opener-policy"], "same-origin")
    assert.equal(headers["cross-origin-resource-policy"], "same-origin")
    assert.equal(headers["x-content-type-options"], "nosniff")
    assert.equal(headers["x-frame-options"], "DENY")
    assert.equal(headers["referrer-policy"], "no-referrer")
    assert.equal(headers["set-cookie"], undefined)
    assert.deepEqual(site.asked, [])
  })

  it("gets its scripts, its styles and its libraries", async (t) => {
    const site = await startConsole(t)
    for (const [name, type] of [
      ["main.js", "text/javascript; charset=utf-8"],
      ["style.css", "text/css; charset=utf-8"],
      ["lib/lit-html.js", "text/javascript; charset=utf-8"],
      ["lib/directives/repeat.js", "text/javascript; charset=utf-8"],
      ["lib/uplot.css", "text/css; charset=utf-8"],
    ] as const) {
      const reply = await site.ask({ path: `/assets/${name}` })
      assert.deepEqual([reply.status, reply.headers["content-type"]], [200, type], name)
      assert.equal(reply.headers["content-security-policy"], policy)
      assert.equal(reply.headers["cache-control"], "no-store")
    }
    assert.deepEqual(site.asked, [])
  })

  it("gets no other file, by whatever name", async (t) => {
    const site = await startConsole(t)
    for (const name of [
      ...["", "nothing.js", "page.html", "lib/lit-html.d.ts", "lib", "views", "constructor"],
      ...["../page.html", "../../serve/main.ts", "views/../main.js", "./main.js", "/main.js"],
      ...["%2e%2e/main.ts", "..%2f..%2fmain.ts", "main%2ejs", "%6dain.js", "main.js%00", "%zz"],
      ...["..\\main.ts", "main.js/", "MAIN.js", "lib/../../../../package.json", "/etc/passwd"],
      "main.js?a",
    ]) {
      assertRefused(await site.ask({ path: `/assets/${name}` }), 404)
    }
  })

  it("is found under its one name", async (t) => {
    const site = await startConsole(t)
    for (const path of ["/page.html", "/console", "/?a", "//", "/%2f", "/Look", "/look/"]) {
      assertRefused(await site.ask({ path }), 404)
    }
    const absolute = await askRaw(
      site.port,
      `GET http://127.0.0.1:${site.port}/ HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\nConnection: close\r\n\r\n`,
    )
    assert.equal(absolute?.status, 404)
  })
})

describe("a call of the console", () => {
  it("is answered to its one method", async (t) => {
    const site = await startConsole(t)
    for (const { path, method } of calls) {
      for (const other of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
        if (other === method) continue
        const reply = await site.ask({ path, method: other })
        assert.deepEqual([reply.status, reply.headers["allow"]], [405, method], path)
      }
    }
    assert.deepEqual(site.asked, [])
  })

  it("has the policy of the page, when it is refused too", async (t) => {
    const site = await startConsole(t)
    for (const { path } of calls) {
      for (const method of ["GET", "PUT"]) {
        const { headers } = await site.ask({ path, method, headers: { origin: "null" } })
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
      const site = await startConsole(t)
      for (const call of calls) {
        const headers = { ...call.headers, [name]: value.replace("PORT", String(site.port)) }
        assertRefused(await site.ask({ ...call, headers }), 403)
      }
      assert.deepEqual(site.asked, [])
    })
  }

  it("is refused under a name that isn't ours, to which somebody's DNS may point", async (t) => {
    const site = await startConsole(t)
    for (const call of calls) {
      for (const host of [`evil.example:${site.port}`, "127.0.0.1", "127.0.0.1:1"]) {
        const headers = { ...call.headers, ...visit, host }
        assertRefused(await site.ask({ ...call, headers }), 421)
      }
      for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
        const headers = { ...call.headers, host: `${host}:${site.port}` }
        assert.notEqual((await site.ask({ ...call, headers })).status, 421, host)
      }
    }
    assert.deepEqual(site.asked, [])
  })

  it("is refused with two hosts, of which others may believe the other one", async (t) => {
    const { port } = await startConsole(t)
    const host = `Host: 127.0.0.1:${port}\r\n`
    for (const second of [`127.0.0.1:${port}`, "evil.example"]) {
      const head = `GET / HTTP/1.1\r\n${host}Host: ${second}\r\nConnection: close\r\n\r\n`
      assert.ok([400, 421].includes((await askRaw(port, head))?.status ?? 0))
    }
  })

  it("is refused where nobody says that the page makes it, but for the page itself and its files", async (t) => {
    const site = await startConsole(t)
    for (const from of [{}, { "sec-fetch-site": "none" }]) {
      for (const call of open) {
        assert.equal((await site.ask({ ...call, headers: from })).status, 200)
      }
      for (const call of ofPage) {
        const headers = { ...without(call.headers, "sec-fetch-site"), ...from }
        assertRefused(await site.ask({ ...call, headers }), 403)
      }
    }
    assert.deepEqual(site.asked, [])
  })

  it("harms nobody by headers named as what every object has", async (t) => {
    const { port } = await startConsole(t)
    for (const name of ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"]) {
      const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${name}: x\r\n\r\n`
      assert.equal((await askRaw(port, head))?.status, 200, name)
    }
  })
})

describe("80 connections that ask for nothing", () => {
  for (const [how, says] of [
    ["and say nothing", ""],
    ["in the middle of a call", "POST /freeze HTTP/1.1\r\nContent-Length: 9\r\nHost: "],
  ] as const) {
    it(`keep nobody from freezing, nor cut what a session waits for, ${how}`, async (t) => {
      const record = Promise.withResolvers<typeof signedRecord>()
      const site = await startConsole(t, { record: () => record.promise })
      const headers = await site.logIn()
      const asked = site.post("/record", { id: `rec_${"0".repeat(26)}`, seq: 5 }, headers)
      for (let count = 0; count < 80; count++) {
        const peer = await connectRaw(site.port)
        t.after(() => peer.socket.destroy())
        peer.send(says)
      }
      const frozen = await site.post("/freeze", { reason: "odd fills" }, headers)
      assert.equal(frozen.status, 200)
      record.resolve(signedRecord)
      assert.equal((await asked).status, 200)
    })
  }
})

describe("a link to the console on another site", () => {
  for (const from of ["cross-site", "same-site"]) {
    it(`opens the page, and nothing else: ${from}`, async (t) => {
      const site = await startConsole(t)
      for (const call of calls) {
        const headers = { ...call.headers, ...visit, "sec-fetch-site": from }
        const reply = await site.ask({ ...call, headers })
        if (call.path === "/") assert.equal(reply.status, 200)
        else assertRefused(reply, 403)
      }
      assert.deepEqual(site.asked, [])
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
      const site = await startConsole(t)
      const headers = { ...other, "sec-fetch-site": "cross-site" }
      assertRefused(await site.ask({ path: "/", headers }), 403)
    })
  }

  it("isn't a form that is sent there", async (t) => {
    const site = await startConsole(t)
    const headers = { ...visit, "sec-fetch-site": "cross-site" }
    assertRefused(await site.ask({ method: "POST", path: "/", headers }), 403)
  })
})
