import type { OrderMatchers } from "../terms/policy.ts"

/** A pair of matchers that no order can satisfy, told at the `key` to change. */
export type Contradiction = { readonly key: string; readonly message: string }

/**
 * Finds matchers that no order can satisfy together, as far as that is easy to see. A rule that allows
 * nothing misleads, and a deny that stops nothing does worse.
 */
export function contradictionsOf(matchers: OrderMatchers): readonly Contradiction[] {
  return known.filter(({ isIn }) => isIn(matchers))
}

const known: readonly (Contradiction & {
  readonly isIn: (matchers: OrderMatchers) => boolean
})[] = [
  {
    key: "forbid_flags",
    message: "no order matches: a flag is required and forbidden",
    isIn: ({ requireFlags = [], forbidFlags = [] }) =>
      requireFlags.some((flag) => forbidFlags.includes(flag)),
  },
  {
    key: "time_in_force",
    message: "no order matches: a market order has no time_in_force",
    isIn: (matchers) => isMarketOnly(matchers) && matchers.timeInForce !== undefined,
  },
  {
    key: "order_types",
    message: "no order matches: a market order can't be post_only",
    isIn: (matchers) => isMarketOnly(matchers) && requiresPostOnly(matchers),
  },
  {
    key: "time_in_force",
    message: "no order matches: a post_only order is gtc",
    isIn: (matchers) =>
      requiresPostOnly(matchers) && matchers.timeInForce?.includes("gtc") === false,
  },
]

function isMarketOnly({ orderTypes }: OrderMatchers): boolean {
  return orderTypes?.every((type) => type === "market") ?? false
}

function requiresPostOnly({ requireFlags = [] }: OrderMatchers): boolean {
  return requireFlags.includes("post_only")
}
