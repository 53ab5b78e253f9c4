import { oneOf } from "../values/scalars.ts"
import { listMatcher } from "./matcher.ts"
import { ownOrAccounts } from "./position-sides.ts"

export const marginModes = listMatcher({
  key: "margin_modes",
  meaning:
    "Margin modes of the order; left out on a perpetual it can't be read, and a spot order has none.",
  example: ["isolated"],
  unreadable: "as `position_sides`",
  reason: "margin_mode_not_allowed",
  item: () => oneOf(["cross", "isolated"]),
  read: (order) => ownOrAccounts(order.order.marginMode, order),
})
