import { Fault } from "../../std/fault.ts"
import type { Decimal } from "../../venue/decimal.ts"

/**
 * Reads a decimal that the ledger wrote. Unlike a bot's numbers a stored one may be of any length, for
 * sizes are products.
 *
 * @throws {Fault} `ledger_unusable` when it isn't one.
 */
export function readDecimal(text: string): Decimal {
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole !== "") return { coefficient: BigInt(whole + fraction), scale: fraction.length }
  throw new Fault(
    "ledger_unusable",
    "The ledger holds an amount that can't be read; restore the ledger from a back-up.",
  )
}
