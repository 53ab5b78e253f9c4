// The admin socket's calls that read, prove and archive what was recorded. Whoever wants much calls often:
// each call is short for the vault.

import * as z from "zod"

import type { WholeRecord } from "../../contract/views.ts"

const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const name = z.string().max(64)
const hash = z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits")
const ms = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

const checkpoint = z.strictObject({
  at_ms: ms,
  head_seq: seq,
  head_hash: hash,
  public_key: hash,
  signature: z.string().regex(/^[0-9a-f]{128}$/, "128 hex digits"),
})

/** A signed head of the journal, as it is kept outside. */
export const checkpointSchema = checkpoint

const archived = z.strictObject({
  file: z.string().max(256),
  sha256: hash,
  first_seq: seq,
  last_seq: seq,
  last_hash: hash,
  from_ms: ms,
  to_ms: ms,
})

const position = z.strictObject({
  seq,
  hash,
  publicKey: hash.nullable(),
  nonces: z.record(z.string().max(64), z.int()),
  ever: z.record(z.string(), z.string().regex(/^\d+(\.\d+)?$/)),
  checkpoint: checkpoint.nullable(),
  archived: archived.nullable(),
  kept: z.strictObject({ seq, hash }).nullable(),
})

/** How many entries a call takes at most. */
export const maxAuditEntries = { page: 1_000, verify: 50_000 } as const

export const auditParams = {
  auditEnds: z.strictObject({}),
  /** Upwards from after an entry, or downwards from before one; from the newest downwards without either. */
  auditPage: z
    .strictObject({
      afterSeq: seq.optional(),
      beforeSeq: seq.optional(),
      limit: z.int().min(1).max(maxAuditEntries.page),
      client: name.optional(),
      key: name.optional(),
      kind: name.optional(),
      sinceMs: ms.optional(),
    })
    .refine(
      ({ afterSeq, beforeSeq }) => afterSeq === undefined || beforeSeq === undefined,
      "either afterSeq or beforeSeq",
    ),
  /** The rest of a row that a page cut off. */
  auditRow: z.strictObject({ seq, offsetBytes: seq }),
  /** A record or hold by id, or an entry by its number. */
  auditShow: z.strictObject({ id: name }),
  /** A request or refusal by its record's id. */
  auditRecord: z.strictObject({ id: name }),
  auditVerify: z.strictObject({
    from: position.nullable(),
    count: z.int().min(1).max(maxAuditEntries.verify),
  }),
  /** For after the entries: whether the tables agree. */
  auditVerifyTables: z.strictObject({
    from: z.strictObject({ table: z.enum(["requests", "refusals"]), rowid: z.int() }).nullable(),
    position,
  }),
  auditCheckpoint: z.strictObject({}),
  /** What may go into an archive next. */
  auditArchivable: z.strictObject({ afterSeq: seq, beforeMs: ms }),
  /** Records that entries are in a file, which is durable and checked. */
  auditArchive: archived.extend({
    file: z
      .string()
      .regex(/^countersign-archive-\d{1,16}-\d{1,16}\.jsonl\.gz$/, "an archive's name"),
  }),
  /** Removes some of the entries that are in an archive. */
  auditTrim: z.strictObject({}),
}

/** An entry as it crosses. */
export type EntryView = {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly at: number
  /** Hex. */
  readonly hash: string
  /** The first bytes of the row, base64; `auditRow` has the rest where `bytes` says that there is more. */
  readonly row: string
  readonly bytes: number
}

export type PositionView = z.infer<typeof position>
export type CheckpointView = z.infer<typeof checkpoint>

/** The first entry that is broken, missing or out of order; `id` is null where none is there. */
export type FlawView = {
  readonly seq: number
  readonly id: string | null
  readonly what: string
  readonly isUnread?: true
}

export type AuditResults = {
  readonly auditEnds: {
    readonly seq: number
    readonly hash: string
    readonly archived_seq: number
    readonly archived_hash: string
    /** That the last checkpoint was signed with; `null` where there is none. */
    readonly public_key: string | null
  }
  readonly auditPage: {
    readonly entries: readonly EntryView[]
    /** To go on from. */
    readonly next: number
    readonly is_end: boolean
  }
  readonly auditRow: { readonly part: string; readonly bytes: number }
  readonly auditShow: {
    readonly entry: EntryView | null
    readonly others: readonly EntryView[]
    /** The file that it is in if there ever was one. */
    readonly archive: string | null
  }
  readonly auditRecord: WholeRecord | null
  readonly auditVerify: {
    readonly position: PositionView
    readonly checked: number
    readonly flaw: FlawView | null
    readonly isEnd: boolean
  }
  readonly auditVerifyTables: {
    readonly next: { readonly table: "requests" | "refusals"; readonly rowid: number } | null
    readonly flaw: FlawView | null
  }
  readonly auditCheckpoint: { readonly signed: boolean }
  readonly auditArchivable: {
    readonly entries: readonly EntryView[]
    /** Why it ends here; null while there may be more. */
    readonly end: { readonly seq: number; readonly why: string } | "journal_ends" | null
  }
  readonly auditArchive: { readonly record: string }
  readonly auditTrim: { readonly removed: number }
}
