import type { Reading } from "./judged-order.ts"

/** In a `rule` all that a field may stand for must fit; in a `deny`, a limit or a hold one such value is enough. */
export type Polarity = "rule" | "deny"

/** What can't be read agrees with no rule and with every deny; what is certainly absent with neither. */
export function agrees<Value>(
  reading: Reading<Value>,
  polarity: Polarity,
  fits: (value: Value) => boolean,
): boolean {
  if (reading === undefined) return polarity === "deny"
  return polarity === "deny" ? reading.some(fits) : reading.length > 0 && reading.every(fits)
}
