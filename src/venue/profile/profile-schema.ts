// The shape of venue.yaml. Here each value is checked by itself. Rules over several values are in
// check-endpoints.ts, profile-file.ts and payload/struct-body.ts.

import * as z from "zod"

import { utf8 } from "../../std/bytes.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { durationWithin, parseDurationMs } from "../../std/time/duration.ts"
import { textAs, textBy } from "../../std/yaml-file.ts"
import { compareDecimals, one, parseDecimal, parsePercentage, zero } from "../decimal.ts"
import { isJsonObject, parsePointer, parseStrictJson, type JsonObject } from "../json.ts"
import { signingFieldOf } from "../payload/parse-payload.ts"
import { cancelIds, operationIds } from "../profile.ts"
import { isPathPattern } from "../read-paths.ts"
import { parseStructType } from "../signing-hash.ts"
import { builtinParts } from "../builtin-profile.ts"
import { accountSchema } from "./account-schema.ts"
import { addressText, polledPath, steps } from "./text-fields.ts"

const { domain, canonicalForm } = builtinParts
const maxUint256 = 2n ** 256n - 1n

function wholeNumber(text: string): bigint | undefined {
  return /^(?:0|[1-9]\d{0,77})$/.test(text) ? BigInt(text) : undefined
}

function integerBetween(min: number, max: number) {
  return textAs((text) => {
    const number = wholeNumber(text)
    return number !== undefined && number >= BigInt(min) && number <= BigInt(max)
      ? Number(number)
      : undefined
  }, `expected a whole number from ${min} to ${max}`)
}

const chainId = textAs((text) => {
  const number = wholeNumber(text)
  return number !== undefined && number > 0n && number <= maxUint256 ? number : undefined
}, "expected a chain id, a whole number from 1 to 2^256 - 1")

const aboveZero = textAs((text) => {
  const decimal = parseDecimal(text)
  return decimal !== undefined && compareDecimals(decimal, zero) > 0 ? decimal : undefined
}, 'expected a decimal above zero, like "64000.5"')

const feeRate = textAs((text) => {
  const rate = parsePercentage(text)
  return rate !== undefined && compareDecimals(rate, one) <= 0 ? rate : undefined
}, "expected a percentage from 0% to 100%, like 0.1%")

const pointer = z
  .string()
  .refine((text) => parsePointer(text) !== undefined, "expected a JSON Pointer like /orders")

const word = z.string().regex(/^[^\s\p{Cc}]{1,64}$/u, "expected 1 to 64 characters without spaces")

const symbolName = word.refine(
  (name) => !/^\d+$/.test(name) && name !== "default",
  "a symbol's name can't be a number, which would read as an id, nor the word \"default\"",
)

/** A value that the interface discloses: venue.yaml may repeat it, not change it. */
function disclosedAs(value: string) {
  return z.literal(value, `the interface discloses this as "${value}"; write that or remove it`)
}

const fieldName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, "expected the name of a JSON field, like new_field")

const endpointSettings = z.strictObject({
  action_tag: integerBetween(0, 255).optional(),
  signing: z.enum(["A", "B"], "expected A or B").optional(),
  struct: textBy(parseStructType).optional(),
  items: pointer.optional(),
  item_like: z.literal("placeOrder", "item_like can only be placeOrder").optional(),
  like: z.literal("placeOrder", "like can only be placeOrder").optional(),
  order_id: pointer.optional(),
  fields: z.array(fieldName).min(1, "expected at least one name").optional(),
  applies_flags: z.enum(["true", "false"], "expected true or false").optional(),
})

const referencePrice = z.strictObject({
  value: aboveZero,
  as_of: textAs(parseUtcMs, "expected a time in UTC, like 2026-11-20T12:00:00Z"),
  max_age: textAs(parseDurationMs, "expected a duration like 1h").prefault("1h"),
})

const symbol = z.strictObject({
  id: integerBetween(0, Number.MAX_SAFE_INTEGER),
  name: symbolName,
  market: z.enum(["spot", "perp"], "expected spot or perp"),
  quote: word,
  reference_price: referencePrice.optional(),
})

const pricePoll = z.strictObject({
  path: polledPath(
    String.raw`\{id\}`,
    "expected a path such as /v1/market/ticker?symbol_id={id}, where {id} stands for the id of each symbol",
  ),
  list: steps.optional(),
  symbol: steps,
  value: steps,
  every: textAs(
    (text) => durationWithin(text, 1_000, 3_600_000),
    "expected a duration from 1s to 1h, like 5s",
  ),
})

const panicLine = z.strictObject({
  operation: z.enum(cancelIds, `expected one of ${cancelIds.join(", ")}`),
  key: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "expected the name of a key")
    .optional(),
  target: addressText.optional(),
  body: textBy(parseBusinessFields),
})

