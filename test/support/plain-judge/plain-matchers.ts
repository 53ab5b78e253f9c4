import type { DenialReason, Entry } from "../../../src/vault/policy/terms.ts"
import type { Order } from "../../../src/venue/payload/payload.ts"
import type { Profile } from "../../../src/venue/profile.ts"
import { symbolWords, type Field, type PlainPart, type Values } from "./plain-order.ts"

/** A rule needs all that a field may stand for; an entry of another list needs one such value. */
export type List = "rule" | "other"

/** Why something doesn't match, what was asked and what is allowed. */
export type Said = {
  readonly reason: DenialReason
  /** Of an order of a batch. */
  readonly path?: string
  readonly asked: string | null
  readonly allowed: string | null
}

/** What is wrong with an order, which of a batch's it is too. */
export function saidOf<Told extends Said | undefined>(of: Order | undefined, said: Told): Told {
  const isNamed = said !== undefined && of !== undefined && of.path.length > 0
  return isNamed ? { ...said, path: of.path } : said
}

export type Matchers = Entry["matchers"]

/** One entry or leg, held against the matchers of an entry. */
export type PartAsk = {
  readonly matchers: Matchers
  readonly part: PlainPart
  readonly list: List
  readonly profile: Profile
}

type OrderMatcher = (ask: PartAsk) => Said | undefined

/** What each matcher says of a part that doesn't match, in the order in which a rule asks them. */
export const orderMatchers: readonly OrderMatcher[] = [
  listed("symbols", "symbol_not_allowed"),
  listed("sides", "side_not_allowed"),
  listed("orderTypes", "order_type_not_allowed"),
  listed("timeInForce", "time_in_force_not_allowed"),
  requiredFlags,
  forbiddenFlags,
  listed("positionSides", "position_side_not_allowed"),
  listed("marginModes", "margin_mode_not_allowed"),
  listed("stpModes", "stp_mode_not_allowed"),
  listed("algoOrderTypes", "algo_order_type_not_allowed"),
  clientOrderId,
]

const orderKeys = [
  ...(["symbols", "sides", "orderTypes", "timeInForce", "requireFlags", "forbidFlags"] as const),
  ...(["positionSides", "marginModes", "stpModes", "algoOrderTypes", "clientOrderId"] as const),
]

/** Whether an entry asks anything of orders. */
export function asksOfOrders(matchers: Matchers): boolean {
  return orderKeys.some((key) => matchers[key] !== undefined)
}

/** Whether values are what an entry wants: none never are, and what can't be read is for all but a rule. */
export function areWanted(values: Values, list: List, isWanted: (value: string) => boolean) {
  if (values === undefined) return list === "other"
  const wanted = values.filter(isWanted)
  return wanted.length > 0 && (list === "other" || wanted.length === values.length)
}

/** Whether a text is matched from its start to its end. */
export function isWhole(pattern: { readonly source: string }, text: string): boolean {
  return new RegExp(`^(?:${pattern.source})$`).test(text)
}

function listed(field: Exclude<Field, "clientOrderId">, reason: DenialReason): OrderMatcher {
  return ({ matchers, part, list, profile }) => {
    const wanted = matchers[field]?.map(String)
    const values = part.values[field]
    if (wanted === undefined) return undefined
    if (areWanted(values, list, (value) => wanted.includes(value))) return undefined
    const words = (value: string) =>
      field === "symbols" ? symbolWords(Number(value), profile) : value
    const asked = `${part.prefix}${valuesText(values?.map(words))}`
    return { reason, asked, allowed: valuesText(wanted.map(words)) }
  }
}

function requiredFlags({ matchers, part }: PartAsk): Said | undefined {
  const { requireFlags } = matchers
  const missing = requireFlags?.filter((flag) => !part.flags.includes(flag)) ?? []
  if (requireFlags === undefined || missing.length === 0) return undefined
  return {
    reason: "flag_required",
    asked: flagsText(part),
    allowed: `with ${requireFlags.join(", ")}`,
  }
}

function forbiddenFlags({ matchers, part }: PartAsk): Said | undefined {
  const { forbidFlags } = matchers
  const present = forbidFlags?.filter((flag) => part.flags.includes(flag)) ?? []
  if (forbidFlags === undefined || present.length === 0) return undefined
  const allowed = `without ${forbidFlags.join(", ")}`
  return { reason: "flag_forbidden", asked: flagsText(part), allowed }
}

function clientOrderId({ matchers, part, list }: PartAsk): Said | undefined {
  const { clientOrderId: wanted } = matchers
  const ids = part.values.clientOrderId
  if (wanted === undefined || areWanted(ids, list, (id) => isWhole(wanted, id))) return undefined
  const asked = valuesText(ids?.map((id) => JSON.stringify(id)))
  return { reason: "client_order_id_not_allowed", asked, allowed: wanted.source }
}

function flagsText({ prefix, flags }: PlainPart): string {
  return `${prefix}flags ${valuesText(flags)}`
}

function valuesText(values: Values): string {
  if (values === undefined) return "unreadable"
  return values.length === 0 ? "none" : values.join(", ")
}
