import type { components } from "./contract.ts"

type Schemas = components["schemas"]

/** The venue's own words; the contract leaves what is in them to the venue. */
export type VenueWords = Readonly<Record<string, unknown>>

/** What a call came to: what was asked for, or who said no and why. */
export type Answer<Wanted> = Success<Wanted> | Failure

type Head = {
  /** The HTTP status; 0 where no answer came. */
  readonly status: number
  /** The id of the record, where there is one. */
  readonly record: string | undefined
}

export type Success<Wanted> = Head & {
  readonly ok: true
  readonly source: "daemon" | "venue"
  /** It was signed before, under the same idempotency key. */
  readonly isRepeat: boolean
  readonly data: Wanted
}

/** A refusal. Where `source` is the daemon's, `code` tells the type of `data`. */
export type Failure = Head & {
  readonly ok: false
  /** Whether what was sent may be at the venue all the same. */
  readonly mayHaveArrived: boolean
  /** After how long it may be asked again, where that is known. */
  readonly retryAfterMs: number | undefined
} & (
    | ({ readonly source: "daemon" } & Schemas["Problem"])
    | ({ readonly source: "venue" } & VenueRefusal)
    | ({ readonly source: "none" } & Silence)
  )

type VenueRefusal = { readonly code: string; readonly msg: string; readonly data: VenueWords }

/** No answer, or half of one: the daemon may have signed and sent it. */
type Silence = { readonly code: "no_answer"; readonly msg: string; readonly data: VenueWords }

/** Makes what was asked for of a good answer's body and text. */
export type Reading<Wanted> = (body: unknown, text: string) => Wanted

/** Reads an answer of the daemon; one that doesn't say whose words it has isn't the daemon's. */
export async function readAnswer<Wanted>(
  response: Response,
  read: Reading<Wanted>,
): Promise<Answer<Wanted>> {
  const { headers } = response
  const came: Came = {
    response,
    text: await response.text(),
    record: headers.get("Countersign-Record") ?? undefined,
    retryAfterMs: msOf(headers.get("Retry-After")),
  }
  const source = headers.get("Countersign-Source")
  if (source === "daemon") return readDaemons(came, read)
  if (source === "venue") return readVenues(came, read)
  return noAnswer("What came isn't an answer of the daemon.")
}

type Came = {
  readonly response: Response
  readonly text: string
  readonly record: string | undefined
  readonly retryAfterMs: number | undefined
}

function readDaemons<Wanted>(came: Came, read: Reading<Wanted>): Answer<Wanted> {
  const { response, text, record, retryAfterMs } = came
  const body: unknown = JSON.parse(text)
  if (response.ok) return success(came, "daemon", read(body, text))
  if (!isProblem(body)) return noAnswer("What came isn't an answer of the daemon.")
  const problem = body
  const mayHaveArrived = doubtful.includes(problem.code) && !isNothingThere(problem)
  const head = { status: response.status, record, mayHaveArrived }
  const waitMs = exactly(retryAfterMs, problem)
  return { ok: false, source: "daemon", ...head, retryAfterMs: waitMs, ...problem }
}

/** The rest is as docs/openapi.json says; tests hold the daemon to it. */
function isProblem(body: unknown): body is Schemas["Problem"] {
  return isObject(body) && typeof body["code"] === "string" && isObject(body["data"])
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}

/** `Retry-After` is rounded up to a second; `data` often tells the millisecond. */
function exactly(
  retryAfterMs: number | undefined,
  { data }: Schemas["Problem"],
): number | undefined {
  const exactMs = "retry_after_ms" in data ? data.retry_after_ms : null
  if (retryAfterMs === undefined || exactMs === null) return retryAfterMs
  return Math.min(retryAfterMs, exactMs)
}

function readVenues<Wanted>(came: Came, read: Reading<Wanted>): Answer<Wanted> {
  const { response, text, record, retryAfterMs } = came
  const body = venueBody(text)
  const code = wordOf(body["code"])
  const data = isObject(body["data"]) ? body["data"] : {}
  if (response.ok && code === "0") return success(came, "venue", read(body, text))
  const { status } = response
  // As the daemon records it.
  const isClear = code !== "" && code !== "0" && status < 500 && !(status >= 300 && status < 400)
  const head = { status, record, retryAfterMs, mayHaveArrived: !isClear }
  return { ok: false, source: "venue", ...head, code, msg: wordOf(body["msg"]), data }
}

/** With any other code of the daemon's, nothing of this request has left it. */
const doubtful: readonly string[] = [
  "upstream_outcome_unknown",
  "idempotency_expired",
  "already_accepted",
]

/** The key's request has expired, and the venue never processed it: a new key may be used. */
export function isNothingThere(failure: { readonly code: string; readonly data: object }): boolean {
  const { code, data } = failure
  return code === "idempotency_expired" && "state" in data && data.state === "signed"
}

/** What is known where no answer came. */
export function noAnswer(msg: string): Failure {
  const head = { status: 0, record: undefined, retryAfterMs: undefined, data: {} }
  return { ok: false, source: "none", code: "no_answer", mayHaveArrived: true, msg, ...head }
}

function success<Wanted>(
  { response, record }: Came,
  source: "daemon" | "venue",
  data: Wanted,
): Success<Wanted> {
  const isRepeat = response.headers.get("Countersign-Repeat") === "1"
  return { ok: true, source, isRepeat, status: response.status, record, data }
}

/** The venue's body; empty where it isn't in its envelope. */
function venueBody(text: string): VenueWords {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : {}
  } catch {
    return {}
  }
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function msOf(seconds: string | null): number | undefined {
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}
