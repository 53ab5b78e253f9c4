import assert from "node:assert/strict"
import { request as httpRequest } from "node:http"
import { describe, it, type TestContext } from "node:test"

import type { Refusal } from "../../../src/contract/refusal.ts"
import { version } from "../../../src/std/version.ts"
import { askRaw } from "../../support/ask-raw.ts"
import { token } from "../../support/fake-vault.ts"
import {
  assertRefused,
  startGate,
  type TestGate,
  type TestGateOptions,
} from "../../support/gate.ts"
import { until } from "../../support/process-tree.ts"
import {
  httpText,
  startRawVenue,
  type RawVenue,
  type RawVenueScript,
} from "../../support/raw-venue.ts"

const ticker = "/v1/market/ticker"
const authorization = `Bearer ${token}`
const answer = '{"code":"0","msg":"","data":{"price":64000.10},"trace_code":""}'

type Reading = { readonly venue: RawVenue; readonly gate: TestGate }

/** A gate before a venue that answers every read. */
async function start(
  t: TestContext,
  script: RawVenueScript = {},
  options: TestGateOptions = {},
): Promise<Reading> {
  const venue = await startRawVenue(t, {
    onRequest: (socket) => socket.write(httpText(answer)),
    ...script,
  })
  return { venue, gate: await startGate(t, { upstream: venue.base, ...options }) }
}

function get(gate: TestGate, path: string, headers: Readonly<Record<string, string>> = {}) {
  return gate.ask({ path, headers: { authorization, ...headers } })
}

