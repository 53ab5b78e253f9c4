/** The two clocks of a machine: one tells the time and can be set, the other only ever runs on. */
export type Clock = {
  /** Milliseconds since 1970, a whole number. */
  readonly nowMs: () => number
  /** Milliseconds since any fixed moment, a whole number; never goes back. */
  readonly monotonicMs: () => number
}

/** The clocks of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
}
