// What one side tells and the other gives back: the vault checks it by these schemas as it comes in.

import * as z from "zod"

/** What a client may do besides asking for signatures. Here, for the ledger's thread needs them and no call. */
export const clientRights = ["prices", "account", "freeze", "heartbeat", "metrics"] as const

/** A stop that holds until an operator thaws it. `cancels`: whether cancels and reduce-only orders stay open. */
export const freezeViewSchema = z
  .strictObject({
    scope: z.enum(["all", "client", "key"]),
    name: z.string().nullable(),
    reason: z.string(),
    by: z.string(),
    cancels: z.boolean().describe("Whether cancels and reduce-only orders stay open."),
    since: z.int().describe("Milliseconds since 1970."),
  })
  .readonly()
export type FreezeView = z.infer<typeof freezeViewSchema>

/** The longest answer of a venue that is kept, in bytes. */
export const maxKeptAnswerBytes = 65_536

/** A venue's answer, to be given again. */
const keptAnswer = z.strictObject({
  /** Base64. */
  body: z.base64().max(4 * Math.ceil(maxKeptAnswerBytes / 3)),
  /** `Content-Type` and `Content-Encoding`, where there were any. */
  type: z.string().max(256).optional(),
  encoding: z.string().max(64).optional(),
})
export type KeptAnswer = z.infer<typeof keptAnswer>

const word = z.string().max(128)

/** What the venue calls an order that it took, and its state: its own words, from which nothing follows. */
export const takenOrderSchema = z.strictObject({ order_id: word, state: word, tx_hash: word })

/** What the gate saw of a forwarded request. Informs; it never frees headroom. */
export const outcomeSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("sent") }),
  /**
   * `withdrawn`: nor did a byte leave of what was told as sent right before it, or the venue refused that for its
   * pace, in these words, and processed nothing.
   */
  z.strictObject({
    kind: z.literal("unsent"),
    withdrawn: z.literal(true).optional(),
    status: z.int().optional(),
    code: z.string().max(64).optional(),
  }),
  z.strictObject({
    kind: z.enum(["accepted", "refused"]),
    status: z.int(),
    code: z.string().max(64),
    /** The same bytes may have been sent before, so a refusal proves nothing. */
    again: z.literal(true).optional(),
    /** Of requests that have an idempotency key. */
    answer: keptAnswer.optional(),
    order: takenOrderSchema.optional(),
    /** Which of its rate budgets the venue said is spent. */
    spent: z.enum(["address", "ip"]).optional(),
  }),
  z.strictObject({ kind: z.literal("unknown"), status: z.int().nullable() }),
])
export type Outcome = z.infer<typeof outcomeSchema>
