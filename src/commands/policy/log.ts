import { utcText } from "../../std/time/time-words.ts"
import { auditCallOf, entriesBefore } from "../audit/entries-of.ts"
import { momentOf } from "../audit/moment.ts"
import { option, parsed, withDefault } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import type { Admin } from "../installation/admin.ts"
import { changeLine } from "./change-line.ts"
import { openPastSets, type PastChange } from "./past-sets.ts"

/** `countersign policy log --since 2d`: what changed in the files, when it came into force and who asked for it. */
export const policyLog = adminCommand({
  description: "show what changed in the files in force, when, and who asked for it",
  examples: ["countersign policy log --since 2d"],
  shows: "records",
  options: {
    sinceMs: parsed(
      withDefault(option("--since <when>", "since when: a duration like 2d, or a date"), "7d"),
      (text) => momentOf(text, "--since"),
    ),
  },
  call: async (admin, { sinceMs }) => ({ changes: await changesSince(admin, sinceMs) }),
  print: ({ changes }) => [
    ...changes.flatMap((change) => [...changeLines(change), ""]),
    changes.length === 0
      ? "No other files came into force since then."
      : "To go back to the files before the last change: countersign policy rollback",
  ],
})

async function changesSince(admin: Admin, sinceMs: number): Promise<readonly PastChange[]> {
  const call = auditCallOf(admin)
  const past = openPastSets(sinceMs)
  const { seq, archived_seq: archivedSeq } = await call("auditEnds", {})
  for await (const entry of entriesBefore(call, seq + 1, { kind: "act" })) {
    if (past.take(entry)) break
  }
  return past.changes(archivedSeq === 0)
}

function changeLines({ at, seq, asked, from, to, changes }: PastChange): readonly string[] {
  const how =
    asked === null
      ? "the daemon itself (a start, a signal or reload_on_change)"
      : `${asked.by}, policy ${wordOf[asked.method] ?? ""}`
  const head = `${utcText(at)}  #${seq}  by ${how}  ${to}`
  if (changes === null) return [head, "        the files before are in an archive"]
  if (from === null) return [head, "        the first files"]
  return [head, ...changes.map(changeLine)]
}

/** The commands that make these calls. */
const wordOf: Readonly<Record<string, string>> = {
  reload: "reload",
  acceptPolicy: "accept",
  rollback: "rollback",
}
