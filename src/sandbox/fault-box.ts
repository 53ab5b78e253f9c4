import type { VenueFault } from "./venue-fault.ts"
import { seededRandom } from "./state/random.ts"

/** The faults that wait for requests. */
export type FaultBox = {
  readonly add: (fault: VenueFault) => void
  /** Those that wait, with what is left of their times. */
  readonly list: () => readonly VenueFault[]
  readonly clear: () => void
  /** Those that a request meets, in the order in which they were added. */
  readonly strike: (path: string) => readonly VenueFault[]
}

/** A box of faults whose chances come from `seed`. */
export function createFaultBox(seed: number, first: readonly VenueFault[] = []): FaultBox {
  const random = seededRandom(seed)
  let waiting = first
  return {
    add: (fault) => void (waiting = [...waiting, fault]),
    list: () => waiting,
    clear: () => void (waiting = []),
    strike: (path) => {
      // A fault that is certain draws no number, so that adding one doesn't change the others' luck.
      const struck = waiting.filter(
        ({ path: start, chance }) => path.startsWith(start) && (chance === 1 || random() < chance),
      )
      waiting = waiting
        .map((fault) => (struck.includes(fault) ? spent(fault) : fault))
        .filter(({ times }) => times !== 0)
      return struck
    },
  }
}

function spent(fault: VenueFault): VenueFault {
  return fault.times === undefined ? fault : { ...fault, times: fault.times - 1 }
}
