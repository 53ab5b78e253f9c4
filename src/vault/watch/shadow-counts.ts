/** How many shadows a client may have recorded in a second, and how many bytes of bodies. */
export const maxShadows = 10
export const maxShadowBytes = 65_536

/** What clients had recorded of shadows lately: they cost room and nothing else bounds them. */
export type ShadowCounts = {
  /** Counts one with so many bytes; `false` when it is too much for this second. */
  take(client: string, bytes: number, monotonicMs: number): boolean
}

/** Starts with none. */
export function countShadows(): ShadowCounts {
  const seconds = new Map<string, { readonly startMs: number; count: number; bytes: number }>()
  return {
    take(client, bytes, monotonicMs) {
      const last = seconds.get(client)
      const isOver = last === undefined || monotonicMs - last.startMs >= 1_000
      const now = isOver ? { startMs: monotonicMs, count: 0, bytes: 0 } : last
      seconds.set(client, now)
      if (now.count >= maxShadows || now.bytes + bytes > maxShadowBytes) return false
      now.count += 1
      now.bytes += bytes
      return true
    },
  }
}
