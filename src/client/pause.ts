/** Waits for so long, or until the signal; tells whether it was the whole time. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isWhole: boolean): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", abort)
      resolve(isWhole)
    }
    const abort = (): void => end(false)
    const timer = setTimeout(() => end(true), ms)
    signal?.addEventListener("abort", abort)
    if (signal?.aborted === true) abort()
  })
}
