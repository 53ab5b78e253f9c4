// Every route of the gate: what it takes, what it answers, and which codes it may say no with.

import { maxBatchRequests } from "../../src/vault/request/sign-batch.ts"
import { builtinEndpoints } from "../../src/venue/builtin-profile.ts"
import { envelope, jsonAnswer, successAnswer, type ContractRoute } from "./contract-route.ts"
import { refTo } from "./json-schema.ts"
import { operationRoutes } from "./operation-routes.ts"
import {
  batchErrors,
  callErrors,
  metricsErrors,
  openErrors,
  readErrors,
  readyErrors,
  rightErrors,
} from "./route-errors.ts"
import { shownAnswer, shownRequest } from "./shown.ts"

/** Every route there is. */
export function contractRoutes(): readonly ContractRoute[] {
  return [
    ...builtinEndpoints.flatMap(operationRoutes),
    batchRoute,
    readRoute,
    ...rightRoutes,
    metricsRoute,
    ...askRoutes,
    ...openRoutes,
  ]
}

const batchRoute: ContractRoute = {
  ...bodyRoute("/sign/batch", "signBatch", "BatchRequests"),
  tag: "batch",
  summary: `Sign up to ${maxBatchRequests} requests, each with its own answer`,
  description:
    "Each is judged, counted and recorded for itself, in their order. Nothing is sent; 200 also where each is refused.",
  answer: successAnswer(
    "One result for each, in order.",
    refTo("BatchResults"),
    "POST /sign/batch",
  ),
  errors: batchErrors,
}

const readRoute: ContractRoute = {
  method: "get",
  path: "/v1/{path}",
  id: "read",
  tag: "reads",
  summary: "Read from the venue",
  description:
    "What isn't named here of the query goes to the venue too. With `all=true` every item of a list is a line of NDJSON, page after page; a stream that breaks off has no last chunk.",
  parameters: [
    ...["VenuePath", "Limit", "Cursor", "StartTime", "EndTime", "All"],
    ...["CountersignKey", "Traceparent"],
  ],
  answer: {
    ...jsonAnswer(
      "The venue's answer.",
      refTo("ReadAnswer"),
      envelope({ list: [], next_cursor: "", has_more: false }),
    ),
    others: { "application/x-ndjson": { type: "string", description: "With `all=true`." } },
    headers: ["RetryAfter"],
    isVenue: true,
  },
  errors: readErrors,
  needsToken: true,
}

const rightRoutes: readonly ContractRoute[] = [
  {
    ...bodyRoute("/freeze", "freeze", "FreezeRequest"),
    summary: "Stop signing; only an operator ends it",
    description: "For clients with the right `freeze`. What reduces risk goes on being signed.",
    answer: successAnswer("What is frozen.", refTo("FreezeView"), "POST /freeze"),
  },
  {
    ...bodyRoute("/heartbeat", "heartbeat", "HeartbeatRequest"),
    summary: "Say that the bot is there",
    description:
      "For clients with the right `heartbeat`. Silence counts from the first one on, where countersign.yaml names the client.",
    answer: successAnswer("How long silence may last.", refTo("HeartbeatView"), "POST /heartbeat"),
  },
  {
    ...bodyRoute("/prices", "feedPrices", "PricesRequest"),
    summary: "Feed reference prices",
    description: "For clients with the right `prices`. All of them or none; look at each `state`.",
    answer: successAnswer("The prices as they stand.", refTo("Prices"), "POST /prices"),
  },
  {
    ...bodyRoute("/account/begin", "beginReading", "BeginReadingRequest"),
    summary: "Begin to read an account",
    description:
      "For clients with the right `account`, where venue.yaml leaves the reading to them. Read nothing of it before; once a second at most.",
    answer: successAnswer(
      "The reading that was begun.",
      refTo("BegunReading"),
      "POST /account/begin",
    ),
  },
  {
    ...bodyRoute("/account", "feedReading", "ReadingRequest"),
    summary: "Hand over what an account has",
    description:
      "For clients with the right `account`. All open orders, then, when the lag has passed, all positions: what isn't there isn't there. A ticket is good once.",
    answer: successAnswer("It was taken.", refTo("Nothing"), "POST /account"),
  },
].map((route) => ({ ...route, tag: "rights", errors: rightErrors }))

