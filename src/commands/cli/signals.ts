import { closeSync, openSync } from "node:fs"

/**
 * Gives `run` what resolves at the first SIGTERM, SIGINT or other of these signals from now on, and listens for as long
 * as `run` takes.
 */
export async function withStopSignal(
  run: (stopped: Promise<unknown>) => Promise<void>,
  ...others: readonly NodeJS.Signals[]
): Promise<void> {
  const { promise, resolve: stop } = Promise.withResolvers<unknown>()
  const signals = ["SIGTERM", "SIGINT", ...others]
  for (const signal of signals) process.once(signal, stop)
  try {
    await run(promise)
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}

/**
 * Acts at every SIGHUP for as long as `run` takes, but the one by which a terminal says that it was closed: nobody asked
 * for anything then. Without a listener one would end the process.
 */
export async function atHangUp(act: () => void, run: () => Promise<void>): Promise<void> {
  let isAtTerminal = hasTerminal()
  const actIfAsked = (): void => {
    const wasAtTerminal = isAtTerminal
    isAtTerminal = hasTerminal()
    if (isAtTerminal || !wasAtTerminal) act()
  }
  process.on("SIGHUP", actIfAsked)
  try {
    await run()
  } finally {
    process.off("SIGHUP", actIfAsked)
  }
}

/** Whether this process has a controlling terminal, which a closed one is no more. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"))
    return true
  } catch {
    return false
  }
}
