import type { Decision } from "../asks.ts"

/** Which decisions are shown; a part that is left out leaves none out. */
export type Filter = Readonly<Partial<Record<FilterPart, string | undefined>>>
export type FilterPart = (typeof filterParts)[number]

/** What decisions can be chosen by. */
export const filterParts = ["client", "key", "symbol", "code"] as const

/** Those that fit every part. */
export function matching(decisions: readonly Decision[], filter: Filter): readonly Decision[] {
  const wanted = filterParts.flatMap((part) => {
    const value = filter[part]
    return value === undefined ? [] : [[part, value] as const]
  })
  if (wanted.length === 0) return decisions
  return decisions.filter((each) =>
    wanted.every(([part, value]) => valuesOf(each, part).includes(value)),
  )
}

/** What there is to choose from, in the order of the alphabet; what was chosen stays there. */
export function choicesOf(
  decisions: readonly Decision[],
  part: FilterPart,
  chosen: string | undefined,
): readonly string[] {
  const values = new Set(decisions.flatMap((each) => valuesOf(each, part)))
  if (chosen !== undefined) values.add(chosen)
  return [...values].toSorted()
}

/** A denial is found by its code, which all of them have, and by its own reason. */
function valuesOf(decision: Decision, part: FilterPart): readonly string[] {
  const { client, key, symbols, code, reason } = decision
  const values = { client: [client], key: [key], symbol: symbols, code: [code, reason] }
  return values[part].filter((value) => value !== null)
}