const metricsRoute: ContractRoute = {
  ...askRoute("/metrics", "metrics"),
  tag: "rights",
  summary: "What vault and gate count of themselves, for Prometheus",
  description: "For clients with the right `metrics`. docs/metrics.md lists the families.",
  answer: {
    ...jsonAnswer("The text format of Prometheus.", { type: "string" }, metricsExample()),
    type: "text/plain",
  },
  errors: metricsErrors,
}

const askRoutes: readonly ContractRoute[] = [
  {
    ...askRoute("/whoami", "whoami"),
    summary: "What this token may do",
    description: "The keys that it may name, and what of the network account operations are for.",
    answer: successAnswer("The client, its keys and rights.", refTo("Whoami"), "GET /whoami"),
  },
  {
    ...askRoute("/limits", "limits"),
    summary: "What is used of limits, guards and the venue's rate budgets",
    description: "As it stands now. Asking counts in none of them.",
    answer: successAnswer("The client's own, and those it shares.", refTo("Limits"), "GET /limits"),
  },
  {
    ...askRoute("/records", "findRecords"),
    summary: "What became of requests, by idempotency key or client_order_id",
    description: "Exactly one of the two. The newest first, at most 20.",
    parameters: ["IdempotencyKeyQuery", "ClientOrderIdQuery"],
    answer: {
      ...successAnswer("One's own requests.", refTo("Records"), "GET /records/:id"),
      example: envelope({ records: [dataOf(shownAnswer("GET /records/:id"))] }),
    },
  },
  {
    ...askRoute("/records/{id}", "showRecord"),
    summary: "What became of one of your own requests",
    description: "A record of another client is told like one that doesn't exist.",
    parameters: ["RecordId"],
    answer: successAnswer("The record.", refTo("RecordView"), "GET /records/:id"),
    errors: [...callErrors, "unknown_record"],
  },
]

const openRoutes: readonly ContractRoute[] = [
  {
    ...openRoute("/healthz", "healthz"),
    summary: "The gate runs",
    description: "However much is at work. It says nothing of the vault.",
    answer: successAnswer("It does.", refTo("State"), "GET /healthz and GET /readyz"),
    errors: openErrors,
  },
  {
    ...openRoute("/readyz", "readyz"),
    summary: "The vault answers and would sign",
    description: "503 with a `state` where it wouldn't.",
    answer: jsonAnswerOfReady(),
    errors: [...readyErrors, "not_signing"],
  },
  {
    ...openRoute("/openapi.json", "openapi"),
    summary: "This document",
    description: "What this very version takes and answers.",
    answer: jsonAnswer("OpenAPI 3.1.", { type: "object" }, { openapi: "3.1.0" }),
  },
]

function bodyRoute(path: string, id: string, schema: string) {
  const body = { schema: refTo(schema), example: shownRequest(`POST ${path}`) }
  return { method: "post", path, id, parameters: [], body, needsToken: true } as const
}

function askRoute(path: string, id: string) {
  const fixed = { tag: "ask", parameters: [], needsToken: true, errors: callErrors } as const
  return { method: "get", path, id, ...fixed } as const
}

function openRoute(path: string, id: string) {
  const fixed = { tag: "open", parameters: [], needsToken: false, errors: readyErrors } as const
  return { method: "get", path, id, ...fixed } as const
}

function jsonAnswerOfReady() {
  const answer = successAnswer("It would.", refTo("Signing"), "GET /healthz and GET /readyz")
  return { ...answer, example: envelope({ signs: "all", reasons: [] }) }
}

function metricsExample(): string {
  return "# HELP countersign_ready Whether it would sign.\n# TYPE countersign_ready gauge\ncountersign_ready 1\n"
}

function dataOf(answer: unknown): unknown {
  return (answer as { readonly data: unknown }).data // of an envelope
}
