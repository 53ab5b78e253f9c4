import assert from "node:assert/strict"
import { Readable, Writable } from "node:stream"
import { describe, it } from "node:test"

import fc from "fast-check"

import { concatBytes } from "../../../../../src/std/bytes.ts"
import {
  framesOf,
  writeFrame,
  type Frame,
} from "../../../../../src/vault/keyring/keychain/keychain.ts"
import { numRuns } from "../../../../support/runs.ts"

/** What goes through a pipe, which like the kernel's has taken a copy once the write is done. */
async function bytesOf(...frames: readonly Frame[]): Promise<Uint8Array> {
  const written: Uint8Array[] = []
  const pipe = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      written.push(Uint8Array.from(chunk))
      done()
    },
  })
  for (const frame of frames) await writeFrame(pipe, frame)
  return concatBytes(...written)
}

async function framesIn(...chunks: readonly Uint8Array[]): Promise<readonly Frame[]> {
  const frames: Frame[] = []
  for await (const frame of framesOf(Readable.from(chunks))) frames.push(frame)
  return frames
}

const anyFrame = fc
  .tuple(fc.string(), fc.uint8Array({ maxLength: 80 }))
  .map(([account, secret]): Frame => ({ head: { account }, secret }))

describe("frames", () => {
  it("arrive as they were sent, wherever the stream is cut", async () => {
    const property = fc.asyncProperty(
      fc.array(anyFrame, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(300), { maxLength: 4 }),
      async (sent, cuts) => {
        const bytes = await bytesOf(...sent)
        const ends = [...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b)
        const chunks = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end))
        const got = await framesIn(...chunks.filter(({ length }) => length > 0))
        assert.deepEqual(got, sent)
      },
    )
    await fc.assert(property, numRuns(100))
  })

  it("leave nothing of a secret in what the stream gave", async () => {
    const bytes = await bytesOf({ head: {}, secret: new Uint8Array(32).fill(0x5a) })
    const chunks = [bytes.slice(0, 20), bytes.slice(20)]
    await framesIn(...chunks)
    for (const chunk of chunks) assert.ok(chunk.every((byte) => byte === 0))
  })

  it("leave the secret that is sent to its owner", async () => {
    const secret = new Uint8Array(32).fill(0x5a)
    await bytesOf({ head: {}, secret })
    assert.ok(secret.every((byte) => byte === 0x5a))
  })

  it("that stop in the middle are none", async () => {
    const bytes = await bytesOf({ head: {}, secret: new Uint8Array(32) })
    assert.deepEqual(await framesIn(bytes.slice(0, -1)), [])
  })

  it("of a mebibyte pass, and of one byte more don't", async () => {
    const largest = new Uint8Array(1024 * 1024)
    const [frame] = await framesIn(await bytesOf({ head: {}, secret: largest }))
    assert.equal(frame?.secret.length, largest.length)
    const tooLong = await bytesOf({ head: {}, secret: new Uint8Array(largest.length + 1) })
    await assert.rejects(framesIn(tooLong), RangeError)
  })

  it("that aren't frames are refused", async () => {
    await assert.rejects(framesIn(new TextEncoder().encode("dbus: warning: something\n")))
  })
})
