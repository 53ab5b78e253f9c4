// All that passes the pipe between the console's server and the command that started it. The server asks; the command
// answers what is on this list, and of an answer only what its schema names gets through. Texts may be a bot's.

import * as z from "zod"

import { grantTerms } from "../link/calls/grant-terms.ts"
import { shownText } from "./asked-text.ts"

/** The longest line of each side, in bytes. The longest answer that these schemas let through is shorter. */
export const maxLineBytes = { ask: 4_096, answer: 4_194_304 } as const

const text = (maxLength: number) => z.string().transform((given) => shownText(given, maxLength))
const name = text(130)
const word = text(64)
const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

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

/** What a held request asks for, as `words/` says it: of a hundred symbols too. */
const words = text(20_000)

const hold = z.object({
  ...{ id: name, client: name, key: name, operation: name, words: text(2_500) },
  expires_at: z.number(),
})

const grant = z.object({
  ...{ id: name, client: name, key: name, words: text(2_500) },
  until: z.number(),
})

/** Weights of a rolling minute. */
const budget = z.object({
  scope: z.enum(["address", "ip"]),
  address: name.nullable(),
  max: z.number(),
  used: z.number(),
  kept_for_cancels: z.number(),
  /** What is kept for each client that has a share, and what of the budget it used. */
  shares: list(z.object({ client: word, kept: z.number(), used: z.number() }), 20),
})

const limit = z.object({
  ...{ policy: name, limit: name, for: name, of: name, max: name, used: name },
  mode: z.enum(["enforce", "observe"]),
  per: z.enum(["client", "key", "symbol", "account", "all"]),
})

/** What a guard leaves of an account, by one of its bounds. */
const guard = z.object({
  ...{ policy: name, guard: name, account_name: name, kind: word },
  ...{ measure: word.nullable(), symbol: name.nullable(), side: word.nullable() },
  ...{ max: name.nullable(), measured: name.nullable(), in_flight: name.nullable() },
  ...{ room: name.nullable(), read_at: z.number().nullable(), tripped_at: z.number().nullable() },
  loss_unknown: z.enum(["no_equity", "reading_old", "equity_changed"]).nullable(),
})

const key = z.object({
  ...{ name, address: name, wallet: name.nullable(), locked: z.boolean() },
  role: z.enum(["wallet", "agent"]),
  approval: z.enum(["unknown", "approved", "revoked", "retired", "removed"]),
  expires_at: z.number().nullable(),
  last_used: z.number().nullable(),
})

const decision = z.object({
  ...{ seq: z.number(), record: word, at: z.number() },
  result: z.enum(["allowed", "refused", "held"]),
  ...{ client: word, key: word.nullable(), operation: word.nullable(), by: name.nullable() },
  /** Whether it is of a paper key, so that no money is in it. */
  is_paper: z.boolean(),
  /** In words: `buy 0.1 BTC-PERP at 63000, limit`. `null` for a refusal: its body isn't recorded. */
  asked: text(200).nullable(),
  symbols: list(word, 4),
  /** Of a refusal; `reason` says more of a denial by policy than its code, and is the code of all others. */
  ...{ code: word.nullable(), reason: word.nullable(), message: text(300).nullable() },
})

/** More refusals like that of `record`; `null` stands for refusals that weren't recorded, so many came. */
const repeats = z.object({ record: word.nullable(), at: z.number(), count: z.number() })

/** How many entries of the ledger are read for an answer at most. */
export const maxEntries = 200

/** What was decided, of a part of the ledger. */
const entries = z.object({
  /** The first and the last entry that was read. */
  ...{ first: z.number(), last: z.number() },
  /** Entries between what was known and these that weren't read: so many came. */
  skipped: z.number(),
  /** Whether nothing older is told. */
  is_end: z.boolean(),
  /** When the oldest of what was read was recorded; `null` where nothing was. */
  since: z.number().nullable(),
  /** The newest first. */
  decisions: list(decision, maxEntries),
  repeats: list(repeats, maxEntries),
})

/** What the vault signs now. */
const signing = z.object({
  signs: z.enum(["all", "reduce_only", "cancels", "nothing"]),
  words: text(1_000),
  reasons: list(z.object({ code: name, scope: z.enum(["all", "client", "key", "symbol"]) }), 100),
})

const look = z.object({
  ...{ at: z.number(), version: name, network: name, policy_hash: name },
  /** That the files on disk aren't those in force. */
  files_differ: z
    .object({ message: text(1_000), fix: text(200) })
    .readonly()
    .nullable(),
  /** The options that name the installation, with a space before them, where it isn't the usual one. */
  where: text(500),
  state: signing,
  alarms: list(alarm, 100),
  freezes: list(freeze, 100),
  holds: list(hold, 50),
  grants: list(grant, 50),
  /** Whether this console was started with `--release`. */
  may_release: z.boolean(),
  budgets: list(budget, 100),
  limits: list(limit, 100),
  guards: list(guard, 100),
  keys: list(key, 100),
  decided: z.object({ allowed: z.number(), refused: z.number(), held: z.number() }),
  signing: z.object({ bounds: list(z.number(), 50), counts: list(z.number(), 51) }),
})

