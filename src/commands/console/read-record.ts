import type * as z from "zod"

import type { Asks } from "../../console/asks.ts"
import type { WholeRecord } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { wholeEntries } from "../../vault/audit/whole-entries.ts"
import type { RequestRow } from "../../vault/ledger/records/row.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-jobs.ts"
import type { Admin } from "../installation/admin.ts"

type Told = z.input<Asks["record"]["answer"]>
type Calls = Pick<Admin, "call">

/** A record with its place in the ledger, and what each rule makes of it now. */
export async function readRecord(
  { call }: Calls,
  { id, seq }: z.output<Asks["record"]["params"]>,
): Promise<Told> {
  const record = await call("auditRecord", { id })
  const symbols = await call("listSymbols", {})
  const entry = record === null ? undefined : await entryOf({ call }, seq)
  // Another one has that number where the ledger isn't the one of the page any more.
  if (entry?.id !== id) return { record, symbols, place: null, verdicts: null }
  const { seq: head } = await call("auditEnds", {})
  return {
    ...{ record, symbols },
    place: { seq, hash: Buffer.from(entry.hash).toString("hex"), head },
    verdicts: record === null ? null : await verdictsOf({ call }, record, entry),
  }
}

async function entryOf({ call }: Calls, seq: number): Promise<StoredEntry | undefined> {
  const { entries } = await call("auditPage", { afterSeq: Math.max(0, seq - 1), limit: 1 })
  const [entry] = await wholeEntries((method, params) => call(method, params), entries)
  return entry
}

/** `null` where it can't be told: its body isn't recorded, or its client or key is gone. */
async function verdictsOf(
  { call }: Calls,
  { client, key, body, decided_at: at }: WholeRecord,
  { row }: StoredEntry,
): Promise<Told["verdicts"]> {
  if (body === null || key === null) return null
  const { path } = JSON.parse(row) as RequestRow // the vault wrote it
  try {
    const sent = { path, key, body: Buffer.from(body).toString("base64") }
    return (await call("explain", { client, at, ...sent })).verdicts
  } catch (error) {
    if (error instanceof Fault && error.code === "name_unknown") return null
    throw error
  }
}
