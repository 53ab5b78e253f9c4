import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { askRaw, readReply } from "../support/ask-raw.ts"
import { token } from "../support/fake-vault.ts"
import { assertRefused, startGate } from "../support/gate.ts"
import { connectRaw } from "../support/link-peer.ts"

const path = "/sign/v1/trade/orders"
const maxBytes = 65_536

function head(
  port: number,
  lines: readonly string[] = [],
  first = `POST ${path} HTTP/1.1`,
): string {
  const own = [
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Connection: close",
  ]
  return [first, ...own, ...lines, "", ""].join("\r\n")
}

describe("a body", () => {
  it("may have 65,536 bytes and not one more, declared", async (t) => {
    const gate = await startGate(t)
    assert.equal((await gate.post(path, "a".repeat(maxBytes))).status, 200)
    assertRefused(await gate.post(path, "a".repeat(maxBytes + 1)), 413, "body_too_large")
    assert.equal(gate.vault.calls.length, 1)
  })

  it("may have 65,536 bytes and not one more, in chunks", async (t) => {
    const gate = await startGate(t)
    for (const [bytes, status] of [
      [maxBytes, 200],
      [maxBytes + 1, 413],
    ] as const) {
      const half = `8000\r\n${"a".repeat(0x8000)}\r\n`
      const rest = bytes - 0x8000
      const chunks = `${half}${rest.toString(16)}\r\n${"a".repeat(rest)}\r\n0\r\n\r\n`
      const reply = await askRaw(
        gate.port,
        head(gate.port, ["Transfer-Encoding: chunked"]) + chunks,
      )
      assert.equal(reply?.status, status)
    }
    assert.equal(gate.vault.calls.length, 1)
  })

  it("that is declared too long is refused before any of it is sent", async (t) => {
    const gate = await startGate(t)
    const peer = await connectRaw(gate.port)
    peer.send(head(gate.port, ["Content-Length: 1000000000"]))
    const reply = await readReply({ line: () => peer.line(), rest: () => Promise.resolve("") })
    assert.equal(reply?.status, 413)
    peer.socket.destroy()
  })

  it("without end is cut off", async (t) => {
    const limits = { requestTimeoutMs: 200, headersTimeoutMs: 200, connectionCheckMs: 20 }
    const gate = await startGate(t, { limits })
    const peer = await connectRaw(gate.port)
    peer.send(head(gate.port, ["Transfer-Encoding: chunked"]))
    const chunk = `8000\r\n${"a".repeat(0x8000)}\r\n`
    const more = (): void => {
      if (!peer.socket.destroyed) peer.socket.write(chunk, () => setImmediate(more))
    }
    more()
    assert.match((await peer.line()) ?? "", / 413 /)
    await peer.closed()
    assert.deepEqual(gate.vault.calls, [])
  })

  it("isn't read for who has no token", async (t) => {
    const gate = await startGate(t)
    const peer = await connectRaw(gate.port)
    const lines = ["Content-Length: 10"]
    peer.send(head(gate.port, lines).replace(/Authorization.*\r\n/, ""))
    assert.match((await peer.line()) ?? "", / 401 /)
    peer.socket.destroy()
  })
})

describe("headers", () => {
  it("may be 100 and not one more", async (t) => {
    const gate = await startGate(t)
    const lines = (count: number): string[] => Array.from({ length: count }, (_, n) => `x-${n}: a`)
    const first = "GET /whoami HTTP/1.1"
    assert.equal((await askRaw(gate.port, head(gate.port, lines(96), first)))?.status, 200)
    const reply = await askRaw(gate.port, head(gate.port, lines(97), first))
    assert.ok(reply)
    assertRefused(reply, 431, "headers_too_large")
  })

  it("of 10,000 lines are refused, and so is a second Host behind them", async (t) => {
    const gate = await startGate(t)
    const lines = [...Array.from({ length: 10_000 }, () => "a:b"), "Host: evil.example"]
    const reply = await askRaw(gate.port, head(gate.port, lines, "GET /healthz HTTP/1.1"))
    assert.ok(reply)
    assertRefused(reply, 431, "headers_too_large")
  })

  it("longer than 16 KiB are refused", async (t) => {
    const gate = await startGate(t)
    const lines = [`x: ${"a".repeat(16_384)}`]
    const reply = await askRaw(gate.port, head(gate.port, lines, "GET /healthz HTTP/1.1"))
    assert.ok(reply)
    assertRefused(reply, 431, "headers_too_large")
  })
})

