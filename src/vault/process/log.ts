import {
  failureFields,
  createLog,
  type FieldsOf,
  type LogHead,
  type LogLevel,
} from "../../std/log.ts"
import type { Curve } from "../keyring/curve.ts"
import { whoRefused, type RequestEntry, type LedgerWatcher } from "../ledger/records/entries.ts"
import { frozen } from "../ledger/records/freeze.ts"
import type { RecordId } from "../ledger/records/record-id.ts"
import type { Act } from "../ledger/records/row.ts"

export { failureFields }

/** What a log line of the vault can say. There is no field for a body, a token or a key. */
export type LogEntry = LogHead & {
  readonly method?: string
  readonly code?: string
  /** A sentence of ours, which quotes no secret and nothing of a request. */
  readonly message?: string | undefined
  readonly policy_hash?: string
  readonly client?: string
  /** `policy/rule` or `policy/limit`. */
  readonly rule?: string | undefined
  /** The id of what the ledger has about it. */
  readonly record?: string | undefined
  /** The library that signs. */
  readonly curve?: Curve["name"]
  /** Where a bug was thrown: function names and positions, without its message. */
  readonly at?: string
}

/** The fields of {@link LogEntry} in the order in which a line has them. */
export const logFields: FieldsOf<LogEntry> = {
  method: true,
  code: true,
  message: true,
  policy_hash: true,
  client: true,
  rule: true,
  record: true,
  curve: true,
  at: true,
}

/** The vault's log, and what sets its level. */
export const { log, logFrom } = createLog<LogEntry>(logFields)

/** Writes what was thrown. */
export function logFailure(
  event: string,
  error: unknown,
  context: Pick<LogEntry, "method"> = {},
): void {
  log({ level: "error", event, ...context, ...failureFields(error) })
}

/** Hears what a vault does. Nothing waits for it. */
export type VaultListener = Pick<LedgerWatcher, "reserved" | "noted"> & {
  /** What it does before it is open, in words that people read. */
  opening(
    step: "loading policies" | "unlocking keys" | "checking the ledger" | "waiting for PostgreSQL",
  ): void
  /** An act is in force, and durable. */
  acted(entry: Act, record: RecordId): void
}

/** Hears nothing. */
export const noListener: VaultListener = { opening: () => undefined, acted: () => undefined }

/**
 * Writes lines for freezes and their ends, which whoever watches the daemon must hear of; for refusals, whose
 * level is given, since people look for them in the journal of a service; and for each request that is signed,
 * where the log is written from the level of those on.
 */
export function logVault(
  refusals: LogLevel,
  from: LogLevel,
): Pick<VaultListener, "acted" | "noted" | "reserved"> {
  const listener = { acted: logAct, noted: refusalLog(refusals) }
  if (from !== "debug") return listener
  const reserved = ({ client, rule }: RequestEntry, record: RecordId): void =>
    log({ level: "debug", event: "recorded", client, rule, record })
  return { ...listener, reserved }
}

function logAct(entry: Act, record: RecordId): void {
  if (entry.act === "frozen") {
    log({ level: "error", event: "frozen", message: frozen(entry).message, record })
  }
  if (entry.act === "thawed") {
    const what = entry.name === null ? "everything" : `the ${entry.scope} ${entry.name}`
    log({ level: "warn", event: "thawed", message: `The freeze of ${what} is over.`, record })
  }
}

/** As many as the ledger counts repeats of at once. */
const maxRecent = 1_000

/** Like the ledger's rows: a line for the first of those that share a record. */
function refusalLog(level: LogLevel): Required<VaultListener>["noted"] {
  const recent = new Set<RecordId>()
  return ({ client, refusal }, record) => {
    if (record === null || recent.has(record)) return
    if (recent.size >= maxRecent) recent.clear()
    recent.add(record)
    const rule = whoRefused(refusal) ?? undefined
    log({ level, event: "refused", client, code: refusal.code, rule, record })
  }
}
