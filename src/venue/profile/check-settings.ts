import { parsePointer } from "../json.ts"
import { signingFieldOf } from "../payload/parse-payload.ts"
import { orderFields } from "../payload/order-fields.ts"
import type { OperationId } from "../profile.ts"
import { atSetting, type Given, type PlacedProblem } from "./placed-problem.ts"

/** Checks that an operation's signing type, tag and struct go together. */
export function checkSigning(given: Given): readonly PlacedProblem[] {
  const { action_tag, struct } = given.settings
  if (action_tag !== undefined && struct !== undefined) {
    const message = `${given.endpoint.id} has an action_tag (Type A) and a struct (Type B); keep one`
    return [atSetting(given, "struct", message)]
  }
  return given.endpoint.area === "trade" ? checkTradeSigning(given) : checkAccountSigning(given)
}

function checkTradeSigning(given: Given): readonly PlacedProblem[] {
  const { id } = given.endpoint
  const { signing, struct } = given.settings
  if (signing === "B") {
    const message = `${id} is a trade endpoint, and those are Type A; remove signing: B`
    return [atSetting(given, "signing", message)]
  }
  if (struct === undefined) return []
  const message = `a struct is Type B's, and ${id} is Type A; give its action_tag instead`
  return [atSetting(given, "struct", message)]
}

/** Their signing type isn't disclosed, so venue.yaml must say it. It is never guessed. */
function checkAccountSigning(given: Given): readonly PlacedProblem[] {
  const { id } = given.endpoint
  const { signing, action_tag, struct } = given.settings
  if (action_tag !== undefined && signing !== "A") {
    const message = `an action_tag is Type A's; ${id} needs signing: A beside it`
    return [atSetting(given, "action_tag", message)]
  }
  if (struct !== undefined && signing !== "B") {
    const message = `a struct is Type B's; ${id} needs signing: B beside it`
    return [atSetting(given, "struct", message)]
  }
  return []
}

const bodySettings = ["items", "item_like", "like", "order_id", "fields"] as const
const layoutSettings = [...bodySettings, "applies_flags"] as const
type LayoutSetting = (typeof layoutSettings)[number]

const layoutOf: Partial<Record<OperationId, readonly LayoutSetting[]>> = {
  modifyOrder: ["like", "order_id", "applies_flags"],
  placeBatch: ["items", "item_like"],
  modifyBatch: ["items", "item_like", "order_id", "applies_flags"],
  cancelOrder: ["fields"],
  cancelBatch: ["items", "fields"],
  cancelAll: ["fields"],
}

/** Checks the settings of a body: they fit the operation, are complete, and use no name twice. */
export function checkLayout(given: Given): readonly PlacedProblem[] {
  const misplaced = layoutSettings.filter(
    (setting) =>
      given.settings[setting] !== undefined &&
      layoutOf[given.endpoint.id]?.includes(setting) !== true,
  )
  if (misplaced.length > 0) return misplaced.map((setting) => misplacedSetting(given, setting))
  return [...checkComplete(given), ...checkPointers(given)]
}

function misplacedSetting(given: Given, setting: LayoutSetting): PlacedProblem {
  const places = Object.entries(layoutOf)
    .filter(([, settings]) => settings.includes(setting))
    .map(([id]) => id)
  const message = `${setting} describes the body of ${places.join(", ")}, not of ${given.endpoint.id}; remove it`
  return atSetting(given, setting, message)
}

function checkComplete(given: Given): readonly PlacedProblem[] {
  const { id } = given.endpoint
  const settings = given.settings
  const needs = (setting: LayoutSetting, other: LayoutSetting): readonly PlacedProblem[] =>
    settings[setting] !== undefined && settings[other] === undefined
      ? [atSetting(given, setting, `${setting} of ${id} needs ${other} beside it`)]
      : []
  const takesOrderId = layoutOf[id]?.includes("order_id") === true
  return [
    ...needs("item_like", "items"),
    ...(takesOrderId ? needs("item_like", "order_id") : []),
    ...needs("like", "order_id"),
    ...needs("order_id", id === "modifyOrder" ? "like" : "item_like"),
    ...needs("applies_flags", id === "modifyOrder" ? "like" : "item_like"),
  ]
}

/** The order's id may not be one of the order's own fields, and no pointer may lead to a signing field. */
function checkPointers(given: Given): readonly PlacedProblem[] {
  const orderNames = orderFields.map((field) => field.name)
  const isTaken = (setting: "items" | "order_id", name: string): boolean =>
    signingFieldOf(name) !== undefined || (setting === "order_id" && orderNames.includes(name))
  return (["items", "order_id"] as const).flatMap((setting) => {
    const pointer = given.settings[setting]
    const first = pointer === undefined ? undefined : parsePointer(pointer)?.[0]
    if (first === undefined || !isTaken(setting, first)) return []
    const message = `${setting} of ${given.endpoint.id} can't lead into ${first}, which is a field of its own`
    return [atSetting(given, setting, message)]
  })
}
