import { writeSync } from "node:fs"

import { visible } from "./visible.ts"

/** What a service tells systemd about itself, sd_notify(3). */
export type ServiceNotify = {
  /** False where nobody listens; then all else does nothing. */
  readonly isHeard: boolean
  /** Within which time `alive` must be called again and again; `undefined` without a watchdog. */
  readonly watchdogMs: number | undefined
  /** It serves; `status` is the line that `systemctl status` shows. */
  ready(status: string): void
  status(status: string): void
  /** Until the next `ready`. */
  reloading(status: string): void
  stopping(): void
  alive(): void
}

/**
 * Speaks to systemd over the descriptor that `systemd/launch` connected: Node has no datagram sockets of
 * the kind that systemd listens on. The environment names it; whoever is started from here doesn't inherit it.
 */
export function serviceNotify(environment: NodeJS.ProcessEnv = process.env): ServiceNotify {
  const descriptor = wholeNumber(environment["NOTIFY_FD"])
  const watchdogUs = wholeNumber(environment["WATCHDOG_USEC"])
  delete environment["NOTIFY_FD"]
  delete environment["WATCHDOG_USEC"]
  const tell = (...lines: readonly string[]): void => {
    if (descriptor !== undefined) send(descriptor, lines.join("\n"))
  }
  return {
    isHeard: descriptor !== undefined,
    watchdogMs:
      descriptor === undefined || watchdogUs === undefined ? undefined : watchdogUs / 1_000,
    ready: (status) => tell("READY=1", statusLine(status)),
    status: (status) => tell(statusLine(status)),
    reloading: (status) => tell("RELOADING=1", statusLine(status)),
    stopping: () => tell("STOPPING=1"),
    alive: () => tell("WATCHDOG=1"),
  }
}

/** systemd drops a message of more than 4,096 bytes whole; a character takes three at most. */
const maxStatusLength = 1_200

/** systemd shows one line, on a terminal as it is. */
function statusLine(status: string): string {
  const line = visible(status.replaceAll(/\s+/g, " ").trim())
  return `STATUS=${line.slice(0, maxStatusLength)}`
}

function send(descriptor: number, message: string): void {
  try {
    writeSync(descriptor, message)
  } catch {
    // A manager that can't be told is no reason to stop signing.
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
