import { botParams } from "../../src/link/calls/methods.ts"
import { schemaOf, type Json } from "./json-schema.ts"

const { key, idempotencyKey, check } = botParams.sign.shape
const { value } = botParams.records.shape

/** The interface doesn't show how a read writes a time. */
const time: Json = { type: "string" }

/** What calls take besides their bodies. */
export const parameters = {
  CountersignKey: header("Countersign-Key", schemaOf(key), "The name of the key to sign with."),
  CountersignExpiresIn: header(
    "Countersign-Expires-In",
    { type: "integer", minimum: 1 },
    "Milliseconds; shortens how long the signature is good, and can't lengthen it.",
  ),
  IdempotencyKey: header(
    "Idempotency-Key",
    schemaOf(idempotencyKey),
    "A repeat with it is the same request, not another one.",
  ),
  CountersignCheck: header(
    "Countersign-Check",
    schemaOf(check),
    "The record of an earlier check of the very same, by which it is signed once; in place of Idempotency-Key.",
  ),
  CountersignShadow: header(
    "Countersign-Shadow",
    { type: "string", const: "1" },
    "Has the check recorded, so that the same can be signed by it, and other policies be tried on it.",
  ),
  Traceparent: header("traceparent", { type: "string" }, "Passed on, if it is well formed."),
  RecordId: {
    name: "id",
    in: "path",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,64}$" },
    description: "What `Countersign-Record` said.",
  },
  VenuePath: {
    name: "path",
    in: "path",
    required: true,
    schema: { type: "string" },
    description:
      "The rest of the venue's path, any number of segments. A slash in it may come as `%2F`, as generated clients write it.",
    example: "market/ticker",
  },
  Limit: query("limit", { type: "integer" }, "Page size. What it may be is the endpoint's."),
  Cursor: query("cursor", { type: "string" }, "What `next_cursor` said; left out for the first."),
  StartTime: query("start_time", time, "Records from then on, where the endpoint filters by time."),
  EndTime: query("end_time", time, "Records before then."),
  All: query("all", { type: "string", const: "true" }, "Follows the cursor to the end of a list."),
  IdempotencyKeyQuery: query("idempotency_key", schemaOf(value)),
  ClientOrderIdQuery: query("client_order_id", schemaOf(value)),
}

function header(name: string, schema: Json, description: string): Json {
  return { name, in: "header", required: false, schema, description }
}

function query(name: string, schema: Json, description?: string): Json {
  return { name, in: "query", required: false, schema, ...(description && { description }) }
}

const source = "Who speaks."
/** What comes with answers. */
export const headers = {
  DaemonSource: {
    required: true,
    schema: { type: "string", const: "daemon" },
    description: source,
  },
  AnySource: {
    required: true,
    schema: { type: "string", enum: ["daemon", "venue"] },
    description: source,
  },
  CountersignRecord: { schema: { type: "string" }, description: "The id of the record." },
  CountersignRepeat: {
    schema: { type: "string", const: "1" },
    description: "It was signed before, under the same idempotency key.",
  },
  CountersignPaper: {
    schema: { type: "string", const: "true" },
    description: "The token that it was asked with is a paper client's.",
  },
  RetryAfter: { schema: { type: "string" }, description: "Seconds, or a date of the venue's." },
  WwwAuthenticate: {
    schema: { type: "string", const: "Bearer" },
    description: "On every 401 of the daemon's.",
  },
  RateLimit: {
    schema: { type: "string" },
    description:
      "What is left of the venue's rate budgets: `r` of its weight now, and in `t` seconds more (draft-ietf-httpapi-ratelimit-headers).",
  },
  RateLimitPolicy: {
    schema: { type: "string" },
    description: "What there is of them: `q` of weight in `w` seconds.",
  },
  Allow: { schema: { type: "string" }, description: "The methods of the path, on 405." },
}

const headerNames: Readonly<Record<string, string>> = {
  DaemonSource: "Countersign-Source",
  AnySource: "Countersign-Source",
  CountersignRecord: "Countersign-Record",
  CountersignRepeat: "Countersign-Repeat",
  CountersignPaper: "Countersign-Paper",
  RetryAfter: "Retry-After",
  WwwAuthenticate: "WWW-Authenticate",
  RateLimit: "RateLimit",
  RateLimitPolicy: "RateLimit-Policy",
  Allow: "Allow",
}

/** The headers that tell how the rate budgets stand. */
export const rateLimits = ["RateLimit", "RateLimitPolicy"]

/** Headers of an answer, by the names that they have here, and the one that any may have. */
export function headersOf(names: readonly string[]): Json {
  return Object.fromEntries(
    [...names, "CountersignPaper"].map((name) => [headerNames[name] ?? name, { $ref: `#/components/headers/${name}` }]),
  )
}
