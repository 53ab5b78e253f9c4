import assert from "node:assert/strict"
import { connect, createServer, type Socket } from "node:net"
import { describe, it } from "node:test"

import fc from "fast-check"

import { createFrameReader, createFrameWriter } from "../../../src/link/connection.ts"
import { numRuns } from "../../support/runs.ts"

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
          received.push(...reader.push(bytes.subarray(start, start + size)))
          start += size
        }
        // Through JSON, which writes -0 as 0.
        assert.deepEqual(received, JSON.parse(JSON.stringify(sent)))
        assert.equal(reader.hasPartialLine(), false)
      }),
      numRuns(200),
    )
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
