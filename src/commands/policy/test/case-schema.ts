import * as z from "zod"

import { nearestWord } from "../../../std/nearest-word.ts"
import {
  objectError,
  addressText,
  amount,
  amountAboveZero,
  durationMs,
  listOf,
  oneOf,
  policyName,
  textAs,
} from "../../../vault/policy/values/scalars.ts"
import type { Address } from "../../../venue/address.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type { Endpoint, Profile } from "../../../venue/profile.ts"
import { dateForm, parseDateMs } from "../../audit/moment.ts"

/** What is used of a limit when a case comes: an amount, taken so long before it. */
export type Used = { readonly amount: Decimal; readonly agoMs: number }

/** A file of cases, before its names are looked up. */
export type WrittenCases = {
  readonly clients: readonly string[]
  readonly keys: ReadonlyMap<string, WrittenKey>
  readonly cases: readonly WrittenCase[]
}

/** What a file says of a key; what it leaves out doesn't matter to its cases. */
export type WrittenKey = {
  readonly role: "wallet" | "agent"
  /** The wallet that an agent acts for, by name. */
  readonly wallet: string | undefined
  readonly address: Address | undefined
  /** Accounts that it may operate besides its own. */
  readonly targets: readonly Address[]
}

export type WrittenCase = {
  readonly name: string
  readonly client: string
  readonly key: string
  readonly endpoint: Endpoint
  /** The bytes that the bot would send, as text. */
  readonly body: string
  /** `Countersign-Expires-In`. */
  readonly expiresInMs: number | undefined
  readonly idempotencyKey: string | undefined
  readonly atMs: number
  /** Reference prices, by symbol as it is written. */
  readonly prices: ReadonlyMap<string, Decimal>
  /** By limit, as it is written. */
  readonly used: ReadonlyMap<string, Used>
  readonly expect: "allow" | "hold" | "deny"
  readonly rule: string | undefined
  readonly reason: string | undefined
}

/** When a case is judged that doesn't say: the same time at every run. A Monday. */
const usualAtMs = Date.parse("2026-01-05T12:00:00Z")

/** The schema of a file of cases. Operations are looked up while reading, so that a wrong one is told at its line. */
export function casesSchema({ endpoints }: Profile): z.ZodType<WrittenCases> {
  return z
    .strictObject(
      {
        clients: listOf(policyName).optional(),
        keys: mapOf(keySchema, "a map from names of keys to what each is").optional(),
        cases: listOf(caseSchema(endpoints)),
      },
      { error: objectError("a file of cases: `cases:` and a list") },
    )
    .transform(({ clients = [], keys = new Map<string, WrittenKey>(), cases }) => ({
      ...{ clients, keys, cases },
    }))
}

const keySchema = z
  .strictObject(
    {
      role: oneOf(["wallet", "agent"]).optional(),
      wallet: policyName.optional(),
      address: addressText.optional(),
      targets: listOf(addressText).optional(),
    },
    { error: objectError("what the key is: role, wallet, address, targets") },
  )
  .transform(({ role = "agent", wallet, address, targets = [] }): WrittenKey => ({
    ...{ role, wallet, address, targets },
  }))

function caseSchema(endpoints: Profile["endpoints"]): z.ZodType<WrittenCase> {
  return z
    .strictObject(
      {
        name: z.string({ error: "must say what the case shows" }).regex(/\S/, "must not be empty"),
        client: policyName,
        key: policyName,
        operation: textAs(
          (text) => [...endpoints.values()].find(({ id }) => id === text),
          (text) => unknownWord("operation", text, endpoints.keys()),
        ),
        body: z.string({
          error: "must be the JSON that the bot would send; write it under body: |",
        }),
        expires_in: durationMs({ least: "1ms", most: "1d", example: "10s" }).optional(),
        idempotency_key: z
          .string({ error: "must be a text" })
          .regex(/^[\x21-\x7e]{1,64}$/, "must be 1 to 64 visible characters of ASCII")
          .optional(),
        at: textAs(parseDateMs, () => `must be ${dateForm}`).optional(),
        prices: mapOf(amountAboveZero, "a map from symbols to reference prices").optional(),
        used: mapOf(usedSchema, "a map from limits, as policy/name, to what is used").optional(),
        expect: oneOf(["allow", "hold", "deny"]),
        rule: z.string({ error: "must be policy/name" }).optional(),
        reason: z.string({ error: "must be a word of docs/error-codes.md" }).optional(),
      },
      { error: objectError("a case: name, client, key, operation, body and expect") },
    )
    .transform(({ operation, expires_in, idempotency_key, at, prices, used, ...written }) => ({
      ...written,
      endpoint: operation,
      idempotencyKey: idempotency_key,
      expiresInMs: expires_in,
      atMs: at ?? usualAtMs,
      prices: prices ?? new Map<string, Decimal>(),
      used: used ?? new Map<string, Used>(),
      rule: written.rule,
      reason: written.reason,
    }))
}

/** An amount, taken at the moment of the case, or so long before it. */
const usedSchema = z.preprocess(
  (written) => (typeof written === "string" ? { amount: written } : written),
  z
    .strictObject(
      { amount, ago: durationMs({ least: "1ms", most: "31d", example: "59m" }).optional() },
      { error: objectError("an amount, or {amount, ago}") },
    )
    .transform(({ amount: taken, ago }): Used => ({ amount: taken, agoMs: ago ?? 0 })),
)

function mapOf<Value extends z.ZodType>(value: Value, expected: string) {
  return z
    .record(z.string(), value, { error: objectError(expected) })
    .transform((written) => new Map(Object.entries(written) as [string, z.output<Value>][]))
}

/** What to say of a word that isn't one of those that there are. */
export function unknownWord(what: string, word: string, known: Iterable<string>): string {
  const nearest = nearestWord(word, known)
  return `unknown ${what} "${word}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`
}
