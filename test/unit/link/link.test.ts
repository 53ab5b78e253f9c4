import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, describe, it, type TestContext } from "node:test"

import * as z from "zod"

import { connectLink, type LinkClientOptions } from "../../../src/contract/client.ts"
import { serveLink, type LinkServerOptions } from "../../../src/link/server.ts"
import { Fault } from "../../../src/std/fault.ts"
import { connectRaw, temporaryDirectory, type RawPeer } from "../../support/link-peer.ts"

const params = {
  keep: z.strictObject({
    name: z.string(),
    secret: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  }),
  echo: z.strictObject({ text: z.string() }),
  fail: z.strictObject({ how: z.enum(["fault", "bug"]) }),
  wait: z.strictObject({ turn: z.int() }),
  large: z.strictObject({ bytes: z.int() }),
  list: z.strictObject({ items: z.int(), bytes: z.int() }),
}
type Params = { [Method in keyof typeof params]: z.infer<(typeof params)[Method]> }
type Results = {
  keep: { bytes: number[] }
  echo: { text: string }
  fail: null
  wait: { turn: number }
  large: string
  list: readonly string[]
}

const directory = temporaryDirectory()
after(() => directory.remove())
let sockets = 0

/** Serves the methods above; `release` lets the calls of `wait` go, in the order given. */
async function serve(
  t: TestContext,
  options: Partial<Omit<LinkServerOptions<typeof params, Results>, "fd">> & {
    readonly path?: string
    readonly mode?: number
  } = {},
) {
  const path = options.path ?? join(directory.path, `${++sockets}.sock`)
  const turns = new Map<number, () => void>()
  const started: number[] = []
  const errors: unknown[] = []
  const kept: Uint8Array[] = []
  const server = await serveLink<typeof params, Results>({
    path,
    params,
    methods: {
      keep: ({ secret }) => {
        kept.push(secret)
        return { bytes: [...secret] }
      },
      echo: ({ text }) => ({ text }),
      fail({ how }) {
        throw how === "fault" ? new Fault("name_taken", "Choose another.") : new Error("canary")
      },
      wait({ turn }) {
        started.push(turn)
        return new Promise((resolve) => turns.set(turn, () => resolve({ turn })))
      },
      large: ({ bytes }) => "a".repeat(bytes),
      list: ({ items, bytes }) =>
        Array.from({ length: items }, (_, index) => String(index).padEnd(bytes)),
    },
    onError: (error) => errors.push(error),
    ...options,
  })
  t.after(() => server.close())
  const release = (...order: number[]): void => order.forEach((turn) => turns.get(turn)?.())
  return { path, server, started, errors, kept, release }
}

function client(t: TestContext, path: string, options?: LinkClientOptions) {
  const link = connectLink<Params, Results>(path, options)
  t.after(() => link.close())
  return link
}

