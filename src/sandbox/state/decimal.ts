// Exact arithmetic on pretend balances: amounts are counted in units of 10^-40, which is as fine as the
// sandbox's own bound on a decimal string.

const fractionDigits = 40

/** Reads a decimal string that the `amount` check has passed. */
export function readUnits(decimal: string): bigint {
  const [whole = "", fraction = ""] = decimal.split(".")
  return BigInt(whole + fraction.padEnd(fractionDigits, "0"))
}

/** Writes units, not below zero, as the shortest decimal string. */
export function decimalText(units: bigint): string {
  const digits = units.toString().padStart(fractionDigits + 1, "0")
  const whole = digits.slice(0, -fractionDigits)
  const fraction = digits.slice(-fractionDigits).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}
