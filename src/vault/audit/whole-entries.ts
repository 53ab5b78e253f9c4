import type { EntryView } from "../../link/calls/audit-methods.ts"
import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { StoredEntry } from "../ledger/store/audit-queries.ts"

/** Entries as they are stored, from how they crossed; asks for the rest of those that are too long. */
export async function wholeEntries(
  call: AuditCall,
  views: readonly EntryView[],
): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = []
  for (const view of views) {
    const { seq, id, kind, at, hash } = view
    const row = (await wholeRow(call, view)).toString()
    entries.push({ seq, id, kind, at_ms: at, row, hash: Buffer.from(hash, "hex") })
  }
  return entries
}

async function wholeRow(call: AuditCall, { seq, row, bytes }: EntryView): Promise<Buffer> {
  let whole = Buffer.from(row, "base64")
  while (whole.length < bytes) {
    const { part } = await call("auditRow", { seq, offsetBytes: whole.length })
    if (part === "") {
      throw new Fault("vault_unavailable", `Entry ${seq} changed while it was read; try again.`)
    }
    whole = Buffer.concat([whole, Buffer.from(part, "base64")])
  }
  return whole
}

/** The admin socket's calls, whoever answers them. */
export type AuditCall = <Method extends keyof AdminParams & `audit${string}`>(
  method: Method,
  params: AdminParams[Method],
) => Promise<AdminResults[Method]>
