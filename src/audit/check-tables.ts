import { compareDecimals } from "../venue/decimal.ts"
import type { ChainPosition, Flaw } from "./chain-check.ts"
import { readDecimal } from "../vault/ledger/records/prices.ts"
import type { RequestRow } from "../vault/ledger/records/row.ts"
import { readArchivedHead, readTrail } from "../vault/ledger/sqlite/journal.ts"
import { unreadable } from "./check-entries.ts"
import { atOneMoment, type LedgerReader } from "./open-ledger.ts"

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
