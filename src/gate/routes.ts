import { readFileSync } from "node:fs"
import { join } from "node:path"

import type { BotParams } from "../link/calls/methods.ts"
import type { BotLink } from "../contract/client.ts"
import type { Refused } from "../contract/refusal.ts"
import { packageRoot } from "../std/program-files.ts"
import { err, ok, type Result } from "../std/result.ts"
import {
  callHeaders,
  checkHeader,
  idempotencyHeader,
  keyHeader,
  shadowHeader,
} from "./http/admit.ts"
import { showMetrics } from "./http/metrics.ts"
import { actOf, invalidHeader, type Problem } from "./http/problem.ts"
import {
  type Call,
  get,
  post,
  type RouteWithAnswer,
  withBody,
  withCall,
  withToken,
} from "./http/read-call.ts"
import { refusedReply, type Reply } from "./http/reply.ts"
import type { OwnerOf } from "./http/shares.ts"
import type { GateLimits } from "./process/gate-limits.ts"
import { venueReads } from "./reads/venue-reads.ts"
import { type ForwardDependencies, forwarder } from "./sign/forward.ts"
import { batchSigner, sign } from "./sign/sign.ts"

export type RouteDependencies = ForwardDependencies & {
  readonly limits: GateLimits
  readonly ownerOf: OwnerOf
}

/** Every route there is. */
export function routes(deps: RouteDependencies): readonly RouteWithAnswer[] {
  const signHeaders = [...callHeaders, idempotencyHeader, checkHeader]
  const checkHeaders = [...signHeaders, shadowHeader]
  return [
    post("/v1/*path", signHeaders, withCall(deps, "", forwarder(deps))),
    get("/v1/*path", venueReads(deps), [keyHeader]),
    post("/sign/v1/*path", signHeaders, withCall(deps, "/sign", sign)),
    post("/sign/batch", [], withBody(deps, batchSigner(deps))),
    post("/check/v1/*path", checkHeaders, withCall(deps, "/check", check)),
    // What a client has to have the right to.
    post("/freeze", [], withBody(deps, freeze)),
    post("/heartbeat", [], withBody(deps, heartbeat)),
    post("/prices", [], withBody(deps, feedPrices)),
    post("/account/begin", [], withBody(deps, beginAccount)),
    post("/account", [], withBody(deps, feedAccount)),
    get("/metrics", withToken(deps, showMetrics)),
    // What it may do, and has done.
    get("/whoami", withToken(deps, whoami)),
    get("/limits", withToken(deps, showLimits)),
    get("/records", withToken(deps, findRecords)),
    get("/records/:id", withToken(deps, showRecord)),
    // Without a token.
    get("/healthz", () => Promise.resolve({ kind: "success", content: { state: "running" } })),
    get("/readyz", () => readiness(deps)),
    get("/openapi.json", () => Promise.resolve(contract)),
  ]
}

type Dependencies = { readonly link: BotLink }

/** `/check`: whether it would be signed, and why or why not. */
async function check(deps: Dependencies, { ask }: Call): Promise<Reply> {
  const checked = await deps.link.call("check", ask)
  if (checked.kind === "refused") return refusedReply(checked)
  const { report, record } = checked
  const { refusal } = report
  const content = { ...report, do: refusal && actOf(refusal.code, refusal.data) }
  return { kind: "success", content, ...(record !== null && { record }) }
}

/** `/whoami`: what the token may do. */
function whoami({ link }: Dependencies, token: string): Promise<Reply> {
  return told(link.call("whoami", { token }), (known) => known.whoami)
}

/** `/limits`: what of one's own limits, of guards and of the venue's budgets is used. */
function showLimits({ link }: Dependencies, token: string): Promise<Reply> {
  return told(link.call("limits", { token }), ({ limits, guards, budgets }) => {
    return { limits, guards, budgets }
  })
}

/** What a client with the right to it may send besides requests. */
type Sent = Pick<BotParams["check"], "token" | "body">

/** `/prices`: reference prices from a client with the right to feed them. */
function feedPrices({ link }: Dependencies, { token, body }: Sent): Promise<Reply> {
  return told(link.call("prices", { token, body }), ({ prices }) => ({ prices }))
}

