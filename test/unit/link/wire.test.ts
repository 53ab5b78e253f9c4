import assert from "node:assert/strict"
import { connect, createServer, type Socket } from "node:net"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  createFrameReader,
  createFrameWriter,
  maxFrameBytes,
  parseRequest,
} from "../../../src/link/wire.ts"
import { numRuns } from "../../support/runs.ts"

describe("parseRequest", () => {
  const call = { jsonrpc: "2.0", id: 0, method: "m".repeat(64), params: { a: 1 } }

  it("takes a call with the lowest id and the longest method, and with or without what may be left out", () => {
    const { id, method, params } = call
    assert.deepEqual(parseRequest(call), { id, method, params })
    assert.deepEqual(parseRequest({ ...call, secretBytes: 1 }), { id, method, params })
    assert.deepEqual(parseRequest({ jsonrpc: "2.0", id, method }), {
      id,
      method,
      params: undefined,
    })
  })

  const others: readonly (readonly [string, unknown])[] = [
    ["null", null],
    ["a text", "call"],
    ["an array", [call]],
    ["another version", { ...call, jsonrpc: 2 }],
    ["an id below 0", { ...call, id: -1 }],
    ["an id that isn't whole", { ...call, id: 0.5 }],
    ["an id above 2^53 - 1", { ...call, id: 2 ** 53 }],
    ["a method of 65 characters", { ...call, method: "m".repeat(65) }],
    ["a method that is no text", { ...call, method: 1 }],
    ["a further field", { ...call, result: 1 }],
  ]
  for (const [name, value] of others) {
    it(`takes no ${name}`, () => assert.equal(parseRequest(value), undefined))
  }
})

describe("frame reader", () => {
  it("gives the same values however the bytes are cut", () => {
    const values = fc.array(fc.jsonValue(), { maxLength: 8 })
    fc.assert(
      fc.property(values, fc.array(fc.integer({ min: 1, max: 40 })), (sent, cuts) => {
        const bytes = Buffer.from(sent.map((value) => `${JSON.stringify(value)}\n`).join(""))
        const reader = createFrameReader()
        const received: unknown[] = []
        let start = 0
        for (const size of [...cuts, bytes.length]) {
          const frames = reader.push(bytes.subarray(start, start + size))
          received.push(...frames.map(({ value }) => value))
          start += size
        }
        // Through JSON, which writes -0 as 0.
        assert.deepEqual(received, JSON.parse(JSON.stringify(sent)))
        assert.equal(reader.hasPartialLine(), false)
      }),
      numRuns(200),
    )
  })

  it("gives the secrets that lines announce, however the bytes are cut, and overwrites them where they came", () => {
    const frames = fc.array(
      fc.record({ id: fc.nat(), secret: fc.option(fc.uint8Array({ minLength: 1 })) }),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 40 })), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(({ id, secret }) => frameOf(id, secret)))
        const reader = createFrameReader(maxFrameBytes, 64)
        const received: (readonly [unknown, Uint8Array | null])[] = []
        let start = 0
        for (const size of [...cuts, bytes.length]) {
          for (const frame of reader.push(bytes.subarray(start, start + size))) {
            received.push([(frame.value as { id: number }).id, frame.secret ?? null])
          }
          start += size
        }
        assert.deepEqual(
          received,
          sent.map(({ id, secret }) => [id, secret]),
        )
        assert.equal(reader.hasPartialLine(), false)
        const left = sent.map(({ id, secret }) => frameOf(id, secret?.map(() => 0) ?? null, secret))
        assert.deepEqual(bytes, Buffer.concat(left))
      }),
      numRuns(200),
    )
  })

  it("takes a secret of up to its bound alone, and none without one", () => {
    const announced = (secretBytes: unknown) => Buffer.from(`${JSON.stringify({ secretBytes })}\n`)
    for (const [bound, bytes, isTaken] of [
      [64, 1, true],
      [64, 64, true],
      [64, 65, false],
      [64, 0, false],
      [64, -1, false],
      [64, 1.5, false],
      [64, "1", false],
      [64, null, false],
      [0, 1, false],
    ] as const) {
      const push = () => createFrameReader(maxFrameBytes, bound).push(announced(bytes))
      if (isTaken) assert.deepEqual(push(), [])
      else assert.throws(push, { code: "link_protocol" })
    }
  })

  it("isn't done while a part of a secret is missing, and overwrites that part when it is closed", () => {
    const reader = createFrameReader(maxFrameBytes, 64)
    reader.push(Buffer.from('{"secretBytes":3}\n'))
    assert.equal(reader.hasPartialLine(), true)
    reader.push(Buffer.of(7, 7))
    reader.close()
    const [frame] = reader.push(Buffer.of(7))
    assert.deepEqual(frame?.secret, Uint8Array.of(0, 0, 7))
  })

  it("takes a line of exactly the bound and refuses one byte more", () => {
    const line = (bytes: number): Buffer => Buffer.from(`"${"a".repeat(bytes - 3)}"\n`)
    assert.equal(createFrameReader(64).push(line(64)).length, 1)
    assert.throws(() => createFrameReader(64).push(line(65)), { code: "link_protocol" })
  })

  it("refuses a line over the bound before its end arrives", () => {
    const reader = createFrameReader(64)
    reader.push(Buffer.alloc(63, "a"))
    assert.equal(reader.hasPartialLine(), true)
    assert.throws(() => reader.push(Buffer.from("a")), { code: "link_protocol" })
  })

  for (const [what, bytes] of [
    ["an empty line", Buffer.from("\n")],
    ["two values on a line", Buffer.from("1 2\n")],
    ["a byte that isn't UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a])],
    ["a byte order mark", Buffer.from("\ufeff1\n")],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => createFrameReader().push(bytes), { code: "link_protocol" })
    })
  }

  it("doesn't quote what it couldn't read", () => {
    assert.throws(
      () => createFrameReader().push(Buffer.from("cs_canary\n")),
      (error: Error) => !error.message.includes("canary"),
    )
  })
})

/** As a peer writes it: the line, then the secret, or what stands where it was. */
function frameOf(id: number, secret: Uint8Array | null, announced = secret): Buffer {
  const line = { id, ...(announced === null ? {} : { secretBytes: announced.length }) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), secret ?? Buffer.of()])
}

describe("frame writer", () => {
  it("sends all lines of a tick in one write", async (t) => {
    const { near, far, close } = await socketPair()
    t.after(close)
    const writes: string[] = []
    const write = near.write.bind(near)
    near.write = (text: string) => {
      writes.push(text)
      return write(text)
    }
    const writer = createFrameWriter(near)
    writer.write({ a: 1 })
    writer.write({ b: 2 })
    await new Promise((resolve) => far.once("data", resolve))
    assert.deepEqual(writes, ['{"a":1}\n{"b":2}\n'])
  })

  it("refuses a message over the bound, counted in bytes", async (t) => {
    const { near, close } = await socketPair()
    t.after(close)
    const writer = createFrameWriter(near, 16)
    writer.write("é".repeat(6)) // 12 bytes, two quotes and the end of the line
    assert.throws(() => writer.write("é".repeat(7)), { code: "link_protocol" })
  })
})

async function socketPair(): Promise<{ near: Socket; far: Socket; close: () => void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === "object")
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve))
  const near = connect(address.port, "127.0.0.1")
  const far = await accepted
  const close = (): void => {
    near.destroy()
    far.destroy()
    server.close()
  }
  return { near, far, close }
}
