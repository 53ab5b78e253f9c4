import type { TestContext } from "node:test"

/** Wall time that a test sets, as a person or a time server does; the monotonic clock goes on as it is. */
export function setClock(t: TestContext): {
  /** Sets it so much ahead of what it tells now, or back. */
  step(ms: number): void
  /** Sets it so much ahead of the right time, or behind. */
  setTo(ms: number): void
} {
  const real = Date.now
  let offsetMs = 0
  t.mock.method(Date, "now", () => real() + offsetMs)
  return { step: (ms) => void (offsetMs += ms), setTo: (ms) => void (offsetMs = ms) }
}
