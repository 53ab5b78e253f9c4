import type { RequestRow } from "../vault/ledger/records/row.ts"
import {
  hashWrong,
  openChainCheck,
  type ChainCheck,
  type ChainPosition,
  type Flaw,
  type NumberedRow,
} from "./chain-check.ts"
import { chainHash, hexHead, readArchivedHead, readTrail } from "../vault/ledger/sqlite/journal.ts"
import { isOfMachine } from "../vault/ledger/sqlite/sqlite-fault.ts"
import type { StoredEntry } from "../vault/ledger/store/audit-queries.ts"
import type { Head } from "../vault/ledger/store/store.ts"
import { atOneMoment, type LedgerReader } from "./open-ledger.ts"

/** One step of a check. */
type CheckStep = {
  readonly position: ChainPosition
  /** How many entries it took. */
  readonly checked: number
  readonly flaw: Flaw | null
  /** Whether it came to the end of the journal. */
  readonly isEnd: boolean
}

/** How many entries a step takes. */
const stepEntries = 2_000

/** Checks the entries after a position, some at a time. It never throws for what is wrong with them. */
export function checkEntries(ledger: LedgerReader, from: ChainPosition): CheckStep {
  return atOneMoment(ledger, () => {
    const start = startOf(from, readArchivedHead(ledger))
    const check = openChainCheck(start)
    const { checked, flaw: broken } = takeEntries(ledger, start.seq, check)
    const position = check.position()
    const isEnd = broken === null && checked < stepEntries
    const flaw = broken ?? (isEnd ? missingAtEnd(position) : null)
    return { position, checked, flaw: flaw && refined(ledger, flaw, check), isEnd }
  })
}

/** The entry after the broken one tells which of the two was changed. */
function refined(ledger: LedgerReader, flaw: Flaw, check: ChainCheck): Flaw {
  if (flaw.what !== hashWrong) return flaw
  const position = check.position()
  const [entry, next] = ledger
    .prepare("SELECT row, hash FROM entries WHERE seq > ? ORDER BY seq LIMIT 2")
    .all(position.seq) as unknown as StoredEntry[]
  if (entry === undefined || next === undefined) return flaw
  const hash = chainHash(Buffer.from(position.hash, "hex"), entry.row)
  const follows = (after: Uint8Array): boolean =>
    Buffer.compare(chainHash(after, next.row), next.hash) === 0
  if (follows(hash)) return { ...flaw, what: "its hash was changed" }
  return follows(entry.hash) ? { ...flaw, what: "its row was changed" } : flaw
}

/** With what the tables of requests and refusals have of it, as one value: columns cost time. */
const selectEntries = `
  SELECT seq, id, kind, at_ms, row, hash, CASE kind
    WHEN 'request' THEN (
      SELECT json_array(seq, client, key, operation, signer, nonce, expires_after, decided_at)
      FROM requests WHERE requests.id = entries.id)
    WHEN 'refusal' THEN (SELECT seq FROM refusals WHERE refusals.id = entries.id)
    END
  FROM entries WHERE seq > ? ORDER BY seq LIMIT ?`

const requestColumns = ["seq", "client", "key", "operation", "signer", "nonce", "expires_after"]

/** Entries that went into an archive since the last step are passed over: the archive holds them. */
function startOf(from: ChainPosition, archived: Head): ChainPosition {
  return from.seq >= archived.seq ? from : { ...from, ...hexHead(archived) }
}

type Taken = { readonly checked: number; readonly flaw: Flaw | null }

function takeEntries(ledger: LedgerReader, after: number, check: ChainCheck): Taken {
  let checked = 0
  try {
    const read = ledger.prepare(selectEntries)
    read.setReturnArrays(true)
    const trailing = new Set(readTrail(ledger).map(({ seq }) => seq))
    for (const columns of read.iterate(after, stepEntries)) {
      const [seq, id, kind, at_ms, row, hash, kept] = columns as unknown as Columns // our own STRICT tables
      const entry = { seq, id, kind, at_ms, row, hash }
      const mayLack = trailing.has(seq)
      const flaw = check.take(entry) ?? (mayLack ? undefined : tableFlaw(entry, check.row(), kept))
      if (flaw !== undefined) return { checked, flaw }
      checked += 1
    }
    return { checked, flaw: null }
  } catch (error) {
    return { checked, flaw: unreadable(error, check.position().seq + 1) }
  }
}

/** What SQLite threw as it read on at entry `seq`: of the file's, or of the machine's. */
export function unreadable(error: unknown, seq: number): Flaw {
  const what = `it can't be read (${error instanceof Error ? error.message : "unknown error"})`
  return { seq, id: null, what, ...(isOfMachine(error) && { isUnread: true }) }
}

/** In the order of {@link selectEntries}. */
type Columns = [number, string, string, number, string, Uint8Array, string | number | null]

/** Whether the tables have what the entry says. */
function tableFlaw(
  { seq, id }: StoredEntry,
  row: NumberedRow | undefined,
  kept: Columns[6],
): Flaw | undefined {
  const what = row && tableWrong(row, kept)
  return what === undefined ? undefined : { seq, id, what }
}

function tableWrong(row: NumberedRow, kept: Columns[6]): string | undefined {
  if (row.kind === "request") return requestWrong(row, kept)
  const isKept = row.kind !== "refusal" || kept === row.seq
  return isKept ? undefined : "the table refusals doesn't have it"
}

function requestWrong(
  row: RequestRow & { readonly seq: number },
  kept: Columns[6],
): string | undefined {
  const { seq, client, key, operation, signer, nonce, expires_after, at_ms } = row
  const said = [seq, client, key, operation, signer, nonce, expires_after, at_ms]
  if (kept === JSON.stringify(said)) return undefined
  if (typeof kept !== "string") return "the table requests doesn't have it"
  const values = JSON.parse(kept) as readonly unknown[]
  const place = said.findIndex((value, index) => value !== values[index])
  if (place === -1) return undefined // SQLite writes some characters of JSON otherwise
  return `the table requests has another ${requestColumns[place] ?? "decided_at"} than its row`
}

/** What is known of the end from elsewhere: heads that were kept. */
function missingAtEnd({ seq, kept }: ChainPosition): Flaw | null {
  const beyond = kept.find((head) => head.seq > seq)
  if (beyond === undefined) return null
  const what = `it is missing, and so is all up to entry ${beyond.seq}, which ${beyond.by} names`
  return { seq: seq + 1, id: null, what }
}
