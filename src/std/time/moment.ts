/** A moment by both clocks, for any process of this machine: one can be set back, the other stands still in a suspend. */
export type Moment = { readonly wallMs: number; readonly monotonicMs: number }

/** The moment that is so many milliseconds from now. */
export function momentIn(ms: number): Moment {
  return { wallMs: Date.now() + ms, monotonicMs: Number(process.hrtime.bigint()) / 1e6 + ms }
}

/** How long ago it was, in milliseconds, by the clock that says more; below zero while it is yet to come. */
export function passedSince({ wallMs, monotonicMs }: Moment): number {
  const now = momentIn(0)
  return Math.max(now.wallMs - wallMs, now.monotonicMs - monotonicMs)
}
