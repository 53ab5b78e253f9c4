/** How many rows of a kind, that no signature stands behind, a client may have written in a second. */
export const maxRows = {
  shadow: 10,
  refusal: 100,
  price_set: 100,
  frozen: 100,
  hold: 100,
  repeat: 100,
} as const
/** How many bytes of them; one row may have more. */
export const maxRowBytes = 65_536

/** What clients had written lately: such rows cost room on the disk, and nothing else bounds them. */
export type RowCounts = ReturnType<typeof countRows>

/** Starts with none. */
export function countRows() {
  const seconds = new Map<string, { readonly startMs: number; count: number; bytes: number }>()
  return {
    /** Counts a row; `false` when it is too much for this client's second. */
    take(
      { client, kind, bytes }: { client: string; kind: keyof typeof maxRows; bytes: number },
      nowMs: number,
    ): boolean {
      const name = `${kind} ${client}`
      const last = seconds.get(name)
      const isOver = last === undefined || Math.abs(nowMs - last.startMs) >= 1_000
      const now = isOver ? { startMs: nowMs, count: 0, bytes: 0 } : last
      seconds.set(name, now)
      const isTooLarge = now.count > 0 && now.bytes + bytes > maxRowBytes
      if (now.count >= maxRows[kind] || isTooLarge) return false
      now.count += 1
      now.bytes += bytes
      return true
    },
  }
}
