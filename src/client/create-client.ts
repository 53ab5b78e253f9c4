import {
  isObject,
  noAnswer,
  readAnswer,
  type Answer,
  type Reading,
  type VenueWords,
} from "./answer.ts"
import type { components } from "./contract.ts"
import { fetchDirect, type DirectAsk } from "./fetch-direct.ts"
import { sendUntilClear, type Repeating, waitForRoom, type Waiting } from "./send-until-clear.ts"

export type { Answer, Failure, Success, VenueWords } from "./answer.ts"
export type { Repeating } from "./send-until-clear.ts"
export type { Waiting } from "./send-until-clear.ts"

/** Every schema of the interface, by its name in docs/openapi.json. */
export type Schemas = components["schemas"]

/** The venue's paths that write, each with the body that it takes. */
export type WriteBodies = Schemas["WriteBodies"]
export type WritePath = keyof WriteBodies

export type ClientOptions = {
  /** Where the daemon listens, such as `http://127.0.0.1:8420`. */
  readonly url: string
  readonly token: string
  /** In place of calls that go to no proxy, whatever the environment or the program names. */
  readonly fetch?: typeof globalThis.fetch
  /** How long an answer may take; 20,000 if left out: the venue has 15 s of it. */
  readonly timeoutMs?: number
}

export type CallOptions = Waiting & {
  /** The name of the key to sign with. */
  readonly key?: string
  readonly expiresInMs?: number
  readonly idempotencyKey?: string
  /** The record of an earlier check of the very same, by which it is signed once; in place of an idempotency key. */
  readonly check?: string
}

export type CheckOptions = CallOptions & {
  /** Has it recorded, so that the same can be signed by its record. */
  readonly shadow?: boolean
}

/** Without `idempotencyKey` one is made, and made anew where the one before has expired with nothing at the venue. */
export type Keyed = CallOptions & Repeating

/** The text is what was signed: send it unchanged. `body` is the same, read. */
export type Signed = { readonly text: string; readonly body: Schemas["SignedBody"] }

export type Client = ReturnType<typeof createClient>

/**
 * A client of the daemon. Its calls don't throw: an answer that was lost is an answer too.
 *
 * @throws {TypeError} when the token can't be one.
 */
export function createClient(options: ClientOptions) {
  if (!/^cs_[\w-]+$/.test(options.token)) {
    throw new TypeError("A token is cs_ and letters, digits, - and _; cut the line's end off.")
  }
  const ask = asker(options)
  const send = <Path extends WritePath>(path: Path, body: WriteBodies[Path], by?: CallOptions) =>
    ask(path, venueWords, { body, by })
  return {
    /** Has it signed and sent to the venue, once. */
    send,
    /** The same, as often as it takes to know what became of it, under one idempotency key, which the answer tells. */
    sendUntilClear: <Path extends WritePath>(path: Path, body: WriteBodies[Path], by: Keyed = {}) =>
      sendUntilClear((key) => send(path, body, keyedBy(key, by)), by),
    /** Has it signed, to be sent by the caller. */
    sign: <Path extends WritePath>(path: Path, body: WriteBodies[Path], by?: CallOptions) =>
      ask(`/sign${path}`, signed, { body, by }),
    signBatch: (body: Schemas["BatchRequests"]): Asked<"BatchResults"> =>
      ask("/sign/batch", dataOf, { body }),
    /** Whether it would be signed, and why. */
    check: <Path extends WritePath>(
      path: Path,
      body: WriteBodies[Path],
      by?: CheckOptions,
    ): Asked<"CheckReport"> => ask(`/check${path}`, dataOf, { body, by }),
    /** Reads from the venue, a page at a time. */
    read: (path: `/v1/${string}`, query: Readonly<Record<string, string>> = {}, by?: Waiting) =>
      ask(withQuery(path, query), venueWords, { by }),
    record: (id: string): Asked<"RecordView"> => ask(`/records/${encodeURIComponent(id)}`, dataOf),
    recordsOf: (
      query: { idempotency_key: string } | { client_order_id: string },
    ): Asked<"Records"> => ask(withQuery("/records", query), dataOf),
    limits: (): Asked<"Limits"> => ask("/limits", dataOf),
    whoami: (): Asked<"Whoami"> => ask("/whoami", dataOf),
    setPrices: (body: Schemas["PricesRequest"]): Asked<"Prices"> =>
      ask("/prices", dataOf, { body }),
    /** Begins to read an account that the daemon leaves to this client: nothing of the reading may be older. */
    beginReading: (body: Schemas["BeginReadingRequest"]): Asked<"BegunReading"> =>
      ask("/account/begin", dataOf, { body }),
    feedReading: (body: Schemas["ReadingRequest"]): Asked<"Nothing"> =>
      ask("/account", dataOf, { body }),
    freeze: (body: Schemas["FreezeRequest"]): Asked<"FreezeView"> =>
      ask("/freeze", dataOf, { body }),
    heartbeat: (): Asked<"HeartbeatView"> => ask("/heartbeat", dataOf, { body: {} }),
  }
}

