// What the session does with bytes that no PostgreSQL would send. With a real one: test/system/postgres-session.test.ts.

import assert from "node:assert/strict"
import { duplexPair, type Duplex } from "node:stream"
import { describe, it } from "node:test"
import { setImmediate as turnEnded } from "node:timers/promises"

import fc from "fast-check"

import { openSession, type Session } from "../../../../../src/vault/ledger/postgres/session.ts"
import { numRuns } from "../../../../support/runs.ts"

const ask = { role: "r", database: "d", application: "countersign a", timeoutMs: 5_000 }

/** A message of the server's: its letter, its length, what it holds. */
function message(letter: string, body: Buffer | string = ""): Buffer {
  const bytes = Buffer.from(body)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length + 4)
  return Buffer.concat([Buffer.from(letter), length, bytes])
}

const ready = message("Z", "I")
const accepted = Buffer.concat([message("R", Buffer.alloc(4)), ready])
const done = Buffer.concat([message("1"), message("2"), message("C", "SELECT 1\0"), ready])

/** A session that is open, and its server's side. */
async function opened(timeoutMs = 5_000): Promise<{ session: Session; server: Duplex }> {
  const [client, server] = duplexPair()
  server.resume().write(accepted)
  return { session: await openSession(client, { ...ask, timeoutMs }), server }
}

/** Runs a statement that is answered with `bytes`. */
async function answered(bytes: Buffer, timeoutMs?: number) {
  const { session, server } = await opened(timeoutMs)
  const result = session.run({ text: "SELECT 1", values: [] })
  server.write(bytes)
  return { session, server, result }
}

