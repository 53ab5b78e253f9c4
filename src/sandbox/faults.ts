import { err, ok, type Result } from "../std/result.ts"
import { failure, readBody, type Reply, success, type VenueRequest } from "./answer-request.ts"
import { reject, type Rejection } from "./state/error-codes.ts"
import { type Body, type Check, checkFields, integer, isBody, oneOf } from "./state/fields.ts"
import { seededRandom } from "./state/market.ts"

/** What can be made to go wrong, and when it does. */
export const faultKinds = {
  latency: "waits before the request is played",
  drop_before: "closes the connection, the request isn't played",
  drop_after: "plays the request, then closes the connection",
  rate_limit: "answers 429, the request isn't played",
  error_before: "answers 5xx, the request isn't played",
  error_after: "plays the request, then answers 5xx",
  slow_body: "plays the request, and sends the answer in small pieces",
  endless_body: "plays the request, and sends spaces without end",
  broken_json: "plays the request, and sends half of the answer",
  wrong_type: "plays the request, and calls the answer text/html",
  clock_offset: "plays the request, and puts a wrong time into the Date header",
  lag: "answers a read as it would have been answered earlier, where there is a market",
} as const

export type FaultKind = keyof typeof faultKinds

export type VenueFault = {
  readonly kind: FaultKind
  /** How many requests it is for; without end when left out. */
  readonly times: number | undefined
  /** How likely a request that it is for meets it, up to 1. */
  readonly chance: number
  /** The beginning of the paths that it is for. */
  readonly path: string
  /** Of latency, slow_body (between pieces), clock_offset and lag. */
  readonly ms: number
  /** Of error_before and error_after. */
  readonly status: number
  /** Of rate_limit. */
  readonly scope: "address" | "ip"
}

/** Without a market nothing is kept of how things were. */
export const lagNeedsMarket = "The fault lag is for a sandbox that was started with --market."

const maxDelayMs = 600_000
const maxOffsetMs = 31_536_000_000

const chance: Check = (value) =>
  typeof value === "number" && value > 0 && value <= 1 ? undefined : "a number above 0, up to 1"

const path: Check = (value) =>
  typeof value === "string" && value.startsWith("/") ? undefined : "the beginning of a path"

const faultTable = {
  kind: oneOf(...Object.keys(faultKinds)),
  times: integer(1, 1_000_000),
  chance,
  path,
  ms: integer(-maxOffsetMs, maxOffsetMs),
  status: integer(500, 599),
  scope: oneOf("address", "ip"),
}

/** Reads a fault as the control takes it: a JSON object with `kind`. The error is a sentence. */
export function parseFault(value: unknown): Result<VenueFault, string> {
  if (!isBody(value)) return err("A fault is a JSON object with kind.")
  const strange = Object.keys(value).find((name) => !Object.hasOwn(faultTable, name))
  if (strange !== undefined) {
    return err(`A fault has ${Object.keys(faultTable).join(", ")}, and nothing else.`)
  }
  const misfit = checkFields({ kind: undefined, ...value }, faultTable)
  if (misfit !== undefined) return err(misfit.msg)
  const fault = withDefaults(value)
  return fault.kind === "clock_offset" || (fault.ms >= 0 && fault.ms <= maxDelayMs)
    ? ok(fault)
    : err(`ms must be from 0 to ${maxDelayMs}.`)
}

/** Reads `drop_after,times=1,path=/v1/trade`, as the command line takes it. */
export function parseFaultText(text: string): Result<VenueFault, string> {
  const [kind, ...settings] = text.split(",")
  const members = settings.map((setting) => {
    const [name = "", given = ""] = setting.split(/=(.*)/s)
    return [name, given !== "" && Number.isFinite(Number(given)) ? Number(given) : given]
  })
  return parseFault({ ...Object.fromEntries(members), kind })
}

function withDefaults(value: Body): VenueFault {
  const { kind, times, chance: likely = 1, path: start = "/v1/", scope = "address" } = value
  const { ms = kind === "slow_body" ? 100 : 1_000, status = 503 } = value
  // Each was checked by its row of the table.
  return { kind, times, chance: likely, path: start, ms, status, scope } as VenueFault
}

/** The faults that wait for requests. */
export type FaultBox = ReturnType<typeof createFaultBox>

/** A box of faults whose chances come from `seed`. */
export function createFaultBox(seed: number, first: readonly VenueFault[] = []) {
  const random = seededRandom(seed)
  let waiting = first
  return {
    add: (fault: VenueFault) => void (waiting = [...waiting, fault]),
    /** Those that wait, with what is left of their times. */
    list: () => waiting,
    clear: () => void (waiting = []),
    /** Those that a request meets, in the order in which they were added. */
    strike: (path: string) => {
      // A fault that is certain draws no number, so that adding one doesn't change the others' luck.
      const struck = waiting.filter(
        ({ path: start, chance }) => path.startsWith(start) && (chance === 1 || random() < chance),
      )
      waiting = waiting
        .map((fault) => (struck.includes(fault) ? spent(fault) : fault))
        .filter(({ times }) => times !== 0)
      return struck
    },
  }
}

function spent(fault: VenueFault): VenueFault {
  return fault.times === undefined ? fault : { ...fault, times: fault.times - 1 }
}

/** The sandbox's own, and no venue's: what makes it fail on demand. It weighs nothing and meets no fault. */
export const controlPath = "/__sandbox/fault"

/** POST adds a fault, GET lists those that wait, DELETE takes all away. Each answers with the list. */
export function controlFaults(
  request: VenueRequest,
  { faults, hasMarket }: { readonly faults: FaultBox; readonly hasMarket: boolean },
  traceCode: string,
): Reply {
  const done = control(request, faults, hasMarket)
  if (!done.ok) return failure(done.error, traceCode)
  const list = faults.list()
  return success({ data: { list }, note: `${list.length} faults wait` })
}

function control(
  request: VenueRequest,
  faults: FaultBox,
  hasMarket: boolean,
): Result<undefined, Rejection> {
  const { method } = request
  if (method === "GET") return ok(undefined)
  if (method === "DELETE") {
    faults.clear()
    return ok(undefined)
  }
  if (method !== "POST") {
    return reject("method_not_allowed", "This path takes GET, POST and DELETE.")
  }
  // The content type that is asked for here keeps out web pages, which can't send it unasked.
  const body = readBody(request)
  if (!body.ok) return body
  const fault = parseFault(body.value)
  if (!fault.ok) return reject("invalid_field", fault.error)
  if (fault.value.kind === "lag" && !hasMarket) return reject("invalid_field", lagNeedsMarket)
  faults.add(fault.value)
  return ok(undefined)
}