type Asked<Name extends keyof Schemas> = Promise<Answer<Schemas[Name]>>

type Asking = { readonly body?: object; readonly by?: CheckOptions | undefined }

function asker({ url, token, fetch, timeoutMs = 20_000 }: ClientOptions) {
  const fetchOnce = (target: string, ask: DirectAsk): Promise<Response> =>
    fetch === undefined ? fetchDirect(target, ask) : fetch(target, { ...ask, redirect: "error" })
  return async <Wanted>(
    path: string,
    read: Reading<Wanted>,
    { body, by = {} }: Asking = {},
  ): Promise<Answer<Wanted>> => {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}`, ...headersOf(by) }
    if (body !== undefined) headers["Content-Type"] = "application/json"
    const sent =
      body === undefined ? { method: "GET" } : { method: "POST", body: JSON.stringify(body) }
    const askOnce = async (): Promise<Answer<Wanted>> => {
      const signal = within(timeoutMs, by.signal)
      try {
        return await readAnswer(await fetchOnce(url + path, { ...sent, headers, signal }), read)
      } catch (error) {
        const cause = causeOf(signal.aborted ? signal.reason : error)
        return noAnswer(`No answer came from the daemon (${cause}).`)
      }
    }
    const isRepeatable = body === undefined || (by.idempotencyKey ?? by.check) !== undefined
    return waitForRoom(askOnce, by, isRepeatable)
  }
}

function within(ms: number, signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal])
}

/** A word alone: an error's sentence may quote what was sent. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown"
  const coded = [error, error.cause].find(isCoded)
  return coded?.code ?? error.name
}

function isCoded(error: unknown): error is { readonly code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string"
}

function headersOf({ key, expiresInMs, idempotencyKey, check, shadow }: CheckOptions) {
  const headers: Record<string, string> = {}
  if (key !== undefined) headers["Countersign-Key"] = key
  if (expiresInMs !== undefined) headers["Countersign-Expires-In"] = String(expiresInMs)
  if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey
  if (check !== undefined) headers["Countersign-Check"] = check
  if (shadow === true) headers["Countersign-Shadow"] = "1"
  return headers
}

/** A check is a key by itself. */
function keyedBy(idempotencyKey: string, by: Keyed): CallOptions {
  return by.check === undefined ? { ...by, idempotencyKey } : by
}

function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString()
  return text === "" ? path : `${path}?${text}`
}

// Each reads a good answer as docs/openapi.json has it; tests hold the daemon to that.

/** As the type that the call promises, which `never` fits. */
function dataOf(body: unknown): never {
  const { data } = body as { readonly data: never }
  if (!isObject(data)) throw new TypeError("What was asked for isn't in the answer.")
  return data
}

function venueWords(body: unknown): VenueWords {
  const { data } = body as Partial<Schemas["VenueAnswer"]>
  return data ?? {}
}

function signed(body: unknown, text: string): Signed {
  return { text, body: body as Schemas["SignedBody"] }
}