describe("GET /v1", () => {
  it("sends these headers and no other, and the query as it came", async (t) => {
    const { venue, gate } = await start(t)
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
    const query = "symbol_id=1&q=%41%zz&ids[]=a,b&x=?/;:@!$(){}|~"
    const own = {
      "countersign-key": "mm",
      cookie: "a=b",
      "x-forwarded-for": "1.2.3.4",
      traceparent,
    }
    const reply = await get(gate, `${ticker}?${query}`, own)
    assert.equal(reply.status, 200)
    assert.deepEqual(venue.received.join("").split("\r\n"), [
      `GET ${ticker}?${query} HTTP/1.1`,
      `host: 127.0.0.1:${venue.port}`,
      "connection: keep-alive",
      "accept: application/json",
      "accept-encoding: identity",
      `user-agent: countersign/${version}`,
      `traceparent: ${traceparent}`,
      "",
      "",
    ])
    assert.deepEqual(gate.vault.calls, [
      { method: "read", params: { token, path: ticker, key: "mm" } },
    ])
  })

  for (const path of ["/v1/market%2Fticker", "/v1/market%2fticker", "/v1/a/b%2Fc/d"]) {
    it(`takes %2F for the slash that it stands for, as generated clients write it: ${path}`, async (t) => {
      const { venue, gate } = await start(t)
      assert.equal((await get(gate, `${path}?q=a%2Fb`)).status, 200)
      const plain = decodeURIComponent(path)
      assert.match(venue.received.join(""), new RegExp(`^GET ${plain}\\?q=a%2Fb HTTP`))
      assert.deepEqual(gate.vault.calls, [{ method: "read", params: { token, path: plain } }])
    })
  }

  it("answers what the venue said, byte by byte", async (t) => {
    const text = '{"code":"90001","msg":"\u00e9", "data":{}}'
    const { gate } = await start(t, {
      onRequest: (socket) =>
        socket.write(
          httpText(text, "404 Not Found", "Retry-After: 7\r\nSet-Cookie: a=b\r\nX-Y: z\r\n"),
        ),
    })
    const reply = await get(gate, ticker)
    assert.deepEqual([reply.status, reply.text], [404, text])
    assert.equal(reply.headers["content-type"], "application/json")
    assert.equal(reply.headers["retry-after"], "7")
    assert.equal(reply.headers["countersign-source"], "venue")
    for (const name of ["countersign-record", "set-cookie", "x-y"]) {
      assert.equal(reply.headers[name], undefined)
    }
  })

  it("doesn't follow a redirect", async (t) => {
    const other = await startRawVenue(t, {})
    const { gate } = await start(t, {
      onRequest: (socket) =>
        socket.write(httpText("", "302 Found", `Location: ${other.base}/v1/x\r\n`)),
    })
    const reply = await get(gate, ticker)
    assert.deepEqual([reply.status, reply.headers["location"]], [302, undefined])
    assert.deepEqual(other.received, [])
  })

  it("asks the vault first, and sends nothing where it refuses", async (t) => {
    const refusal: Refusal = {
      code: "read_group_undisclosed",
      message: "No.",
      data: { path: ticker, add_line: "reads: …" },
    }
    const script = { read: () => ({ kind: "refused" as const, refusal, record: "r-9" }) }
    const { venue, gate } = await start(t, {}, { script })
    const reply = await get(gate, ticker)
    assertRefused(reply, 501, "read_group_undisclosed")
    assert.deepEqual(reply.envelope.data, refusal.data)
    assert.equal(reply.headers["countersign-record"], "r-9")
    assert.deepEqual(venue.received, [])
  })

  for (const path of [
    "/v1/market/../account",
    "/v1/market/.",
    "/v1//market",
    "/v1/market%2f..",
    "/v1/market%2F%2Fticker",
    "/v1/market%252Fticker",
    "/v1/%2Fmarket",
    "/v1/market%5Cticker",
    "/v1/market/%2e%2e",
    "/v1/market\\x",
    "/v1/a;b",
    "/v1/a@b",
    "/v1/a:b",
    "/v1/a#b",
    "/v1/a/",
    `/v1/${"a".repeat(253)}`,
  ]) {
    it(`finds nothing at ${path.slice(0, 30)}`, async (t) => {
      const { venue, gate } = await start(t)
      for (const query of ["", "?a=b"]) {
        assertRefused(await get(gate, path + query), 404, "unknown_endpoint")
      }
      assert.deepEqual([gate.vault.calls, venue.received], [[], []])
    })
  }

  for (const [what, query] of [
    ["a quote", 'a="b"'],
    ["an apostrophe", "a='b'"],
    ["a backslash", "a=\\b"],
    ["a fragment", "a=b#c"],
    ["a backtick", "a=`b`"],
    ["2,049 characters", "a".repeat(2_049)],
  ] as const) {
    it(`takes no query with ${what}`, async (t) => {
      const { venue, gate } = await start(t)
      assertRefused(await get(gate, `${ticker}?${query}`), 400, "invalid_header")
      assert.deepEqual([gate.vault.calls, venue.received], [[], []])
    })
  }

  for (const [what, target] of [
    ["a space", `${ticker}?a b`],
    ["a carriage return", `${ticker}?a\rX-Y: z`],
    ["a line break", `${ticker}?a\nX-Y: z`],
    ["a byte over 127", `${ticker}?a=\u00e9`],
    ["another host", `http://evil.example${ticker}`],
  ] as const) {
    it(`lets nothing after ${what} into what the venue gets`, async (t) => {
      const { venue, gate } = await start(t)
      const lines = [
        `GET ${target} HTTP/1.1`,
        `Host: 127.0.0.1:${gate.port}`,
        `Authorization: ${authorization}`,
        "Connection: close",
      ]
      const reply = await askRaw(gate.port, `${lines.join("\r\n")}\r\n\r\n`)
      // Node takes a bare line break for the end of a first line without a version.
      if (reply?.status !== 200) assert.equal(reply?.status, 400)
      assert.doesNotMatch(venue.received.join(""), /x-y|evil| b|\u00e9/i)
    })
  }

  it("takes a query of 2,048 characters", async (t) => {
    const { gate } = await start(t)
    assert.equal((await get(gate, `${ticker}?${"a".repeat(2_048)}`)).status, 200)
  })

  it("takes no header of ours but the key", async (t) => {
    const { gate } = await start(t)
    for (const name of ["countersign-expires-in", "countersign-shadow", "idempotency-key"]) {
      assertRefused(await get(gate, ticker, { [name]: "1" }), 400, "invalid_header")
    }
    assertRefused(
      await get(gate, ticker, { "countersign-key": "a".repeat(65) }),
      400,
      "invalid_header",
    )
  })

  it("needs a token, and a venue", async (t) => {
    const gate = await startGate(t)
    assertRefused(await gate.ask({ path: ticker }), 401, "unauthorized")
    assertRefused(await get(gate, ticker), 501, "base_url_missing")
    assert.deepEqual(gate.vault.calls, [])
  })
})