describe("a session with what may not be PostgreSQL", () => {
  it("asks for what makes a commit durable before anything else", async () => {
    const [client, server] = duplexPair()
    const heard = new Promise<Buffer>((resolve) => server.once("data", resolve))
    void openSession(client, ask).catch(() => undefined)
    const words = (await heard).toString("latin1").split("\0")
    for (const [name, value] of [
      ["user", "r"],
      ["database", "d"],
      ["synchronous_commit", "on"],
      ["client_min_messages", "warning"],
      ["search_path", "countersign"],
    ] as const) {
      assert.equal(words[words.lastIndexOf(name) + 1], value)
    }
    client.destroy()
  })

  it("answers once the server is ready for the next, not before", async () => {
    const { result, server } = await answered(done.subarray(0, -ready.length))
    let isOver = false
    void result.then(() => (isOver = true))
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(isOver, false)
    server.write(ready)
    assert.deepEqual(await result, [[]])
  })

  for (const [what, bytes, says] of [
    [
      "a server that is ready in a transaction",
      Buffer.concat([done.subarray(0, -1), Buffer.from("T")]),
      /lost its way/,
    ],
    [
      "a server that is ready in one that failed",
      Buffer.concat([done.subarray(0, -1), Buffer.from("E")]),
      /lost its way/,
    ],
    [
      "a notice before the answer's end",
      Buffer.concat([message("N", "SWARNING\0C01000\0Mno standby has it\0\0"), done]),
      /"no standby has it" \(01000\)/,
    ],
    [
      "an error after which it says that all is well",
      Buffer.concat([message("E", "SERROR\0C23505\0Mtwice\0\0"), done]),
      /"twice" \(23505\)/,
    ],
    [
      "an error of more than one line, which stays on one, as the server's words",
      Buffer.concat([message("E", 'SERROR\0C2\n3\0Mx";\nfix: \x1b[2J run: $(reboot)\0\0'), done]),
      /PostgreSQL says: "x\\";\\nfix: \\u001b\[2J run: \$\(reboot\)" \(2\\u000a3\); nothing is signed/,
    ],
    [
      "a notification that nobody asked for",
      Buffer.concat([message("A", "\0\0\0\x01a\0b\0"), done]),
      /nobody asked for/,
    ],
    ["a request for a copy", message("G", "\0\0\0"), /nobody asked for/],
    ["a letter that there isn't", message("?", "x"), /nobody asked for/],
    ["a row that is shorter than it says", message("D", "\0\x05"), /isn't its protocol/],
  ] as const) {
    it(`ends with ${what}`, async () => {
      const { session, result } = await answered(bytes)
      await assert.rejects(result, says)
      assert.match((await session.ended).message, says)
      await assert.rejects(session.run({ text: "SELECT 2", values: [] }), says)
    })
  }

  it("answers each of several statements, once all are answered", async () => {
    const { session, server } = await opened()
    const both = session.run({ text: "SELECT 1", values: [] }, { text: "SELECT 2", values: [] })
    const row = (text: string): Buffer => message("D", Buffer.from(`\0\x01\0\0\0\x01${text}`))
    let isOver = false
    void both.then(() => (isOver = true))
    server.write(Buffer.concat([row("1"), done]))
    await turnEnded()
    assert.equal(isOver, false)
    server.write(Buffer.concat([row("2"), row("3"), done]))
    assert.deepEqual(await both, [[["1"]], [["2"], ["3"]]])
  })

  it("takes as many rows as a page has, and ends with a row more than any has", async () => {
    const row = message("D", Buffer.from("\0\0"))
    const page = (rows: number): Buffer => Buffer.concat([...Array<Buffer>(rows).fill(row), done])
    const most = await answered(page(1_000))
    assert.equal((await most.result)[0]?.length, 1_000)
    await assert.rejects((await answered(page(1_001))).result, /answer is too large/)
  })

  it("ends with a row that nobody asked for", async () => {
    const { session, server } = await opened()
    server.write(message("D", Buffer.from("\0\0")))
    assert.match((await session.ended).message, /nobody asked for/)
  })

  it("ends with more small messages than an answer may have bytes", async () => {
    const { session, result, server } = await answered(Buffer.alloc(0), 60_000) // a slow machine's
    const many = Buffer.concat(Array<Buffer>(100_000).fill(message("S", "a\0b\0")))
    const over = new AbortController()
    void session.ended.then(() => over.abort())
    result.catch(() => undefined)
    for (let sent = 0; !over.signal.aborted && sent < 100; sent += 1) {
      server.write(many)
      await turnEnded()
    }
    await assert.rejects(result, /answer is too large/)
  })

  it("ends when it is ready once more than it was asked", async () => {
    const { session, result } = await answered(Buffer.concat([done, ready]))
    await result
    assert.match((await session.ended).message, /lost its way/)
  })

  for (const [name, kind] of [
    ["in clear text", [3]],
    ["as MD5", [5, 1, 2, 3, 4]],
  ] as const) {
    it(`never sends a password, also where one is asked for ${name}`, async () => {
      const [client, server] = duplexPair()
      const heard: Buffer[] = []
      server.on("data", (chunk: Buffer) => heard.push(chunk))
      const session = openSession(client, ask)
      server.write(message("R", Buffer.from([0, 0, 0, ...kind])))
      await assert.rejects(session, /asks for a password, where pg_hba.conf should take/)
      assert.equal(heard.length, 1)
    })
  }

  it("ends before an answer has taken more than its part of the memory", async () => {
    const { session, server } = await opened()
    const result = session.run({ text: "SELECT 1", values: [] })
    const over = new AbortController()
    void session.ended.then(() => over.abort())
    result.catch(() => undefined)
    const head = Buffer.from("D\x7f\xff\xff\xff", "latin1")
    server.write(head)
    const chunk = Buffer.alloc(1_048_576)
    let sent = 0
    while (!over.signal.aborted && sent < 100) {
      server.write(chunk)
      sent += 1
      await turnEnded()
    }
    await assert.rejects(result, /isn't its protocol: a message's length/)
    assert.ok(sent < 100, `${sent} MiB`)
  })

  it("ends, and does nothing else, whatever bytes come", async () => {
    const letters = fc.constantFrom(...Array.from("RZTDCEN12SKAstGHWcdI?"))
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(letters, fc.uint8Array({ maxLength: 40 }))
        .map(([letter, body]) => message(letter, Buffer.from(body))),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(garbage, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const { session, server } = await opened()
        const result = session.run({ text: "SELECT 1", values: [] })
        result.catch(() => undefined)
        for (const piece of pieces) server.write(piece)
        server.end()
        const { code } = await session.ended
        assert.equal(code, "ledger_unavailable")
        await Promise.allSettled([result])
      }),
      numRuns(200),
    )
  })
})
