/** An exact non-negative decimal: `coefficient / 10^scale`. Made by {@link parseDecimal}. */
export type Decimal = { readonly coefficient: bigint; readonly scale: number }

/** More digits than any price or quantity needs; bounds the work that one number can cause. */
export const maxDecimalDigits = 40

const decimalPattern = /^(?:0|[1-9]\d*)(?:\.\d+)?$/

/** The only way from text to a number of money: digits, at most one point, no sign, no exponent, no leading zero. */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > maxDecimalDigits + 1 || !decimalPattern.test(text)) return undefined
  const point = text.indexOf(".")
  const digits = point === -1 ? text : text.slice(0, point) + text.slice(point + 1)
  if (digits.length > maxDecimalDigits) return undefined
  const scale = point === -1 ? 0 : text.length - point - 1
  return Object.freeze({ coefficient: BigInt(digits), scale })
}

/** `1%` as the fraction 0.01. */
export function parsePercentage(text: string): Decimal | undefined {
  if (!text.endsWith("%")) return undefined
  const percent = parseDecimal(text.slice(0, -1))
  return percent && { coefficient: percent.coefficient, scale: percent.scale + 2 }
}

/** Makes a decimal of a whole number that isn't negative. */
export function wholeDecimal(units: bigint): Decimal {
  return { coefficient: units, scale: 0 }
}

export const zero: Decimal = wholeDecimal(0n)
export const one: Decimal = wholeDecimal(1n)

/** Negative when `a` is less than `b`, zero when they are equal in value (`1.0` and `1` are), else positive. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const [left, right] = atSameScale(a, b)
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The exact sum. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { coefficient: atScale(a, scale) + atScale(b, scale), scale }
}

/** The exact sum of all; `null`, or `undefined`, where one of them isn't known. */
export function sumDecimals<Unknown extends null | undefined>(
  all: readonly (Decimal | Unknown)[],
): Decimal | Unknown {
  return all.reduce<Decimal | Unknown>((sum, next) => sum && next && addDecimals(sum, next), zero)
}

/** The exact difference of `a` and a `b` that is no larger. @throws {RangeError} when it is larger. */
export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  const coefficient = atScale(a, scale) - atScale(b, scale)
  if (coefficient < 0n) throw new RangeError("a decimal can't go below zero")
  return { coefficient, scale }
}

/** How far one is above another; zero where it isn't. */
export function excessOf(one: Decimal, other: Decimal): Decimal {
  return subtractDecimals(maxDecimal(one, other), other)
}

/** The exact product. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { coefficient: a.coefficient * b.coefficient, scale: a.scale + b.scale }
}

/** The largest of one or more decimals. */
export function maxDecimal(first: Decimal, ...others: readonly Decimal[]): Decimal {
  return others.reduce((most, next) => (compareDecimals(next, most) > 0 ? next : most), first)
}

/** The smaller of two decimals. */
export function minDecimal(a: Decimal, b: Decimal): Decimal {
  return compareDecimals(a, b) <= 0 ? a : b
}

/** Writes a decimal without exponent and without trailing zeros after the point. */
export function formatDecimal({ coefficient, scale }: Decimal): string {
  if (scale === 0) return coefficient.toString()
  const digits = coefficient.toString().padStart(scale + 1, "0")
  const fraction = digits.slice(-scale).replace(/0+$/, "")
  const whole = digits.slice(0, -scale)
  return fraction === "" ? whole : `${whole}.${fraction}`
}

/** The coefficients of two decimals, written with as many places. */
export function atSameScale(a: Decimal, b: Decimal): readonly [bigint, bigint] {
  const scale = Math.max(a.scale, b.scale)
  return [atScale(a, scale), atScale(b, scale)]
}

function atScale(decimal: Decimal, scale: number): bigint {
  const zeros = scale - decimal.scale
  if (zeros === 0) return decimal.coefficient
  return decimal.coefficient * (powersOfTen[zeros] ?? 10n ** BigInt(zeros))
}

/** Computed once: making a power of ten costs more than the arithmetic that uses it. */
const powersOfTen = Array.from({ length: 2 * maxDecimalDigits }, (_, zeros) => 10n ** BigInt(zeros))
