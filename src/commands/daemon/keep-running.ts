import { setTimeout as sleep } from "node:timers/promises"

import { Fault } from "../../std/fault.ts"
import type { Child } from "./child.ts"

export type Kept = {
  /** Rejects when the process ended and can't be started again. */
  readonly broken: Promise<never>
  /** To the process that runs now. */
  signal(name: NodeJS.Signals): void
  stop(): Promise<void>
}

/** Between restarts, so that a process that ends at once doesn't take the machine. Doubles up to the longest. */
const shortestPauseMs = 100
const longestPauseMs = 5_000
/** A process that ran this long has recovered. */
const steadyMs = 60_000

/** Starts a process again whenever it ends unasked. Without `restart` its first end is final. */
export function keepRunning<Ready>(
  first: Child<Ready>,
  restart: (() => Promise<Child<Ready>>) | undefined,
): Kept {
  let current = first
  let isStopping = false
  const stopsNow = (): boolean => isStopping

  async function watch(): Promise<never> {
    for (let pauseMs = shortestPauseMs; ;) {
      const startedMs = performance.now()
      await current.ended
      if (stopsNow()) return new Promise<never>(() => undefined)
      if (restart === undefined) throw endedFault()
      if (performance.now() - startedMs > steadyMs) pauseMs = shortestPauseMs
      await sleep(pauseMs)
      if (stopsNow()) return new Promise<never>(() => undefined)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      current = (await startAgain(restart)) ?? current
      if (stopsNow()) await current.stop()
    }
  }

  const broken = watch()
  broken.catch(() => undefined) // whoever waits for it hears of it; nobody has to
  return {
    broken,
    signal: (name) => current.signal(name),
    stop: async () => {
      isStopping = true
      await current.stop()
    },
  }
}

/** `undefined` while a command has the ledger open for a moment: that is no reason to give up. */
async function startAgain<Ready>(
  restart: () => Promise<Child<Ready>>,
): Promise<Child<Ready> | undefined> {
  try {
    return await restart()
  } catch (error) {
    if (error instanceof Fault && error.code === "already_running") return undefined
    throw error
  }
}

function endedFault(): Fault {
  return new Fault(
    "vault_unavailable",
    "The vault ended, and the passphrase that was typed isn't kept; start countersign serve again.",
  )
}