/** Waits for a condition that another part of this test brings about. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

const after100 = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))

describe("link", () => {
  it("answers a call with the method's result", async (t) => {
    const { path } = await serve(t)
    assert.deepEqual(await client(t, path).call("echo", { text: "é\n" }), { text: "é\n" })
  })

  it("starts calls in the order they are made and answers each when it is done", async (t) => {
    const { path, started, release } = await serve(t)
    const link = client(t, path)
    const done: number[] = []
    const calls = [1, 2, 3].map((turn) =>
      link.call("wait", { turn }).then((result) => done.push(result.turn)),
    )
    await until(() => started.length === 3)
    release(3, 1, 2)
    await Promise.all(calls)
    assert.deepEqual(started, [1, 2, 3])
    assert.deepEqual(done, [3, 1, 2])
  })

  it("begins at most four calls of one read in a turn of the loop, in their order", async (t) => {
    const { path, started, release } = await serve(t)
    const peer = await connectRaw(path)
    t.after(() => peer.socket.destroy())
    const turns = Array.from({ length: 9 }, (_, index) => index + 1)
    const calls = turns.map((turn) => ({ id: turn, method: "wait", params: { turn } }))
    peer.send(calls.map((call) => `${JSON.stringify({ jsonrpc: "2.0", ...call })}\n`).join(""))
    const begun = [0]
    await until(() => {
      if (started.length > (begun.at(-1) ?? 0)) begun.push(started.length)
      return started.length === turns.length
    })
    assert.deepEqual(begun, [0, 4, 8, 9])
    assert.deepEqual(started, turns)
    release(...turns)
  })

  it("carries a Fault with its code and sentence", async (t) => {
    const { path } = await serve(t)
    const call = client(t, path).call("fail", { how: "fault" })
    await assert.rejects(call, { name: "Fault", code: "name_taken", message: "Choose another." })
  })

  it("says nothing of any other error but that it happened, and tells it to the log", async (t) => {
    const { path, errors } = await serve(t)
    const call = client(t, path).call("fail", { how: "bug" })
    await assert.rejects(call, { code: "internal", message: "internal error" })
    assert.match(String(errors[0]), /canary/)
  })

  it("answers internal when a result is too long for a line", async (t) => {
    const { path, errors } = await serve(t)
    const link = client(t, path)
    await assert.rejects(link.call("large", { bytes: 300_000 }), { code: "link_protocol" })
    assert.equal(errors.length, 1)
    assert.equal((await link.call("large", { bytes: 200_000 })).length, 200_000)
  })

  for (const [items, bytes] of [
    [0, 0],
    [1, 200_000],
    [2_000, 1_000],
    [100, 65_536],
    [100_000, 1],
  ] as const) {
    it(`answers a list of ${items} items of ${bytes} bytes, however many lines that takes`, async (t) => {
      const { path, errors } = await serve(t)
      const link = client(t, path)
      const [list, other] = await Promise.all([
        link.call("list", { items, bytes }),
        link.call("echo", { text: "between" }),
      ])
      assert.deepEqual([list.length, other], [items, { text: "between" }])
      assert.ok(list.every((item, index) => item === String(index).padEnd(bytes)))
      assert.deepEqual(errors, [])
    })
  }

  it("reads no more calls than it may have at work, and goes on as they finish", async (t) => {
    const { path, started, release } = await serve(t, { limits: { maxCallsInFlight: 2 } })
    const raw = await connectRaw(path)
    t.after(() => raw.socket.destroy())
    const call = (id: number): string =>
      `${JSON.stringify({ jsonrpc: "2.0", id, method: "wait", params: { turn: id } })}\n`
    raw.send(call(1) + call(2))
    await until(() => started.length === 2)
    raw.send(call(3))
    release(1)
    assert.match((await raw.line()) ?? "", /"id":1/)
    await until(() => started.length === 3)
    release(2, 3)
  })

  it("serves no descriptor that isn't a socket", async () => {
    const server = serveLink({ fd: 1_000_000, params: {}, methods: {} })
    await assert.rejects(server, { code: "usage", message: /Descriptor 1000000 / })
  })

  it("gives each socket file the mode it is told, owner only by default", async (t) => {
    const umaskBefore = process.umask(0o027)
    t.after(() => process.umask(umaskBefore))
    const { path } = await serve(t)
    const shared = await serve(t, { mode: 0o660 })
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(statSync(shared.path).mode & 0o777, 0o660)
    assert.equal(process.umask(umaskBefore), 0o027)
  })

  it("answers calls at work before it closes, and removes its file", async (t) => {
    const { path, server, started, release } = await serve(t)
    const call = client(t, path).call("wait", { turn: 1 })
    await until(() => started.length === 1)
    const closing = server.close()
    release(1)
    assert.deepEqual(await call, { turn: 1 })
    await closing
    assert.equal(existsSync(path), false)
  })

  it("gives up on calls that don't finish in time", async (t) => {
    const { path, server, started } = await serve(t, { limits: { closeMs: 20 } })
    const call = client(t, path).call("wait", { turn: 1 })
    const rejected = assert.rejects(call, { code: "vault_unavailable" })
    await until(() => started.length === 1)
    await server.close()
    await rejected
  })
})

describe("link server, against a peer that breaks the protocol", () => {
  const frame = (value: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...value })}\n`

  for (const [what, text, code, id] of [
    ["an unknown method", frame({ id: 1, method: "nope", params: {} }), -32601, 1],
    ["a method of Object.prototype", frame({ id: 1, method: "toString", params: {} }), -32601, 1],
    ["a missing parameter", frame({ id: 1, method: "echo", params: {} }), -32602, 1],
    ["no parameters", frame({ id: 1, method: "echo" }), -32602, 1],
    [
      "a parameter that the schema doesn't name",
      frame({ id: 1, method: "echo", params: { text: "", policy: "ok" } }),
      -32602,
      1,
    ],
  ] as const) {
    it(`refuses ${what} and keeps the connection`, async (t) => {
      const { path } = await serve(t)
      const raw = await connectRaw(path)
      t.after(() => raw.socket.destroy())
      raw.send(text)
      assert.deepEqual(await answerOf(raw), { id, code })
      raw.send(frame({ id: 2, method: "echo", params: { text: "" } }))
      assert.match((await raw.line()) ?? "", /"id":2,"result"/)
    })
  }

  for (const [what, text, code] of [
    ["no JSON", "hello\n", -32700],
    ["a line over the bound", "a".repeat(256 * 1024), -32700],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"echo","params":{"text":""}}\n', -32600],
    ["a batch", "[]\n", -32600],
    ["a notification", frame({ method: "echo", params: { text: "" } }), -32600],
    ["a field beside the four", frame({ id: 1, method: "echo", params: {}, x: 1 }), -32600],
  ] as const) {
    it(`answers ${what} with an error and closes`, async (t) => {
      const { path } = await serve(t)
      const raw = await connectRaw(path)
      raw.send(text)
      assert.deepEqual(await answerOf(raw), { id: null, code })
      await raw.closed()
    })
  }

  it("disconnects who leaves a line unfinished", async (t) => {
    const { path } = await serve(t, { limits: { partialLineMs: 30 } })
    const raw = await connectRaw(path)
    raw.send("{")
    await raw.closed()
  })

  it("doesn't disconnect who is silent between lines", async (t) => {
    const { path, started, release } = await serve(t, { limits: { partialLineMs: 1 } })
    const link = client(t, path)
    const call = link.call("wait", { turn: 1 })
    await until(() => started.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 30))
    release(1)
    assert.deepEqual(await call, { turn: 1 })
  })

  it("answers a new one beside 80 that are idle, and cuts none that has called", async (t) => {
    const { path } = await serve(t)
    const own = await connectRaw(path)
    t.after(() => own.socket.destroy())
    const call = frame({ id: 1, method: "echo", params: { text: "" } })
    own.send(call)
    assert.match((await own.line()) ?? "", /"result"/)
    const [first] = await crowd(t, path)
    await first?.closed()
    assert.deepEqual(await client(t, path).call("echo", { text: "new" }), { text: "new" })
    own.send(call)
    assert.match((await own.line()) ?? "", /"result"/)
  })
})

/** More than may be, of which each says the same, or nothing. */
async function crowd(t: TestContext, path: string, says = ""): Promise<readonly RawPeer[]> {
  const peers: RawPeer[] = []
  t.after(() => peers.forEach(({ socket }) => socket.destroy()))
  for (let count = 0; count < 80; count++) {
    const peer = await connectRaw(path)
    peer.send(says)
    peers.push(peer)
  }
  return peers
}

