// The admin socket's calls that prove and archive what was recorded. Commands read the ledger by themselves.

import * as z from "zod"

const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const hash = z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits")
const ms = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

/** A signed head of the journal, as it is kept outside. */
export const checkpointSchema = z.strictObject({
  at_ms: ms,
  head_seq: seq,
  head_hash: hash,
  public_key: hash,
  signature: z.string().regex(/^[0-9a-f]{128}$/, "128 hex digits"),
})

export const auditParams = {
  /** Where the journal ends; all of it is on the disk then. */
  ledgerHead: z.strictObject({}),
  auditCheckpoint: z.strictObject({}),
  /** What may go into an archive next; `null`: as `archive` in countersign.yaml says. */
  auditArchivable: z.strictObject({ before_ms: ms.nullable() }),
  /** Records that entries are in a file, which is durable and checked. */
  auditArchive: z.strictObject({
    file: z
      .string()
      .regex(/^countersign-archive-\d{1,16}-\d{1,16}\.jsonl\.gz$/, "an archive's name"),
    sha256: hash,
    first_seq: seq,
    last_seq: seq,
    last_hash: hash,
    from_ms: ms,
    to_ms: ms,
  }),
  /** Removes some of the entries that are in an archive. */
  auditTrim: z.strictObject({}),
}

export type AuditResults = {
  readonly ledgerHead: { readonly seq: number; readonly hash: string }
  readonly auditCheckpoint: { readonly signed: boolean }
  readonly auditArchivable: {
    /** The last entry that may go. */
    readonly last_seq: number
    /** Why the next one stays; `null` where there is none. */
    readonly stays: { readonly seq: number; readonly why: string } | null
  }
  readonly auditArchive: { readonly record: string }
  readonly auditTrim: { readonly removed: number }
}
