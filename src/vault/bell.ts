import type { Clock } from "./clock.ts"

/** Rings once at the earliest of the moments that it was set for. */
export type Bell = {
  /** What it does when it rings. */
  rings: () => void
  ringIn(ms: number): void
  silence(): void
}

/** Calls back once after so long, unless it is cancelled by what it returns. */
export type Alarm = (ring: () => void, afterMs: number) => () => void

/** Isn't set. */
export function openBell(
  { monotonicMs }: Pick<Clock, "monotonicMs">,
  alarm: Alarm = alarmByTimer,
): Bell {
  let dueMs = Infinity
  let cancel = (): void => undefined
  const bell: Bell = {
    rings: () => undefined,
    ringIn(ms) {
      const atMs = monotonicMs() + ms
      if (atMs >= dueMs) return
      cancel()
      dueMs = atMs
      cancel = alarm(() => {
        dueMs = Infinity
        bell.rings()
      }, ms)
    },
    silence() {
      cancel()
      dueMs = Infinity
    },
  }
  return bell
}

function alarmByTimer(ring: () => void, afterMs: number): () => void {
  const timer = setTimeout(ring, afterMs)
  return () => clearTimeout(timer)
}
