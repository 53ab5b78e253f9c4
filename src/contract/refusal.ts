// Every way the vault says no to a bot, as a schema: the type of a refusal, and what docs/openapi.json
// says of each code. Nothing is checked by it at run time.

import * as z from "zod"

import { signsSchema } from "./signing.ts"
import { freezeViewSchema } from "../link/calls/both-ways.ts"

/** Why policy said no; docs/error-codes.md has the closed list. */
export const denialReasonSchema = z.string()

/** Which rule said no, and where it is written. */
export const denialSchema = z
  .strictObject({
    policy: z.string().nullable(),
    rule: z.string().nullable(),
    reason: denialReasonSchema,
    file: z.string().nullable(),
    line: z.int().nullable(),
    path: z
      .string()
      .optional()
      .describe(
        "Which order of a batch it is about, a JSON Pointer; absent where it is no single one.",
      ),
    asked: z.string().nullable(),
    allowed: z.string().nullable(),
  })
  .readonly()
export type Denial = z.infer<typeof denialSchema>

const key = { key: z.string() }
const timeMs = z.int().describe("Milliseconds since 1970.")
/** Both `null` where there never is that much room. */
const room = {
  frees_at: timeMs.nullable().describe("When there is room; null when there never is that much."),
  retry_after_ms: z.int().nullable().describe("How long until then."),
}

const lossKinds = ["daily_loss", "loss", "drawdown"] as const
const lossKindSchema = z.enum(lossKinds)
/** What a guard bounds. */
export const guardKindSchema = z.enum([
  ...(["max_position", "max_open_orders", "max_open_notional"] as const),
  ...lossKinds,
])

/** What keeps the whole vault from signing. */
const stop = {
  signs: signsSchema.exclude(["all"]).describe("What is signed all the same."),
  fix: z.string().describe("What the operator does about it."),
}

const brokenRule = z
  .strictObject({
    path: z.string().describe("A JSON Pointer into the body; empty for the body itself."),
    rule: z.string().describe("A word of docs/error-codes.md."),
    message: z.string(),
  })
  .readonly()

