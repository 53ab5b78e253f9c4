import {
  addDecimals,
  compareDecimals,
  minDecimal,
  subtractDecimals,
  zero,
  type Decimal,
} from "../../../venue/decimal.ts"

/** Amounts that each count up to a time of their own. It takes them in the order of time. */
export type ExpiringSum = ReturnType<typeof expiringSum>

/** Amounts whose times lie close together, kept as one: taken from `fromMs` on, of which the first alone ends at `firstUntilMs`. */
export type SumPart = {
  readonly fromMs: number
  readonly firstUntilMs: number
  readonly untilMs: number
  readonly amount: Decimal
}

/**
 * Makes a sum of parts, which is empty without any. Amounts that end within `bucketMs` of each other end together, with the last of
 * them: none counts shorter than it should, and each at most `bucketMs` longer.
 */
export function expiringSum(bucketMs: number, parts: readonly SumPart[] = []) {
  const buckets = [...parts]
  let total = buckets.reduce((sum, { amount }) => addDecimals(sum, amount), zero)

  return {
    /** Adds what was taken at `atMs` and counts as long as the time is below `untilMs`. */
    add(amount: Decimal, atMs: number, untilMs: number): void {
      append(buckets, { fromMs: atMs, firstUntilMs: untilMs, untilMs, amount }, bucketMs)
      total = addDecimals(total, amount)
    },
    /** What counts at `nowMs`. */
    total: (nowMs: number) => subtractDecimals(total, expiredAt(buckets, nowMs)),
    /** The earliest time, `nowMs` or later, at which no more than `rest` counts. */
    downToAtMs(rest: Decimal, nowMs: number): number {
      let left = total
      let atMs = nowMs
      for (const { untilMs, amount } of buckets) {
        if (compareDecimals(left, rest) <= 0) break
        left = subtractDecimals(left, amount)
        atMs = Math.max(nowMs, untilMs)
      }
      return atMs
    },
    /** Takes away up to `amount` of what was added at `atMs`. Returns how much that was. */
    takeBack(amount: Decimal, atMs: number): Decimal {
      const index = buckets.findLastIndex(({ fromMs }) => fromMs <= atMs)
      const bucket = buckets[index]
      if (bucket === undefined) return zero
      const taken = minDecimal(amount, bucket.amount)
      buckets[index] = { ...bucket, amount: subtractDecimals(bucket.amount, taken) }
      total = subtractDecimals(total, taken)
      return taken
    },
    /** Forgets what no longer counts at `nowMs`. */
    drop(nowMs: number): void {
      const expired = expiredAt(buckets, nowMs)
      while ((buckets[0]?.untilMs ?? Infinity) <= nowMs) buckets.shift()
      total = buckets.length === 0 ? zero : subtractDecimals(total, expired)
    },
    /** When the last amount stops counting; `undefined` when there is none. */
    lastUntilMs: () => buckets.at(-1)?.untilMs,
    /** How many amounts are kept apart: what memory it takes. */
    size: () => buckets.length,
    /** All that it holds: a sum made of these goes on as this one does. They never change. */
    parts: () => [...buckets],
  }
}

function append(buckets: SumPart[], next: SumPart, bucketMs: number): void {
  const last = buckets.at(-1)
  // Never before the one before it, so that what counts is always the end of the list.
  const untilMs = Math.max(next.untilMs, last?.untilMs ?? next.untilMs)
  const isNear = untilMs === last?.firstUntilMs // also where neither ever comes
  if (last !== undefined && (isNear || untilMs - last.firstUntilMs < bucketMs)) {
    const amount = addDecimals(last.amount, next.amount)
    buckets[buckets.length - 1] = { ...last, untilMs, amount }
  } else buckets.push({ ...next, firstUntilMs: untilMs, untilMs })
}

function expiredAt(buckets: readonly SumPart[], nowMs: number): Decimal {
  let expired = zero
  for (const { untilMs, amount } of buckets) {
    if (untilMs > nowMs) break
    expired = addDecimals(expired, amount)
  }
  return expired
}