describe("link with a secret", () => {
  const hello = (secret: string): string =>
    `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "hello", params: { secret } })}\n`
  const echo = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "echo", params: { text: "" } })}\n`

  it("serves a client that says it", async (t) => {
    const { path } = await serve(t, { secret: "s3cret" })
    assert.deepEqual(await client(t, path, { secret: "s3cret" }).call("echo", { text: "a" }), {
      text: "a",
    })
  })

  for (const [what, says] of [
    ["idle", ""],
    ["in the middle of a wrong one", hello("wr0ng").slice(0, -1)],
  ] as const) {
    it(`serves one that says it beside 80 that are ${what}, and cuts none that has said it`, async (t) => {
      const { path } = await serve(t, { secret: "s3cret" })
      const own = await connectRaw(path)
      t.after(() => own.socket.destroy())
      own.send(hello("s3cret"))
      assert.match((await own.line()) ?? "", /"result"/)
      await crowd(t, path, says)
      const link = client(t, path, { secret: "s3cret" })
      assert.deepEqual(await link.call("echo", { text: "a" }), { text: "a" })
      own.send(echo)
      assert.match((await own.line()) ?? "", /"result"/)
    })
  }

  it("brings another secret as it is, and overwrites it where it came once the call is answered", async (t) => {
    const { path, kept } = await serve(t, { secret: "s3cret" })
    const link = client(t, path, { secret: "s3cret" })
    const secret = Uint8Array.of(0, 10, 34, 255)
    const calls = [
      link.call("echo", { text: "before" }),
      link.call("keep", { name: "a", secret }),
      link.call("echo", { text: "after" }),
    ]
    const bytes = [0, 10, 34, 255]
    assert.deepEqual(await Promise.all(calls), [{ text: "before" }, { bytes }, { text: "after" }])
    assert.deepEqual(secret, Uint8Array.from(bytes)) // its owner's to overwrite
    assert.deepEqual(kept, [new Uint8Array(4)])
  })

  const keep = (params: object, secretBytes?: number): string =>
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "keep", params, secretBytes })}\n`

  for (const [what, text] of [
    ["as text", keep({ name: "a", secret: "AAAA" })],
    ["as a list of numbers", keep({ name: "a", secret: [1, 2] })],
    ["not at all", keep({ name: "a" })],
    ["for a call that takes none", `${echo.trimEnd().slice(0, -1)},"secretBytes":1}\n!`],
  ] as const) {
    it(`refuses the parameters of a call whose secret comes ${what}`, async (t) => {
      const { path, kept } = await serve(t, { secret: "s3cret" })
      const raw = await connectRaw(path)
      t.after(() => raw.socket.destroy())
      raw.send(hello("s3cret") + text)
      assert.match((await raw.line()) ?? "", /"result"/)
      assert.match((await raw.line()) ?? "", /-32602/)
      assert.deepEqual(kept, [])
    })
  }

  it("takes no secret on a socket that asks for none", async (t) => {
    const { path, kept } = await serve(t)
    const raw = await connectRaw(path)
    raw.send(`${keep({ name: "a" }, 2)}!!`)
    assert.deepEqual(await answerOf(raw), { id: null, code: -32700 })
    await raw.closed()
    assert.deepEqual(kept, [])
  })

  it("disconnects who leaves a secret unfinished", async (t) => {
    const { path } = await serve(t, { secret: "s3cret", limits: { partialLineMs: 30 } })
    const raw = await connectRaw(path)
    raw.send(`${hello("s3cret")}${keep({ name: "a" }, 2)}!`)
    await raw.closed()
  })

  for (const [what, secret] of [
    ["wrong in its first byte", "S3cret"],
    ["wrong in its last byte", "s3creT"],
    ["a prefix", "s3cre"],
    ["longer", "s3crets"],
    ["empty", ""],
  ] as const) {
    it(`refuses a secret that is ${what}, and closes`, async (t) => {
      const { path } = await serve(t, { secret: "s3cret" })
      const raw = await connectRaw(path)
      raw.send(hello(secret) + echo)
      assert.match((await raw.line()) ?? "", /admin_refused/)
      assert.equal(await raw.line(), undefined)
      const call = client(t, path, { secret }).call("echo", { text: "" })
      await assert.rejects(call, { code: "admin_refused" })
    })
  }

  it("refuses any other call first, and closes", async (t) => {
    const { path } = await serve(t, { secret: "s3cret" })
    const raw = await connectRaw(path)
    raw.send(echo + hello("s3cret"))
    assert.match((await raw.line()) ?? "", /admin_refused/)
    assert.equal(await raw.line(), undefined)
  })

  it("disconnects who doesn't say it in time", async (t) => {
    const { path } = await serve(t, { secret: "s3cret", limits: { partialLineMs: 30 } })
    const raw = await connectRaw(path)
    await raw.closed()
  })
})

