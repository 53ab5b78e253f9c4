import { isUnderJournal, journalPrefix } from "../std/journal.ts"
import { Fault } from "../std/fault.ts"
import type { Curve } from "./keyring/curve.ts"

/** What a log line can say. There is no field for a body, a token or a key. */
export type LogEntry = {
  readonly level: "debug" | "info" | "warn" | "error"
  /** What happened, in snake_case. */
  readonly event: string
  readonly method?: string
  readonly code?: string
  /** A Fault's sentence, which quotes no secret; of a bug, where it was thrown. */
  readonly message?: string | undefined
  readonly policy_hash?: string
  readonly client?: string
  /** `policy/rule` or `policy/limit`. */
  readonly rule?: string | undefined
  /** The id of what the ledger has about it. */
  readonly record?: string | undefined
  /** The library that signs. */
  readonly curve?: Curve["name"]
}

/** Writes one JSON line: to the journal, with its priority, where stdout goes there; else to stderr. */
export function log(entry: LogEntry): void {
  const { level, event, method, code, message, policy_hash, client, rule, record, curve } = entry
  const time = new Date().toISOString()
  const told = { policy_hash, client, rule, record, curve }
  const named = { time, level, event, method, code, message, ...told }
  const line = `${JSON.stringify(named)}\n`
  if (isJournal()) process.stdout.write(`${journalPrefix(level)}${line}`)
  else process.stderr.write(line)
}

/** Writes what was thrown. */
export function logFailure(
  event: string,
  error: unknown,
  context: Pick<LogEntry, "method"> = {},
): void {
  const isFault = error instanceof Fault
  const message = isFault ? error.message : error instanceof Error ? error.stack : "unknown error"
  log({ level: "error", event, ...context, code: isFault ? error.code : "internal", message })
}

let journal: boolean | undefined

/** Asked once: a process keeps its stdout. */
function isJournal(): boolean {
  journal ??= isUnderJournal()
  return journal
}
