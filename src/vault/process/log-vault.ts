import { whoRefused } from "../ledger/records/entries.ts"
import type { LogLevel } from "../../std/log.ts"
import type { Act } from "../ledger/records/row.ts"
import type { RequestEntry } from "../ledger/records/entries.ts"
import { frozen } from "../ledger/records/freeze.ts"
import type { LedgerWatcher } from "../ledger/records/entries.ts"
import type { RecordId } from "../ledger/records/record-id.ts"
import { log } from "./log.ts"

/** What a vault does before it is open, in words that people read. */
type OpeningStep =
  "loading policies" | "unlocking keys" | "checking the ledger" | "waiting for PostgreSQL"

/** Hears what a vault does. Nothing waits for it. */
export type VaultListener = Pick<LedgerWatcher, "reserved" | "noted"> & {
  opening(step: OpeningStep): void
  /** An act is in force, and durable. */
  acted(entry: Act, record: RecordId): void
}

const nothing = (): void => undefined

/** Hears nothing. */
export const noListener: VaultListener = {
  opening: nothing,
  acted: nothing,
}

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
  return from === "debug" ? { ...listener, reserved: logRequest } : listener
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

function logRequest({ client, rule }: RequestEntry, record: RecordId): void {
  log({ level: "debug", event: "recorded", client, rule, record })
}
