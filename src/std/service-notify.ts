import { writeSync } from "node:fs"

import { visible } from "./visible.ts"

/** What a service tells systemd about itself, sd_notify(3). */
export type ServiceNotify = {
  /** False if nobody listens; then the other calls do nothing. */
  readonly isHeard: boolean
  /** `alive` must be called at least this often; `undefined` without a watchdog. */
  readonly watchdogMs: number | undefined
  /** The service is up; `status` is the line that `systemctl status` shows. */
  ready(status: string): void
  status(status: string): void
  /** The service is reloading until the next `ready`. */
  reloading(status: string): void
  stopping(): void
  alive(): void
}

/**
 * Speaks to systemd over the descriptor that `systemd/launch` connected, because Node has no Unix datagram
 * sockets. The environment names the descriptor. Child processes don't inherit it.
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

/** systemd drops a message of more than 4,096 bytes. A character takes at most three. */
const maxStatusLength = 1_200

/** systemd shows one line and sends it to the terminal unchanged. */
function statusLine(status: string): string {
  const line = visible(status.replaceAll(/\s+/g, " ").trim())
  return `STATUS=${line.slice(0, maxStatusLength)}`
}

function send(descriptor: number, message: string): void {
  try {
    writeSync(descriptor, message)
  } catch {
    // Signing goes on if systemd can't be told.
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
