// The admin socket's calls about the clock, and about ledgers that were copied or restored.

import * as z from "zod"

export const safetyParams = {
  /** The clock, and why it is doubted. */
  lookAtClock: z.strictObject({}),
  /** `offset_ms`: of the clock that a person was shown. */
  acceptClock: z.strictObject({ offset_ms: z.int() }),
  /** The signers that wait. */
  lookAtRestore: z.strictObject({}),
  /** `signers`: as a person was shown them. */
  acceptRestore: z.strictObject({
    signers: z.array(z.strictObject({ signer: z.string().max(64), nonce: z.int() })).max(1_000),
  }),
  /** Records that a copy up to this entry was written and checked. */
  recordBackup: z.strictObject({
    head_seq: z.int().min(0),
    head_hash: z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits"),
  }),
}

/** Above which nonce each signer goes on. */
type Floors = { readonly signers: readonly { readonly signer: string; readonly nonce: number }[] }

export type SafetyResults = {
  readonly lookAtClock: { readonly now: number; readonly offset_ms: number; readonly why: string }
  readonly acceptClock: { readonly record: string; readonly now: number }
  readonly lookAtRestore: Floors
  readonly acceptRestore: Floors & { readonly record: string }
  readonly recordBackup: { readonly record: string }
}