describe("link socket file", () => {
  it("replaces one that nobody answers on", async (t) => {
    const path = join(directory.path, "stale.sock")
    await leaveStaleSocket(path)
    await serve(t, { path })
    assert.deepEqual(await client(t, path).call("echo", { text: "a" }), { text: "a" })
  })

  it("leaves one alone that somebody answers on", async (t) => {
    const { path } = await serve(t)
    await assert.rejects(serve(t, { path }), { code: "already_running" })
    assert.deepEqual(await client(t, path).call("echo", { text: "a" }), { text: "a" })
  })

  it("leaves a file or a symlink alone", async (t) => {
    const file = join(directory.path, "file")
    writeFileSync(file, "mine")
    await assert.rejects(serve(t, { path: file }), { code: "file_unsafe" })
    const { path } = await serve(t)
    const link = join(directory.path, "symlink")
    symlinkSync(path, link)
    await assert.rejects(serve(t, { path: link }), { code: "file_unsafe" })
    assert.equal(existsSync(file) && existsSync(link), true)
  })

  it("names the way out when its directory is missing or its path too long", async (t) => {
    const missing = join(directory.path, "none", "a.sock")
    await assert.rejects(serve(t, { path: missing }), { code: "file_unsafe" })
    const long = join(directory.path, "a".repeat(108 - directory.path.length - 1))
    assert.equal(long.length, 108)
    await assert.rejects(serve(t, { path: long }), { code: "config_invalid" })
    await serve(t, { path: long.slice(0, 107) })
  })
})

