import assert from "node:assert/strict"

import { codesIn, readRepositoryFile, sectionOf, tableRows } from "./markdown.ts"
import type { SourceFile } from "./source-imports.ts"

export type LogSource = "gate" | "relay" | "vault" | "serve"

export type EventRow = {
  readonly levels: readonly string[]
  readonly from: readonly LogSource[]
  /** Besides `time`, `level` and `event`. */
  readonly fields: readonly string[]
}

/** What docs/logs.md says there is: events, and fields with the processes that can write them. */
export function pageOfLogs(): {
  readonly text: string
  readonly events: ReadonlyMap<string, EventRow>
  readonly fields: ReadonlyMap<string, readonly string[]>
} {
  const text = readRepositoryFile("docs/logs.md")
  const events = tableRows(sectionOf(text, "Events")).map(
    ([event = "", levels = "", from = "", fields = ""]): [string, EventRow] => [
      codesIn(event).join(),
      {
        levels: levels.split(", "),
        from: from.split(", ").sort() as LogSource[], // a word that is none fails the comparison
        fields: codesIn(fields),
      },
    ],
  )
  const fields = tableRows(sectionOf(text, "Fields")).map(([field = "", from = ""]) => {
    return [codesIn(field).join(), from.split(", ").sort()] as const
  })
  return { text, events: new Map(events), fields: new Map(fields) }
}

export type LoggedEvent = {
  readonly event: string
  readonly file: string
  readonly from: LogSource
  /** `undefined` where it isn't written out. */
  readonly level: string | undefined
}

/** What a source can log whose events aren't written out there, by its path from `src/` on. */
const computed: Readonly<Record<string, readonly string[]>> = {
  "gate/sign/forward.ts": ["unsent", "unknown"],
  // Writes what it is given by `logFailure`.
  "vault/process/log.ts": [],
}

const sources: Readonly<Record<string, LogSource>> = {
  gate: "gate",
  relay: "relay",
  vault: "vault",
  commands: "serve",
}

/** `level: "warn", event: "thawed"` and `logFailure("crashed"`. */
const written = /(?:level(?:: ([^,]+))?,\s*event: |logFailure\(\s*)"([a-z0-9_]+)"/g
/** Entries whose event is something else than a word. */
const unwritten = /\blevel(?:: [^,{}]+)?,\s*event(?:: (?!")|,| \})/

/** Every event that these sources can log. @throws for one that can't be told from its text. */
export function loggedEvents(files: readonly SourceFile[]): readonly LoggedEvent[] {
  return files.flatMap(({ file, text }) => {
    const from = sources[file.split("/")[0] ?? ""]
    if (from === undefined) return []
    const named = computed[file] ?? []
    const fix = `src/${file} logs an event whose name isn't written out: name what it can be in test/support/logs-page.ts`
    assert.ok(!unwritten.test(text) || file in computed, fix)
    const found = [...text.matchAll(written)].map(([whole, level, event = ""]) => ({
      event,
      level: whole.startsWith("logFailure") ? "error" : /^"(\w+)"$/.exec(level ?? "")?.[1],
    }))
    const all = [...found, ...named.map((event) => ({ event, level: undefined }))]
    return all.map((each) => ({ ...each, file, from }))
  })
}
