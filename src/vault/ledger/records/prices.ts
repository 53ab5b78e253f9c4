import * as z from "zod"

import { Fault } from "../../../std/fault.ts"
import type { Immutable } from "../../../std/immutable.ts"
import { formatDecimal, type Decimal } from "../../../venue/decimal.ts"
import { decimalText, text, whole } from "./fields.ts"

/** The reference price of a symbol, fed or set, as it is recorded. */
export type PriceFields = Immutable<z.infer<typeof priceSchema>>

const price = z.object({
  value: decimalText,
  /** The client or the operator that gave it. */ by: text,
})

export const priceSchema = price.extend({
  ...{ symbol_id: whole, as_of: whole },
  /** Not when it waits for a person: it lies too far from its anchor, or has none. */
  confirmed: z.boolean(),
  /** What bounds the next one; `null` where nobody gave an anchor, left out in rows of older versions. */
  drift: z
    .object({
      ...{ anchor: decimalText, anchor_at: whole },
      /** A whole number of 10^-18. */
      allowance: z.string().regex(/^\d+$/),
      held: price.extend({ at: whole }).nullable(),
    })
    .nullable()
    .exactOptional(),
})

/** A price to calculate with. */
export type Price = {
  readonly symbolId: number
  readonly value: Decimal
  readonly asOfMs: number
  readonly by: string
  readonly confirmed: boolean
  readonly drift?: PriceDrift | undefined
}

/** How far a fed price may move from one that no feed can move. */
export type PriceDrift = {
  /** The last price that a person gave or confirmed, or venue.yaml's. */
  readonly anchor: { readonly value: Decimal; readonly atMs: number }
  /** How far the price might move at `asOfMs`, in natural logarithms, 18 decimals. */
  readonly allowance: bigint
  /** The last one fed since that moved too fast. */
  readonly held?: { readonly value: Decimal; readonly by: string; readonly atMs: number }
}

/** Reads a price as it was recorded. @throws {Fault} `ledger_unusable` when it makes no sense. */
export function readPrice(fields: PriceFields): Price {
  return {
    symbolId: fields.symbol_id,
    value: readDecimal(fields.value),
    asOfMs: fields.as_of,
    by: fields.by,
    confirmed: fields.confirmed,
    drift: readDrift(fields),
  }
}

/** Of an older version's price nobody said how far it may move: it is its own anchor, unless it waited for a person. */
function readDrift({ drift, ...price }: PriceFields): PriceDrift | undefined {
  if (drift === undefined || drift === null) {
    const anchor = { value: readDecimal(price.value), atMs: price.as_of }
    return price.confirmed ? { anchor, allowance: 0n } : undefined
  }
  const { held } = drift
  return {
    anchor: { value: readDecimal(drift.anchor), atMs: drift.anchor_at },
    allowance: BigInt(drift.allowance),
    ...(held !== null && {
      held: { value: readDecimal(held.value), by: held.by, atMs: held.at },
    }),
  }
}

/** A price as it is recorded. */
export function priceFields({ drift, ...price }: Price): PriceFields {
  return {
    symbol_id: price.symbolId,
    value: formatDecimal(price.value),
    as_of: price.asOfMs,
    by: price.by,
    confirmed: price.confirmed,
    drift: drift === undefined ? null : driftFields(drift),
  }
}

function driftFields({ anchor, allowance, held }: PriceDrift): PriceFields["drift"] & object {
  return {
    anchor: formatDecimal(anchor.value),
    anchor_at: anchor.atMs,
    allowance: allowance.toString(),
    held:
      held === undefined ? null : { value: formatDecimal(held.value), by: held.by, at: held.atMs },
  }
}

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
