/** Wakes all who wait. */
export type Bell = {
  ring(): void
  /** Is aborted by the next ring. */
  next(): AbortSignal
}

export function hangBell(): Bell {
  let controller = new AbortController()
  return {
    ring() {
      controller.abort()
      controller = new AbortController()
    },
    next: () => controller.signal,
  }
}
