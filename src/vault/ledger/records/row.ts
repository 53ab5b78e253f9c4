import * as z from "zod"

import type { Refusal } from "../../../contract/refusal.ts"
import { takenOrderSchema } from "../../../link/calls/both-ways.ts"
import type { Immutable } from "../../../std/immutable.ts"
import { clientSchema, keySchema } from "./bindings.ts"
import { addressSchema, decimalText, operationSchema, text, whole } from "./fields.ts"
import { freezeSchema, freezeScope } from "./freeze.ts"
import { guardStateSchema, marksSchema } from "./guard-rows.ts"
import { grantLeftSchema, grantSchema, holdSchema } from "./hold.ts"
import { priceSchema } from "./prices.ts"

// The journal's rows as they are written: docs/ledger-schema.md describes them. What is stored can't be changed later,
// so a new field is a new optional field, and a new meaning is a new kind. What a row says is called by these names
// wherever it is known. Times are milliseconds since 1970, hashes and signatures hex, decimals text.

const known = decimalText.nullable()

/** What an order was sized at, and what it might lose at once, which older versions didn't write. */
const sizes = z.array(z.object({ entry: known, legs: z.array(known), cost: known.exactOptional() }))

const asked = {
  ...{ client: text, key: text, operation: operationSchema, path: text },
  target: addressSchema.nullable(),
  /** Canonical JSON of the business fields: what was judged and what is hashed. */
  body: text,
  policy_hash: text,
  signer: addressSchema,
  /** What its orders were sized at, in their order; left out where there are none. */
  sizes: sizes.exactOptional(),
}

const refund = z.object({
  ...{ meter: text, amount: decimalText, max: decimalText },
  window: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("rolling"), length_ms: whole }),
    z.object({ kind: z.literal("day"), start_ms: whole, end_ms: whole }),
  ]),
})

/** What a repeat of a request is known by. */
const idempotency = z.object({
  by: z.enum(["header", "client_order_id", "check"]),
  key: text,
  /** SHA-256 of what was asked and of what the signature is made from. */
  binding: text,
  /** The request that had the key before, if it was kept long enough. */
  replaces: text.exactOptional(),
})

const request = z.object({
  ...asked,
  /** `policy/rule` that allowed it. */
  rule: text,
  purpose: z.enum(["return", "forward"]),
  ...{ nonce: whole, expires_after: whole },
  /** The hold whose release it used up. */
  release: text.exactOptional(),
  /** The grant that it was signed under, and what was left of that after. */
  grant: grantLeftSchema.exactOptional(),
  /** What each meter of a limit with `window: ever` has counted, this request among it. */
  ever: z.record(text, decimalText).exactOptional(),
  /** What a refusal of its only send gives back; of forwarded requests alone. */
  refunds: z.array(refund).exactOptional(),
  /** The time that its claims count from, where that isn't `at_ms`: the clock had gone back. */
  counted_at: whole.exactOptional(),
  /** Of a single order. */
  client_order_id: text.exactOptional(),
  idempotency: idempotency.exactOptional(),
  /** The trace that the bot said it belongs to. */
  traceparent: text.exactOptional(),
  /** Signed while its host couldn't follow the others: later entries may be earlier, with nonces below its own. */
  isolated: z.literal(true).exactOptional(),
})

const refusal = z.object({
  ...{
    client: text,
    key: text.nullable(),
    operation: operationSchema.nullable(),
    policy_hash: text,
  },
  refusal: z.custom<Refusal>((each) => z.object({ code: text }).safeParse(each).success),
})

const outcome = z.object({
  record: text,
  outcome: z.enum(["unsent", "sent", "unknown", "refused", "accepted"]),
  status: whole.nullable(),
  code: text.nullable(),
  /** As in a request: the time that room is given back at. */
  counted_at: whole.exactOptional(),
  /** The same bytes may have been sent before. */
  again: z.literal(true).exactOptional(),
  /** The `sent` before it didn't happen. */
  withdrawn: z.literal(true).exactOptional(),
  /** What the venue answered, of requests that have an idempotency key. */
  answer: z
    .object({ body: text, type: text.optional(), encoding: text.optional() })
    .exactOptional(),
  order: takenOrderSchema.strip().exactOptional(),
})

const named = z.object({ name: text })
const ofClient = z.object({ client: text })
const nothing = z.object({})
const decidedHold = z.object({ hold: text, by: text })

/** A limit's maximum for some time. */
export const raiseSchema = z.object({ limit: text, to: decimalText, until: whole, reason: text })

