import { visible } from "../../std/visible.ts"
import { entryLine } from "../../vault/audit/archive-lines.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-jobs.ts"

/**
 * An entry as a line of JSON that a terminal can show. Of the row as it is chained it differs in escapes alone: what
 * could move a cursor stands there as it is, and here as `\u….`
 */
export function shownEntry(entry: StoredEntry): string {
  return `${visible(entryLine(entry).slice(0, -1))}\n`
}
