import type { AdminParams } from "../../link/calls/methods.ts"
import { wholeEntries, type AuditCall } from "../../vault/audit/whole-entries.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-jobs.ts"
import type { Admin } from "../installation/admin.ts"

/** Which entries a command shows. */
export type Filter = Pick<AdminParams["auditPage"], "client" | "key" | "kind" | "sinceMs">

/** Entries after `afterSeq`, upwards, up to where the journal ends now. */
export async function* entriesAfter(
  call: AuditCall,
  afterSeq: number,
  filter: Filter,
): AsyncGenerator<readonly StoredEntry[], number> {
  for (let after = afterSeq; ;) {
    const page = await call("auditPage", { afterSeq: after, limit: 1_000, ...filter })
    after = page.next
    yield await wholeEntries(call, page.entries)
    if (page.is_end) return after
  }
}

/** Entries before `beforeSeq`, downwards, down to where the journal begins; `limit` are read at a time. */
export async function* entriesBefore(
  call: AuditCall,
  beforeSeq: number,
  { limit = 1_000, ...filter }: Filter & { readonly limit?: number },
): AsyncGenerator<StoredEntry, void> {
  for (let before = beforeSeq; ;) {
    const page = await call("auditPage", { beforeSeq: before, limit, ...filter })
    before = page.next
    yield* await wholeEntries(call, page.entries)
    if (page.is_end) return
  }
}

/** The last `count` entries, the oldest first, and where the journal ends. */
export async function lastEntries(
  call: AuditCall,
  count: number,
  filter: Filter,
): Promise<{ readonly entries: readonly StoredEntry[]; readonly seq: number }> {
  const { seq } = await call("auditEnds", {})
  const entries: StoredEntry[] = []
  if (count === 0) return { entries, seq }
  const limit = Math.min(1_000, count)
  for await (const entry of entriesBefore(call, seq + 1, { ...filter, limit })) {
    if (entries.push(entry) === count) break
  }
  return { entries: entries.reverse(), seq }
}

/** The audit's calls of an admin. */
export function auditCallOf(admin: Pick<Admin, "call">): AuditCall {
  return (method, params) => admin.call(method, params)
}
