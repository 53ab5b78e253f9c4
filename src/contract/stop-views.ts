// What bots, operators and the gate are shown of freezes, heartbeats and panics.

import * as z from "zod"

import type { FreezeView } from "../link/calls/both-ways.ts"
import type { SignedOperation } from "./signed.ts"

/** What a heartbeat is answered: for how long silence is taken, `null` where none counts. */
export const heartbeatViewSchema = z
  .strictObject({
    within_ms: z.int().nullable(),
    then: z.enum(["freeze", "panic"]).nullable(),
    frozen: z
      .boolean()
      .describe(
        "Whether something stops this client's orders by its default key now. A heartbeat never thaws.",
      ),
  })
  .readonly()
export type HeartbeatView = z.infer<typeof heartbeatViewSchema>

/** What of a panic is signed and to be sent by who asked for it. */
export type PanicView = {
  /** `null` where other hosts can't be told of it: then nothing is frozen. */
  readonly freeze: FreezeView | null
  readonly requests: readonly (SignedOperation & PanicAbout)[]
  readonly unsigned: readonly UnsignedPanic[]
  /** Of venue.yaml, without which a panic cancels nothing. */
  readonly add_lines: readonly string[]
}

/** `message` says why it isn't signed. */
export type UnsignedPanic = PanicAbout & { readonly message: string }

type PanicAbout = {
  readonly operation: string
  /** `null` where there was none to sign it. */
  readonly key: string | null
  readonly target: string | null
}

/** A signed request for the gate to send, compact JSON to `path`. */
export type OutboxRequest = Omit<SignedOperation, "base_url">
