/** Gives `run` what resolves at the first SIGTERM or SIGINT from now on, and listens for as long as `run` takes. */
export async function withStopSignal(
  run: (stopped: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { promise, resolve: stop } = Promise.withResolvers<unknown>()
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
  try {
    await run(promise)
  } finally {
    process.off("SIGTERM", stop)
    process.off("SIGINT", stop)
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
