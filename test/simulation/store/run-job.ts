import type { TailPage } from "../../../src/vault/ledger/store/meter-jobs.ts"
import type { HistoryRow } from "../../../src/vault/ledger/store/meter-jobs.ts"
import type { StoreJob, StoreResults } from "../../../src/vault/ledger/store/store.ts"
import type { KeptSnapshot } from "./kept-snapshot.ts"
import { countedAt, type Tables } from "./tables.ts"

/** Few, so that short histories have several pages. */
const pageLength = 3

/** Does a job over what rows say by now. @throws when no event of a simulation asks for such a job. */
export function runJob<Kind extends StoreJob["kind"]>(
  job: Extract<StoreJob, { readonly kind: Kind }>,
  from: Kept,
): StoreResults[Kind] {
  const run = jobs[job.kind]
  if (run === undefined) throw new Error(`no event of a simulation asks for ${job.kind}`)
  return run(job, from)
}

type Kept = { readonly tables: Tables; readonly snapshot: KeptSnapshot }
type Run<Kind extends StoreJob["kind"]> = (
  job: Extract<StoreJob, { readonly kind: Kind }>,
  from: Kept,
) => StoreResults[Kind]

const jobs: { readonly [Kind in StoreJob["kind"]]?: Run<Kind> } = {
  find: ({ id }, { tables }) => tables.find(id),
  count: (_job, { tables }) => tables.head().seq,
  history: ({ after, lastSeq }, { tables }) =>
    page(tables.requests(), (each) => isAfter(each, after) && each.seq <= lastSeq),
  meters_start: ({ sinceMs }, { tables }) => startOf(tables.requests(), sinceMs),
  meters_snapshot({ step }, { tables, snapshot }) {
    snapshot.take(step, tables.head().seq)
    return undefined
  },
  meters_newest: (_job, { snapshot }) => snapshot.newest,
  meters_tail: ({ page: asked }, { tables }) => tail(asked, tables),
  audit_ends(_job, { tables }) {
    const { seq, hash } = tables.head()
    const archived = { archivedSeq: 0, archivedHash: "", archivedAtMs: undefined }
    return { seq, hash: Buffer.from(hash).toString("hex"), ...archived, checkpoint: undefined }
  },
  audit_archive_of: () => undefined,
  audit_page({ from, limit }, { tables }) {
    const { after } = from as { readonly after: number } // all that a mark asks for
    const entries = tables.entries.slice(after, after + limit)
    const stored = entries.map(({ seq, row: { id, kind, at_ms }, text, hash }) => ({
      ...{ seq, id, kind, at_ms, hash },
      row: text,
    }))
    return { entries: stored, next: after + entries.length, isEnd: false }
  },
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