describe("a request that two readers could read in two ways", () => {
  for (const [what, text] of [
    ["two framings", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
    ["a strange length", "Content-Length: +2\r\n\r\n{}"],
    ["a strange framing", "Transfer-Encoding: xchunked\r\n\r\n{}"],
    ["an encoding before the chunks", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
    [
      "an encoding line before",
      "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["an encoding alone", "Transfer-Encoding: gzip\r\n\r\n{}"],
    ["an encoding behind the chunks", "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"],
    ["chunks twice", "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"],
    ["a folded header", "X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}"],
    ["a space before the colon", "Content-Length : 2\r\n\r\n{}"],
    ["a zero byte", "X: \0\r\nContent-Length: 2\r\n\r\n{}"],
    ["a bare line feed", "X: a\nY: b\r\nContent-Length: 2\r\n\r\n{}"],
  ] as const) {
    it(`is refused: ${what}`, async (t) => {
      const gate = await startGate(t)
      const reply = await askRaw(gate.port, head(gate.port).replace(/\r\n$/, text))
      assert.ok(reply)
      assertRefused(reply, 400, "invalid_header")
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const version of ["0.9", "1.2", "2.0", "3.0"]) {
    it(`is refused: HTTP/${version}`, async (t) => {
      const gate = await startGate(t)
      const reply = await askRaw(
        gate.port,
        head(gate.port, ["Connection: close"], `GET /healthz HTTP/${version}`),
      )
      assert.ok(reply)
      assertRefused(reply, 400, "invalid_header")
    })
  }

  for (const line of ["HTTP/1.1", "HTTP/1.0"]) {
    it(`is answered: ${line}, and chunks in any case`, async (t) => {
      const gate = await startGate(t)
      const ask = head(gate.port, ["Connection: close"], `GET /healthz ${line}`)
      assert.equal((await askRaw(gate.port, ask))?.status, 200)
      const chunks = ["Transfer-Encoding: Chunked", "Connection: close"]
      const posted = await askRaw(gate.port, `${head(gate.port, chunks)}2\r\n{}\r\n0\r\n\r\n`)
      assert.equal(posted?.status, 200)
    })
  }

  for (const text of ["hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x00\x01"]) {
    it(`isn't HTTP: ${JSON.stringify(text)}`, async (t) => {
      const gate = await startGate(t)
      const reply = await askRaw(gate.port, text)
      assert.ok(reply)
      assertRefused(reply, 400, "invalid_header")
    })
  }

  it("doesn't get an answer that would pass for that of the request before it", async (t) => {
    const signed = Promise.withResolvers<undefined>()
    const gate = await startGate(t, {
      script: {
        sign() {
          signed.resolve(undefined)
          return new Promise(() => undefined)
        },
      },
      limits: { stopMs: 10 },
    })
    const peer = await connectRaw(gate.port)
    const good = head(gate.port, ["Content-Length: 2"]).replace("close", "keep-alive")
    peer.send(`${good}{}`)
    await signed.promise
    peer.send("garbage\r\n\r\n")
    assert.equal(await peer.rest(), "")
  })
})

describe("an expectation", () => {
  it("is met when it is to be told to go on", async (t) => {
    const gate = await startGate(t)
    const lines = ["Content-Length: 2", "Expect: 100-continue"]
    const reply = await askRaw(gate.port, `${head(gate.port, lines)}{}`)
    assert.equal(reply?.status, 100)
    assert.match(reply.text, /HTTP\/1\.1 200 OK/)
  })

  it("is refused when it is anything else", async (t) => {
    const gate = await startGate(t)
    const lines = ["Content-Length: 2", "Expect: miracles"]
    const reply = await askRaw(gate.port, `${head(gate.port, lines)}{}`)
    assert.ok(reply)
    assertRefused(reply, 400, "invalid_header")
  })
})
