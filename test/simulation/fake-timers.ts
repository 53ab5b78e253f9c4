import { mock } from "node:test"

/** The timers of a run: they end when the simulation lets time pass. */
export type FakeTimers = {
  pass(ms: number): void
  /** Those of a process that ended never come. */
  clear(): void
  /** Gives the real ones back. */
  end(): void
}

/** Takes the place of the process's timers until it is ended. */
export function fakeTimers(): FakeTimers {
  const take = (): void => mock.timers.enable({ apis: ["setTimeout", "setInterval"] })
  take()
  return {
    pass: (ms) => mock.timers.tick(ms),
    clear() {
      mock.timers.reset()
      take()
    },
    end: () => mock.timers.reset(),
  }
}
