import {
  hashWrong,
  openChainCheck,
  type ChainCheck,
  type ChainPosition,
  type Flaw,
  type NumberedRow,
} from "./chain-check.ts"
import { readDecimal } from "../vault/ledger/records/prices.ts"
import type { RequestRow } from "../vault/ledger/records/row.ts"
import { chainHash, hexHead, readArchivedHead, readTrail } from "../vault/ledger/sqlite/journal.ts"
import { isOfMachine } from "../vault/ledger/sqlite/sqlite-fault.ts"
import type { StoredEntry } from "./stored-entry.ts"
import type { Head } from "../vault/ledger/store/store.ts"
import { compareDecimals } from "../venue/decimal.ts"
import { atOneMoment, type LedgerReader } from "./open-ledger.ts"

/** How many entries a step takes. */
const stepEntries = 2_000

/**
 * Checks the entries after a position, some at a time: how far it came, how many it took, what is wrong, and whether it
 * came to the end of the journal. It never throws for what is wrong with them.
 */
export function checkEntries(ledger: LedgerReader, from: ChainPosition) {
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

/** How many rows a step looks at: a few milliseconds. */
const stepRows = 2_000

/** Tables with a row for some entries alone, found by their key. */
const others = ["standing", "holds", "shadows", "checkpoints", "archives"]

/** Checks, after the entries up to `position`, that the tables say nothing that the journal doesn't. It never throws for what is wrong. */
export function checkTables(ledger: LedgerReader, position: ChainPosition): Flaw | undefined {
  try {
    const flaw = atOneMoment(ledger, () => wholeFlaw(ledger, position))
    return flaw ?? orphan(ledger, "requests") ?? orphan(ledger, "refusals")
  } catch (error) {
    return unreadable(error, position.seq)
  }
}

/** What takes no time to check. */
function wholeFlaw(ledger: LedgerReader, position: ChainPosition): Flaw | undefined {
  const trail = readTrail(ledger).map(({ row }) => row)
  const flaw = archiveFlaw(ledger, position) ?? nonceFlaw(ledger, position, trail)
  return flaw ?? everFlaw(ledger, position, trail) ?? tailFlaw(ledger)
}

/** That entries are in an archive is for the journal to say, not for a table alone. */
function archiveFlaw(ledger: LedgerReader, { archived, seq }: ChainPosition): Flaw | undefined {
  const start = readArchivedHead(ledger)
  if (maxOf(ledger, "archives", "seq") > seq) return undefined // archived since
  if (start.seq === (archived?.last_seq ?? 0)) {
    if (start.seq === 0) return undefined
    if (Buffer.from(start.hash).toString("hex") === archived?.last_hash) return undefined
  }
  const what = `the table archives says that entries up to ${start.seq} are archived, and no act in the journal does`
  return { seq: Math.min(start.seq, seq) + 1, id: null, what }
}

/** What the tables don't have yet, `trail`, counts as what they have. */
function nonceFlaw(
  ledger: LedgerReader,
  { nonces, seq }: ChainPosition,
  trail: readonly RequestRow[],
): Flaw | undefined {
  const read = ledger.prepare("SELECT last_nonce FROM signers WHERE address = ?")
  const lastOf = (address: string): number => {
    const trailing = trail.filter(({ signer }) => signer === address).map(({ nonce }) => nonce)
    return Math.max(Number(read.get(address)?.["last_nonce"] ?? -1), ...trailing)
  }
  const signer = Object.keys(nonces).find((address) => lastOf(address) < (nonces[address] ?? 0))
  if (signer === undefined) return undefined
  const what = `the table signers has a lower nonce of ${signer} than the journal up to here, so one could be used twice`
  return { seq, id: null, what }
}

/** Sums only rise, and the table may be ahead of a position. */
function everFlaw(
  ledger: LedgerReader,
  { ever, seq }: ChainPosition,
  trail: readonly RequestRow[],
): Flaw | undefined {
  const read = ledger.prepare("SELECT used FROM ever_sums WHERE meter = ?")
  const isLess = ([meter, used]: readonly [string, string]): boolean => {
    const kept = (read.get(meter)?.["used"] ?? "0") as string // our own STRICT table
    const known = [kept, ...trail.flatMap((row) => row.ever?.[meter] ?? [])]
    return known.every((sum) => compareDecimals(readDecimal(sum), readDecimal(used)) < 0)
  }
  const lost = Object.entries(ever).find(isLess)
  if (lost === undefined) return undefined
  const what = `the table ever_sums has less of ${lost[0]} than the journal up to here, so a limit has too much room`
  return { seq, id: null, what }
}

/** Rows of tables tell of entries that were cut off at the end. */
function tailFlaw(ledger: LedgerReader): Flaw | undefined {
  const head = maxOf(ledger, "entries", "seq")
  const table = others.find((name) => maxOf(ledger, name, "seq") > head)
  if (table === undefined) return undefined
  const named = maxOf(ledger, table, "seq")
  return { seq: head + 1, id: null, what: `it is missing: the table ${table} has entry ${named}` }
}

/** A page at a time: a reader that looks for long holds back what the daemon's log could give back. */
function orphan(ledger: LedgerReader, table: keyof typeof kinds): Flaw | undefined {
  const kind = kinds[table]
  const find = ledger.prepare(
    `SELECT t.seq, t.id FROM ${table} t
     LEFT JOIN entries e ON e.seq = t.seq AND e.id = t.id AND e.kind = '${kind}'
     WHERE t.rowid > ? AND t.rowid <= ? AND e.seq IS NULL ORDER BY t.seq LIMIT 1`,
  )
  const last = maxOf(ledger, table, "rowid")
  for (let after = firstRowid(ledger, table); after < last; after += stepRows) {
    const found = find.get(after, after + stepRows)
    if (found === undefined) continue
    const what = `it is missing: the table ${table} has a ${kind} that the journal doesn't have`
    return { seq: found["seq"] as number, id: found["id"] as string, what } // our own STRICT table
  }
  return undefined
}

const kinds = { requests: "request", refusals: "refusal" } as const

function firstRowid(ledger: LedgerReader, table: string): number {
  const first = ledger.prepare(`SELECT min(rowid) AS first FROM ${table}`).get()?.["first"]
  return typeof first === "number" ? first - 1 : 0
}

function maxOf(ledger: LedgerReader, table: string, column: string): number {
  const most = ledger.prepare(`SELECT max(${column}) AS most FROM ${table}`).get()?.["most"]
  return typeof most === "number" ? most : 0
}
