// What crosses a socket: JSON-RPC 2.0, a message a line. No batches, no notifications, parameters by name. A secret isn't
// among them: it follows the line, as bytes.

import { isUtf8 } from "node:buffer"
import type { Socket } from "node:net"

import * as z from "zod"

import { newSecret } from "../std/bytes.ts"
import { Fault, faultCodes, type FaultCode } from "../std/fault.ts"

export type Request = { readonly id: number; readonly method: string; readonly params: unknown }

const requestFields: readonly string[] = ["jsonrpc", "id", "method", "params", "secretBytes"]

/**
 * What the other side asked; `undefined` when it is no call. By hand, as for an answer: a schema's check costs more than
 * all else that is done with it here. The parameters are for their own schema, `secretBytes` for who cuts the frames.
 */
export function parseRequest(value: unknown): Request | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const { jsonrpc, id, method, params } = value as Readonly<Record<string, unknown>>
  const isOurs =
    jsonrpc === "2.0" && Object.keys(value).every((name) => requestFields.includes(name))
  if (!isOurs || !isId(id) || typeof method !== "string" || method.length > 64) return undefined
  return { id, method, params }
}

const errorSchema = z.strictObject({
  code: z.int(),
  message: z.string(),
  data: z.strictObject({ code: z.string() }).optional(),
})
export type ErrorMember = z.infer<typeof errorSchema>

/** An answer. `more`: the result is a list of which this is a part, and the next follows. */
export type Response =
  | { readonly id: number; readonly result: unknown; readonly more?: true }
  | { readonly id: number | null; readonly error: ErrorMember }

const failedSchema = z.strictObject({
  ...{ jsonrpc: z.literal("2.0"), id: z.int().min(0).nullable(), error: errorSchema },
})

/** What the other side answered; `undefined` when it is no answer. Its results are as methods.ts describes them. */
export function parseResponse(value: unknown): Response | undefined {
  if (typeof value !== "object" || value === null) return undefined
  return "result" in value ? resultOf(value) : failedSchema.safeParse(value).data
}

function resultOf(value: object): Response | undefined {
  const { jsonrpc, id, result, more } = value as Readonly<Record<string, unknown>>
  const isOurs = jsonrpc === "2.0" && Object.keys(value).length === (more === undefined ? 3 : 4)
  if (!isOurs || !isId(id)) return undefined
  if (more === undefined) return { id, result }
  return more === true ? { id, result, more } : undefined
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && Number(id) >= 0
}

// JSON-RPC 2.0 §5.1, and -32000 of its range for the server's own: a Fault.
export const rpcErrors = {
  parse: { code: -32700, message: "parse error" },
  invalidRequest: { code: -32600, message: "invalid request" },
  unknownMethod: { code: -32601, message: "unknown method" },
  invalidParams: { code: -32602, message: "invalid parameters" },
} as const satisfies Record<string, ErrorMember>
const faultErrorCode = -32000

/** What crosses when a method throws: a Fault's code and sentence; of anything else only that it happened. */
export function errorOf(thrown: unknown): ErrorMember {
  return thrown instanceof Fault
    ? { code: faultErrorCode, message: thrown.message, data: { code: thrown.code } }
    : { code: faultErrorCode, message: "internal error", data: { code: "internal" } }
}

/** The Fault that an error from the other side stands for. */
export function faultOf(error: ErrorMember): Fault {
  const code = error.data?.code
  if (code !== undefined && isFaultCode(code)) return new Fault(code, error.message)
  return new Fault("link_protocol", `The other side of the socket answered "${error.message}".`)
}

function isFaultCode(code: string): code is FaultCode {
  return faultCodes.some((each) => each === code)
}

/** The longest line that either side reads or writes, its end included. A 64 KiB body fits as base64 and as escaped JSON. */
export const maxFrameBytes = 256 * 1024

/** A line's JSON value, and the secret that followed it where `secretBytes` in it said so: the receiver's, to overwrite. */
export type Frame = { readonly value: unknown; readonly secret?: Uint8Array | undefined }

const newline = 0x0a

/** Cuts a byte stream into lines, one JSON text each, and secrets that follow some. Takes none unless told how long one may be. */
export function createFrameReader(maxBytes = maxFrameBytes, maxSecretBytes = 0) {
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
    /**
     * Takes the bytes that arrived and gives every frame they complete. Overwrites what in `chunk` was a secret's.
     *
     * @throws {Fault} `link_protocol` on a line that is too long, or isn't UTF-8 or JSON, or announces a secret that isn't
     * taken. Use it no more then.
     */
    push(chunk: Buffer): readonly Frame[] {
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
    /** Whether part of a frame has arrived and its end has not. */
    hasPartialLine: () => partBytes > 0 || open !== undefined,
    /** Overwrites the part of a secret whose end won't come. */
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
