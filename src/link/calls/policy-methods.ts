// The admin socket's calls about the files: which are in force, what they say, what would become of requests.

import * as z from "zod"

import type { CandidateView, ReplayedRefusal, SymbolsView } from "../views/views.ts"

export const filesHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "64 hex digits, as countersign showed them")

/** Their parameters. */
export const policyParams = {
  reload: z.strictObject({}),
  /** The files in force, which needn't be those on disk. */
  filesInForce: z.strictObject({}),
  /** Those of venue.yaml. */
  listSymbols: z.strictObject({}),
  replay: z.strictObject({
    sinceMs: z.int().positive(),
    texts: z.array(z.strictObject({ name: z.string().max(256), text: z.string() })).max(1_000),
  }),
  candidate: z.strictObject({}),
  acceptPolicy: z.strictObject({ hash: filesHash }),
  rollback: z.strictObject({ hash: filesHash.optional() }),
}

/** Their results. */
export type PolicyResults = {
  reload: { readonly policy_hash: string; readonly warnings: readonly string[] }
  /** In their order; a long one in pieces, which have its name. */
  filesInForce: readonly { readonly name: string; readonly text: string }[]
  /** `files_hash`: of the files in force that say so. */
  listSymbols: SymbolsView & { readonly files_hash: string }
  replay: {
    readonly requests: number
    readonly refusals: number
    /** The first 500 of them. */
    readonly refused: readonly ReplayedRefusal[]
  }
  candidate: CandidateView
  acceptPolicy: { readonly policy_hash: string }
  rollback: { readonly hash: string; readonly policy_hash: string }
}