describe("a read that fails", () => {
  it("is told as unreachable where nothing was sent", async (t) => {
    const { gate } = await start(t, {}, { upstream: "http://127.0.0.1:9" })
    const reply = await get(gate, ticker)
    assertRefused(reply, 502, "upstream_unreachable")
    assert.match(reply.envelope.msg, /couldn't be reached at http:\/\/127\.0\.0\.1:9, so/)
    assert.ok(gate.logged.some(({ event }) => event === "read_failed"))
  })

  for (const [what, script] of [
    ["breaks off", (socket) => socket.end(httpText(answer).slice(0, -10))],
    ["is cut before it begins", (socket) => socket.destroy()],
    ["is longer than 1 MiB", (socket) => socket.write(httpText("a".repeat(1_048_577)))],
  ] as const satisfies readonly (readonly [string, RawVenueScript["onRequest"]])[]) {
    it(`may simply be asked again where the answer ${what}`, async (t) => {
      const { gate } = await start(t, { onRequest: script })
      const reply = await get(gate, ticker)
      assertRefused(reply, 504, "read_failed")
      assert.match(reply.envelope.msg, /ask again/)
    })
  }
})

describe("an answer that doesn't come in time", () => {
  it("is given up", async (t) => {
    const limits = { upstreamTotalMs: 2_000 }
    const { gate } = await start(t, { onRequest: () => undefined }, { limits })
    assertRefused(await get(gate, ticker), 504, "read_failed")
  })
})

describe("a bot that hangs up", () => {
  it("ends the exchange with the venue", async (t) => {
    const closed: number[] = []
    const { venue, gate } = await start(t, {
      onConnection: (socket) => void socket.on("close", () => closed.push(1)),
      onRequest: () => undefined,
    })
    const call = httpRequest({ port: gate.port, path: ticker, headers: { authorization } })
    call.on("error", () => undefined)
    call.end()
    await until(() => venue.received.join("").includes("GET") || undefined, "the venue is asked")
    call.destroy()
    await until(() => closed.length === 1 || undefined, "the venue's connection is closed")
    assert.equal(gate.logged.length, 0)
  })
})

describe("many reads", () => {
  it("leave connections to the venue for what is signed", async (t) => {
    const limits = { maxReads: 4, upstreamTotalMs: 30_000 } // half of them for one client
    const { venue, gate } = await start(
      t,
      {
        onRequest(socket, _, body) {
          if (body !== "") socket.write(httpText('{"code":"0"}'))
        },
      },
      { limits },
    )
    await gate.post("/sign/v1/trade/orders") // by now the gate knows the client
    const slow = [get(gate, ticker), get(gate, ticker)]
    await until(
      () => venue.received.join("").split("GET ").length === 3 || undefined,
      "both are at the venue",
    )
    const refused = await get(gate, ticker)
    assertRefused(refused, 503, "overloaded")
    assert.equal(refused.headers["retry-after"], "1")
    assert.equal((await gate.post("/v1/trade/orders")).status, 200)
    await Promise.all([gate.stop(), Promise.allSettled(slow)])
  })
})

describe("a 429 of the venue to a read", () => {
  const spent = (data: string) => `{"code":"10029","msg":"","data":${data},"trace_code":"t"}`
  for (const [what, body, isTold] of [
    ["with the scope ip", spent('{"scope":"ip"}'), true],
    ["without a scope, which isn't disclosed", spent("{}"), true],
    ["with the scope address", spent('{"scope":"address"}'), false],
    ["that isn't the venue's envelope", "<html>slow down</html>", false],
  ] as const) {
    it(`${what} ${isTold ? "is told to the vault" : "says nothing of the budget"}`, async (t) => {
      const { gate } = await start(t, {
        onRequest: (socket) => socket.write(httpText(body, "429 Too Many Requests")),
      })
      const reply = await get(gate, ticker)
      assert.deepEqual([reply.status, reply.text], [429, body])
      const methods = gate.vault.calls.map(({ method }) => method)
      assert.deepEqual(methods, isTold ? ["read", "readBudgetSpent"] : ["read"])
    })
  }
})
