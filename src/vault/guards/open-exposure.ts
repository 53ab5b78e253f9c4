import { type Contradiction, type Known, knownBy } from "./contradiction.ts"
import { type MayFree, openFreed } from "./freed.ts"
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
  const [unsettled, freed] = [openUnsettled(), openFreed()]
  let unknownUntilMs = -Infinity
  const sumsOf = (of: Known, asked: readonly Opener[] = []) =>
    worstOf(of, unsettled.sums(), countOpeners(asked))
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
      unsettled.add(signed)
      openers.forEach(freed.took)
    },
    /**
     * Puts a reading in force and lets go of what it covers. Answers `false`, and changes nothing, where the one in
     * force was asked for later or covers more: what that one let go of, this one needn't show; or where it is distrusted.
     */
    read(reading: Reading, mayFree?: MayFree): boolean {
      const next = takeIn(reading, lagMs)
      if (next.coveredMs < unknownUntilMs) return false
      if (known !== undefined && isOlder(next, known)) return false
      const before = known && sumsOf(known)
      known = knownBy(next, known, unsettled.sums())
      unsettled.letGo(known.coveredMs)
      freed.begin(reading.askedAtMs, before ?? sumsOf(known), mayFree)
      return true
    },
    /** What the account may come to if `asked` is signed too; without a reading, or beyond `maxInFlight`, only that. */
    worst(asked: readonly Opener[]): Worst | "no_reading" | "in_flight" {
      if (unsettled.count() >= maxInFlight) return "in_flight"
      if (known === undefined) return "no_reading"
      const sums = sumsOf(known, asked)
      return { ...sums, freed: freed.by(sums) }
    },
    /** That a reading ever showed more of a position than could be. */
    contradiction: (): Contradiction | undefined => known?.contradiction,
    /** The last that was taken. */
    reading: (): Reading | undefined => known?.reading,
    /** How many requests count in full beside it. */
    inFlight: (): number => unsettled.count(),
  }
}

/** What is signed and not covered yet. */
function openUnsettled() {
  const unsettled = new Map<string, SignedOpeners>()
  let sums = countOpeners([])
  return {
    has: (record: string): boolean => unsettled.has(record),
    add(signed: SignedOpeners): void {
      unsettled.set(signed.record, signed)
      for (const opener of signed.openers) addOpener(sums, opener)
    },
    letGo(coveredMs: number): void {
      for (const [record, { expiresAfterMs }] of unsettled) {
        if (expiresAfterMs <= coveredMs) unsettled.delete(record)
      }
      // Anew, so that what was told before stays as it was.
      sums = countOpeners(unsettled.values().flatMap(({ openers }) => openers))
    },
    sums: () => sums,
    count: (): number => unsettled.size,
  }
}
