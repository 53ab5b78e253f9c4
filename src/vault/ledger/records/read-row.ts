import * as z from "zod"

import { parseAddress } from "../../../venue/address.ts"
import { clientSchema, keySchema } from "./read-bindings.ts"
import type { Act, JournalRow } from "./row.ts"

/**
 * Reads a row that another host wrote: each field that anything follows from has the shape that this version writes. A
 * field that it doesn't know may be a later version's; a kind or an act isn't, for something would follow from it there
 * and not here.
 *
 * @throws {RowError} with what is wrong.
 */
export function readRow(text: string): JournalRow {
  const row = parsed(text)
  const read = rowOf.safeParse(row)
  const kind = read.success ? kinds[read.data.kind].safeParse(row) : read
  if (kind.success) return row as JournalRow
  const { path = [], message = "unreadable" } = kind.error.issues[0] ?? {}
  throw new RowError(`${path.map(String).join(".")}: ${message}`)
}

export class RowError extends Error {}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RowError("no JSON")
  }
}

const text = z.string()
/** Also a time in milliseconds; below 2^53. */
const whole = z.int().nonnegative()
const decimal = z.string().regex(/^\d+(?:\.\d+)?$/)
const address = z.string().refine((each) => parseAddress(each) === each, "no address")
const amounts = z.object({ entry: decimal.nullable(), legs: z.array(decimal.nullable()) })

const window = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("rolling"), length_ms: whole }),
  z.object({ kind: z.literal("day"), start_ms: whole, end_ms: whole }),
])

const asked = z.object({
  ...{ client: text, key: text, operation: text, path: text, body: text, policy_hash: text },
  target: address.nullable(),
  signer: address,
  sizes: z.array(amounts).optional(),
})

const request = asked.extend({
  ...{ rule: text, purpose: text, nonce: whole, expires_after: whole },
  release: text.optional(),
  ever: z.record(text, decimal).optional(),
  refunds: z.array(z.object({ meter: text, amount: decimal, max: decimal, window })).optional(),
  counted_at: whole.optional(),
  client_order_id: text.optional(),
  idempotency: z
    .object({
      by: z.enum(["header", "client_order_id"]),
      ...{ key: text, binding: text, replaces: text.optional() },
    })
    .optional(),
  traceparent: text.optional(),
  isolated: z.literal(true).optional(),
})

const outcome = z.object({
  record: text,
  outcome: z.enum(["unsent", "sent", "unknown", "refused", "accepted"]),
  status: whole.nullable(),
  code: text.nullable(),
  counted_at: whole.optional(),
  again: z.literal(true).optional(),
  withdrawn: z.literal(true).optional(),
  answer: z.object({ body: text, type: text.optional(), encoding: text.optional() }).optional(),
})

const named = z.object({ name: text })
const ofClient = z.object({ client: text })
const nothing = z.object({})
const price = z.object({ value: decimal, by: text })
const decidedHold = z.object({ hold: text, by: text })

const acts: Readonly<Record<Act["act"], z.ZodType>> = {
  started: nothing,
  asked: z.object({ method: text, by: text }),
  key_added: z.object({ key: keySchema }),
  key_exported: named,
  key_removed: named,
  key_targets_set: named.extend({ targets: z.array(address) }),
  key_replaced: z.object({ from: text, to: text }),
  client_added: z.object({ client: clientSchema }),
  client_set: z.object({ client: clientSchema }),
  client_token_set: named.extend({ token_hash: text }),
  client_revoked: named,
  locked: z.object({ by: text }),
  unlocked: nothing,
  frozen: z.object({
    ...{ scope: z.enum(["all", "key", "client"]), name: text.nullable(), reason: text, by: text },
    ...{ cancels: z.boolean(), since: whole },
  }),
  thawed: z.object({ scope: text, name: text.nullable() }),
  heartbeat_armed: ofClient,
  heartbeat_missed: ofClient,
  agent_approved: named.extend({ expires_at: whole, record: text, wallet: text.optional() }),
  agent_revoked: named.extend({ record: text }),
  hold_opened: z.object({
    ...{ hold: text, client: text, key: text, operation: text, target: address.nullable() },
    ...{ body_hash: text, body: text, policy: text, rule: text, worst: text, expires_at: whole },
  }),
  hold_released: decidedHold,
  hold_refused: decidedHold,
  price_set: price.extend({
    ...{ symbol_id: whole, as_of: whole, confirmed: z.boolean() },
    drift: z
      .object({
        ...{ anchor: decimal, anchor_at: whole, allowance: z.string().regex(/^\d+$/) },
        held: price.extend({ at: whole }).nullable(),
      })
      .nullish(),
  }),
  limit_raised: z.object({ limit: text, to: decimal, until: whole, reason: text }),
  limit_raise_ended: z.object({ limit: text }),
  set_activated: z.object({
    hash: text,
    files: z.array(z.object({ name: text, text })).optional(),
  }),
  set_accepted: z.object({ hash: text }),
  archived: z.never("no host of several has archives"),
  backed_up: z.object({ head_seq: whole, head_hash: text }),
  restore_accepted: z.object({
    ledger: z.string().regex(/^[0-9a-f]{32}$/),
    signers: z.array(z.object({ signer: address, nonce: whole })),
  }),
  clock_accepted: nothing,
}

const act = z
  .looseObject({ act: z.string().refine((each): each is Act["act"] => Object.hasOwn(acts, each)) })
  .superRefine((row, context) => {
    for (const issue of acts[row.act].safeParse(row).error?.issues ?? [])
      context.addIssue({ code: "custom", message: issue.message, path: issue.path })
  })

const kinds: Readonly<Record<JournalRow["kind"], z.ZodType>> = {
  request,
  shadow: asked,
  refusal: z.object({
    ...{ client: text, key: text.nullable(), operation: text.nullable(), policy_hash: text },
    refusal: z.object({ code: text }),
  }),
  repeats: z.object({ record: text, count: whole }),
  omitted: z.object({ count: whole }),
  outcome,
  checkpoint: z.object({ head_seq: whole, head_hash: text, public_key: text, signature: text }),
  act,
}

const rowOf = z.object({
  kind: z
    .string()
    .refine((each): each is JournalRow["kind"] => Object.hasOwn(kinds, each), "unknown"),
  id: text,
  at_ms: whole,
})
