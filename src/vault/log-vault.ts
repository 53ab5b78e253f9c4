import { frozen } from "./freeze.ts"
import type { AdminEntry } from "./ledger/admin-entry.ts"
import type { RecordId, RefusalEntry, RequestEntry } from "./ledger/ledger.ts"
import { log } from "./log.ts"
import type { VaultListener } from "./vault-listener.ts"
import { whoRefused } from "./views.ts"

/**
 * Writes lines for what whoever watches the daemon must hear of: freezes and their ends; for a `service`
 * also refusals, whose journal is where people look; and each request that is signed where that is asked for.
 */
export function logVault(asked: {
  readonly refusals: boolean
  readonly requests: boolean
}): Pick<VaultListener, "acted" | "refused" | "reserved"> {
  const nothing = (): void => undefined
  return {
    acted: logAct,
    refused: asked.refusals ? refusalLog() : nothing,
    reserved: asked.requests ? logRequest : nothing,
  }
}

function logAct(entry: AdminEntry, record: RecordId | undefined): void {
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
function refusalLog(): VaultListener["refused"] {
  const recent = new Set<RecordId>()
  return ({ client, refusal }: RefusalEntry, record) => {
    if (recent.has(record)) return
    if (recent.size >= maxRecent) recent.clear()
    recent.add(record)
    const rule = whoRefused(refusal) ?? undefined
    log({ level: "info", event: "refused", client, code: refusal.code, rule, record })
  }
}

function logRequest({ client, rule }: RequestEntry, record: RecordId): void {
  log({ level: "debug", event: "recorded", client, rule, record })
}
