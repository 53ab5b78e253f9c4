import type { HoldView } from "../link/views/bot-views.ts"
import { decimalWords } from "./order-words.ts"

/** What a held request can cost at worst: all of it, and the parts of a batch that has several symbols or sides. */
export type WorstWords = {
  /** `worst 220 USD and 64 BTC`; `undefined` where that isn't what the vault says. */
  readonly total: string | undefined
  /** `60 buy DOGE-USD, worst 220 USD` */
  readonly groups: readonly string[]
}

const totalPattern = /^(?:one order|\d+ orders), (up to|more than) (.+)$/
const groupPattern = /^(\d+ (?:buy|sell) .+): (up to|more than) (.+)$/

/** Of the vault's own text, in which nothing is a bot's. */
export function worstWords({ worst_case }: Pick<HoldView, "worst_case">): WorstWords {
  const [first = "", ...others] = worst_case.split("; ")
  const [, bound, sum = ""] = totalPattern.exec(first) ?? []
  return {
    total: bound === undefined ? undefined : boundWords(bound, sum),
    groups: others.map((each) => {
      const [, group = each, bound = "", sum = ""] = groupPattern.exec(each) ?? []
      return bound === "" ? group : `${group}, ${boundWords(bound, sum)}`
    }),
  }
}

function boundWords(bound: string, sum: string): string {
  const said = sum.replace(/\b\d[\d.]*(?= )/g, (each) => decimalWords(each) ?? each)
  return `worst ${bound === "up to" ? "" : "more than "}${said}`
}
