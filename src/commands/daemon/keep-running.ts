import { setTimeout as sleep } from "node:timers/promises"

import { Fault } from "../../std/fault.ts"
import { passingCodes } from "../../std/systemd.ts"
import { log, logFailure } from "../../vault/process/log.ts"
import type { Child, Stopper } from "./child.ts"

export type Kept = {
  /** Rejects when the process ended and can't be started again. */
  readonly broken: Promise<never>
  /** To the process that runs now. */
  signal(name: NodeJS.Signals): void
  stop(by?: Stopper): Promise<void>
}

/** Between restarts, so that a process that ends at once doesn't take the machine. Doubles up to the longest. */
const shortestPauseMs = 100
const longestPauseMs = 2_000
/** A process that ran this long has recovered. */
const steadyMs = 60_000

/**
 * Starts a process again whenever it ends unasked, for as long as what hinders it can pass. Without
 * `restart` its first end is final.
 */
export function keepRunning<Ready>(
  first: Child<Ready>,
  restart: (() => Promise<Child<Ready>>) | undefined,
): Kept {
  let current = first
  let isStopping = false
  const startAgain = patiently(restart)
  const stopsNow = (): boolean => isStopping

  async function watch(): Promise<never> {
    for (let pauseMs = shortestPauseMs; ;) {
      const startedMs = performance.now()
      const message = await current.ended
      if (stopsNow()) return new Promise<never>(() => undefined)
      log({ level: "warn", event: "process_ended", message })
      if (startAgain === undefined) throw endedFault()
      if (performance.now() - startedMs > steadyMs) pauseMs = shortestPauseMs
      await sleep(pauseMs)
      if (stopsNow()) return new Promise<never>(() => undefined)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      current = (await startAgain()) ?? current
      if (stopsNow()) await current.stop()
    }
  }

  const broken = watch()
  broken.catch(() => undefined) // whoever waits for it hears of it; nobody has to
  return {
    broken,
    signal: (name) => current.signal(name),
    stop: async (by) => {
      isStopping = true
      await current.stop(by)
    },
  }
}

/**
 * `restart`, but `undefined` while that which hinders it can pass: no reason to give up. The log hears of
 * it once; a command that has the ledger open for a moment isn't worth a line.
 */
function patiently<Ready>(restart: (() => Promise<Child<Ready>>) | undefined) {
  if (restart === undefined) return undefined
  let isLogged = false
  return async (): Promise<Child<Ready> | undefined> => {
    try {
      const child = await restart()
      isLogged = false
      return child
    } catch (error) {
      if (!(error instanceof Fault && passingCodes.has(error.code))) throw error
      if (error.code !== "already_running" && !isLogged) {
        isLogged = true
        logFailure("restart_failed", error)
      }
      return undefined
    }
  }
}

function endedFault(): Fault {
  return new Fault(
    "vault_unavailable",
    "The vault ended, and the passphrase that was typed isn't kept; start countersign serve again.",
  )
}
