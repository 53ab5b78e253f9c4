import { resolve } from "node:path"

import { writeArchive, type Archiving } from "../../audit/write-archive.ts"
import { pathsOf } from "../../vault/config/installation.ts"
import { option, parsed } from "../cli/command.ts"
import { momentForm, momentOf } from "../cli/values.ts"
import { withAdmin } from "../installation/admin.ts"
import { installationCommand } from "../installation/installation-command.ts"

/** `countersign audit archive --before 30d --to DIR` */
export const auditArchive = installationCommand({
  changes: "installation",
  description: "move old entries of the ledger into a compressed file",
  examples: [
    "countersign audit archive",
    "countersign audit archive --before 2026-05-01 --to /mnt/archives",
  ],
  options: {
    before_ms: parsed(
      option(
        "--before <when>",
        "older than a duration like 30d, or from before a date; as archive in countersign.yaml says if left out",
      ),
      momentOf,
      momentForm,
    ),
    to: option("--to <dir>", "where to; archive/ in the state directory if left out"),
  },
  answer: (installation, { before_ms = null, to }) => {
    const directory = to === undefined ? pathsOf(installation).archiveDir : resolve(to)
    return withAdmin(installation, (admin) => writeArchive(admin, { before_ms, directory }))
  },
  json: ({ archive, stays }) => ({ archive: archive ?? null, stays }),
  print: linesOf,
})

const reasons: ReadonlyMap<string, string> = new Map([
  ["young", "it isn't old enough, or not a day old"],
  ["limits", "limits count it"],
  ["valid", "the venue could still accept it"],
  ["hold", "it waits for a person"],
  ["off", "countersign.yaml says archive: off; give --before to archive all the same"],
  ["room", "an archive could leave less room on the disk than ledger.min_free asks for; make room"],
])

function linesOf({ archive, stays }: Archiving): readonly string[] {
  const why =
    stays === null
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
