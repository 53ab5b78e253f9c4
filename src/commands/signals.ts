/** Resolves at the first SIGTERM or SIGINT, from now on. */
export function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve())
    process.once("SIGINT", () => resolve())
  })
}
