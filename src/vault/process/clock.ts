import { readFileSync } from "node:fs"
import { uptime } from "node:os"

/** The clocks of a machine: one tells the time and can be set, the others only ever run on. */
export type Clock = {
  /** Milliseconds since 1970, a whole number. */
  readonly nowMs: () => number
  /** Milliseconds since any fixed moment, a whole number; never goes back. It may stand still in a suspend. */
  readonly monotonicMs: () => number
  /** Milliseconds since the machine started, its suspends among them; left out where it isn't known. */
  readonly uptimeMs?: () => number
  /** Names the run of the machine since it started last. */
  readonly bootId?: () => string | undefined
}

/** Names the run of a Linux machine: random, made anew at each start (random(4)). */
export const bootIdFile = "/proc/sys/kernel/random/boot_id"

/** The clocks of this machine. */
export const systemClock: Clock = {
  nowMs: Date.now,
  monotonicMs: () => Math.floor(performance.now()),
  // Node reads /proc/uptime, which counts the time of a suspend.
  uptimeMs: () => Math.floor(uptime() * 1_000),
  bootId: readBootId,
}

function readBootId(): string | undefined {
  try {
    return readFileSync(bootIdFile, "utf8").trim()
  } catch {
    return undefined // no Linux; then every start counts as one of the machine
  }
}
