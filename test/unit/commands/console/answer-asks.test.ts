import assert from "node:assert/strict"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { answerAsks, type Answers } from "../../../../src/commands/console/answers.ts"
import { askOver, type Ask } from "../../../../src/console/serve/calls.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { noEntries, quietStand, signedRecord } from "../../../support/console-look.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"

const id = `rec_${"0".repeat(26)}`
const seq = 5
const hold = `hold_${"0".repeat(26)}`

/** Two sockets that are joined, as Node makes of a pipe. */
async function pipePair(t: TestContext): Promise<readonly [Socket, Socket]> {
  const directory = temporaryDirectory()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(directory.path, "s"), resolve))
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve))
  const near = connect(join(directory.path, "s"))
  const far = await accepted
  t.after(() => {
    for (const socket of [near, far]) socket.destroy()
    server.close()
    directory.remove()
  })
  return [near, far]
}

type Pair = {
  readonly ask: Ask
  /** The server's end, to say on it what no server of ours would. */
  readonly socket: Socket
  readonly answering: Promise<void>
  readonly asked: readonly string[]
}

/** A command that answers, and the server before it. */
async function start(t: TestContext, changes: Partial<Answers> = {}): Promise<Pair> {
  const [socket, pipe] = await pipePair(t)
  const asked: string[] = []
  const noting =
    <Given>(name: string, given: Given) =>
    (params: unknown) => {
      asked.push(`${name} ${JSON.stringify(params)}`)
      return Promise.resolve(given)
    }
  const answering = answerAsks(pipe, {
    listening: noting("listening", null),
    look: noting("look", { ...quietStand, secret: "not for the console" }),
    entries: noting("entries", { ...noEntries, secret: "not for the console" }),
    record: noting("record", signedRecord),
    held: noting("held", { words: "buy 1 BTC-PERP", body: "    is_buy: true" }),
    freeze: noting("freeze", {
      ...{ scope: "all" as const, name: null, reason: "r", by: "x", cancels: true, since: 0 },
    }),
    ...changes,
  })
  answering.catch(() => undefined) // a test that wants to know awaits it
  return { ask: askOver(socket, () => undefined), socket, answering, asked }
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : socket.once("close", () => resolve())))

