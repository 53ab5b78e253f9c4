import { oneOf } from "../values/scalars.ts"
import { listMatcher } from "./matcher.ts"

export const stpModes = listMatcher({
  key: "stp_modes",
  meaning: "Self-trade preventions of the order; an order without one is cancel_maker.",
  example: ["cancel_maker", "cancel_both"],
  unreadable: "a leg's: unreadable",
  reason: "stp_mode_not_allowed",
  item: () => oneOf(["cancel_maker", "cancel_taker", "cancel_both", "none"]),
  // The interface doesn't say whether a leg's order has the mode of its entry.
  read: ({ order, leg }) => (leg === undefined ? [order.stpMode ?? "cancel_maker"] : undefined),
})
