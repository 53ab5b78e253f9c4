import { frozen } from "./freeze.ts"
import type { AdminEntry } from "./ledger/ledger.ts"
import { log } from "./log.ts"

/** Writes a line for an act that whoever watches the daemon must hear of: freezes and their ends. */
export function logAct(entry: AdminEntry): void {
  if (entry.act === "frozen") {
    log({ level: "error", event: "frozen", message: frozen(entry).message })
  }
  if (entry.act === "thawed") {
    const what = entry.name === null ? "everything" : `the ${entry.scope} ${entry.name}`
    log({ level: "warn", event: "thawed", message: `The freeze of ${what} is over.` })
  }
}
