import { aboutEntry, archiveOf, fieldsOf } from "../../audit/read-entries.ts"
import { Fault } from "../../std/fault.ts"
import { visible } from "../../std/visible.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-queries.ts"
import { argument } from "../cli/options.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { withLedger } from "../installation/with-vault.ts"
import { entryWords } from "./entries.ts"

/** `countersign audit show rec_…` */
export const auditShow = installationCommand({
  description: "show a record in full, with all that was heard of it",
  examples: ["countersign audit show rec_01KSR492Z8W9TC0Y2Q3RC6TV01"],
  options: { id: argument("<id>", "a record's or hold's id, or an entry's number") },
  answer: (installation, { id }) =>
    withLedger(installation, (ledger) => {
      const about = aboutEntry(ledger, id)
      if (about === undefined) throw unknown(archiveOf(ledger, id))
      return [about.entry, ...about.others]
    }),
  shows: "records",
  json: answerOf,
  print: linesOf,
})

function answerOf([entry, ...others]: readonly StoredEntry[]) {
  return { entry: entry && jsonOf(entry), others: others.map(jsonOf) }
}

function jsonOf({ hash, row }: StoredEntry) {
  return { hash: Buffer.from(hash).toString("hex"), row: fieldsOf(row) }
}

function linesOf([entry, ...others]: readonly StoredEntry[]): readonly string[] {
  if (entry === undefined) return []
  const row = JSON.stringify(fieldsOf(entry.row), undefined, 2)
  return [
    `entry ${entry.seq}, hash ${Buffer.from(entry.hash).toString("hex")}`,
    ...row.split("\n").map(visible),
    ...(others.length > 0 ? ["", ...others.map(entryWords)] : []),
  ]
}

function unknown(archive: string | undefined): Fault {
  if (archive === undefined) {
    return new Fault(
      "name_unknown",
      "The ledger has no request, refusal or hold with this id and no entry with this number; countersign audit tail shows what it has.",
    )
  }
  return new Fault(
    "name_unknown",
    `Records of this id's time are archived; look for it with zgrep in ${archive}.`,
  )
}
