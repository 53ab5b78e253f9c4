import type { DatabaseSync } from "node:sqlite"

import type { ClockReading } from "./clock-guard.ts"
import { readArchivedHead, type Head } from "./journal.ts"

/** What tells a ledger from every other one, and from older copies of itself. */
export type Identity = {
  /** Random, 32 hex digits; new with every restore that was accepted. */
  readonly ledger: string
  /** Its last entry. */
  readonly head: Head
  /** The clocks at the last commit. */
  readonly clock: ClockReading | undefined
}

/** Reads it at a start. */
export function readIdentity(database: DatabaseSync): Identity {
  const named = database.prepare("SELECT name FROM identity").get()
  const last = database.prepare("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").get()
  return {
    // Our own STRICT tables.
    ledger: named?.["name"] as string,
    head: (last as Head | undefined) ?? readArchivedHead(database),
    clock: readClock(database),
  }
}

/** Prepares keeping the clocks with a commit. Within the open transaction. */
export function clockKeeper(database: DatabaseSync): (reading: ClockReading) => void {
  const keep = database.prepare(
    `INSERT INTO clock (one, wall_ms, uptime_ms, boot_id) VALUES (1, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE
     SET wall_ms = excluded.wall_ms, uptime_ms = excluded.uptime_ms, boot_id = excluded.boot_id`,
  )
  return ({ wallMs, uptimeMs, bootId }) => void keep.run(wallMs, uptimeMs, bootId)
}

function readClock(database: DatabaseSync): ClockReading | undefined {
  const kept = database.prepare("SELECT wall_ms, uptime_ms, boot_id FROM clock").get()
  return (
    kept && {
      wallMs: kept["wall_ms"] as number,
      uptimeMs: kept["uptime_ms"] as number,
      bootId: kept["boot_id"] as string,
    }
  )
}
