// Every code that the daemon says no with, as an envelope of its own.

import * as z from "zod"

import { actsOf, errorCodes, statuses, type ErrorCode } from "../../src/gate/http/problem.ts"
import { denialReasonSchema, refusalSchema, type RefusalCode } from "../../src/contract/refusal.ts"
import { openSigningSchema } from "../../src/contract/signing.ts"
import { denialReasons } from "../../src/vault/policy/terms.ts"
import { readRepositoryFile, sectionOf, tableRows } from "../../test/support/markdown.ts"
import { oneOf, refTo, type Json, type Override } from "./json-schema.ts"

const none = z.strictObject({})
const sending = { record: z.string(), expires_after: z.int().describe("Milliseconds since 1970.") }
/** How the venue refused what was sent again. */
const venue = z.strictObject({ status: z.int(), code: z.string().nullable() })

/** The `data` of what the gate says no to itself. */
const gateData: Readonly<Record<Exclude<ErrorCode, RefusalCode>, z.ZodType>> = {
  origin_refused: none,
  method_not_allowed: none,
  request_timeout: none,
  body_too_large: none,
  unsupported_media_type: none,
  misdirected_host: none,
  headers_too_large: none,
  base_url_missing: z.strictObject({ add_line: z.string() }),
  // Of a read there is no record.
  upstream_unreachable: z.union([z.strictObject(sending), none]),
  upstream_outcome_unknown: z.strictObject({ ...sending, venue: venue.optional() }),
  too_late: z.strictObject(sending),
  internal: none,
  signature_check_failed: none,
  vault_unavailable: none,
  not_signing: openSigningSchema,
  ledger_unavailable: none,
  not_paginated: none,
  read_failed: none,
}

/** Codes that are refusals, and say less where something broke. */
const brokenToo: ReadonlySet<string> = new Set<ErrorCode>(["locked", "clock_unsafe"])

/** The words that policy denies with, in the place of any word. */
export const errorOverrides: readonly Override[] = [
  { of: denialReasonSchema, with: { type: "string", enum: denialReasons } },
]

/** The codes as the type has them. */
export function codes(): readonly ErrorCode[] {
  return errorCodes as readonly ErrorCode[] // the keys of `statuses`
}

/** What a code's schema is called. */
export function nameOfCode(code: ErrorCode): string {
  if (code === "10029") return "AddressBudgetExhausted"
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The envelope of each code, by its name. */
export function errorEnvelopes(): Readonly<Record<string, z.ZodType>> {
  const meanings = readMeanings()
  return Object.fromEntries(
    codes().map((code) => [nameOfCode(code), envelopeOf(code, meanings.get(code))]),
  )
}

/** Any of them. */
export const problem: Json = {
  ...oneOf(codes().map((code) => refTo(nameOfCode(code)))),
  description: "Any of the daemon's errors.",
}

function envelopeOf(code: ErrorCode, meaning = ""): z.ZodType {
  return z
    .strictObject({
      code: z.literal(code),
      msg: z.string().min(1).describe("For people; it may change."),
      data: dataOf(code),
      do: z.literal([...actsOf(code)]).describe("What to do about it: a word that stays."),
      trace_code: z.string().describe("The record's id, where there is one."),
    })
    .describe(`${statuses[code]}: ${meaning}`)
}

function dataOf(code: ErrorCode): z.ZodType {
  const own: Readonly<Record<string, z.ZodType>> = gateData
  const refusal = refusalSchema.options
    .map((option) => option.unwrap().shape)
    .find((shape) => (shape.code.options as readonly string[]).includes(code))
  if (refusal === undefined) return own[code] ?? none
  const { data } = refusal
  if (data instanceof z.ZodNull) return none
  return brokenToo.has(code) ? z.union([data, none]) : data
}

/** What docs/error-codes.md says of each code. */
function readMeanings(): ReadonlyMap<string, string> {
  const rows = tableRows(sectionOf(readRepositoryFile("docs/error-codes.md"), "HTTP codes"))
  return new Map(
    rows.map(([code = "", , means = "", , act = ""]) => [
      code.replaceAll("`", ""),
      `${means}. What to do: ${act}.`,
    ]),
  )
}
