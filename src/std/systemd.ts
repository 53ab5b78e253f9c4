// What systemd hands a service, what the service tells it, and what its exit codes mean to it.

import { writeSync } from "node:fs"

import { Fault, type FaultCode } from "./fault.ts"
import { visible } from "./visible.ts"

// The first descriptor that systemd passes, sd_listen_fds(3).
const firstDescriptor = 3

/**
 * The sockets that systemd opened for this process, by the name in their unit (`FileDescriptorName=`); empty if
 * there are none. Child processes don't inherit them.
 *
 * @throws {Fault} `usage` when they have no names, or one name twice.
 */
export function listenFds(
  environment: NodeJS.ProcessEnv = process.env,
  pid = process.pid,
): ReadonlyMap<string, number> {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES } = environment
  delete environment["LISTEN_PID"]
  delete environment["LISTEN_FDS"]
  delete environment["LISTEN_FDNAMES"]
  if (LISTEN_PID !== String(pid)) return new Map()
  const count = Number(LISTEN_FDS)
  const names = (LISTEN_FDNAMES ?? "").split(":")
  if (names.length !== count || new Set(names).size !== count) {
    throw new Fault(
      "usage",
      "The sockets that systemd hands over need a FileDescriptorName= each, all different.",
    )
  }
  return new Map(names.map((name, index) => [name, firstDescriptor + index]))
}

/** What a service tells systemd about itself, sd_notify(3). */
export type ServiceNotify = ReturnType<typeof serviceNotify>

/**
 * Speaks to systemd over the descriptor that `systemd/launch` connected, because Node has no Unix datagram
 * sockets. The environment names the descriptor. Child processes don't inherit it.
 */
export function serviceNotify(environment: NodeJS.ProcessEnv = process.env) {
  const descriptor = wholeNumber(environment["NOTIFY_FD"])
  const watchdogUs = wholeNumber(environment["WATCHDOG_USEC"])
  delete environment["NOTIFY_FD"]
  delete environment["WATCHDOG_USEC"]
  const tell = (...lines: readonly string[]): void => {
    if (descriptor !== undefined) send(descriptor, lines.join("\n"))
  }
  return {
    /** False if nobody listens; then the other calls do nothing. */
    isHeard: descriptor !== undefined,
    /** `alive` must be called at least this often; `undefined` without a watchdog. */
    watchdogMs:
      descriptor === undefined || watchdogUs === undefined ? undefined : watchdogUs / 1_000,
    /** The service is up; `status` is the line that `systemctl status` shows. */
    ready: (status: string) => tell("READY=1", statusLine(status)),
    status: (status: string) => tell(statusLine(status)),
    /** The service is reloading until the next `ready`. */
    reloading: (status: string) => tell("RELOADING=1", statusLine(status)),
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

// What `systemd/launch` can try, by the words of its --denied=.
const deniedWords: Readonly<Record<string, string>> = {
  connect: "connections to the network",
  write: "writing to the system's files",
  exec: "starting other programs",
  state: "reading the vault's files",
}

/**
 * A warning if the sandbox of a service doesn't deny what its `unit` file says. The launcher tried it before this
 * process began and put the result in the environment; this removes it from there.
 */
export function undenied(
  unit: string,
  environment: NodeJS.ProcessEnv = process.env,
): readonly string[] {
  const said = environment["COUNTERSIGN_SANDBOX"] ?? "holds"
  delete environment["COUNTERSIGN_SANDBOX"]
  if (said === "holds") return []
  const what = said.split(",").map((word) => deniedWords[word] ?? "what else it should")
  return [`The sandbox doesn't deny ${what.join(", ")}: install the unit as ${unit} has it.`]
}

// sysexits.h: EX_TEMPFAIL and EX_CONFIG. The units have RestartPreventExitStatus=78.
const tempFail = 75
const configError = 78

/** The process itself isn't at fault: it will start once a disk or another command lets it. */
export const passingCodes: ReadonlySet<FaultCode> = new Set([
  "ledger_unavailable",
  "already_running",
  "vault_unavailable",
])

/** The exit code of a service that can't start: 75 if starting again may help, else 78. */
export function serviceExitCode(code: FaultCode): 75 | 78 {
  return passingCodes.has(code) ? tempFail : configError
}
