import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib"

import type { VenueAnswer } from "../http/reply.ts"
import type { GateLimits } from "../process/gate-limits.ts"

type Bounds = Pick<GateLimits, "maxUpstreamAnswerBytes" | "maxUpstreamAnswerDepth">

/**
 * Makes plain what the venue compressed against our word, and keeps away what bots' readers of JSON break at.
 *
 * @returns why it can't be read, in a word or two.
 */
export function readBody(answer: VenueAnswer, bounds: Bounds): VenueAnswer | string {
  const { "content-encoding": encoding = "identity", ...headers } = answer.headers
  const decode = decoders[encoding.trim().toLowerCase()]
  // A bot may know it: the answer goes on as it came, and claims nothing.
  if (decode === undefined) return answer
  let body
  try {
    body =
      answer.body.length === 0 ? answer.body : decode(answer.body, bounds.maxUpstreamAnswerBytes)
  } catch {
    return "answer not decompressed"
  }
  return isDeeper(body, bounds.maxUpstreamAnswerDepth)
    ? "answer too deep"
    : { ...answer, headers, body }
}

type Decode = (bytes: Buffer, maxOutputLength: number) => Buffer

const gzip: Decode = (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength })

/** RFC 9110 §8.4.1, RFC 7932, RFC 8878. */
const decoders: Readonly<Record<string, Decode | undefined>> = {
  __proto__: null as never,
  identity: (bytes) => bytes,
  gzip,
  "x-gzip": gzip,
  // Some servers leave the wrapper out; the low four bits of its first byte are 8.
  deflate: (bytes, maxOutputLength) =>
    ((bytes[0] ?? 0) & 0x0f) === 8
      ? inflateSync(bytes, { maxOutputLength })
      : inflateRawSync(bytes, { maxOutputLength }),
  br: (bytes, maxOutputLength) => brotliDecompressSync(bytes, { maxOutputLength }),
  zstd: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }),
}

const byteOf = (char: string): number => char.charCodeAt(0)
const [quote, backslash] = [byteOf('"'), byteOf("\\")]
const opening = new Set([byteOf("{"), byteOf("[")])
const closing = new Set([byteOf("}"), byteOf("]")])

/** Whether a body that may be JSON nests arrays and objects deeper than that. */
function isDeeper(body: Buffer, maxDepth: number): boolean {
  if (!/^\s*[[{]/.test(body.toString("latin1", 0, 64))) return false
  let depth = 0
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0
    if (byte === quote) at = endOfString(body, at)
    else if (opening.has(byte)) depth += 1
    else if (closing.has(byte)) depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

function endOfString(body: Buffer, start: number): number {
  let at = start + 1
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1
  return at
}
