import type { TailPage } from "../../../src/vault/ledger/store/meter-queries.ts"
import type { HistoryRow } from "../../../src/vault/ledger/store/meter-queries.ts"
import type { Queries } from "../../../src/vault/ledger/store/store.ts"
import type { KeptSnapshot } from "./kept-snapshot.ts"
import { countedAt, type Tables } from "./tables.ts"

/** Few, so that short histories have several pages. */
const pageLength = 3

/** Answers a query over what rows say by now. @throws when no event of a simulation asks for such a one. */
export function runQuery({ name, args }: Asked, from: Kept): unknown {
  const query = queriesOf(from)[name] as ((...args: readonly unknown[]) => unknown) | undefined
  if (query === undefined) throw new Error(`no event of a simulation asks for ${name}`)
  return query(...args)
}

/** A query as it waits for its turn. */
export type Asked = { readonly name: keyof Queries; readonly args: readonly unknown[] }

type Kept = { readonly tables: Tables; readonly snapshot: KeptSnapshot }

function queriesOf({ tables, snapshot }: Kept): Partial<Queries> {
  return {
    find: (id) => tables.find(id),
    count: () => tables.head().seq,
    history: (after, lastSeq) =>
      page(tables.requests(), (each) => isAfter(each, after) && each.seq <= lastSeq),
    countingStart: (sinceMs) => startOf(tables.requests(), sinceMs),
    takeSnapshot: (step) => snapshot.take(step, tables.head().seq),
    newestSnapshot: () => snapshot.newest,
    tailPage: (asked) => tail(asked, tables),
    journalEnds() {
      const { seq, hash } = tables.head()
      const archived = { archived: { seq: 0, hash: "" } }
      return { seq, hash: Buffer.from(hash).toString("hex"), ...archived, checkpoint: undefined }
    },
    archiveOf: () => undefined,
    hashAt: (seq) => {
      const entry = tables.entries[seq - 1]
      return entry && Buffer.from(entry.hash).toString("hex")
    },
  }
}

function page(rows: readonly HistoryRow[], isWanted: (row: HistoryRow) => boolean) {
  return rows.filter(isWanted).slice(0, pageLength)
}

function isAfter(
  { row, seq }: HistoryRow,
  after: { readonly countedAtMs: number; readonly seq: number },
): boolean {
  const atMs = countedAt(row)
  return atMs === after.countedAtMs ? seq > after.seq : atMs > after.countedAtMs
}

function startOf(rows: readonly HistoryRow[], sinceMs: number): number {
  const late = rows.filter(({ released }) => released !== undefined && released.atMs >= sinceMs)
  return Math.min(sinceMs, ...late.map(({ row }) => countedAt(row)))
}

function tail(asked: TailPage, tables: Tables): readonly HistoryRow[] {
  const bySeq = tables.requests().toSorted((one, other) => one.seq - other.seq)
  const releasedSeq = ({ released }: HistoryRow): number => released?.seq ?? Infinity
  switch (asked.kind) {
    case "requests":
      return page(bySeq, ({ seq }) => seq > asked.seq && seq <= asked.lastSeq)
    case "releases":
      return page(
        bySeq.toSorted((one, other) => releasedSeq(one) - releasedSeq(other)),
        (row) =>
          row.seq <= asked.seq &&
          releasedSeq(row) > asked.afterSeq &&
          releasedSeq(row) <= asked.lastSeq,
      )
    case "unheard":
      return asked.outcomes.flatMap(({ record, outcome }) =>
        bySeq.filter(
          (each) =>
            each.row.id === record &&
            releasedSeq(each) <= asked.seq &&
            tables.entries[releasedSeq(each) - 1]?.row.id === outcome,
        ),
      )
  }
}