describe("link client", () => {
  it("says that nobody answers", async (t) => {
    const link = client(t, join(directory.path, "none.sock"))
    await assert.rejects(link.call("echo", { text: "" }), { code: "vault_unavailable" })
  })

  it("connects again after the connection broke", async (t) => {
    const { path, server } = await serve(t)
    const link = client(t, path)
    await link.call("echo", { text: "" })
    await server.close()
    await assert.rejects(link.call("echo", { text: "" }), { code: "vault_unavailable" })
    await serve(t, { path })
    assert.deepEqual(await link.call("echo", { text: "b" }), { text: "b" })
  })

  it("gives up on an answer at its deadline and ignores it when it comes", async (t) => {
    const { path, started, release } = await serve(t)
    const link = client(t, path, { deadlineMs: 50 })
    const call = link.call("wait", { turn: 1 })
    await assert.rejects(call, { code: "vault_unavailable" })
    assert.deepEqual(started, [1])
    release(1)
    assert.deepEqual(await link.call("echo", { text: "a" }), { text: "a" })
  })

  it("lets each call wait for as long, whenever it was made", async (t) => {
    const { path } = await serve(t)
    const link = client(t, path, { deadlineMs: 200 })
    const waited = async (turn: number): Promise<number> => {
      const madeMs = performance.now()
      await assert.rejects(link.call("wait", { turn }), { code: "vault_unavailable" })
      return performance.now() - madeMs
    }
    await link.call("echo", { text: "connected" })
    const first = waited(1)
    await after100()
    // A timer may fire a millisecond before it is due by this clock.
    for (const ms of await Promise.all([first, waited(2)])) assert.ok(ms >= 199, String(ms))
  })

  it("lets go of calls without an answer when it is closed", async (t) => {
    const { path, started } = await serve(t, { limits: { closeMs: 20 } })
    const link = client(t, path)
    const call = link.call("wait", { turn: 1 })
    const rejected = assert.rejects(call, { code: "vault_unavailable" })
    await until(() => started.length === 1)
    link.close()
    await rejected
    await assert.rejects(link.call("echo", { text: "" }), { code: "vault_unavailable" })
  })

  it("refuses a call too long for a line and goes on", async (t) => {
    const { path } = await serve(t)
    const link = client(t, path)
    const call = link.call("echo", { text: "a".repeat(300_000) })
    await assert.rejects(call, { code: "link_protocol" })
    assert.deepEqual(await link.call("echo", { text: "a" }), { text: "a" })
  })
})

async function answerOf(raw: { line(): Promise<string | undefined> }): Promise<unknown> {
  const answer = JSON.parse((await raw.line()) ?? "null") as {
    id: number | null
    error: { code: number }
  }
  return { id: answer.id, code: answer.error.code }
}

/** Makes a socket file as a crash leaves it: bound, with nobody behind. */
async function leaveStaleSocket(path: string): Promise<void> {
  const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`
  assert.throws(() => execFileSync(process.execPath, ["-e", script]))
  assert.equal(existsSync(path), true)
  await assert.rejects(connectRaw(path), { code: "ECONNREFUSED" })
}
