import { resolve } from "node:path"

import { entriesAfter } from "../../audit/read-entries.ts"
import {
  writeArchive,
  type ArchivePage,
  type ArchiveSource,
  type Archiving,
} from "../../vault/audit/write-archive.ts"
import { pathsOf } from "../../vault/config/installation.ts"
import { hexHead, readArchivedHead } from "../../vault/ledger/sqlite/journal.ts"
import { option, parsed, withDefault } from "../cli/command.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { type Admin, withAdmin } from "../installation/admin.ts"
import { momentForm, momentOf } from "../cli/values.ts"

/** `countersign audit archive --before 30d --to DIR` */
export const auditArchive = installationCommand({
  changes: "installation",
  description: "move old entries of the ledger into a compressed file",
  examples: [
    "countersign audit archive --before 30d",
    "countersign audit archive --before 2026-05-01 --to /mnt/archives",
  ],
  options: {
    beforeMs: parsed(
      withDefault(
        option("--before <when>", "older than a duration like 30d, or from before a date"),
        "30d",
      ),
      momentOf,
      momentForm,
    ),
    to: option("--to <dir>", "where to; archive/ in the state directory if left out"),
  },
  answer: (installation, { beforeMs, to }) => {
    const directory = to === undefined ? pathsOf(installation).archiveDir : resolve(to)
    return withAdmin(installation, (admin) =>
      writeArchive(archiveSource(admin, beforeMs), directory),
    )
  },
  json: answerOf,
  print: linesOf,
})

/** The vault says what may go, and removes it; the entries are read by this process. */
export function archiveSource(
  { call, readLedger }: Pick<Admin, "call" | "readLedger">,
  beforeMs: number,
): ArchiveSource {
  return {
    archived: () => readLedger((ledger) => hexHead(readArchivedHead(ledger))),
    pages: async function* (afterSeq): AsyncGenerator<ArchivePage, void> {
      const { last_seq: lastSeq, stays } = await call("auditArchivable", { beforeMs })
      let after = afterSeq
      do {
        const entries = await readLedger((ledger) =>
          entriesAfter(ledger, after)
            .take(Math.min(pageEntries, lastSeq - after))
            .toArray(),
        )
        after = entries.at(-1)?.seq ?? lastSeq
        yield { entries, stays: stays ?? undefined } // where nothing may go, it says why
      } while (after < lastSeq)
    },
    checkpoint: () => call("auditCheckpoint", {}),
    record: (archived) => call("auditArchive", archived),
    trim: async () => (await call("auditTrim", {})).removed,
  }
}

/** How many entries are read at a time. */
const pageEntries = 1_000

function answerOf({ archive, stays }: Archiving) {
  return { archive: archive ?? null, stays: stays ?? null }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["young", "it isn't older than --before, or not a day old"],
  ["limits", "limits count it"],
  ["valid", "the venue could still accept it"],
  ["hold", "it waits for a person"],
])

function linesOf({ archive, stays }: Archiving): readonly string[] {
  const why =
    stays === undefined
      ? []
      : [`Entry ${stays.seq} and what follows stay: ${reasons.get(stays.why) ?? stays.why}.`]
  if (archive === undefined) return ["Nothing was archived.", ...why]
  const { entries, first_seq, last_seq, file, sha256 } = archive
  return [
    `Moved ${entries} entries, ${first_seq} to ${last_seq}, into ${file}`,
    `SHA-256 ${sha256}`,
    ...why,
  ]
}
