// What bots, operators and the gate are shown of freezes, heartbeats and panics.

import type { SignedOperation } from "./views.ts"

/** A stop that holds until an operator thaws it. `cancels`: whether cancels and reduce-only orders stay open. */
export type FreezeView = {
  readonly scope: "all" | "client" | "key"
  readonly name: string | null
  readonly reason: string
  readonly by: string
  readonly cancels: boolean
  readonly since: number
}

/** What a heartbeat is answered: for how long silence is taken, `null` where none counts. */
export type HeartbeatView = {
  readonly within_ms: number | null
  readonly then: "freeze" | "panic" | null
  /** Whether something stops this client's orders by its default key now. A heartbeat never thaws. */
  readonly frozen: boolean
}

/** What of a panic is signed and to be sent by who asked for it. */
export type PanicView = {
  readonly freeze: FreezeView
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
export type OutboxRequest = {
  readonly record: string
  readonly path: string
  readonly body: string
  readonly expires_after: number
}
