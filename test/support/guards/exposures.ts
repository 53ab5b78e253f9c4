import type { Opener, Reading, Side } from "../../../src/vault/guards/exposure.ts"
import { type Exposure, openExposure } from "../../../src/vault/guards/open-exposure.ts"
import { type Decimal, parseDecimal, zero } from "../../../src/venue/decimal.ts"

export const symbolId = 1
export const lagMs = 3_000
/** When the readings of tests were asked for, unless they say otherwise. */
export const askedAtMs = 1_000_000
/** The last end of validity that such a reading covers where it doesn't tell the venue's time. */
export const coveredMs = askedAtMs - lagMs - 10_000

export function decimal(text: string): Decimal {
  const value = parseDecimal(text)
  if (value === undefined) throw new Error(`${text} is no decimal.`)
  return value
}

export function opener(side: Side, quantity: string, notional: string | null = "0"): Opener {
  const size = notional === null ? null : decimal(notional)
  return { symbolId, side, quantity: decimal(quantity), notional: size, cost: zero }
}

export const buy = (quantity: string): Opener => opener("long", quantity)
export const sell = (quantity: string): Opener => opener("short", quantity)

/** A position of the symbol. */
export function held(side: Side, quantity: string): Reading["positions"][number] {
  return { symbolId, side, quantity: decimal(quantity) }
}

/** An open order of the symbol; one that is one-way. */
export function open(side: Side, remaining: string, price?: string): Reading["orders"][number] {
  return {
    ...{ symbolId, side, isBuy: side === "long", remaining: decimal(remaining) },
    price: price === undefined ? undefined : decimal(price),
  }
}

/** A reading of nothing, but for what is given. */
export function aReading(shown: Partial<Reading> = {}): Reading {
  return { askedAtMs, venueAtMs: undefined, orders: [], positions: [], equity: undefined, ...shown }
}

/** With a reading in force. */
export function exposureOf(shown: Partial<Reading> = {}): Exposure {
  const exposure = openExposure({ lagMs })
  exposure.read(aReading(shown))
  return exposure
}

/** Counts one request of these openers, which no reading of a test covers unless told until when it is valid. */
export function take(
  exposure: Exposure,
  openers: readonly Opener[],
  signed: { readonly record?: string; readonly expiresAfterMs?: number } = {},
): void {
  exposure.took({ record: "r1", expiresAfterMs: 2_000_000, ...signed, openers })
}
