import * as z from "zod"

import type { LedgerReader } from "../../audit/open-ledger.ts"
import { entriesBefore } from "../../audit/read-entries.ts"
import { fieldsOf, type StoredEntry } from "../../audit/stored-entry.ts"
import { utcText } from "../../std/time/time-words.ts"
import { parseFileSet } from "../../vault/config/load-files.ts"
import { readArchivedHead } from "../../vault/ledger/sqlite/journal.ts"
import { begunAnew, changesBetween, type Change } from "../../audit/widening.ts"
import { momentForm, momentOf } from "../cli/values.ts"
import { option, parsed, withDefault } from "../cli/command.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { withLedger } from "../installation/admin.ts"
import { changeLine } from "./in-force.ts"

/** `countersign policy log --since 2d`: what changed in the files, when it came into force and who asked for it. */
export const policyLog = installationCommand({
  description: "show what changed in the files in force, when, and who asked for it",
  examples: ["countersign policy log --since 2d"],
  shows: "records",
  options: {
    sinceMs: parsed(
      withDefault(option("--since <when>", "since when: a duration like 2d, or a date"), "7d"),
      momentOf,
      momentForm,
    ),
  },
  answer: (installation, { sinceMs }) =>
    withLedger(installation, (ledger) => ({ changes: changesSince(ledger, sinceMs) })),
  print: ({ changes }) => [
    ...changes.flatMap((change) => [...changeLines(change), ""]),
    changes.length === 0
      ? "No other files came into force since then."
      : "To go back to the files before the last change: countersign policy rollback",
  ],
})

function changesSince(ledger: LedgerReader, sinceMs: number): readonly PastChange[] {
  const past = openPastSets(sinceMs)
  for (const entry of entriesBefore(ledger, Infinity, { kind: "act" })) {
    if (past.take(entry)) break
  }
  return past.changes(readArchivedHead(ledger).seq === 0)
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

/** One time that other files came into force. */
export type PastChange = {
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The call that did it, and who the command said it was; `null` where the daemon did it by itself. */
  readonly asked: { readonly method: string; readonly by: string } | null
  /** Hashes of the files that came into force, and of those before; `null` for the first that the ledger knows of. */
  readonly to: string
  readonly from: string | null
  /** Empty for the first files there were; `null` where the ledger lacks either's: their record is in an archive. */
  readonly changes: readonly Change[] | null
}

const filesSchema = z.array(z.object({ name: z.string(), text: z.string() }))
type Files = z.infer<typeof filesSchema>
type Act = { readonly entry: StoredEntry; readonly row: ReturnType<typeof fieldsOf> }

/** A call is recorded before what it does; what came into force this long after was somebody else's. */
const asksWithinMs = 60_000

const loading = ["reload", "acceptPolicy", "rollback"]

/** Gathers the acts that tell which files were in force when, from the newest on. */
export function openPastSets(sinceMs: number) {
  const acts: Act[] = []
  const awaited = new Set<string>()
  let hasBefore = false
  return {
    /** Takes the next older act. @returns whether nothing older is needed. */
    take(entry: StoredEntry): boolean {
      const row = fieldsOf(entry.row)
      if (row["act"] === "set_activated") {
        acts.push({ entry, row })
        const hash = String(row["hash"])
        if (row["files"] === undefined) awaited.add(hash)
        else awaited.delete(hash)
        hasBefore ||= entry.at_ms < sinceMs
      } else if (row["act"] === "asked" || row["act"] === "started") acts.push({ entry, row })
      return hasBefore && awaited.size === 0
    },
    /** What came into force since then, the oldest first. `isWhole`: the ledger has all acts that there ever were. */
    changes(isWhole: boolean): readonly PastChange[] {
      return changesOf(acts.toReversed(), isWhole).filter(({ at }) => at >= sinceMs)
    },
  }
}

function changesOf(acts: readonly Act[], isWhole: boolean): readonly PastChange[] {
  const files = filesByHash(acts)
  const sets = activations(acts)
  return sets.flatMap(({ to, ...rest }, index) => {
    const from = sets[index - 1]?.to ?? null
    if (to === from) return []
    const isFirst = from === null && isWhole
    const changes = isFirst ? [] : between(files.get(from ?? ""), files.get(to))
    return { ...rest, to, from, changes }
  })
}

/** Each time that files came into force, also the same again, and who asked for it. */
function activations(acts: readonly Act[]): readonly Omit<PastChange, "from" | "changes">[] {
  let asked: Act | undefined
  return acts.flatMap((act) => {
    const { entry, row } = act
    if (row["act"] === "asked") {
      if (loading.includes(String(row["method"]))) asked = act
      return []
    }
    const who = askOf(asked, entry.at_ms)
    asked = undefined
    if (row["act"] === "started") return []
    return { seq: entry.seq, at: entry.at_ms, asked: who, to: String(row["hash"]) }
  })
}

function filesByHash(acts: readonly Act[]): ReadonlyMap<string, Files> {
  const found = acts.flatMap(({ row }) => {
    const files = filesSchema.safeParse(row["files"])
    return files.success ? [[String(row["hash"]), files.data] as const] : []
  })
  return new Map(found)
}

function askOf(act: Act | undefined, atMs: number): PastChange["asked"] {
  if (act === undefined || atMs - act.entry.at_ms > asksWithinMs) return null
  return { method: String(act.row["method"]), by: String(act.row["by"]) }
}

function between(before?: Files, after?: Files): readonly Change[] | null {
  if (before === undefined || after === undefined) return null
  const [from, to] = [parseFileSet(before), parseFileSet(after)]
  const anew = from.ok && to.ok ? begunAnew(from.value.policies, to.value.policies) : []
  return [...changesBetween(before, after), ...anew]
}
