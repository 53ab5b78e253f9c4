import { setTimeout as sleep } from "node:timers/promises"

import { atOneMoment, type LedgerReader } from "../../audit/open-ledger.ts"
import type { Found } from "../../audit/find-records.ts"
import type { EntryFilter } from "../../audit/entry-filter.ts"
import { aboutEntry, archiveOf, entriesAfter, lastEntries } from "../../audit/read-entries.ts"
import { fieldsOf, membersOf, type StoredEntry } from "../../audit/stored-entry.ts"
import { Fault } from "../../std/fault.ts"
import { utcText } from "../../std/time/time-words.ts"
import { visible } from "../../std/visible.ts"
import { entryLine } from "../../audit/archive-lines.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { argument, command, flag, option, parsed } from "../cli/command.ts"
import { tell } from "../cli/print.ts"
import { withStopSignal, type Terminal } from "../cli/terminal.ts"
import { momentForm, momentOf, wholeUpTo } from "../cli/values.ts"
import { withLedger } from "../installation/admin.ts"
import {
  installationCommand,
  installationOf,
  installationOptions,
  jsonOption,
} from "../installation/installation-command.ts"

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

/** The venue's status and code, as far as it answered, and its words for the order. */
function answerWords(of: Fields): string {
  const order = Object.entries(membersOf(of["order"])).map(
    ([name, word]) => `${name}=${String(word)}`,
  )
  const said = [text(of, "status"), text(of, "code")].filter((part) => part !== "-")
  return [...said, ...order].join(" ")
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

/** `countersign audit show rec_…` */
export const auditShow = installationCommand({
  description: "show a record in full, with all that was heard of it",
  examples: ["countersign audit show rec_01KSR492Z8W9TC0Y2Q3RC6TV01"],
  options: { id: argument("<id>", "a record's or hold's id, or an entry's number") },
  answer: (installation, { id }) =>
    withLedger(installation, (ledger) => {
      const about = aboutEntry(ledger, id)
      if (about === undefined) throw unknown(archiveOf(ledger, id))
      return about
    }),
  shows: "records",
  json: shownAbout,
  print: linesOf,
})

/** A record and what was heard of it, for scripts. */
export function shownAbout({ entry, others }: Found) {
  return { entry: jsonOf(entry), others: others.map(jsonOf) }
}

function jsonOf({ hash, row }: StoredEntry) {
  return { hash: Buffer.from(hash).toString("hex"), row: fieldsOf(row) }
}

function linesOf({ entry, others }: Found): readonly string[] {
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

const maxLines = 100_000

const filterOptions = {
  client: option("--client <name>", "those of one client"),
  key: option("--key <name>", "those of one key"),
  kind: option("--kind <kind>", "those of one kind, such as request, refusal or act"),
  rule: option(
    "--rule <rule>",
    "those that an entry of a policy decided, such as bot/quote or quote",
  ),
  symbol: option("--symbol <name>", "those of a symbol, by its name in venue.yaml"),
  code: option(
    "--code <code>",
    "those with a refusal's code or reason, or with a code of the venue's",
  ),
}

/** `countersign audit tail --follow` */
export const auditTail = command({
  description: "show the last entries of the ledger",
  examples: [
    "countersign audit tail -n 50 --client mm-bot",
    "countersign audit tail --since 1h --symbol BTC-PERP --code policy_denied",
    "countersign audit tail --follow --json | jq .row",
  ],
  options: {
    count: parsed(
      option(
        "-n, --lines <count>",
        "how many; 20 if left out, or all where --since says since when",
      ),
      wholeUpTo(maxLines),
      `a number from 0 to ${maxLines}`,
    ),
    sinceMs: parsed(
      option("--since <when>", "since when: a duration like 7d, or a date"),
      momentOf,
      momentForm,
    ),
    ...filterOptions,
    follow: flag("--follow", "keep showing new entries, until Ctrl-C"),
    ...installationOptions,
    ...jsonOption,
  },
  run: async ({ count, follow, json, ...options }, terminal) => {
    const filter: EntryFilter = options
    const most = count ?? (filter.sinceMs === undefined ? 20 : maxLines)
    const installation = installationOf(options)
    const lineOf = json ? shownEntry : (entry: StoredEntry) => `${entryWords(entry)}\n`
    const show = (shown: readonly StoredEntry[]): void => {
      terminal.stdout.write(shown.map(lineOf).join(""))
    }
    const last = await withLedger(installation, (ledger) =>
      seen(ledger, () => lastEntries(ledger, most, filter)),
    )
    show(last.entries)
    if (follow) await followEntries({ installation, after: last.seq, filter, show, terminal })
    return 0
  },
})

type Seen = { readonly entries: readonly StoredEntry[]; readonly seq: number }

/** Entries, and where the journal ended when they were read. */
function seen(ledger: LedgerReader, read: () => readonly StoredEntry[]): Seen {
  return atOneMoment(ledger, () => ({
    entries: read(),
    seq: lastEntries(ledger, 1)[0]?.seq ?? 0,
  }))
}

/** How long after one look at the journal the next one comes. */
const pauseMs = 250

type Following = {
  readonly installation: Installation
  readonly after: number
  readonly filter: EntryFilter
  readonly show: (entries: readonly StoredEntry[]) => void
  readonly terminal: Terminal
}

/**
 * Shows what is recorded until a signal ends it, or nobody reads it any more. That no daemon runs is said once on stderr. The
 * ledger is opened anew for each look: one that was restored meanwhile is another file.
 */
function followEntries(following: Following): Promise<void> {
  return withStopSignal((stopped) => {
    const ending = new AbortController()
    void Promise.race([stopped, following.terminal.unread]).then(() => ending.abort())
    return follow(following, ending.signal)
  })
}

async function follow(
  { installation, filter, show, terminal, ...from }: Following,
  signal: AbortSignal,
): Promise<void> {
  let { after } = from
  let isWaiting = false
  while (!signal.aborted) {
    const last = await withLedger(installation, (ledger, head) => {
      if ((head === undefined) !== isWaiting) tell(terminal, daemonWords(isWaiting))
      isWaiting = head === undefined
      return seen(ledger, () => entriesAfter(ledger, after, filter).toArray())
    })
    show(last.entries)
    after = Math.max(after, last.seq)
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined) // a signal came
  }
}

function daemonWords(isBack: boolean): string {
  return isBack
    ? "countersign: the daemon runs again"
    : "countersign: the daemon doesn't run; waiting for it"
}
