import type { FieldPointer } from "../values/body-field.ts"
import type { Entry, Limit, Policy } from "../terms/policy.ts"

/** A rule that lets a bot choose the group that a limit counts by. */
export type UnlistedGroup = {
  readonly policy: Policy
  /** Its place in the policy's rules. */
  readonly rule: number
  readonly message: string
}

/**
 * A sum `by` a field has a maximum for each value of the field. If no rule lists the values, a bot can use a new one
 * for each request (`USD`, `usd`, `USD `), and the maximum bounds nothing.
 */
export function unlistedGroups(policies: readonly Policy[]): readonly UnlistedGroup[] {
  return policies.flatMap((policy) =>
    policy.limits.flatMap((limit) => {
      const by = limit.counted.kind === "field" ? limit.counted.by : undefined
      if (by === undefined) return []
      return rulesNotListing(by, { policy, entry: limit }, policies).map((found) => ({
        ...found,
        message: messageOf(by, limit, policy),
      }))
    }),
  )
}

function messageOf({ text }: FieldPointer, { name, line }: Limit, { name: policy, file }: Policy) {
  return `must list the values of ${text}, as in where: [{pointer: ${text}, in: […]}]: the limit ${policy}/${name} (${file}:${line}) has a maximum for each, and a bot could make up new ones`
}

/** The rules that may allow what an entry covers and that accept any value of a field. */
function rulesNotListing(
  pointer: FieldPointer,
  { policy, entry }: { readonly policy: Policy; readonly entry: Entry },
  policies: readonly Policy[],
): readonly Omit<UnlistedGroup, "message">[] {
  return policies
    .filter((other) => mayMeet(policy.appliesTo, other.appliesTo))
    .flatMap((other) =>
      other.rules.flatMap((rule, index) => {
        const isCovered = !entry.operations.isDisjointFrom(rule.operations)
        return isCovered && !listsValues(rule, pointer) ? [{ policy: other, rule: index }] : []
      }),
    )
}

function listsValues({ matchers }: Entry, { text }: FieldPointer): boolean {
  return (matchers.where ?? []).some(
    ({ pointer, texts }) => pointer.text === text && texts !== undefined,
  )
}

/** Whether both can apply to the same client with the same key. */
export function mayMeet(one: Policy["appliesTo"], other: Policy["appliesTo"]): boolean {
  return share(one.clients, other.clients) && share(one.keys, other.keys)
}

/** Whether two lists have something in common. `undefined` means everything. */
export function share<Item>(
  one: readonly Item[] | undefined,
  other: readonly Item[] | undefined,
): boolean {
  return one === undefined || other === undefined || one.some((name) => other.includes(name))
}
