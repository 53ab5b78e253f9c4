import type { AdminResults } from "../link/methods.ts"
import type { ServiceNotify } from "../std/service-notify.ts"
import { Fault } from "../std/fault.ts"
import { log, logFailure } from "./log.ts"
import { reload } from "./reload.ts"
import { selfTest } from "./self-test.ts"
import { statusLine } from "./status-line.ts"
import type { Vault } from "./vault.ts"
import { watchdogBeat } from "./watchdog.ts"

/** A vault as systemd sees it; without systemd it only reloads. */
export type VaultService = {
  /** It serves. From now on the status is kept true, and the watchdog fed. */
  ready(): void
  /** Puts the files on disk in force as {@link reload} does, and says so. */
  reload(): Promise<AdminResults["reload"]>
  stopping(): void
}

/** Between looks at the status where no watchdog sets the pace. */
const usualWatchdogMs = 20_000

/** Tells systemd what a vault does, all along. */
export function vaultService(vault: Vault, service: ServiceNotify): VaultService {
  const { watchdogMs = usualWatchdogMs } = service
  const refusals = refusalNote(vault)
  let shown = ""
  let beats: NodeJS.Timeout | undefined
  const line = (): string => (shown = statusLine(vault, refusals.last()))
  const refresh = (): void => {
    const before = shown
    if (line() !== before) service.status(shown)
  }
  const feed = watchdogFeed(vault, service)
  const beat = (): void => {
    refresh()
    void feed()
  }
  return {
    ready() {
      service.ready(line())
      if (service.isHeard) beats = setInterval(beat, watchdogMs / 2).unref()
    },
    async reload() {
      service.reloading("loading policies")
      try {
        return await reload(vault)
      } catch (error) {
        refusals.note(error)
        throw error
      } finally {
        service.ready(line())
      }
    },
    stopping() {
      clearInterval(beats)
      service.stopping()
    },
  }
}

/** Nothing without a watchdog. */
function watchdogFeed(vault: Vault, service: ServiceNotify): () => Promise<void> {
  if (service.watchdogMs === undefined) return () => Promise.resolve()
  return watchdogBeat({
    test: () => selfTest(vault),
    alive: () => service.alive(),
    tell: logSelfTest,
  })
}

function logSelfTest(event: "failed" | "passed", error?: unknown): void {
  if (event === "failed") logFailure("self_test_failed", error)
  else log({ level: "info", event: "self_test_passed" })
}

/** Why the files on disk were refused last; it holds until others are put in force. */
function refusalNote(vault: Vault) {
  const inForce = () => vault.active().policies // made anew with every set of files
  let last: { readonly message: string; readonly while: unknown } | undefined
  return {
    note(error: unknown): void {
      const message = error instanceof Fault ? error.message : "unknown error"
      last = { message: `the files on disk were refused: ${message}`, while: inForce() }
    },
    last: (): string | undefined => (last?.while === inForce() ? last.message : vault.alarm()),
  }
}
