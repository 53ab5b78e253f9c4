// All that passes the pipe between the console's server and the command that started it. The server asks; the command
// answers what is on this list, and of an answer only what its schema names gets through. Texts may be a bot's.

import { z } from "zod"

import { shownText } from "./shown-text.ts"

/** The longest line of each side, in bytes. The longest answer that these schemas let through is shorter. */
export const maxLineBytes = { ask: 4_096, answer: 2_097_152 } as const

const text = (maxLength: number) => z.string().transform((given) => shownText(given, maxLength))
const name = text(130)

function list<Each extends z.ZodType>(each: Each, maxLength: number) {
  return z
    .array(each)
    .readonly()
    .transform((all): readonly z.output<Each>[] => all.slice(0, maxLength))
}

const alarm = z.object({
  name,
  fact: text(500),
  advice: text(300),
  severity: z.enum(["warning", "critical"]),
})

const freeze = z.object({
  scope: z.enum(["all", "client", "key"]),
  name: name.nullable(),
  reason: text(300),
  by: name,
  cancels: z.boolean(),
  since: z.number(),
})

const hold = z.object({
  ...{ id: name, client: name, key: name, operation: name, policy: name, rule: name },
  body: text(500),
  worst_case: text(300),
  expires_at: z.number(),
})

/** Weights of a rolling minute. */
const budget = z.object({
  scope: z.enum(["address", "ip"]),
  address: name.nullable(),
  max: z.number(),
  used: z.number(),
  kept_for_cancels: z.number(),
})

const limit = z.object({
  ...{ policy: name, limit: name, for: name, of: name, max: name, used: name },
  mode: z.enum(["enforce", "observe"]),
  per: z.enum(["client", "key", "symbol", "account", "all"]),
})

const key = z.object({
  ...{ name, address: name, wallet: name.nullable(), locked: z.boolean() },
  role: z.enum(["wallet", "agent"]),
  approval: z.enum(["unknown", "approved", "revoked", "retired", "removed"]),
  expires_at: z.number().nullable(),
  last_used: z.number().nullable(),
})

const decision = z.object({
  ...{ seq: z.number(), record: name, at: z.number(), times: z.number() },
  result: z.enum(["allowed", "refused", "held"]),
  ...{ client: name, key: name.nullable(), operation: name.nullable(), by: name.nullable() },
  ...{ reason: name.nullable(), message: text(300).nullable() },
})

/** What the vault signs now. */
const signing = z.object({
  signs: z.enum(["all", "reduce_only", "nothing"]),
  words: text(1_000),
  reasons: list(z.object({ code: name, scope: z.enum(["all", "client", "key", "symbol"]) }), 100),
})

const look = z.object({
  ...{ at: z.number(), version: name, network: name, policy_hash: name },
  state: signing,
  alarms: list(alarm, 100),
  freezes: list(freeze, 100),
  holds: list(hold, 50),
  budgets: list(budget, 100),
  limits: list(limit, 100),
  keys: list(key, 100),
  decided: z.object({ allowed: z.number(), refused: z.number(), held: z.number() }),
  signing: z.object({ bounds: list(z.number(), 50), counts: list(z.number(), 51) }),
  recorded: z.number(),
  decisions: list(decision, 200),
})

const record = z.object({
  state: name,
  /** As a bot sent it: the server words it. */
  body: z.string().nullable(),
  outcome: z
    .object({ status: z.number().nullable(), code: text(64).nullable() })
    .readonly()
    .nullable(),
})

const symbols = z.object({
  names: z.record(z.string().max(20), text(64)),
  default_market_order_type: z.enum(["base", "quote"]).nullable(),
})

/** Why everything is frozen, as a person says it. */
export const reason = z.string().trim().min(1).max(200)
/** A record's id. */
export const recordId = z.string().regex(/^rec_[0-9A-Z]{26}$/)

/** The whole list. */
export const asks = {
  /** The server listens, or why it can't, in the system's word. Asked once, first. */
  listening: {
    params: z.union([
      z.strictObject({ port: z.int().min(1).max(65_535) }),
      z.strictObject({ refused: z.string().regex(/^E[A-Z]{1,20}$/) }),
    ]),
    answer: z.null(),
  },
  /** How everything stands, and what was decided last. */
  look: { params: z.strictObject({}), answer: look },
  record: {
    params: z.strictObject({ id: recordId }),
    answer: z.object({ record: record.nullable(), symbols }),
  },
  /** Freezes everything; cancels and reduce-only orders stay open. */
  freeze: { params: z.strictObject({ reason }), answer: freeze },
} as const

export type Asks = typeof asks
export type AskName = keyof Asks
export type Answer<Name extends AskName> = z.output<Asks[Name]["answer"]>

export type Look = Answer<"look">
export type Decision = Look["decisions"][number]
export type Alarm = z.output<typeof alarm>
export type Freeze = z.output<typeof freeze>
export type Hold = z.output<typeof hold>
export type Budget = z.output<typeof budget>
export type Limit = z.output<typeof limit>
export type Key = z.output<typeof key>
export type RecordAnswer = Answer<"record">

/** What was asked of the vault and what became of it, for people. */
export type RecordShown = {
  readonly state: string
  readonly outcome: { readonly status: number | null; readonly code: string | null } | null
  /** In words: `buy 0.1 BTC-PERP at 63000, limit`. `null`, as the body, for a refusal: its body isn't recorded. */
  readonly asked: string | null
  /** Canonical JSON, cut where it is long. */
  readonly body: string | null
}