describe("the pipe between the console's server and its command", () => {
  it("passes on what is on the list, and of an answer what its schema names", async (t) => {
    const { ask, asked } = await start(t)
    assert.deepEqual(await ask("look", {}), quietStand)
    assert.deepEqual(await ask("entries", { after: 3 }), noEntries)
    assert.deepEqual(await ask("record", { id, seq }), signedRecord)
    assert.equal((await ask("freeze", { reason: " r " })).scope, "all")
    assert.equal(await ask("listening", { port: 8_421 }), null)
    assert.deepEqual(asked, [
      "look {}",
      'entries {"after":3}',
      `record {"id":"${id}","seq":5}`,
      'freeze {"reason":"r"}',
      'listening {"port":8421}',
    ])
  })

  it("passes on why there is no answer, in a Fault's words and no others", async (t) => {
    let thrown: Error = new Fault("vault_unavailable", "No daemon runs here.")
    const { ask } = await start(t, { look: () => Promise.reject(thrown) })
    await assert.rejects(ask("look", {}), {
      code: "vault_unavailable",
      message: "No daemon runs here.",
    })
    thrown = new Error("/var/lib/countersign/admin.secret")
    await assert.rejects(ask("look", {}), { code: "internal", message: "internal error" })
  })

  it("passes on no answer that isn't one, or is too long", async (t) => {
    const names = Object.fromEntries(
      Array.from({ length: 80_000 }, (_, n) => [String(n), "x".repeat(60)]),
    )
    const { ask } = await start(t, {
      look: () => Promise.resolve({} as typeof quietStand),
      record: () =>
        Promise.resolve({ ...signedRecord, symbols: { ...signedRecord.symbols, names } }),
    })
    await assert.rejects(ask("look", {}), { code: "internal" })
    await assert.rejects(ask("record", { id, seq }), { code: "link_protocol" })
    assert.equal((await ask("freeze", { reason: "r" })).scope, "all")
  })

  for (const [what, line] of [
    [
      "another call of the admin socket",
      '{"jsonrpc":"2.0","id":9,"method":"thaw","params":{"scope":"everything","name":null}}',
    ],
    ["what every object has", '{"jsonrpc":"2.0","id":9,"method":"constructor","params":{}}'],
    [
      "a freeze by somebody else",
      '{"jsonrpc":"2.0","id":9,"method":"freeze","params":{"reason":"r","by":"operator"}}',
    ],
    [
      "a look with words of its own",
      '{"jsonrpc":"2.0","id":9,"method":"look","params":{"secret":true}}',
    ],
    ["a call without a number", '{"jsonrpc":"2.0","method":"look","params":{}}'],
    ["no JSON", "look"],
    [
      "a line that is too long",
      `{"jsonrpc":"2.0","id":9,"method":"freeze","params":{"reason":"${"r".repeat(4_096)}"}}`,
    ],
  ] as const) {
    it(`closes on ${what}, and answers nothing any more`, async (t) => {
      const { ask, socket, answering, asked } = await start(t)
      await ask("look", {})
      socket.write(`${line}\n`)
      await assert.rejects(answering)
      await closed(socket)
      assert.deepEqual(asked, ["look {}"])
      await assert.rejects(ask("freeze", { reason: "r" }), { code: "vault_unavailable" })
    })
  }

  for (const [name, params] of [
    ["weigh", { id: hold }],
    ["decide", { id: hold, decision: "released", typed: "", policy_hash: "aa" }],
  ] as const) {
    it(`closes on ${name}, unless the console was started to release`, async (t) => {
      const { ask, socket, answering, asked } = await start(t)
      await assert.rejects(ask(name, params), { code: "vault_unavailable" })
      await assert.rejects(answering, /may not ask that/)
      await closed(socket)
      assert.deepEqual(asked, [])
    })
  }

  it("passes on what a console that releases may ask besides", async (t) => {
    const told = { words: "withdraw", warnings: [], to_type: "withdraw", policy_hash: "aa" }
    const { ask } = await start(t, {
      weigh: () => Promise.resolve({ ...told, body: "{}" } as typeof told),
      decide: () => Promise.resolve({ state: "released", body: "{}" }),
    })
    assert.deepEqual(await ask("weigh", { id: hold }), told)
    const word = { id: hold, decision: "released", typed: "withdraw", policy_hash: "aa" } as const
    assert.deepEqual(await ask("decide", word), { state: "released" })
  })

  it("answers one ask after the other, and not more than 25 a second", async (t) => {
    let atWork = 0
    const { ask } = await start(t, {
      look: async () => {
        atWork += 1
        assert.equal(atWork, 1)
        await new Promise((resolve) => setTimeout(resolve, 5))
        atWork -= 1
        return quietStand
      },
    })
    const startMs = performance.now()
    await Promise.all(Array.from({ length: 11 }, () => ask("look", {})))
    assert.ok(performance.now() - startMs >= 10 * 40 - 5)
  })

  it("answers nobody who asks and doesn't read", async (t) => {
    const body = "y".repeat(600_000)
    const record = signedRecord.record && { ...signedRecord.record, body }
    let told = 0
    const { socket, answering } = await start(t, {
      record: () => {
        told += 1
        return Promise.resolve({ ...signedRecord, record })
      },
    })
    socket.pause()
    const ask = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "record", params: { id, seq } })
    socket.write(`${ask}\n`.repeat(20))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    assert.ok(told >= 1 && told <= 3, `${told} answers`)
    socket.destroy()
    await answering.catch(() => undefined)
  })

  it("ends when the server's end closes", async (t) => {
    const { socket, answering } = await start(t)
    socket.destroy()
    await answering
  })
})
