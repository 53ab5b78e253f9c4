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

/** Acts at every SIGHUP for as long as `run` takes; without that, one would end the process. */
export async function atHangUp(act: () => void, run: () => Promise<void>): Promise<void> {
  process.on("SIGHUP", act)
  try {
    await run()
  } finally {
    process.off("SIGHUP", act)
  }
}
