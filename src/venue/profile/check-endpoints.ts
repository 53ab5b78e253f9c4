import type { Place, YamlPath } from "../../std/yaml-file.ts"
import { approveAgentStruct, builtinEndpoints, placeOrderTag } from "../builtin-profile.ts"
import { parsePointer } from "../json.ts"
import { orderFields } from "../payload/payload.ts"
import { signingFieldOf } from "../payload/parse-payload.ts"
import { checkTypeBStruct } from "../payload/struct-body.ts"
import { type OperationId, operationIds, type Endpoint } from "../profile.ts"
import type { EndpointSettings, ProfileFile } from "./profile-schema.ts"

/** A problem in venue.yaml, at the value that `path` leads to. */
export type PlacedProblem = { readonly path: YamlPath; readonly message: string }

/** Checks the settings under `endpoints:`, each by itself and then all together. */
export function checkEndpoints(
  section: ProfileFile["endpoints"],
  placeOf: (path: YamlPath) => Place,
): readonly PlacedProblem[] {
  const lineOf = (id: OperationId) => placeOf(["endpoints", id]).line
  const given = builtinEndpoints
    .flatMap((endpoint): readonly Given[] => {
      const settings = section[endpoint.id]
      return settings === undefined ? [] : [{ endpoint, settings }]
    })
    .sort((a, b) => lineOf(a.endpoint.id) - lineOf(b.endpoint.id))
  const open = given.filter(({ endpoint }) => disclosed[endpoint.id] === undefined)
  return [
    ...given.flatMap(checkOverride),
    ...open.flatMap((each) => [...checkSigning(each), ...checkLayout(each), ...checkStruct(each)]),
    ...checkDiffer(open, lineOf),
  ]
}

/** venue.yaml's settings of one operation. */
type Given = { readonly endpoint: Endpoint; readonly settings: EndpointSettings }

/** Places a problem at one setting of an operation. */
function atSetting(
  { endpoint }: Given,
  setting: keyof EndpointSettings,
  message: string,
): PlacedProblem {
  return { path: ["endpoints", endpoint.id, setting], message }
}

type Written = Partial<Record<keyof EndpointSettings, string | number | undefined>>

/** Operations that the interface discloses in full. */
const disclosed: Partial<Record<OperationId, Written>> = {
  placeOrder: { signing: "A", action_tag: placeOrderTag },
  approveAgent: { signing: "B", struct: approveAgentStruct.typeString },
}

/** venue.yaml may repeat what the interface discloses. It may not change it or add to it. */
function checkOverride(given: Given): readonly PlacedProblem[] {
  const { id } = given.endpoint
  const own = disclosed[id]
  if (own === undefined) return []
  const { struct, fields, ...others } = given.settings
  const written: Written = {
    ...others,
    ...(fields && { fields: fields.join(", ") }),
    ...(struct && { struct: struct.typeString }),
  }
  return (Object.keys(written) as (keyof Written)[]) // of a strict object, so no other keys
    .filter((setting) => written[setting] !== own[setting])
    .map((setting) => {
      const value = own[setting]
      const message =
        value === undefined
          ? `the interface discloses ${id}, which has no ${setting}; remove it`
          : `the interface discloses ${id}'s ${setting} as ${value}, not ${written[setting]}; remove it`
      return atSetting(given, setting, message)
    })
}

function checkStruct(given: Given): readonly PlacedProblem[] {
  const { struct } = given.settings
  if (struct === undefined) return []
  return checkTypeBStruct(struct).map((message) => atSetting(given, "struct", message))
}

/**
 * Checks that no two operations have one tag or one struct: Type A operations differ only in their tag byte, and different
 * type strings have different type hashes.
 */
function checkDiffer(
  given: readonly Given[],
  lineOf: (id: OperationId) => number,
): readonly PlacedProblem[] {
  const owners = new Map<unknown, string>([[placeOrderTag, "placeOrder's (built in)"]])
  const ownerOf = (value: number | string | undefined, id: OperationId): string | undefined => {
    const owner = owners.get(value)
    if (value !== undefined && owner === undefined)
      owners.set(value, `${id}'s (line ${lineOf(id)})`)
    return owner
  }
  const ofTags = given.flatMap((each) => {
    const { id } = each.endpoint
    const { action_tag: tag } = each.settings
    const owner = ownerOf(tag, id)
    const message = `${id} can't have the action tag ${tag}: it is ${owner}`
    return owner === undefined ? [] : [atSetting(each, "action_tag", message)]
  })
  const ofStructs = given.flatMap((each) => {
    const { id } = each.endpoint
    const owner = ownerOf(each.settings.struct?.typeString, id)
    const message = `${id} can't have this struct: it is ${owner}, and a signature for one would do for the other`
    return owner === undefined ? [] : [atSetting(each, "struct", message)]
  })
  return [...ofTags, ...ofStructs]
}

/** Checks that an operation's signing type, tag and struct go together. */
function checkSigning(given: Given): readonly PlacedProblem[] {
  const { id, area } = given.endpoint
  const { signing, action_tag, struct } = given.settings
  if (action_tag !== undefined && struct !== undefined) {
    const message = `${id} has an action_tag (Type A) and a struct (Type B); keep one`
    return [atSetting(given, "struct", message)]
  }
  if (area === "account") return checkAccountSigning(given)
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

const orderSettings = ["items", "item_like", "like", "order_id"] as const
const layoutSettings = [...orderSettings, "fields", "applies_flags"] as const
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
function checkLayout(given: Given): readonly PlacedProblem[] {
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

/** Checks that `extra_fields` adds only new fields, and only to operations whose body can have more. */
export function checkExtraFields(value: ProfileFile): readonly PlacedProblem[] {
  return operationIds.flatMap((id) => {
    const names = value.extra_fields[id] ?? []
    if (names.length > 0 && isTypeB(id, value)) {
      const message = `${id} is Type B, whose body holds its struct's fields and no more; remove it`
      return [{ path: ["extra_fields", id], message }]
    }
    const taken = documentedFields(id, value)
    return names.flatMap((name, index): readonly PlacedProblem[] => {
      const path = ["extra_fields", id, index]
      if (signingFieldOf(name) !== undefined) {
        return [{ path, message: `${name} is a signing field, never an extra field; remove it` }]
      }
      if (!taken.includes(name)) return []
      return [{ path, message: `${name} is a field of ${id} already; remove it from extra_fields` }]
    })
  })
}

function isTypeB(id: OperationId, value: ProfileFile): boolean {
  return id === "approveAgent" || value.endpoints[id]?.signing === "B"
}

function documentedFields(id: OperationId, value: ProfileFile): readonly string[] {
  const settings = value.endpoints[id]
  const isOrder = id === "placeOrder" || settings?.like !== undefined
  const pointers = [settings?.items, settings?.like && settings.order_id]
  const first = pointers.flatMap((pointer) => parsePointer(pointer ?? "")?.[0] ?? [])
  return [...first, ...(isOrder ? orderFields.map((field) => field.name) : [])]
}
