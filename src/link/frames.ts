import { isUtf8 } from "node:buffer"
import type { Socket } from "node:net"

import { z } from "zod"

import { newSecret } from "../std/bytes.ts"
import { Fault } from "../std/fault.ts"

/** The longest line that either side reads or writes, its end included. A 64 KiB body fits as base64 and as escaped JSON. */
export const maxFrameBytes = 256 * 1024

/** A line's JSON value, and the secret that followed it where `secretBytes` in it said so: the receiver's, to overwrite. */
export type Frame = { readonly value: unknown; readonly secret?: Uint8Array | undefined }

export type FrameReader = {
  /**
   * Takes the bytes that arrived and gives every frame they complete. Overwrites what in `chunk` was a secret's.
   *
   * @throws {Fault} `link_protocol` on a line that is too long, or isn't UTF-8 or JSON, or announces a secret that isn't
   * taken. Use it no more then.
   */
  push(chunk: Buffer): readonly Frame[]
  /** Whether part of a frame has arrived and its end has not. */
  hasPartialLine(): boolean
  /** Overwrites the part of a secret whose end won't come. */
  close(): void
}

const newline = 0x0a

/** Cuts a byte stream into lines, one JSON text each, and secrets that follow some. Takes none unless told how long one may be. */
export function createFrameReader(maxBytes = maxFrameBytes, maxSecretBytes = 0): FrameReader {
  let parts: Buffer[] = []
  let partBytes = 0
  let open: OpenFrame | undefined

  function keep(part: Buffer): void {
    if (partBytes + part.length >= maxBytes) {
      throw new Fault("link_protocol", `A line on the socket is longer than ${maxBytes} bytes.`)
    }
    parts.push(part)
    partBytes += part.length
  }

  function takeLine(): Buffer {
    const line = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
    parts = []
    partBytes = 0
    return line
  }

  return {
    push(chunk) {
      const frames: Frame[] = []
      let start = 0
      while (start < chunk.length) {
        if (open === undefined) {
          const end = chunk.indexOf(newline, start)
          keep(chunk.subarray(start, end === -1 ? chunk.length : end))
          if (end === -1) return frames
          open = openFrame(parseLine(takeLine()), maxSecretBytes)
          start = end + 1
        }
        start += fill(open, chunk.subarray(start, start + open.missingBytes))
        if (open.missingBytes > 0) return frames
        frames.push(open.frame)
        open = undefined
      }
      return frames
    },
    hasPartialLine: () => partBytes > 0 || open !== undefined,
    close: () => open?.frame.secret?.fill(0),
  }
}

/** A frame whose line is there, and how much of its secret isn't. */
type OpenFrame = { readonly frame: Frame; missingBytes: number }

function openFrame(value: unknown, maxSecretBytes: number): OpenFrame {
  if (typeof value !== "object" || value === null || !("secretBytes" in value)) {
    return { frame: { value }, missingBytes: 0 }
  }
  const bytes = z.int().min(1).max(maxSecretBytes).safeParse(value.secretBytes)
  if (!bytes.success) {
    throw new Fault("link_protocol", `A secret here has 1 to ${maxSecretBytes} bytes.`)
  }
  return { frame: { value, secret: newSecret(bytes.data) }, missingBytes: bytes.data }
}

/** Moves what is there of the secret to where it belongs, and tells how many bytes that was. */
function fill(open: OpenFrame, part: Buffer): number {
  const { secret } = open.frame
  secret?.set(part, secret.length - open.missingBytes)
  part.fill(0)
  open.missingBytes -= part.length
  return part.length
}

function parseLine(line: Buffer): unknown {
  if (!isUtf8(line)) throw new Fault("link_protocol", "A line on the socket isn't UTF-8.")
  try {
    return JSON.parse(line.toString("utf8")) as unknown
  } catch {
    // The parser's own message quotes the line, which can hold a token.
    throw new Fault("link_protocol", "A line on the socket isn't JSON.")
  }
}

export type FrameWriter = {
  /**
   * Queues `value` as one line; all lines of a tick leave in one write. `secret` follows at once, as it is, and must not
   * change until it is answered: nothing copies it.
   *
   * @throws {Fault} `link_protocol` when the line would be longer than the other side reads.
   */
  write(value: unknown, secret?: Uint8Array): void
}

/** Writes JSON texts to `socket`, one a line. */
export function createFrameWriter(socket: Socket, maxBytes = maxFrameBytes): FrameWriter {
  let lines: string[] = []

  function flush(): void {
    const text = lines.join("")
    lines = []
    if (text !== "" && socket.writable) socket.write(text)
  }

  return {
    write(value, secret) {
      const line = `${JSON.stringify(value)}\n`
      if (Buffer.byteLength(line) > maxBytes) {
        throw new Fault("link_protocol", `A message for the socket exceeds ${maxBytes} bytes.`)
      }
      if (lines.length === 0) process.nextTick(flush)
      lines.push(line)
      if (secret === undefined) return
      flush()
      if (socket.writable) socket.write(secret)
    },
  }
}
