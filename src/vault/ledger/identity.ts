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

/** For how long a reading stands for later ones, while the clock goes on as it should. */
const clockStandsMs = 1_000

/**
 * Prepares keeping the clocks with a commit. Within the open transaction. A reading of a second ago tells a
 * start as much as the latest.
 */
export function clockKeeper(database: DatabaseSync): (reading: ClockReading) => void {
  let last: ClockReading | undefined
  const keep = database.prepare(
    `INSERT INTO clock (one, wall_ms, uptime_ms, boot_id) VALUES (1, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE
     SET wall_ms = excluded.wall_ms, uptime_ms = excluded.uptime_ms, boot_id = excluded.boot_id`,
  )
  return (reading) => {
    if (last !== undefined && isSoonAfter(last, reading)) return
    last = reading
    keep.run(reading.wallMs, reading.uptimeMs, reading.bootId)
  }
}

function isSoonAfter(last: ClockReading, { wallMs, uptimeMs, bootId }: ClockReading): boolean {
  const isSoon = (ms: number): boolean => ms >= 0 && ms < clockStandsMs
  return isSoon(wallMs - last.wallMs) && isSoon(uptimeMs - last.uptimeMs) && bootId === last.bootId
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
