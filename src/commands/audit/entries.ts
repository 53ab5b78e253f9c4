import { fieldsOf } from "../../audit/read-entries.ts"
import { utcText } from "../../std/time/time-words.ts"
import { visible } from "../../std/visible.ts"
import { entryLine } from "../../audit/archive-lines.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-queries.ts"

/** As wide as numbers up to a million; those of a longer ledger move the rest of their line. */
const seqWidth = 7

type Fields = Readonly<Record<string, unknown>>

/** An entry in one line for people; what others chose can't move the cursor. */
export function entryWords(entry: StoredEntry): string {
  const at = utcText(entry.at_ms)
  const fields = fieldsOf(entry.row)
  return visible(
    `${at}  ${`#${entry.seq}`.padEnd(seqWidth)}  ${entry.kind.padEnd(10)}  ${wordsOf(entry, fields)}`,
  )
}

function wordsOf({ kind, id }: StoredEntry, fields: Fields): string {
  const say = words.get(kind)
  return say === undefined ? id : say(fields, id)
}

const words: ReadonlyMap<string, (fields: Fields, id: string) => string> = new Map<
  string,
  (fields: Fields, id: string) => string
>([
  [
    "request",
    (of, id) =>
      `${text(of, "client")} ${text(of, "operation")} with ${text(of, "key")}, by ${text(of, "rule")}, nonce ${text(of, "nonce")}  ${id}`,
  ],
  ["shadow", (of, id) => `${text(of, "client")} ${text(of, "operation")}, asked only  ${id}`],
  [
    "refusal",
    (of, id) => `${text(of, "client")} ${text(of, "operation")}: ${refusalWords(of)}  ${id}`,
  ],
  ["repeats", (of) => `${text(of, "count")} more like ${text(of, "record")}`],
  ["omitted", (of) => `${text(of, "count")} refusals weren't recorded, so many came`],
  [
    "outcome",
    (of) =>
      [text(of, "outcome"), answerWords(of), text(of, "record")]
        .filter((part) => part !== "")
        .join("  "),
  ],
  ["checkpoint", (of) => `of entry ${text(of, "head_seq")}, ${text(of, "head_hash")}`],
  ["act", actWords],
])

/** The venue's status and code, as far as it answered. */
function answerWords(of: Fields): string {
  return [text(of, "status"), text(of, "code")].filter((part) => part !== "-").join(" ")
}

function refusalWords(of: Fields): string {
  const refusal = of["refusal"]
  if (typeof refusal !== "object" || refusal === null) return "-"
  const { code, message } = refusal as Fields
  return `${String(code)}: ${String(message)}`
}

const common = ["act", "at_ms", "id", "kind", "seq"]

function actWords(of: Fields): string {
  const details = Object.entries(of)
    .filter(([name, value]) => !common.includes(name) && typeof value !== "object")
    .map(([name, value]) => `${name}=${String(value)}`)
  const added = [of["key"], of["client"]].flatMap((value) =>
    typeof value === "object" && value !== null ? [`name=${text(value as Fields, "name")}`] : [],
  )
  return [text(of, "act"), ...added, ...details].join(" ")
}

function text(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === "string" || typeof value === "number" ? String(value) : "-"
}

/**
 * An entry as a line of JSON that a terminal can show. Of the row as it is chained it differs in escapes alone: what
 * could move a cursor stands there as it is, and here as `\u….`
 */
export function shownEntry(entry: StoredEntry): string {
  return `${visible(entryLine(entry).slice(0, -1))}\n`
}
