// The admin socket's calls about the files: which are in force, what they say, what would become of requests.

import * as z from "zod"

import type { Warning } from "../../contract/views.ts"
import type { SymbolsView } from "../../contract/bot-views.ts"

export const policyHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "64 hex digits, as countersign showed them")

/** Their parameters. */
export const policyParams = {
  /** `hash`: of the files that were looked at. */
  reload: z.strictObject({ hash: policyHash.optional() }),
  /** The files in force, which needn't be those on disk. The ledger has those that were before. */
  filesInForce: z.strictObject({}),
  /** How the files on disk are others than those in force. */
  filesOnDisk: z.strictObject({}),
  /** Those of venue.yaml. */
  listSymbols: z.strictObject({}),
  acceptPolicy: z.strictObject({ hash: policyHash }),
  rollback: z.strictObject({ hash: policyHash }),
}

/** Their results. */
export type PolicyResults = {
  reload: { readonly policy_hash: string; readonly warnings: readonly string[] }
  /** In their order; a long one in pieces, which have its name. */
  filesInForce: readonly { readonly name: string; readonly text: string }[]
  /** `policy_hash`: of the files in force that say so. */
  listSymbols: SymbolsView & { readonly policy_hash: string }
  acceptPolicy: { readonly policy_hash: string }
  rollback: { readonly policy_hash: string }
  filesOnDisk: { readonly differ: Warning | null }
}
