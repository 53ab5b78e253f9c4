import { err, ok, type Result } from "../../../std/result.ts"
import { parseYaml, type Located, type Problem, isBlankYaml } from "../../../std/yaml-file.ts"
import type { Profile } from "../../../venue/profile.ts"
import { limitDefinition } from "../claims-of.ts"
import type { Entry, Named, Policy, Limit } from "../terms.ts"
import type { FieldPointer } from "../values/scalars.ts"
import { policySchema } from "./policy-schema.ts"

/**
 * Parses a set of policy files as they were found; `file` is the name that messages and refusals give. Returns all policies, or every problem in any file. Files are sorted by name, so
 * the order in which they were found doesn't matter.
 */
export function parsePolicies(
  files: readonly { readonly file: string; readonly text: string }[],
  profile: Profile,
): Result<readonly Policy[], readonly Problem[]> {
  const problems: Problem[] = []
  const placed: PlacedPolicy[] = []
  const schema = policySchema(profile.symbols)
  for (const { file, text } of [...files].sort((a, b) => (a.file < b.file ? -1 : 1))) {
    if (isBlankYaml(text)) continue
    const read = parsePolicy(text, file, schema)
    if (!read.ok) {
      problems.push(...read.error)
      continue
    }
    const { policy, placeOf } = read.value
    const earlier = placed.find((each) => each.policy.name === policy.name)
    if (earlier !== undefined) {
      const message = `policy ${policy.name} is in ${earlier.policy.file} too; give one of them another name`
      problems.push({ file, ...placeOf(["policy"]), message })
    }
    placed.push(read.value)
  }
  problems.push(...groupProblems(placed))
  return problems.length > 0 ? err(problems) : ok(placed.map(({ policy }) => policy))
}

/** A policy and where each of its entries is written. */
type PlacedPolicy = { readonly policy: Policy } & Pick<Located<unknown>, "placeOf">

function groupProblems(placed: readonly PlacedPolicy[]): readonly Problem[] {
  return unlistedGroups(placed.map(({ policy }) => policy)).flatMap(({ policy, rule, message }) =>
    placed
      .filter((each) => each.policy === policy)
      .map(({ placeOf }) => ({ file: policy.file, ...placeOf(["rules", rule]), message })),
  )
}

function parsePolicy(
  text: string,
  file: string,
  schema: ReturnType<typeof policySchema>,
): Result<PlacedPolicy, readonly Problem[]> {
  const read = parseYaml(text, file, schema)
  if (!read.ok) return read
  const { value, placeOf } = read.value
  const problems = repeatedNames(value, placeOf, file)
  if (problems.length > 0) return err(problems)

  const { applies_to } = value
  const appliesTo = { clients: applies_to?.clients, keys: applies_to?.keys }
  const placed = <Written>(list: List, entries: readonly Written[] = []) =>
    entries.map((entry, index) => ({ ...entry, line: placeOf([list, index]).line }))
  const named = (name: string): Named => ({ name, line: placeOf([name]).line })
  const timed = (name: string, ms?: number) =>
    ms === undefined ? undefined : { ...named(name), ms }
  const policy: Policy = {
    name: value.policy,
    appliesTo,
    reads: value.reads ?? [],
    file,
    rules: placed("rules", value.rules),
    deny: placed("deny", value.deny),
    limits: placed("limits", value.limits).map((limit) => ({
      ...limit,
      definition: limitDefinition(limit, appliesTo),
    })),
    hold: placed("hold", value.hold),
    guards: placed("guards", value.guards).map((guard) => {
      return { ...guard, policy: value.policy, file }
    }),
    requireIdempotency: value.require_idempotency ? named("require_idempotency") : undefined,
    repeatWithin: timed("repeat_within", value.repeat_within),
    requireCheck: timed("require_check", value.require_check),
  }
  return ok({ policy, placeOf })
}

const lists = ["rules", "deny", "limits", "hold", "guards"] as const
type List = (typeof lists)[number]

/** A refusal names policy and rule, so every entry of a file needs a name of its own. */
function repeatedNames(
  written: Partial<Record<List, readonly Pick<Entry, "name">[] | undefined>>,
  placeOf: Located<unknown>["placeOf"],
  file: string,
): Problem[] {
  const seen = new Set<string>()
  const repeatedIn = (list: List, entries: readonly Pick<Entry, "name">[] = []) =>
    entries.flatMap(({ name }, index): Problem[] => {
      if (!seen.has(name)) {
        seen.add(name)
        return []
      }
      const message = `${name} is the name of another entry too; give each its own`
      return [{ file, ...placeOf([list, index, "name"]), message }]
    })
  return lists.flatMap((list) => repeatedIn(list, written[list]))
}

/**
 * The rules that let a bot choose the group that a limit counts by.
 *
 * A sum `by` a field has a maximum for each value of the field. If no rule lists the values, a bot can use a new one
 * for each request (`USD`, `usd`, `USD `), and the maximum bounds nothing.
 */
function unlistedGroups(policies: readonly Policy[]) {
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
) {
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
