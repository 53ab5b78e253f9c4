import { isUtf8 } from "node:buffer"
import type { Socket } from "node:net"

import { Fault } from "../std/fault.ts"

/** The longest line that either side reads or writes, its end included. A 64 KiB body fits as base64 and as escaped JSON. */
export const maxFrameBytes = 256 * 1024

export type FrameReader = {
  /**
   * Takes the bytes that arrived and gives the JSON value of every line they complete.
   *
   * @throws {Fault} `link_protocol` on a line that is too long, or isn't UTF-8 or JSON. Use it no more then.
   */
  push(chunk: Buffer): readonly unknown[]
  /** Whether part of a line has arrived and its end has not. */
  hasPartialLine(): boolean
}

const newline = 0x0a

/** Cuts a byte stream into lines, one JSON text each. */
export function createFrameReader(maxBytes = maxFrameBytes): FrameReader {
  let parts: Buffer[] = []
  let partBytes = 0

  function keep(part: Buffer): void {
    if (partBytes + part.length >= maxBytes) {
      throw new Fault("link_protocol", `A line on the socket is longer than ${maxBytes} bytes.`)
    }
    if (part.length === 0) return
    parts.push(part)
    partBytes += part.length
  }

  function takeLine(): Buffer {
    const [only, ...more] = parts
    const line = only !== undefined && more.length === 0 ? only : Buffer.concat(parts)
    parts = []
    partBytes = 0
    return line
  }

  return {
    push(chunk) {
      const values: unknown[] = []
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        keep(chunk.subarray(start, end))
        values.push(parseLine(takeLine()))
        start = end + 1
      }
      keep(chunk.subarray(start))
      return values
    },
    hasPartialLine: () => partBytes > 0,
  }
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
   * Queues `value` as one line; all lines of a tick leave in one write.
   *
   * @throws {Fault} `link_protocol` when the line would be longer than the other side reads.
   */
  write(value: unknown): void
}

/** Writes JSON texts to `socket`, one a line. */
export function createFrameWriter(socket: Socket, maxBytes = maxFrameBytes): FrameWriter {
  let lines: string[] = []

  function flush(): void {
    const text = lines.join("")
    lines = []
    if (socket.writable) socket.write(text)
  }

  return {
    write(value) {
      const line = `${JSON.stringify(value)}\n`
      if (Buffer.byteLength(line) > maxBytes) {
        throw new Fault("link_protocol", `A message for the socket exceeds ${maxBytes} bytes.`)
      }
      if (lines.length === 0) process.nextTick(flush)
      lines.push(line)
    },
  }
}