/** It understood, and no signature leaves. */
export const refusalSchema = z.discriminatedUnion("code", [
  refused(["invalid_json"], { offset: z.int().describe("In bytes.") }),
  refused(["invalid_request"], { errors: z.array(brokenRule).readonly() }),
  refused(["invalid_header"], { header: z.string() }),
  refusedBare(["unauthorized"]),
  refused(["token_expired"], { expired_at: timeMs }),
  refused(["too_many_bad_tokens"], { retry_after_ms: z.int() }),
  refusedWith(["policy_denied"], denialSchema),
  refused(["wallet_key_required", "wrong_network"], key),
  refused(["key_not_allowed"], { key: z.string().nullable() }),
  refused(["target_not_allowed"], { ...key, target: z.string() }),
  refused(["approval_required"], {
    hold: z.string().nullable().describe("null where none was opened."),
    expires_at: timeMs.nullable().describe("null where the hold has ended already."),
  }),
  refused(["agent_revoked"], key),
  refused(["agent_expiring"], { ...key, expires_at: timeMs }),
  refusedBare(["forward_only"]),
  refused(["right_missing"], { right: z.string() }),
  refused(["locked"], key),
  refusedWith(["frozen"], freezeViewSchema),
  refused(["restore_unaccepted", "isolated"], stop),
  refused(["clock_unsafe"], {
    ...stop,
    venue_ahead_ms: z
      .int()
      .nullable()
      .describe("Negative where the venue's clock is behind; null where this machine's leapt."),
    max_venue_offset_ms: z.int().nullable(),
  }),
  refused(["disk_low"], {
    ...stop,
    free_bytes: z.int().nullable().describe("null where it can't be told."),
    min_free_bytes: z.int(),
  }),
  refused(["unknown_endpoint"], { path: z.string() }),
  refusedBare(["unknown_record"]),
  refusedBare(["overloaded"]),
  refused(["idempotency_conflict"], { record: z.string() }),
  refusedBare(["check_unknown"]),
  refused(["check_mismatch"], {
    differs: z
      .array(z.enum(["key", "operation", "target", "body"]))
      .readonly()
      .describe("In what the request isn't the one that was checked."),
  }),
  refused(["check_required"], {
    ...{ policy: z.string(), file: z.string(), line: z.int() },
    within_ms: z.int().describe("How old the check may be when it is signed by."),
  }),
  refused(["check_expired"], { age_ms: z.int(), within_ms: z.int() }),
  refused(["already_accepted"], {
    record: z.string(),
    nonce: z.int(),
    expires_after: z.int().describe("Milliseconds since 1970."),
    signing_hash: z.string().describe("What was signed, 32 bytes in hex."),
    client_order_id: z.string().nullable().describe("Of a single order."),
  }),
  refused(["idempotency_expired"], {
    record: z.string(),
    state: z
      .string()
      .describe("`signed`: nothing of it is at the venue, so a new key may be used."),
    venue: z
      .strictObject({ status: z.int(), code: z.string() })
      .optional()
      .describe("By which the venue refused it for its pace."),
  }),
  refused(["guard_exceeded"], {
    policy: z.string(),
    guard: z.string(),
    account: z.string().describe("Its address."),
    kind: guardKindSchema,
    measure: z
      .enum(["net", "gross", "notional"])
      .nullable()
      .describe("What of a position is bounded; null where it is no position."),
    symbol: z.string().nullable(),
    max: z.string(),
    measured: z.string().describe("By the last reading of the account."),
    in_flight: z.string().describe("Signed, and not yet covered by it."),
    asked: z.string(),
    worst: z.string().describe("The three together."),
    room: z.string().describe("What could be asked now."),
    from: z
      .string()
      .nullable()
      .describe("From what equity a loss is counted; null of other kinds."),
    equity: z.string().nullable().describe("By that reading, of a loss; null of other kinds."),
    freed: z
      .string()
      .nullable()
      .describe("What readings have freed today, where max_freed counts some of it as measured."),
    read_at: timeMs.describe("When that reading began."),
  }),
  refused(["guard_tripped"], {
    policy: z.string(),
    guard: z.string(),
    account: z.string().describe("Its address."),
    kind: lossKindSchema,
    since: timeMs,
    until: timeMs.nullable().describe("When its day ends; null where only a person ends it."),
  }),
  refused(["guard_unreadable"], {
    policy: z.string(),
    guard: z.string(),
    why: z.string().describe("A word of docs/error-codes.md."),
    account: z.string().nullable().describe("Its address; null where it isn't known."),
  }),
  refused(["nothing_to_reduce"], {
    policy: z.string(),
    guard: z.string(),
    account: z.string().describe("Its address."),
    symbol: z.string().describe("Of the first order, where there are several."),
    side: z.enum(["long", "short"]).describe("Of the position that it would reduce."),
    reach: z.string().describe("The most that there may be to reduce."),
    read_at: timeMs.describe("When the reading began that says so."),
  }),
  refused(["limit_exhausted"], {
    policy: z.string(),
    limit: z.string(),
    max: z.string(),
    used: z.string(),
    asked: z.string(),
    room: z.string().describe("What could be asked now."),
    ...room,
  }),
  // The venue's own code, for what it would refuse.
  refused(["10029"], budgetShortage("address")),
  refused(["ip_budget_exhausted"], budgetShortage("ip")),
  refused(["signer_pace"], { retry_after_ms: z.int() }),
  refused(
    [
      "action_tag_undisclosed",
      "struct_undisclosed",
      "signing_type_undisclosed",
      "items_undisclosed",
      "target_layout_undisclosed",
    ],
    { endpoint: z.string(), add_line: z.string().describe("The line of venue.yaml to add.") },
  ),
  refused(["read_group_undisclosed"], { path: z.string(), add_line: z.string() }),
])

/** Every way the vault says no to a bot. */
export type Refusal = z.infer<typeof refusalSchema>
export type RefusalCode = Refusal["code"]

/** The answer that says no. `record` is that of the refusal, where it has one. */
export type Refused = {
  readonly kind: "refused"
  readonly refusal: Refusal
  readonly record: string | null
}

/** What keeps the vault as a whole from signing. */
export type Stop = Extract<
  Refusal,
  { readonly code: "restore_unaccepted" | "isolated" | "clock_unsafe" | "disk_low" }
>

function budgetShortage<const Scope extends string>(scope: Scope) {
  return {
    scope: z.literal(scope),
    max: z.int(),
    used: z.int(),
    kept: z.int().describe("What of it is free and kept for others."),
    asked: z.int(),
    ...room,
  }
}

function refusedBare<const Codes extends readonly [string, ...string[]]>(codes: Codes) {
  return refusedWith(codes, z.null())
}

function refused<
  const Codes extends readonly [string, ...string[]],
  Shape extends Readonly<Record<string, z.ZodType>>,
>(codes: Codes, shape: Shape) {
  return refusedWith(codes, z.strictObject(shape).readonly())
}

/** `data` goes out as the envelope's, so its names are in snake_case. */
function refusedWith<const Codes extends readonly [string, ...string[]], Data extends z.ZodType>(
  codes: Codes,
  data: Data,
) {
  return z
    .strictObject({
      code: z.enum(codes),
      message: z
        .string()
        .describe(
          "One plain sentence. It may tell the bot's own values and the limits; never a secret.",
        ),
      data,
    })
    .readonly()
}