const record = z.object({
  ...{ state: name, operation: word.nullable() },
  /** As a bot sent it: the server words it. */
  body: z.string().nullable(),
  outcome: z
    .object({ status: z.number().nullable(), code: text(64).nullable() })
    .readonly()
    .nullable(),
  ...{ policy_hash: name, nonce: z.number().nullable(), expires_after: z.number().nullable() },
  idempotency_key: text(256).nullable(),
  refusal: z
    .object({ code: word, message: text(1_000) })
    .readonly()
    .nullable(),
})

/** What a rule makes of a request. */
const verdict = z.object({
  ...{ policy: word, rule: word, file: text(200), line: z.number() },
  verdict: z.enum(["allows", "denies", "holds", "does_not_match"]),
  reason: word.nullable(),
})

/** Where a record is in the chain of the ledger: its entry's number and hash, and the last entry's number. */
const place = z.object({ seq: z.number(), hash: word, head: z.number() })

const symbols = z.object({
  names: z.record(z.string().max(20), text(64)),
  default_market_order_type: z.enum(["base", "quote"]).nullable(),
})

/** Why everything is frozen, as a person says it. */
const reason = z.string().trim().min(1).max(200)
/** A record's id. */
const recordId = z.string().regex(/^rec_[0-9A-Z]{26}$/)

/** A hold's id. */
const holdId = z.string().regex(/^hold_[0-9A-Z]{26}$/)

/** The whole list. Those of {@link releaseAsks} are answered by a console with `--release` alone. */
export const asks = {
  /** The server listens, or why it can't, in the system's word. Asked once, first. */
  listening: {
    params: z.union([
      z.strictObject({ port: z.int().min(1).max(65_535) }),
      z.strictObject({ refused: z.string().regex(/^E[A-Z]{1,20}$/) }),
    ]),
    answer: z.null(),
  },
  /** How everything stands. */
  look: { params: z.strictObject({}), answer: look },
  /** What was decided after an entry of the ledger, or before one in the last minutes; the newest without either. */
  entries: {
    params: z.union([
      z.strictObject({ after: seq }),
      z.strictObject({ before: seq }),
      z.strictObject({}),
    ]),
    answer: entries,
  },
  record: {
    params: z.strictObject({ id: recordId, seq }),
    answer: z.object({
      ...{ record: record.nullable(), symbols, place: place.readonly().nullable() },
      /** By the policies in force now; none of a refusal, whose body isn't recorded. */
      verdicts: list(verdict, 100).nullable(),
    }),
  },
  /** The whole of what a held request asks for. */
  held: {
    params: z.strictObject({ id: holdId }),
    answer: z.object({
      words,
      /** In lines of ASCII: as JSON, each field and each order by itself. */
      body: z.string().regex(/^[\n -~]*$/),
    }),
  },
  /** What a person has to know before a held request is released. */
  weigh: {
    params: z.strictObject({ id: holdId }),
    answer: z.object({
      words,
      /** What has changed since it was held, and what would refuse it now. */
      warnings: list(text(500), 10),
      /** The operation, which has to be typed in, where it is account-wide. */
      to_type: name.nullable(),
      /** Of the files by which the words say it. */
      policy_hash: z.string(),
    }),
  },
  /** A person's word on a held request, as it was weighed. `typed`: what was typed in, if anything. */
  decide: {
    params: z.strictObject({
      id: holdId,
      decision: z.enum(["released", "refused"]),
      typed: z.string().max(64),
      policy_hash: z.string().max(64),
      /** For further requests like it. */
      grant: grantTerms.optional(),
    }),
    answer: z.object({ state: name }),
  },
  /** Freezes everything; cancels and reduce-only orders stay open. */
  freeze: { params: z.strictObject({ reason }), answer: freeze },
} as const

export type Asks = typeof asks
export type AskName = keyof Asks

/** What else a console with `--release` may ask. */
export const releaseAsks = ["weigh", "decide"] as const satisfies readonly AskName[]
export type ReleaseAsk = (typeof releaseAsks)[number]

export type Answer<Name extends AskName> = z.output<Asks[Name]["answer"]>

export type Entries = Answer<"entries">
/** How everything stands, and what was decided since the look before. */
export type Look = Answer<"look"> & { readonly news: Entries }
export type Decision = Entries["decisions"][number]
export type Alarm = z.output<typeof alarm>
export type Freeze = z.output<typeof freeze>
export type Hold = z.output<typeof hold>
export type Grant = NonNullable<z.output<Asks["decide"]["params"]>["grant"]>
export type Budget = z.output<typeof budget>
export type Limit = z.output<typeof limit>
export type Guard = z.output<typeof guard>
export type Key = z.output<typeof key>
export type HoldDecision = z.output<Asks["decide"]["params"]>["decision"]
export type Weighed = Answer<"weigh">
export type HeldWhole = Answer<"held">
export type RecordAnswer = Answer<"record">

/** What was asked of the vault and what became of it, for people. */
export type RecordShown = z.output<typeof record> &
  Pick<RecordAnswer, "place" | "verdicts"> & {
    /** In words: `buy 0.1 BTC-PERP at 63000, limit`. `null`, as the body, for a refusal: its body isn't recorded. */
    readonly asked: string | null
  }
