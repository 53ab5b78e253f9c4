import { parseJson } from "../std/parse-json.ts"
import type {
  ActRow,
  ArchivedFields,
  RowsOf,
  JournalRow,
  RequestRow,
} from "../vault/ledger/records/row.ts"
import { chainHash } from "../vault/ledger/sqlite/journal.ts"
import type { Checkpoint, JournalHead } from "../vault/ledger/store/audit-queries.ts"
import type { StoredEntry } from "./stored-entry.ts"
import { isSigned } from "../vault/ledger/audit/checkpoint.ts"

/** The first entry that isn't what it should be. */
export type Flaw = {
  readonly seq: number
  /** `null` where the entry is missing. */
  readonly id: string | null
  /** What is wrong, in a sentence without its full stop. */
  readonly what: string
  /** The machine failed: nothing is known of this entry and what follows. */
  readonly isUnread?: true
}

/** How far a chain was checked, and what the entries up to there said. */
export type ChainPosition = {
  readonly seq: number
  /** Of the entry `seq`, hex. */
  readonly hash: string
  /** Of the checkpoints so far. */
  readonly publicKey: string | null
  /** The last nonce of each signer so far. */
  readonly nonces: Readonly<Record<string, number>>
  /** What each meter that counts for ever has counted so far. */
  readonly ever: Readonly<Record<string, string>>
  readonly checkpoint: Checkpoint | null
  /** The last act of archiving so far. */
  readonly archived: ArchivedFields | null
  /** Heads that are known from elsewhere: the entries that must have these hashes. */
  readonly kept: readonly KeptHead[]
}

/** `by`: where it is known from, in words. */
export type KeptHead = JournalHead & { readonly by: string }

/** Where a chain starts, or goes on after the last entry of an archive. */
export function chainStart(seq = 0, hash = "0".repeat(64)): ChainPosition {
  return {
    seq,
    hash,
    publicKey: null,
    ...{ nonces: {}, ever: {} },
    checkpoint: null,
    archived: null,
    kept: [],
  }
}

/** Takes entries one after the other. */
export type ChainCheck = ReturnType<typeof openChainCheck>

export type NumberedRow = JournalRow & { readonly seq: number }

/** Goes on from `start`. */
export function openChainCheck(start: ChainPosition) {
  const seen: Seen = { ...start, nonces: { ...start.nonces }, ever: { ...start.ever } }
  let head: Uint8Array = Buffer.from(start.hash, "hex")
  let row: NumberedRow | undefined
  return {
    /** What is wrong with the entry, if anything is; the check ends there. */
    take(entry: StoredEntry): Flaw | undefined {
      const gap = gapBefore(entry, seen.seq + 1)
      if (gap !== undefined) return gap
      row = parseRow(entry.row)
      const hash = chainHash(head, entry.row)
      const wrong = linkWrong(entry, row, hash) ?? (row && contentWrong(row, seen, head))
      if (wrong !== undefined) return { seq: entry.seq, id: entry.id, what: wrong }
      head = hash
      seen.seq = entry.seq
      return keptWrong(entry, seen)
    },
    position: () => ({ ...seen, hash: Buffer.from(head).toString("hex") }),
    /** The row of the entry that was taken last. */
    row: () => row,
  }
}

type Seen = { -readonly [Field in keyof ChainPosition]: ChainPosition[Field] } & {
  nonces: Record<string, number>
}

function gapBefore({ seq }: StoredEntry, expected: number): Flaw | undefined {
  if (seq === expected) return undefined
  const last = seq - 1
  if (last < expected) return { seq: expected, id: null, what: `entry ${seq} is in its place` }
  const what =
    last === expected ? "it is missing" : `it and what follows up to entry ${last} are missing`
  return { seq: expected, id: null, what }
}

function parseRow(text: string): NumberedRow | undefined {
  const row = parseJson(text)
  // What the chain holds together, row.ts wrote; what it doesn't is told before it is used.
  return typeof row === "object" && row !== null ? (row as NumberedRow) : undefined
}

/** Whether the entry says what its row says and follows from the one before it. */
function linkWrong(
  entry: StoredEntry,
  row: NumberedRow | undefined,
  hash: Uint8Array,
): string | undefined {
  if (row === undefined) return "its row was changed: it can't be read any more"
  if (row.seq !== entry.seq && Number.isInteger(row.seq)) {
    return `its row says that it is entry ${row.seq}: entries were reordered or renumbered`
  }
  if (Buffer.compare(hash, entry.hash) !== 0) return hashWrong
  return columnWrong(entry, row)
}

function columnWrong(entry: StoredEntry, row: NumberedRow): string | undefined {
  const isAlike = row.id === entry.id && row.kind === entry.kind && row.at_ms === entry.at_ms
  if (isAlike && row.seq === entry.seq) return undefined
  const column = (["seq", "id", "kind", "at_ms"] as const).find((name) => row[name] !== entry[name])
  return `its column ${column ?? ""} doesn't say what its row says`
}

/** What is said before it is known which of the two it was. */
export const hashWrong = "its row or its hash was changed"

function contentWrong(row: NumberedRow, seen: Seen, head: Uint8Array): string | undefined {
  switch (row.kind) {
    case "request":
      Object.assign(seen.ever, row.ever)
      return nonceWrong(row, seen)
    case "checkpoint":
      return checkpointWrong(row, seen, head)
    case "act":
      noteArchived(row, seen)
      return undefined
    case "refusal":
    case "repeats":
    case "omitted":
    case "outcome":
    case "shadow":
      return undefined
  }
}

/** The journal has a signer's nonces in the order in which they were taken, and they only ever rise; but for those of isolated hosts. */
function nonceWrong({ signer, nonce, isolated }: RequestRow, seen: Seen): string | undefined {
  if (isolated === true) return undefined
  const last = seen.nonces[signer]
  if (last !== undefined && nonce <= last) {
    return `its nonce ${nonce} isn't above ${last}, an earlier one of the signer ${signer}`
  }
  seen.nonces[signer] = nonce
  return undefined
}

function checkpointWrong(
  row: RowsOf["checkpoint"],
  seen: Seen,
  head: Uint8Array,
): string | undefined {
  const { at_ms, head_seq, head_hash, public_key, signature } = row
  const checkpoint = { at_ms, head_seq, head_hash, public_key, signature }
  if (head_seq !== seen.seq || head_hash !== Buffer.from(head).toString("hex")) {
    return "the checkpoint isn't of the entry before it"
  }
  if (public_key !== (seen.publicKey ?? public_key)) {
    return "the checkpoint was signed with another key than those before it"
  }
  if (!isSigned(checkpoint)) return "the checkpoint's signature isn't the ledger key's"
  seen.publicKey = public_key
  seen.checkpoint = checkpoint
  return undefined
}

function noteArchived(row: ActRow, seen: Seen): void {
  if (row.act !== "archived") return
  const { file, sha256, first_seq, last_seq, last_hash, from_ms, to_ms } = row
  seen.archived = { file, sha256, first_seq, last_seq, last_hash, from_ms, to_ms }
}

function keptWrong(entry: StoredEntry, { kept }: Seen): Flaw | undefined {
  const hash = Buffer.from(entry.hash).toString("hex")
  const other = kept.find((head) => head.seq === entry.seq && head.hash !== hash)
  if (other === undefined) return undefined
  const what = `it or an entry before it isn't the one of ${other.by}`
  return { seq: entry.seq, id: entry.id, what }
}
