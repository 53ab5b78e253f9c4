import { lastEntries } from "../../audit/entries-of.ts"
import { parseFields } from "../../audit/entry-words.ts"
import type { AuditCall } from "../../../vault/audit/whole-entries.ts"
import { holds, lacks, type LiveLine } from "./live-line.ts"
import { agoWords } from "../../../std/time/time-words.ts"

const dayMs = 86_400_000

/** Whether `countersign backup` wrote and checked a copy within a day; each is an act in the ledger. */
export async function backupLines(call: AuditCall, nowMs: number): Promise<readonly LiveLine[]> {
  const filter = { kind: "act", sinceMs: nowMs - dayMs }
  const { entries } = await lastEntries(call, Infinity, filter)
  const last = entries.findLast(({ row }) => parseFields(row)["act"] === "backed_up")
  if (last === undefined) {
    const fix = 'countersign backup --to "/var/backups/countersign/ledger-$(date +%F).db"'
    return [lacks("backup", "The ledger wasn't backed up within a day.", fix)]
  }
  return [holds("backup", `The ledger was backed up and checked ${agoWords(last.at_ms, nowMs)}.`)]
}