const readPaths = z
  .array(
    z
      .string()
      .refine(
        isPathPattern,
        "expected a path such as /v1/market/**, where * and ** stand for whole segments",
      ),
  )
  .max(50, "expected at most 50 paths of a group")
  .default([])

export const profileSchema = z.strictObject({
  extends: z.literal("builtin", "write extends: builtin, the profile that this file adds to"),
  base_url: textBy(parseBaseUrl).optional(),
  domain: z
    .strictObject({
      name: disclosedAs(domain.name).optional(),
      version: disclosedAs(domain.version).optional(),
      chain_id: chainId.prefault(`${domain.chainId}`),
    })
    .prefault({}),
  type_b: z
    .strictObject({
      service_chain: z.string().min(1, "expected the name of the network").optional(),
      signature_chain_ids: z
        .array(integerBetween(1, Number.MAX_SAFE_INTEGER))
        .min(1, "expected at least one chain id")
        .optional(),
    })
    .prefault({}),
  endpoints: z.partialRecord(z.enum(operationIds), endpointSettings).prefault({}),
  agent_message_with_target: textBy(parseStructType).optional(),
  symbols: z.array(symbol).default([]),
  extra_fields: z.partialRecord(z.enum(operationIds), z.array(fieldName)).prefault({}),
  canonical_json: z
    .strictObject({
      sort: z.enum(["every_depth", "top_level"]).default(canonicalForm.sort),
      escape: z.enum(["minimal", "html"]).default(canonicalForm.escape),
      nulls: z.enum(["keep", "omit"]).default(canonicalForm.nulls),
    })
    .prefault({}),
  tpsl_legs: z.enum(["independent", "oco_reduce_only"]).default(builtinParts.tpslLegs),
  fee_rate: feeRate.default(builtinParts.feeRate),
  panic: z.array(panicLine).max(20, "expected at most 20 requests").default([]),
  reads: z
    .strictObject({ market: readPaths, trade: readPaths, account: readPaths, explorer: readPaths })
    .prefault({}),
  price_poll: pricePoll.optional(),
  account: accountSchema.optional(),
  codes: z
    .strictObject({ duplicate_nonce: word.optional(), not_processed: z.array(word).default([]) })
    .prefault({}),
  defaults: z
    .strictObject({ market_order_type: z.enum(["base", "quote"]).optional() })
    .prefault({}),
})

/** venue.yaml with every value parsed. */
export type ProfileFile = z.infer<typeof profileSchema>
export type EndpointSettings = z.infer<typeof endpointSettings>

const urlPattern = /^https?:\/\/[^/?#@\\\s]+(?:\/[^?#\\\s]*)?$/i
const hiddenSteps = /\/\/|%2e|%2f|%5c|(?:^|\/)\.\.?(?:\/|$)/i
const loopbackHost = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Parses `base_url` and drops its trailing slash. The error is a sentence that says what to write. */
function parseBaseUrl(text: string): Result<string, string> {
  if (!urlPattern.test(text) || !URL.canParse(text)) {
    return err(
      "base_url must be https://host[:port][/path], without credentials, query or fragment",
    )
  }
  const afterScheme = text.slice(text.indexOf("//") + 2)
  const slash = afterScheme.indexOf("/")
  const path = slash === -1 ? "" : afterScheme.slice(slash)
  if (hiddenSteps.test(path)) {
    return err("the path of base_url can't hold .., . or //, plain or escaped; write it out")
  }
  const url = new URL(text)
  if (url.protocol === "http:" && !loopbackHost.test(url.hostname)) {
    return err(
      "base_url is http, which is only for loopback (127.0.0.1, [::1], localhost); use https",
    )
  }
  return ok(`${url.origin}${url.pathname}`.replace(/\/$/, ""))
}

/** Parses the business fields of a request, as strictly as those from a bot. The error is a sentence. */
function parseBusinessFields(text: string): Result<JsonObject, string> {
  const parsed = parseStrictJson(utf8(text))
  if (!parsed.ok) return err(`expected JSON, and ${parsed.error.message}`)
  const body = parsed.value
  if (!isJsonObject(body)) return err('expected a JSON object, like {"symbol_id": 1}')
  const supplied = Object.keys(body).find((name) => signingFieldOf(name) !== undefined)
  return supplied === undefined
    ? ok(body)
    : err(`leave ${supplied} out; the daemon fills the signing fields in`)
}

const utcPattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?Z$/

/** Parses an RFC 3339 time in UTC (`2026-11-20T12:00:00Z`) as milliseconds; `undefined` for any other text. */
function parseUtcMs(text: string): number | undefined {
  const [, seconds] = utcPattern.exec(text) ?? []
  if (seconds === undefined) return undefined
  const ms = Date.parse(text)
  // Some engines move a day that doesn't exist into the next month.
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(seconds)
  return isReal ? ms : undefined
}