/** What an operator did, or what follows from an accepted request. */
const acts = {
  started: z.object({ policy_hash: text }),
  /** A call of the admin socket came, and who the command said runs it; what it changed follows, if anything. */
  asked: z.object({ method: text, by: text }),
  key_added: z.object({ key: keySchema }),
  key_exported: named,
  /** The secret was destroyed. */
  key_removed: named,
  key_targets_set: named.extend({ targets: z.array(addressSchema) }),
  /** In every client's list `to` stands where `from` stood, and `from` is retired. */
  key_replaced: z.object({ from: text, to: text }),
  client_added: z.object({ client: clientSchema }),
  /** As it is from then on. */
  client_set: z.object({ client: clientSchema }),
  client_token_set: named.extend({ token_hash: text }),
  client_revoked: named,
  locked: z.object({ by: text }),
  unlocked: nothing,
  frozen: freezeSchema,
  thawed: freezeScope,
  /** From now on its silence counts, until it is `missed`. */
  heartbeat_armed: ofClient,
  heartbeat_missed: ofClient,
  /** `wallet`: the address of the wallet that approved it from elsewhere. */
  agent_approved: named.extend({
    ...{ expires_at: whole, record: text, wallet: addressSchema.exactOptional() },
  }),
  agent_revoked: named.extend({ record: text }),
  hold_opened: holdSchema,
  hold_released: decidedHold,
  hold_refused: decidedHold,
  /** Decided for requests like it too, itself among them. */
  hold_granted: grantSchema.omit({ ended: true }).extend({ by: text }),
  grant_ended: decidedHold,
  price_set: priceSchema,
  /** Takes the place of an earlier one of the same limit: `policy/name`, in older ledgers a limit's name alone. */
  limit_raised: raiseSchema,
  limit_raise_ended: z.object({ limit: text }),
  /** What losses of an account are counted from was moved: by a reading, or by a person who says why. */
  account_marked: marksSchema.extend({
    /** What a reading rose by, and no profit explains. */
    deposit: decimalText.exactOptional(),
    /** A person has losses counted from here on; no guard of the account stands tripped. */
    anchored: z.literal(true).exactOptional(),
    reason: text.exactOptional(),
  }),
  guard_tripped: guardStateSchema.extend({ lost: decimalText }),
  guard_rearmed: guardStateSchema.extend({ reason: text }),
  /** `files` is left out where an earlier entry with this hash has them. */
  set_activated: z.object({
    hash: text,
    files: z.array(z.object({ name: text, text })).exactOptional(),
  }),
  set_accepted: z.object({ hash: text }),
  /** Entries that were moved into a file, which is durable. */
  archived: z.object({
    /** Its name without a directory. */
    file: text,
    /** Of the file's bytes. */
    sha256: text,
    ...{ first_seq: whole, last_seq: whole },
    /** Of the entry `last_seq`: what the next one is chained to. */
    last_hash: text,
    /** The earliest and the latest `at_ms` among them. */
    ...{ from_ms: whole, to_ms: whole },
  }),
  /** A copy up to and with the entry `head_seq` was written and checked; `head_hash` is that entry's. */
  backed_up: z.object({ head_seq: whole, head_hash: text }),
  /** From here on the ledger has another name, and these signers of an older one go on above these nonces. */
  restore_accepted: z.object({
    ledger: z.string().regex(/^[0-9a-f]{32}$/),
    signers: z.array(z.object({ signer: addressSchema, nonce: whole })),
  }),
  clock_accepted: nothing,
}

/** An entry's kind and what it says besides its id and its time. */
export const rowSchemas = {
  request,
  /** A request that was only asked about, kept to be signed by and to be judged again by other files. */
  shadow: z.object(asked),
  refusal,
  /** `count` more refusals like the one of `record` came within its second. */
  repeats: z.object({ record: text, count: whole }),
  /** `count` refusals came while too many waited to be written. */
  omitted: z.object({ count: whole }),
  outcome,
  /** The entry before it, signed with the ledger's key. */
  checkpoint: z.object({ head_seq: whole, head_hash: text, public_key: text, signature: text }),
}
export const actSchemas: Readonly<Record<keyof typeof acts, z.ZodType>> = acts

/** Nothing, of a schema without fields. */
type Says<Schema extends z.ZodType> = string extends keyof z.infer<Schema>
  ? unknown
  : Immutable<z.infer<Schema>>
type Row<Kind extends string, Said> = {
  readonly kind: Kind
  readonly id: string
  readonly at_ms: number
} & Said
export type RowsOf = {
  readonly [Kind in keyof typeof rowSchemas]: Row<Kind, Says<(typeof rowSchemas)[Kind]>>
}
export type Acts = {
  readonly [Name in keyof typeof acts]: { readonly act: Name } & Says<(typeof acts)[Name]>
}

export type RequestRow = RowsOf["request"]
export type ShadowRow = RowsOf["shadow"]
export type RefusalRow = RowsOf["refusal"]
export type OutcomeRow = RowsOf["outcome"]
export type Act = Acts[keyof Acts]
export type ActRow = Row<"act", Act>
export type RowOf<Name extends Act["act"]> = Row<"act", Acts[Name]>
export type JournalRow = RowsOf[keyof RowsOf] | ActRow

export type Idempotency = Says<typeof idempotency>
export type Raise = Says<typeof raiseSchema>
export type ArchivedFields = Says<(typeof acts)["archived"]>
