import { resolve } from "node:path"

import { writeArchive, type Archiving } from "../../vault/audit/write-archive.ts"
import { pathsOf } from "../../vault/config/installation.ts"
import { option, parsed, withDefault } from "../cli/options.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { withAdmin } from "../installation/with-vault.ts"
import { auditCallOf } from "./entries.ts"
import { momentOf } from "./moment.ts"

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
      (text) => momentOf(text, "--before"),
    ),
    to: option("--to <dir>", "where to; archive/ in the state directory if left out"),
  },
  answer: (installation, { beforeMs, to }) => {
    const directory = to === undefined ? pathsOf(installation).archiveDir : resolve(to)
    return withAdmin(installation, (admin) =>
      writeArchive({ call: auditCallOf(admin), directory, beforeMs }),
    )
  },
  json: answerOf,
  print: linesOf,
})

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
