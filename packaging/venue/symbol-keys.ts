import type { VenueKeys } from "./venue-key.ts"

const amount = { type: ["string", "number"] }

/** The keys of an entry of `symbols`. */
export const symbolKeys: VenueKeys = {
  "symbols.id": {
    form: "a whole number",
    meaning: "The venue's `symbol_id`. No two entries share one.",
    written: { type: "integer", minimum: 0 },
  },
  "symbols.name": {
    form: "1 to 64 characters, not a number",
    meaning: "What policies, prices and alarms call it. No two entries share one.",
  },
  "symbols.market": {
    meaning: "Which of the venue's rules hold: spot orders have no position side, for one.",
  },
  "symbols.quote": {
    form: "1 to 64 characters",
    meaning:
      "The currency that prices and notionals are in. Sums of different currencies stay apart.",
  },
  "symbols.reference_price": {
    form: "a map",
    meaning: "A price to size orders by, where no client feeds a later one.",
    without:
      "until a client feeds a price, rules and limits in quote units refuse orders of it: `notional_unknown`",
  },
  "symbols.reference_price.value": {
    form: "a decimal above zero",
    meaning: "In quote units for one base unit.",
    written: amount,
  },
  "symbols.reference_price.as_of": {
    form: "a time in UTC, `2026-11-20T12:00:00Z`",
    meaning: "When the venue had this price.",
  },
  "symbols.reference_price.max_age": {
    form: "a duration, `1h`",
    meaning: "How long from `as_of` on it is good for. After that it is as if it weren't there.",
  },
}
