import { type Contradiction, type Known, knownBy } from "./contradiction.ts"
import {
  addOpener,
  countOpeners,
  isOlder,
  type Opener,
  type Reading,
  takeIn,
  type Worst,
  worstOf,
} from "./exposure.ts"

/** What of a signed request can enlarge positions. */
export type SignedOpeners = {
  readonly record: string
  /** The last moment at which the venue takes it, by the venue's clock. Whole milliseconds. */
  readonly expiresAfterMs: number
  readonly openers: readonly Opener[]
}

/** Bounds memory, and what a reading costs. */
export const maxInFlight = 10_000

export type Exposure = ReturnType<typeof openExposure>

/** Starts without a reading and with nothing in flight. `lagMs`: the longest that the venue takes to show what it did. */
export function openExposure({ lagMs }: { readonly lagMs: number }) {
  let known: Known | undefined
  const unsettled = new Map<string, SignedOpeners>()
  let inFlight = countOpeners([])
  let unknownUntilMs = -Infinity
  return {
    /** Something may be signed that isn't known here, and be taken until then: no reading that covers less is of use. */
    distrust(untilMs: number): void {
      unknownUntilMs = Math.max(unknownUntilMs, untilMs)
    },
    /** Counts a signed request until a reading covers it. One that is counted or covered already changes nothing. */
    took(signed: SignedOpeners): void {
      const { record, expiresAfterMs, openers } = signed
      if (openers.length === 0 || unsettled.has(record)) return
      if (known !== undefined && expiresAfterMs <= known.coveredMs) return
      unsettled.set(record, signed)
      for (const opener of openers) addOpener(inFlight, opener)
    },
    /**
     * Puts a reading in force and lets go of what it covers. Answers `false`, and changes nothing, where the one in
     * force was asked for later or covers more: what that one let go of, this one needn't show; or where it is distrusted.
     */
    read(reading: Reading): boolean {
      const next = takeIn(reading, lagMs)
      if (next.coveredMs < unknownUntilMs) return false
      if (known !== undefined && isOlder(next, known)) return false
      known = knownBy(next, known, inFlight)
      for (const [record, { expiresAfterMs }] of unsettled) {
        if (expiresAfterMs <= known.coveredMs) unsettled.delete(record)
      }
      inFlight = countOpeners(unsettled.values().flatMap(({ openers }) => openers))
      return true
    },
    /** What the account may come to if `asked` is signed too; without a reading, or beyond `maxInFlight`, only that. */
    worst(asked: readonly Opener[]): Worst | "no_reading" | "in_flight" {
      if (unsettled.size >= maxInFlight) return "in_flight"
      if (known === undefined) return "no_reading"
      return worstOf(known, inFlight, countOpeners(asked))
    },
    /** That a reading ever showed more of a position than could be. */
    contradiction: (): Contradiction | undefined => known?.contradiction,
    /** The last that was taken. */
    reading: (): Reading | undefined => known?.reading,
    /** How many requests count in full beside it. */
    inFlight: (): number => unsettled.size,
  }
}
