import type { Place, YamlPath } from "../../std/yaml-file.ts"
import { approveAgentStruct, builtinEndpoints, placeOrderTag } from "../endpoints.ts"
import { checkTypeBStruct } from "../payload/check-struct.ts"
import type { OperationId } from "../profile.ts"
import { checkLayout, checkSigning } from "./check-settings.ts"
import { atSetting, type Given, type PlacedProblem } from "./placed-problem.ts"
import type { EndpointSettings, ProfileFile } from "./profile-schema.ts"

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
    ...checkTagsDiffer(open, lineOf),
    ...checkStructsDiffer(open, lineOf),
  ]
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

type LineOf = (id: OperationId) => number

/** Type A operations differ only in their tag byte. */
function checkTagsDiffer(given: readonly Given[], lineOf: LineOf): readonly PlacedProblem[] {
  const owners = new Map([[placeOrderTag, "placeOrder's (built in)"]])
  return given.flatMap((each) => {
    const { id } = each.endpoint
    const tag = each.settings.action_tag
    if (tag === undefined) return []
    const owner = owners.get(tag)
    if (owner === undefined) {
      owners.set(tag, `${id}'s (line ${lineOf(id)})`)
      return []
    }
    return [atSetting(each, "action_tag", `${id} can't have the action tag ${tag}: it is ${owner}`)]
  })
}

/** Different type strings have different type hashes. */
function checkStructsDiffer(given: readonly Given[], lineOf: LineOf): readonly PlacedProblem[] {
  const owners = new Map<string, string>()
  return given.flatMap((each) => {
    const { id } = each.endpoint
    const typeString = each.settings.struct?.typeString
    if (typeString === undefined) return []
    const owner = owners.get(typeString)
    if (owner === undefined) {
      owners.set(typeString, `${id}'s (line ${lineOf(id)})`)
      return []
    }
    const message = `${id} can't have this struct: it is ${owner}, and a signature for one would do for the other`
    return [atSetting(each, "struct", message)]
  })
}
