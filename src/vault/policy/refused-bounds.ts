import { z } from "zod"

import { boundNames } from "./rule-schema.ts"

const taken = {
  deny: "matchers only",
  limits: "matchers and what is counted over time",
  hold: "matchers and a ttl only",
} as const

/** Refuses the bounds of a rule in another list, and says where they belong. */
export function refusedBounds(list: keyof typeof taken): Record<string, z.ZodType> {
  const refused = (name: string): z.ZodType =>
    z
      .custom(() => false, `${list} takes ${taken[list]}; write ${name} in a rule`)
      .optional()
      .meta({ refused: true })
  return Object.fromEntries(boundNames.map((name) => [name, refused(name)]))
}
