import type { RequestEntry } from "./entries.ts"

/** What a release is bound to: the very request that was held, down to its canonical body. */
export type HoldBinding = Pick<RequestEntry, "client" | "key" | "operation" | "target" | "body">

/** A request that waits for a person's word. */
export type HoldAsk = HoldBinding & {
  readonly policy: string
  /** The name of the policy's `hold` entry. */
  readonly rule: string
  /** What it can cost at worst, for the person who decides. */
  readonly worst: string
  readonly expiresAtMs: number
}

/** `expired`: nobody decided in time, or the release wasn't used in time. */
export type HoldState = "pending" | "released" | "refused" | "used" | "expired"

export type Hold = HoldAsk & {
  readonly id: string
  /** SHA-256 of the canonical body, hex. */
  readonly bodyHash: string
  readonly openedAtMs: number
  /** As of the time that was asked about. */
  readonly state: HoldState
  /** Who released or refused it. */
  readonly decidedBy: string | null
}

/** A person's word on a hold. */
export type HoldDecision = { readonly to: "released" | "refused"; readonly by: string }
