// The one answer to "what does it sign?": status, doctor, readiness, refusals, systemd, metrics, console and webhook
// tell what it says, and derive nothing beside it.

import * as z from "zod"

/** All that policies allow; only cancels and reduce-only orders; only cancels; nothing. */
export const signsSchema = z.enum(["all", "reduce_only", "cancels", "nothing"])
export type Signs = z.infer<typeof signsSchema>

/** Why not everything is signed. Scripts read these words: they stay. */
const reasonCodes = [
  "not_running",
  "ledger_unavailable",
  "restore_unaccepted",
  "isolated",
  "clock_unsafe",
  "locked",
  "frozen",
  "disk_low",
  "agent_expiring",
  "price_stale",
  "price_unconfirmed",
  "action_tag_undisclosed",
] as const

/** One of them, with what it is about. */
export type Reason = {
  readonly code: (typeof reasonCodes)[number]
  readonly scope: "all" | "client" | "key" | "symbol"
  /** Of the client, key or symbol; `null` for all. */
  readonly name: string | null
  /** What of its scope is still signed; `some`: the message says what isn't. */
  readonly signs: "nothing" | "cancels" | "reduce_only" | "some"
  /** One plain sentence or two. */
  readonly message: string
  /** What somebody wrote about it; a bot may have. */
  readonly note: string | null
  /** What to do. Where that is a command of ours, it stands at the end, without the installation's place. */
  readonly fix: string
}

export type Signing = {
  /** What holds for every request; a reason of a narrower scope takes its own away. */
  readonly signs: Signs
  /** The same with the gravest reason, in words without a capital and a full stop. */
  readonly words: string
  /** The gravest first, and no more than 100. */
  readonly reasons: readonly Reason[]
}

/** What is told to whoever asks, without a token: no names, and nothing that somebody wrote. */
export const openSigningSchema = z
  .strictObject({
    signs: signsSchema.describe("What the vault signs now, as far as policies allow it."),
    reasons: z.array(z.enum(reasonCodes)).readonly().describe("Why not all; the gravest first."),
  })
  .readonly()
export type OpenSigning = z.infer<typeof openSigningSchema>
