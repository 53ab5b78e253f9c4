import type { OrderFlag } from "../../../venue/payload/payload.ts"
import { partText, type JudgedOrder } from "../judged/judged-order.ts"
import { listOfWords } from "../values/scalars.ts"
import { readingText, sorted, type Beside, type Matcher } from "./matcher.ts"

type Flags<Reason extends string> = Matcher<readonly OrderFlag[], JudgedOrder, Reason>

/** What the two have in common. */
const flags = {
  schema: () => listOfWords(["post_only", "reduce_only"]),
  asked: (order: JudgedOrder) => `${partText(order)}flags ${readingText(flagsOf(order))}`,
  form: sorted,
  narrowedBy: "more",
} as const

export const requireFlags: Flags<"flag_required"> = {
  ...flags,
  key: "require_flags",
  meaning: "Flags that the order must all have. A leg has no flags.",
  example: ["post_only"],
  reason: "flag_required",
  fits: (required, order) => required.every((flag) => flagsOf(order).includes(flag)),
  allowed: (required) => `with ${required.join(", ")}`,
}

export const forbidFlags: Flags<"flag_forbidden"> = {
  ...flags,
  key: "forbid_flags",
  meaning: "Flags of which the order must have none.",
  example: ["reduce_only"],
  reason: "flag_forbidden",
  fits: (forbidden, order) => !forbidden.some((flag) => flagsOf(order).includes(flag)),
  allowed: (forbidden) => `without ${forbidden.join(", ")}`,
  contradictions: [
    {
      message: "no order matches: a flag is required and forbidden",
      isIn: (forbidden, { requireFlags: required = [] }) =>
        required.some((flag) => forbidden.includes(flag)),
    },
  ],
}

/** Whether an entry asks for post_only orders alone. */
export function isPostOnly({ requireFlags: required = [] }: Beside): boolean {
  return required.includes("post_only")
}

/** The interface gives legs no flags, so no leg says that it is post_only or reduce_only. */
function flagsOf({ order, leg }: JudgedOrder): readonly OrderFlag[] {
  return leg === undefined ? order.flags : []
}
