import type { JsonValue } from "../../../src/venue/json.ts"
import type { Decimal } from "../../../src/venue/decimal.ts"

/** Places after the point that every amount is written out to: more than products of drawn amounts have. */
const places = 60

/** One, in the units of 10^-60 in which the plain judge counts. */
export const whole = 10n ** BigInt(places)

/** A decimal in units. */
export function unitsOf({ coefficient, scale }: Decimal): bigint {
  return coefficient * 10n ** BigInt(places - scale)
}

/** The exact product of two amounts in units. @throws {RangeError} when it has more places than are kept. */
export function times(a: bigint, b: bigint): bigint {
  if ((a * b) % whole !== 0n) throw new RangeError("a product has too many places")
  return (a * b) / whole
}

/** Units as people read them: no trailing zeros, and a point only before digits. */
export function unitsText(units: bigint): string {
  const fraction = (units % whole).toString().padStart(places, "0").replace(/0+$/, "")
  return fraction === "" ? `${units / whole}` : `${units / whole}.${fraction}`
}

/** A decimal as people read it. */
export function decimalText(decimal: Decimal): string {
  return unitsText(unitsOf(decimal))
}

/** What a field of a body holds in units: a decimal string or a whole number, neither below zero. */
export function fieldUnits(value: JsonValue | undefined): bigint | undefined {
  const isWhole = typeof value === "number" && Number.isInteger(value)
  const text = isWhole ? String(value) : value
  if (typeof text !== "string") return undefined
  const [, digits, fraction = ""] = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits + fraction.padEnd(places, "0"))
}
