import type { IncomingHttpHeaders } from "node:http"
import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib"

import type { Dispatcher } from "undici"
import * as z from "zod"

import { takenOrderSchema, type Outcome } from "../../link/calls/both-ways.ts"
import type { VenueClockReading } from "../../link/calls/gate-methods.ts"
import { parseJson } from "../../std/parse-json.ts"
import { type VenueAnswer, successCode } from "../http/reply.ts"
import type { GateLimits } from "../process/gate-limits.ts"

/**
 * Follows one request. undici calls `onRequestStart` right before it writes the first byte, and never
 * writes without it: an error before that proves that nothing was sent, an error after it proves nothing.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #maySend: () => boolean
  readonly #limits: GateLimits
  readonly #settle: (sent: Sent) => void
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #head: Omit<VenueAnswer, "body"> | undefined
  #sentMs = 0
  #venueClock: VenueClockReading | undefined
  #made: AnswerMade | undefined
  readonly #chunks: Buffer[] = []
  #receivedBytes = 0

  constructor(maySend: () => boolean, limits: GateLimits, settle: (sent: Sent) => void) {
    this.#maySend = maySend
    this.#limits = limits
    this.#settle = settle
  }

  /** Settles with what is known, and cuts the connection. */
  giveUp(cause: unknown): void {
    if (this.#isOver) return
    const status = this.#head?.status ?? null
    if (this.#controller === undefined) this.#finish({ kind: "unsent", cause })
    else this.#finish({ kind: "unknown", status, cause })
    this.#controller?.abort(new Error("given up"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici may start a request anew on another connection; what was begun once is never begun again.
    if (this.#isOver || this.#controller !== undefined) controller.abort(new Error("not again"))
    else if (this.#maySend()) {
      this.#controller = controller
      this.#sentMs = Date.now()
    } else {
      this.#finish({ kind: "unsent", cause: "held back" })
      controller.abort(new Error("held back"))
    }
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#head = { status, headers: passedHeaders(headers) }
    const times = { sentMs: this.#sentMs, headMs: Date.now() }
    this.#venueClock = venueOffset(headers.date, times)
    this.#made = madeBy(headers)
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#receivedBytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#receivedBytes > this.#limits.maxUpstreamAnswerBytes) this.giveUp("answer too large")
  }

  onResponseEnd(): void {
    if (this.#isOver || this.#head === undefined) return
    const answer = readBody({ ...this.#head, body: Buffer.concat(this.#chunks) }, this.#limits)
    const [venueClock, made] = [this.#venueClock, this.#made]
    if (typeof answer === "string") this.giveUp(answer)
    else this.#finish({ kind: "answered", answer, venueClock, made })
  }

  onResponseError(_: unknown, error: Error): void {
    this.giveUp(error)
  }

  #finish(sent: Sent): void {
    this.#isOver = true
    this.#settle(sent)
  }
}

function passedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const passed = ["content-type", "content-encoding", "retry-after"].flatMap((name) => {
    const value = headers[name]
    return typeof value === "string" ? [[name, value] as const] : []
  })
  return Object.fromEntries(passed)
}

/** RFC 9110 §5.6.7, IMF-fixdate: the only form that a server may send. */
const fixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** A `Date` names a whole second, and may be written at its end. */
const resolutionMs = 1_000

/**
 * What a `Date` header proves of the venue's clock against ours. It was written at some moment between the
 * request's first byte and the answer's head, both times by our clock, so a slow answer proves less.
 */
export function venueOffset(
  date: string | string[] | undefined,
  { sentMs, headMs }: { readonly sentMs: number; readonly headMs: number },
): VenueClockReading | undefined {
  const dateMs = parseDate(date)
  // Our clock was set back meanwhile: then there is nothing to compare with.
  if (dateMs === undefined || headMs < sentMs) return undefined
  return { leastMs: dateMs - headMs, mostMs: dateMs + resolutionMs - sentMs }
}

function parseDate(date: string | string[] | undefined): number | undefined {
  const dateMs = typeof date === "string" && fixdate.test(date) ? Date.parse(date) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : dateMs
}

/** When an answer says that it was made. */
export type AnswerMade = {
  /** Its `Date`, by the venue's clock. */
  readonly atMs: number | undefined
  /** Whether a cache kept it meanwhile: its `Age` isn't 0 (RFC 9111 §5.1). */
  readonly isKept: boolean
}

function madeBy({ date, age = "0" }: IncomingHttpHeaders): AnswerMade {
  return { atMs: parseDate(date), isKept: age !== "0" }
}

/** What became of a send. `unsent` is a proof that no byte of the request left; `unknown` claims nothing. */
export type Sent =
  | {
      readonly kind: "answered"
      readonly answer: VenueAnswer
      /** Where the answer told its time. */
      readonly venueClock?: VenueClockReading | undefined
      readonly made?: AnswerMade | undefined
    }
  | { readonly kind: "unsent"; readonly cause: unknown }
  | { readonly kind: "unknown"; readonly status: number | null; readonly cause: unknown }

type Bounds = Pick<GateLimits, "maxUpstreamAnswerBytes" | "maxUpstreamAnswerDepth">

/**
 * Makes plain what the venue compressed against our word, and keeps away what bots' readers of JSON break at.
 *
 * @returns why it can't be read, in a word or two.
 */
function readBody(answer: VenueAnswer, bounds: Bounds): VenueAnswer | string {
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

const envelope = z.object({
  code: z.string().min(1).max(64),
  data: z.object({ scope: z.string() }).optional().catch(undefined),
})

/** The shape that the interface shows of an order that was placed; of any other nothing is kept. */
const ofOrder = z.object({ data: takenOrderSchema.strip() })

/**
 * What an answer of the venue means for the record.
 *
 * A clear yes is 2xx with code `0`, a clear no is 2xx or 4xx with another code. The interface leaves
 * open what anything else means, so it is `unknown`: a server that failed may have accepted.
 */
export function outcomeOf(answer: VenueAnswer): Outcome {
  const { status } = answer
  const said = parseJson(answer.body.toString("utf8"))
  const read = envelope.safeParse(said).data
  const code = read?.code
  const hundreds = Math.floor(status / 100)
  if (code === successCode && hundreds === 2) {
    return { kind: "accepted", status, code, order: takenOrderIn(said) }
  }
  const isRefusal = code !== undefined && code !== successCode
  if (isRefusal && [2, 4].includes(hundreds)) {
    return { kind: "refused", status, code, ...(status === 429 && spentOf(read)) }
  }
  return { kind: "unknown", status }
}

function takenOrderIn(said: unknown) {
  return ofOrder.safeParse(said).data?.data
}

/** Which budget a 429 calls spent: one whose name isn't known says nothing of those that are. */
function spentOf(read: z.infer<typeof envelope> | undefined) {
  const scope = read?.data?.scope
  return scope === "address" || scope === "ip" ? ({ spent: scope } as const) : {}
}
