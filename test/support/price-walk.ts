import { anchored, fed } from "../../src/vault/active/price-drift.ts"
import { referencePrice } from "../../src/vault/active/active-set.ts"
import { parseConfig } from "../../src/vault/config/config.ts"
import type { FileSet } from "../../src/vault/config/load-files.ts"
import type { Standing } from "../../src/vault/ledger/bindings.ts"
import type { Price } from "../../src/vault/ledger/records/prices.ts"
import { operatorName } from "../../src/vault/ledger/records/bindings.ts"
import { wholeDecimal } from "../../src/venue/decimal.ts"
import { ledgerTime, startMs } from "./fake-clock.ts"
import { symbolTable, testProfile } from "./test-profile.ts"

const symbolId = 1

/** One symbol's price, from an operator's word at `startMs` on, moved by what a client feeds. Whole numbers. */
export type PriceWalk = {
  /** Feeds a price so long after the start, and tells what it made of the symbol's. */
  feed(value: bigint, afterMs: number): Price
  /** Whether orders can be sized so long after the start. */
  isKnown(afterMs: number): boolean
}

/** Starts at `anchor`, with the settings that an installation has unless told otherwise. */
export function walkFrom(anchor: bigint): PriceWalk {
  const config = parseConfig("keystore: {backend: memory}\n", "countersign.yaml")
  if (!config.ok) throw new Error("The plain settings are refused.")
  const symbol = {
    id: symbolId,
    name: "BTC-PERP",
    market: "perp",
    quote: "USD",
    referencePrice: undefined,
  } as const
  const profile = testProfile({ symbols: symbolTable([symbol]) })
  const files = { config: config.value, profile, policies: [], texts: [], policyHash: "" }
  const given = {
    symbolId,
    value: wholeDecimal(anchor),
    by: operatorName,
    now: ledgerTime(startMs),
  }
  let price = anchored(given, config.value.prices)
  const set = (): FileSet & Standing => ({
    ...{ ...files, raises: [], acceptedHash: undefined, freezes: [], armed: [] },
    ...{ marks: new Map(), guards: [] },
    prices: new Map([[symbolId, price]]),
  })
  return {
    feed(value, afterMs) {
      const now = ledgerTime(startMs + afterMs)
      price = fed({ symbolId, value: wholeDecimal(value), by: "feed", now }, set())
      return price
    },
    isKnown: (afterMs) =>
      referencePrice(symbolId, set(), ledgerTime(startMs + afterMs)) !== undefined,
  }
}