/** `/account/begin`: a client begins to read an account that the gate doesn't read. */
function beginAccount({ link }: Dependencies, { token, body }: Sent): Promise<Reply> {
  return told(link.call("beginAccount", { token, body }), ({ begun }) => begun)
}

/** `/account`: what the client has read. */
function feedAccount({ link }: Dependencies, { token, body }: Sent): Promise<Reply> {
  return told(link.call("account", { token, body }), () => ({}))
}

/** `/freeze`: a stop by a client with the right; only an operator ends it. */
function freeze({ link }: Dependencies, { token, body }: Sent): Promise<Reply> {
  return told(link.call("freeze", { token, body }), (done) => done.freeze)
}

/** `/heartbeat`: the bot is there; its silence counts from the first of these on. */
function heartbeat({ link }: Dependencies, { token, body }: Sent): Promise<Reply> {
  return told(link.call("heartbeat", { token, body }), (heard) => heard.heartbeat)
}

/** What the vault answers, or its no. */
async function told<Answer>(
  asked: Promise<({ readonly kind: "answer" } & Answer) | Refused>,
  contentOf: (answer: Answer) => object,
): Promise<Reply> {
  const answer = await asked
  if (answer.kind === "refused") return refusedReply(answer)
  return { kind: "success", content: contentOf(answer) }
}

const recordId = /^[A-Za-z0-9._-]{1,64}$/

/** `/records/<id>`: what became of one's own request. */
async function showRecord(deps: Dependencies, token: string, url: string): Promise<Reply> {
  const id = url.slice("/records/".length)
  if (!recordId.test(id)) return { kind: "problem", problem: unknownRecord }
  return told(deps.link.call("record", { token, id }), ({ view }) => view)
}

/** `/records?…`: what became of one's own requests of a key or an order. */
async function findRecords(deps: Dependencies, token: string, url: string): Promise<Reply> {
  const search = parseSearch(url.slice("/records".length))
  if (!search.ok) return { kind: "problem", problem: search.error }
  return told(deps.link.call("records", { token, ...search.value }), ({ records }) => ({ records }))
}

/** `/readyz`: what the vault signs now. Not ready is one that signs nothing: else a balancer would take cancels away too. */
async function readiness(deps: Dependencies): Promise<Reply> {
  const data = await deps.link.call("health", {})
  if (data.signs !== "nothing") return { kind: "success", content: data }
  const message = `The vault signs nothing: ${data.reasons.join(", ")}. countersign status says what to do.`
  return { kind: "problem", problem: { code: "not_signing", message, data } }
}

const unknownRecord: Problem = {
  code: "unknown_record",
  message: "You have no record of that id; use the one from Countersign-Record.",
}

type Search = Pick<BotParams["records"], "by" | "value">

/** The bound that link/calls/methods.ts sets. */
const maxValueLength = 256

const notDecodable = invalidHeader(
  "request-target",
  "The query isn't percent-encoded UTF-8; encode each byte of a value that isn't a letter or digit.",
)

function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query)
    return true
  } catch {
    return false
  }
}

/** Parses the query string of a look-up of records: `?idempotency_key=…` or `?client_order_id=…`, one of them. */
function parseSearch(query: string): Result<Search, Problem> {
  // What can't be decoded would be looked for as another text, and not be found.
  return isDecodable(query) ? parseDecodable(query) : err(notDecodable)
}

function parseDecodable(query: string): Result<Search, Problem> {
  const [only, ...more] = [...new URLSearchParams(query)]
  const [by, value = ""] = only ?? []
  const isKnown = by === "idempotency_key" || by === "client_order_id"
  if (!isKnown || more.length > 0 || value === "" || value.length > maxValueLength) {
    return err(
      invalidHeader(
        "request-target",
        `Ask for one idempotency_key or one client_order_id, of 1 to ${maxValueLength} characters.`,
      ),
    )
  }
  return ok({ by, value })
}

/** `/openapi.json`: what this server takes and answers, the same for every installation of this version. */
const contract: Reply = {
  kind: "text",
  type: "application/json",
  text: readFileSync(join(packageRoot, "docs/openapi.json"), "utf8"),
}
