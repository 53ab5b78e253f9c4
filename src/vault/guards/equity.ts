import {
  addDecimals,
  compareDecimals,
  type Decimal,
  excessOf,
  maxDecimal,
  minDecimal,
  multiplyDecimals,
  wholeDecimal,
} from "../../venue/decimal.ts"

/*
 * What losses of an account are counted from. A mark is an equity that the account once had, or would have had with what was
 * paid in since. So a deposit makes no loss smaller. A reading moves marks up alone; but for a day's, which the first reading
 * after its start sets anew. No clock does.
 */

/** An equity that losses are counted from. Quote units. */
export type Mark = {
  /** The start of its day or hour; of the highest ever, when it was read. */
  readonly fromMs: number
  /** What the account had. */
  readonly of: Decimal
  /** The same with what was paid in or out since. */
  readonly at: Decimal
}

/** What is known of an account's equity, by the readings that were recorded. */
export type Marks = {
  readonly readAtMs: number
  readonly equity: Decimal
  /** By which lines of venue.yaml it was read. Others may mean something else by equity. */
  readonly mapping: string
  /** The highest since the account was anchored. */
  readonly high: Mark
  /** By time zone: what the account had when the day began. */
  readonly days: ReadonlyMap<string, Mark>
  /** The highest of each hour that none of a later hour reaches, so they fall. */
  readonly hours: readonly Mark[]
}

/** A reading as far as it is about equity. */
export type SeenEquity = Pick<Marks, "readAtMs" | "equity" | "mapping">

/** No loss is counted over a longer window that rolls. */
export const longestWindowMs = 7 * 24 * 3_600_000
export const hourMs = 3_600_000

/** By time zone, when the day of a reading began. */
export type DayStarts = ReadonlyMap<string, number>

/** Counts losses from here on, whatever was before. */
export function anchored(seen: SeenEquity, days: DayStarts): Marks {
  const { equity, readAtMs } = seen
  return {
    ...seen,
    high: markAt(readAtMs, equity),
    days: new Map([...days].map(([zone, startMs]) => [zone, markAt(startMs, equity)])),
    hours: [markAt(hourOf(readAtMs), equity)],
  }
}

/** Whether trading explains what an account has, after what it `had`. */
export function isPlausible(had: Decimal, equity: Decimal, plausible: Decimal): boolean {
  return compareDecimals(apart(had, equity), plausible) <= 0
}

/**
 * The marks after a reading. A rise of more than `plausible` can't be told from a deposit, and so counts as one: `deposit`, of
 * which nothing makes a loss smaller.
 */
export function markedBy(
  before: Marks,
  seen: SeenEquity,
  { days, plausible }: { readonly days: DayStarts; readonly plausible: Decimal },
): { readonly marks: Marks; readonly deposit: Decimal | undefined } {
  const rise = excessOf(seen.equity, before.equity)
  const deposit = excessOf(rise, plausible).coefficient === 0n ? undefined : rise
  const { high, days: earlier, hours } = deposit ? paidIn(before, deposit) : before
  const hour = markAt(hourOf(seen.readAtMs), seen.equity)
  const recent = hours.filter(({ fromMs, at }) => {
    return fromMs > hour.fromMs - longestWindowMs - hourMs && compareDecimals(at, hour.at) > 0
  })
  return {
    deposit,
    marks: {
      ...seen,
      high: compareDecimals(seen.equity, high.at) > 0 ? markAt(seen.readAtMs, seen.equity) : high,
      days: new Map(
        [...days].map(([zone, startMs]) => {
          const last = earlier.get(zone)
          if (last !== undefined && last.fromMs >= startMs) return [zone, last]
          // What was lost since the last reading of the day before isn't forgiven.
          return [zone, markAt(startMs, maxDecimal(before.equity, seen.equity))]
        }),
      ),
      hours: recent.at(-1)?.fromMs === hour.fromMs ? recent : [...recent, hour],
    },
  }
}

/** Moves all marks by what was paid in. */
export function paidIn(marks: Marks, amount: Decimal): Marks {
  return moved(marks, (at) => addDecimals(at, amount))
}

/**
 * Moves all marks by what was paid out; none below what the account has, since a mark may be from after it was paid. So it
 * ends what is lost at the most, and buys no room besides.
 */
export function paidOut(marks: Marks, amount: Decimal): Marks {
  return moved(marks, (at) => maxDecimal(excessOf(at, amount), minDecimal(at, marks.equity)))
}

function moved(marks: Marks, move: (at: Decimal) => Decimal): Marks {
  const mark = ({ at, ...rest }: Mark): Mark => ({ ...rest, at: move(at) })
  return {
    ...marks,
    high: mark(marks.high),
    days: new Map([...marks.days].map(([zone, day]) => [zone, mark(day)])),
    hours: marks.hours.map(mark),
  }
}

/** Whether nothing needs to be recorded: every mark is as before, and the equity within a thousandth. */
export function isAsRecorded(before: Marks, after: Marks): boolean {
  const [earlier, later] = [marksOf(before), marksOf(after)]
  return (
    earlier.length === later.length &&
    earlier.every((mark, index) => isSame(mark, later[index])) &&
    isNear(before.equity, after.equity)
  )
}

type NamedMark = readonly [name: string, mark: Mark]

/** Each with what it is of: days by their zones. */
function marksOf({ high, days, hours }: Marks): readonly NamedMark[] {
  return [["high", high], ...days, ...hours.map((hour) => ["hour", hour] as const)]
}

function isSame([name, one]: NamedMark, [named, other]: NamedMark | readonly [] = []): boolean {
  if (name !== named || one.fromMs !== other?.fromMs) return false
  return compareDecimals(one.at, other.at) === 0 && compareDecimals(one.of, other.of) === 0
}

function isNear(one: Decimal, other: Decimal): boolean {
  return compareDecimals(multiplyDecimals(apart(one, other), thousand), one) < 0
}

/** How far two are from each other. */
export function apart(one: Decimal, other: Decimal): Decimal {
  return addDecimals(excessOf(one, other), excessOf(other, one))
}

/** 1 %. */
export const hundredth: Decimal = { coefficient: 1n, scale: 2 }
const thousand = wholeDecimal(1_000n)

function markAt(fromMs: number, equity: Decimal): Mark {
  return { fromMs, of: equity, at: equity }
}

function hourOf(timeMs: number): number {
  return Math.floor(timeMs / hourMs) * hourMs
}
