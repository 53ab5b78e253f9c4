// The calls of both sockets about freezes, heartbeats and panics.

import * as z from "zod"

import { type FreezeView, freezeViewSchema, outcomeSchema } from "./both-ways.ts"
import type { Refused } from "../../contract/refusal.ts"
import type { HeartbeatView, OutboxRequest, PanicView } from "../../contract/stop-views.ts"

const token = z.string().max(128)
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "the name of a client or a key")

/** Of the bot socket. */
export const stopBotParams = {
  /** The body of `POST /freeze` as it came, base64. */
  freeze: z.strictObject({ token, body: z.base64() }),
  /** The body of `POST /heartbeat` as it came, base64. */
  heartbeat: z.strictObject({ token, body: z.base64() }),
  /** Waits for requests that nobody asked for over HTTP: cancels that a missed heartbeat had signed. */
  outbox: z.strictObject({}),
  /** What became of one of these; of no other. */
  outboxReport: z.strictObject({ record: z.string().max(64), outcome: outcomeSchema }),
}

/** Of the admin socket. */
export const stopAdminParams = {
  /** `cancels`: whether cancels and reduce-only orders stay open. */
  freeze: z.strictObject({
    scope: z.enum(["all", "client", "key"]),
    name: name.nullable(),
    reason: z.string().min(1).max(200),
    cancels: z.boolean(),
    /** Who asked, where it wasn't the command line: a name that no client can have. */
    by: z
      .string()
      .regex(/^console\/[\w.@-]{1,64}$/, "console/ and a user's name")
      .optional(),
  }),
  /** The freezes to end, as a person was shown them. */
  thaw: z.strictObject({ freezes: z.array(freezeViewSchema).min(1).max(1_000) }),
  /** Freezes everything and signs the cancels of venue.yaml; the caller sends them. */
  panic: z.strictObject({ reason: z.string().min(1).max(190) }),
}

export type StopBotResults = {
  freeze: Refused | { readonly kind: "answer"; readonly freeze: FreezeView }
  heartbeat: Refused | { readonly kind: "answer"; readonly heartbeat: HeartbeatView }
  outbox: { readonly requests: readonly OutboxRequest[] }
  outboxReport: Refused | { readonly kind: "answer" }
}

export type StopAdminResults = {
  freeze: FreezeView
  /** What is frozen still. */
  thaw: readonly FreezeView[]
  panic: PanicView
}
